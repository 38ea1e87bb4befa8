"""Factors and matrices of rounds on scalar quadratics, as the claims on stability have them: those of the package's own rounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fltheory as fl
from verify.mixed2022 import closed_forms, stability, theorems_b_steps, updates
from verify.mixed2022.closed_forms import j, k, lc, lf, moved, qc, qf
from verify.mixed2022.updates import A, eta, eta_c, eta_m, eta_s, h, traced, u, v


def on_curvatures(state: tuple[Any, ...], begin: tuple[sp.Symbol, ...]) -> sp.Matrix:
    """The matrix of one traced round with g(y) = lambda_f y, h(y) = lambda_c y."""
    rows = []
    for leaf in state:
        bare = leaf.replace(A, lambda inner: inner)
        while bare.atoms(sp.core.function.AppliedUndef):
            bare = sp.expand(bare.replace(updates.g, lambda y: lf * y).replace(h, lambda y: lc * y))
        rows.append([sp.expand(sp.diff(bare, symbol)) for symbol in begin])
    return sp.Matrix(rows)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_the_factors_and_the_matrix_are_those_of_the_rounds(steps: int) -> None:
    q_f, q_c, x = moved(lf, eta, steps), moved(lc, eta_c, steps), updates.x
    parallel = traced(lambda e, ec, s, m: fl.ParallelTraining(steps, e, ec, s, m), (x,))
    one_way = traced(lambda e, ec, s, m: fl.OneWayGradientTransfer(steps, e, s), (x,))
    two_way = traced(lambda e, ec, s, m: fl.TwoWayGradientTransfer(steps, e, ec, s, m), (x, u, v))
    matrix = closed_forms.two_way_matrix(q_f, q_c).subs({k: eta * steps, j: eta * steps})
    assert sp.simplify(on_curvatures(parallel, (x,))[0] - closed_forms.parallel_factor(q_f, q_c)) == 0
    assert sp.simplify(on_curvatures(one_way, (x,))[0] - closed_forms.one_way_factor(q_f)) == 0
    assert (on_curvatures(two_way, (x, u, v)) - matrix).applyfunc(sp.simplify).is_zero_matrix


@pytest.mark.parametrize(
    ("f", "c", "merge", "server"), [("1", "3", "1", "1"), ("1", "-1/5", "1/2", "1"), ("1/5", "1", "1", "2")]
)
def test_two_way_transfer_with_one_step_is_stable_exactly_below_its_limit(
    f: str, c: str, merge: str, server: str
) -> None:
    f_, c_, m, s = (sp.Rational(text) for text in (f, c, merge, server))
    for far, stable in ((sp.Rational(999999, 10**6), True), (sp.Rational(1000001, 10**6), False)):
        rate = far / (m * s * (f_ + c_))
        values = (Fraction(str(x)) for x in (f_, c_, rate, rate * s))
        found = closed_forms.two_way_stable(
            *values, 1, Fraction(str(s)), Fraction(str(m)), divisor=Fraction(str(rate * s))
        )
        assert found is stable


@pytest.mark.parametrize("server", [1, 5, 20])
def test_the_printed_divisor_does_no_harm_up_to_a_server_rate_of_twenty(server: int) -> None:
    """At the border of the printed conditions, as the row MX-T1-CONDSUFF.2W says of the cases tried."""
    curvatures = Fraction(1, 10), Fraction(1, 2), Fraction(1)
    for steps, merge, f, c in product((2, 5), (1, 10), curvatures, curvatures):
        central = Fraction(1, 81 * steps * merge)
        assert closed_forms.two_way_stable(f, c, central / server, central, steps, Fraction(server), Fraction(merge))
    rate = Fraction(1, 81 * 5)
    assert not closed_forms.two_way_stable(
        Fraction(1, 10), Fraction(1), rate / 100, rate, 5, Fraction(100), Fraction(1)
    )


def test_the_limits_that_the_package_finds_are_those_of_the_row() -> None:
    for name, found in stability.read_off().items():
        f, c = (sp.Rational(part.partition("=")[2]) for part in name.split(", ")[:2])
        assert found == pytest.approx(float(closed_forms.one_way_limit(f, c, 3, 2)), rel=1e-8)


def test_the_polynomial_of_the_step_condition_is_that_of_the_matrix() -> None:
    """In the letters of the row MX-T1-CONDSUFF.2W."""
    said = {
        name: sp.sympify(text) for name, text in theorems_b_steps.two_way_text("s >= 1", "81").where_parts[1].items()
    }
    K, m, s, r = sp.symbols("K m s r")  # r = eta_c
    letters = {
        **{"a": 1 - qc / (K * r), "b": 1 - qf / (K * eta), "u": m * K * r * lc, "v": m * s * K * eta * lf},
        **{"e": m * s * K * eta * lc, "o": m * K * r * lf},
    }
    rates = {closed_forms.eta_m: m, closed_forms.eta_s: s, j: K * r, k: K * eta}
    _, c2, c1, c0 = (sp.sympify(x).subs(rates) for x in closed_forms.characteristic(closed_forms.two_way_matrix()))
    at_one = eta_m * qc * qf * (lf + lc) * (eta_s * k + j) / (j * k)  # MX-ALG-STAB.4
    assert sp.simplify(sum(closed_forms.characteristic(closed_forms.two_way_matrix())) - at_one) == 0
    for name, wanted in {"p": -c2, "k": c1, "n": -c0}.items():
        found = said[name].subs({sp.Symbol("p"): said["p"]}).subs({sp.Symbol(x): value for x, value in letters.items()})
        assert sp.simplify(found - wanted) == 0


@pytest.mark.parametrize("share", [0.01, 0.3, 0.99, 1.0, 1.5])
def test_the_quadratic_has_its_roots_inside_exactly_below_one(share: float) -> None:
    radius = max(abs(np.roots([1.0, -(1 - share), share])))
    assert bool(radius < 1 - 1e-12) is (share < 1)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_parallel_training_is_weighted_fedavg_on_two_meta_clients(steps: int) -> None:
    """For unknown losses: weights eta_s : 1, local rate eta w_f, server rate (1 + eta_s) eta_m (rows MX-THMB1-MAP.1 and -R1)."""
    x, share = updates.x, eta_s / (1 + eta_s)
    made = traced(lambda e, ec, s, m: fl.ParallelTraining(steps, e, ec, s, m), (x,))[0].subs(eta_c, eta_s * eta)
    first = updates.average(updates.client_update(x, steps, sp.Integer(0)))  # at rate eta w_f on f_f/w_f
    second = updates.central_update(x, steps, sp.Integer(0)).subs(eta_c, eta * share / (1 - share))
    fedavg = x + (1 + eta_s) * eta_m * (share * first + (1 - share) * second)

    def simplified(call: Any) -> Any:
        calls = sp.core.function.AppliedUndef
        return call.replace(
            lambda e: isinstance(e, calls), lambda e: e.func(*(sp.expand(sp.cancel(a)) for a in e.args))
        )

    assert sp.simplify(simplified(made) - simplified(fedavg)) == 0
