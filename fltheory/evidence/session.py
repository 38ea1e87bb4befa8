"""One call of ``fltheory verify``: which claims it selects, what it prints, and what it writes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from fltheory.evidence import catalogue as scripts
from fltheory.evidence import ids, places, runner
from fltheory.evidence.bundles import parts_of
from fltheory.evidence.environment import describe
from fltheory.evidence.ledger import read_ledger
from fltheory.evidence.references import defined_elsewhere
from fltheory.evidence.rows import SCHEMA, Row
from fltheory.files import require_writable
from fltheory.kinds import JSON

_QUICK_SECONDS = 3.0
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
    return scripts.load(found)


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

    def _execute(self, row_ids: Sequence[str], *, expected: dict[str, Row], journal: Any = None) -> runner.RunOfClaims:
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
            report=report,
        )

    def _check(self) -> int:
        from fltheory.evidence import check, store

        root = places.checkout()
        assert root is not None
        kept = store.read_evidence(root)
        wanted = set(self.row_ids)
        rows = [row for row in check.stale(self.catalogue, kept) if row in wanted]
        self._say(f"{len(rows)} of {len(self.row_ids)} rows to compute anew (changed or quick)")
        run = self._execute(rows, expected={})
        compared = []
        for row in run.rows:
            different = check.differences(kept.get(row["id"]), row)
            compared.append({**row, "problems": [*row["problems"], *different]})
        count, broken = check.certificate_problems(kept)
        self._say(f"{count} kept certificates verified, {len(broken)} of them broken")
        problems = [*check.standing_problems(root, self.catalogue), *broken]
        problems += [f"{row['id']}: {text}" for row in compared for text in row["problems"]]
        lines, experiments = self.experiments(root)
        for line in lines:
            self._say(line)
        finished = runner.RunOfClaims(tuple(compared), run.interrupted)
        return self._finish(finished, problems, complete=not rows, experiments=experiments)

    def _write(self) -> int:
        from fltheory.evidence import check, store
        from fltheory.evidence.keys import key_of

        root = places.checkout()
        assert root is not None
        journal = store.Journal(root)

        class Keyed:
            @staticmethod
            def append(row: Row) -> None:
                journal.append(check.with_key(row, self.catalogue))

        resumed = {
            row_id: row
            for row_id, row in journal.read().items()
            if row_id in self.row_ids and row["key"] == key_of(self.catalogue.scripts[row_id].path)
        }
        if resumed:
            self._say(f"{len(resumed)} rows taken over from an interrupted run")
        run = self._execute([row for row in self.row_ids if row not in resumed], expected={}, journal=Keyed)
        new = [check.with_key(row, self.catalogue) for row in run.rows if row["id"] in self.catalogue.claims]
        whole = None if self.catalogue.broken else set(self.catalogue.claims)
        rows, refusals = store.merge(
            store.read_evidence(root), [*resumed.values(), *new], exist=whole, lower=self.options["lower"]
        )
        count, changed = check.write_all(root, rows)
        journal.clear()
        news = "changed" if changed else "is unchanged"
        self._say(f"evidence of {len(rows)} rows kept; the ledger has {count} rows and {news}")
        return self._finish(run, refusals, complete=bool(resumed) and not run.rows)

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
