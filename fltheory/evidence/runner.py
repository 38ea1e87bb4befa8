"""One run over claims: what is run, what counts as expected, and the exit code.

Exit codes: 0 as expected; 1 an unexpected verdict, a control that survived, a broken rule or a crash; 2 usage;
3 inconclusive, which means that nothing went wrong but a claim ran out of time, the run was interrupted, or
nothing that was run can be checked here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fltheory.evidence import catalogue as scripts
from fltheory.evidence import ids, places, pool
from fltheory.evidence.expected import against_expectation
from fltheory.evidence.ledger import read_ledger, structure_problems
from fltheory.evidence.model import Verdict
from fltheory.evidence.own import ASSERTED, as_own
from fltheory.evidence.references import defined_elsewhere
from fltheory.evidence.rows import Row, link_problems, nameless, unfinished
from fltheory.evidence.verdicts import conjunction
from fltheory.kinds import JSON

EXPECTED, UNEXPECTED, USAGE, INCONCLUSIVE = 0, 1, 2, 3


@dataclass(frozen=True)
class RunOfClaims:
    """Rows of a run, and whether it was interrupted before all rows were done."""

    rows: tuple[Row, ...]
    interrupted: bool = False

    @property
    def exit_code(self) -> int:
        """See the module's first lines."""
        if any(row["problems"] for row in self.rows):
            return UNEXPECTED
        unsettled = all(row["verdict"] == Verdict.NOT_CHECKABLE.value for row in self.rows)
        if self.interrupted or unsettled or any(row["status"] == "timeout" for row in self.rows):
            return INCONCLUSIVE
        return EXPECTED


def script_crashes(catalogue: scripts.Catalogue) -> list[Row]:
    """A ``crash`` row per script that could not be loaded; its id is the script's name."""
    return [
        {**nameless(name, name.split("/")[0]), **unfinished("crash", f"the script cannot be loaded: {error}")}
        for name, error in catalogue.broken.items()
    ]


def judge(row: Row, *, expected: Mapping[str, Row], known: Iterable[str], structure: Mapping[str, str]) -> Row:
    """The row with the problems that only show against the ledger and the other rows.

    Parameters
    ----------
    expected : rows of the ledger; a row that is not there or ``open`` there has no expected verdict.  The verdict of a
        bundle is derived from them.
    known : ids that references may name.
    structure : problems of the set of rows, by row.
    """
    if row["status"] != "done":
        return row
    problems = list(row["problems"]) + link_problems(row, set(known))
    if row["id"] in structure:
        problems.append(structure[row["id"]])
    wanted = expected.get(row["id"], {}).get("found", Verdict.OPEN.value)
    if wanted not in (Verdict.OPEN.value, row["verdict"]):
        problems.append(f"unexpected verdict {row['verdict']!r}; the ledger says {wanted!r}")
    derived = {"verdict": _of_parts(row["bundles"], expected)} if row.get("bundles") and expected else {}
    return {**row, **derived, "expected": wanted, "problems": problems}


def _of_parts(parts: Sequence[str], ledger: Mapping[str, Row]) -> str:
    """The verdict of a bundle by the ledger's verdicts of its parts."""
    return conjunction(parts, {row_id: row["verdict"] for row_id, row in ledger.items()}).value


