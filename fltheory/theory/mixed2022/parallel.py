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
from fltheory.theory.mixed2022 import drift as f
from fltheory.theory.mixed2022 import one_round as o
from fltheory.theory.mixed2022.vocabulary import Bound
from fltheory.theory.proofs import Open
from fltheory.theory.ranges import SHARE
from fltheory.theory.steps import Step, identity, inequality, sign

R = sp.Rational
nu, Gd2, B, v, gap_c, first_f, first_c = sp.symbols("nu Gd_sq B v gap_c first_f first_c")
NAMES = {**o.NAMES, "nu": r"\nu", "Gd_sq": "G^2", "v": r"\eta_m^{-2}"}
ONE, QUARTER = sp.Integer(1), R(1, 4)
#: The largest effective steps, as multiples of 1/((1 + B^2) beta); the theorem allows 1/6.
TOP = {"convex": R(1, 8), "non-convex": R(1, 9)}

_ETA_M, _ETA_C = sp.symbols("eta_m eta_c")
STEPS = (
    Condition(
        "K eta eta_s eta_m = K eta_c eta_m = e",
        sp.And(sp.Eq(o.K * o.eta * o.eta_s * _ETA_M, o.e), sp.Eq(o.K * _ETA_C * _ETA_M, o.e)),
    ),
    Condition(
        "eta_m >= 1, eta_s >= 1, eta_s eta_m >= sqrt(S)",
        sp.And(_ETA_M >= 1, o.eta_s >= 1, (o.eta_s * _ETA_M) ** 2 >= o.S),
    ),
)
DISSIMILAR = Condition("Definition 4.2 with w_f = w_c = 1/2: constants G and B")


def convex(decrease: sp.Expr, noise: sp.Expr, dissimilarity: sp.Expr, contraction: sp.Expr = ONE) -> sp.Expr:
    """(1 - contraction mu e) w2 - decrease e gap + noise e^2 nu + dissimilarity beta e^3 v G^2."""
    return (
        (1 - contraction * o.mu * o.e) * o.w2
        - decrease * o.e * o.gap
        + noise * o.e**2 * nu
        + dissimilarity * o.beta * o.e**3 * v * Gd2
    )


def smooth(decrease: sp.Expr, noise: sp.Expr, dissimilarity: sp.Expr) -> sp.Expr:
    """-decrease e |grad f|^2 + noise beta e^2 nu + dissimilarity beta^2 e^3 v G^2."""
    return -decrease * o.e * o.G2 + noise * o.beta * o.e**2 * nu + dissimilarity * o.beta**2 * o.e**3 * v * Gd2


def ranges(case: str, top: sp.Expr) -> tuple[tuple[sp.Symbol, object, object], ...]:
    """Everything nonnegative, B >= 1, v <= 1, e <= top/((1 + B^2) beta)."""
    free = o.w2 if case == "convex" else o.G2
    return (
        (o.beta, Open(0), None),
        (o.mu, 0, o.beta),
        (B, 1, None),
        (v, 0, 1),
        (nu, 0, None),
        (Gd2, 0, None),
        (o.drift, 0, None),
        (o.gap, 0, None),
        (free, 0, None),
        (o.e, 0, top / ((1 + B**2) * o.beta)),
    )


def mean_of_changes() -> Step:
    """|M_f + M_c|^2 <= 2 |M_f|^2 + 2 |M_c|^2 <= 2 beta^2 (drift_f + drift_c), after Jensen and smoothness on each side."""
    Mf, Mc, df, dc = sp.symbols("Mf Mc df dc")
    return inequality(
        "changes of both gradients",
        (Mf + Mc) ** 2,
        2 * o.beta**2 * (df + dc),
        premises={
            "federated": (sp.Integer(2), o.beta**2 * df - Mf**2),
            "central": (sp.Integer(2), o.beta**2 * dc - Mc**2),
        },
        squares=[(sp.Integer(1), Mf - Mc)],
        ranges=((o.beta, Open(0), None),),
    )


