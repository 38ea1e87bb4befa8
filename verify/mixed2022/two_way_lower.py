"""2-way Gradient Transfer (Augenstein et al., 2022): numbers of rounds against which claimed bounds are held.

Each function gives an instance on which every admissible effective step e needs more rounds than the claim allows, in words, and
the comparison of the two as a statement.

The instances are those of :mod:`verify.mixed2022.two_way_line`; beta = 1, gt started at the gradients unless named.
"""

from fractions import Fraction
from math import log

import sympy as sp

from fltheory.evidence.relations import Relations
from fltheory.theory.mixed2022 import orders
from verify.mixed2022 import two_way_rate_steps
from verify.mixed2022.two_way_line import far, slow
from verify.mixed2022.two_way_scatter import ACCURACY

F = Fraction
TOPS = {"strongly convex": F(1, 81), "convex": F(1, 81), "non-convex": F(1, 24)}
#: Error measure: E f(x_t) - f* or E|grad f(x_t)|^2, its least value and every weighted mean over the rounds so far.
MEASURE = {"strongly convex": "f - f*", "convex": "f - f*", "non-convex": "|grad f|^2"}


#: log(1/eps) (or log max(e, mu D^2/eps)) and the root of eps, for which the bounds that are needed stand in a statement.
ELL, ROOT = sp.symbols("ell root", positive=True)


def exceeds(rounds: str, order: sp.Expr, *where: str) -> Relations:
    """So many rounds are more than every constant c >= 1 times the order; ``where``: what its letters are."""
    eps = orders.eps
    plain = sp.sympify(order).replace(sp.log, lambda _: ELL)
    plain = plain.replace(lambda x: x.is_Pow and x.base == eps and not x.exp.is_integer, lambda x: ROOT ** (2 * x.exp))
    return Relations(f"{rounds} > c*({plain}) for {'; '.join(('c >= 1', *where))}", names=orders.NAMES)


def order_of(case: str, factor: str = "K*S,K", power: str = "0") -> sp.Expr:
    """The claimed order."""
    return sum(two_way_rate_steps.claimed(case, factor, power), sp.Integer(0))


def without_noise(case: str, power: str) -> tuple[Relations, str]:
    """f_f = f_c = mu x^2/2, x0 = 1: error at least mu/4 (mu^2 for the gradient) for 1/(8 e mu) rounds, mu towards 0."""
    smooth = case == "non-convex"
    mu, eps = (ROOT**2, ROOT**4) if smooth else (4 * ROOT**2, ROOT**2)
    unit = {orders.V: 0, orders.C: 0, orders.beta: 1, orders.D2: 1, orders.F: mu, orders.mu: mu, orders.eps: eps}
    order = order_of(case, power=power).replace(sp.log, lambda _: ELL).subs(unit)
    where = "root = 1/(100*c)", f"mu = {mu}", f"eps = {eps}", f"0 <= {ELL} <= 2"
    return exceeds(f"{slow(TOPS[case], F(1))}/mu", order, *where), (
        f"f_f = f_c = mu x^2/2, x0 = 1, beta = D = 1, F = mu, no noise, any K and rates: {MEASURE[case]} >= eps for so many "
        f"rounds; {ELL} is the logarithm of max(e, mu/eps), below 2"
    )


def with_noise(case: str, factor: str) -> tuple[Relations, str]:
    """f_f = f_c = x^2/2, x0 = 1: E x_t^2 >= 1/4 for sqrt(W)/5 rounds whatever e, as W grows with K and S."""
    smooth = case == "non-convex"  # f - f* = x^2, |grad f|^2 = 4 x^2
    noise = ("V = 0", "C = K*W") if factor.startswith("K*S,") else ("V = K*S*W", "C = 0")
    where = "W = n**2", "K = W", "S = W", *noise, "mu = 1", "beta = 1", "F = 1" if smooth else "D_sq = 1"
    last = f"eps = {1 if smooth else '1/4'}", f"0 <= {ELL} <= 2"
    return exceeds("n/5", order_of(case, factor), "n = 1000*c", *where, *last), (
        "f_f = f_c = x^2/2, x0 = 1, sigma^2 = V, sigma_c^2 = C, W = sigma^2/(KS) + sigma_c^2/K, any rates: E "
        f"{MEASURE[case]} >= eps for t <= sqrt(W)/5; {ELL} is the logarithm of max(e, mu/eps), below 2"
    )


