r"""2-way Gradient Transfer (Theorem B.3 of Augenstein et al., 2022): recursions and explicit bounds.

The rates are what the lemmas of :mod:`fltheory.theory.mixed2022.recursions` make of the recursions.

======  ===============================================================================================================
symbol  meaning
======  ===============================================================================================================
Phi     E [|z - x*|^2 + 3 e^2 |h - grad f(x)|^2 + (e^2/(5 eta_m^2)) (|gt_f - grad f_f(x)|^2 + |gt_c - grad f_c(x)|^2)]
Psi     E [f(z) - inf f + beta e^2 (7/2) |h - grad f(x)|^2 + (3/2)(beta e^2/eta_m^2) (the same)]
D0, F0  numbers that Phi and Psi at the start do not exceed
Gam     Gamma^2 = |grad f_f|^2 + |grad f_c|^2 at the first model
======  ===============================================================================================================
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022 import one_round, recursions
from fltheory.theory.mixed2022.assembly import T
from fltheory.theory.mixed2022.one_round import G2, HOMOGENEOUS, C, K, S, V, beta, e, eta, eta_s, gap, mu
from fltheory.theory.mixed2022.recursions import LINEAR, SUBLINEAR, c, d0, h
from fltheory.theory.mixed2022.vocabulary import MixedBound

R = sp.Rational
#: (1 - CONTRACTION mu e) Phi - DECREASE e gap + NOISE e^2 W, and the last two without convexity.
CONTRACTION, DECREASE, NOISE = R(3, 2), R(3), R(10)
SMOOTH_DECREASE, SMOOTH_NOISE = R(1, 2), R(16)
#: Largest printed effective steps, times beta.
CONVEX_TOP, SMOOTH_TOP = R(1, 81), R(1, 24)
#: Weights of e^2 |h - grad f|^2 and of (e/eta_m)^2 (|a|^2 + |b|^2) in the Lyapunov functions.
CONVEX_WEIGHTS, SMOOTH_WEIGHTS = (R(3), R(1, 5)), (R(7, 2), R(3, 2))

Phi, Phi_after, Psi, Psi_after, D0, F0, Gam = sp.symbols("Phi Phi_after Psi Psi_after D0 F0 Gam")
W = V / (K * S) + C / K
NAMES = {
    **one_round.NAMES,
    "Phi": r"\Phi^{(t)}",
    "Phi_after": r"\Phi^{(t+1)}",
    "Psi": r"\Psi^{(t)}",
    "Psi_after": r"\Psi^{(t+1)}",
    "D0": "D_0^2",
    "F0": "F_0",
    "gap": r"\mathbb{E}(f(x^{(t)})-f(x^*))",
    "G2": r"\mathbb{E}\|\nabla f(x^{(t)})\|^2",
}
_ETA_M, _ETA_C, _DIVISOR, _J = sp.symbols("eta_m eta_c eta_d J")  # eta_d: the rate by which the renewal of gt_c divides
_WIDTH = (_ETA_M * eta_s) ** 2
RATES = Condition(
    "eta_c = eta eta_s, eta_s >= 1, eta_m >= 1, gt_c renewed with eta_c, J = K",
    sp.And(sp.Eq(_ETA_C, eta * eta_s), eta_s >= 1, _ETA_M >= 1, sp.Eq(_DIVISOR, _ETA_C), sp.Eq(_J, K)),
)
INDEPENDENT = Condition("centre and clients draw independently")
WIDE = Condition(
    "eta_m eta_s >= sqrt(S), or e <= (eta_m eta_s)^2/(81 beta S)",
    sp.Or(_WIDTH >= S, 81 * beta * S * e <= _WIDTH),
)
WIDE_SMOOTH = Condition(
    "eta_m eta_s >= sqrt(S), or e <= (eta_m eta_s)^2/(24 beta S)",
    sp.Or(_WIDTH >= S, 24 * beta * S * e <= _WIDTH),
)
CONVEX = (
    HOMOGENEOUS,
    one_round.SMOOTH,
    one_round.CONVEX,
    RATES,
    INDEPENDENT,
    Condition("e <= 1/(81 beta)", 81 * beta * e <= 1),
    WIDE,
)
SMOOTH = (
    HOMOGENEOUS,
    one_round.SMOOTH,
    RATES,
    INDEPENDENT,
    Condition("e <= 1/(24 beta)", 24 * beta * e <= 1),
    WIDE_SMOOTH,
)
MEAN_GAP = r"\frac{\sum_{t=0}^T\omega_t\mathbb{E}(f(x^{(t)})-f(x^*))}{\sum_t\omega_t}"
MEAN_SQUARE = r"\frac1{T+1}\sum_{t=0}^T\mathbb{E}\|\nabla f(x^{(t)})\|^2"
display = MixedBound.displays(NAMES)
CVX_REC = display(
    "2-way GT, convex recursion",
    Phi_after,
    (1 - CONTRACTION * mu * e) * Phi - DECREASE * e * gap + NOISE * e**2 * W,
    CONVEX,
    "MX-THMB3-S1.2",
    source="Theorem B.3, a proof of its own",
)
NC_REC = display(
    "2-way GT, recursion without convexity",
    Psi_after,
    Psi - SMOOTH_DECREASE * e * G2 + SMOOTH_NOISE * beta * e**2 * W,
    SMOOTH,
    "MX-THMB3-S1.3",
    source="Theorem B.3, a proof of its own",
)

#: What the recursions speak about, for their statements.
SYMBOLS = r"\eta_c=\eta\eta_s,\ \text{divisor }\eta_c,\ \tilde\eta=\eta_mK\eta_c,\ h=\widetilde{g}_c+\widetilde{g}_f,"
r"\ z=x-\tilde\eta h"
ERRORS = r"\|\widetilde{g}_f-\nabla f_f(x)\|^2+\|\widetilde{g}_c-\nabla f_c(x)\|^2"
SHARE = r"\tfrac{\tilde\eta^2}{\eta_m^2}"
PHI = (
    rf"{SYMBOLS},\ \Phi=\mathbb{{E}}\Big[\|z-x^*\|^2+{sp.latex(CONVEX_WEIGHTS[0])}\tilde\eta^2\|h-\nabla f(x)\|^2"
    rf"+{sp.latex(CONVEX_WEIGHTS[1])}{SHARE}\big({ERRORS}\big)\Big]"
)
PSI = (
    rf"{SYMBOLS},\ \Psi=\mathbb{{E}}\Big[f(z)-\inf f+\beta\Big({sp.latex(SMOOTH_WEIGHTS[0])}\tilde\eta^2\|h-\nabla f(x)\|^2"
    rf"+{sp.latex(SMOOTH_WEIGHTS[1])}{SHARE}\big({ERRORS}\big)\Big)\Big]"
)

#: The recursions in the form of :mod:`fltheory.theory.mixed2022.recursions`: eta' = decrease e.
CONVEX_FORM = {
    d0: D0,
    c: NOISE / DECREASE**2 * W,
    h: DECREASE * CONVEX_TOP / beta,
    recursions.R: T,
    recursions.mu: CONTRACTION / DECREASE * mu,
}
SMOOTH_FORM = {
    d0: F0,
    c: SMOOTH_NOISE / SMOOTH_DECREASE**2 * beta * W,
    h: SMOOTH_DECREASE * SMOOTH_TOP / beta,
    recursions.R: T,
}
STEP = Condition("e chosen for T as in the quoted lemmas, at most the largest one")
C_FINAL = display(
    "2-way GT, general convex rate",
    MEAN_GAP,
    SUBLINEAR.expression.subs(CONVEX_FORM),
    (*CONVEX, STEP),
    "MX-THMB3-S2.1",
    source="Theorem B.3, a proof of its own",
)
SC_FINAL = display(
    "2-way GT, strongly convex rate",
    MEAN_GAP,
    LINEAR.expression.subs(CONVEX_FORM),
    (*CONVEX, STEP, Condition("mu > 0, T >= 27 beta/mu", mu * T >= 27 * beta)),
    "MX-THMB3-S2.2",
    source="Theorem B.3, a proof of its own",
)
NC_FINAL = display(
    "2-way GT, rate without convexity",
    MEAN_SQUARE,
    SUBLINEAR.expression.subs(SMOOTH_FORM),
    (*SMOOTH, STEP),
    "MX-THMB3-S2.3",
    source="Theorem B.3, a proof of its own",
)
