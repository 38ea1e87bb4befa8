"""Statistics of claims that can only be sampled: one-sided tests of a mean, and orders fitted to curves.

All sampling claims together may refute a true statement with probability at most :data:`FAMILY_ERROR`.  The
share of one test is that error divided by :data:`BUDGET`, the number of tests the project allows itself (Bonferroni, so
that tests may depend on each other); a check that makes several tests passes their number as ``tests``.

Two tests are offered.  With a known range ``support=(a, b)`` of the samples the empirical Bernstein inequality of
Maurer and Pontil (2009, Theorem 4) gives limits that are valid for every sample size and distribution:

    |E X - mean| <= sqrt(2 v log(2/alpha) / n) + 7 (b - a) log(2/alpha) / (3 (n - 1))      (v: sample variance),

each side with probability at least 1 - alpha.  Without a range Student's quantile is used, which is exact for
normal samples and asymptotic otherwise; the result says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fltheory.kinds import Floats

FAMILY_ERROR = 1e-3
BUDGET = 1000


@dataclass(frozen=True)
class MeanTest:
    """One-sided test of ``E X <= bound`` from independent samples.

    ``lower`` and ``upper`` are one-sided confidence limits for E X at error ``alpha`` each.  ``refuted``: the whole
    limit lies above the bound, ``supported``: below.  Neither: the samples do not decide.
    """

    bound: float
    mean: float
    standard_error: float
    lower: float
    upper: float
    alpha: float
    samples: int
    method: str

    @property
    def refuted(self) -> bool:
        """Whether the mean exceeds the bound, at the error ``alpha``."""
        return self.lower > self.bound

    @property
    def supported(self) -> bool:
        """Whether the mean is below the bound, at the error ``alpha``."""
        return self.upper <= self.bound

    @property
    def margin(self) -> float:
        """Relative distance of the nearer limit from the bound: negative when refuted."""
        scale = max(abs(self.bound), abs(self.mean)) or 1.0
        if self.refuted:
            return (self.bound - self.lower) / scale
        return max(0.0, (self.bound - self.upper) / scale)


def mean_at_most(
    samples: ArrayLike, bound: float, *, support: tuple[float, float] | None = None, tests: int = 1
) -> MeanTest:
    """Test ``E X <= bound`` with the share of the family-wise error that ``tests`` tests leave to each.

    Parameters
    ----------
    samples : (n,) independent samples of X, n >= 2.
    bound : the claimed upper bound of the mean.
    support : known range of X; without it Student's limits are used.
    tests : how many tests the calling check makes.

    Raises
    ------
    ValueError : fewer than two samples, a value that is not finite or outside ``support``, ``tests`` below 1.
    """
    values = _finite("samples", samples)
    if values.size < 2:
        raise ValueError(f"samples: {values.size} given, at least 2 needed")
    if tests < 1:
        raise ValueError(f"tests={tests} is below 1")
    alpha = FAMILY_ERROR / BUDGET / tests
    count = int(values.size)
    mean = float(values.mean())
    variance = float(values.var(ddof=1))
    error = math.sqrt(variance / count)
    if support is not None:
        low, high = support
        if values.min() < low or values.max() > high:
            raise ValueError(f"samples in [{values.min()}, {values.max()}] leave support=[{low}, {high}]")
        log = math.log(2 / alpha)
        half = math.sqrt(2 * variance * log / count) + 7 * (high - low) * log / (3 * (count - 1))
        method = "empirical Bernstein limits, valid for every sample size"
    else:
        from scipy.stats import t

        half = float(t.isf(alpha, count - 1)) * error
        method = "Student limits, asymptotic for samples that are not normal"
    return MeanTest(float(bound), mean, error, mean - half, mean + half, alpha, count, method)


@dataclass(frozen=True)
class Order:
    """``y ~ constant * x**slope`` on a window, fitted by least squares of logarithms.

    ``error`` is the slope's standard error; ``local`` the smallest and largest slope between neighbouring points, which
    shows whether the order is constant on the window; ``decades`` the width of the window in x.
    """

    slope: float
    error: float
    constant: float
    window: tuple[float, float]
    points: int
    local: tuple[float, float]
    decades: float


def fit_order(x: ArrayLike, y: ArrayLike, *, window: tuple[float, float] | None = None) -> Order:
    """Slope of ``log y`` over ``log x``.

    Parameters
    ----------
    x, y : (n,) positive values, at least three in the window.
    window : range of x that is fitted, ends included; default all.

    Raises
    ------
    ValueError : shapes differ, a value in the window is not positive, or fewer than three points are in it.
    """
    horizontal, vertical = _finite("x", x), _finite("y", y)
    if horizontal.shape != vertical.shape:
        raise ValueError(f"x has shape {horizontal.shape} and y {vertical.shape}; they must agree")
    low, high = window if window is not None else (float(horizontal.min()), float(horizontal.max()))
    inside = (horizontal >= low) & (horizontal <= high)
    horizontal, vertical = horizontal[inside], vertical[inside]
    if np.unique(horizontal).size < 3:
        raise ValueError(f"window=[{low}, {high}] holds {np.unique(horizontal).size} different x, at least 3 needed")
    if horizontal.min() <= 0 or vertical.min() <= 0:
        raise ValueError("x and y must be positive on the window; a logarithm is taken of both")
    order = np.argsort(horizontal, kind="stable")
    u, v = np.log(horizontal[order]), np.log(vertical[order])
    centred = u - u.mean()
    slope = float(centred @ (v - v.mean()) / (centred @ centred))
    intercept = float(v.mean() - slope * u.mean())
    rest = v - intercept - slope * u
    error = math.sqrt(float(rest @ rest) / (u.size - 2) / float(centred @ centred))
    steps = np.diff(u) > 0
    slopes = np.diff(v)[steps] / np.diff(u)[steps]
    return Order(
        slope,
        error,
        math.exp(intercept),
        (low, high),
        int(u.size),
        (float(slopes.min()), float(slopes.max())),
        float((u[-1] - u[0]) / math.log(10)),
    )


def _finite(name: str, values: ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64).ravel()
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} holds {int(np.sum(~np.isfinite(array)))} values that are not finite")
    return array
