"""Theorem B.1 of Augenstein et al. (2022) with a proof of its own: one round of Parallel Training, with constants.

The document refers to the analysis of FedAvg with two meta-clients, whose global update averages where Algorithm 1 adds.  A
round of Parallel Training has the form of a round of 1-way Gradient Transfer with drift on both sides, so that Lemmas D.7, D.9,
D.11 and D.13 prove the recursion, see :mod:`fltheory.theory.mixed2022.parallel`.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022 import one_round, parallel
from fltheory.theory.mixed2022.one_round import G2, C, K, S, V, beta, drift, e, gap, move, mu, product, product_c, w2
from fltheory.theory.mixed2022.parallel import CONVEX_RECURSION, QUARTER, B, Gd2, R, first_c, first_f, gap_c, nu, v
from fltheory.theory.proofs import Open
from fltheory.theory.states import proves
from fltheory.theory.steps import Step, identity, inequality, sign
from verify.mixed2022 import elsewhere, local_steps, one_way_steps
from verify.mixed2022.local_steps import STEP, a, s
from verify.mixed2022.one_way_instances import evaluated
from verify.mixed2022.one_way_words import SAMPLING
from verify.mixed2022.parallel_instances import ParallelRound, opposed, rounds, wide_cohort
from verify.mixed2022.settled import settle


def ranges(case: str, top: sp.Expr) -> tuple[tuple[sp.Symbol, object, object], ...]:
    """Everything nonnegative, B >= 1, v <= 1, e <= top/((1 + B^2) beta)."""
    free = w2 if case == "convex" else G2
    sizes = ((x, 0, None) for x in (nu, Gd2, drift, gap, free))
    return ((beta, Open(0), None), (mu, 0, beta), (B, 1, None), (v, 0, 1), *sizes, (e, 0, top / ((1 + B**2) * beta)))


def mean_of_changes() -> Step:
    """|M_f + M_c|^2 <= 2 |M_f|^2 + 2 |M_c|^2 <= 2 beta^2 (drift_f + drift_c), after Jensen and smoothness on each side."""
    Mf, Mc, df, dc = sp.symbols("Mf Mc df dc")
    premises = {
        name: (sp.Integer(2), beta**2 * d - m**2) for name, m, d in (("federated", Mf, df), ("central", Mc, dc))
    }
    left, right, squares = (Mf + Mc) ** 2, 2 * beta**2 * (df + dc), [(sp.Integer(1), Mf - Mc)]
    ranges = ((beta, Open(0), None),)
    return inequality("changes of both gradients", left, right, premises=premises, squares=squares, ranges=ranges)


def local_drift(case: str) -> list[Step]:
    """Both sides of the local bound |x^k - x|^2 <= 2 K^2 eta^2 (|w|^2 + sigma^2/K), w the first mean direction, k <= K."""
    common = [
        local_steps.variance_split(sp.Integer(1)),
        local_steps.triangle(1 + 1 / a, 1 + a, (*STEP, (a, Open(0), None))),
        local_steps.unrolling()[0],
    ]
    if case == "convex":
        return [*common, local_steps.nonexpansive(), *local_steps.small_powers(), *local_steps.convex_sums()]
    t = sp.Symbol("t")
    return [
        *common,
        local_steps.expansion(),
        *local_steps.smooth_sums(),
        sign("the growth increases with eta beta", (1 + t + s) ** 2 - (1 + t) ** 2, ((t, 0, None), (s, 0, None))),
    ]


def admitted(case: str, top: sp.Expr) -> list[Step]:
    """The local steps are short enough (eta <= e/K <= 2/beta, or 1/(18 K beta)), and the theorem admits e; B >= 1."""
    several = ((beta, Open(0), None), (B, 1, None))
    short = 2 / beta if case == "convex" else 1 / (18 * beta)
    return [
        sign("local steps", short - top / ((1 + B**2) * beta), several),
        sign("condition of the theorem", 1 / (6 * (1 + B**2) * beta) - top / ((1 + B**2) * beta), several),
    ]


def drift_bound() -> sp.Expr:
    """e^2 (v (G^2 + B^2 |grad f|^2) + 2 nu)."""
    return e**2 * (v * (Gd2 + B**2 * G2) + 2 * nu)


def drift_step(wide: bool = True) -> Step:
    """The sum of both local bounds; u <= v, u <= 1/S (``wide``: eta_s eta_m >= sqrt(S)), v <= 1, Definition 4.2."""
    u, df, dc, u_v, u_s = sp.symbols("u df dc u_v u_s")
    premises = {
        "clients": (sp.Integer(1), 2 * u * e**2 * (first_f + V / K) - df),
        "centre": (sp.Integer(1), 2 * v * e**2 * (first_c + C / K) - dc),
        "Definition 4.2": (v * e**2, Gd2 + B**2 * G2 - 2 * first_f - 2 * first_c),
        "u <= v": (2 * e**2 * first_f, v - u),
        **({"u <= 1/S": (2 * e**2 * V / K, 1 / S - u)} if wide else {}),
        "v <= 1": (2 * e**2 * C / K, 1 - v),
        "nu": (2 * e**2, nu - V / (K * S) - C / K),
    }
    sizes = [(K, 1, None), (S, 1, None), *((x, 0, None) for x in (V, C, first_f, first_c)), (v, 0, 1), (e, 0, None)]
    sizes += [] if wide else [(u, 0, 1)]
    return inequality("drift of both sides", df + dc, drift_bound(), premises=premises, ranges=sizes)


#: Lemma D.9 sharpened with b = 1/4, m for c.
UPDATE = one_round.variance(1 + 1 / QUARTER, 1 + QUARTER, 1 + QUARTER, 1 + QUARTER)


def update_variance() -> Step:
    """E|x+ - x|^2 <= e^2 (5 |M|^2 + (5/4)(nu + |G|^2)), |M|^2 <= 2 beta^2 drift."""
    return one_way_steps.split_variance(UPDATE, QUARTER, one_round.ANY_STEP)


def translated(expression: sp.Expr) -> sp.Expr:
    """A bound of :mod:`one_round` for Parallel Training: 2 drift for the drift, sigma_c^2/K for sigma_c^2; in nu."""
    return sp.expand(expression.subs({drift: 2 * drift, C: nu - V / (K * S)}, simultaneous=True))


def one_convex_round(target: sp.Expr, top: sp.Expr) -> list[Step]:
    """E|x+ - x*|^2 <= target: D.7 for f_f and f_c at their local points, the update's variance, the drift, D.6."""
    variance = translated(UPDATE)
    weight = 2 * e * beta + sp.diff(variance, drift)
    df, dc = sp.symbols("df dc")
    premises = {
        "D.7 for f_f, averaged": (2 * e, product - (gap - gap_c) - mu / 4 * w2 + beta * df),
        "D.7 for f_c, averaged": (2 * e, product_c - gap_c - mu / 4 * w2 + beta * dc),
        "variance of the update": (sp.Integer(1), variance - move),
        "drift": (weight, drift_bound() - drift),
        "its two parts": (2 * e * beta, drift - df - dc),
        "Proposition D.6": (sp.diff(variance, G2) + weight * e**2 * v * B**2, 4 * beta * gap - G2),
    }
    left = w2 - 2 * e * (product + product_c) + move
    return [inequality("one round", left, target, premises=premises, ranges=ranges("convex", top))]