def local_drift(case: str) -> list[Step]:
    """Both sides of the local bound |x^k - x|^2 <= 2 K^2 eta^2 (|w|^2 + sigma^2/K), w the first mean direction, k <= K."""
    common = [
        f.variance_split(sp.Integer(1)),
        f.triangle(1 + 1 / f.a, 1 + f.a, (*f.STEP, (f.a, Open(0), None))),
        f.unrolling()[0],
    ]
    if case == "convex":
        return [*common, f.nonexpansive(), *f.small_powers(), *f.convex_sums()]
    t = sp.Symbol("t")
    return [
        *common,
        f.expansion(),
        *f.smooth_sums(),
        sign("the growth increases with eta beta", (1 + t + f.s) ** 2 - (1 + t) ** 2, ((t, 0, None), (f.s, 0, None))),
    ]


def admitted(case: str, top: sp.Expr) -> list[Step]:
    """The local steps are short enough (eta <= e/K <= 2/beta, or 1/(18 K beta)), and the theorem admits e; B >= 1."""
    several = ((o.beta, Open(0), None), (B, 1, None))
    short = 2 / o.beta if case == "convex" else 1 / (18 * o.beta)
    return [
        sign("local steps", short - top / ((1 + B**2) * o.beta), several),
        sign("condition of the theorem", 1 / (6 * (1 + B**2) * o.beta) - top / ((1 + B**2) * o.beta), several),
    ]


def drift_bound() -> sp.Expr:
    """e^2 (v (G^2 + B^2 |grad f|^2) + 2 nu)."""
    return o.e**2 * (v * (Gd2 + B**2 * o.G2) + 2 * nu)


def drift_step(wide: bool = True) -> Step:
    """The sum of both local bounds; u <= v, u <= 1/S (``wide``: eta_s eta_m >= sqrt(S)), v <= 1, Definition 4.2."""
    u, df, dc, u_v, u_s = sp.symbols("u df dc u_v u_s")
    return inequality(
        "drift of both sides",
        df + dc,
        drift_bound(),
        premises={
            "clients": (sp.Integer(1), 2 * u * o.e**2 * (first_f + o.V / o.K) - df),
            "centre": (sp.Integer(1), 2 * v * o.e**2 * (first_c + o.C / o.K) - dc),
            "Definition 4.2": (v * o.e**2, Gd2 + B**2 * o.G2 - 2 * first_f - 2 * first_c),
            "u <= v": (2 * o.e**2 * first_f, v - u),
            **({"u <= 1/S": (2 * o.e**2 * o.V / o.K, 1 / o.S - u)} if wide else {}),
            "v <= 1": (2 * o.e**2 * o.C / o.K, 1 - v),
            "nu": (2 * o.e**2, nu - o.V / (o.K * o.S) - o.C / o.K),
        },
        ranges=(
            (o.K, 1, None),
            (o.S, 1, None),
            (o.V, 0, None),
            (o.C, 0, None),
            (first_f, 0, None),
            (first_c, 0, None),
            (v, 0, 1),
            (o.e, 0, None),
            *([] if wide else [(u, 0, 1)]),
        ),
    )


def update_variance() -> Step:
    """E|x+ - x|^2 <= e^2 (5 |M|^2 + (5/4)(nu + |G|^2)), |M|^2 <= 2 beta^2 drift: Lemma D.9 sharpened with b = 1/4, m for c."""
    bound = o.variance(1 + 1 / QUARTER, 1 + QUARTER, 1 + QUARTER, 1 + QUARTER)
    return o.split_variance(bound, QUARTER, o.ANY_STEP)


def translated(expression: sp.Expr) -> sp.Expr:
    """A bound of :mod:`one_round` for Parallel Training: 2 drift for the drift, sigma_c^2/K for sigma_c^2; in nu."""
    return sp.expand(expression.subs({o.drift: 2 * o.drift, o.C: nu - o.V / (o.K * o.S)}, simultaneous=True))


