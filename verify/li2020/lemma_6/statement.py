"""Lemma 6 of Li et al. (2020): the bias of the fixed point to first order in the step size, in closed form (mu = 0).

With ``h = 1/(Np+2)``: ``(V - A_1 A) w* = h sum_j (e_{a_j-1} - e_{a_j+1})`` over the shared coordinates ``a_j``, ``A_1
A_2 w* = h (e_{p+1} - e_p)``, and ``A^{-1}`` of the former is ``h`` times a sawtooth ``u``.  The ratio of the two sides
of (34), without the factor 1/16, tends to ``|u|/sqrt(8)``, at least ``sqrt(5)/6``; so (34) holds for small steps.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.model import Control, Evidence, Kind, Rung, Scope, Tightness, claim
from fltheory.theory.proofs import is_zero, nonnegative_on
from verify.li2020.appendix_c.closed_forms import (
    N,
    gradient_steps,
    leading_ratio_squared,
    left_column,
    p,
    profile_norm_squared,
    profile_steps,
    right_column,
    source_steps,
    unit,
    vanishes,
)
from verify.li2020.appendix_c.example import Example, bias, block_start, instances, norm_squared

ETA = sp.Symbol("eta", positive=True)
GENERAL = "all N >= 2, p >= 2, mu = 0"


@claim(
    "LI-NONVAC",
    kind=Kind.IDENTITY,
    scope=Scope.GENERAL,
    source="Appendix C.4, after (34)",
    statement=r"A_1A_2\ne0,\quad \|A_1A_2w^*\|=\frac{\sqrt2}{Np+2}>0",
    summary="The lower bound is not vacuous; its norm in closed form.",
    printed=dict(other=2),
    controls=[Control("A_1 A_3 instead of A_1 A_2", dict(other=3))],
)
def li_nonvac(other: int) -> Evidence:
    value = sp.sqrt(2) / (N * p + 2)
    steps = gradient_steps() | {
        "A_2 w* = h e_{p+1} on block 1, and A_1 e_{p+1} = e_{p+1} - e_p": vanishes(
            right_column(p + 1) - unit(p + 1) + unit(p)
        )
        and vanishes(left_column(p + 1) - unit(p + 1) + unit(p + 2)),
        "block A_other begins at p + 1, where block 1 ends": is_zero(block_start(other, p) - (p + 1)),
    }
    found, count = "", 0
    for example in instances(4, 3):
        if example.n_clients < other:
            continue
        product, count = example.clients[0] * example.clients[other - 1] * example.optimum, count + 1
        claimed = value.subs({N: example.n_clients, p: example.block})
        if not found and norm_squared(product) != claimed**2:
            found = f"{example.name}: |A_1 A_{other} w*|^2 = {norm_squared(product)}, not {claimed**2}"
    return decide(
        steps,
        Tried(examined=count, counterexample=found),
        method="A_2 w* has entries of size h at the ends of block 2 only; A_1 sees the first of them.  All entries of "
        "w* are positive, but what counts is the jump of slope of a linear function.",
        valid_for=GENERAL,
    )


def limit_ratio_check(constant: sp.Expr) -> Evidence:
    """Is ``lim |w~*-w*| / ((E-1) eta |A_1 A_2 w*|) = |u|/sqrt(8)`` above ``constant`` for all N, p >= 2?"""
    squared = leading_ratio_squared()
    slack = squared - sp.sympify(constant) ** 2
    steps = (
        source_steps()
        | profile_steps()
        | {
            "|u|^2/8 exceeds the squared constant for all N, p >= 2": nonnegative_on(
                slack, [(N, 2, None), (p, 2, None)]
            )
            and bool(slack.subs({N: 2, p: 2}) > 0),
            "the least value over N, p >= 2 is 5/36, at N = p = 2": nonnegative_on(
                squared - sp.Rational(5, 36), [(N, 2, None), (p, 2, None)]
            ),
        }
    )
    found, count, table = "", 0, {}
    for example in instances(3, 3):
        a, count = example.clients, count + 1
        ratio = norm_squared(example.leading_bias) / norm_squared(a[0] * a[1] * example.optimum)
        table[example.name] = f"sqrt({ratio})"
        closed = squared.subs({N: example.n_clients, p: example.block})
        steps[f"closed form at {example.name}"] = bool(ratio == closed)
        if not found and ratio < sp.sympify(constant) ** 2:
            found = f"{example.name}: the limit of the ratio is sqrt({ratio}) < {constant}"
    sharp = sp.sqrt(5) / 6
    return decide(
        steps,
        Tried(examined=count, counterexample=found, margin=float(sharp / constant - 1)),
        method="The leading coefficient is A^{-1}(V-A_1A)w*/2 = h u/2 with an explicit sawtooth u; |u|^2 is summed in "
        "closed form and bounded below for all N, p by a polynomial with nonnegative coefficients.",
        valid_for=GENERAL + ", E >= 2, eta below a threshold that depends on N, p, E",
        numbers={"limit of the ratio": table, "|u|^2": str(profile_norm_squared())},
        tightness=None
        if constant > sharp
        else Tightness(
            float(sharp / constant),
            Rung.PROOF,
            "sqrt(5)/6, the least limit ratio over N, p (at N = p = 2); |u|/sqrt(8) for given N, p",
        ),
    )


_L6 = r"\|\tilde w^*-w^*\|\ge\frac{(E-1)\eta}{16}\|A_1A_2w^*\|"
_STEPS = ("LI-EQ35", "LI-L6-BR", "LI-L6-INV", "LI-L6-FIN.1", "LI-L6-FIN.2", "LI-L6-V.1", "LI-L6-V.2", "LI-L6-V.3")


li_lem6 = claim(
    "LI-LEM6",
    kind=Kind.LOWER_BOUND,
    scope=Scope.GENERAL,
    source="Lemma 6, eq. (34)",
    statement=_L6 + r"\quad\text{for } 0<\eta<\eta_0(N,p,E)",
    proof_steps=_STEPS,
    summary="The bias is at least (E-1) eta/16 |A_1A_2w*| for steps that are small for the given N, p and E.",
    printed=dict(constant=sp.Rational(1, 16)),
    controls=[Control("1/16 -> 1.01 sqrt(5)/6", dict(constant=sp.Rational(101, 100) * sp.sqrt(5) / 6))],
)(limit_ratio_check)


@claim(
    "LI-LEM6-S1",
    kind=Kind.ASYMPTOTIC,
    scope=Scope.GENERAL,
    source="Lemma 6",
    statement=r"\lim_{\eta\to0}\frac{\|\tilde "
    r"w^*-w^*\|^2}{(E-1)^2\eta^2}=" + sp.latex(sp.factor(profile_norm_squared() / 4 / (N * p + 2) ** 2)),
    summary="The leading coefficient of the bias is known exactly for all N and p.",
    printed=dict(scale=sp.Integer(1)),
    controls=[Control("times 1.01", dict(scale=sp.Rational(101, 100)))],
)
def li_lem6_sharp(scale: sp.Rational) -> Evidence:
    formula = scale * profile_norm_squared() / 4 / (N * p + 2) ** 2
    steps = (
        source_steps()
        | profile_steps()
        | {"h u/2 has the squared norm h^2 |u|^2/4": is_zero(formula - profile_norm_squared() / (2 * (N * p + 2)) ** 2)}
    )
    found, count = "", 0
    for example in instances(4, 4):
        truth, closed = norm_squared(example.leading_bias), formula.subs({N: example.n_clients, p: example.block})
        count += 1
        steps[f"summation of |u|^2 at {example.name}"] = bool(truth == closed)
        if not found and truth != closed:
            found = f"{example.name}: the limit is {truth}, the formula gives {closed}"
    return decide(
        steps,
        Tried(examined=count, counterexample=found),
        method="A^{-1} of the source is h times the sawtooth u (second differences of "
        "unit jumps); |u|^2 by exact summation.",
        valid_for=GENERAL + ", E >= 2",
    )


@claim(
    "LI-LEM6-S2",
    kind=Kind.LOWER_BOUND,
    scope=Scope.INSTANCE,
    source="Lemma 6",
    statement=_L6 + r"\quad\text{for all } 0<\eta\le\tfrac12,\ N=p=2,\ E=2,\dots,6",
    summary="How small is small: on the smallest example the bound holds over the whole range of contraction for E = "
    "2..6.",
    printed=dict(constant=Fraction(1, 16), last=6),
    controls=[Control("1/16 -> 2/5", dict(constant=Fraction(2, 5)))],
    quick=False,
)
def li_lem6_threshold(constant: Fraction, last: int) -> Evidence:
    example, found = Example(2, 2), ""
    target = norm_squared(example.clients[0] * example.clients[1] * example.optimum) * sp.Rational(constant) ** 2
    steps = {}
    for local in range(2, last + 1):
        slack = sp.fraction(sp.cancel(norm_squared(bias(example, local, ETA)) / ETA**2 - (local - 1) ** 2 * target))
        top, bottom = (sp.Poly(part, ETA) for part in slack)
        values = {at: top.eval(at) / bottom.eval(at) for at in (sp.Rational(1, 4), sp.Rational(1, 1000))}
        steps[f"E={local}: no sign change on (0, 1/2] and positive inside"] = bool(
            top.count_roots(0, sp.Rational(1, 2)) == 0 == bottom.count_roots(0, sp.Rational(1, 2))
            and min(values.values()) > 0
        )
        for at, value in values.items():
            if not found and value < 0:
                found = f"N=2, p=2, E={local}, eta={at}: squared distance minus squared bound is {value * at**2}"
    return decide(
        steps,
        Tried(counterexample=found),
        method="Sturm sequences of the exact squared distance minus the squared bound.",
        valid_for="N = p = 2, E = 2..6",
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