def one_smooth_round(target: sp.Expr, top: sp.Expr) -> list[Step]:
    """E f(x+) - f(x) <= target: the descent of a 2 beta-smooth function with <G, M> in the ratio 1/3, <M, n + m> in 1/4."""
    plain = -R(7, 9) * e * G2 + R(29, 18) * e * beta**2 * drift + beta * e**2 * one_round.noise(R(5, 4), R(5, 4))
    descent = one_way_steps.descends(plain, 2 * beta, one_round.SMOOTH_STEP, on_cross=R(1, 3), on_noise=QUARTER)
    used = translated(plain)
    premises = {"drift": (sp.diff(used, drift), drift_bound() - drift)}
    inserted = inequality("drift inserted", used, target, premises=premises, ranges=ranges("non-convex", top))
    return [descent, inserted]


def round_steps(case: str, target: sp.Expr, top: sp.Expr, wide: bool = True) -> list[Step]:
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
        identity("nu", V / (K * S) + C / K, (V + S * C) / (K * S)),
    ]


#: Hypotheses of the recursions, and of what follows from them.
RECURSION_HYPOTHESES = (
    *SAMPLING,
    "f_f, f_c beta-smooth",
    "Definition 4.2 with w_f = w_c = 1/2",
    "K eta eta_s eta_m = K eta_c eta_m = e",
    "eta_m >= 1, eta_s >= 1",
    "eta_s eta_m >= sqrt(S)",
)
HYPOTHESES = (*RECURSION_HYPOTHESES, "fresh independent batches, cohort without replacement")
REDUCTION = (
    "expected inner product and square of the update in moments (martingale differences in an order of all draws of the round "
    "that follows the steps); Jensen over cohort and steps; induction over the local steps; Gram identity in commuting "
    "scalars (removes d); every client has the same law (removes N)"
)
VALID = "every N, S <= N, K >= 1, dimension, G >= 0, B >= 1, all noise laws"


