"""Verdicts made of verdicts: the worst of several, readings of one print, and the conjunction of the parts of a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fltheory.evidence.model import Verdict

#: From worst to best: a whole is as good as its worst part, a proof as good as its worst step.
WORST_FIRST = (
    Verdict.WRONG,
    Verdict.NOT_REPRODUCED,
    Verdict.OPEN,
    Verdict.NOT_CHECKABLE,
    Verdict.AMBIGUOUS,
    Verdict.NOT_REFUTED,
    Verdict.LOOSE_SEARCHED,
    Verdict.LOOSE,
    Verdict.HOLDS,
)
HOLDING = frozenset({Verdict.HOLDS, Verdict.LOOSE, Verdict.LOOSE_SEARCHED})


def worst(verdicts: Iterable[str]) -> Verdict:
    """The worst of some verdicts; ``open`` for a verdict that is none (a crash)."""
    known = {verdict.value: verdict for verdict in Verdict}
    found = [known.get(verdict, Verdict.OPEN) for verdict in verdicts]
    return min(found, key=WORST_FIRST.index)


def verdict_of_readings(verdicts: Sequence[str]) -> Verdict:
    """Readings that differ in verdict make a claim ambiguous; readings that all hold make it hold, with the loosest."""
    known = {Verdict(verdict) for verdict in verdicts}
    if len(known) == 1 or known <= HOLDING:
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
