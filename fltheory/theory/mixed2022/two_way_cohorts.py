r"""2-way Gradient Transfer (Theorem B.3 of Augenstein et al., 2022) without eta_m eta_s >= sqrt(S): the price of large cohorts.

Client noise moves the local points of every client by eta sigma sqrt(K), whatever the number of clients that are averaged.  The
convex recursion then has the term 13 e^2 (beta e sigma^2)/(K eta_m^2 eta_s^2) beside the noise e^2 W, and at eta_m = eta_s = 1 the
number of rounds a term sigma sqrt(beta) D^2/(sqrt(K) eps^(3/2)) that no cohort reduces.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import one_round as o
from fltheory.theory.mixed2022 import orders
from fltheory.theory.mixed2022 import two_way_bounds as b
from fltheory.theory.mixed2022.two_way import CONVEX_TOP
from fltheory.theory.steps import Step, identity, sign

R = sp.Rational
SCATTER = R(13)
eta_m, eta_s = sp.Symbol("eta_m"), o.eta_s
NAMES = {**b.NAMES, "eta_m": r"\eta_m", "eta_s": r"\eta_s"}
CVX_REC = Bound(
    "2-way GT, convex recursion for every cohort", "Theorem B.3, a proof of its own", b.Phi_after,
    b.CVX_REC.expression + SCATTER * o.beta * o.e**3 * o.V / (o.K * eta_m**2 * eta_s**2), b.CONVEX[:-1], "<=", NAMES,
    ("MX-THMB3-S1.4",),
)  # fmt: skip
#: The order at eta_m = eta_s = 1: those of Table 1 and the term of the scatter.
EXTRA = sp.sqrt(orders.V * orders.beta / orders.K) * orders.D2 / orders.eps ** R(3, 2)
ORDER = Bound(
    "rounds of 2-w GT, convex, eta_m = eta_s = 1", "Theorem B.3, Table 1, repaired", "T",
    sum(orders.terms("2-w GT", "convex").values()) + EXTRA, (), "O", orders.NAMES, ("MX-T1-2W-C-R1",),
)  # fmt: skip


def inverted(rounds: tuple[str, str, str], extra: str, power: str) -> list[Step]:
    """e = min(1/(81 beta), 3 eps/(40 W), sqrt(3 eps K/(52 beta sigma^2))): the mean gap D^2/(3 e n) + (10/3) e W + (13/3) e^2 beta
    sigma^2/K is at most eps for n >= 2 D^2/(3 e eps), where 1/e is at most the sum of the three.

    ``rounds``: constants of the optimisation, noise and scatter terms; ``extra``: "1", or "0" for an order without the last;
    ``power``: the optimisation term is multiplied by (eps/(beta D^2))^power.
    """
    gamma = b.DECREASE
    e, n, W, eps, D2, s = sp.symbols("e n W eps D2 s")  # s^2 = beta sigma^2/K
    first, second, third = 1 / CONVEX_TOP, 4 * b.NOISE / (gamma * eps) * W, sp.sqrt(4 * SCATTER / gamma)
    small = ((eps, 0, None), (D2, 0, None), (e, 0, None))
    total = 2 / (gamma * eps)
    return [
        sign("D^2/(3 e n) <= eps/2", eps / 2 - D2 / (gamma * e * n), (*small, (n, total * D2 / e, None))),
        identity("(10/3) e W at e = 3 eps/(40 W)", b.NOISE / gamma * W / second, eps / 4),
        identity("(13/3) e^2 s^2 at e^2 = 3 eps/(52 s^2)", SCATTER / gamma * s**2 * eps / (third**2 * s**2), eps / 4),
        sign("optimisation", R(rounds[0]) - R(2, 3) * first, ()),
        sign("noise", R(rounds[1]) - sp.simplify(R(2, 3) * second * eps / W), ()),
        sign("scatter, squared", R(rounds[2]) ** 2 - (R(2, 3) * third) ** 2, ()),
        Step("scatter in the order", R(extra) >= 1, "the claimed order has no term for the scatter of the local points"),
        Step("optimisation in the order", R(power) <= 0, f"the claimed term has the factor (eps/(beta D^2))^{power}"),
    ]  # fmt: skip


def limit_rounds(noise: float, step: float, *, accuracy: float = 0.01, most: int = 40_000) -> int | None:
    """Rounds to f - f* < accuracy of the limit S -> infinity, in floats; ``None`` if ``most`` do not suffice.

    f_f = x^2/4 + max(0, x)^2/4, f_c = x^2/4 - 2x/5 (mu = 1/2, beta = 1), K = 2, eta_m = eta_s = 1, eta_c = eta = ``step``, client
    noise +-``noise``, start -1 with gt at the gradients: the clients' mean is that over both signs, and nothing is random.
    """

    def federated(x: float) -> float:
        return x / 2 + max(x, 0.0) / 2

    def central(x: float) -> float:
        return x / 2 - 0.4

    def value(x: float) -> float:
        return x * x / 2 + max(x, 0.0) ** 2 / 4 - 0.4 * x

    x, least = -1.0, value(0.4 / 1.5)
    from_clients, from_centre = federated(x), central(x)
    for done in range(most + 1):
        if value(x) - least < accuracy:
            return done
        y, mean_centre = x, 0.0
        for _ in range(2):
            mean_centre += central(y) / 2
            y -= step * (central(y) + from_clients)
        first = federated(x)
        second = sum(federated(x - step * (first + sign * noise + from_centre)) for sign in (1, -1)) / 2
        mean_clients = (first + second) / 2
        x = x - 2 * step * (mean_clients + from_centre) - 2 * step * (mean_centre + from_clients)
        from_clients, from_centre = mean_clients, mean_centre
    return None
