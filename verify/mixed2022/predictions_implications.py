"""Section 4.2 of Augenstein et al. (2022), first and third implication of Table 1: what slows Parallel Training down?

Large G and B slow Parallel Training only; 2-way GT is at least as fast as the others, as a statement about orders, term by term,
and as a statement about runs on exact quadratics."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp

import fltheory as fl
from fltheory.evidence.decide import read
from fltheory.evidence.kinds import qualitative_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence, Scope
from fltheory.theory.mixed2022.orders import CASES, NOISE_SCALE, OPTIMISATION, B, C, G, K, S, V, terms
from fltheory.theory.steps import Instance, Step, identity, sign
from verify.mixed2022 import closed_forms
from verify.mixed2022 import drift_rounds as drift
from verify.mixed2022.closed_forms import (
    characteristic,
    eta_m,
    eta_s,
    gs,
    j,
    lc,
    lf,
    moved,
    one_way_factor,
    qc,
    qf,
    roots_inside,
    two_way_matrix,
    value,
)
from verify.mixed2022.parabolas import mixed
from verify.mixed2022.settled import by_steps, settle

F, R = Fraction, sp.Rational
h, delta = sp.symbols("h delta", positive=True)
of_instances = qualitative_of_an_instance.sharing(source="Section 4.2, first implication")


def rounds_needed(slope: int, eta_m: int, accuracy: Fraction, most: int) -> bool:
    """Whether an exact run of Parallel Training at eta = eta_c = 1/(48 eta_m) from 1 ends within ``accuracy`` of 0."""
    problem = mixed([(1, -slope)], (F(1, 2), 2 * slope))
    rate = F(1, 48 * eta_m)
    method = fl.ParallelTraining(2, rate, rate, merge_step_size=eta_m)
    found = fl.moments(problem, method, rounds=most, start=np.array([F(1)]), exact=True, every=most)
    return bool(found.squared_distance[-1] <= accuracy**2)


def large_slope(merge: str) -> Evidence:
    """T of Parallel Training is at least log(1/tol)(g/(18 tol) - 1) at eta_m = 1; that of Gradient Transfer has no g."""
    one, free = moved(sp.Integer(1), h, 2), {drift.g, gs}
    steps = [
        *drift.drift_steps(sp.S.One if merge == "1" else drift.merge),
        identity(
            "the lower bound is linear in g", drift.DRIFT_LOW, sp.log(1 / drift.tol) * (drift.g / (18 * drift.tol) - 1)
        ),
        Step("and grows without limit", sp.limit(drift.DRIFT_LOW.subs(drift.tol, R(1, 10)), drift.g, sp.oo) == sp.oo),
        identity("1-way GT: no bias, as the clients add grad f_c(x*) = -g", one * (drift.g + (-drift.g)), 0),
        Step("1-way GT: no slope in the factor", not free & one_way_factor().free_symbols),
        Step("2-way GT: no slope in the round", not free & two_way_matrix().free_symbols),
    ]
    tol, most = F(1, 10), 73  # 1 + 24 log(2/tol) is above 72.8

    def counterexample() -> str:
        if merge == "1":
            return ""
        slopes = (10**3, 10**6, 10**9)
        # eta_m = g/(96 tol) up to a whole number
        reached = all(rounds_needed(g, max(1, -(-g * 10 // 96)), tol, most) for g in slopes)
        runs = f"g = 10^3, 10^6, 10^9: {most} rounds from 1 reach 1/10, in exact arithmetic"
        return (
            "f_f = x^2/2 + g x, f_c = x^2/4 - g x, K = 2, eta_m = m, eta = eta_c = 1/(48 m), m = max(1, g/(96 tol)): "
            "the fixed point 2 eta g/(12 - 5 eta) is at most tol/2 and the factor at most 1 - 2/48, so that "
            f"T <= 1 + 24 log(2D/tol) for every g; {runs}"
            if reached
            else ""
        )

    return by_steps(
        steps,
        counterexample,
        method="fixed point of Parallel Training (curvatures 1 and 1/2, K = 2) in closed form and the lower bound on T for all "
        "rates; 1-way and 2-way GT have no bias and no g in their round",
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
    rho = F(str(parallel.subs({delta: small}).subs(h, small / (1 + (1 + small) ** 2))))
    name = f"d = 1/1000, 40 (1 - rho) of Parallel Training at its best against d, eta_m = {merge}"
    instances = [Instance(name, 40 * (1 - rho), F(1, 1000))]
    method = "completed square in eta: best factor 1 - d^2/(1 + (1 + d)^2); 1-way GT at one admissible step"
    valid_for = "0 < d <= 1, K = 2, eta_m = eta_s = 1, eta_c = eta, beta = 1 + d; non-convex centre"
    return settle(steps, instances, method=method, valid_for=valid_for)


rows_gb = [
    of_instances(
        "MX-IMPL-GB.1[eta_m = 1]",
        printed=dict(merge="1"),
        depends=("MX-T1-FIT-PT.1", "MX-T1-FIT-GT.1W", "MX-T1-FIT-GT.2W"),
        statement=r"G\to\infty:\ T_{PT}\to\infty,\ T_{1w},T_{2w}\text{ do not depend on }G",
        summary="At eta_m = 1 large G makes Parallel Training slower (linearly in G; for all rates: the instance of "
        "MX-T1-PT-C), the Gradient Transfer methods not.",
        controls=[Control("eta_m to infinity", dict(merge="infinity"))],
    )(large_slope),
    of_instances(
        "MX-IMPL-GB.1[eta_m chosen as well]",
        fault="reading",
        printed=dict(merge="infinity"),
        depends=("MX-T1-FIT-PT-U1",),
        repair="MX-IMPL-GB.1[eta_m = 1]",
        statement=r"G\to\infty:\ \min_{\eta_m}T_{PT}\to\infty",
        headline="With a large merging rate Parallel Training does not feel the dissimilarity",
        summary="With large eta_m (which the conditions allow) and proportionally small rates Parallel Training does not "
        "feel G.",
        controls=[Control("eta_m = 1", dict(merge="1"), must="pass")],
    )(large_slope),
    of_instances(
        "MX-IMPL-GB.2[eta_m = 1]",
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
    headline="Quadratics whose Hessians commute have squared slope at most two",
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
    instances = [
        Instance(f"curvatures {a} and {b}: B^2", 1 + F(a - b, a + b) ** 2, F(bound))
        for a, b in ((1, 1), (1, 0), (1, 5))
    ]
    method = "infimum over admissible pairs, from the ratio at large x"
    return settle(steps, instances, method=method, valid_for="lambda_f, lambda_c >= 0, not both 0")


third_implication = qualitative_claim.sharing(source="Section 4.2, third implication")
POSITIVE = ((V, 0, None), (C, 0, None), (K, 1, None), (S, 1, None), (G, 0, None), (B, 1, None))


def factor_of(name: str, f: Fraction, centre: Fraction, rate: Fraction, steps: int) -> Fraction:
    """Contraction factor at eta_c = eta = rate, eta_s = eta_m = 1."""
    if name == "PT":
        return 1 - centre * value(centre, rate, steps) - f * value(f, rate, steps)
    return 1 - value(f, rate, steps) * (f + centre)


def termwise(other: str, plant: str) -> Evidence:
    """Order of the other algorithm less that of 2-way GT, times KS and the scale, coefficient by coefficient."""
    scale = sp.sympify(plant, locals={"K": K})
    steps, instances = [], []
    at = {V: 0, C: 1, K: 3, S: 2, G: 0, B: 1}
    for case in CASES:
        mine, its = terms("2-w GT", case), terms(other, case)
        for name, unit in (("noise", NOISE_SCALE[case]), ("optimisation", OPTIMISATION[case])):
            gap = sp.simplify((its[name] - scale * mine[name]) / unit)
            steps.append(sign(f"{case}, {name}", gap, tuple(r for r in POSITIVE if r[0] in gap.free_symbols)))
            sides = [F(str(sp.nsimplify((t / unit).subs(at)))) for t in (scale * mine[name], its[name])]
            words = f"{case}, {name} term: 2-way GT against {other}, K = 3, S = 2, sigma = 0, B = 1"
            instances.append(Instance(words, *sides))
    method = "term by term, the dissimilarity term of Parallel Training being nonnegative"
    return settle(steps, instances, method=method, valid_for="K, S, B >= 1")


def at_largest(name: str, matched: str) -> Evidence:
    """f_f = f_c = x^2/2 (beta = 1, B = 1), K = 2: contraction per round at the largest step of Table 3, or at a common rate."""
    k = 2
    if matched == "largest":
        rates = {"PT": F(1, 12 * k), "1-w GT": F(1, 8 * k), "2-w GT": F(1, 81 * k)}
    else:
        rates = dict.fromkeys(("PT", "1-w GT", "2-w GT"), F(matched))
    other = abs(factor_of(name, F(1), F(1), rates[name], k))
    return read(
        radius_at_most(rates["2-w GT"], k, other),
        method="2-way GT contracts at least as fast if all roots of its cubic lie within the other's "
        "factor (Schur-Cohn on the scaled cubic, exact)",
        examined=1,
        counterexample=f"f_f = f_c = x^2/2, beta = 1, K = 2, eta_s = eta_m = 1, eta_c = eta = {rates['2-w GT']} "
        f"(2-way GT) and {rates[name]} ({name}): factor "
        f"{other} of {name}, 2-way GT is slower",
        numbers={f"factor of {name}": float(other)},
        valid_for="f_f = f_c = x^2/2, K = 2",
    )


def radius_at_most(rate: Fraction, steps: int, bound: Fraction) -> bool:
    """Whether the spectral radius of 2-way GT on curvatures (1, 1) is below ``bound`` (roots of p(bound

    z) inside the unit circle).
    """
    q, k = R(str(value(F(1), rate, steps))), R(str(rate * steps))
    at = {lf: 1, lc: 1, qf: q, qc: q, closed_forms.k: k, j: k, eta_m: 1, eta_s: 1}
    p = [F(str(x)) for x in characteristic(closed_forms.two_way_matrix().subs(at))]
    return roots_inside([x * bound ** (3 - i) for i, x in enumerate(p)])


rows_two = [
    third_implication(
        "MX-IMPL-2W.1",
        printed=dict(other="1-w GT", plant="1"),
        statement=r"\text{order of 2-w GT}\le\text{order of 1-w GT}",
        summary="The order of 2-way GT is at most that of 1-way GT, term by term.",
        controls=[Control("1.01 K times", dict(plant="101*K/100")), Control("K^2 times", dict(plant="K**2"))],
    )(termwise),
    third_implication(
        "MX-IMPL-2W.2",
        printed=dict(other="PT", plant="1"),
        statement=r"\text{order of 2-w GT}\le\text{order of PT}",
        summary="The order of 2-way GT is at most that of Parallel Training, term by term.",
        controls=[Control("K times", dict(plant="K"))],
    )(termwise),
    third_implication(
        "MX-IMPL-2W.3[each at the largest step of Table 3]",
        fault="reading",
        printed=dict(name="1-w GT", matched="largest"),
        repair="MX-IMPL-2W.1",
        statement=r"\rho_{2w}\le\rho_{1w}\text{ at the largest steps of Table 3}",
        headline="At their largest printed steps 2-way transfer is slower than 1-way",
        summary="As a statement about runs it depends on the rates: at the largest steps of Table 3 2-way GT "
        "contracts more slowly than 1-way GT.",
        controls=[Control("equal rates 1/100", dict(matched="1/100"), must="pass")],
    )(at_largest),
    third_implication(
        "MX-IMPL-2W.3[equal rates, eta = 1/100]",
        scope=Scope.INSTANCE,
        printed=dict(name="1-w GT", matched="1/100"),
        statement=r"f_f=f_c=\tfrac{x^2}2,\ K=2:\ \rho_{2w}\le\rho_{1w}\text{ at }\eta=\eta_c=\tfrac1{100}",
        summary="At equal small rates 2-way GT contracts faster on this instance: both of its updates move along the gradient "
        "of f, so that its effective step is twice as long.",
        controls=[Control("eta = 1/4", dict(matched="1/4")), Control("largest steps", dict(matched="largest"))],
    )(at_largest),
]


if __name__ == "__main__":
    run_script(__file__)
