"""Theorem B.1 of Augenstein et al. (2022): large cohorts in Parallel Training with eta_m = eta_s = 1.

The conditions of the theorem leave eta_s free; the experiments have eta_s = 1.  The noise moves the local points of every client,
and averaging over the cohort does not bring the mean of their gradients back, as for 2-way GT (two_way_cohorts).

Parallel Training at eta_m = eta_s = 1 on strongly convex losses: rounds that grow with sigma for every cohort size.

The losses, start and noise of :mod:`verify.mixed2022.two_way_scatter`, K = 2, eta_c = eta.  x+ = x - e (a + b), e = 2 eta
<= 1/12: a is the clients' mean gradient at x and x - eta (phi(x) +- sigma), b the centre's at x and x - eta f_c'(x).  Definition
4.2 holds with G = 1 and B = 2.  The statements are about means, and hold for every S.
"""

import sympy as sp

from fltheory.evidence.decide import Tried
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import asymptotic_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022 import orders
from fltheory.theory.steps import Step, identity, inequality, sign
from verify.mixed2022.one_way_words import SAMPLING
from verify.mixed2022.settled import for_every_constant
from verify.mixed2022.theorems_b_parallel import LIMITS, scripts_of
from verify.mixed2022.two_way_line import two_local_steps
from verify.mixed2022.two_way_lower import ROOT, SCATTER, SCATTERED, exceeds
from verify.mixed2022.two_way_scatter import MU, SLOPE, WIDE, S, V, clients, eta, sigma, x, y

R = sp.Rational
STEP = (eta, 0, R(1, 24))
G, B = sp.Integer(1), sp.Integer(2)


def rounds(size: sp.Expr) -> sp.Expr:
    """Up to here E x_t <= s, whatever the step: 2 sigma/5."""
    return R(2, 5) * size


def recursion_steps(edge: sp.Expr, least: sp.Expr) -> list[Step]:
    """Y_t = X - E x_t > 0 and Y_{t+1} >= (1 - e) Y_t for all t, if eta sigma = V >= ``least``; X = ``edge``.

    phi(x) >= x, and what is left of :func:`two_way_scatter.clients` is affine; x_{t+1} = x_t - e h_t with E h_t >= -Y_t.
    """
    phi, none = sp.Symbol("phi"), sp.Integer(0)
    _, b = two_local_steps(x, MU, -SLOPE, none)
    return [
        identity("centre's mean gradient", b, (1 - eta * MU / 2) * (MU * x - SLOPE)),
        sign("phi enters a with a factor >= 0", sp.diff(clients(phi, none), phi), (STEP,)),
        sign("E h >= -Y", (clients(x, none) + b).subs(x, edge - y) + y, (STEP, (y, 0, None), (V, least, None))),
        sign("X > x_0", edge, ()),
        sign("1 - e > 0", R(1, 2) - 2 * R(1, 24), ()),
    ]


def scatter_steps(wide: sp.Expr = WIDE) -> list[Step]:
    """E x_t <= s for t <= 2 sigma/5 and every e <= 1/12, so that E f(x_t) - f* >= s^2/2 (see two_way_scatter).

    * eta sigma >= 5/4 (``wide``): for ever, with X = s.
    * eta sigma < 5/4: with X = 3/5, Y_t >= (8/5) 4^(-et) is at least 2/5 for t <= 1/e.
    """
    edge = R(3, 5)
    return [
        *recursion_steps(S, wide),
        *recursion_steps(edge, sp.Integer(0)),
        identity("4^(-1/2), so that 4^(-e) <= 1 - e on [0, 1/2] (convexity)", sp.Integer(4) ** R(-1, 2), 1 - R(1, 2)),
        identity("Y_t at t = 1/e", (edge + 1) / 4, edge - S),
        identity("1/e at eta = 5/(4 sigma)", 1 / (2 * wide / sigma), rounds(sigma)),
    ]


def dissimilarity_steps() -> list[Step]:
    """2 (f_f'^2 + f_c'^2) <= G^2 + B^2 f'^2 for all x."""

    def excess(curvature: sp.Expr) -> sp.Expr:
        federated, central = curvature * x, MU * x - SLOPE
        return sp.expand(G**2 + B**2 * (federated + central) ** 2 - 2 * (federated**2 + central**2))

    right, left = excess(sp.Integer(1)), excess(MU)
    best = -right.coeff(x, 1) / (2 * right.coeff(x, 2))
    return [
        inequality("x >= 0", sp.Integer(0), right, squares=[(right.coeff(x, 2), x - best)], ranges=()),
        sign("x <= 0", left.subs(x, -x), ((x, 0, None),)),
    ]


CASE = "strongly convex"


def large_cohort() -> Tried:
    """2 sigma/5 rounds are more than every constant times the order, which does not grow with sigma; sqrt(1/50) > 7/50."""
    where = *SCATTER, f"{ROOT} >= 7/50", f"G = {G}", f"B = {B}"
    more = exceeds(str(rounds(sigma)), orders.order("PT", CASE).expression, *where)
    words = f"G = 1, B = 2, {ROOT} = sqrt(eps), {SCATTERED}"
    return for_every_constant([*scatter_steps(), *dissimilarity_steps()], more, words)


@asymptotic_claim(
    "MX-T1-PT-SC[eta_m = eta_s = 1, eta_c = eta]",
    fault="reading",
    source="Theorem B.1, Table 1",
    statement=orders.order("PT", CASE),
    assumptions=(
        *SAMPLING,
        "f_f, f_c beta-smooth and mu-convex, mu > 0",
        "Definition 4.2 with w_f = w_c = 1/2",
        "eta_m = eta_s = 1, eta_c = eta, step size chosen for eps",
    ),
    repair="MX-T1-PT-SC[eta_m = 1, other rates chosen]",
    printed=dict(widths="1"),
    headline="Parallel Training at unit server rates and large cohorts misses the printed order",
    summary="With eta_m = eta_s = 1, two local steps and large cohorts no step size makes the order true: the noise moves the "
    "local points of every client, and averaging does not remove what a gradient that is not linear makes of "
    "that. With eta_s = sqrt(S) it holds.",
    controls=[Control("eta_m eta_s >= sqrt(S)", dict(widths="sqrt(S)"), must="pass")],
)
def order(widths: str) -> Evidence:
    """The explicit number of rounds, which needs eta_m eta_s >= sqrt(S); else a run that needs more, whatever the step."""
    wide = widths == "sqrt(S)"
    return by_derivation(
        scripts_of(CASE, orders.order("PT", CASE).expression, LIMITS[CASE], "1", wide=wide),
        Tried(1) if wide else large_cohort(),
        method="The number of rounds from the round's hypotheses, with constants times the terms of the order.",
        valid_for="of the repair: eta_m = 1, eta_s = sqrt(S), as MX-T1-PT-SC[eta_m = 1, other rates chosen]",
    )


if __name__ == "__main__":
    run_script(__file__)
