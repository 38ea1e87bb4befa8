"""Free numbers of deviations, found from a user's models by least squares.

A text with one number left open is run at a few numbers, then Gauss-Newton steps from the best of them make the difference to the
user's models as small as can be on the first rounds that differ from the text without it: each round gives four equations for one
or two unknowns.  A number counts only if the text then gives *all* models of all probes, to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import exp, log

import numpy as np

from fltheory.conformance.words import Deviation, FreeNumber
from fltheory.kinds import Floats

#: Differences ``(equations,)`` of a text at given numbers, relative to what counts as equal.
Differences = Callable[[tuple[float, ...]], Floats]
_FAR = 1e8


def fitted(
    free: Sequence[Deviation],
    differences: Differences,
    *,
    starts: Sequence[tuple[float, ...]] | None = None,
    thorough: bool = True,
) -> tuple[float, ...] | None:
    """The numbers at which the largest difference is least, if it is at most 1; ``None`` where there are none.

    ``differences`` are in units of what counts as equal to rounding.  With ``thorough`` the descent begins at the two best of the
    numbers tried first (``starts``, or those of the deviations), else at the best one only.
    """
    numbers = [one.number for one in free if one.number is not None]
    if starts is None:
        alone = len(numbers) == 1
        few = [
            number.starts if thorough and alone else number.few if alone or len(number.usual) < 2 else number.usual[:3]
            for number in numbers
        ]
        starts = list(product(*few))
    tried = [differences(start) for start in starts]
    if len(starts) > 1 and all(np.array_equal(one, tried[0]) for one in tried[1:]):
        return None
    order = _promising(tried) if len(free) == 1 else sorted(range(len(tried)), key=lambda k: float(tried[k] @ tried[k]))
    for place in order[: 2 * len(free) if thorough else len(free)]:
        found = _descended(numbers, differences, starts[place], tried[place], patient=thorough)
        if found is not None:
            return found
    return None


def _promising(tried: Sequence[Floats]) -> list[int]:
    """Places along a line where differences are less than beside, best first; on a level stretch, where the number has no effect,
    there is no way down: its ends are taken for it."""
    sizes = [float(one @ one) for one in tried]
    last = len(tried) - 1
    level = [
        any(np.array_equal(tried[k], tried[other]) for other in (k - 1, k + 1) if 0 <= other <= last)
        for k in range(last + 1)
    ]
    beside = [any(level[other] for other in (k - 1, k + 1) if 0 <= other <= last) for k in range(last + 1)]
    least = [
        not level[k] and (beside[k] or (sizes[k] <= sizes[max(k - 1, 0)] and sizes[k] <= sizes[min(k + 1, last)]))
        for k in range(last + 1)
    ]
    return sorted((k for k in range(last + 1) if least[k]), key=sizes.__getitem__)


def polished(free: Sequence[Deviation], differences: Differences, at: tuple[float, ...]) -> tuple[float, ...] | None:
    """The same from numbers that are nearly right."""
    numbers = [one.number for one in free if one.number is not None]
    return _descended(numbers, differences, at, differences(at), patient=True)


def _descended(
    numbers: Sequence[FreeNumber],
    differences: Differences,
    start: tuple[float, ...],
    first: Floats,
    *,
    patient: bool,
) -> tuple[float, ...] | None:
    """Gauss-Newton steps with halving, in the logarithm where the number's scale is one."""
    place, gaps = [_inner(number, value) for number, value in zip(numbers, start, strict=True)], first
    for turn in range(14):
        size = float(gaps @ gaps)
        slopes = np.column_stack([_slope(numbers, differences, place, gaps, k) for k in range(len(numbers))])
        if not bool(np.all(np.isfinite(slopes))) or (turn == 0 and not bool(slopes.any(axis=0).all())):
            return None
        step = np.linalg.lstsq(slopes, -gaps, rcond=None)[0]
        best = place
        for _ in range(4):
            trial = [
                _within(number, here + float(move)) for number, here, move in zip(numbers, place, step, strict=True)
            ]
            found = differences(_outer(numbers, trial))
            if float(found @ found) < size:
                best, gaps = trial, found
                break
            step = step / 2
        done = float(gaps @ gaps)
        moved = max(abs(a - b) for a, b in zip(best, place, strict=True))
        place = best
        if done >= size or moved <= 1e-13:
            break
        if turn >= (4 if patient else 2) and done > 0.1 * size and done > 1e4:
            return None
    return _outer(numbers, place) if float(np.abs(gaps).max()) <= 1.0 else None


def _slope(
    numbers: Sequence[FreeNumber], differences: Differences, place: Sequence[float], gaps: Floats, which: int
) -> Floats:
    number, here = numbers[which], place[which]
    width = 1e-6 * max(abs(here), 1.0 if number.log else 0.1)
    other = here + width if _within(number, here + width) == here + width else here - width
    moved = [other if k == which else one for k, one in enumerate(place)]
    return (differences(_outer(numbers, moved)) - gaps) / (other - here)


def _inner(number: FreeNumber, value: float) -> float:
    return log(value) if number.log else value


def _outer(numbers: Sequence[FreeNumber], place: Sequence[float]) -> tuple[float, ...]:
    return tuple(exp(one) if number.log else float(one) for number, one in zip(numbers, place, strict=True))


def _within(number: FreeNumber, place: float) -> float:
    low, high = (log(number.low), log(number.high)) if number.log else (number.low, number.high)
    return min(max(place, low), high)


def gaps_of(models: Sequence[Floats], theirs: Floats, scales: Floats, room: float, bound: float) -> Floats:
    """Differences of a text's models (after each round) to the user's, in units of ``room`` times the scale of the round.

    Beyond ``bound`` both have diverged, and agree; a text that ends before them is far off.
    """
    found = np.zeros_like(theirs)
    for round, wanted in enumerate(theirs):
        gone = bool(np.any(~np.isfinite(wanted) | (np.abs(wanted) > bound)))
        model = models[round] if round < len(models) else None
        if model is None or not bool(np.all(np.abs(model) <= bound)):
            found[round] = 0.0 if gone else _FAR
        else:
            found[round] = _FAR if gone else (model - wanted) / (room * scales[round])
    return np.asarray(found.ravel())
