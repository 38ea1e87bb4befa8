"""Section 4.1 of Augenstein et al. (2022): variances of batches and cohorts.

Single and pair terms of a batch or cohort are counted (any size), against enumeration of all batches.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.steps import Instance, equality, identity, inequality
from verify.mixed2022 import laws
from verify.mixed2022.declared import expectation_claim, qualitative_claim
from verify.mixed2022.laws import batch_moments
from verify.mixed2022.settled import settle

ONE, ZERO = Fraction(1), Fraction(0)


def signs(size: int) -> laws.Law:
    """Independent fair signs."""
    return laws.Law("independent signs", tuple((Fraction(1, 2**size), x) for x in product((ONE, -ONE), repeat=size)))


@expectation_claim(
    "MX-EQ5",
    source="eq. (5)",
    statement=r"\mathbb{E}\|\tfrac1S\sum_{i\in\mathcal{S}}g_i(x)-\nabla f_f(x)\|^2\le\tfrac{\sigma^2}S",
    summary="Variance of the cohort's gradient at one common x under Assumption 4.1: it needs answers that are independent "
    "given x (a client drawn twice must answer with a fresh batch); how the cohort is drawn does not matter.",
    assumptions=("Assumption 4.1", "the answers of the cohort are independent given x"),
    printed=dict(constant="1", answers="independent"),
    controls=[
        Control("sigma^2/S times 0.99", dict(constant="99/100")),
        Control("one client drawn S times, its answer used again", dict(answers="repeated")),
    ],
)
def cohort_variance(constant: str, answers: str) -> Evidence:
    """S single terms of variance v and S(S-1) pairs with covariance zero by independence and equal means."""
    k = sp.Rational(constant)
    S, v, pair = sp.symbols("S v pair", positive=True)
    total = (S * v + S * (S - 1) * pair) / S**2
    steps = (
        inequality(
            "single and pair terms",
            total.subs(pair, 0 if answers == "independent" else v),
            k * v / S,
            premises={},
            ranges=[(S, 1, None), (v, 0, None)],
        ),
    )

    def instances() -> list[Instance]:
        found = []
        for size in (1, 2, 3):
            law = signs(size) if answers == "independent" else laws.same_sign(size)
            moments = law.moments(conditional=False)
            found.append(
                Instance(
                    f"S = {size}, noise +-1 (fair, {answers}): variance of the mean",
                    moments.noise / size**2,
                    Fraction(constant) * moments.variance / size,
                )
            )
        return found

    return settle(
        steps,
        instances,
        method="S single terms, S(S-1) pairs.",
        valid_for="every S, dimension, way of drawing the cohort, x fixed before the answers",
        tightness=Tightness(1.0, Rung.PROOF, "E|g_i - grad f_f|^2 = sigma^2") if k == 1 else None,
    )


def batch_variance(scheme: str, cohort: bool) -> Evidence:
    """Exact variance laws V/m and V (n-m)/(m(n-1)), divided by S for a cohort, and their decrease."""
    n, m, S, V = sp.symbols("n m S V", positive=True)
    pair = {"with replacement": sp.Integer(0), "without replacement": -V / (n - 1), "one example repeated": V}[scheme]
    law = sp.factor((m * V + m * (m - 1) * pair) / m**2) / (S if cohort else 1)
    fall = (
        {"with replacement": V, "without replacement": V * n / (n - 1)}.get(scheme, V)
        / (m * (m + 1))
        / (S if cohort else 1)
    )
    steps = [identity("decrease from m to m + 1 is positive", law - law.subs(m, m + 1), fall)]
    if cohort:
        steps.append(identity("decrease from S to S + 1", law - law.subs(S, S + 1), law / (S + 1)))

    def instances() -> list[Instance]:
        values = [ZERO, ONE, Fraction(5), Fraction(2)]
        one = batch_moments(values, 1, "with replacement")[1]
        found, before = [], one
        for size in (1, 2, 3):
            exact = one if scheme == "one example repeated" else batch_moments(values, size, scheme)[1]
            formula = Fraction(str(sp.nsimplify(law.subs({S: 1, n: 4, m: size, V: sp.Rational(str(one))}))))
            found.append(equality(f"examples 0, 1, 5, 2, batch of {size}: variance", exact, formula))
            if size > 1:
                found.append(
                    Instance(f"the same: at most 0.99 of that of {size - 1}", exact, before * Fraction(99, 100))
                )
            before = exact
        return found

    return settle(
        steps,
        instances,
        method="m single terms and m(m-1) pairs; two draws without replacement have covariance -V/(n-1).",
        valid_for=f"all n > m >= 1, {scheme}",
        numbers=dict(variance=str(law)),
    )


_TEXT = {"1": ("|B_i|", "g_i and g_f", True), "3": ("|B_c|", "g_c", False)}
batch_rows = [
    qualitative_claim(
        f"MX-EQ6-BATCH.{part}[{scheme}]",
        source="Section 4.1, last sentences",
        statement=rf"\operatorname{{Var}}\text{{ of }}{who.replace(' and ', ',')}\text{{ falls strictly in }}{size}",
        summary=f"A larger {size} gives a smaller variance of {who}: proportional to 1/m with replacement, "
        "to (n-m)/(m(n-1)) without." + (" Larger cohorts divide it by S." if cohort else ""),
        printed=dict(scheme=scheme, cohort=cohort),
        controls=[Control("one example repeated m times", dict(scheme="one example repeated"))],
    )(batch_variance)
    for part, (size, who, cohort) in _TEXT.items()
    for scheme in ("with replacement", "without replacement")
]


@qualitative_claim(
    "MX-EQ6-BATCH.2",
    source="Section 4.1, last sentences",
    depends=("MX-EQ5",),
    statement=r"\operatorname{Var}(g_f)=\tfrac{1}{S}\operatorname{Var}(g_i)\text{ falls strictly in }S",
    summary="Larger cohorts reduce the variance of g_f, in proportion to 1/S under Assumption 4.1.",
    printed=dict(power="1"),
    controls=[Control("1/S^2", dict(power="2"))],
)
def cohort_size(power: str) -> Evidence:
    S, v = sp.symbols("S v", positive=True)
    law = v / S ** int(power)
    steps = (
        identity("S single terms", S * v / S**2, law),
        identity("decrease", v / S - v / (S + 1), v / (S * (S + 1))),
    )

    def instances() -> list[Instance]:
        exact = {size: signs(size).moments(conditional=False).noise / size**2 for size in (1, 2, 5)}
        return [
            equality(f"S = {size}, independent fair noise +-1: variance", value, Fraction(1, size ** int(power)))
            for size, value in exact.items()
        ]

    return settle(
        steps,
        instances,
        method="As equation (5), with equality for equal variances.",
        valid_for="every S",
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
