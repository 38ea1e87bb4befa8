"""Lemma 3 of the elastic aggregation supplement: the relaxed triangle inequality, both parts and the printed proof.

Identities between quadratic forms, proved for scalars (Gram identity); sums of tau vectors by mean and deviation.  The
inner sign of the printed identity cannot be read with certainty; with a plus it is false.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import algebra_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.tight import attained
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Proof, equality, identity, inequality, sign
from verify.elastic2023 import elsewhere, vectors
from verify.elastic2023.vectors import IDENTITY, TRIANGLE, tau

of_lemma_3 = algebra_claim.sharing(source="Lemma 3, (9)")
of_the_identity = identity_claim.sharing(source="proof of Lemma 3")

x, y = sp.symbols("x y", real=True)
GRAM = "Gram identity in commuting scalars (any dimension)"


@of_lemma_3(
    "EL-LEM3.1",
    statement=TRIANGLE,
    headline="Squared length of a sum of two vectors, with a weight to choose",
    summary="The squared norm of a sum, with a weight to choose.",
    proof_steps=("EL-L3-ID",),
    printed=dict(factor="1", least="0"),
    controls=[
        Control("1 + 1/a times 0.99", dict(factor="99/100")),
        Control("a > -1 in place of a > 0", dict(least="-1")),
    ],
)
def triangle(factor: str, least: str) -> Evidence:
    k, low = sp.Rational(factor), sp.Rational(least)
    a = vectors.a
    step = inequality(
        "square of a x - y, times 1/a",
        (x + y) ** 2,
        (1 + a) * x**2 + k * (1 + 1 / a) * y**2,
        squares=[(1 / a, a * x - y), ((k - 1) * (1 + 1 / a), y)],
        ranges=[(a, Open(low), None)],
    )

    def instances() -> Iterator[Instance]:
        for value in (Fraction(least) / 2, Fraction(1, 3), Fraction(1), Fraction(5)):
            for p, q in ((Fraction(1), value), (Fraction(1), Fraction(1)), (Fraction(0), Fraction(1))):
                if value != 0:
                    right = (1 + value) * p**2 + Fraction(factor) * (1 + 1 / value) * q**2
                    yield Instance(f"v_i = {p}, v_j = {q}, a = {value}", (p + q) ** 2, right)

    return decide(
        Proof((step,)),
        instances,
        method=f"One square; {GRAM}.",
        valid_for="all vectors, all a > 0",
        tightness=attained("equality for v_j = a v_i"),
    )


def jensen(factor: str, summed: bool) -> Evidence:
    """``|mean|^2 <= factor mean of |v_i|^2``; for the sum, both sides times tau^2."""
    step = vectors.mean_of_squares("the deviations", sp.Rational(factor), tau**2 if summed else sp.S.One)

    def instances() -> Iterator[Instance]:
        for listed in ((1, 1), (1, -2, 3), (1, 1, 1, 1), (2,)):
            n, squares = len(listed), Fraction(factor) * sum(k**2 for k in listed)
            left, right = (Fraction(sum(listed)), n * squares) if summed else (Fraction(sum(listed), n), squares / n)
            yield Instance(f"vectors {listed} on the line", left**2, right)

    return decide(
        Proof((step,)),
        instances,
        method=f"Mean and deviation of the vectors (any tau); {GRAM}.",
        valid_for="all tau >= 1, all vectors",
        tightness=attained("equality for equal vectors"),
    )


many = of_lemma_3(
    "EL-LEM3.2",
    proof_steps=("EL-L3-JENSEN",),
    statement=r"\Big\|\sum_{i=1}^{\tau}v_i\Big\|^2\le\tau\sum_{i=1}^{\tau}\|v_i\|^2",
    headline="Squared length of a sum of several vectors",
    summary="The squared norm of a sum of tau vectors.",
    printed=dict(factor="1", summed=True),
    controls=[Control("tau times 0.99", dict(factor="99/100"))],
)(jensen)

over_the_vectors = algebra_claim(
    "EL-L3-JENSEN",
    source="proof of Lemma 3",
    statement=r"\Big\|\frac1\tau\sum_{i=1}^{\tau}v_i\Big\|^2\le\frac1\tau\sum_{i=1}^{\tau}\|v_i\|^2",
    summary="The squared norm of a mean is at most the mean of the squared norms, by Jensen's inequality.",
    printed=dict(factor="1", summed=False),
    controls=[Control("right side times 0.99", dict(factor="99/100"))],
)(jensen)


def inner_sign(factor: int) -> Evidence:
    """``|x + y|^2 = (1+a)|x|^2 + (1+1/a)|y|^2 - |sqrt(a) x + factor y/sqrt(a)|^2``; s stands for sqrt(a)."""
    s = sp.Symbol("s", positive=True)
    right = (1 + s**2) * x**2 + (1 + 1 / s**2) * y**2 - (s * x + factor * y / s) ** 2
    step = identity("both sides", (x + y) ** 2, right)

    def instances() -> Iterator[Instance]:
        for root in (Fraction(1), Fraction(2)):
            for p, q in ((Fraction(1), Fraction(1)), (Fraction(2), Fraction(-1))):
                right = (1 + root**2) * p**2 + (1 + 1 / root**2) * q**2 - (root * p + factor * q / root) ** 2
                yield equality(f"a = {root**2}, v_i = {p}, v_j = {q}", (p + q) ** 2, right)

    return decide(Proof((step,)), instances, method=f"Expansion; {GRAM}.", valid_for="all a > 0, all vectors")


identity_minus = of_the_identity(
    "EL-L3-ID[inner sign minus]",
    statement=IDENTITY["minus"],
    summary="With a minus inside the last norm this is the identity behind the first part.",
    printed=dict(factor=-1),
    controls=[Control("plus", dict(factor=1))],
)(inner_sign)

identity_plus = of_the_identity(
    "EL-L3-ID[inner sign plus]",
    statement=IDENTITY["plus"],
    fault="slip",
    repair="EL-L3-ID[inner sign minus]",
    headline="The identity behind the triangle inequality is printed with a wrong sign",
    summary="With a plus inside the last norm the right side is the squared norm of the difference v_i - v_j.",
    printed=dict(factor=1),
    controls=[Control("minus", dict(factor=-1), must="pass"), Control("factor 2", dict(factor=2))],
)(inner_sign)


@of_lemma_3(
    "EL-LEM3-S1",
    statement=r"\|v_i+v_j\|^2\le p\|v_i\|^2+q\|v_j\|^2\ \forall v_i,v_j\iff p>1,\ q\ge1+\frac{1}{p-1}",
    headline="All pairs of coefficients that bound the squared length of a sum",
    summary="The pairs (1 + a, 1 + 1/a) are exactly the smallest ones.",
    elsewhere=elsewhere.YOUNG,
    printed=dict(shift="0"),
    controls=[Control("q smaller by 1/100", dict(shift="1/100"))],
)
def smallest_pairs(shift: str) -> Evidence:
    """Form (p-1)|x|^2 - 2<x,y> + (q-1)|y|^2: nonnegative iff p > 1 and (p-1)(q-1) >= 1 (p = 1 leaves -2<x,y>)."""
    p, q, less = sp.symbols("p q less")
    cut = sp.Rational(shift)
    form = (p - 1) * x**2 - 2 * x * y + (q - 1) * y**2
    steps = (
        identity("completing the square", form, (p - 1) * (x - y / (p - 1)) ** 2 + (q - 1 - 1 / (p - 1)) * y**2),
        sign(
            "sufficient: q >= 1 + 1/(p-1) - shift leaves",
            (q - 1 - 1 / (p - 1)).subs(q, 1 + 1 / (p - 1) - cut + less),
            [(less, 0, None), (p, 1, None)],
        ),
        identity(
            "necessary: at y = (p-1) x the form is (p-1)^2 (q - 1 - 1/(p-1)) |x|^2",
            form.subs(y, (p - 1) * x),
            (p - 1) ** 2 * (q - 1 - 1 / (p - 1)) * x**2,
        ),
        identity(
            "necessary, p = 1: at y = t x the form is t((q-1)t - 2)|x|^2, negative for small t > 0",
            form.subs({p: 1, y: less * x}),
            less * ((q - 1) * less - 2) * x**2,
        ),
        sign("necessary, p < 1: at y = 0 the form is (p-1)|x|^2", (1 - p).subs(p, 1 - less), [(less, 0, None)]),
    )

    def instances() -> Iterator[Instance]:
        for big in (Fraction(3, 2), Fraction(2), Fraction(5)):
            small = 1 + 1 / (big - 1) - Fraction(shift)
            z = big - 1
            yield Instance(f"p = {big}, q = {small}, v_i = 1, v_j = {z}", (1 + z) ** 2, big + small * z**2)

    words = dict(method=f"Completing the square; {GRAM}.", valid_for="all p, q and all vectors")
    return decide(Proof(steps), instances, **words)


if __name__ == "__main__":
    run_script(__file__)
