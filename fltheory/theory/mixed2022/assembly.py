r"""The recursions and the final bounds of Appendix D.2 of Augenstein et al. (2022), with constants, as displays.

:data:`CVX_REC` and :data:`NC_REC` are the printed recursions of a round of 1-way Gradient Transfer, ``_SHARP`` what the same
lemmas give with better splits: valid for S = 1 as well, where the printed convex recursion has no decrease left.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022 import drift as f
from fltheory.theory.mixed2022 import one_round as o
from fltheory.theory.mixed2022.vocabulary import Bound
from fltheory.theory.reductions import telescoped
from fltheory.theory.steps import Step, inequality, sign

D2, F, T = sp.symbols("D_sq F T")
NAMES = {**o.NAMES, "D_sq": r"\|x^{(0)}-x^*\|^2", "e_max": r"\tilde\eta_{\max}"}
R = sp.Rational
WIDE = Condition("eta_s > sqrt(5S/8)", 8 * o.eta_s**2 > 5 * o.S)
WIDER = Condition("eta_s >= sqrt(S)", o.eta_s**2 >= o.S)
CONVEX = (o.HOMOGENEOUS, o.SMOOTH, o.CONVEX, WIDE, o.SHORT)
#: What every explicit rate of Appendix D.2 supposes, in words, and what it is shown for.
HYPOTHESES = (
    "Assumption 4.1",
    "E g_c = grad f_c, variance at most sigma_c^2",
    "f_f, f_c beta-smooth",
    "x* a minimiser of f",
)
VALID = "every N, S <= N, K >= 1, T >= 0, dimension, all noise laws; eta with K eta eta_s equal to the step named"
SMOOTH = (o.HOMOGENEOUS, o.SMOOTH, WIDER, o.SHORTER)

#: eta_s enters through u = 1/eta_s^2, which is at most 8/(5S), or 1/S.
u = sp.Symbol("u")


def convex(decrease: sp.Expr, client: sp.Expr, central: sp.Expr) -> sp.Expr:
    """(1 - 3 mu e/2) w2 - decrease e gap + (client sigma^2/(KS) + central sigma_c^2) e^2."""
    return o.distance(decrease, sp.Integer(0), client, central, R(3, 2))


def smooth(decrease: sp.Expr, client: sp.Expr, central: sp.Expr) -> sp.Expr:
    """-decrease e |grad f|^2 + (client sigma^2/(KS) + central sigma_c^2) beta e^2."""
    return o.descent(decrease, sp.Integer(0), client, central)


def cvx_drift(on_gap: sp.Expr, client: sp.Expr, central: sp.Expr) -> sp.Expr:
    """K^2 eta^2 (on_gap beta gap + client sigma^2/K + central sigma_c^2) with K eta = e/eta_s."""
    return o.e**2 * u * (on_gap * o.beta * o.gap + client * o.V / o.K + central * o.C)


def nc_drift(gradient: sp.Expr, client: sp.Expr, central: sp.Expr) -> sp.Expr:
    """The same with |grad f|^2."""
    return o.e**2 * u * (gradient * o.G2 + client * o.V / o.K + central * o.C)


def recursion(round_bound: sp.Expr, drift_bound: sp.Expr, target: sp.Expr, top: sp.Expr, largest: sp.Expr) -> Step:
    """A lemma on one round, a bound of its drift and u <= largest give the recursion, for effective steps up to top/beta."""
    ranges = (*o.AMOUNTS, (o.e, 0, top / o.beta), (u, 0, largest), (o.w2, 0, None), (o.gap, 0, None), (o.G2, 0, None))
    left = round_bound.subs(o.drift, drift_bound)
    return sign(
        "recursion",
        sp.expand(target - left),
        tuple(r for r in ranges if r[0] in {*(target - left).free_symbols, o.beta, o.S}),
    )


#: At least one local step and one client in a cohort.
COHORT = ((o.K, 1, None), (o.S, 1, None))


def summed(decrease: sp.Expr, noise: sp.Expr) -> list[Step]:
    """Sum over the rounds of decrease e gap_t <= d_t - d_{t+1} + noise e^2, the recursion for mu = 0; by induction."""
    d, after = sp.symbols("d after")
    right = d - decrease * o.e * o.gap + noise * o.e**2
    one = inequality(
        "one round",
        decrease * o.e * o.gap,
        d - after + noise * o.e**2,
        premises={"recursion": (sp.Integer(1), right - after)},
        ranges=((o.e, 0, None), *COHORT),
    )
    return [one, *telescoped(noise * o.e**2, ranges=COHORT)]


def display(
    name: str,
    left: sp.Basic | str,
    right: sp.Expr,
    conditions: tuple[Condition, ...],
    *ids: str,
    source: str = "Appendix D.2",
    relation: str = "<=",
) -> Bound:
    return Bound(name, source, left, right, conditions, relation, NAMES, ids)


CVX_REC = display(
    "convex recursion", o.near, convex((o.S - 1) / o.S, sp.Integer(5), sp.Integer(3)), CONVEX, "MX-CVX-REC"
)
CVX_REC_SHARP = display(
    "convex recursion, sharpened",
    o.near,
    convex(R(11, 8) - R(21, 40) / o.S, R(23, 10), R(5, 4) + R(21, 20) / o.S),
    CONVEX,
    "MX-CVX-REC-S1",
)
NC_REC = display("nonconvex recursion", o.gain, smooth(R(1, 3), sp.Integer(3), sp.Integer(2)), SMOOTH, "MX-NC-REC")
NC_REC_SHARP = display(
    "nonconvex recursion, sharpened", o.gain, smooth(R(3, 4), R(3, 2), R(3, 2)), SMOOTH, "MX-NC-REC-S2"
)

#: What is bounded in the end.
MEAN_GAP = r"\mathbb{E}f(\bar x^{(T)})-f(x^*)"
LEAST = r"\min_{t\in\{1,\ldots,T+1\}}\mathbb{E}\|\nabla f(x^{(t)})\|^2"
NOISE_C = 5 * o.V / (o.K * o.S) + 3 * o.C
NOISE_NC = 3 * o.V / (o.K * o.S) + 2 * o.C


def sublinear(start: sp.Expr, noise: sp.Expr, top: sp.Expr) -> sp.Expr:
    """start/(top (T+1)) + 2 sqrt(noise start/(T+1)): the mean for the step min(top, sqrt(start/(noise (T+1))))."""
    return start / (top * (T + 1)) + 2 * sp.sqrt(noise * start / (T + 1))


C_FINAL = display(
    "general convex rate",
    MEAN_GAP,
    o.S
    / (o.S - 1)
    * (
        8 * o.beta * D2 / (T + 1)
        + sp.sqrt(20 * o.V + 12 * o.K * o.S * o.C) * sp.sqrt(D2) / sp.sqrt(o.K * o.S * (T + 1))
    ),
    (
        *CONVEX,
        Condition("S >= 2", o.S >= 2),
        Condition("step min(1/(8 beta), sqrt(D^2/(c(T+1)))), c = 5 sigma^2/(KS) + 3 sigma_c^2"),
    ),
    "MX-C-FINAL",
)
C_FINAL_SHARP = display(
    "general convex rate for every cohort",
    MEAN_GAP,
    R(20, 17) * sublinear(D2, R(23, 10) * o.noise(sp.Integer(1), sp.Integer(1)), 1 / (8 * o.beta)),
    (*CONVEX, Condition("step min(1/(8 beta), sqrt(D^2/(c(T+1)))), c = 23/10 (sigma^2/(KS) + sigma_c^2)")),
    "MX-C-FINAL-S1",
)
SC_FINAL = display(
    "strongly convex rate, explicit",
    MEAN_GAP,
    R(20, 17)
    * (
        R(9, 2) * o.mu * D2 * sp.exp(-3 * o.mu * T / (16 * o.beta))
        + R(23, 15)
        * o.noise(sp.Integer(1), sp.Integer(1))
        / (o.mu * T)
        * (3 + sp.Max(R(1, 2), sp.log(R(45, 46) * o.mu**2 * T * D2 / o.noise(sp.Integer(1), sp.Integer(1)))))
    ),
    (*CONVEX, Condition("mu > 0", o.mu > 0), Condition("T >= 8 beta/(3 mu)", 3 * o.mu * T >= 8 * o.beta)),
    "MX-SC-FINAL.1",
)
NC_FINAL = display(
    "nonconvex rate",
    LEAST,
    54 * o.beta * F / (T + 1) + 6 * sp.sqrt(NOISE_NC * o.beta * F) / sp.sqrt(T + 1),
    (*SMOOTH, Condition("step min(1/(18 beta), sqrt(F/(c beta (T+1)))), c = 3 sigma^2/(KS) + 2 sigma_c^2")),
    "MX-NC-FINAL",
)
NC_FINAL_SHARP = display(
    "nonconvex rate, sharpened",
    LEAST,
    R(4, 3) * sublinear(F, R(3, 2) * o.beta * o.noise(sp.Integer(1), sp.Integer(1)), 1 / (18 * o.beta)),
    SMOOTH,
    "MX-NC-FINAL-S1",
)
DRIFTS = {"proof": f.LEMMA_D11_PROOF, "statement": f.LEMMA_D11}
