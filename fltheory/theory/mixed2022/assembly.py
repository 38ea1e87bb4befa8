r"""The recursions and the final bounds of Appendix D.2 of Augenstein et al. (2022), with constants, as displays.

:data:`CVX_REC` and :data:`NC_REC` are the printed recursions of a round of 1-way Gradient Transfer, ``_SHARP`` what the same
lemmas give with better splits: valid for S = 1 as well, where the printed convex recursion has no decrease left.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.one_round import HOMOGENEOUS, SHORT, SHORTER, C, K, S, V, beta, eta_s, gain, mu, near
from fltheory.theory.mixed2022.vocabulary import MixedBound

D2, F, T = sp.symbols("D_sq F T")
NAMES = {**one_round.NAMES, "D_sq": r"\|x^{(0)}-x^*\|^2", "e_max": r"\tilde\eta_{\max}"}
R = sp.Rational
WIDE = Condition("eta_s > sqrt(5S/8)", 8 * eta_s**2 > 5 * S)
WIDER = Condition("eta_s >= sqrt(S)", eta_s**2 >= S)
CONVEX = (HOMOGENEOUS, one_round.SMOOTH, one_round.CONVEX, WIDE, SHORT)
SMOOTH = (HOMOGENEOUS, one_round.SMOOTH, WIDER, SHORTER)


def convex(decrease: sp.Expr, client: sp.Expr, central: sp.Expr) -> sp.Expr:
    """(1 - 3 mu e/2) w2 - decrease e gap + (client sigma^2/(KS) + central sigma_c^2) e^2."""
    return one_round.distance(decrease, sp.Integer(0), client, central, R(3, 2))


def smooth(decrease: sp.Expr, client: sp.Expr, central: sp.Expr) -> sp.Expr:
    """-decrease e |grad f|^2 + (client sigma^2/(KS) + central sigma_c^2) beta e^2."""
    return one_round.descent(decrease, sp.Integer(0), client, central)


display = MixedBound.displays(NAMES, source="Appendix D.2")
CVX_REC = display("convex recursion", near, convex((S - 1) / S, sp.Integer(5), sp.Integer(3)), CONVEX, "MX-CVX-REC")
CVX_REC_SHARP = display(
    "convex recursion, sharpened",
    near,
    convex(R(11, 8) - R(21, 40) / S, R(23, 10), R(5, 4) + R(21, 20) / S),
    CONVEX,
    "MX-CVX-REC-S1",
)
NC_REC = display("nonconvex recursion", gain, smooth(R(1, 3), sp.Integer(3), sp.Integer(2)), SMOOTH, "MX-NC-REC")
NC_REC_SHARP = display(
    "nonconvex recursion, sharpened", gain, smooth(R(3, 4), R(3, 2), R(3, 2)), SMOOTH, "MX-NC-REC-S2"
)

#: What is bounded in the end.
MEAN_GAP = r"\mathbb{E}f(\bar x^{(T)})-f(x^*)"
LEAST = r"\min_{t\in\{1,\ldots,T+1\}}\mathbb{E}\|\nabla f(x^{(t)})\|^2"
LEAST_FROM_0 = LEAST.replace(r"\{1,\ldots,T+1\}", r"\{0,\ldots,T\}")
NOISE_C = 5 * V / (K * S) + 3 * C
NOISE_NC = 3 * V / (K * S) + 2 * C


def sublinear(start: sp.Expr, noise: sp.Expr, top: sp.Expr) -> sp.Expr:
    """start/(top (T+1)) + 2 sqrt(noise start/(T+1)): the mean for the step min(top, sqrt(start/(noise (T+1))))."""
    return start / (top * (T + 1)) + 2 * sp.sqrt(noise * start / (T + 1))


C_FINAL = display(
    "general convex rate",
    MEAN_GAP,
    S / (S - 1) * (8 * beta * D2 / (T + 1) + sp.sqrt(20 * V + 12 * K * S * C) * sp.sqrt(D2) / sp.sqrt(K * S * (T + 1))),
    (
        *CONVEX,
        Condition("S >= 2", S >= 2),
        Condition("step min(1/(8 beta), sqrt(D^2/(c(T+1)))), c = 5 sigma^2/(KS) + 3 sigma_c^2"),
    ),
    "MX-C-FINAL",
)
C_FINAL_SHARP = display(
    "general convex rate for every cohort",
    MEAN_GAP,
    R(20, 17) * sublinear(D2, R(23, 10) * one_round.noise(sp.Integer(1), sp.Integer(1)), 1 / (8 * beta)),
    (*CONVEX, Condition("step min(1/(8 beta), sqrt(D^2/(c(T+1)))), c = 23/10 (sigma^2/(KS) + sigma_c^2)")),
    "MX-C-FINAL-S1",
)
SC_FINAL = display(
    "strongly convex rate, explicit",
    MEAN_GAP,
    R(20, 17)
    * (
        R(9, 2) * mu * D2 * sp.exp(-3 * mu * T / (16 * beta))
        + R(23, 15)
        * one_round.noise(sp.Integer(1), sp.Integer(1))
        / (mu * T)
        * (3 + sp.Max(R(1, 2), sp.log(R(45, 46) * mu**2 * T * D2 / one_round.noise(sp.Integer(1), sp.Integer(1)))))
    ),
    (*CONVEX, Condition("mu > 0", mu > 0), Condition("T >= 8 beta/(3 mu)", 3 * mu * T >= 8 * beta)),
    "MX-SC-FINAL.1",
)
NC_FINAL = display(
    "nonconvex rate",
    LEAST,
    54 * beta * F / (T + 1) + 6 * sp.sqrt(NOISE_NC * beta * F) / sp.sqrt(T + 1),
    (*SMOOTH, Condition("step min(1/(18 beta), sqrt(F/(c beta (T+1)))), c = 3 sigma^2/(KS) + 2 sigma_c^2")),
    "MX-NC-FINAL",
)
NC_FINAL_SHARP = display(
    "nonconvex rate, sharpened",
    LEAST_FROM_0,
    R(4, 3) * sublinear(F, R(3, 2) * beta * one_round.noise(sp.Integer(1), sp.Integer(1)), 1 / (18 * beta)),
    SMOOTH,
    "MX-NC-FINAL-S1",
)
