"""One bound with one change, its rows run on it in a process of their own, and what became of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fltheory.evidence.bundles import parts_of as _warm  # noqa: F401  (what the forks share is imported here)
from fltheory.evidence.catalogue import claims_of, load_module
from fltheory.evidence.model import Claim, verdict_of
from fltheory.evidence.rows import jsonable, last_line
from fltheory.mutation.mutants import Mutant
from fltheory.mutation.planting import Key, changed, collect, plant
from fltheory.mutation.targets import Target
from fltheory.workers import DONE, ERROR, TIMEOUT, Fork

NOTICED, WEAKER, LOOSE, STRONGER, SURVIVOR, UNDECIDED = (
    "noticed",
    "weaker, true",
    "true, row says loose",
    "proved as well",
    "survivor",
    "out of time",
)
#: Of a row: verdict, how loose, the counterexample, and all that the evidence says.
Signature = tuple[str, float, str, str]


@dataclass(frozen=True)
class Fate:
    """What became of a mutant: one of the words above, and the row and finding that decided."""

    target: Target
    mutant: Mutant
    word: str
    reason: str = ""


def signature_of(claim: Claim) -> Signature:
    """What a row says of its claim now; an error is a finding too."""
    try:
        evidence = claim.run()
    except Exception as error:
        return ("crash", 1.0, last_line(error), "")
    ratio = evidence.tightness.ratio if evidence.tightness is not None else 1.0
    refuted = f"{evidence.counterexample} {jsonable(evidence.margin)}" if evidence.counterexample else ""
    verdict = f"{verdict_of(claim.scope, evidence).value}, {evidence.rung.value}"
    return (verdict, float(ratio), refuted, json.dumps(jsonable(vars(evidence)), default=str, sort_keys=True))


def findings(rows: Mapping[str, str], usual: Mapping[str, Signature] | None = None) -> dict[str, Signature]:
    """Signatures of rows by id, up to the first that differs from the usual one."""
    found: dict[str, Signature] = {}
    loaded: dict[str, dict[str, Claim]] = {}
    for row, path in rows.items():
        try:
            if path not in loaded:
                loaded[path] = claims_of(load_module(Path(path)))
            found[row] = signature_of(loaded[path][row])
        except (Exception, SystemExit) as error:
            found[row] = ("crash", 1.0, last_line(error), "")
        if usual is not None and found[row][:3] != usual[row][:3]:
            break
    return found


def unlinked(key: Key, mutants: Sequence[Mutant], rows: Mapping[str, str]) -> list[str]:
    """For each mutant the first row whose declaration says that its check is of another statement; empty where none does."""
    made = collect(key)
    claims = {row: claims_of(load_module(Path(path)))[row] for row, path in rows.items()}
    found = []
    for mutant in mutants:
        with changed(made, mutant):
            found.append(next(filter(None, (_unlinked(claim) for claim in claims.values())), ""))
    return found


def _unlinked(claim: Claim) -> str:
    try:
        reasons = [step.reason for step in (link(**claim.printed) for link in claim.proves) if not step.verified]
    except Exception as error:
        reasons = [last_line(error)]
    return f"{claim.id}: {reasons[0]}" if reasons else ""


def _answer(task: tuple[Key, Mutant | None, Mapping[str, str], Mapping[str, Signature] | None]) -> Any:
    key, mutant, rows, usual = task
    if mutant is not None:
        plant(key, mutant)
    return findings(rows, usual)


def _in_fork(job: Any, task: Any, seconds: float | None) -> tuple[str, Any]:
    worker = Fork(job)
    try:
        answer = worker.ask(task, seconds)
        if answer.status == ERROR:
            raise answer.value
        if answer.status not in (DONE, TIMEOUT):
            raise RuntimeError(f"a process of the mutants ended without an answer: {answer.value}")
        return answer.status, answer.value
    finally:
        worker.end()
        worker.close()


def planned(document: str, *, package: bool = True, wanted: str = "") -> list[Target]:
    """:func:`fltheory.mutation.targets.targets`, computed elsewhere: this process must not import what will be changed."""
    from fltheory.mutation.algebra import algebra_targets
    from fltheory.mutation.targets import targets

    def every(task: tuple[str, bool, str]) -> list[Target]:
        name, inside, only = task
        try:
            bounds = targets(name, package=inside, wanted=only)
        except ValueError:  # a document without bounds
            bounds = []
        return bounds + algebra_targets(name, wanted=only)

    found: list[Target]
    _, found = _in_fork(every, (document, package, wanted), None)
    return found


def fates(target: Target, mutants: Sequence[Mutant], *, seconds: float | None = None) -> Iterator[Fate]:
    """What becomes of some mutants of a bound.

    Where a row says that its check is of another statement, that is what it would say; only the others are run.

    Parameters
    ----------
    seconds : limit of time for the rows of one mutant.
    """
    if not isinstance(target.key, Key):
        from fltheory.mutation.algebra import algebra_fates

        yield from algebra_fates(target, mutants, seconds)
        return
    if not target.rows:
        yield from (Fate(target, mutant, SURVIVOR, "no row speaks of this bound") for mutant in mutants)
        return
    _, reasons = _in_fork(lambda task: unlinked(*task), (target.key, mutants, target.rows), None)
    left = [mutant for mutant, reason in zip(mutants, reasons, strict=True) if not reason]
    weaker = _weaker(target, left) if left else []
    usual = None
    for mutant, reason in zip(mutants, reasons, strict=True):
        if reason:
            yield Fate(target, mutant, NOTICED, reason[:200])
            continue
        if any(mutant is one for one in weaker):
            yield Fate(target, mutant, WEAKER, "the printed statement implies it")
            continue
        if usual is None:
            _, usual = _in_fork(_answer, (target.key, None, target.rows, None), None)
        status, found = _in_fork(_answer, (target.key, mutant, target.rows, usual), seconds)
        if status != DONE:
            yield Fate(target, mutant, UNDECIDED, f"more than {seconds:g} s")
            continue
        differing = [row for row in found if found[row][:3] != usual[row][:3]]
        if differing:
            row = differing[0]
            yield Fate(target, mutant, NOTICED, f"{row}: {found[row][0]} {found[row][2]}".strip()[:200])
        else:
            yield _proved_or_not(target, mutant, found, usual)


def _weaker(target: Target, mutants: Sequence[Mutant]) -> list[Mutant]:
    """Those that the printed statement implies, found in one process of its own."""
    from fltheory.mutation.weaker import is_weaker

    def answer(task: tuple[str, str, Sequence[Mutant]]) -> list[bool]:
        document, name, changed = task
        return [is_weaker(document, name, mutant) for mutant in changed]

    _, implied = _in_fork(answer, (target.document, target.name, mutants), None)
    return [mutant for mutant, true in zip(mutants, implied, strict=True) if true]


def _proved_or_not(
    target: Target, mutant: Mutant, found: Mapping[str, Signature], usual: Mapping[str, Signature]
) -> Fate:
    """A mutant that no row judges otherwise, and that is not weaker: proved by a row; or a survivor.

    A row whose evidence is another one all the same looked at the object; one that keeps another certificate of it proved it,
    or refuted it by an instance at which the changed statement was evaluated.
    """
    read = [row for row in found if found[row] != usual[row]]
    refuted = [row for row in read if found[row][2] and _kept(found[row]) not in (None, _kept(usual[row]))]
    if refuted:
        return Fate(target, mutant, NOTICED, f"{refuted[0]} refutes it as well")
    loose = [row for row in read if usual[row][1] > 1 and usual[row][0].startswith("holds")]
    if loose:
        return Fate(target, mutant, LOOSE, f"{loose[0]} proves it and says loose by {usual[loose[0]][1]:g}")
    proved = [
        row for row in read if found[row][0].startswith("holds") and _kept(found[row]) not in (None, _kept(usual[row]))
    ]
    if proved:
        return Fate(target, mutant, STRONGER, f"{proved[0]} proves it as well")
    return Fate(target, mutant, SURVIVOR, f"{read[0]} does not mind" if read else "no row looks at it")


def _kept(signature: Signature) -> object:
    """The certificate of what a row found."""
    return json.loads(signature[3]).get("certificate") if signature[3] else None
