"""Verdicts made of verdicts: the worst of several, readings of one print, and the conjunction of the parts of a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fltheory.evidence.model import Fault, Rung, Verdict

#: From worst to best: a whole is as good as its worst part, a proof as good as its worst step.
WORST_FIRST = (
    Verdict.WRONG,
    Verdict.NOT_REPRODUCED,
    Verdict.OPEN,
    Verdict.NOT_CHECKABLE,
    Verdict.AMBIGUOUS,
    Verdict.NOT_REFUTED,
    Verdict.ANALOGUE,
    Verdict.UNPRINTED,
    Verdict.LOOSE_SEARCHED,
    Verdict.LOOSE,
    Verdict.HOLDS,
)
#: Verdicts on which another row may rest.  With its hypothesis named a statement is as sure as any other; an experiment is no
#: premise of anything.
HOLDING = frozenset({Verdict.HOLDS, Verdict.LOOSE, Verdict.LOOSE_SEARCHED, Verdict.UNPRINTED})


def worst(verdicts: Iterable[str]) -> Verdict:
    """The worst of some verdicts; ``open`` for a verdict that is none (a crash)."""
    known = {verdict.value: verdict for verdict in Verdict}
    found = [known.get(verdict, Verdict.OPEN) for verdict in verdicts]
    return min(found, key=WORST_FIRST.index)


def standing_worst(rows: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The row that stands worst: by its verdict, then by its rung (a row without a rung has no check)."""
    order = [verdict.value for verdict in WORST_FIRST]
    strength = {"": 0, **{rung.value: rung.strength for rung in Rung}}
    return min(rows, key=lambda row: (order.index(row["verdict"]), strength.get(row["rung"], 0)))


def gravest(faults: Iterable[str]) -> str:
    """The gravest of some kinds of fault; empty if there is none."""
    found = set(faults)
    return next((fault.value for fault in Fault if fault.value in found), "")


def verdict_of_readings(verdicts: Sequence[str]) -> Verdict:
    """Readings that differ in verdict make a claim ambiguous; readings that all stand make it stand as the worst of them does."""
    known = {Verdict(verdict) for verdict in verdicts}
    if len(known) == 1 or known <= HOLDING | {Verdict.ANALOGUE}:
        return worst(verdicts)
    return Verdict.AMBIGUOUS


def conjunction(parts: Sequence[str], verdicts: Mapping[str, str]) -> Verdict:
    """The verdict on ``all of the parts``: wrong if one is wrong, ambiguous if one is, ``open`` if one has no verdict ...

    Parameters
    ----------
    parts : ids of rows.
    verdicts : verdicts of rows by id; a part that is not there has none.

    Raises
    ------
    ValueError : no parts: a conjunction of nothing would hold.
    """
    if not parts:
        raise ValueError("parts is empty: the conjunction of nothing says nothing")
    return worst(verdicts.get(part, Verdict.OPEN.value) for part in parts)
