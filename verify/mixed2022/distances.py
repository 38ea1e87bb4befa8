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
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import assembly, curves, one_round
from fltheory.theory.mixed2022 import parallel as parallel_training
from fltheory.theory.mixed2022 import two_way_bounds as two_way
from fltheory.theory.mixed2022.assembly import D2, T
from fltheory.theory.mixed2022.curves import OF_PHI, ONE_WAY, PARALLEL, TWO_WAY, Gd, R, eta_m
from fltheory.theory.mixed2022.one_round import C, S, V, beta, gap, mu, w2
from fltheory.theory.mixed2022.scalars import number
from fltheory.theory.proofs import Open
from fltheory.theory.reductions import POWER, unrolled
from fltheory.theory.steps import Step, identity, inequality
from verify.mixed2022 import elsewhere
from verify.mixed2022.one_way_words import NOISE_NAME
from verify.mixed2022.parabolas import mixed
from verify.mixed2022.settled import settle

F, ZERO, ONE, HALF = Fraction, Fraction(0), Fraction(1), Fraction(1, 2)
REDUCTION = "the recursion of one round without its gap, unrolled by induction; tower property"
VALID = "every N, S <= N, K >= 1, dimension, 0 < mu <= beta, all noise laws, constant rates"
#: (curvature of f_f, of f_c, slope of f_f at x*, client noise, central noise), K, rounds
CASES = [
    ((ONE, ONE, ZERO, ZERO, ZERO), 1, 3),
    ((ONE, ONE, ZERO, ZERO, ONE), 1, 200),
    ((ONE, HALF, ONE, ONE, HALF), 2, 12),
    ((ONE, HALF, F(40), ZERO, ZERO), 3, 12),
]
TWO_WAY_CASES = [
    ((ONE, ONE, ZERO, ZERO, ZERO), 1, 1),
    ((ONE, HALF, F(40), ZERO, ZERO), 3, 12),
    ((ONE, HALF, ZERO, ONE, HALF), 2, 12),
]


def coin(size: Fraction) -> fl.FiniteSupportNoise:
    return fl.FiniteSupportNoise(np.array([[[size], [-size]]], dtype=object), np.array([HALF, HALF], dtype=object))


def sides(case: tuple[Any, int, int], bound: Bound, factor: Fraction, way: str) -> tuple[Fraction, Fraction]:
    """E|x_t - x*|^2, and the bound, after the last round; ``factor`` multiplies its noise, for 2-way GT the whole bound.

    From x_0 = 1; 2-way GT with noise from x_0 = x* = 0 without slopes, where the gradients that it starts with are zero.
    """
    (p, q, slope, client, centre), K, rounds = case
    problem = mixed([(p, -slope / p)], (q, slope / q))
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
        start, method = ZERO, replace(method, initial="zero")
    noise = dict(oracle=coin(client), centre_oracle=coin(centre)) if client + centre else {}
    found = fl.moments(problem, method, rounds=rounds, start=np.array([start]), exact=True, every=rounds, **noise)
    square = Fraction(known.least_G2_given(ratio))
    at = {
        beta: ONE,
        mu: min(p, q),
        one_round.e: e,
        one_round.K: F(K),
        S: ONE,
        V: client**2,
        C: centre**2,
        D2: start**2,
        T: F(rounds + 1),
        eta_m: ONE,
    }
    expression = bound.expression.subs(Gd**2, sp.Symbol("square"))
    plain = ZERO if way == "2-way" else expression.subs({V: 0, C: 0, sp.Symbol("square"): 0})
    values = {**at, sp.Symbol("square"): square}
    right = factor * number(expression, values) + (1 - factor) * number(sp.sympify(plain), at)
    return Fraction(found.squared_distance[-1]), right


