r"""2-way Gradient Transfer (Theorem B.3 of Augenstein et al., 2022): explicit bounds and their inversion for rounds.

The recursions of :mod:`two_way` with beta put back, and what the lemmas of :mod:`recursions` make of them.

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
from fltheory.theory.mixed2022 import one_round as o
from fltheory.theory.mixed2022 import orders
from fltheory.theory.mixed2022 import recursions as rec
from fltheory.theory.mixed2022.assembly import T
from fltheory.theory.mixed2022.one_way_rounds import RANGES, ROOT, N
from fltheory.theory.mixed2022.two_way import CONVEX_TOP, CONVEX_WEIGHTS, SMOOTH_TOP, SMOOTH_WEIGHTS
from fltheory.theory.mixed2022.vocabulary import Bound
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Step, identity, inequality, sign

R = sp.Rational
#: (1 - CONTRACTION mu e) Phi - DECREASE e gap + NOISE e^2 W, and the last two without convexity.
CONTRACTION, DECREASE, NOISE = R(3, 2), R(3), R(10)
SMOOTH_DECREASE, SMOOTH_NOISE = R(1, 2), R(16)

Phi, Phi_after, Psi, Psi_after, D0, F0, Gam = sp.symbols("Phi Phi_after Psi Psi_after D0 F0 Gam")
W = o.V / (o.K * o.S) + o.C / o.K
NAMES = {
    **o.NAMES,
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
_WIDTH = (_ETA_M * o.eta_s) ** 2
RATES = Condition(
    "eta_c = eta eta_s, eta_s >= 1, eta_m >= 1, gt_c renewed with eta_c, J = K",
    sp.And(sp.Eq(_ETA_C, o.eta * o.eta_s), o.eta_s >= 1, _ETA_M >= 1, sp.Eq(_DIVISOR, _ETA_C), sp.Eq(_J, o.K)),
)
INDEPENDENT = Condition("centre and clients draw independently")
WIDE = Condition(
    "eta_m eta_s >= sqrt(S), or e <= (eta_m eta_s)^2/(81 beta S)",
    sp.Or(_WIDTH >= o.S, 81 * o.beta * o.S * o.e <= _WIDTH),
)
WIDE_SMOOTH = Condition(
    "eta_m eta_s >= sqrt(S), or e <= (eta_m eta_s)^2/(24 beta S)",
    sp.Or(_WIDTH >= o.S, 24 * o.beta * o.S * o.e <= _WIDTH),
)
CONVEX = (
    o.HOMOGENEOUS,
    o.SMOOTH,
    o.CONVEX,
    RATES,
    INDEPENDENT,
    Condition("e <= 1/(81 beta)", 81 * o.beta * o.e <= 1),
    WIDE,
)
SMOOTH = (
    o.HOMOGENEOUS,
    o.SMOOTH,
    RATES,
    INDEPENDENT,
    Condition("e <= 1/(24 beta)", 24 * o.beta * o.e <= 1),
    WIDE_SMOOTH,
)
MEAN_GAP = r"\frac{\sum_{t=0}^T\omega_t\mathbb{E}(f(x^{(t)})-f(x^*))}{\sum_t\omega_t}"
MEAN_SQUARE = r"\frac1{T+1}\sum_{t=0}^T\mathbb{E}\|\nabla f(x^{(t)})\|^2"

CVX_REC = Bound(
    "2-way GT, convex recursion",
    "Theorem B.3, a proof of its own",
    Phi_after,
    (1 - CONTRACTION * o.mu * o.e) * Phi - DECREASE * o.e * o.gap + NOISE * o.e**2 * W,
    CONVEX,
    "<=",
    NAMES,
    ("MX-THMB3-S1.2",),
)
NC_REC = Bound(
    "2-way GT, recursion without convexity",
    "Theorem B.3, a proof of its own",
    Psi_after,
    Psi - SMOOTH_DECREASE * o.e * o.G2 + SMOOTH_NOISE * o.beta * o.e**2 * W,
    SMOOTH,
    "<=",
    NAMES,
    ("MX-THMB3-S1.3",),
)

#: What the recursions speak about, for their statements.
SYMBOLS = r"\tilde\eta=\eta_mK\eta_c,\ h=\widetilde{g}_c+\widetilde{g}_f,\ z=x-\tilde\eta h"
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

#: The recursions in the form of :mod:`recursions`: eta' = decrease e.
CONVEX_FORM = {
    rec.d0: D0,
    rec.c: NOISE / DECREASE**2 * W,
    rec.h: DECREASE * CONVEX_TOP / o.beta,
    rec.R: T,
    rec.mu: CONTRACTION / DECREASE * o.mu,
}
SMOOTH_FORM = {
    rec.d0: F0,
    rec.c: SMOOTH_NOISE / SMOOTH_DECREASE**2 * o.beta * W,
    rec.h: SMOOTH_DECREASE * SMOOTH_TOP / o.beta,
    rec.R: T,
}
STEP = Condition("e chosen for T as in the quoted lemmas, at most the largest one")
C_FINAL = Bound(
    "2-way GT, general convex rate",
    "Theorem B.3, a proof of its own",
    MEAN_GAP,
    rec.SUBLINEAR.expression.subs(CONVEX_FORM),
    (*CONVEX, STEP),
    "<=",
    NAMES,
    ("MX-THMB3-S2.1",),
)
SC_FINAL = Bound(
    "2-way GT, strongly convex rate",
    "Theorem B.3, a proof of its own",
    MEAN_GAP,
    rec.LINEAR.expression.subs(CONVEX_FORM),
    (*CONVEX, STEP, Condition("mu > 0, T >= 27 beta/mu", o.mu * T >= 27 * o.beta)),
    "<=",
    NAMES,
    ("MX-THMB3-S2.2",),
)
NC_FINAL = Bound(
    "2-way GT, rate without convexity",
    "Theorem B.3, a proof of its own",
    MEAN_SQUARE,
    rec.SUBLINEAR.expression.subs(SMOOTH_FORM),
    (*SMOOTH, STEP),
    "<=",
    NAMES,
    ("MX-THMB3-S2.3",),
)


def telescoped(case: str) -> list[Step]:
    """The recursion of a case in the form that the lemmas of Appendix D.2 take, with eta' = decrease e."""
    d, rate = sp.symbols("d rate")
    if case == "non-convex":
        right = NC_REC.expression.subs(Psi, d).subs(o.e, rate / SMOOTH_DECREASE)
        form = d + SMOOTH_FORM[rec.c] * rate**2 - rate * o.G2
        return [
            identity("form of the recursion", right, form),
            identity("largest rate", SMOOTH_FORM[rec.h], 1 / (48 * o.beta)),
        ]
    right = CVX_REC.expression.subs(Phi, d).subs(o.e, rate / DECREASE)
    form = (1 - CONVEX_FORM[rec.mu] * rate) * d + CONVEX_FORM[rec.c] * rate**2 - rate * o.gap
    return [
        identity("form of the recursion", right, form),
        identity("largest rate", CONVEX_FORM[rec.h], 1 / (27 * o.beta)),
        sign(
            "mu' eta_max < 1",
            1 - CONVEX_FORM[rec.mu] * CONVEX_FORM[rec.h],
            ((o.beta, Open(0), None), (o.mu, 0, o.beta)),
        ),
        identity("threshold 1/(2 eta_max mu')", 1 / (2 * CONVEX_FORM[rec.h] * CONVEX_FORM[rec.mu]), 27 * o.beta / o.mu),
    ]


