"""Linear equations in exact numbers: elimination with pivots in an order of one's choice; rationals or any other field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: A row of numbers of one field.
Row = list[Any]


def eliminate(rows: Sequence[Row], order: Sequence[int]) -> tuple[list[Row], list[int]]:
    """Rows ``(a | b)`` in reduced form with pivots taken in this order of the columns; rows of zeros are dropped.

    Raises
    ------
    ArithmeticError : the equations contradict each other.
    """
    work, pivots, done = [list(row) for row in rows], [], 0
    for k in order:
        pick = next((i for i in range(done, len(work)) if work[i][k]), None)
        if pick is None:
            continue
        work[done], work[pick] = work[pick], work[done]
        head = work[done][k]
        work[done] = [entry / head for entry in work[done]]
        for i, row in enumerate(work):
            if i != done and row[k]:
                factor = row[k]
                work[i] = [entry - factor * h if h else entry for entry, h in zip(row, work[done], strict=True)]
        pivots.append(k)
        done += 1
    if any(row[-1] for row in work[done:]):
        raise ArithmeticError("the equations contradict each other")
    return work[:done], pivots


def completed(rows: Sequence[Row], order: Sequence[int], chosen: Row) -> Row:
    """The solution of ``(a | b)`` that agrees with ``chosen`` where no pivot is; pivots are taken in this order.

    Raises
    ------
    ArithmeticError : the equations contradict each other.
    """
    reduced, pivots = eliminate(rows, order)
    found, taken = list(chosen), set(pivots)
    free = [k for k in range(len(chosen)) if k not in taken]
    for row, k in zip(reduced, pivots, strict=True):
        total = row[-1]
        for j in free:
            if row[j]:
                total = total - row[j] * chosen[j]
        found[k] = total
    return found


def kernel(matrix: Sequence[Row], one: Any) -> list[Row]:
    """A basis of what a matrix takes to zero; ``one`` is the field's."""
    if not matrix:
        return []
    zero, size = one - one, len(matrix[0])
    reduced, pivots = eliminate([[*row, zero] for row in matrix], range(size))
    found = []
    for free in (k for k in range(size) if k not in pivots):
        vector = [zero] * size
        vector[free] = one
        for row, k in zip(reduced, pivots, strict=True):
            vector[k] = -row[free]
        found.append(vector)
    return found


def independent(vectors: Sequence[Row]) -> list[Row]:
    """A basis of the span, in reduced form."""
    if not vectors:
        return []
    zero, size = vectors[0][0] - vectors[0][0], len(vectors[0])
    return [row[:-1] for row in eliminate([[*row, zero] for row in vectors], range(size))[0]]