def check(way: str, noise: str) -> Evidence:
    """``noise`` multiplies everything but the start."""
    bound, script, cases = {
        "1-way": (curves.ONE_WAY_DISTANCE, derivations.one_way_distance, CASES),
        "PT": (curves.PARALLEL_DISTANCE, derivations.parallel_distance, CASES),
        "2-way": (curves.TWO_WAY_DISTANCE, derivations.two_way_distance, TWO_WAY_CASES),
    }[way]
    plain = 0 if way == "2-way" else bound.expression.subs({V: 0, C: 0, Gd: 0})
    claimed = replace(bound, expression=plain + sp.Rational(noise) * (bound.expression - plain))
    found = search(
        cases,
        lambda case: sides(case, bound, Fraction(noise), way),
        describe=lambda case: (
            f"curvatures {case[0][0]} and {case[0][1]}, slopes +-{case[0][2]}, client noise +-{case[0][3]}, central noise "
            f"+-{case[0][4]}, K = {case[1]}, {case[2]} rounds from 1"
        ),
    )
    return settle(proof, found, method=REDUCTION, valid_for=VALID)


SHARED = (
    "Assumption 4.1",
    "E g_c = grad f_c, variance at most sigma_c^2",
    "f_f, f_c mu-convex and beta-smooth, mu > 0",
)
one_way = expectation_claim(
    "MX-CVX-REC-S9",
    source="Appendix D.2.1, unrolled",
    statement=curves.ONE_WAY_DISTANCE,
    assumptions=(*SHARED, "eta_s > sqrt(5S/8)", "e = K eta eta_s <= 1/(8 beta), constant"),
    depends=("MX-CVX-REC-S1", "MX-CVX-EXP"),
    printed=dict(way="1-way", noise="1"),
    headline="1-way Gradient Transfer at a constant step: linear up to a level set by noise",
    summary="1-way GT at a constant step: the distance falls with the factor 1 - 3 mu e/2 a round, down to (23/15) e (sigma^2/(KS) "
    "+ sigma_c^2)/mu; no slope and no dissimilarity enters.",
    controls=[Control("noise times 0.18", dict(noise="9/50"))],
)(check)
parallel = expectation_claim(
    "MX-THMB1-S6",
    source="Theorem B.1, unrolled",
    statement=curves.PARALLEL_DISTANCE,
    where=NOISE_NAME,
    assumptions=(
        *SHARED,
        "Definition 4.2 with w_f = 1/2",
        "eta_m >= 1, eta_s >= 1, eta_s eta_m >= sqrt(S)",
        "e = K eta_c eta_m = K eta eta_s eta_m <= 1/(8 (1 + B^2) beta), constant",
    ),
    depends=("MX-THMB1-S1", "MX-CVX-EXP"),
    printed=dict(way="PT", noise="1"),
    headline="Parallel Training at a constant step: linear up to noise and dissimilarity",
    summary="Parallel Training at a constant step: the factor is 1 - mu e a round, the level (8/5) e nu/mu + 3 beta e^2 G^2/(mu "
    "eta_m^2).",
    controls=[Control("noise and dissimilarity times 0.16", dict(noise="4/25"))],
    elsewhere=elsewhere.PARALLEL,
)(check)
two_way_transfer = expectation_claim(
    "MX-THMB3-S3",
    source="Theorem B.3, unrolled",
    statement=curves.TWO_WAY_DISTANCE,
    where=NOISE_NAME,
    assumptions=(
        *SHARED,
        "eta_c = eta eta_s, eta_m >= 1, eta_s >= 1, eta_s eta_m >= sqrt(S), gt_c renewed with eta_c, J = K",
        "gt_c, gt_f started at the exact gradients",
        "e = K eta_c eta_m <= 1/(81 beta), constant",
    ),
    depends=("MX-THMB3-S1.2", "MX-CVX-EXP"),
    printed=dict(way="2-way", noise="1"),
    headline="2-way Gradient Transfer at a constant step: linear up to a level set by noise",
    summary="2-way GT at a constant step: the factor is 1 - 3 mu e/2 a round, the level 10 e (sigma^2/(KS) + sigma_c^2/K)/mu; no "
    "slope and no dissimilarity enters.",
    elsewhere=elsewhere.TWO_WAY,
    controls=[Control("3/5 of the bound", dict(noise="3/5"))],
)(check)
_RANGES = ((beta, Open(0), None), (mu, 0, beta), (one_round.K, 1, None), (S, 1, None), (V, 0, None), (C, 0, None))


