"""Rounds with clients that differ: against the plain round for equal clients, and against the package's own algorithm."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import fltheory as fl
from fltheory.derivation.replay import Underivable
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.theory.mixed2022 import two_way_bounds
from fltheory.theory.mixed2022.drift import LEMMA_D11_SHARP, LEMMA_D13_SHARP
from fltheory.theory.mixed2022.one_round import beta, mu, near
from verify.mixed2022 import derivations
from verify.mixed2022.heterogeneous_clients import Leaning, Population, leaning, shifted
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.one_way_instances import Round
from verify.mixed2022.two_way_instances import Mean, TwoWayRound

ONE, HALF, THIRD = Fraction(1), Fraction(1, 2), Fraction(1, 3)


@pytest.mark.parametrize("cohort", [1, 2])
def test_equal_clients_give_the_homogeneous_round(cohort: int) -> None:
    loss, centre = KinkedParabola(HALF, ONE), KinkedParabola(ONE, ONE)
    plain = Round(loss, centre, THIRD, Fraction(1, 5), Fraction(3, 2), 2, cohort, ONE, HALF).values()
    three = Population((loss,) * 3, ONE, HALF, Fraction(0))
    found = three.round(centre, THIRD, Fraction(1, 5), Fraction(3, 2), 2, cohort, ONE, HALF).values()
    assert {name: found[name] for name in plain if name not in (mu, beta)} == {
        name: value for name, value in plain.items() if name not in (mu, beta)
    }


@pytest.mark.parametrize("cohort", [1, 2, 3])
def test_against_exact_moments_of_the_algorithm(cohort: int) -> None:
    population = shifted(ONE, ONE, ONE, -HALF, -HALF)
    item = population.round(KinkedParabola(HALF, HALF), THIRD, Fraction(1, 5), Fraction(3, 2), 3, cohort)
    clients = QuadraticProblem(
        np.array([[[Fraction(1)]]] * 3, dtype=object),
        np.array([[-loss.slope] for loss in population.losses], dtype=object),
    )
    centre = QuadraticProblem(np.array([[[HALF]]], dtype=object), np.array([[Fraction(0)]], dtype=object))
    scheme = fl.Full() if cohort == 3 else fl.SchemeII(cohort)
    algorithm = fl.OneWayGradientTransfer(3, Fraction(1, 5), server_step_size=Fraction(3, 2), participation=scheme)
    found = fl.moments(MixedProblem(clients, centre), algorithm, rounds=1, start=np.array([THIRD]), exact=True)
    assert item.values()[near] == found.squared_distance[1]


def test_the_spread_of_the_leaning_clients_is_their_largest() -> None:
    crowd = leaning(HALF)
    first, second = crowd.losses
    points = [Fraction(n, 8) for n in range(-16, 17)]
    spreads = [((first.gradient(x) - second.gradient(x)) / 2) ** 2 for x in points]
    assert max(spreads) == crowd.spread
    slopes = [(first.gradient(x + Fraction(1, 64)) - first.gradient(x)) * 64 for x in points]
    assert max(slopes) == crowd.smoothness and min(slopes) == HALF


def test_value_of_a_leaning_loss_is_the_integral_of_its_gradient() -> None:
    loss = Leaning(KinkedParabola(ONE, ONE), -ONE)
    for x in (Fraction(-2), Fraction(-1, 4), Fraction(1, 3), Fraction(2)):
        count = 64
        middle = (
            sum((loss.gradient(x * (2 * i + 1) / (2 * count)) for i in range(count)), start=Fraction(0)) * x / count
        )
        assert abs(middle - loss.value(x)) < Fraction(1, 1000)


@pytest.mark.parametrize("convex", [True, False])
def test_the_drift_of_clients_that_differ_needs_the_factor_k(convex: bool) -> None:
    bound = LEMMA_D11_SHARP if convex else LEMMA_D13_SHARP
    with pytest.raises(Underivable):
        derivations.drift_of_clients(bound, "1", convex=convex)


def test_copies_need_full_participation() -> None:
    with pytest.raises(ValueError, match="copies=4"):
        leaning(HALF).round(KinkedParabola(ONE, ONE), ONE, ONE, copies=4)


@pytest.mark.parametrize("cohort", [1, 2])
def test_two_way_rounds_of_clients_that_differ(cohort: int) -> None:
    """Against exact moments of the algorithm, started at the exact gradients."""
    losses = tuple(KinkedParabola(ONE, ONE, slope) for slope in (ONE, -ONE))
    item = TwoWayRound(
        Mean(losses), KinkedParabola(HALF, HALF), THIRD, THIRD / 2, THIRD, Fraction(1, 20), 2, cohort, spread=ONE
    )
    clients = QuadraticProblem(np.array([[[ONE]]] * 2, dtype=object), np.array([[-ONE], [ONE]], dtype=object))
    centre = QuadraticProblem(np.array([[[HALF]]], dtype=object), np.array([[Fraction(0)]], dtype=object))
    scheme = fl.Full() if cohort == 2 else fl.SchemeII(1)
    method = fl.TwoWayGradientTransfer(2, Fraction(1, 40), Fraction(1, 40), initial="gradients", participation=scheme)
    found = fl.moments(MixedProblem(clients, centre), method, rounds=1, start=np.array([THIRD]), exact=True)
    assert sum(p * x**2 for p, x, _, _ in item.outcomes()) == found.squared_distance[1]
    weights = Fraction(3), Fraction(1, 5)
    apart, alike = (one.sides(two_way_bounds.CVX_REC, weights)[1] for one in (item, replace(item, spread=Fraction(0))))
    assert apart - alike == 10 * item.step**2 / cohort