def starts(initial: str, case: str, eta_m: str = "chosen") -> list[Step]:
    """Phi <= D^2 (for "zero" 5/4 D^2, or 5/4 (D^2 + (Gamma/(81 beta eta_m))^2)) and Psi <= F (5/4 F) at the start.

    beta = 1, x = x0, G = grad f(x0), w = x0 - x*.  ``initial``: "gradients" (gt exact at x0: q = a = b = 0, z = x0 - e G) or
    "zero" (gt = 0: z = x0, q = -G, |a|^2 + |b|^2 = Gamma^2).  f is 2-smooth: |G|^2 <= 2 <G, w> (convex), |G| <= 2 |w|,
    |G|^2 <= 4 F.  ``eta_m``: "chosen", eta_m >= Gamma/(81 beta D) (convex) or Gamma/(8 sqrt(beta F)), or "any"; the strongly
    convex start keeps Gamma.
    """
    e, G, w, r, F, D2, fall = sp.symbols("e G w r F D2 fall")
    smooth = case == "non-convex"
    (first, second), top = (SMOOTH_WEIGHTS, SMOOTH_TOP) if smooth else (CONVEX_WEIGHTS, CONVEX_TOP)
    every = ((r, 0, 1), (e, 0, top), (Gam, 0, None), (F, 0, None), (D2, 0, None))
    keep = [(e * (1 - e), G)]
    if initial == "gradients" and smooth:
        premise = F - e * G**2 + e**2 * G**2 - fall
        known = {"f is 2-smooth": (sp.Integer(1), premise)}
        return [inequality("f(x0 - e G) <= f(x0)", fall, F, premises=known, squares=keep, ranges=every)]
    if initial == "gradients":
        premise = G * w - G**2 / 2
        known = {"cocoercivity": (2 * e, premise)}
        return [
            inequality(
                "|x0 - e G - x*| <= |x0 - x*|", (w - e * G) ** 2, w**2, premises=known, squares=keep, ranges=every
            )
        ]
    main, share = (F, r * Gam / 64) if smooth else (D2, r * Gam * CONVEX_TOP**2)
    premises = {"|G|^2 <= 4 F" if smooth else "|G| <= 2 |w|": (first * e**2, 4 * main - G**2)}
    if eta_m == "chosen" and case != "strongly convex":
        premises["eta_m large"] = (second * e**2 * 64 if smooth else second, main - share)
    right = R(5, 4) * (main + share) if case == "strongly convex" else R(5, 4) * main
    return [
        inequality(
            "start", main + first * e**2 * G**2 + second * r * e**2 * Gam, right, premises=premises, ranges=every
        )
    ]


