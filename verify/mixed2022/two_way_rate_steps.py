"""Steps from the recursions of 2-way GT to its rates and orders (:mod:`fltheory.theory.mixed2022.two_way_bounds`)."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import one_round, orders, recursions, two_way_bounds
from fltheory.theory.mixed2022.assembly import T
from fltheory.theory.mixed2022.one_round import G2, C, K, V, beta, gap
from fltheory.theory.mixed2022.two_way_bounds import CONVEX_FORM, CONVEX_TOP, CONVEX_WEIGHTS, D0, SMOOTH_FORM, Gam, R, W
from fltheory.theory.proofs import Open
from fltheory.theory.states import proves
from fltheory.theory.steps import Ranges, Step, identity, inequality, sign

#: sqrt(K), so that its powers are polynomials.
ROOT = sp.Symbol("k_root", positive=True)
RANGES = ((orders.V, 0, None), (orders.C, 0, None), (ROOT, 1, None), (orders.S, 1, None))


def compared(name: str, difference: sp.Expr, used: Ranges) -> Step:
    """A sign where the difference is rational; powers of eps are not compared."""
    simple = sp.simplify(difference)
    if not simple.is_rational_function():
        return Step(name, False, f"{simple} has other powers")
    return sign(name, simple, used)


def supposed(limit: int) -> tuple[sp.Basic, ...]:
    """What the proofs suppose of the rates, with the effective step at most 1/(limit beta)."""
    e, eta, eta_s, S = one_round.e, one_round.eta, one_round.eta_s, one_round.S
    eta_c, eta_d, eta_m, J = sp.symbols("eta_c eta_d eta_m J")
    width = (eta_m * eta_s) ** 2
    wide = sp.Or(width >= S, limit * beta * S * e <= width)
    same = (sp.Eq(eta_c, eta * eta_s), sp.Eq(eta_d, eta_c), sp.Eq(J, K))
    return (*same, eta_s >= 1, eta_m >= 1, wide, limit * beta * e <= 1)


def telescoped(case: str) -> list[Step]:
    """The recursion of a case in the form that the lemmas of Appendix D.2 take, with eta' = decrease e."""
    d, rate = sp.symbols("d rate")
    if case == "non-convex":
        right = two_way_bounds.NC_REC.expression.subs(two_way_bounds.Psi, d)
        form = d + SMOOTH_FORM[recursions.c] * rate**2 - rate * G2
        return [
            identity("form of the recursion", right.subs(one_round.e, rate / two_way_bounds.SMOOTH_DECREASE), form),
            identity("largest rate", SMOOTH_FORM[recursions.h], 1 / (48 * beta)),
        ]
    right = two_way_bounds.CVX_REC.expression.subs(two_way_bounds.Phi, d)
    modulus, largest = CONVEX_FORM[recursions.mu], CONVEX_FORM[recursions.h]
    form = (1 - modulus * rate) * d + CONVEX_FORM[recursions.c] * rate**2 - rate * gap
    return [
        identity("form of the recursion", right.subs(one_round.e, rate / two_way_bounds.DECREASE), form),
        identity("largest rate", largest, 1 / (27 * beta)),
        sign("mu' eta_max < 1", 1 - modulus * largest, ((beta, Open(0), None), (one_round.mu, 0, beta))),
        identity("threshold 1/(2 eta_max mu')", 1 / (2 * largest * modulus), 27 * beta / one_round.mu),
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
    (first, second), top = (CONVEX_WEIGHTS, CONVEX_TOP)
    if smooth:
        (first, second), top = (two_way_bounds.SMOOTH_WEIGHTS, two_way_bounds.SMOOTH_TOP)
    every = ((r, 0, 1), (e, 0, top), (Gam, 0, None), (F, 0, None), (D2, 0, None))
    if initial == "gradients":
        if smooth:
            name, left, right = "f(x0 - e G) <= f(x0)", fall, F
            known = {"f is 2-smooth": (sp.Integer(1), F - e * G**2 + e**2 * G**2 - fall)}
        else:
            name, left, right = "|x0 - e G - x*| <= |x0 - x*|", (w - e * G) ** 2, w**2
            known = {"cocoercivity": (2 * e, G * w - G**2 / 2)}
        return [inequality(name, left, right, premises=known, squares=[(e * (1 - e), G)], ranges=every)]
    main, share = (F, r * Gam / 64) if smooth else (D2, r * Gam * CONVEX_TOP**2)
    premises = {"|G|^2 <= 4 F" if smooth else "|G| <= 2 |w|": (first * e**2, 4 * main - G**2)}
    if eta_m == "chosen" and case != "strongly convex":
        premises["eta_m large"] = (second * e**2 * 64 if smooth else second, main - share)
    right = R(5, 4) * (main + share) if case == "strongly convex" else R(5, 4) * main
    left = main + first * e**2 * G**2 + second * r * e**2 * Gam
    return [inequality("start", left, right, premises=premises, ranges=every)]


def claimed(case: str, factor: str, power: str) -> tuple[sp.Expr, sp.Expr]:
    """Noise and optimisation term of the order with the variances divided by the two of ``factor`` (printed: K S and K), the
    second term times (eps/(beta D^2))^power, or beta F for D^2.
    """
    k, s = orders.K, orders.S
    client, central = (sp.sympify(x, locals={"K": k, "S": s}) for x in factor.split(","))
    unit = orders.beta * (orders.F if case == "non-convex" else orders.D2)
    noise = (orders.V / client + orders.C / central) * orders.NOISE_SCALE[case]
    return noise, orders.OPTIMISATION[case] * (orders.eps / unit) ** R(power)


def stated(case: str, order: Bound, **fixed: str) -> Callable[..., Step]:
    """Whether an order of Theorem B.3 is the claimed one, within the printed limits of the rates; ``fixed``: no argument."""
    eta_c, eta_m, eta_s = sp.symbols("eta_c eta_m eta_s")
    limits = [R(1, 24) / beta] if case == "non-convex" else [R(1, 81) / beta]
    limits += [R(1, 15) / one_round.mu] if case == "strongly convex" else []
    rates = (one_round.eta * eta_s, eta_c)
    under = [rate <= limit / (K * eta_m) for rate in rates for limit in limits] + [eta_m >= 1, K >= 2]

    def form(factor: sp.Expr, power: sp.Expr) -> sp.Expr:
        return sum(claimed(case, ",".join(map(str, factor)), str(power)), sp.Integer(0))

    step = proves(order, form, relation="O", under=under)
    return lambda **printed: step(**{**printed, **fixed})


def plain(expression: sp.Expr) -> sp.Expr:
    """In the symbols of the orders, sqrt(K) as a symbol."""
    names = {V: orders.V, C: orders.C, K: orders.K, one_round.S: orders.S, beta: orders.beta, one_round.mu: orders.mu}
    return sp.sympify(expression).subs(names).subs(orders.K, ROOT**2)


def linear(factor: str, power: str, rounds: tuple[str, str]) -> list[Step]:
    """P = max(1, mu D0/eps), p = log P: T = (54 beta/mu) log(3 P) + k W/(mu eps) (1 + p) suffices, k = ``rounds[1]`` = 32.

    The exponential term is (3/2) mu D0/(3 P).  At T = z W/(mu eps) the noise term is (20/9)(eps/z)(3 + max(1/2, log(9 mu D0
    z/(40 eps)))), and it decreases in T; for z = k (1 + p) the logarithm is at most p + log k + log(1 + p) <= 2p + log k, and
    log 32 <= 7/2 by the exponential series.
    """
    k, p, x, Ws = R(rounds[1]), sp.Symbol("p", positive=True), sp.Symbol("x"), sp.Symbol("W_s", positive=True)
    mu, c, h = CONVEX_FORM[recursions.mu], CONVEX_FORM[recursions.c], CONVEX_FORM[recursions.h]
    series = sum((R(7, 2) ** i / sp.factorial(i) for i in range(16)), sp.Integer(0))
    noise, optimisation = claimed("strongly convex", factor, power)
    own = plain(W / (orders.mu * orders.eps))
    constant = optimisation / orders.OPTIMISATION["strongly convex"]
    at_one = {orders.mu: 1, orders.eps: 1}
    start = R(9, 40) * mu**2 * T * D0
    return [
        *_at_most_printed(),
        identity("exponent", mu * h * T, one_round.mu * T / (54 * beta)),
        identity("start", 3 * mu * D0, R(3, 2) * one_round.mu * D0),
        sign("(3/2) mu D0/(3 P) <= eps/2", R(1, 2) - R(3, 2) / 3, ()),
        identity("noise", c / mu, R(20, 9) * W / one_round.mu),
        identity("logarithm", mu**2 * T * D0 / c, R(9, 40) * one_round.mu**2 * T * D0 / W),
        identity("logarithm at T = z W/(mu eps)", (start / Ws).subs(T, x * Ws / mu), R(9, 40) * mu * D0 * x),
        sign("9/40 <= 1", 1 - R(9, 40), ()),
        sign("T >= 27 beta/mu: 54 log 3 >= 54", R(rounds[0]) - 27, ()),
        sign("log 3 >= 1", 3 - _above_e(), ()),
        sign("(log(a T) + 3)/T decreases where log(a T) >= 0: 3 + y - 1", 2 + x, ((x, 0, None),)),
        sign("k <= exp(7/2)", series - k, ()),
        sign("noise term at most eps/2", k * (1 + p) / 2 - R(20, 9) * (3 + R(7, 2) + 2 * p), ((p, 0, None),)),
        sign("rounds[0] covers 54", R(rounds[0]) - 54, ()),
        identity("optimisation term", constant, 1),
        compared("noise term against the claimed one", plain(noise).subs(at_one) - own.subs(at_one), RANGES),
    ]


def _above_e() -> sp.Rational:
    """A rational above e: the series to 1/9! and a geometric remainder."""
    return sum((1 / sp.factorial(i) for i in range(10)), sp.Integer(0)) + R(11, 10) / sp.factorial(10)


def _at_most_printed() -> list[Step]:
    """1/(81 beta) is the least of the printed limits."""
    limits = [x.subs({orders.K: 1, orders.eta_m: 1}) for x in orders.limits("2-w GT", "strongly convex")]
    ranges = ((orders.beta, Open(0), None), (orders.mu, 0, orders.beta))
    return [sign("largest step within the printed ones", x - CONVEX_TOP / orders.beta, ranges) for x in limits]
