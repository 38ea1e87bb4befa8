"""Distances of the three algorithms at constant steps for every round, unrolled from their recursions.

Exact second moments of scalar quadratics with noise on both sides are the instances.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import sympy as sp

import fltheory as fl
from fltheory.evidence.derive import Script, by_derivation
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import curves, one_round
from fltheory.theory.mixed2022 import two_way_bounds as two_way
from fltheory.theory.mixed2022.assembly import D2, T
from fltheory.theory.mixed2022.curves import Gd, eta_m
from fltheory.theory.mixed2022.one_round import C, S, V, beta, eta_s, mu
from fltheory.theory.mixed2022.scalars import number
from fltheory.theory.states import proves
from verify.mixed2022 import derivations, elsewhere, two_way_rate_steps
from verify.mixed2022.one_way_words import NOISE_NAME, SAMPLING
from verify.mixed2022.parabolas import mixed
from verify.mixed2022.parallel_training_recursions import supposed

F, ZERO, ONE, HALF = Fraction, Fraction(0), Fraction(1), Fraction(1, 2)
METHOD = "The recursion from the round's hypotheses, without its gap, unrolled by induction over the rounds."
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


def sides(case: tuple[Any, int, int], bound: Bound, way: str) -> tuple[Fraction, Fraction]:
    """E|x_t - x*|^2, and the bound, after the last round.

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
        sp.Symbol("square"): Fraction(known.least_G2_given(ratio)),
    }
    right = number(bound.expression.subs(Gd**2, sp.Symbol("square")), at)
    return Fraction(found.squared_distance[-1]), right


def check(way: str, noise: str) -> Evidence:
    """``noise`` multiplies everything but the start, for 2-way GT the whole bound."""
    weights, top = tuple(map(str, two_way.CONVEX_WEIGHTS)), two_way.CONVEX_TOP
    bound, script, cases = {
        "1-way": (curves.ONE_WAY_DISTANCE, derivations.one_way_distance, CASES),
        "PT": (curves.PARALLEL_DISTANCE, derivations.parallel_distance, CASES),
        "2-way": (
            curves.TWO_WAY_DISTANCE,
            partial(derivations.two_way_distance, weights=weights, top=top),
            TWO_WAY_CASES,
        ),
    }[way]
    plain = 0 if way == "2-way" else bound.expression.subs({V: 0, C: 0, Gd: 0})
    claimed = replace(bound, expression=plain + sp.Rational(noise) * (bound.expression - plain))
    found = search(
        cases,
        lambda case: sides(case, claimed, way),
        describe=lambda case: (
            f"curvatures {case[0][0]} and {case[0][1]}, slopes +-{case[0][2]}, client noise +-{case[0][3]}, central noise "
            f"+-{case[0][4]}, K = {case[1]}, {case[2]} rounds from 1"
        ),
    )
    scripts: dict[str, Script] = {"distance": partial(script, claimed)}
    if way == "2-way":
        scripts["short steps"] = partial(script, claimed, width="short")
    return by_derivation(scripts, found, method=METHOD, valid_for=VALID)


SHARED = (
    *SAMPLING,
    "f_f, f_c mu-convex and beta-smooth, mu > 0",
)
one_way = expectation_claim(
    "MX-CVX-REC-S9",
    source="Appendix D.2.1, unrolled",
    statement=curves.ONE_WAY_DISTANCE,
    proves=proves(
        curves.ONE_WAY_DISTANCE,
        lambda noise: curves.distance(curves.ONE_WAY[0], noise * curves.ONE_WAY[1]),
        under=(8 * eta_s**2 > 5 * S, 8 * beta * one_round.e <= 1, mu > 0),
    ),
    assumptions=(*SHARED, "eta_s > sqrt(5S/8)", "e = K eta eta_s <= 1/(8 beta), constant"),
    depends=("MX-CVX-REC-S1", "MX-CVX-EXP"),
    printed=dict(way="1-way", noise="1"),
    headline="1-way Gradient Transfer at a constant step: linear up to a level set by noise",
    summary="1-way GT at a constant step: the distance falls with the factor 1 - 3 mu e/2 a round, down to (23/15) e (sigma^2/(KS) "
    "+ sigma_c^2)/mu; no slope and no dissimilarity enters.",
    controls=[Control("noise times 0.18", dict(noise="9/50"))],
)(check)
parallel_training = expectation_claim(
    "MX-THMB1-S6",
    source="Theorem B.1, unrolled",
    statement=curves.PARALLEL_DISTANCE,
    proves=proves(
        curves.PARALLEL_DISTANCE,
        lambda noise: curves.distance(curves.PARALLEL[0], noise * curves.PARALLEL[1]),
        under=(*supposed(sp.Rational(1, 8)), mu > 0),
    ),
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
    proves=proves(
        curves.TWO_WAY_DISTANCE,
        lambda noise: curves.OF_PHI * noise * curves.distance(*curves.TWO_WAY),
        under=(*two_way_rate_steps.supposed(81), mu > 0, sp.Eq(sp.Symbol("start_error"), 0)),
    ),
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


if __name__ == "__main__":
    run_script(__file__)
