"""Table 1 of Augenstein et al. (2022) without noise: the best number of rounds on quadratics depends on G as printed?

Two-sided bounds on T(eps) prove the dependence on eps and G for Parallel Training on the instance named; 1-way and 2-way GT
are linear whatever G is.  Factors log(1/eps) remain, which the orders hide.
"""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np
import sympy as sp

import fltheory as fl
from fltheory.evidence.kinds import asymptotic_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.steps import Step, identity, sign
from verify.mixed2022 import closed_forms
from verify.mixed2022.closed_forms import characteristic, eta_m, eta_s, j, lc, lf, moved, one_way_factor, two_way_matrix
from verify.mixed2022.drift_rounds import DRIFT_HIGH, DRIFT_LOW, drift_rounds, drift_steps, g, h, limit_over, s, tol
from verify.mixed2022.drift_rounds import merge as drift_merge
from verify.mixed2022.parabolas import end_of, mixed
from verify.mixed2022.settled import by_steps

F, R = Fraction, sp.Rational
table_1_claim = asymptotic_of_an_instance.sharing(source="Table 1")


def parallel(power: str, slope_power: str, merge: str) -> Evidence:
    """T(eps) against g^slope_power eps^-power log(1/eps): both bounds of T over it tend to constants as eps tends to 0."""
    p, q = F(power), F(slope_power)
    eps = R(3, 4) * tol**2
    size = g ** R(slope_power) * eps ** -R(power)
    limits = [limit_over(bound, size, sp.log(1 / eps), tol) for bound in (DRIFT_LOW, DRIFT_HIGH)]
    bounded = all(x.is_finite and x.is_positive for x in limits)
    steps = [
        *drift_steps(sp.S.One if merge == "1" else drift_merge),
        Step("both bounds over the claimed order tend to positive numbers", bounded, f"limits {limits}"),
        Step("these are the same for every g", not any(x.has(g) for x in limits), f"limits {limits}"),
    ]
    numbers, quotients = {}, []
    for exponent in (2, 4, 6, 8, 10):
        low, high = drift_rounds(1.0, 10.0**-exponent)
        claimed = 10.0 ** (exponent * float(p)) * log(10.0**exponent)
        quotients.append((low / claimed, high / claimed))
        numbers[f"eps=1e-{exponent}: T/claimed from"], numbers[f"eps=1e-{exponent}: T/claimed to"] = (
            float(f"{x / claimed:.4g}") for x in (low, high)
        )
    grown = [drift_rounds(10.0**k, 1e-6) for k in range(5)]
    text = ""
    if merge != "1":
        big, slope = 10**9, 10**4
        rate, goal = F(1, 48) / big, (4e-6 / 3) ** 0.5
        problem = mixed([(1, -slope)], (F(1, 2), 2 * slope))
        bias = end_of(problem, fl.ParallelTraining(2, rate, rate, merge_step_size=big))
        factor = 1 - big * (3 * rate - F(5, 4) * rate**2)
        if 2 * bias <= F(goal) and 0 < factor < 1:
            text = (
                f"g = 10^4, eps = 1e-6, eta_m = 10^9, eta = 1/(48 eta_m): bias {float(bias):.3g} below tol/2, T at most "
                f"{1 + log(2 / goal) / -log(float(factor)):.0f}, claimed at least {grown[-1][0]:.4g}"
            )
    elif not bounded:
        text = (
            f"g = 1, start 1: T/claimed is within [{quotients[0][0]:.3g}, {quotients[0][1]:.3g}] at "
            f"eps = 1e-2 and [{quotients[-1][0]:.3g}, {quotients[-1][1]:.3g}] at 1e-10"
        )
    elif any(x.has(g) for x in limits):
        text = (
            f"eps = 1e-6: T is within [{grown[0][0]:.4g}, {grown[0][1]:.4g}] at g = 1 and [{grown[-1][0]:.4g}, "
            f"{grown[-1][1]:.4g}] at g = 10^4, claimed g^{q}"
        )
    return by_steps(
        steps,
        lambda: text,
        method="fixed point and factor in closed form; x_T is a convex combination of start and fixed "
        "point, on one side of the minimiser; limits of the two bounds over the claimed order",
        valid_for="f_f = x^2/2 + g x, f_c = x^2/4 - g x, K = 2, eta_m = eta_s = 1, eta_c = eta, start D "
        "= 1, eps to zero; G is a multiple of g at fixed B > B_min",
        numbers=numbers,
    )


