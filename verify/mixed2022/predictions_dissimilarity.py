"""Section 4.2 of Augenstein et al. (2022), first implication of Table 1: large G and B slow Parallel Training only."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import read
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022.orders import G
from fltheory.theory.steps import Instance, Step, identity, sign
from verify.mixed2022.closed_forms import gs, lc, lf, moved, one_way_factor
from verify.mixed2022.declared import qualitative_claim, qualitative_of_an_instance
from verify.mixed2022.settled import settle

F, R = Fraction, sp.Rational
h, delta = sp.symbols("h delta", positive=True)
IMPL_GB = dict(source="Section 4.2, first implication")


def large_slope(merge: str) -> Evidence:
    """MX-T1-FIT-PT.1 (T at least log(D/tol)(g/(18 tol) - 1)) against the factor of 1-way GT, which has no

    g; eta_m large instead.
    """
    bias = (
        (2 * h * G / (12 - 5 * h))
        if merge == "1"
        else sp.limit((2 * (h / delta) * G / (12 - 5 * h / delta)), delta, sp.oo)
    )
    steps = [sign("bias grows with g", sp.diff(bias, G) - h / 6, ((h, 0, R(1, 48)), (G, 0, None)))]
    transfer = one_way_factor()
    steps.append(Step("1-way GT without g", gs not in transfer.free_symbols, "slope in the factor"))
    good = all(s.verified for s in steps)
    return read(
        good,
        method="fixed point of Parallel Training (curvatures 1 and 1/2, K = 2) in closed form; 1-way "
        "and 2-way GT have no bias and no g in their round",
        examined=2,
        counterexample=""
        if good
        else "f_f = x^2/2 + g x, f_c = x^2/4 - g x, K = 2, eta_m = m, eta = eta_c = 1/(48 m), m = max(1, g/(96 tol)): "
        "the fixed point 2 eta g/(12 - 5 eta) is at most tol/2 and the factor at most 1 - 2/48, so that "
        "T <= 1 + 24 log(2D/tol) for every g",
        valid_for="the quadratics of MX-T1-FIT-PT.1",
    )


def large_b(merge: str) -> Evidence:
    """f_f = (1 + d) x^2/2, f_c = -x^2/2 (G = 0, B of order 1/d), K = 2: Parallel Training needs eta < d

    and factor 1 - d^2/2 at best.
    """
    q_f, q_c = moved(1 + delta, h, 2), moved(sp.Integer(-1), h, 2)
    parallel = sp.expand(1 - (1 + delta) * q_f + q_c)
    transfer = 1 - delta * moved(1 + delta, R(1, 72), 2)  # at most the printed step 1/(18 K beta), beta <= 2
    if merge != "1":
        step = sp.Symbol("m", positive=True)
        parallel = sp.limit(sp.expand(1 - step * ((1 + delta) * q_f - q_c)).subs(h, R(1, 72) / step), step, sp.oo)
    ranges = ((delta, 0, 1),)
    best = 1 - delta**2 / (1 + (1 + delta) ** 2)
    square = (1 + (1 + delta) ** 2) * (h - delta / (1 + (1 + delta) ** 2)) ** 2
    steps = [
        identity("factor of Parallel Training", parallel, best + square),
        sign("at best 1 - d^2/2", best - (1 - delta**2 / 2), ranges),
        sign("1-way GT: factor at most 1 - d/40", 1 - delta / 40 - transfer, ranges),
    ]
    small = R(1, 1000)
    rho = F(str((parallel if merge == "1" else parallel).subs({delta: small}).subs(h, small / (1 + (1 + small) ** 2))))
    instances = [
        Instance(
            f"d = 1/1000, 40 (1 - rho) of Parallel Training at its best against d, eta_m = {merge}",
            40 * (1 - rho),
            F(1, 1000),
        )
    ]
    return settle(
        steps,
        instances,
        method="completed square in eta: best factor 1 - d^2/(1 + (1 + d)^2); 1-way GT at one admissible step",
        valid_for="0 < d <= 1, K = 2, eta_m = eta_s = 1, eta_c = eta, beta = 1 + d; non-convex centre",
    )


rows_gb = [
    qualitative_of_an_instance(
        "MX-IMPL-GB.1[eta_m = 1]",
        **IMPL_GB,
        printed=dict(merge="1"),
        depends=("MX-T1-FIT-PT.1", "MX-T1-FIT-GT.1W", "MX-T1-FIT-GT.2W"),
        statement=r"G\to\infty:\ T_{PT}\to\infty,\ T_{1w},T_{2w}\text{ do not depend on }G",
        summary="At eta_m = 1 large G makes Parallel Training slower (linearly in G; for all rates: the instance of "
        "MX-T1-PT-C), the Gradient Transfer methods not.",
        controls=[Control("eta_m to infinity", dict(merge="infinity"))],
    )(large_slope),
    qualitative_of_an_instance(
        "MX-IMPL-GB.1[eta_m chosen as well]",
        **IMPL_GB,
        printed=dict(merge="infinity"),
        depends=("MX-T1-FIT-PT-S1",),
        repair="MX-IMPL-GB.1[eta_m = 1]",
        statement=r"G\to\infty:\ \min_{\eta_m}T_{PT}\to\infty",
        summary="With large eta_m (which the conditions allow) and proportionally small rates Parallel Training does not "
        "feel G.",
        controls=[Control("eta_m = 1", dict(merge="1"), must="pass")],
    )(large_slope),
    qualitative_of_an_instance(
        "MX-IMPL-GB.2[eta_m = 1]",
        **IMPL_GB,
        printed=dict(merge="1"),
        statement=r"G=0,\ B\sim1/\delta:\ 1-\rho_{PT}\le\tfrac{\delta^2}2,\ 1-\rho_{1w}\ge\tfrac\delta{40}",
        summary="Large B alone (G = 0; here a non-convex central loss) also slows Parallel Training: by a factor of order B "
        "against 1-way GT, at matched rates eta_c = eta (with G = 0 unequal rates can avoid it, and so can large eta_m with "
        "steps that do not shrink like 1/B^2 as the condition wants).",
        controls=[Control("eta_m to infinity at eta_m eta = 1/72", dict(merge="infinity"))],
    )(large_b),
]


@qualitative_claim(
    "MX-IMPL-GB-S1",
    source="Definition 4.2 on convex quadratics",
    printed=dict(bound="2"),
    statement=r"\lambda_f,\lambda_c\ge0\Rightarrow B_{\min}^2\le2\text{ (}w_f=\tfrac12\text{)}",
    summary="Convex quadratics with commuting Hessians have B^2 <= 2: large B needs non-commuting or non-convex losses.",
    controls=[Control("1.99", dict(bound="199/100"))],
)
def small_b(bound: str) -> Evidence:
    """B^2 = 1 + ((lambda_f - lambda_c)/(lambda_f + lambda_c))^2, coordinate by coordinate (G large enough)."""
    f, c = lf, lc
    value = 1 + ((f - c) / (f + c)) ** 2
    steps = [
        sign("bound", R(bound) - value, ((f, 0, None), (c, 0, None))),
        identity("ratio", (2 * f**2 + 2 * c**2) / (f + c) ** 2, value),
    ]

    def instances() -> list[Instance]:
        return [
            Instance(f"curvatures {a} and {b}: B^2", 1 + F(a - b, a + b) ** 2, F(bound))
            for a, b in ((1, 1), (1, 0), (1, 5))
        ]

    return settle(
        steps,
        instances,
        method="infimum over admissible pairs, from the ratio at large x",
        valid_for="lambda_f, lambda_c >= 0, not both 0",
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
