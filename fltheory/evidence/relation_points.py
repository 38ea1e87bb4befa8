"""Where instances of a statement of algebra are looked for: exact points of its ranges, plain ones first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from fltheory.evidence.arithmetic import evaluate
from fltheory.evidence.relation_text import Triple
from fltheory.theory.exact_numbers import exact_sign

_NEAR = (Fraction(1), Fraction(1, 2), Fraction(2), Fraction(1, 8), Fraction(10), Fraction(1, 100), Fraction(1000))


def is_true(one: Triple, known: Mapping[str, Any]) -> bool:
    """Whether a relation holds at exact values.

    Raises
    ------
    ArithmeticError : a side has no value there, or the sign of their difference was not decided.
    """
    gap: Any = evaluate(one[0], known) - evaluate(one[2], known)
    if not isinstance(gap, Fraction):
        try:
            gap = exact_sign(gap)
        except ValueError as error:
            raise ArithmeticError(str(error)) from None
    return bool({"<=": gap <= 0, "<": gap < 0, ">=": gap >= 0, ">": gap > 0, "=": gap == 0}.get(one[1], gap != 0))


def value_of(ends: Any, index: int, known: Mapping[str, Any]) -> Any:
    """The value of a letter with this number: plain ones first, closed ends among them.

    Raises
    ------
    IndexError : there are fewer values.
    """
    if ends is None:
        values: list[Any] = [Fraction(1), Fraction(0), *(s * x for x in _NEAR[1:] for s in (1, -1)), Fraction(-1)]
        return values[index]
    (low, open_low), high = ends
    start = evaluate(low, known)
    if high is None:
        values = [*(() if open_low else (start,)), *(start + x for x in _NEAR)]
        return values[index]
    end = evaluate(high[0], known)
    inner = [
        start + (end - start) * share for share in (Fraction(1, 2), Fraction(1, 10), Fraction(9, 10), Fraction(1, 100))
    ]
    values = [*(() if high[1] else (end,)), *(() if open_low else (start,)), *inner]
    if start > end or (start == end and (open_low or high[1])):
        raise IndexError("the range is empty")
    return values[index]


def choices(count: int, depth: int) -> Iterator[tuple[int, ...]]:
    """Tuples of numbers below ``depth``, those with small sums first."""

    def with_sum(length: int, total: int) -> Iterator[tuple[int, ...]]:
        if length == 0:
            if total == 0:
                yield ()
            return
        for first in range(min(total, depth - 1) + 1):
            for rest in with_sum(length - 1, total - first):
                yield (first, *rest)

    for total in range(count * (depth - 1) + 1):
        yield from with_sum(count, total)
