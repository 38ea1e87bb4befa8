"""Whether a sample has tails so heavy that its mean says little: a test, and the comparison with an exact mean.

The test looks at the upper half of ``n`` values, at how far they lie above the median.  Of these excesses ``y`` it takes
``mean(y^2) / mean(y)^2``: the score statistic of exponential tails against the heavier ones of the generalised Pareto
law.  Its limit is 2 for exponential tails, 2.28 for the square of a normal variable, and infinite if the variance is.  It
is called heavy beyond the value that 1 of 1,000 samples of *squared normals* exceeds, the law of a squared error in one
coordinate under additive noise.  Rates at which one record is called heavy (4,000 samples each, seed 0):

==================================== ====== ======= ========
law                                  n = 20 n = 100 n = 1000
==================================== ====== ======= ========
normal, exponential                  <.001  <.001   <.001
chi-square, one degree of freedom    .001   .001    .001
Pareto, index 2                      .05    .29     1.00
Pareto, index 1.5                    .09    .51     1.00
Pareto, index 1                      .18    .81     1.00
lognormal, sigma 1 (all moments)     .01    .06     .70
lognormal, sigma 2 (all moments)     .14    .70     1.00
lognormal, sigma 4 (all moments)     .50    1.00    1.00
==================================== ====== ======= ========

So twenty runs show heavy tails seldom; and no test sees what never occurred in a sample.
"""

from __future__ import annotations

import numpy as np

from fltheory.kinds import Floats, Truths

#: Fewer values are not tested.
LEAST = 10
#: The statistic's 99.9 % point for squared normals, by simulation (seed 20260; 400,000 samples, fewer of the longest).
SIZES = (10, 12, 20, 30, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000)
LIMITS = (4.348, 4.766, 5.401, 5.418, 4.984, 4.34, 3.671, 3.076, 2.794, 2.625, 2.475, 2.417, 2.342)
#: An exact mean counts as missed beyond Student's limit of this level over all records.
MISSED = 1e-3


def tail_statistic(values: Floats) -> Floats:
    """``mean(y^2)/mean(y)^2`` of the excesses over the median, over the first axis; 1 where there are none."""
    ranked = np.sort(np.asarray(values, dtype=np.float64), axis=0)
    excess = ranked[-(len(ranked) // 2) :] - np.median(ranked, axis=0)
    largest = excess[-1]
    scaled = np.divide(excess, largest, out=np.ones_like(excess), where=largest > 0)
    statistic: Floats = (scaled * scaled).mean(axis=0) / scaled.mean(axis=0) ** 2
    return statistic


def tail_limit(n: int) -> float:
    """What the statistic of ``n`` squared normals exceeds once in 1,000 samples."""
    return float(np.interp(np.log(n), np.log(SIZES), LIMITS))


def heavy(values: Floats) -> Truths:
    """Where, among the records, finite values ``(n, records)`` have heavy upper tails; nowhere for ``n < 10``.

    Differences below rounding (1e-12 of the largest value) are no tails.
    """
    n = len(values)
    if n < LEAST:
        return np.zeros(values.shape[1:], dtype=bool)
    size = np.abs(values).max(axis=0)
    spread = values.max(axis=0) - values.min(axis=0)
    found: Truths = (spread > 1e-12 * size) & (tail_statistic(values) > tail_limit(n))
    return found


def any_heavy(values: Floats) -> bool:
    """Whether more than a fiftieth of the records have heavy tails, so that one false alarm among many records is none."""
    found = heavy(values)
    return bool(found.sum() > found.size / 50)


def missed(values: Floats, exact: Floats) -> Truths:
    """Where the mean of values ``(n, records)`` >= 0 is farther from the exact mean than its own error explains.

    Too far, at the level :data:`MISSED` shared among the records, both by Student's two-sided limit and, below the exact
    mean, for a mean of ``n`` gamma variables whose squared coefficient of variation is twice that of the sample: skewed
    samples whose mean is small show too small a spread.  Or the exact mean is infinite.  Rounding (1e-6 of the value, 1e-12
    of the largest exact mean so far) is no miss.  At most 1 % of single records and 5 % of tables of 100 independent ones,
    of 3, 8, 20 or 100 squared normals, are called missed.
    """
    from scipy.stats import gamma, t

    n, records = values.shape
    finite = np.isfinite(exact)
    known = np.where(finite, exact, 0.0)
    level = MISSED / (2 * records)
    mean, spread = values.mean(axis=0), values.std(axis=0, ddof=1)
    rounding = 1e-6 * np.abs(known) + 1e-12 * np.maximum.accumulate(np.abs(known))
    far = np.abs(mean - known) > float(t.isf(level, n - 1)) * spread / np.sqrt(n) + rounding
    below = far & (mean < known) & (spread > 0)
    shape = n * mean[below] ** 2 / (2 * spread[below] ** 2)
    far[below] = gamma.cdf(shape * mean[below] / known[below], shape) < level
    off: Truths = ~finite | far
    return off
