"""Lemma 2 of the elastic aggregation supplement: right but at d_0 = 0, loose in its last constant; its three steps.

The sum telescopes to at most D/eta + c_1 eta + c_2 eta^2, D = d_0/(R+1), with equality for (d_0, 0, 0, ...).  Radicals go
away with D = z^6, c_1 = x^2, c_2 = y^3 (or u^3/2) and eta_max = 1/m.  The step 1/eta = m + x/z^3 + u/z^2 gives the sharp
constants 1, 2 and 3/2^(2/3) at once, without a case distinction.  For d_0 = 0 the right side is 0: no step reaches it if
c_1 + c_2 > 0, but small steps come arbitrarily close, so that with an infimum over the steps the lemma holds there, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import algebra_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.tight import against_the_best, attained
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Proof, Step, hypothesis, identity, inequality, sign
from verify.elastic2023 import elsewhere
from verify.elastic2023.enclosures import cube_root_between
from verify.elastic2023.tuning import LEMMA_2, LEMMA_2_SHARP, THIRD_SHARP, UNROLLED_2, c_1, c_2, d_0, eta

of_lemma_2 = algebra_claim.sharing(source="Lemma 2, (8)", proof_steps=("EL-LEM2.2", "EL-LEM2.3", "EL-LEM2.4"))

ONE, ZERO = Fraction(1), Fraction(0)
x, y, z, m, u = sp.symbols("x y z m u", nonnegative=True)
POSITIVE = [(x, 0, None), (y, 0, None), (z, Open(0), None), (m, Open(0), None), (u, 0, None)]
GENERAL = "all R >= 0, all sequences with d_0 > 0, eta_max > 0, c_1, c_2 >= 0"


def sum_by_definition(d: tuple[Fraction, ...], eta: Fraction, c_1: Fraction, c_2: Fraction) -> Fraction:
    """Psi_R with weights 1, d = (d_0, ..., d_{R+1})."""
    terms = [d[r - 1] / eta - d[r] / eta + c_1 * eta + c_2 * eta**2 for r in range(1, len(d))]
    return sum(terms, ZERO) / (len(d) - 1)


def unrolled_steps() -> tuple[Step, ...]:
    """``Psi_R = (d_0 - d_{R+1})/(eta (R+1)) + c_1 eta + c_2 eta^2`` by induction over R."""
    rounds, d, following, noise = sp.symbols("R d d_next noise", positive=True)
    total, one_more = (d_0 - d) / eta + rounds * noise, (d_0 - following) / eta + (rounds + 1) * noise
    return (
        identity("induction: one more term", total + (d - following) / eta + noise, one_more),
        identity("no term", total.subs({d: d_0, rounds: 0}), 0),
    )


def right_side(
    constants: tuple[Fraction, ...], share: Fraction, top: Fraction, root_1: Fraction, c_2: Fraction
) -> Fraction:
    """At or above the right side for D = share (a sixth power of a rational), c_1 = root_1^2."""
    first, second, third = constants
    root = cube_root_between(c_2)[1]
    sixth = Fraction(round(float(share) ** (1 / 6)))
    if sixth**6 != share:
        raise ValueError(f"share={share} is not the sixth power of an integer")
    return first * share / top + second * root_1 * sixth**3 + third * root * sixth**4


def statement(first: str, second: str, third: str, at_zero: str, sharp: bool) -> Evidence:
    """``min_eta Psi_R <= first D/eta_max + second sqrt(c_1 D) + third c_2^(1/3) D^(2/3)``.

    With ``sharp`` the last constant is ``third`` times 3/2^(2/3).  ``at_zero``: what is claimed for d_0 = 0, "nothing", the
    "infimum" over the steps, or "a step", which is to reach the right side.
    """
    a, b, k = sp.Rational(first), sp.Rational(second), sp.Rational(third)
    three_halves = sp.Rational(3, 2)
    last = k * three_halves if sharp else k / sp.cbrt(2)  # coefficient of u z^4, c_2^(1/3) = u/2^(1/3)
    inverse = m + x / z**3 + u / z**2
    value = z**6 * inverse + x**2 / inverse + u**3 / 2 / inverse**2
    steps = (
        *unrolled_steps(),
        sign(
            "the step 1/eta = m + x/z^3 + u/z^2",
            sp.together(z**6 * m + 2 * z**3 * x + three_halves * z**4 * u - value),
            POSITIVE,
        ),
        sign("eta <= eta_max", inverse - m, POSITIVE),
        identity("1/eta + eta >= 2 (used by an instance)", 1 / eta + eta - 2, (1 - eta) ** 2 / eta),
        identity(
            "1/eta + eta^2/2 >= 3/2 (used by an instance)",
            1 / eta + eta**2 / 2 - three_halves,
            (eta - 1) ** 2 * (eta + 2) / (2 * eta),
        ),
        Step(
            "the constants are at least 1, 2, 3/2^(2/3)", bool(a >= 1 and b >= 2 and last >= three_halves), "too small"
        ),
        hypothesis("a step is claimed for d_0 > 0 only, so that eta > 0", at_zero != "a step", "eta = 0 for d_0 = 0"),
        identity(
            "d_0 = 0: Psi_R <= c_1 eta + c_2 eta^2, which tends to the right side 0 with eta",
            sp.limit(c_1 * eta + c_2 * eta**2, eta, 0),
            0,
        ),
    )

    def instances() -> Iterator[Instance]:
        scale = Fraction(third) * (3 * (1 / cube_root_between(Fraction(4))[0]) if sharp else 1)
        constants, top, half = (Fraction(first), Fraction(second), scale), Fraction(10**4), Fraction(1, 2)
        for text, left, limit, root_1, square in (
            ("c_1 = c_2 = 0, eta_max = 1: D/eta >= 1", ONE, ONE, ZERO, ZERO),
            ("c_1 = 1, c_2 = 0, eta_max = 10^4: 1/eta + eta >= 2", 2 * ONE, top, ONE, ZERO),
            ("c_1 = 0, c_2 = 1/2, eta_max = 10^4: 1/eta + eta^2/2 >= 3/2", 3 * half, top, ZERO, half),
        ):
            right = right_side(constants, ONE, limit, root_1, square)
            yield Instance(f"R = 0, d = (1, 0), {text} for every step", left, right)
        if at_zero == "a step":
            small = Fraction(1, 1000)
            yield Instance(
                "R = 0, d = (0, 0), c_1 = 1, c_2 = 0, eta_max = 1: Psi_R = eta > 0 = right side for every "
                f"step, e.g. eta = {small}",
                sum_by_definition((ZERO, ZERO), small, ONE, ZERO),
                right_side(constants, ZERO, ONE, ONE, ZERO),
            )

    return decide(
        Proof(steps),
        instances,
        method="Telescoping by induction over R; then a rational inequality in the roots of D, c_1, c_2.",
        valid_for=GENERAL + ("; for d_0 = 0 as an infimum over the steps" if at_zero == "infimum" else ""),
        numbers={"3/2^(2/3)": float(THIRD_SHARP)},
        tightness=against_the_best(
            last / three_halves, "constants 1, 2, 3/2^(2/3) = 1.8899 (EL-LEM2-S1); none can be lowered"
        ),
    )


_THREE = [
    Control("1 -> 0.99 in front of d_0/(eta_max (R+1))", dict(first="99/100")),
    Control("2 -> 1.99 in front of the square root", dict(second="199/100")),
]

lemma_2 = of_lemma_2(
    "EL-LEM2.1[d_0 = 0 as an infimum over the steps]",
    statement=LEMMA_2,
    headline="A sublinear recursion, tuned: the bound as an infimum over the steps",
    summary="Averages of a sub-linear recursion, tuned: a step for every d_0 > 0; for d_0 = 0 the infimum over the steps is "
    "at most the right side.",
    assumptions=(
        "eta_max > 0",
        "c_1, c_2 >= 0",
        "R >= 0",
        "non-negative sequence",
        "d_0 = 0: the infimum over the steps",
    ),
    printed=dict(first="1", second="2", third="2", at_zero="infimum", sharp=False),
    controls=[
        *_THREE,
        Control("2 -> 1.87 in front of the last term (1.8899 is sharp)", dict(third="187/100")),
        Control("a step for d_0 = 0, too", dict(at_zero="a step")),
    ],
)(statement)

lemma_2_literal = of_lemma_2(
    "EL-LEM2.1[a step for every sequence]",
    statement=(LEMMA_2, r"\quad\text{for some }\eta\in(0,\eta_{\max}],\ d_0\ge0"),
    fault="missing hypothesis",
    headline="For the zero sequence no positive step reaches the bound",
    summary="Read literally a step exists for every non-negative sequence. For the zero sequence the right side is 0, and no "
    "positive step reaches it if c_1 + c_2 > 0.",
    assumptions=("eta_max > 0", "c_1, c_2 >= 0", "R >= 0", "non-negative sequence, d_0 = 0 included"),
    repair="EL-LEM2.1[d_0 = 0 as an infimum over the steps]",
    printed=dict(first="1", second="2", third="2", at_zero="a step", sharp=False),
    controls=[
        Control("infimum over the steps for d_0 = 0", dict(at_zero="infimum"), must="pass"),
        Control("d_0 > 0", dict(at_zero="nothing"), must="pass"),
        Control("constants 3, 3, 3, d_0 = 0 allowed", dict(first="3", second="3", third="3")),
    ],
)(statement)

lemma_2_sharp = algebra_claim(
    "EL-LEM2-S1",
    source="Lemma 2",
    statement=LEMMA_2_SHARP,
    headline="The tuned sublinear recursion with its three best constants",
    summary="The three constants 1, 2 and 3/2^(2/3), reached by the one step 1/eta = 1/eta_max + sqrt(c_1 (R+1)/d_0) + "
    "(2 c_2 (R+1)/d_0)^(1/3); each of them is the best.",
    elsewhere=elsewhere.SUBLINEAR,
    printed=dict(first="1", second="2", third="1", at_zero="nothing", sharp=True),
    controls=[*_THREE, Control("3/2^(2/3) times 0.99", dict(third="99/100"))],
)(statement)


@algebra_claim(
    "EL-LEM2.2",
    source="proof of Lemma 2, first display",
    statement=UNROLLED_2,
    summary="The sum telescopes.",
    printed=dict(coefficient="1", negative=False),
    controls=[
        Control("coefficient of d_0 times 0.99", dict(coefficient="99/100")),
        Control("the sequence may be negative", dict(negative=True)),
    ],
)
def unrolled(coefficient: str, negative: bool) -> Evidence:
    last, k = sp.Symbol("d_last", nonnegative=True), sp.Rational(coefficient)
    rest = (k - 1) * d_0 + (-last if negative else last)
    steps = (*unrolled_steps(), sign("what is left", rest, [(d_0, 0, None), (last, 0, None)]))

    def instances() -> Iterator[Instance]:
        sequences = [(ONE, ZERO), (Fraction(2), ONE, Fraction(3), ZERO), (ONE, Fraction(5))]
        sequences += [(ZERO, -ONE)] if negative else []
        for d in sequences:
            for step in (Fraction(1, 100), Fraction(1, 3)):
                text = f"d = ({', '.join(map(str, d))}), eta = {step}, c_1 = 2, c_2 = 3"
                right = Fraction(coefficient) * d[0] / (step * (len(d) - 1)) + 2 * step + 3 * step**2
                yield Instance(text, sum_by_definition(d, step, Fraction(2), Fraction(3)), right)

    return decide(
        Proof(steps),
        instances,
        method="Telescoping by induction over R; -d_{R+1} <= 0 is dropped.",
        valid_for="all R >= 0, eta > 0, c_1, c_2 >= 0",
        tightness=attained("equality for d_{R+1} = 0"),
    )


@algebra_claim(
    "EL-LEM2.3",
    source="proof of Lemma 2, first case",
    statement=r"c_1\eta_{\max}^2\le\tfrac{d_0}{R+1},\ c_2\eta_{\max}^3\le\tfrac{d_0}{R+1}:\quad \tfrac{d_0}{\eta_{\max}(R+1)}+"
    r"c_1\eta_{\max}+c_2\eta_{\max}^2\le\tfrac{d_0}{\eta_{\max}(R+1)}+\tfrac{\sqrt{c_1d_0}}{\sqrt{R+1}}+"
    r"\left(\tfrac{d_0}{R+1}\right)^{2/3}c_2^{1/3}",
    summary="First case: both noise terms are small at eta_max.",
    assumptions=("the two conditions of the case, uncertain in the scan, joined by 'and'",),
    printed=dict(second="1", third="1", both=True),
    controls=[
        Control("square root times 0.99", dict(second="99/100")),
        Control("last term times 0.99", dict(third="99/100")),
        Control("only one of the two conditions", dict(both=False)),
    ],
)
def first_case(second: str, third: str, both: bool) -> Evidence:
    b, k = sp.Rational(second), sp.Rational(third)
    premises = {"c_1 eta_max^2 <= D": (x / m, m * z**3 - x)}
    if both:
        premises["c_2 eta_max^3 <= D"] = (y * (m * z**2 + y) / m**2, m * z**2 - y)
    step = inequality(
        "at eta = eta_max",
        x**2 / m + y**3 / m**2,
        b * x * z**3 + k * y * z**4,
        premises=premises,
        ranges=[(x, 0, None), (y, 0, None), (z, 0, None), (m, Open(0), None)],
    )

    def instances() -> Iterator[Instance]:
        cases = [(ONE, ONE), (ONE, ZERO), (ZERO, ONE), *([] if both else [(ZERO, Fraction(2))])]
        for a, c in cases:
            text = f"d_0 = 1, R = 0, eta_max = 1, c_1 = {a**2}, c_2 = {c**3}, sums without d_0/(eta_max (R+1))"
            yield Instance(text, a**2 + c**3, Fraction(second) * a + Fraction(third) * c)

    return decide(
        Proof((step,)),
        instances,
        method="In roots x = sqrt(c_1), y = c_2^(1/3), z = D^(1/6), m = 1/eta_max: products of the two conditions.",
        valid_for="all parameters of the case",
        tightness=attained("equality when both conditions are equalities"),
    )


@algebra_claim(
    "EL-LEM2.4",
    source="proof of Lemma 2, second case",
    statement=r"\eta=\min\Big\{\sqrt{\tfrac{d_0}{c_1(R+1)}},\sqrt[3]{\tfrac{d_0}{c_2(R+1)}}\Big\}\le\eta_{\max}:\quad "
    r"\tfrac{d_0}{\eta(R+1)}+c_1\eta+c_2\eta^2\le\tfrac{2\sqrt{c_1d_0}}{\sqrt{R+1}}+"
    r"2\left(\tfrac{d_0}{R+1}\right)^{2/3}c_2^{1/3}",
    summary="In the second case the step is the smaller of the two that balance the terms, and the bound holds.",
    assumptions=("d_0 > 0",),
    printed=dict(second="2", third="2", choice="min"),
    controls=[
        Control("square root: 2 -> 1.99", dict(second="199/100")),
        Control("last term: 2 -> 1.99", dict(third="199/100")),
        Control("the larger of the two steps", dict(choice="max")),
    ],
)
def second_case(second: str, third: str, choice: str) -> Evidence:
    b, k = sp.Rational(second), sp.Rational(third)
    claimed = b * z**3 * x + k * z**4 * y
    more = sp.Symbol("p", nonnegative=True)

    def value(step: sp.Expr) -> sp.Expr:
        return z**6 / step + x**2 * step + y**3 * step**2

    root, cube = z**3 / x, z**2 / y  # the square root is the smaller step iff x >= y z
    first, other = (root, cube) if choice == "min" else (cube, root)
    above = [(z, Open(0), None), (x, Open(0), None), (y, 0, x / z)]
    beyond = [(m, Open(0), None), (z, Open(0), None), (more, 0, None)]
    below = [(z, Open(0), None), (y, Open(0), None), (x, 0, y * z)]
    steps = (
        sign("x >= y z", claimed - value(first), above),
        sign("y z >= x", claimed - value(other), below),
        sign("eta <= eta_max where x >= m z^3: 1/eta - m", sp.cancel((m * z**3 + more) / z**3 - m), beyond),
        sign("eta <= eta_max where y >= m z^2: 1/eta - m", sp.cancel((m * z**2 + more) / z**2 - m), beyond),
    )

    def instances() -> Iterator[Instance]:
        small, half = Fraction(1, 1000), Fraction(1, 2)
        for a, c in ((ONE, small), (small, ONE), (ONE, ONE), (ONE, half), (half, ONE)):
            eta = {"min": min, "max": max}[choice](1 / a, 1 / c)
            text = f"d_0 = 1, R = 0, c_1 = {a**2}, c_2 = {c**3}, eta = {eta}"
            yield Instance(text, 1 / eta + a**2 * eta + c**3 * eta**2, Fraction(second) * a + Fraction(third) * c)

    return decide(
        Proof(steps),
        instances,
        method="In roots of D, c_1, c_2, separately for each of the two steps being the smaller one.",
        valid_for="d_0 > 0, c_1 + c_2 > 0, and c_1 eta_max^2 >= D or c_2 eta_max^3 >= D",
        tightness=attained("for this step: limits c_2 to 0 and c_1 to 0"),
    )


if __name__ == "__main__":
    run_script(__file__)
