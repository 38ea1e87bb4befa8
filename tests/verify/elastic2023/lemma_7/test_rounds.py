"""Rounds of Lemmas 7 and 8 on the line, against hand calculation and against other ways of computing them."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import pytest

from verify.elastic2023.lemma_7 import displays
from verify.elastic2023.lemma_7.rounds import (
    ONE,
    ZERO,
    CohortRound,
    HuberLine,
    families,
    mean_of,
    opposed,
    rounds,
    sampled,
)
from verify.elastic2023.lemma_8.displays import LEMMA_8
from verify.elastic2023.smooth import KinkedLine

Q = Fraction


def test_one_step_on_linear_losses() -> None:
    item = CohortRound(opposed(ZERO, ONE), ONE, 1, 1, Q(1, 4), Q(2), ONE, G2=ONE)
    assert item.eta == Q(1, 8)
    assert item.moved() == (ZERO, Q(1, 8))  # e^2 (1 + 1): the slope and the noise
    assert item.distance_after() == 1 + Q(1, 8)
    values = item.values()
    assert (values[displays.E], values[displays.E_taken], values[displays.D]) == (Q(1, 32), ZERO, ZERO)


@pytest.mark.parametrize("shared", [False, True])
def test_moments_of_a_cohort_are_those_of_all_draws(shared: bool) -> None:
    item = CohortRound((*opposed(ONE, ONE), KinkedLine(ZERO, ONE)), ONE, 2, 2, Q(1, 16), ONE, ONE, shared)
    found = []
    for cohort in combinations(item.losses, 2):
        draws = [(one, one) for one in item.errors()] if shared else list(product(item.errors(), repeat=2))
        for errors in draws:
            ends = [item.path(loss, one)[-1] - item.point for loss, one in zip(cohort, errors, strict=True)]
            found.append(mean_of(ends))
    assert item.moved() == (mean_of(found), mean_of(move**2 for move in found))


def test_the_same_noise_for_all_does_not_average_out() -> None:
    alone = [CohortRound(opposed(ZERO, ONE), ONE, 1, 2, Q(1, 16), ONE, ONE, shared, ONE) for shared in (False, True)]
    assert [item.moved()[1] for item in alone] == [Q(1, 512), Q(1, 256)]


@pytest.mark.parametrize(("losses", "G2", "B2", "mu", "points"), families())
def test_families_obey_the_assumptions(losses, G2, B2, mu, points) -> None:  # type: ignore[no-untyped-def]
    grid = [Q(k, 4) for k in range(-12, 13)]
    for t in grid:
        slopes = [loss.gradient(t) for loss in losses]
        assert mean_of(g * g for g in slopes) <= G2 + B2 * mean_of(slopes) ** 2
    for loss, s, t in product(losses, grid, grid):
        rise = loss.value(t) - loss.value(s) - loss.gradient(s) * (t - s)
        assert mu / 2 * (t - s) ** 2 <= rise <= (t - s) ** 2 / 2
    assert mean_of(loss.gradient(ZERO) for loss in losses) == 0


def test_huber_is_the_integral_of_its_slope() -> None:
    h = HuberLine()
    assert [h.value(Q(t)) for t in (0, 1, 3)] == [ZERO, Q(1, 2), Q(5, 2)]
    assert [h.gradient(Q(t)) for t in (-5, 0, 2)] == [-ONE, ZERO, ONE]


def test_samples_are_rounds_of_every_size() -> None:
    every = sampled(rounds(), 7)
    assert {item.steps for item in every} == {1, 2, 3}
    assert {item.cohort for item in every} >= {1, 2}


def test_small_rates_break_lemma_8_with_either_drift() -> None:
    item = CohortRound(opposed(ZERO, ONE), ONE, 2, 1, Q(1, 16), Q(1, 8), G2=ONE)
    values = item.values()
    right = item.at(LEMMA_8.expression)
    for drift in (displays.E, displays.E_taken):
        assert 3 * values[displays.beta] * values[displays.e] * values[drift] > right