def zero_start(case: str) -> tuple[Relations, str]:
    """gt = 0, f_f = x^2/2 + g x, f_c = -g x, x0 = 1, K = 2, eta_m = eta_s = 1: |x_t| > 1/5 for any step and g large."""
    top, eps = TOPS[case], F(1, 25) if case == "non-convex" else F(1, 50)
    own = "F = 1/2" if case == "non-convex" else "D_sq = 1"
    where = "V = 0", "C = 0", "K = 2", "S >= 1", "beta = 1", own, f"eps = {eps}", "m = 10*c"
    return exceeds(f"{far(0, top)}*(1 + m/2)", order_of(case), *where), (
        f"gt = 0, f_f = x^2/2 + g x, f_c = -g x with g = 4^m {4 / top**2}, x0 = 1, K = 2, eta_m = eta_s = 1, eta_c = eta, no "
        f"noise: x_t > 1/5, so that {MEASURE[case]} > {eps} = eps, for t <= {far(0, top)} (1 + m/2) and every step"
    )


def large_cohort(case: str) -> tuple[Relations, str]:
    """eta_m = eta_s = 1, S at least 2 sigma^2/eps: the claimed order is bounded, the number of rounds at least sigma/(80 eps).

    D <= 3, F = 2s + 2s^2 with s = 1/5; without convexity S is so large that the run is the one of infinitely many clients.
    """
    own = "F = 12/25" if case == "non-convex" else "0 <= D_sq <= 9"
    where = "sigma = 1000*c", "V = sigma**2", "C = 0", "K = 2", "eps = 1/50", "S >= 2*V/eps", "beta = 1", own
    many = "any number above 2 sigma^2/eps" if case == "convex" else "500 9^T sigma^2, T = sigma/(80 eps)"
    return exceeds("sigma/(80*eps)", order_of(case), *where), (
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
    return exceeds("18*sigma/95", order_of("strongly convex"), *SCATTER), f"gt at the gradients, {SCATTERED}"


def bound_without_noise(case: str, start: str) -> tuple[Relations, str]:
    """``start`` beta D^2/n (or beta F/n) against the mean over the n > 1/(8 e mu) models of the slow instance."""
    claimed, least = (f"{start}*mu/n", "mu**2") if case == "non-convex" else (f"{start}/n", "mu/4")
    return Relations(f"{claimed} < {least} for 0 < mu <= 1; n > {slow(TOPS[case], F(1))}/mu"), (
        "f_f = f_c = mu x^2/2, x0 = 1, beta = D = 1, F = mu, no noise, T + 1 = n the least whole number in this range, any K and "
        f"rates: {MEASURE[case]} is at least the right side at all of these models, claimed is the left side"
    )


def bound_with_noise(case: str, start: str, root: sp.Expr, factor: str) -> tuple[Relations, str]:
    """``start``/n + ``root`` sqrt(claimed W/n), beta = D = F = 1, against 1/4 (1) at n = sqrt(W)/5 models."""
    client, centre = factor.split(",")
    noise = ("V = 0", "C = K*W") if factor.startswith("K*S,") else ("V = K*S*W", "C = 0")
    least = f"({1 if case == 'non-convex' else '1/4'} - {start}/n)"
    where = "n = 10**6", "W = (5*n)**2", "K = W", "S = W", *noise
    claimed = f"{root**2}*(V/({client}) + C/({centre}))/n"
    return Relations(f"{least} > 0; {least}**2 > {claimed} for {'; '.join(where)}"), (
        "f_f = f_c = x^2/2, x0 = 1, sigma^2 = V, sigma_c^2 = C, W = sigma^2/(KS) + sigma_c^2/K, T + 1 = n = sqrt(W)/5, any "
        f"rates: E {MEASURE[case]} is at least {1 if case == 'non-convex' else '1/4'} at all of these models; less the claimed "
        "first term its square exceeds that of the claimed second one"
    )


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
