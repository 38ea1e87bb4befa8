"""The shared parts of the general lemmas of the elastic aggregation supplement, against direct evaluation."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from fltheory.evidence.displays import bounds_of
from verify.elastic2023.dissimilarity import opposed_pair, squared_mean_gradient
from verify.elastic2023.enclosures import cube_root_between, exp_between, log_between, rounded_up
from verify.elastic2023.smooth import KinkedLine
from verify.elastic2023.tuned_sums import largest_sum, rational_above, weight_total, weighted_sum
from verify.elastic2023.tuning import HALF, LEMMA_1, LEMMA_2
from verify.elastic2023.vectors import IDENTITY, TRIANGLE, coin_tosses, worst_martingale

ONE, ZERO = Fraction(1), Fraction(0)


@pytest.mark.parametrize("x", [Fraction(-40), Fraction(-1, 2), ZERO, Fraction(1, 3), Fraction(7), Fraction(500)])
def test_exp_is_enclosed(x: Fraction) -> None:
    low, high = exp_between(x)
    truth = sp.exp(sp.Rational(x.numerator, x.denominator)).evalf(90)
    assert sp.Rational(low.numerator, low.denominator) < truth < sp.Rational(high.numerator, high.denominator)
    assert high / low - 1 < Fraction(1, 10**50)


@pytest.mark.parametrize("x", [Fraction(1, 1000), Fraction(2), Fraction(10**9)])
def test_log_is_enclosed(x: Fraction) -> None:
    low, high = log_between(x)
    truth = sp.log(sp.Rational(x.numerator, x.denominator)).evalf(90)
    assert sp.Rational(low.numerator, low.denominator) < truth < sp.Rational(high.numerator, high.denominator)


def test_cube_roots_and_rounding() -> None:
    for x in (ZERO, Fraction(8, 27), Fraction(1, 2), Fraction(5)):
        low, high = cube_root_between(x)
        assert low**3 <= x < high**3
    assert rounded_up(Fraction(1, 3), digits=3) == Fraction(334, 1000)
    with pytest.raises(ValueError, match="negative"):
        cube_root_between(-ONE)
    with pytest.raises(ValueError, match="not positive"):
        log_between(ZERO)


@pytest.mark.parametrize("q", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize("rounds", [1, 2, 7])
def test_the_worst_sequence_of_lemma_1(q: Fraction, rounds: int) -> None:
    mu = Fraction(2)
    worst = [Fraction(3)] + [ZERO] * (rounds + 1)
    value = weighted_sum(worst, mu=mu, eta=q / mu, c=Fraction(5))
    assert value == mu * 3 * largest_sum(q, rounds) + 5 * q / mu
    assert sum((1 - q) ** (1 - k) for k in range(1, rounds + 2)) == weight_total(q, rounds)
    generator = np.random.default_rng(7)
    for _ in range(20):
        other = [Fraction(3), *(Fraction(int(k)) for k in generator.integers(0, 9, rounds + 1))]
        assert weighted_sum(other, mu=mu, eta=q / mu, c=Fraction(5)) <= value


def test_weights_need_a_contraction() -> None:
    with pytest.raises(ValueError, match="1 - mu eta > 0"):
        weighted_sum([ONE, ZERO], mu=ONE, eta=ONE, c=ZERO)


def test_rational_constants() -> None:
    sharp = 1 / (1 - HALF)
    assert rational_above(sp.Rational(5, 2)) == Fraction(5, 2)
    above = rational_above(sp.Rational(99, 100) * sharp)
    assert 0 < sp.Rational(above.numerator, above.denominator) - sp.Rational(99, 100) * sharp < sp.Rational(1, 10**50)
    with pytest.raises(ValueError, match="neither"):
        rational_above(sp.pi)


def test_martingales_are_recognised() -> None:
    assert worst_martingale(4).is_martingale
    assert not coin_tosses(3, "same coin", lambda _, i: ZERO, same=True).is_martingale
    for tau in (1, 2, 5):
        space = worst_martingale(tau)
        assert space.second_moment == 2 * space.squared_means["expected"] + 2 * tau - 1


def test_opposed_clients_have_constants_one() -> None:
    clients, point = opposed_pair(Fraction(1, 5), Fraction(3))
    assert all(c.direction[0] ** 2 + c.direction[1] ** 2 == 1 and c.curvature == 1 for c in clients)
    assert squared_mean_gradient(clients, (ZERO, ZERO)) == 0
    assert {c.gradient(point)[1] for c in clients} == {Fraction(4), Fraction(-4)}


def test_kinked_functions_match_their_derivative() -> None:
    kinked = KinkedLine(Fraction(1, 2), Fraction(3), ONE)
    step = Fraction(1, 10**6)
    for point in (Fraction(-2), Fraction(1, 3)):
        slope = (kinked.value(point + step) - kinked.value(point - step)) / (2 * step)
        assert slope == kinked.gradient(point)


def test_vector_bounds_hold_on_arrays() -> None:
    generator = np.random.default_rng(3)
    x, y = generator.normal(size=(2, 4, 1))
    assert LEMMA_2.latex() and LEMMA_1.latex()
    assert float(TRIANGLE.slack(v_i=x, v_j=y, a=0.7)) >= 0
    assert float(IDENTITY["minus"].slack(v_i=x, v_j=y, a=0.7)) == pytest.approx(0, abs=1e-12)
    assert float(IDENTITY["plus"].slack(v_i=x, v_j=y, a=0.7)) < -1e-3


def test_every_bound_names_its_claims() -> None:
    bounds = bounds_of("elastic2023")
    assert len(bounds) >= 25
    assert all(bound.ids for bound in bounds.values())
