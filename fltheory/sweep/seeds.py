"""Numbers of runs: as a user writes them, and as stretches without gaps, which one call can compute."""

from __future__ import annotations

from collections.abc import Iterable

from fltheory.problems.checks import check_count, check_sequence


def seed_numbers(seeds: object) -> tuple[int, ...]:
    """``n`` for ``0 .. n-1``, a range, or a list of different nonnegative integers; sorted.

    Raises
    ------
    ValueError : none at all, a negative number, one that occurs twice.
    """
    if isinstance(seeds, int):
        return tuple(range(check_count("seeds", seeds)))
    found = [
        check_count("seeds", each, least=0) for each in check_sequence("seeds", seeds, "a number or a list of numbers")
    ]
    if not found or len(set(found)) < len(found):
        raise ValueError(f"seeds={seeds!r} is empty or names one twice; expected different numbers of runs")
    return tuple(sorted(found))


def stretches(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """``(first, count)`` of the stretches without gaps of some numbers."""
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and sum(found[-1]) == number:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((number, 1))
    return found
