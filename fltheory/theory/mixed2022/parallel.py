r"""Parallel Training, Theorem B.1 of Augenstein et al. (2022), with a proof of its own: one round, its drift, two recursions.

Rates with K eta eta_s eta_m = K eta_c eta_m = e.  The update of a round is -e (G + M + n + m): G = grad f(x), M = M_f + M_c the
means of grad f_f(x_i^k) - grad f_f(x) over cohort and steps and of grad f_c(y^k) - grad f_c(x) over the central steps, n and m
the mean noises of the K S client and of the K central gradients.  It has the form of a round of 1-way Gradient Transfer
(:mod:`fltheory.theory.mixed2022.one_round`) with m for c, so that its steps serve once more with

    E|M|^2 <= 2 beta^2 drift,   drift = mean E|x_i^k - x|^2 + mean E|y^k - x|^2,   E|n|^2 <= sigma^2/(KS),   E|m|^2 <= sigma_c^2/K

(n, m: martingale differences in any order of the draws that follows the steps, all batches fresh and independent, clients drawn
without replacement; hence orthogonal to G and to each other).  Both
sides drift like local SGD, by Lemma D.11 (convex) or D.13 with the own gradient as first direction:

    drift <= 2 u e^2 (|grad f_f(x)|^2 + sigma^2/K) + 2 v e^2 (|grad f_c(x)|^2 + sigma_c^2/K)

with u = 1/(eta_s eta_m)^2, v = 1/eta_m^2,

and 2 |grad f_f|^2 + 2 |grad f_c|^2 <= G^2 + B^2 |grad f|^2 (Definition 4.2, w_f = 1/2) with eta_s >= 1, eta_s eta_m >= sqrt(S).

========  ==============================================================
symbol    meaning
========  ==============================================================
nu        sigma^2/(KS) + sigma_c^2/K
Gd, B     constants of Definition 4.2 (squared: Gd2, B^2)
v         1/eta_m^2, at most 1
========  ==============================================================
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.one_round import CONVEX, G2, HOMOGENEOUS, SMOOTH, K, S, beta, e, eta, eta_s, gain, gap
from fltheory.theory.mixed2022.vocabulary import MixedBound
from fltheory.theory.ranges import SHARE

R = sp.Rational
nu, Gd2, B, v, gap_c, first_f, first_c = sp.symbols("nu Gd_sq B v gap_c first_f first_c")
NAMES = {**one_round.NAMES, "nu": r"\nu", "Gd_sq": "G^2", "v": r"\eta_m^{-2}"}
ONE, QUARTER = sp.Integer(1), R(1, 4)
#: The largest effective steps, as multiples of 1/((1 + B^2) beta); the theorem allows 1/6.
TOP = {"convex": R(1, 8), "non-convex": R(1, 9)}

_ETA_M, _ETA_C = sp.symbols("eta_m eta_c")
STEPS = (
    Condition(
        "K eta eta_s eta_m = K eta_c eta_m = e",
        sp.And(sp.Eq(K * eta * eta_s * _ETA_M, e), sp.Eq(K * _ETA_C * _ETA_M, e)),
    ),
    Condition(
        "eta_m >= 1, eta_s >= 1, eta_s eta_m >= sqrt(S)",
        sp.And(_ETA_M >= 1, eta_s >= 1, (eta_s * _ETA_M) ** 2 >= S),
    ),
)
DISSIMILAR = Condition("Definition 4.2 with w_f = w_c = 1/2: constants G and B")


def convex(decrease: sp.Expr, noise: sp.Expr, dissimilarity: sp.Expr, contraction: sp.Expr = ONE) -> sp.Expr:
    """(1 - contraction mu e) w2 - decrease e gap + noise e^2 nu + dissimilarity beta e^3 v G^2."""
    return (
        (1 - contraction * one_round.mu * e) * one_round.w2
        - decrease * e * gap
        + noise * e**2 * nu
        + dissimilarity * beta * e**3 * v * Gd2
    )


def smooth(decrease: sp.Expr, noise: sp.Expr, dissimilarity: sp.Expr) -> sp.Expr:
    """-decrease e |grad f|^2 + noise beta e^2 nu + dissimilarity beta^2 e^3 v G^2."""
    return -decrease * e * G2 + noise * beta * e**2 * nu + dissimilarity * beta**2 * e**3 * v * Gd2


def display(name: str, left: sp.Basic, right: sp.Expr, case: str, *ids: str) -> MixedBound:
    limit = Condition(f"e <= {TOP[case]}/((1 + B^2) beta)", e * (1 + B**2) * beta <= TOP[case])
    convexity = (CONVEX,) if case == "convex" else ()
    conditions = (HOMOGENEOUS, SMOOTH, *convexity, DISSIMILAR, *STEPS, limit)
    return MixedBound(name, "Theorem B.1, explicit", left, right, conditions, "<=", NAMES, ids, ranges={"v": SHARE})


CONVEX_RECURSION = display(
    "Parallel Training, convex recursion",
    one_round.near,
    convex(R(3, 2), R(8, 5), sp.Integer(3)),
    "convex",
    "MX-THMB1-S1",
)
SMOOTH_RECURSION = display(
    "Parallel Training, nonconvex recursion", gain, smooth(R(3, 4), R(13, 8), R(13, 4)), "non-convex", "MX-THMB1-S2"
)
