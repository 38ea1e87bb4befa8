"""Confidence bands of means over independent runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Band:
    """Mean and pointwise confidence limits, each ``(records,)``, and how they were made."""

    mean: Array
    low: Array
    high: Array
    level: float
    method: str


def normal_band(values: Array, *, level: float = 0.95) -> Band:
    """``mean -+ z s/sqrt(n)`` over the first axis: right in the limit of many runs."""
    _check(values, level)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    return _band(values, lambda spread, n: z * spread / math.sqrt(n), level, "normal approximation")


def bernstein_band(values: Array, bound: float, *, level: float = 0.95) -> Band:
    """Empirical Bernstein band for values in ``[0, bound]``, for any number ``n >= 2`` of runs.

    ``mean -+ (s sqrt(2 ln(4/a)/n) + 7 bound ln(4/a)/(3 (n-1)))`` with ``a = 1 - level``: Theorem 4 of Maurer and
    Pontil (2009), once for each side.

    Raises
    ------
    ValueError : a value outside ``[0, bound]``.
    """
    _check(values, level)
    if not (np.all(values >= 0) and np.all(values <= bound)):
        raise ValueError(f"values lie in [{values.min()}, {values.max()}]; expected them in [0, bound={bound}]")
    log = math.log(4 / (1 - level))
    return _band(
        values,
        lambda spread, n: spread * math.sqrt(2 * log / n) + 7 * bound * log / (3 * (n - 1)),
        level,
        "empirical Bernstein",
    )


def _band(values: Array, half_width: Any, level: float, method: str) -> Band:
    mean = np.asarray(values.mean(axis=0))
    finite = np.isfinite(mean)
    spread = np.where(finite, values, 0.0).std(axis=0, ddof=1)
    half = np.where(finite, half_width(spread, len(values)), 0.0)
    return Band(mean, mean - half, mean + half, level, method)


def _check(values: Array, level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level={level} is not a confidence level; expected 0 < level < 1")
    if len(values) < 2:
        raise ValueError(f"runs={len(values)}: a band needs at least 2 runs")
