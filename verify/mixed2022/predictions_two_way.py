"""Section 4.2 of Augenstein et al. (2022), third implication of Table 1: 2-way GT is at least as fast as the others?

As a statement about orders, term by term, and as a statement about runs on exact quadratics.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import read
from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.theory.mixed2022.orders import CASES, NOISE_SCALE, OPTIMISATION, B, C, G, K, S, V, terms
from fltheory.theory.steps import Instance, sign
from verify.mixed2022 import closed_forms
from verify.mixed2022.closed_forms import characteristic, eta_m, eta_s, j, lc, lf, qc, qf, roots_inside, value
from verify.mixed2022.settled import settle

F, R = Fraction, sp.Rational
QUAL = dict(kind=Kind.QUALITATIVE, scope=Scope.GENERAL)
POSITIVE = ((V, 0, None), (C, 0, None), (K, 1, None), (S, 1, None), (G, 0, None), (B, 1, None))


def factor_of(name: str, f: Fraction, centre: Fraction, rate: Fraction, steps: int) -> Fraction:
    """Contraction factor at eta_c = eta = rate, eta_s = eta_m = 1."""
    if name == "PT":
        return 1 - centre * value(centre, rate, steps) - f * value(f, rate, steps)
    return 1 - value(f, rate, steps) * (f + centre)


TWO = dict(**QUAL, source="Section 4.2, third implication")


def termwise(other: str, plant: str) -> Evidence:
    """Order of the other algorithm less that of 2-way GT, times KS and the scale, coefficient by coefficient."""
    scale = sp.sympify(plant, locals={"K": K})
    steps, instances = [], []
    at = {V: 0, C: 1, K: 3, S: 2, G: 0, B: 1}
    for case in CASES:
        mine, its = terms("2-w GT", case), terms(other, case)
        names = ["noise", "optimisation"]
        for name in names:
            unit = NOISE_SCALE[case] if name == "noise" else OPTIMISATION[case]
            gap = sp.simplify((its[name] - scale * mine[name]) / unit)
            steps.append(sign(f"{case}, {name}", gap, tuple(r for r in POSITIVE if r[0] in gap.free_symbols)))
            left, right = ((t / unit).subs(at) for t in (scale * mine[name], its[name]))
            instances.append(
                Instance(
                    f"{case}, {name} term: 2-way GT against {other}, K = 3, S = 2, sigma = 0, B = 1",
                    F(str(sp.nsimplify(left))),
                    F(str(sp.nsimplify(right))),
                )
            )
    return settle(
        steps,
        instances,
        method="term by term, the dissimilarity term of Parallel Training being nonnegative",
        valid_for="K, S, B >= 1",
    )


def at_largest(name: str, matched: str) -> Evidence:
    """f_f = f_c = x^2/2 (beta = 1, B = 1), K = 2: contraction per round at the largest step of Table 3, or at a common rate."""
    k = 2
    if matched == "largest":
        rates = {"PT": F(1, 12 * k), "1-w GT": F(1, 8 * k), "2-w GT": F(1, 81 * k)}
    else:
        rates = dict.fromkeys(("PT", "1-w GT", "2-w GT"), F(matched))
    other = abs(factor_of(name, F(1), F(1), rates[name], k))
    good = radius_at_most(rates["2-w GT"], k, other)
    return read(
        good,
        method="2-way GT contracts at least as fast if all roots of its cubic lie within the other's "
        "factor (Schur-Cohn on the scaled cubic, exact)",
        examined=1,
        counterexample=""
        if good
        else f"f_f = f_c = x^2/2, beta = 1, K = 2, eta_s = eta_m = 1, eta_c = eta = {rates['2-w GT']} "
        f"(2-way GT) and {rates[name]} ({name}): factor "
        f"{other} of {name}, 2-way GT is slower",
        numbers={f"factor of {name}": float(other)},
        valid_for="f_f = f_c = x^2/2, K = 2",
    )


def radius_at_most(rate: Fraction, steps: int, bound: Fraction) -> bool:
    """Whether the spectral radius of 2-way GT on curvatures (1, 1) is below ``bound`` (roots of p(bound

    z) inside the unit circle).
    """
    q, k = value(F(1), rate, steps), rate * steps
    at = {
        lf: 1,
        lc: 1,
        qf: R(str(q)),
        qc: R(str(q)),
        closed_forms.k: R(str(k)),
        j: R(str(k)),
        eta_m: 1,
        eta_s: 1,
    }
    p = [F(str(x)) for x in characteristic(closed_forms.two_way_matrix().subs(at))]
    return roots_inside([x * bound ** (3 - i) for i, x in enumerate(p)])


rows_two = [
    claim(
        "MX-IMPL-2W.1",
        **TWO,
        printed=dict(other="1-w GT", plant="1"),
        statement=r"\text{order of 2-w GT}\le\text{order of 1-w GT}",
        summary="The order of 2-way GT is at most that of 1-way GT, term by term.",
        controls=[Control("1.01 K times", dict(plant="101*K/100")), Control("K^2 times", dict(plant="K**2"))],
    )(termwise),
    claim(
        "MX-IMPL-2W.2",
        **TWO,
        printed=dict(other="PT", plant="1"),
        statement=r"\text{order of 2-w GT}\le\text{order of PT}",
        summary="The order of 2-way GT is at most that of Parallel Training, term by term.",
        controls=[Control("K times", dict(plant="K"))],
    )(termwise),
    claim(
        "MX-IMPL-2W.3[each at the largest step of Table 3]",
        **TWO,
        printed=dict(name="1-w GT", matched="largest"),
        repair="MX-IMPL-2W.1",
        statement=r"\rho_{2w}\le\rho_{1w}\text{ at the largest steps of Table 3}",
        summary="As a statement about runs it depends on the rates: at the largest steps of Table 3 2-way GT "
        "contracts more slowly than 1-way GT.",
        controls=[Control("equal rates 1/100", dict(matched="1/100"), must="pass")],
    )(at_largest),
    claim(
        "MX-IMPL-2W.3[equal rates, eta = 1/100]",
        **{**TWO, "scope": Scope.INSTANCE},
        printed=dict(name="1-w GT", matched="1/100"),
        statement=r"f_f=f_c=\tfrac{x^2}2,\ K=2:\ \rho_{2w}\le\rho_{1w}\text{ at }\eta=\eta_c=\tfrac1{100}",
        summary="At equal small rates 2-way GT contracts faster on this instance: both of its updates move along the gradient "
        "of f, so that its effective step is twice as long.",
        controls=[Control("eta = 1/4", dict(matched="1/4")), Control("largest steps", dict(matched="largest"))],
    )(at_largest),
]

if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
