"""Confidence bands of means over independent runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from fltheory.kinds import Floats, Integers, Number
from fltheory.problems.checks import check_share
from fltheory.simulate.heavy_tails import LEAST, any_heavy, missed

#: What a band is: limits of a mean (normal, Bernstein), or quantiles of the runs themselves.
NORMAL, BERNSTEIN, QUANTILES = "normal", "Bernstein", "quantiles"
#: The word for samples whose mean says little.
NOT_ESTIMATED = "quantiles of the runs: the mean is not estimated"


@dataclass(frozen=True, eq=False)
class Band:
    """A middle line and limits, each ``(records,)``, and what they are.

    For ``kind`` "normal" and "Bernstein" the middle is the mean over runs, and the limits are pointwise confidence limits
    of its expectation.  For "quantiles" the middle is the median of the runs and a share ``level`` of them lies between the
    limits: then nothing is said of the mean.  ``method`` says all this in words, and against what it was checked.
    """

    middle: Floats
    low: Floats
    high: Floats
    level: float
    method: str
    kind: str = NORMAL

    @property
    def mean(self) -> Floats:
        """The middle line where it is a mean.

        Raises
        ------
        ValueError : quantiles, with the reason why the mean is not estimated.
        """
        if self.kind == QUANTILES:
            raise ValueError(f"mean: the band holds {self.method}; see middle, low and high, or the runs themselves")
        return self.middle


def normal_band(values: Floats, *, level: float = 0.95) -> Band:
    """``mean -+ t s/sqrt(n)`` over the first axis, t Student's quantile of ``n - 1`` degrees of freedom.

    Right for normal values, and in the limit of many runs; a few runs of a skewed law cover less often than ``level``.
    """
    from scipy.special import stdtrit

    _check(values, level)
    quantile = float(stdtrit(len(values) - 1, 0.5 + level / 2))
    return _band(values, lambda spread, n: quantile * spread / math.sqrt(n), level, "normal approximation")


def quantile_band(values: Floats, reason: str, *, level: float = 0.95) -> Band:
    """Median and the limits between which a share ``level`` of the runs lies, by order statistics; runs may be infinite."""
    _check(values, level)
    low, middle, high = np.quantile(values, [0.5 - level / 2, 0.5, 0.5 + level / 2], axis=0, method="inverted_cdf")
    return Band(middle, low, high, level, f"{NOT_ESTIMATED}, {reason}", QUANTILES)


def honest_band(
    values: Floats,
    *,
    exact: Floats | None = None,
    unchecked: str = "",
    rounds: Integers | None = None,
    level: float = 0.95,
) -> Band:
    """The normal band, unless runs diverged, tails are heavy or the exact mean is missed: then quantiles that say so.

    ``exact`` is the exact mean at the records (``+inf`` where there is none), ``unchecked`` why it is not given; ``rounds``
    names the records.  See :mod:`fltheory.simulate.heavy_tails` for the tests.
    """
    _check(values, level)
    gone = int((~np.isfinite(values)).any(axis=1).sum())
    finite = values[:, np.isfinite(values).all(axis=0)]
    reasons = [f"{gone} of {len(values)} runs diverged"] if gone else []
    if any_heavy(finite):
        reasons.append("heavy tails")
    if exact is not None:
        whole = np.isfinite(values).all(axis=0)
        off = missed(values[:, whole], exact[whole]) if whole.any() else np.zeros(0, dtype=bool)
        if off.any():
            at = int(np.flatnonzero(whole)[np.flatnonzero(off)[-1]])
            mean = float(values[:, at].mean())
            if exact[at] > mean and "heavy tails" not in reasons:
                reasons.append("heavy tails that the runs do not show")
            place = f"record {at}" if rounds is None else f"round {rounds[at]}"
            reasons.append(f"at {place} the exact expectation is {exact[at]:.3g}, the mean of the runs {mean:.3g}")
    if reasons:
        return quantile_band(values, "; ".join(reasons), level=level)
    band = normal_band(values, level=level)
    if exact is not None:
        told = _agreement(band, exact)
    else:
        told = "not checked against an exact expectation" + (f" ({unchecked})" if unchecked else "")
    few = f"; {len(values)} runs are too few to show heavy tails" if len(values) < LEAST else ""
    return replace(band, method=f"{band.method}; {told}{few}")


def _agreement(band: Band, exact: Floats) -> str:
    """Words for an exact mean that is not missed: it may still lie outside the limits at some records."""
    rounding = 1e-6 * np.abs(exact) + 1e-12 * np.maximum.accumulate(np.abs(exact))
    inside = int(((band.low - rounding <= exact) & (exact <= band.high + rounding)).sum())
    told = "in agreement with the exact expectation"
    return told if inside == exact.size else f"{told}, which lies in the limits at {inside} of {exact.size} records"


def bernstein_band(values: Floats, bound: float, *, level: float = 0.95) -> Band:
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
        BERNSTEIN,
    )


def _band(values: Floats, half_width: Number, level: float, method: str, kind: str = NORMAL) -> Band:
    mean = np.asarray(values.mean(axis=0))
    finite = np.isfinite(mean)
    spread = np.where(finite, values, 0.0).std(axis=0, ddof=1)
    half = np.where(finite, half_width(spread, len(values)), 0.0)
    return Band(mean, mean - half, mean + half, level, method, kind)


def _check(values: Floats, level: float) -> None:
    check_share("level", level)
    if len(values) < 2:
        raise ValueError(f"runs={len(values)}: a band needs at least 2 runs")