def run_claims(
    catalogue: scripts.Catalogue,
    row_ids: Sequence[str],
    *,
    expected: Mapping[str, Row],
    known: Iterable[str] = (),
    jobs: int | None = None,
    timeout: float | None = None,
    in_process: bool = False,
    own: bool = False,
    certificates: Mapping[str, JSON] | None = None,
    report: Callable[[Row], None] = lambda row: None,
) -> RunOfClaims:
    """Run claims with their controls; ``report`` is called with each row as it is done.

    Parameters
    ----------
    expected : rows of the ledger by id.
    known : further ids that ``repair`` and ``proof_steps`` may name, beside those of catalogue and list.
    jobs, timeout : see :func:`fltheory.evidence.pool.run_parallel`.
    in_process : run here, one after the other.
    certificates : see :func:`fltheory.evidence.pool.run_parallel`.
    own : the claims are a user's: see :func:`fltheory.evidence.own.as_own`.
    """
    reachable = {*known, *catalogue.claims, *ids.index(), *_ancestors(catalogue.claims)}
    from_list = [row for row in catalogue.claims if ids.base(row) in ids.index()]
    structure = structure_problems(from_list)
    rows = script_crashes(catalogue)
    for row in rows:
        report(row)
    source = (
        pool.run_here(catalogue, row_ids, certificates=certificates)
        if in_process
        else pool.run_parallel(catalogue, row_ids, jobs=jobs, timeout=timeout, certificates=certificates)
    )
    interrupted = False
    try:
        for finished in source:
            if own and finished["status"] == "done":
                finished = against_expectation(as_own(finished), catalogue.claims.get(finished["id"]))
            if own and finished["status"] == "crash":
                finished = _placed(finished, catalogue)
            row = judge(finished, expected=expected, known=reachable, structure=structure)
            rows.append(row)
            report(row)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        source.close()
    return RunOfClaims(tuple(rows), interrupted)


def _placed(row: Row, catalogue: scripts.Catalogue) -> Row:
    """A crash of an own claim, with the file and the line of its check."""
    claim = catalogue.claims.get(row["id"])
    if claim is None:
        return row
    error = f"{scripts.place_of(claim, catalogue.scripts[row['id']])}: {row['error']}"
    return {**row, "error": error, "problems": [error if text == row["error"] else text for text in row["problems"]]}


def _ancestors(row_ids: Iterable[str]) -> set[str]:
    found = set()
    for row_id in row_ids:
        above = ids.parent(row_id)
        while above is not None:
            found.add(above)
            above = ids.parent(above)
    return found


def line_of(row: Mapping[str, Any], *, controls: bool = False) -> str:
    """A row as one line of text, with one more per problem (and per control)."""
    satisfied = sum(bool(control["satisfied"]) for control in row["controls"])
    tally = f"controls {satisfied}/{len(row['controls'])}" if row["controls"] else ""
    margin = "" if row.get("margin") is None else f"margin {_short(row['margin'])}"
    seconds = f"{row['seconds']:.1f} s" if "seconds" in row else ""
    lines = [f"{row['id']:<30} {row['verdict']:<20} {row['rung']:<10} {tally:<14} {margin:<18} {seconds:>7}".rstrip()]
    if controls:
        for control in row["controls"]:
            sign = "" if control["margin"] is None else f"  margin {_short(control['margin'])}"
            result = control["outcome"] if control["satisfied"] else f"{control['outcome']}, NOT AS IT MUST BE"
            lines.append(f"    must {control['must']}: {control['name']}: {result}{sign}")
            if control.get("detail"):
                lines.append(f"        {control['detail']}")
    if row.get("expects") == row["verdict"]:
        lines.append(f"    as its author expects: {row['counterexample'] or row['method']}")
    if row["rung"] == ASSERTED:
        lines.append(f"    {row['claimed_rung']} on the script's word alone: {row['remark']}")
    lines += [f"    PROBLEM: {problem}" for problem in row["problems"]]
    if row["status"] == "timeout":
        lines.append(f"    {row['error']}")
    return "\n".join(lines)


def _short(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def run_script(file: str) -> None:
    """Run the claims of one script in this process, print a line per claim, and exit with the run's exit code."""
    script = scripts.script_of(Path(file))
    catalogue = scripts.load([script])
    own = places.scripts_root() / "verify"
    folder = None if own in script.path.parents else script.path.parent
    run = run_claims(
        catalogue,
        list(catalogue.claims),
        expected=read_ledger(),
        known=defined_elsewhere(catalogue, folder),
        in_process=True,
        own=folder is not None,
        report=lambda row: print(line_of(row, controls=True), flush=True),
    )
    bad = sum(bool(row["problems"]) for row in run.rows)
    print(f"{len(run.rows)} rows, {bad} with problems")
    sys.exit(run.exit_code)