def steps(recursion: sp.Expr, contraction: sp.Expr, noise: sp.Expr, claimed: sp.Expr, *, top: sp.Expr) -> list[Step]:
    """The gap dropped from the ``recursion`` (it is nonnegative), the induction over rounds, and the ``claimed`` closed form."""
    more = ((D2, 0, None), (Gd, 0, None), (eta_m, 1, None), (one_round.e, 0, top / beta))
    known = {*noise.free_symbols, *recursion.free_symbols, beta, mu, one_round.e, D2}
    ranges = tuple(r for r in (*_RANGES, *more) if r[0] in known)
    factor = 1 - contraction * mu * one_round.e
    after = sp.Symbol("after")
    drop = inequality(
        "gap dropped",
        after,
        factor * w2 + noise,
        premises={"recursion": (sp.Integer(1), recursion - after)},
        ranges=(*ranges, (gap, 0, None)),
    )
    closed, induction = unrolled(factor, noise, D2, ranges=ranges)
    return [drop, *induction, identity("closed form", closed.subs(POWER, factor ** (T - 1)), claimed)]


def claimed(bound: Bound, share: sp.Expr) -> sp.Expr:
    """The exported bound with all but its start times ``share``."""
    plain = bound.expression.subs({V: 0, C: 0, Gd: 0})
    return plain + share * (bound.expression - plain)


def one_way_steps(share: sp.Expr) -> list[Step]:
    """From MX-CVX-REC-S1: 5/4 + 21/(20 S) <= 23/10, decrease 11/8 - 21/(40 S) > 0."""
    contraction, noise = ONE_WAY
    whole = claimed(curves.ONE_WAY_DISTANCE, share)
    return steps(assembly.CVX_REC_SHARP.expression, contraction, share * noise, whole, top=R(1, 8))


def parallel_steps(share: sp.Expr) -> list[Step]:
    """From MX-THMB1-S1 with nu = sigma^2/(KS) + sigma_c^2/K; e <= 1/(8 (1 + B^2) beta) <= 1/(8 beta)."""
    contraction, noise = PARALLEL
    at = {parallel_training.nu: V / (one_round.K * S) + C / one_round.K}
    at |= {parallel_training.v: 1 / eta_m**2, parallel_training.Gd2: Gd**2}
    recursion = parallel_training.CONVEX_RECURSION.expression.subs(at)
    return steps(recursion, contraction, share * noise, claimed(curves.PARALLEL_DISTANCE, share), top=R(1, 8))


def two_way_steps(factor: sp.Expr = OF_PHI) -> list[Step]:
    """From MX-THMB3-S1.2, whose Phi is at least |z - x*|^2 + 3 e^2 |h - grad f(x)|^2 with x = z + e h, and D^2 at the start."""
    X, g, q = sp.symbols("X g q")  # x - x*, grad f(x), h - grad f(x); |g| <= 2 beta |X|
    phi = (X - one_round.e * g - one_round.e * q) ** 2 + 3 * one_round.e**2 * q**2
    part = X - one_round.e * g
    share = factor * R(3, 4)  # factor (P - e q)^2 + 3 factor (e q)^2 = 4 factor (e q - P/4)^2 + (3/4) factor P^2
    distance_of_phi = inequality(
        "distance from Phi",
        X**2,
        factor * phi,
        premises={"f is 2 beta-smooth": (one_round.e / beta, 4 * beta**2 * X**2 - g**2)},
        squares=[
            (4 * factor, one_round.e * q - part / 4),
            (one_round.e / beta, g - share * beta * X),
            (share * one_round.e**2, g),
            (share - 1 - 4 * one_round.e * beta - share**2 * one_round.e * beta, X),
        ],
        ranges=((beta, Open(0), None), (one_round.e, 0, R(1, 81) / beta)),
    )
    contraction, noise = TWO_WAY
    recursion = two_way.CVX_REC.expression.subs(two_way.Phi, w2)
    whole = curves.TWO_WAY_DISTANCE.expression / OF_PHI
    return [distance_of_phi, *steps(recursion, contraction, noise, whole, top=R(1, 81))]


if __name__ == "__main__":
    run_script(__file__)
