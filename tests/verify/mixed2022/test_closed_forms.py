"""Closed forms of mixed FL against the readings: contraction factors, stability limits, the local change."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import fltheory as fl
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from verify.mixed2022 import closed_forms
from verify.mixed2022.closed_forms import K, lc, lf, moved, one_way_factor, one_way_limit, roots_inside, two_way_stable
from verify.mixed2022.updates import A, average, eta, eta_s, g, h, listing, same, traced, u, v, x

F = Fraction


def scalar(f: Fraction, centre: Fraction) -> MixedProblem:
    return MixedProblem(*(QuadraticProblem(np.array([[[float(lam)]]]), np.array([[1.0]])) for lam in (f, centre)))


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_symbolic_and_summed_change_agree(steps: int) -> None:
    summed = moved(sp.Rational(3, 7), sp.Rational(1, 4), steps)
    assert (
        summed == moved(sp.Rational(3, 7), sp.Rational(1, 4), sp.Integer(steps))
        or sp.simplify(summed - moved(sp.Rational(3, 7), sp.Rational(1, 4), K).subs(K, steps)) == 0
    )
    assert summed == sp.Rational(str(closed_forms.value(F(3, 7), F(1, 4), steps)))


@pytest.mark.parametrize(("f", "centre"), [(F(1), F(1)), (F(1), F(1, 5)), (F(1, 5), F(1))])
@pytest.mark.parametrize("divisor", ["as printed", "central step size"])
def test_two_way_stability_is_the_round_maps(f: Fraction, centre: Fraction, divisor: str) -> None:
    for rate in (F(1, 10), F(3, 10), F(6, 10), F(9, 10)):
        made = fl.TwoWayGradientTransfer(3, rate, rate / 2, F(3, 2), F(4, 5), divisor=divisor)
        inside = fl.round_map(scalar(f, centre), made).contraction() < 1
        rule = two_way_stable(
            f, centre, rate, rate / 2, 3, F(3, 2), F(4, 5), divisor=None if divisor == "as printed" else rate / 2
        )
        assert inside == rule


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
@pytest.mark.parametrize("server", [1, 3])
def test_one_way_limit_is_the_stability_limit(steps: int, server: int) -> None:
    for f, centre in ((F(1), F(1, 5)), (F(1, 2), F(1))):
        found = fl.stability_limit(
            scalar(f, centre),
            lambda e: fl.OneWayGradientTransfer(steps, e, float(server)),
            1.2 * 2 / float(f),
            points=301,
        )
        assert found.mean == pytest.approx(
            float(one_way_limit(sp.Rational(str(f)), sp.Rational(str(centre)), steps, server)), rel=1e-9
        )


def test_one_way_limit_at_the_edges() -> None:
    half = sp.Rational(1, 2)
    assert one_way_limit(0, 1, 3, 2) == sp.Rational(1, 3)  # 1 - eta_s eta K lambda_c = -1
    assert all(one_way_limit(1, 1, steps) == 1 for steps in (1, 2, 5))  # w = 0
    assert one_way_limit(1, 0, 2) == 2 and one_way_limit(1, 0, 3) == 2  # FedAvg on one loss
    factor = one_way_factor(moved(1, sp.Rational(19, 10), 2)).subs({lf: 1, lc: 2, eta_s: 1})
    assert one_way_limit(1, 2, 2) < half and abs(factor) < 1  # even K: stable again beyond
    for f, centre in ((-1, 2), (1, -1)):
        with pytest.raises(ValueError, match="lambda_f"):
            one_way_limit(f, centre, 2)


def test_roots_inside_against_numpy() -> None:
    rng = np.random.default_rng(7)
    for _ in range(200):
        coefficients = [F(1), *(F(int(i), 7) for i in rng.integers(-9, 10, 3))]
        largest = np.abs(np.roots([float(entry) for entry in coefficients])).max()
        if abs(largest - 1) > 1e-6:
            assert roots_inside(coefficients) == (largest < 1)


def test_bisection_needs_a_change() -> None:
    low, high = closed_forms.largest(lambda e: e < F(1, 3), F(0), F(1), halvings=10)
    assert low < F(1, 3) <= high and high - low == F(1, 1024)
    with pytest.raises(ValueError, match="no change of stability"):
        closed_forms.largest(lambda e: True, F(0), F(1))


def test_averages_of_traces_are_linear() -> None:
    y = x + 2 * eta * g(x) - h(x)
    assert average(y) == sp.expand(x + 2 * eta * A(g(x)) - h(x))
    with pytest.raises(ValueError, match="not linear"):
        average(g(x) * g(u))
    with pytest.raises(ValueError, match="is not an algorithm"):
        listing("3-way", 1)


@pytest.mark.parametrize("kind", ["1-way", "parallel", "2-way"])
def test_the_package_runs_the_listing(kind: str) -> None:
    makers = {
        "1-way": lambda e, ec, s, m: fl.OneWayGradientTransfer(2, e, s),
        "parallel": lambda e, ec, s, m: fl.ParallelTraining(2, e, ec, s, m, 3),
        "2-way": lambda e, ec, s, m: fl.TwoWayGradientTransfer(2, e, ec, s, m, 3),
    }
    state = (x, u, v) if kind == "2-way" else (x,)
    steps = same(traced(makers[kind], state), listing(kind, 2, central_steps=3), kind)
    assert steps and all(step.verified for step in steps)
