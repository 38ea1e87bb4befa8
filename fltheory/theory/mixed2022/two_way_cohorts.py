r"""2-way Gradient Transfer (Theorem B.3 of Augenstein et al., 2022) without eta_m eta_s >= sqrt(S): the price of large cohorts.

Client noise moves the local points of every client by eta sigma sqrt(K), whatever the number of clients that are averaged.  The
convex recursion then has the term 13 e^2 (beta e sigma^2)/(K eta_m^2 eta_s^2) beside the noise e^2 W, and at eta_m = eta_s = 1 the
number of rounds a term that no cohort reduces: sigma sqrt(beta) D^2/(sqrt(K) eps^(3/2)), or sigma sqrt(beta)/(mu sqrt(K eps)).
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.mixed2022 import one_round as o
from fltheory.theory.mixed2022 import orders
from fltheory.theory.mixed2022 import two_way_bounds as b
from fltheory.theory.mixed2022.two_way import CONVEX_TOP
from fltheory.theory.mixed2022.vocabulary import Bound
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Step, identity, sign

R = sp.Rational
SCATTER = R(13)
eta_m, eta_s = sp.Symbol("eta_m"), o.eta_s
NAMES = {**b.NAMES, "eta_m": r"\eta_m", "eta_s": r"\eta_s"}
CVX_REC = Bound(
    "2-way GT, convex recursion for every cohort",
    "Theorem B.3, a proof of its own",
    b.Phi_after,
    b.CVX_REC.expression + SCATTER * o.beta * o.e**3 * o.V / (o.K * eta_m**2 * eta_s**2),
    b.CONVEX[:-1],
    "<=",
    NAMES,
    ("MX-THMB3-S1.4",),
)
#: The order at eta_m = eta_s = 1: those of Table 1 and the term of the scatter.
EXTRA = sp.sqrt(orders.V * orders.beta / orders.K) * orders.D2 / orders.eps ** R(3, 2)
ORDER = Bound(
    "rounds of 2-w GT, convex, eta_m = eta_s = 1",
    "Theorem B.3, Table 1, repaired",
    "T",
    sum(orders.terms("2-w GT", "convex").values()) + EXTRA,
    (),
    "O",
    orders.NAMES,
    ("MX-T1-2W-C-R1",),
)
STRONG_EXTRA = sp.sqrt(orders.V * orders.beta / (orders.K * orders.eps)) / orders.mu
STRONG_ORDER = Bound(
    "rounds of 2-w GT, strongly convex, eta_m = eta_s = 1",
    "Theorem B.3, Table 1, repaired",
    "T",
    sum(orders.terms("2-w GT", "strongly convex").values()) + STRONG_EXTRA,
    (),
    "O",
    orders.NAMES,
    ("MX-T1-2W-SC-R1",),
)


def inverted(case: str, rounds: tuple[str, str, str], extra: str, power: str) -> list[Step]:
    """e = min(1/(81 beta), 3 eps/(40 W), sqrt(3 eps K/(52 beta sigma^2))), where 1/e is at most the sum of the three.

    The recursion leaves a mean gap of at most start + (10/3) e W + (13/3) e^2 beta sigma^2/K, the last two at most eps/2.  Convex:
    start = D^2/(3 e n), n >= 2 D^2/(3 e eps) suffices.  Strongly convex, weights (1 - a)^(-t-1), a = (3/2) mu e: start = (mu/2)
    D^2/((1-a)^(-n) - 1), n >= (2/(3 mu e)) log(2P) suffices, P = max(1, mu D^2/eps).

    ``rounds``: constants of the optimisation, noise and scatter terms; ``extra``: "1", or "0" for an order without the last;
    ``power``: the optimisation term is multiplied by (eps/(beta D^2))^power.
    """
    gamma = b.DECREASE
    W, eps, s = sp.symbols("W eps s")  # s^2 = beta sigma^2/K
    first, second, third = 1 / CONVEX_TOP, 4 * b.NOISE / (gamma * eps) * W, sp.sqrt(4 * SCATTER / gamma)
    return [
        *(_started_convex() if case == "convex" else _started_strongly_convex()),
        identity("(10/3) e W at e = 3 eps/(40 W)", b.NOISE / gamma * W / second, eps / 4),
        identity("(13/3) e^2 s^2 at e^2 = 3 eps/(52 s^2)", SCATTER / gamma * s**2 * eps / (third**2 * s**2), eps / 4),
        sign("optimisation", R(rounds[0]) - R(2, 3) * first, ()),
        sign("noise", R(rounds[1]) - sp.simplify(R(2, 3) * second * eps / W), ()),
        sign("scatter, squared", R(rounds[2]) ** 2 - (R(2, 3) * third) ** 2, ()),
        Step(
            "scatter in the order", R(extra) >= 1, "the claimed order has no term for the scatter of the local points"
        ),
        Step("optimisation in the order", R(power) <= 0, f"the claimed term has the factor (eps/(beta D^2))^{power}"),
    ]


def _started_convex() -> list[Step]:
    e, n, eps, D2 = sp.symbols("e n eps D2")
    small = ((eps, Open(0), None), (D2, Open(0), None), (e, Open(0), None))
    needed = 2 / (b.DECREASE * eps) * D2 / e
    return [sign("D^2/(3 e n) <= eps/2", eps / 2 - D2 / (b.DECREASE * e * n), (*small, (n, needed, None)))]


def _started_strongly_convex() -> list[Step]:
    """``grown`` is (1-a)^(-n), at least exp(a n) = 2P."""
    a, e, mu, D2, eps, grown, P, weight = sp.symbols("a e mu D2 eps grown P weight")
    rate = b.CONTRACTION * mu * e
    return [
        identity("weights telescope: (1 - a) of one is the one before", (1 - a) * weight / (1 - a), weight),
        identity("sum of (1-a)^(-1) ... (1-a)^(-n)", 1 / (1 - a) * (grown - 1) / (1 / (1 - a) - 1), (grown - 1) / a),
        identity(
            "D^2 over 3 e and this sum",
            (D2 * a / (b.DECREASE * e * (grown - 1))).subs(a, rate),
            mu / 2 * D2 / (grown - 1),
        ),
        identity("1/(1-a) >= exp(a): (1 - a) exp(a) falls from 1", sp.diff((1 - a) * sp.exp(a), a) / sp.exp(a), -a),
        sign("2P - 1 >= P", P - 1, ((P, 1, None),)),
        sign(
            "(mu/2) D^2/P <= eps/2 where mu D^2 <= P eps",
            eps / 2 - mu * D2 / (2 * P),
            ((D2, 0, None), (mu, Open(0), None), (P, 1, None), (eps, mu * D2 / P, None)),
        ),
        identity("a n = log(2P) at n = (2/(3 mu e)) log(2P)", rate * 2 / (3 * mu * e), 1),
    ]