parallel_with_drift = asymptotic_of_an_instance(
    "MX-T1-FIT-PT.1",
    source="Table 1, Parallel Training",
    printed=dict(power="1/2", slope_power="1", merge="1"),
    statement=r"\sigma=\sigma_c=0,\ \eta_m=\eta_s=1,\ \eta_c=\eta:\ T(\epsilon)=\Theta(G\epsilon^{-1/2}\log\tfrac1\epsilon)",
    summary="At eta_m = 1 the best T(eps) of Parallel Training grows like eps^(-1/2) and linearly in G (two-sided bounds at "
    "eta_c = eta, up to log(1/eps)): a dissimilarity term is needed there.",
    controls=[
        Control("eps^(-12/25)", dict(power="12/25")),
        Control("G^(9/10)", dict(slope_power="9/10")),
        Control("eta_m free", dict(merge="free")),
    ],
)(parallel)


def geometric(family: str, power: str, merge: str) -> Evidence:
    """T(eps) = O(log(1/eps)) with a constant that does not depend on g."""
    if family == "parallel, eta_m free":
        # eta_m = m = max(1, g/(96 tol)), h = s/m, s = 1/48: h <= 1/48 and h <= 2 tol/g, so that T <= 1 + 24 log(2D/tol)
        rho = 1 - (3 * s - R(5, 4) * s * h)  # m h = s
        small = ((h, 0, R(1, 48)), (s, 0, R(1, 48)))
        steps = [
            *drift_steps(),
            sign("factor at eta_m = m, m h = s: at most 1 - 2s", 1 - 2 * s - rho, small),
            sign("factor at least 0", rho, small),
            identity("h = s/m at m = g/(96 tol) is 2 tol/g", R(1, 48) / (g / (96 * tol)), 2 * tol / g),
        ]
    else:
        one, half = moved(sp.Integer(1), h, 2), moved(R(1, 2), h, 2)
        # x - (round of x) at x* = 0: q_f g - q_c g, and q_f (g - g) as the clients add grad f_c(x*) = -g
        if family == "1-way":
            push, factor = sp.expand(one * (g + (-g))), one_way_factor(one).subs({lf: 1, lc: R(1, 2), eta_s: 1})
        else:
            push, factor = one * g - half * g, 1 - 3 * h + R(5, 4) * h**2
            push = push.subs(g, 0) if family == "parallel, G = 0" else push
        steps = [
            identity("no bias", push, 0),
            sign("factor at h = 1/48 at most 97/100", R(97, 100) - factor.subs(h, R(1, 48)), ()),
            sign("factor at least 0", factor.subs(h, R(1, 48)), ()),
        ]
    low, high = drift_rounds(1e4, 1e-10)
    size = sp.Symbol("size", positive=True)  # log(1/eps), of which T is a multiple, up to a constant
    quotient = sp.limit(size / size ** R(power), size, sp.oo)
    growth = f"T log(1/eps)^(-{power}) tends to infinity: T is between log(D/tol)/(-log rho) - 1 and that + 1"
    steps.append(Step("T over the claimed power of log(1/eps) stays bounded", bool(quotient.is_finite), growth))
    text = ""
    if family == "parallel, G > 0":
        text = f"eta_m = 1, g = 10^4, eps = 1e-10: T >= {low:.4g} for all eta = eta_c, log(1/eps) = {log(1e10):.3g}"
    elif F(power) != 1:
        text = (
            f"h = 1/48, eps = 1e-100: T >= {log(1e50) / 0.07:.4g}, claimed order log(1/eps)^{power} "
            f"= {log(1e100) ** float(F(power)):.4g}, and the quotient grows"
        )
    method = "closed form of the factor, x_T = rho^T x_0 + (1 - rho^T) b"
    return by_steps(steps, lambda: text, method=method, valid_for="curvatures (1, 1/2), K = 2, every slope g")