def cohorts(widths: str, top: sp.Expr) -> list[Step]:
    """e S/(eta_m eta_s)^2 <= top: ``widths`` "sqrt(S)" (eta_m eta_s >= sqrt(S)) or "1" (eta_m = eta_s = 1)."""
    e, share, S = sp.symbols("e share S")  # share = S/(eta_m eta_s)^2
    ranges = ((e, 0, top), (share, 0, 1)) if widths == "sqrt(S)" else ((e, 0, top), (S, 1, None))
    return [sign("the scatter of the clients' local points", top - e * (share if widths == "sqrt(S)" else S), ranges)]


def claimed(case: str, factor: str, power: str) -> tuple[sp.Expr, sp.Expr]:
    """Noise and optimisation term of the order with the variances divided by the two of ``factor`` (printed: K S and K), the
    second term times (eps/(beta D^2))^power, or beta F for D^2.
    """
    k, s = orders.K, orders.S
    client, central = (sp.sympify(x, locals={"K": k, "S": s}) for x in factor.split(","))
    unit = orders.beta * (orders.F if case == "non-convex" else orders.D2)
    noise = (orders.V / client + orders.C / central) * orders.NOISE_SCALE[case]
    return noise, orders.OPTIMISATION[case] * (orders.eps / unit) ** R(power)


def plain(expression: sp.Expr) -> sp.Expr:
    """In the symbols of the orders, sqrt(K) as a symbol."""
    names = {o.V: orders.V, o.C: orders.C, o.K: orders.K, o.S: orders.S, o.beta: orders.beta, o.mu: orders.mu}
    return sp.sympify(expression).subs(names).subs(orders.K, ROOT**2)


def sublinear(case: str, factor: str, power: str, rounds: tuple[str, str], start: sp.Expr) -> list[Step]:
    """n = T + 1 >= 2A/eps + 4B^2/eps^2 suffices for A/n + B/sqrt(n); against the constants times the claimed terms."""
    form, unit = (SMOOTH_FORM, orders.F) if case == "non-convex" else (CONVEX_FORM, orders.D2)
    first, second = plain(start * unit / form[rec.h]), plain(4 * start * unit * form[rec.c])
    noise, optimisation = (plain(x) for x in claimed(case, factor, power))
    alpha, half = sp.symbols("alpha b_sq", positive=True)
    small = ((alpha, 0, None), (half, 0, None), (orders.eps, 0, None))
    used = tuple(x for x in RANGES if x[0] in (first + second + noise + optimisation).free_symbols)
    return [
        sign("A/n <= eps/2", orders.eps / 2 - alpha / N, (*small, (N, 2 * alpha / orders.eps, None))),
        sign("B^2/n <= eps^2/4", orders.eps**2 / 4 - half / N, (*small, (N, 4 * half / orders.eps**2, None))),
        _compare("2A/eps against the claimed term", R(rounds[0]) * optimisation - 2 * first / orders.eps, used),
        _compare("4B^2/eps^2 against the claimed term", R(rounds[1]) * noise - 4 * second / orders.eps**2, used),
    ]


