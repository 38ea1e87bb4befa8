"""What the rows on rates and orders of 2-way GT state (:mod:`fltheory.theory.mixed2022.two_way_bounds`)."""

from collections.abc import Callable

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import one_round, orders
from fltheory.theory.mixed2022.one_round import K, beta
from fltheory.theory.mixed2022.two_way_bounds import R
from fltheory.theory.states import proves
from fltheory.theory.steps import Step


def supposed(limit: int) -> tuple[sp.Basic, ...]:
    """What the proofs suppose of the rates, with the effective step at most 1/(limit beta)."""
    e, eta, eta_s, S = one_round.e, one_round.eta, one_round.eta_s, one_round.S
    eta_c, eta_d, eta_m, J = sp.symbols("eta_c eta_d eta_m J")
    width = (eta_m * eta_s) ** 2
    wide = sp.Or(width >= S, limit * beta * S * e <= width)
    same = (sp.Eq(eta_c, eta * eta_s), sp.Eq(eta_d, eta_c), sp.Eq(J, K))
    return (*same, eta_s >= 1, eta_m >= 1, wide, limit * beta * e <= 1)


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