LESS = Control("log^(9/10)", dict(power="9/10"))
geometric_rows = [
    table_1_claim(
        "MX-T1-FIT-PT.2",
        printed=dict(family="parallel, G = 0", power="1", merge="1"),
        statement=r"G=0:\ T(\epsilon)=O(\log\tfrac1\epsilon)",
        summary="Without dissimilarity at the minimiser Parallel Training is linear.",
        controls=[Control("G > 0", dict(family="parallel, G > 0")), LESS],
    )(geometric),
    table_1_claim(
        "MX-T1-FIT-PT-U1",
        printed=dict(family="parallel, eta_m free", power="1", merge="free"),
        statement=r"\eta_m=\max(1,\tfrac g{96\,\mathrm{tol}}),\ \eta=\eta_c=\tfrac1{48\eta_m}:\ T("
        r"\epsilon)\le1+24\log\tfrac{2D}{\mathrm{tol}}\text{ for every }G,\ \mathrm{tol}^2=\tfrac43\epsilon",
        headline="With a large merging rate Parallel Training is linear whatever the dissimilarity",
        summary="With eta_m chosen as well (large, at the same effective step) Parallel Training is linear for "
        "every G: the condition eta_m >= 1 allows it.",
        controls=[Control("eta_m = 1", dict(family="parallel, G > 0"))],
    )(geometric),
    table_1_claim(
        "MX-T1-FIT-GT.1W",
        printed=dict(family="1-way", power="1", merge="1"),
        depends=("MX-ALG-STAB.2", "MX-SC-FINAL.1"),
        statement=r"\sigma=\sigma_c=0:\ T_{1w}(\epsilon)=O(\log\tfrac1\epsilon)\text{ for every }G",
        summary="1-way GT is linear whatever G is (on quadratics by its factor, which has no g; for all strongly "
        "convex losses by MX-SC-FINAL.1 without noise).",
        controls=[Control("Parallel Training instead", dict(family="parallel, G > 0")), LESS],
    )(geometric),
]


@asymptotic_of_an_instance(
    "MX-T1-FIT-GT.2W",
    source="Table 1, 2-way GT",
    printed=dict(initial="gradients"),
    depends=("MX-T1-CONDSUFF.2W[divisor eta_c]", "MX-ALG-STAB.4"),
    statement=r"\sigma=\sigma_c=0:\ T_{2w}(\epsilon)=O\big(\log\tfrac1\epsilon\big)\text{ with a constant "
    r"that does not depend on }G",
    summary="2-way GT is linear on the instance with a factor that does not depend on G. Started at the gradients the number "
    "of rounds does not depend on G at all; started at gt = 0 (allowed, the start is left open) it grows like log G.",
    controls=[Control("gt = 0 at the start", dict(initial="zero"))],
)
def two_way_linear(initial: str) -> Evidence:
    """The round on (x - x*, u - g_c(x*), v - g_f(x*)) has no slope in it; the start has one only for gt = 0."""
    slope_in = any(gs in two_way_matrix().free_symbols for gs in (closed_forms.gs, g))
    start = sp.Matrix([1, lc, lf]) if initial == "gradients" else sp.Matrix([1, g, -g])  # g_c(x*) = -g, g_f(x*) = g
    inside = closed_forms.roots_inside([F(str(x)) for x in characteristic(_numeric())])
    steps = [
        Step("no slope in the round", not slope_in, "slope in the matrix"),
        Step("stable at the largest printed step", inside, "unstable"),
        Step("no slope at the start", g not in start.free_symbols, "start (1, g, -g)"),
    ]
    rounds = {k: _rounds(start, 10.0**k) for k in (0, 4, 8, 12)}
    text = (
        f"curvatures (1, 1/2), K = 2, eps = 1e-6, start 1, gt = 0: T = {rounds[0]} at g = 1, {rounds[12]} at g = 10^12"
    )
    return by_steps(
        steps,
        lambda: text if rounds[12] > rounds[0] + 20 else "",
        method="linear recursion without g, spectral radius below one (Schur-Cohn, exact)",
        valid_for="curvatures (1, 1/2), K = 2, eta = 1/162",
        numbers={f"T at g=1e{k}": float(v) for k, v in rounds.items()},
    )


def _numeric() -> sp.Matrix:
    """The round matrix of 2-way GT at curvatures 1 and 1/2, K = 2, at a rate of 1/162."""
    rate = R(1, 162)
    at = {lf: 1, lc: R(1, 2), eta_m: 1, eta_s: 1, j: 2 * rate, closed_forms.k: 2 * rate}
    at |= {closed_forms.qf: rate * (2 - rate), closed_forms.qc: rate * (2 - rate / 2)}
    return two_way_matrix().subs(at)


def _rounds(start: sp.Matrix, slope: float) -> int:
    """Rounds until |x| < tol for good, eps = 1e-6, floats."""
    matrix = np.array(_numeric().tolist(), float)
    state = np.array(start.subs({g: slope, lc: R(1, 2), lf: 1}).tolist(), float)
    last = 0
    for t in range(1, 6000):
        state = matrix @ state
        last = t if abs(state[0, 0]) >= (4e-6 / 3) ** 0.5 else last
    return last + 1


if __name__ == "__main__":
    run_script(__file__)
