"""Rows of the three tasks: runs compared replicate by replicate, and printed settings where the data are missing."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from fltheory.evidence.model import Evidence
from fltheory.experiments.files import Array, Result
from fltheory.experiments.paired import Comparison, compare, judge, unavailable

#: Words, data set, differences ``(replicates,)`` and what they are claimed to be below.
Gap = tuple[str, str, Array, float]


def compared(gaps: Iterable[Gap]) -> list[Comparison]:
    """Each of the gaps as one of as many comparisons of a check."""
    found = list(gaps)
    return [compare(words, gap, below, tests=len(found), data=data) for words, data, gap, below in found]


def both_ways(words: str, data: str, gap: Array, tolerance: float) -> list[Gap]:
    """The size of a gap of logarithms below ``log(1 + tolerance)``."""
    most = float(np.log1p(tolerance))
    return [(f"{words}, minus", data, gap, most), (f"{words}, plus", data, -gap, most)]


def judged(
    described: Callable[..., Evidence],
    gaps: Iterable[Gap],
    result: Result,
    sets: tuple[str, ...],
    method: str,
    numbers: Mapping[str, Any] | None = None,
    **words: str,
) -> Evidence:
    """All gaps judged together; ``described`` adds what the task says of its sets, with ``words`` of the row."""
    return described(judge(compared(gaps), method=method, numbers=numbers, result=result), result, sets, **words)


def without_data(
    conflicts: Mapping[str, bool],
    would_settle: str,
    method: str = "Printed settings compared with each other; the data are not available here.",
) -> Evidence:
    """Not checkable here, unless a conflict of printed settings (in words, and whether it is one) is there."""
    found = [words for words, there in conflicts.items() if there]
    return unavailable(found, examined=len(conflicts), method=method, would_settle=would_settle)
