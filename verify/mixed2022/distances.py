"""Distances of the three algorithms at constant steps for every round, unrolled from their recursions.

Exact second moments of scalar quadratics with noise on both sides are the instances.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

import fltheory as fl
from fltheory.evidence.exact_search import search
from fltheory.evidence.mixed_one_round import settle
from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import curves as c
from fltheory.theory.mixed2022 import one_round as o
from fltheory.theory.mixed2022.assembly import D2, T
from fltheory.theory.mixed2022.scalars import number

F, ONE, HALF = Fraction, Fraction(1), Fraction(1, 2)
REDUCTION = "the recursion of one round without its gap, unrolled by induction; tower property"
VALID = "every N, S <= N, K >= 1, dimension, 0 < mu <= beta, all noise laws, constant rates"
#: (curvature of f_f, of f_c, slope of f_f at x*, client noise, central noise), K, rounds
CASES = [
    ((ONE, ONE, 0 * ONE, 0 * ONE, 0 * ONE), 1, 3),
    ((ONE, ONE, 0 * ONE, 0 * ONE, ONE), 1, 200),
    ((ONE, HALF, ONE, ONE, HALF), 2, 12),
    ((ONE, HALF, F(40), 0 * ONE, 0 * ONE), 3, 12),
]


TWO_WAY_CASES = [
    ((ONE, ONE, 0 * ONE, 0 * ONE, 0 * ONE), 1, 1),
    ((ONE, HALF, F(40), 0 * ONE, 0 * ONE), 3, 12),
    ((ONE, HALF, 0 * ONE, ONE, HALF), 2, 12),
]


def part(curvature: Fraction, slope: Fraction) -> QuadraticProblem:
    return QuadraticProblem(np.array([[[curvature]]], dtype=object), np.array([[-slope]], dtype=object))


def coin(size: Fraction) -> fl.FiniteSupportNoise:
    return fl.FiniteSupportNoise(np.array([[[size], [-size]]], dtype=object), np.array([HALF, HALF], dtype=object))


def sides(case: tuple[Any, int, int], bound: Bound, factor: Fraction, way: str) -> tuple[Fraction, Fraction]:
    """E|x_t - x*|^2, and the bound, after the last round; ``factor`` multiplies its noise, for 2-way GT the whole bound.

    From x_0 = 1; 2-way GT with noise from x_0 = x* = 0 without slopes, where the gradients that it starts with are zero.
    """
    (p, q, slope, client, centre), K, rounds = case
    problem = MixedProblem(part(p, slope), part(q, -slope))
    known = problem.constants.dissimilarity()
    ratio = Fraction(known.least_B2) + HALF
    e = {"1-way": F(1, 8), "PT": F(1, 8) / (1 + ratio), "2-way": F(1, 81)}[way]
    rate = e / K
    method = {
        "1-way": fl.OneWayGradientTransfer(K, rate),
        "PT": fl.ParallelTraining(K, rate, rate),
        "2-way": fl.TwoWayGradientTransfer(K, rate, rate, initial="gradients"),
    }[way]
    start = ONE
    if way == "2-way" and client + centre:
        start, method = 0 * ONE, replace(method, initial="zero")
    noise = dict(oracle=coin(client), centre_oracle=coin(centre)) if client + centre else {}
    found = fl.moments(problem, method, rounds=rounds, start=np.array([start]), exact=True, every=rounds, **noise)
    square = Fraction(known.least_G2_given(ratio))
    at = {
        o.beta: ONE,
        o.mu: min(p, q),
        o.e: e,
        o.K: F(K),
        o.S: ONE,
        o.V: client**2,
        o.C: centre**2,
        D2: start**2,
        T: F(rounds + 1),
        c.eta_m: ONE,
    }
    expression = bound.expression.subs(c.Gd**2, sp.Symbol("square"))
    plain = 0 * ONE if way == "2-way" else expression.subs({o.V: 0, o.C: 0, sp.Symbol("square"): 0})
    values = {**at, sp.Symbol("square"): square}
    right = factor * number(expression, values) + (1 - factor) * number(sp.sympify(plain), at)
    return Fraction(found.squared_distance[-1]), right


def check(way: str, noise: str) -> Evidence:
    """``noise`` multiplies everything but the start."""
    factor = sp.Rational(noise)
    if way == "1-way":
        proof, bound = c.one_way_steps(factor * c.ONE_WAY[1]), c.ONE_WAY_DISTANCE
    elif way == "PT":
        proof, bound = c.parallel_steps(factor * c.PARALLEL[1]), c.PARALLEL_DISTANCE
    else:
        proof, bound = c.two_way_steps(c.TWO_WAY[1], factor * c.OF_PHI), c.TWO_WAY_DISTANCE
    cases = TWO_WAY_CASES if way == "2-way" else CASES
    found = search(
        cases,
        lambda case: sides(case, bound, Fraction(noise), way),
        describe=lambda case: (
            f"curvatures {case[0][0]} and {case[0][1]}, slopes +-{case[0][2]}, client noise +-{case[0][3]}, central noise "
            f"+-{case[0][4]}, K = {case[1]}, {case[2]} rounds from 1"
        ),
    )
    return settle(proof, found, method=REDUCTION, valid_for=VALID)


COMMON = dict(kind=Kind.EXPECTATION, scope=Scope.GENERAL)
one_way = claim(
    "MX-CVX-REC-S9",
    **COMMON,
    source="Appendix D.2.1, unrolled",
    statement=c.ONE_WAY_DISTANCE.latex(),
    assumptions=(
        "Assumption 4.1",
        "E g_c = grad f_c, variance at most sigma_c^2",
        "f_f, f_c mu-convex and beta-smooth, mu > 0",
        "eta_s > sqrt(5S/8)",
        "e = K eta eta_s <= 1/(8 beta), constant",
    ),
    depends=("MX-CVX-REC-S1", "MX-CVX-EXP"),
    printed=dict(way="1-way", noise="1"),
    summary="1-way GT at a constant step: the distance falls with the factor 1 - 3 mu e/2 a round, down to (23/15) e (sigma^2/(KS) "
    "+ sigma_c^2)/mu; no slope and no dissimilarity enters.",
    controls=[Control("noise divided by 8", dict(noise="1/8"))],
)(check)
parallel = claim(
    "MX-THMB1-S6",
    **COMMON,
    source="Theorem B.1, unrolled",
    statement=c.PARALLEL_DISTANCE.latex(),
    assumptions=(
        "Assumption 4.1",
        "E g_c = grad f_c, variance at most sigma_c^2",
        "f_f, f_c mu-convex and beta-smooth, mu > 0",
        "Definition 4.2 with w_f = 1/2",
        "eta_m >= 1, eta_s >= 1, eta_s eta_m >= sqrt(S)",
        "e = K eta_c eta_m = K eta eta_s eta_m <= 1/(8 (1 + B^2) beta), constant",
    ),
    depends=("MX-THMB1-S1", "MX-CVX-EXP"),
    printed=dict(way="PT", noise="1"),
    summary="Parallel Training at a constant step: the factor is 1 - mu e a round, the level (8/5) e nu/mu + 3 beta e^2 G^2/(mu "
    "eta_m^2).",
    controls=[Control("noise and dissimilarity divided by 8", dict(noise="1/8"))],
)(check)

two_way = claim(
    "MX-THMB3-S3",
    **COMMON,
    source="Theorem B.3, unrolled",
    statement=c.TWO_WAY_DISTANCE.latex(),
    assumptions=(
        "Assumption 4.1",
        "E g_c = grad f_c, variance at most sigma_c^2",
        "f_f, f_c mu-convex and beta-smooth, mu > 0",
        "eta_c = eta eta_s, eta_m >= 1, eta_s >= 1, eta_s eta_m >= sqrt(S), gt_c renewed with eta_c, J = K",
        "gt_c, gt_f started at the exact gradients",
        "e = K eta_c eta_m <= 1/(81 beta), constant",
    ),
    depends=("MX-THMB3-S1.2", "MX-CVX-EXP"),
    printed=dict(way="2-way", noise="1"),
    summary="2-way GT at a constant step: the factor is 1 - 3 mu e/2 a round, the level 10 e (sigma^2/(KS) + sigma_c^2/K)/mu; no "
    "slope and no dissimilarity enters.",
    controls=[Control("3/5 of the bound", dict(noise="3/5"))],
)(check)

if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