def _compare(name: str, difference: sp.Expr, used: tuple[tuple[sp.Symbol, object, object], ...]) -> Step:
    """A sign where the difference is rational; powers of eps are not compared."""
    simple = sp.simplify(difference)
    if not simple.is_rational_function():
        return Step(name, False, f"{simple} has other powers")
    return sign(name, simple, used)


def linear(factor: str, power: str, rounds: tuple[str, str]) -> list[Step]:
    """P = max(1, mu D0/eps), p = log P: T = (54 beta/mu) log(3 P) + k W/(mu eps) (1 + p) suffices, k = ``rounds[1]`` = 32.

    The exponential term is (3/2) mu D0/(3 P).  At T = z W/(mu eps) the noise term is (20/9)(eps/z)(3 + max(1/2, log(9 mu D0
    z/(40 eps)))), and it decreases in T; for z = k (1 + p) the logarithm is at most p + log k + log(1 + p) <= 2p + log k, and
    log 32 <= 7/2 by the exponential series.
    """
    k, p, x, Ws = R(rounds[1]), sp.Symbol("p", positive=True), sp.Symbol("x"), sp.Symbol("W_s", positive=True)
    mu, c, h = CONVEX_FORM[rec.mu], CONVEX_FORM[rec.c], CONVEX_FORM[rec.h]
    series = sum((R(7, 2) ** i / sp.factorial(i) for i in range(16)), sp.Integer(0))
    noise, optimisation = claimed("strongly convex", factor, power)
    own = plain(W / (orders.mu * orders.eps))
    used = tuple(y for y in RANGES if y[0] in (orders.V, orders.C, ROOT, orders.S))
    constant = optimisation / orders.OPTIMISATION["strongly convex"]
    return [
        *_at_most_printed(),
        identity("exponent", mu * h * T, o.mu * T / (54 * o.beta)),
        identity("start", 3 * mu * D0, R(3, 2) * o.mu * D0),
        sign("(3/2) mu D0/(3 P) <= eps/2", R(1, 2) - R(3, 2) / 3, ()),
        identity("noise", c / mu, R(20, 9) * W / o.mu),
        identity("logarithm", mu**2 * T * D0 / c, R(9, 40) * o.mu**2 * T * D0 / W),
        identity(
            "logarithm at T = z W/(mu eps)",
            (R(9, 40) * mu**2 * T * D0 / Ws).subs(T, x * Ws / mu),
            R(9, 40) * mu * D0 * x,
        ),
        sign("9/40 <= 1", 1 - R(9, 40), ()),
        sign("T >= 27 beta/mu: 54 log 3 >= 54", R(rounds[0]) - 27, ()),
        sign("log 3 >= 1", 3 - _above_e(), ()),
        sign("(log(a T) + 3)/T decreases where log(a T) >= 0: 3 + y - 1", 2 + x, ((x, 0, None),)),
        sign("k <= exp(7/2)", series - k, ()),
        sign("noise term at most eps/2", k * (1 + p) / 2 - R(20, 9) * (3 + R(7, 2) + 2 * p), ((p, 0, None),)),
        sign("rounds[0] covers 54", R(rounds[0]) - 54, ()),
        Step("optimisation term", constant == 1, f"the claimed one has the factor {constant}"),
        _compare(
            "noise term against the claimed one",
            plain(noise).subs({orders.mu: 1, orders.eps: 1}) - own.subs({orders.mu: 1, orders.eps: 1}),
            used,
        ),
    ]


def _above_e() -> sp.Rational:
    """A rational above e: the series to 1/9! and a geometric remainder."""
    return sum((1 / sp.factorial(i) for i in range(10)), sp.Integer(0)) + R(11, 10) / sp.factorial(10)


def _at_most_printed() -> list[Step]:
    """1/(81 beta) is the least of the printed limits."""
    limits = [x.subs({orders.K: 1, orders.eta_m: 1}) for x in orders.limits("2-w GT", "strongly convex")]
    ranges = ((orders.beta, Open(0), None), (orders.mu, 0, orders.beta))
    return [sign("largest step within the printed ones", x - CONVEX_TOP / orders.beta, ranges) for x in limits]