def variance_bound() -> sp.Expr:
    """What :func:`update_variance` says here."""
    return translated(o.variance(1 + 1 / QUARTER, 1 + QUARTER, 1 + QUARTER, 1 + QUARTER))


def one_convex_round(target: sp.Expr, top: sp.Expr) -> list[Step]:
    """E|x+ - x*|^2 <= target: D.7 for f_f and f_c at their local points, the update's variance, the drift, D.6."""
    spent = sp.diff(sp.expand(variance_bound()), o.G2)
    weight = 2 * o.e * o.beta + sp.diff(variance_bound(), o.drift)
    inserted = weight * o.e**2 * v * B**2
    df, dc = sp.symbols("df dc")
    step = inequality(
        "one round",
        o.w2 - 2 * o.e * (o.product + o.product_c) + o.move,
        target,
        premises={
            "D.7 for f_f, averaged": (2 * o.e, o.product - (o.gap - gap_c) - o.mu / 4 * o.w2 + o.beta * df),
            "D.7 for f_c, averaged": (2 * o.e, o.product_c - gap_c - o.mu / 4 * o.w2 + o.beta * dc),
            "variance of the update": (sp.Integer(1), variance_bound() - o.move),
            "drift": (weight, drift_bound() - o.drift),
            "its two parts": (2 * o.e * o.beta, o.drift - df - dc),
            "Proposition D.6": (spent + inserted, 4 * o.beta * o.gap - o.G2),
        },
        ranges=ranges("convex", top),
    )
    return [step]


def one_smooth_round(target: sp.Expr, top: sp.Expr) -> list[Step]:
    """E f(x+) - f(x) <= target: the descent of a 2 beta-smooth function with <G, M> in the ratio 1/3, <M, n + m> in 1/4."""
    plain = -R(7, 9) * o.e * o.G2 + R(29, 18) * o.e * o.beta**2 * o.drift + o.beta * o.e**2 * o.noise(R(5, 4), R(5, 4))
    descent = o.descends(plain, 2 * o.beta, o.SMOOTH_STEP, on_cross=R(1, 3), on_noise=QUARTER)
    used = translated(plain)
    inserted = inequality(
        "drift inserted",
        used,
        target,
        premises={"drift": (sp.diff(used, o.drift), drift_bound() - o.drift)},
        ranges=ranges("non-convex", top),
    )
    return [descent, inserted]


def recursion(case: str, target: sp.Expr, top: sp.Expr, wide: bool = True) -> list[Step]:
    """All steps of the recursion of one case; ``wide``: eta_s eta_m >= sqrt(S) is assumed."""
    last = one_convex_round(target, top) if case == "convex" else one_smooth_round(target, top)
    before = [update_variance()] if case == "convex" else []
    return [
        mean_of_changes(),
        *local_drift(case),
        *admitted(case, top),
        drift_step(wide),
        *before,
        *last,
        identity("nu", o.V / (o.K * o.S) + o.C / o.K, (o.V + o.S * o.C) / (o.K * o.S)),
    ]


def display(name: str, left: sp.Basic, right: sp.Expr, case: str, *ids: str) -> Bound:
    limit = Condition(f"e <= {TOP[case]}/((1 + B^2) beta)", o.e * (1 + B**2) * o.beta <= TOP[case])
    convexity = (o.CONVEX,) if case == "convex" else ()
    conditions = (o.HOMOGENEOUS, o.SMOOTH, *convexity, DISSIMILAR, *STEPS, limit)
    return Bound(name, "Theorem B.1, explicit", left, right, conditions, "<=", NAMES, ids, ranges={"v": SHARE})


CONVEX_RECURSION = display(
    "Parallel Training, convex recursion", o.near, convex(R(3, 2), R(8, 5), sp.Integer(3)), "convex", "MX-THMB1-S1"
)
SMOOTH_RECURSION = display(
    "Parallel Training, nonconvex recursion", o.gain, smooth(R(3, 4), R(13, 8), R(13, 4)), "non-convex", "MX-THMB1-S2"
)
