"""The end of plain searches: cases that hold or are broken, with the words of what breaks."""

from __future__ import annotations

from collections.abc import Iterable

from fltheory.evidence.decide import Tried


def first_broken(cases: Iterable[tuple[object, str]], margin: float | None = None) -> Tried:
    """All cases are examined; the words of the first one that does not hold are the counterexample."""
    every = list(cases)
    return Tried(len(every), next((words for holds, words in every if not holds), ""), margin)
