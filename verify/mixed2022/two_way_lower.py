"""2-way Gradient Transfer (Augenstein et al., 2022): numbers of rounds against which claimed bounds are held.

Each function gives an instance on which every admissible effective step e needs more rounds than the claim allows, or "".
The instances are those of :mod:`verify.mixed2022.two_way_line`; beta = 1, gt started at the gradients unless named.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import log
from typing import Any

import sympy as sp

from fltheory.evidence.relations import Relations
from fltheory.theory.mixed2022 import orders
from fltheory.theory.mixed2022.orders import D2, C, K, S, V, beta
from verify.mixed2022 import two_way_rate_steps
from verify.mixed2022.two_way_line import far, slow
from verify.mixed2022.two_way_scatter import ACCURACY

F = Fraction
TOPS = {"strongly convex": F(1, 81), "convex": F(1, 81), "non-convex": F(1, 24)}
#: Error measure: E f(x_t) - f* or E|grad f(x_t)|^2, its least value and every weighted mean over the rounds so far.
MEASURE = {"strongly convex": "f - f*", "convex": "f - f*", "non-convex": "|grad f|^2"}


def evaluator(expression: sp.Expr) -> Callable[[Mapping[sp.Symbol, Any]], float]:
    """The float value at given numbers, log(1/eps) read as log max(e, mu D^2/eps)."""
    symbols = [V, C, K, S, beta, orders.mu, D2, orders.F, orders.eps]
    logarithm = sp.log(sp.Max(sp.E, orders.mu * D2 / orders.eps))
    made = sp.lambdify(symbols, sp.sympify(expression).subs(sp.log(1 / orders.eps), logarithm), "math")
    return lambda at: float(made(*(float(at.get(symbol, 0)) for symbol in symbols)))


def without_noise(case: str, power: str, constant: int = 10**4) -> str:
    """f_f = f_c = mu x^2/2, x0 = 1: error at least mu/4 (mu^2 for the gradient) for 1/(8 e mu) rounds, mu towards 0."""
    claimed = evaluator(two_way_rate_steps.claimed(case, "K*S,K", power)[1])
    for exponent in range(1, 60):
        mu = F(1, 2**exponent)
        eps = mu**2 if case == "non-convex" else mu / 4
        limit = constant * claimed({orders.mu: mu, beta: 1, D2: 1, orders.F: mu, orders.eps: eps})
        if slow(TOPS[case], mu) > limit:
            return (
                f"f_f = f_c = {mu} x^2/2, x0 = 1, eps = {eps}, no noise, any K and rates: {MEASURE[case]} >= eps for "
                f"t <= {slow(TOPS[case], mu)}, {constant} times the claimed order is {limit:.6g}"
            )
    return ""


def with_noise(case: str, factor: str, constant: int = 10**4) -> str:
    """f_f = f_c = x^2/2, x0 = 1: E x_t^2 >= 1/4 for sqrt(W)/5 rounds whatever e, as W grows with K or S."""
    claimed = evaluator(sum(two_way_rate_steps.claimed(case, factor, "0"), sp.Integer(0)))
    eps = F(1) if case == "non-convex" else F(1, 4)  # f - f* = x^2, |grad f|^2 = 4 x^2
    unit = dict.fromkeys((orders.mu, beta, D2, orders.F), 1)
    for exponent in range(2, 120, 2):
        for many, cohort in ((2**exponent, 1), (2, 2**exponent), (2**exponent, 2**exponent)):
            for client, central in ((many * cohort * 2**exponent, 0), (0, many * 2**exponent)):
                W = F(client, many * cohort) + F(central, many)
                limit = constant * claimed(unit | {V: client, C: central, K: many, S: cohort, orders.eps: eps})
                if float(W) ** 0.5 / 5 > limit:
                    return (
                        f"f_f = f_c = x^2/2, x0 = 1, K = {many:.6g}, S = {cohort:.6g}, sigma^2 = {client:.6g}, sigma_c^2 = "
                        f"{central:.6g}, eps = {eps}, any rates: E {MEASURE[case]} >= eps for t <= {float(W) ** 0.5 / 5:.6g}, "
                        f"{constant} times the claimed order is {limit:.6g}"
                    )
    return ""


#: log(1/eps) (or log max(e, mu D^2/eps)) and the root of eps, for which the bounds that are needed stand in a statement.
ELL, ROOT = sp.symbols("ell root", positive=True)


def exceeds(rounds: str, order: sp.Expr, *where: str) -> Relations:
    """So many rounds are more than every constant c >= 1 times the order; ``where``: what its letters are."""
    eps = orders.eps
    plain = sp.sympify(order).subs(sp.log(1 / eps), ELL)
    plain = plain.replace(lambda x: x.is_Pow and x.base == eps and not x.exp.is_integer, lambda x: ROOT ** (2 * x.exp))
    return Relations(f"{rounds} > c*({plain}) for {'; '.join(('c >= 1', *where))}", names=orders.NAMES)


def zero_start(case: str) -> tuple[Relations, str]:
    """gt = 0, f_f = x^2/2 + g x, f_c = -g x, x0 = 1, K = 2, eta_m = eta_s = 1: |x_t| > 1/5 for any step and g large."""
    top, eps = TOPS[case], F(1, 25) if case == "non-convex" else F(1, 50)
    own = "F = 1/2" if case == "non-convex" else "D_sq = 1"
    order = sum(two_way_rate_steps.claimed(case, "K*S,K", "0"), sp.Integer(0))
    where = "V = 0", "C = 0", "K = 2", "S >= 1", "beta = 1", own, f"eps = {eps}", "m = 10*c"
    return exceeds(f"{far(0, top)}*(1 + m/2)", order, *where), (
        f"gt = 0, f_f = x^2/2 + g x, f_c = -g x with g = 4^m {4 / top**2}, x0 = 1, K = 2, eta_m = eta_s = 1, eta_c = eta, no "
        f"noise: x_t > 1/5, so that {MEASURE[case]} > {eps} = eps, for t <= {far(0, top)} (1 + m/2) and every step"
    )


def large_cohort(case: str) -> tuple[Relations, str]:
    """eta_m = eta_s = 1, S at least 2 sigma^2/eps: the claimed order is bounded, the number of rounds at least sigma/(80 eps).

    D <= 3, F = 2s + 2s^2 with s = 1/5; without convexity S is so large that the run is the one of infinitely many clients.
    """
    own = "F = 12/25" if case == "non-convex" else "0 <= D_sq <= 9"
    order = sum(two_way_rate_steps.claimed(case, "K*S,K", "0"), sp.Integer(0))
    where = "sigma = 1000*c", "V = sigma**2", "C = 0", "K = 2", "eps = 1/50", "S >= 2*V/eps", "beta = 1", own
    many = "any number above 2 sigma^2/eps" if case == "convex" else "500 9^T sigma^2, T = sigma/(80 eps)"
    return exceeds("sigma/(80*eps)", order, *where), (
        f"f_f = max(0, x)^2/2, f_c = -2x/5, x0 = -1, K = 2, eta_m = eta_s = 1, eta_c = eta, client noise +-sigma, S = {many}, gt "
        f"at the gradients: E {MEASURE[case]} >= eps for t <= sigma/(80 eps) and every step, since the local points of each "
        "client scatter"
    )


#: The losses of :mod:`two_way_scatter`, with so large cohorts that the noise term is bounded; log(1/eps) is below 4.
SCATTERED = (
    "f_f = x^2/20 + (9/20) max(0, x)^2, f_c = x^2/20 - 11x/25, x0 = -1, K = 2, eta_m = eta_s = 1, eta_c = eta, client noise "
    f"+-sigma: E f(x_t) - f* >= eps for so many rounds and every step, since the local points of each client scatter; {ELL} is "
    "the logarithm, below 4 at this eps"
)
SCATTER = (
    "sigma = 1000*c",
    "V = sigma**2",
    "C = 0",
    "K = 2",
    f"eps = {ACCURACY}",
    "S >= 2*V/eps",
    "mu = 1/10",
    "beta = 1",
    f"0 <= {ELL} <= 4",
)


def large_cohort_strongly() -> tuple[Relations, str]:
    """The instance of :mod:`two_way_scatter`, mu = 1/10: at least 18 sigma/95 rounds, while the claimed order does not grow."""
    order = sum(two_way_rate_steps.claimed("strongly convex", "K*S,K", "0"), sp.Integer(0))
    return exceeds("18*sigma/95", order, *SCATTER), f"gt at the gradients, {SCATTERED}"


def bound_without_noise(case: str, start: Fraction) -> str:
    """``start`` beta D^2/n (or beta F/n) against the mean over the n > 1/(8 e mu) models of the slow instance, as mu falls."""
    top, mu = TOPS[case], F(1, 10**6)
    n = int(slow(top, mu)) + 1  # x_0, ..., x_{n-1}, all at least 1/2
    bound, least = (start * mu / n, mu**2) if case == "non-convex" else (start / n, mu / 4)
    if bound >= least:
        return ""
    return (
        f"f_f = f_c = {mu} x^2/2, x0 = 1, no noise, T + 1 = {n}, any K and rates: {MEASURE[case]} >= {least} at all of these "
        f"models, claimed {float(bound):.6g}"
    )


def bound_with_noise(case: str, start: float, on_root: float, factor: str) -> str:
    """``start``/n + ``on_root`` sqrt(claimed W/n), beta = D = F = 1, against 1/4 (1) at n = sqrt(W)/5 models."""
    client_over, central_over = (sp.sympify(x, locals={"K": K, "S": S}) for x in factor.split(","))
    least = 1.0 if case == "non-convex" else 0.25
    for exponent in range(10, 200, 10):
        for many, cohort in ((2**exponent, 1), (2, 2**exponent)):
            W = 4.0**12  # of one side, the other without noise
            n = W**0.5 / 5
            for client, over in ((True, client_over), (False, central_over)):
                variance = W * many * (cohort if client else 1)
                bound = start / n + on_root * (variance / float(over.subs({K: many, S: cohort})) / n) ** 0.5
                if bound < least:
                    side = "sigma^2" if client else "sigma_c^2"
                    return (
                        f"f_f = f_c = x^2/2, x0 = 1, K = {many:.6g}, S = {cohort:.6g}, {side} = {variance:.6g}, T + 1 = "
                        f"{int(n)}, any rates: E {MEASURE[case]} >= {least} at all of these models, claimed {bound:.6g}"
                    )
    return ""


def exponent_too_large(rate: Fraction) -> str:
    """(3/2) mu exp(-rate mu T/beta) against mu 16^(-j), which f(x_T) is at least for mu T = 729 j/38 and every e <= 1/81."""
    for j in range(1, 200):
        time = F(729, 38) * j
        if time >= 27 and log(1.5) - float(rate * time) < -j * log(16) - 1:
            return (
                f"f_f = f_c = mu x^2/2, x0 = 1, no noise, mu T = {time}, any K and rates: f(x_t) >= mu 16^(-{j}) for t <= T, "
                f"claimed (3/2) mu exp(-{float(rate * time):.6g})"
            )
    return ""
