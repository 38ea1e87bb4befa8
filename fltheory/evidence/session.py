"""One call of ``fltheory verify``: which claims it selects, what it prints, and what it writes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from fltheory.evidence import catalogue as scripts
from fltheory.evidence import ids, places, runner
from fltheory.evidence.bundles import parts_of
from fltheory.evidence.environment import describe, versions_in_words
from fltheory.evidence.ledger import read_ledger
from fltheory.evidence.references import defined_elsewhere
from fltheory.evidence.rows import SCHEMA, Row
from fltheory.files import require_writable
from fltheory.kinds import JSON

_QUICK_SECONDS = 3.0
#: So many files of a folder of one's own are named before they are executed.
_SHOWN = 10
#: From the root of a checkout to lines about its result files, and the same as data.
Report = Callable[[Path], tuple[list[str], dict[str, list[str]]]]


class _Printer:
    """A line per finished row on standard output; on a terminal a counter on standard error as well."""

    def __init__(self, total: int, *, controls: bool, silent: bool) -> None:
        self.total, self.controls, self.silent = total, controls, silent
        self.done = 0
        self.live = sys.stderr.isatty()

    def __call__(self, row: Row) -> None:
        self.done += 1
        if self.live:
            click.echo("\r\033[K", nl=False, err=True)
        if not self.silent:
            text = runner.line_of(row, controls=self.controls)
            click.secho(text, fg="red") if row["problems"] else click.echo(text)
        if self.live:
            click.echo(f"[{self.done}/{self.total}] {row['id']}", nl=False, err=True)
            if self.done == self.total:
                click.echo("\r\033[K", nl=False, err=True)


def _select(catalogue: scripts.Catalogue, targets: Sequence[str]) -> list[str]:
    """Rows that the targets name.

    Raises
    ------
    LookupError : a target is no document, no claim of the list and no row of a script.
    """
    if not targets:
        return list(catalogue.claims)
    of_document = {script.document for script in catalogue.scripts.values()}
    chosen: dict[str, None] = {}
    for target in targets:
        if target in of_document or target in ids.documents():
            rows = [row for row, script in catalogue.scripts.items() if script.document == target]
        else:
            named = (target, *parts_of(catalogue.claims.get(target)))
            rows = [row for name in named for row in catalogue.ids_of(name)]
            if not rows and target not in ids.index():
                near = ids.closest(target, [*catalogue.claims, *ids.index(), *ids.documents()])
                hint = f"; did you mean {', '.join(near)}?" if near else ""
                raise LookupError(f"no document and no claim {target!r}{hint}")
        chosen.update(dict.fromkeys(rows))
    return list(chosen)


def _load(targets: Sequence[str], folder: Path | None) -> scripts.Catalogue:
    names = set(targets)
    if folder is None and names and not names & set(ids.documents()):
        return scripts.load_for(targets)
    found = scripts.find_scripts(folder)
    if names and names <= {script.document for script in found}:
        found = [script for script in found if script.document in names]
    loaded = scripts.load(found)
    return loaded if folder is None else scripts.without_taken(loaded)


def announce(folder: Path, *, as_json: bool) -> None:
    """Say that the code of a folder is about to be executed, and of which files."""
    names = [script.name for script in scripts.find_scripts(folder)]
    shown = ", ".join(names[:_SHOWN]) + (f", and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    files = "1 file" if len(names) == 1 else f"{len(names)} files"
    click.echo(f"executing the code of {files} in {folder.resolve().name}, with what they import: {shown}", err=as_json)


@dataclass(frozen=True)
class Session:
    """A selection of claims and what to do with it."""

    catalogue: scripts.Catalogue
    row_ids: tuple[str, ...]
    options: dict[str, Any]
    experiments: Report

    @staticmethod
    def open(targets: Sequence[str], *, experiments: Report, **options: Any) -> Session:
        """Find and load the claims; ``experiments`` reports on the result files of a checkout.

        Raises
        ------
        LookupError : an unknown document or claim.
        ValueError : a folder without scripts, an output that cannot be written, or ``--check``/``--write`` outside a checkout.
        """
        keeping = options["check"] or options["write"]
        if keeping and places.checkout() is None:
            raise ValueError("--check and --write need the project's checkout; this is an installed package")
        if options["output"] is not None:
            require_writable("--output", options["output"])
        if options["folder"] is not None:
            announce(options["folder"], as_json=options["as_json"])
        catalogue = _load([] if keeping else targets, options["folder"])
        rows = _select(catalogue, targets)
        if options["quick"]:
            rows = [row for row in rows if catalogue.claims[row].quick]
        return Session(catalogue, tuple(rows), options, experiments)

    def run(self) -> int:
        """Run, print and write; returns the exit code."""
        if self.options["check"]:
            return self._check()
        if self.options["write"]:
            return self._write()
        run = self._execute(self.row_ids, expected={} if self.options["folder"] else read_ledger())
        return self._finish(run, [])

    def _execute(
        self, row_ids: Sequence[str], *, expected: dict[str, Row], journal: Any = None, certificates: Any = None
    ) -> runner.RunOfClaims:
        silent = self.options["as_json"]
        printer = _Printer(len(row_ids) + len(self.catalogue.broken), controls=self.options["controls"], silent=silent)

        def report(row: Row) -> None:
            if journal is not None and row["status"] == "done" and not row["problems"]:
                journal.append(row)
            printer(row)

        return runner.run_claims(
            self.catalogue,
            row_ids,
            expected=expected,
            known=defined_elsewhere(self.catalogue, self.options["folder"]),
            jobs=self.options["jobs"],
            timeout=self.options["timeout"],
            own=self.options["folder"] is not None,
            certificates=certificates,
            report=report,
        )

    def _check(self) -> int:
        from fltheory.evidence import check, compare, rotation, store

        root = places.checkout()
        assert root is not None
        kept = store.read_evidence(root)
        place, by = rotation.turn(root)
        wanted = set(self.row_ids)
        chosen = check.stale(self.catalogue, kept, place=place, whole=self.options["everything"])
        rows = [row for row in chosen if row in wanted]
        share = "all" if self.options["everything"] else f"changed, quick, or due by {by}"
        self._say(f"{len(rows)} of {len(self.row_ids)} rows to compute anew ({share})")
        run = self._execute(rows, expected={})
        compared = []
        for row in run.rows:
            different = compare.differences(kept.get(row["id"]), row)
            keyed = check.with_key(row, self.catalogue) if row["id"] in self.catalogue.claims else row
            compared.append({**row, "problems": [*keyed["problems"], *different]})
        replayed = self._replay(kept, wanted - set(rows))
        tabled = check.tabled_certificates(root)
        count, broken = check.certificate_problems(kept, beside=tabled, processes=self.options["jobs"])
        self._say(f"{count} kept certificates verified, {len(broken)} of them broken")
        remark = rotation.removed(root)[1]
        if remark:
            self._say(remark)
        other = sum(row["versions"] != versions_in_words() for row in kept.values())
        if other:
            self._say(f"{other} kept rows were found with other versions than {versions_in_words()}")
        problems = [*check.standing_problems(root, self.catalogue), *broken]
        problems += [f"{row['id']}: {text}" for row in compared for text in row["problems"]]
        lines, experiments = self.experiments(root)
        for line in lines:
            self._say(line)
        problems += [f"{row['id']}, on its kept certificates: {text}" for row in replayed for text in row["problems"]]
        finished = runner.RunOfClaims(tuple(compared), run.interrupted)
        return self._finish(finished, problems, complete=not rows, experiments=experiments)

    def _replay(self, kept: Mapping[str, Row], rest: Collection[str]) -> list[Row]:
        """Rows of worst cases that were not computed anew, run on their kept certificates and compared with what is kept."""
        from fltheory.evidence import compare
        from fltheory.evidence.replay import can_replay

        bound = {
            row_id: kept[row_id]["certificate"]
            for row_id in self.row_ids
            if row_id in rest and row_id in kept and can_replay(kept[row_id])
        }
        if not bound:
            return []
        self._say(f"{len(bound)} rows of worst cases to run on their kept certificates")
        run = self._execute(list(bound), expected={}, certificates=bound)
        return [
            {**row, "problems": [*row["problems"], *compare.differences(kept[row["id"]], row, replayed=True)]}
            for row in run.rows
            if row["id"] in bound
        ]

    def _write(self) -> int:
        from fltheory.evidence import check, journal, merging, store
        from fltheory.evidence.keys import key_of

        root = places.checkout()
        assert root is not None
        self._refuse_damage(store.read_evidence(root))
        book = journal.Journal(root)

        class Keyed:
            @staticmethod
            def append(row: Row) -> None:
                book.append(check.with_key(row, self.catalogue))

        resumed = {
            row_id: row
            for row_id, row in book.read().items()
            if row_id in self.row_ids and row["key"] == key_of(self.catalogue.scripts[row_id].path)
        }
        if resumed:
            self._say(f"{len(resumed)} rows taken over from an interrupted run")
        run = self._execute([row for row in self.row_ids if row not in resumed], expected={}, journal=Keyed)
        new = [check.with_key(row, self.catalogue) for row in run.rows if row["id"] in self.catalogue.claims]
        whole = None if self.catalogue.broken else set(self.catalogue.claims)
        retired = dict(self.options["retire"])
        with store.held(root):
            store.sweep(root)
            rows, refusals = merging.merge(
                store.read_evidence(root),
                [*resumed.values(), *new],
                exist=whole,
                lower=self.options["lower"],
                retire=retired,
            )
            merging.write_retired(root, retired)
            count, changed = check.write_all(root, rows)
            book.remove({*resumed, *(row["id"] for row in new)})
        news = "changed" if changed else "is unchanged"
        self._say(f"evidence of {len(rows)} rows kept; the ledger has {count} rows and {news}")
        return self._finish(run, refusals, complete=bool(resumed) and not run.rows)

    def _refuse_damage(self, kept: Mapping[str, Row]) -> None:
        """Refuse at once where damaged rows, or unknown ones to retire or to lower, would make a long run end in a refusal."""
        from fltheory.evidence.store import DAMAGED

        damaged = [row_id for row_id, row in kept.items() if row[DAMAGED] and row_id not in self.row_ids]
        if damaged:
            raise ValueError(
                f"{damaged[0]}: the kept facts were changed since they were written; --write {damaged[0]} computes them anew "
                f"({len(damaged)} such rows)"
            )
        for row_id in self.options["lower"]:
            if row_id not in self.row_ids:
                known = row_id in self.catalogue.claims or row_id in kept
                near = "" if known else ", ".join(ids.closest(row_id, self.catalogue.claims))
                why = "it is not among the rows of this run" if known else "there is no row of that id"
                hint = f"; did you mean {near}?" if near else ""
                raise click.UsageError(f"--lower {row_id}: {why}; expected a row that this run computes anew{hint}")
        for row_id, reason in self.options["retire"]:
            if row_id not in kept or row_id in self.catalogue.claims:
                why = "a script defines it" if row_id in self.catalogue.claims else "there is no kept row of that id"
                raise click.UsageError(f"--retire {row_id}: {why}; expected a kept row whose claim is gone")
            if not reason.strip():
                raise click.UsageError(f"--retire {row_id}: the reason is empty")

    def _say(self, text: str) -> None:
        click.echo(text, err=self.options["as_json"])

    def _finish(
        self,
        run: runner.RunOfClaims,
        problems: Sequence[str],
        *,
        complete: bool = False,
        experiments: dict[str, list[str]] | None = None,
    ) -> int:
        """Summary, machine-readable copy, exit code.  ``complete``: running nothing was right."""
        code = runner.EXPECTED if complete and not run.rows and not run.interrupted else run.exit_code
        if problems:
            code = runner.UNEXPECTED
        bad = sum(bool(row["problems"]) for row in run.rows)
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "environment": describe(),
            "exit_code": code,
            "interrupted": run.interrupted,
            "problems": list(problems),
            "rows": list(run.rows),
            **({} if experiments is None else {"experiments": experiments}),
        }
        written = self._copy(document)
        if not written and code == runner.EXPECTED:
            code = document["exit_code"] = runner.INCONCLUSIVE
        if self.options["as_json"]:
            click.echo(json.dumps(document, indent=1, ensure_ascii=False))
            return code
        for problem in problems:
            click.secho(f"PROBLEM: {problem}", fg="red")
        late = [row for row in run.rows if row.get("quick") and row.get("seconds", 0) > _QUICK_SECONDS]
        if late:
            names = ", ".join(f"{row['id']} {row['seconds']:.1f} s" for row in late)
            click.echo(f"marked quick, but slow here: {names}")
        words = {0: "as expected", 1: "NOT as expected", 3: "inconclusive"}[code]
        if run.interrupted:
            tail = " (interrupted)"
        elif written or code != runner.INCONCLUSIVE:
            tail = "" if run.rows or complete else "; no check for what was asked"
        else:
            tail = " (results were not written)"
        click.echo(f"{len(run.rows)} rows, {bad} with problems: {words}{tail}")
        return code

    def _copy(self, document: dict[str, JSON]) -> bool:
        """Whether the machine-readable copy was written; if not, one line says why."""
        from fltheory.evidence.store import write_text

        path = self.options["output"] or places.writable_results() / "last_run.json"
        try:
            write_text(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
        except OSError as error:
            click.echo(f"results were not written to {path.name}: {error.strerror or error}", err=True)
            return False
        return True