def instances(case: str, top: Fraction, wide: bool) -> list[ParallelRound]:
    """Rounds up to the largest step, opposed losses, and without eta_s eta_m >= sqrt(S) also wide cohorts."""
    convex = case == "convex"
    found = [*rounds(top, convex=convex)[::5], *opposed(top)]
    return found if wide else [*found, *wide_cohort(top)]


def recursion(
    case: str, decrease: str, noise: str, dissimilarity: str, contraction: str, top: str, wide: bool
) -> Evidence:
    """The certified steps, and exact rounds; ``wide``: eta_s eta_m >= sqrt(S)."""
    if case == "convex":
        left, right = one_round.near, parallel.convex(R(decrease), R(noise), R(dissimilarity), R(contraction))
    else:
        left, right = one_round.gain, parallel.smooth(R(decrease), R(noise), R(dissimilarity))
    found = evaluated(left, right, instances(case, Fraction(top), wide))  # type: ignore[arg-type]
    return settle(round_steps(case, right, R(top), wide), found, method=REDUCTION, valid_for=VALID)


recursion_claim = expectation_claim.sharing(source="Theorem B.1, explicit")


def supposed(top: sp.Rational) -> tuple[sp.Basic, ...]:
    """What the proof supposes of the rates."""
    eta, eta_c, eta_m, eta_s = sp.symbols("eta eta_c eta_m eta_s")
    same = (sp.Eq(K * eta * eta_s * eta_m, e), sp.Eq(K * eta_c * eta_m, e))
    return (*same, eta_m >= 1, eta_s >= 1, (eta_s * eta_m) ** 2 >= S, e * (1 + B**2) * beta <= top)


WITHOUT = [Control("no dissimilarity", dict(dissimilarity="0")), Control("noise 0.99", dict(noise="99/100"))]
convex = recursion_claim(
    "MX-THMB1-S1",
    statement=CONVEX_RECURSION,
    proves=proves(CONVEX_RECURSION, parallel.convex, left=one_round.near, under=supposed(R(1, 8))),
    assumptions=(*HYPOTHESES, "f_f, f_c mu-convex, mu >= 0"),
    depends=("MX-LEMD7", "MX-LEMD9-S6", "MX-LEMD11-S10", "MX-PROPD6"),
    printed=dict(case="convex", decrease="3/2", noise="8/5", dissimilarity="3", contraction="1", top="1/8", wide=True),
    headline="One convex round of Parallel Training, with constants",
    summary="A round of Parallel Training brings the model closer to x* up to noise e^2 nu and a dissimilarity of order "
    "beta e^3 G^2/eta_m^2, for e <= 1/(8 (1 + B^2) beta): the recursion that Theorem B.1 needs, with constants and for the sum "
    "of both updates.",
    elsewhere=elsewhere.PARALLEL,
    controls=[
        *WITHOUT,
        Control("decrease 17/8", dict(decrease="17/8")),
        Control("contraction 3 mu", dict(contraction="3")),
        Control("steps 16 times as long", dict(top="2")),
        Control("eta_s = eta_m = 1, S = 30000", dict(wide=False)),
    ],
)(recursion)
smooth = recursion_claim(
    "MX-THMB1-S2",
    statement=parallel.SMOOTH_RECURSION,
    proves=proves(parallel.SMOOTH_RECURSION, parallel.smooth, left=one_round.gain, under=supposed(R(1, 9))),
    assumptions=HYPOTHESES,
    depends=("MX-LEMD12-S9", "MX-LEMD13-S7"),
    printed=dict(
        case="non-convex", decrease="3/4", noise="13/8", dissimilarity="13/4", contraction="0", top="1/9", wide=True
    ),
    headline="One non-convex round of Parallel Training, with constants",
    summary="The same without convexity: a round decreases f by (3/4) e |grad f|^2 up to noise beta e^2 nu and a dissimilarity of "
    "order beta^2 e^3 G^2/eta_m^2, for e <= 1/(9 (1 + B^2) beta).",
    elsewhere=elsewhere.PARALLEL,
    controls=[
        *WITHOUT,
        Control("decrease 1.01", dict(decrease="101/100")),
        Control("steps 18 times as long", dict(top="2")),
    ],
)(recursion)


if __name__ == "__main__":
    run_script(__file__)
