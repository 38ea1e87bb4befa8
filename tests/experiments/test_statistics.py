"""Tests of means keep their error, decide what they can, and orders are found on exact curves."""

from __future__ import annotations

import numpy as np
import pytest

from fltheory.experiments.statistics import BUDGET, FAMILY_ERROR, fit_order, mean_at_most


def test_the_share_of_the_error_is_bonferroni() -> None:
    samples = np.random.default_rng(0).random(100)
    assert mean_at_most(samples, 1.0, tests=4).alpha == pytest.approx(FAMILY_ERROR / BUDGET / 4)


@pytest.mark.parametrize("support", [None, (0.0, 1.0)])
def test_a_false_bound_is_refuted_and_a_true_one_supported(support: tuple[float, float] | None) -> None:
    samples = np.random.default_rng(1).random(20_000)
    assert mean_at_most(samples, 0.45, support=support).refuted
    assert mean_at_most(samples, 0.45, support=support).margin < 0
    assert mean_at_most(samples, 0.55, support=support).supported
    undecided = mean_at_most(samples, 0.5, support=support)
    assert not undecided.refuted and not undecided.supported and undecided.margin == 0


def test_limits_cover_the_mean_at_the_border() -> None:
    """At a bound equal to the mean, an error of 1e-6 is never seen in 300 rare-event samples of size 50."""
    generator = np.random.default_rng(2)
    runs = [generator.random(50) < 0.02 for _ in range(300)]
    assert not any(mean_at_most(run, 0.02, support=(0, 1)).refuted for run in runs)


def test_wider_support_gives_wider_limits() -> None:
    samples = np.linspace(0, 1, 50)
    assert mean_at_most(samples, 1, support=(0, 1)).upper < mean_at_most(samples, 1, support=(0, 2)).upper


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (dict(samples=[1.0]), "at least 2"),
        (dict(samples=[1.0, np.nan]), "not finite"),
        (dict(samples=[0.0, 2.0], support=(0, 1)), "support"),
        (dict(samples=[0.0, 1.0], tests=0), "tests=0"),
    ],
)
def test_bad_samples(arguments: dict[str, object], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        mean_at_most(bound=1.0, **arguments)  # type: ignore[arg-type]


def test_orders() -> None:
    x = np.geomspace(1, 1e4, 41)
    exact = fit_order(x, 3 * x**-1.5)
    assert exact.slope == pytest.approx(-1.5, abs=1e-12) and exact.constant == pytest.approx(3)
    assert exact.error < 1e-12 and exact.decades == pytest.approx(4)
    bent = fit_order(x, 1 / x + 1e-2 / x**0.5)
    assert bent.local[0] < -0.9 and bent.local[1] > -0.9  # the order changes on the window
    early = fit_order(x, 1 / x + 1e-2 / x**0.5, window=(1, 10))
    assert -1.0 <= early.local[0] <= early.slope <= early.local[1] < -0.9 and early.points == 11
    with pytest.raises(ValueError, match="at least 3"):
        fit_order(x, x, window=(1, 1.2))
    with pytest.raises(ValueError, match="positive"):
        fit_order(x, -x)
