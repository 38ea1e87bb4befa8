"""The least of a function of the step size: a grid in logarithms, and golden sections around its best place."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

#: The grid ends at this many times 1/L, and reaches so many powers of ten down.
HIGHEST = 8.0
DECADES = 5.0
PLACES = 26
#: A grid whose best place is at an end is continued so often.
MOST_CONTINUED = 3
#: Relative width of the interval at which golden sections end.
WIDTH = 2e-3
GOLDEN = (math.sqrt(5) - 1) / 2


def best_rate(value: Callable[[float], float], smoothness: float) -> tuple[float, float]:
    """``(eta, value(eta))`` with the least value found; ``(nan, inf)`` where no step size has a finite one.

    Between two places of the grid, a quarter of the one below apart, a dip that is narrower is not seen.  The answer's
    value is one that was computed, so that it is never better than what is there.
    """
    known: dict[float, float] = {}

    def ask(power: float) -> float:
        if power not in known:
            known[power] = value(10.0**power)
        return known[power]

    high = math.log10(HIGHEST / smoothness)
    step = DECADES / (PLACES - 1)
    places = [high - step * k for k in range(PLACES)]
    best = min(places, key=ask)
    for _ in range(MOST_CONTINUED):
        if math.isinf(ask(best)):
            return math.nan, math.inf
        if best == places[-1]:
            more = [places[-1] - step * (k + 1) for k in range(PLACES)]
            places = places + more
        elif best == places[0]:
            places = [places[0] + step * (k + 1) for k in reversed(range(PLACES))] + places
        else:
            break
        best = min(places, key=ask)
    low, high = best - step, best + step
    width = math.log10(1 + WIDTH)
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    while high - low > width:
        if ask(left) <= ask(right):
            high, right = right, left
            left = high - GOLDEN * (high - low)
        else:
            low, left = left, right
            right = low + GOLDEN * (high - low)
    chosen = min(known, key=lambda power: (known[power], -power))
    return float(np.float64(10.0) ** chosen), known[chosen]
