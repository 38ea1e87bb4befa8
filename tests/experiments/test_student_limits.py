"""Limits of a mean against printed tables and closed forms, and least squares against a sum done by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fltheory.experiments import statistics
from fltheory.experiments.statistics import fit_order, mean_at_most

#: Upper 2.5 % points of Student's distribution by degrees of freedom, as in every printed table.
TABLE = {1: 12.706, 2: 4.303, 4: 2.776, 9: 2.262, 19: 2.093, 29: 2.045}


@pytest.mark.parametrize("freedom", TABLE)
def test_limits_are_the_tabulated_quantiles(freedom: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the share of a test at 2.5 %, the limits lie at the table's multiple of the standard error on each side."""
    monkeypatch.setattr(statistics, "FAMILY_ERROR", 0.025 * statistics.BUDGET)
    samples = np.arange(freedom + 1.0)
    error = math.sqrt(sum((x - freedom / 2) ** 2 for x in range(freedom + 1)) / freedom / (freedom + 1))
    found = mean_at_most(samples, 100.0)
    assert found.mean == pytest.approx(freedom / 2) and found.standard_error == pytest.approx(error)
    assert (found.upper - found.mean) / error == pytest.approx(TABLE[freedom], abs=6e-4)
    assert (found.mean - found.lower) / error == pytest.approx(TABLE[freedom], abs=6e-4)
    assert found.samples == freedom + 1 and "Student" in found.method


def quantile(freedom: int, alpha: float) -> float:
    """The upper quantile of Student's distribution where it has a closed form."""
    spread = 4 * alpha * (1 - alpha)
    if freedom == 1:
        return 1 / math.tan(math.pi * alpha)
    if freedom == 2:
        return 2 * (0.5 - alpha) * math.sqrt(2 / spread)
    return 2 * math.sqrt(math.cos(math.acos(math.sqrt(spread)) / 3) / math.sqrt(spread) - 1)  # freedom 4


@pytest.mark.parametrize("samples", [[-1.0, 1.0], [-1.0, 0.0, 1.0], [-1.0, 1.0, -1.0, 1.0, 0.0]])
@pytest.mark.parametrize("tests", [1, 3])
def test_limits_at_the_error_in_use(samples: list[float], tests: int) -> None:
    """At an error of one in a million the normal quantile, 4.75, would be far too narrow for five samples: 41.6."""
    count = len(samples)
    error = math.sqrt(sum(x * x for x in samples) / (count - 1) / count)
    expected = quantile(count - 1, 1e-6 / tests) * error
    found = mean_at_most(samples, 0.0, tests=tests)
    assert found.upper == pytest.approx(expected, rel=1e-6) and found.lower == pytest.approx(-expected, rel=1e-6)


def test_limits_of_a_known_range_are_the_printed_formula() -> None:
    """Samples 0 and 2 in [-1, 3], variance 2: ``sqrt(2 * 2 * l / 2) + 7 * 4 * l / 3`` with ``l = log(2e6)``."""
    log = math.log(2e6)
    half = math.sqrt(2 * log) + 28 * log / 3
    found = mean_at_most([0.0, 2.0], 1.0, support=(-1.0, 3.0))
    assert found.upper == pytest.approx(1 + half) and found.lower == pytest.approx(1 - half)
    four = mean_at_most([0.0, 2.0, 0.0, 2.0], 1.0, support=(0.0, 2.0))
    assert four.upper == pytest.approx(1 + math.sqrt(2 * (4 / 3) * log / 4) + 14 * log / 9)
    assert mean_at_most([0.0, 2.0], 1.0, support=(0.0, 2.0)).samples == 2  # both ends of the range belong to it


def test_decisions_and_margins_at_the_limits() -> None:
    """Equal samples leave no doubt: a mean of 2 is at most 2 and at most 4 (margin a half), not at most 1."""
    at, above, below = (mean_at_most([2.0, 2.0, 2.0], bound) for bound in (2.0, 4.0, 1.0))
    assert at.supported and not at.refuted and at.margin == 0
    assert above.supported and not above.refuted and above.margin == 0.5
    assert below.refuted and not below.supported and below.margin == -0.5
    assert mean_at_most([0.0, 0.0], 0.0).margin == 0


def test_the_error_of_an_order_is_that_of_least_squares() -> None:
    """``log y = 0, 1, 0`` over ``log x = 0, 1, 2``: slope 0, mean 1/3, squares left 2/3, slope's error ``sqrt(1/3)``."""
    x, y = np.exp([0.0, 1.0, 2.0]), np.exp([0.0, 1.0, 0.0])
    found = fit_order(x, y)
    assert found.slope == pytest.approx(0, abs=1e-12) and found.constant == pytest.approx(math.exp(1 / 3))
    assert found.error == pytest.approx(math.sqrt(1 / 3)) and found.local == pytest.approx((-1, 1))
    assert found.window == pytest.approx((1, math.exp(2))) and found.decades == pytest.approx(2 / math.log(10))
    again = fit_order(x[[2, 0, 1]], y[[2, 0, 1]])  # the order of the points says nothing
    assert again.local == pytest.approx((-1, 1)) and again.error == pytest.approx(math.sqrt(1 / 3))


def test_a_window_holds_its_ends_and_needs_three_places() -> None:
    x = np.array([1.0, 2.0, 4.0, 8.0])
    assert fit_order(x, x**2, window=(2.0, 8.0)).points == 3
    with pytest.raises(ValueError, match="holds 2 different x"):
        fit_order(x, x**2, window=(2.0, 4.0))
    with pytest.raises(ValueError, match="holds 2 different x"):
        fit_order([1.0, 1.0, 2.0], [1.0, 1.0, 2.0])
    for bad in ([0.0, 1.0, 2.0], [-1.0, 1.0, 2.0]):
        with pytest.raises(ValueError, match="must be positive"):
            fit_order(bad, [1.0, 2.0, 3.0])
        with pytest.raises(ValueError, match="must be positive"):
            fit_order([1.0, 2.0, 3.0], bad)
    with pytest.raises(ValueError, match="they must agree"):
        fit_order([1.0, 2.0, 3.0], [1.0, 2.0])
