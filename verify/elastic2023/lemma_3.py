"""Lemma 3 of the elastic aggregation supplement: the relaxed triangle inequality, both parts and the printed proof.

Identities between quadratic forms, proved for scalars (Gram identity); sums of tau vectors by mean and deviation.  The
inner sign of the printed identity cannot be read with certainty; with a plus it is false.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.model import Control, Evidence, Kind, Rung, Scope, Tightness, claim
from fltheory.theory.averages import Averages
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Proof, equality, identity, inequality, sign
from verify.elastic2023 import vectors as random_vectors
from verify.elastic2023.vectors import IDENTITY, TRIANGLE, tau

x, y = sp.symbols("x y", real=True)
v, mean, deviation = sp.symbols("v v_mean v_dev")
#: The mean over the tau vectors.
OVER_VECTORS = Averages(vectors={v: (mean, deviation)}, common_vectors=(mean,))
GRAM = "Gram identity in commuting scalars (any dimension)"


@claim(
    "EL-LEM3.1",
    kind=Kind.ALGEBRA,
    scope=Scope.GENERAL,
    source="Lemma 3, (9)",
    statement=TRIANGLE.latex(),
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
    a = random_vectors.a
    steps = (
        inequality(
            "square of a x - y, times 1/a",
            (x + y) ** 2,
            (1 + a) * x**2 + k * (1 + 1 / a) * y**2,
            premises={},
            squares=[(1 / a, a * x - y), ((k - 1) * (1 + 1 / a), y)],
            ranges=[(a, Open(low), None)],
        ),
    )

    def instances() -> list[Instance]:
        found = []
        for value in (Fraction(least) / 2, Fraction(1, 3), Fraction(1), Fraction(5)):
            for p, q in ((Fraction(1), value), (Fraction(1), Fraction(1)), (Fraction(0), Fraction(1))):
                if value != 0:
                    right = (1 + value) * p**2 + Fraction(factor) * (1 + 1 / value) * q**2
                    found.append(Instance(f"v_i = {p}, v_j = {q}, a = {value}", (p + q) ** 2, right))
        return found

    return decide(
        Proof(steps),
        instances,
        method=f"One square; {GRAM}.",
        valid_for="all vectors, all a > 0",
        tightness=Tightness(1.0, Rung.PROOF, "equality for v_j = a v_i"),
    )


@claim(
    "EL-LEM3.2",
    kind=Kind.ALGEBRA,
    scope=Scope.GENERAL,
    source="Lemma 3, (9)",
    proof_steps=("EL-L3-JENSEN",),
    statement=r"\Big\|\sum_{i=1}^{\tau}v_i\Big\|^2\le\tau\sum_{i=1}^{\tau}\|v_i\|^2",
    summary="The squared norm of a sum of tau vectors.",
    printed=dict(factor="1"),
    controls=[Control("tau times 0.99", dict(factor="99/100"))],
)
def many(factor: str) -> Evidence:
    return jensen(sp.Rational(factor), scale=True)


@claim(
    "EL-L3-JENSEN",
    kind=Kind.ALGEBRA,
    scope=Scope.GENERAL,
    source="proof of Lemma 3",
    statement=r"\Big\|\frac1\tau\sum_{i=1}^{\tau}v_i\Big\|^2\le\frac1\tau\sum_{i=1}^{\tau}\|v_i\|^2",
    summary="The squared norm of a mean is at most the mean of the squared norms, by Jensen's inequality.",
    printed=dict(factor="1"),
    controls=[Control("right side times 0.99", dict(factor="99/100"))],
)
def over_the_vectors(factor: str) -> Evidence:
    return jensen(sp.Rational(factor), scale=False)


def jensen(factor: sp.Rational, *, scale: bool) -> Evidence:
    """``|mean|^2 <= factor mean of |v_i|^2``, times tau^2 if ``scale``."""
    by = tau**2 if scale else sp.Integer(1)
    steps = (
        inequality(
            "the deviations",
            by * mean**2,
            factor * by * OVER_VECTORS.of(v**2),
            premises={},
            squares=[(factor * by, deviation), ((factor - 1) * by, mean)],
            ranges=[(tau, 1, None)],
        ),
    )

    def instances() -> list[Instance]:
        found = []
        for vectors in ((1, 1), (1, -2, 3), (1, 1, 1, 1), (2,)):
            n, total = len(vectors), Fraction(sum(vectors))
            right = Fraction(int(factor.p), int(factor.q)) * sum(Fraction(k) ** 2 for k in vectors)
            by_n = Fraction(n) if scale else Fraction(1, n)
            found.append(
                Instance(f"vectors {vectors} on the line", total**2 * (1 if scale else Fraction(1, n**2)), by_n * right)
            )
        return found

    return decide(
        Proof(steps),
        instances,
        method=f"Mean and deviation of the vectors (any tau); {GRAM}.",
        valid_for="all tau >= 1, all vectors",
        tightness=Tightness(1.0, Rung.PROOF, "equality for equal vectors"),
    )


def inner_sign(factor: int) -> Evidence:
    """``|x + y|^2 = (1+a)|x|^2 + (1+1/a)|y|^2 - |sqrt(a) x + factor y/sqrt(a)|^2``; s stands for sqrt(a)."""
    s = sp.Symbol("s", positive=True)
    right = (1 + s**2) * x**2 + (1 + 1 / s**2) * y**2 - (s * x + factor * y / s) ** 2
    steps = (identity("both sides", (x + y) ** 2, right),)

    def instances() -> list[Instance]:
        return [
            equality(
                f"a = {root**2}, v_i = {p}, v_j = {q}",
                (p + q) ** 2,
                (1 + root**2) * p**2 + (1 + 1 / root**2) * q**2 - (root * p + factor * q / root) ** 2,
            )
            for root in (Fraction(1), Fraction(2))
            for p, q in ((Fraction(1), Fraction(1)), (Fraction(2), Fraction(-1)))
        ]

    return decide(Proof(steps), instances, method=f"Expansion; {GRAM}.", valid_for="all a > 0, all vectors")


identity_minus = claim(
    "EL-L3-ID[inner sign minus]",
    kind=Kind.IDENTITY,
    scope=Scope.GENERAL,
    source="proof of Lemma 3",
    statement=IDENTITY["minus"].latex(),
    summary="With a minus inside the last norm this is the identity behind the first part.",
    printed=dict(factor=-1),
    controls=[Control("plus", dict(factor=1))],
)(inner_sign)


identity_plus = claim(
    "EL-L3-ID[inner sign plus]",
    kind=Kind.IDENTITY,
    scope=Scope.GENERAL,
    source="proof of Lemma 3",
    statement=IDENTITY["plus"].latex(),
    repair="EL-L3-ID[inner sign minus]",
    summary="With a plus inside the last norm the right side is the squared norm of the difference v_i - v_j.",
    printed=dict(factor=1),
    controls=[Control("minus", dict(factor=-1), must="pass"), Control("factor 2", dict(factor=2))],
)(inner_sign)


@claim(
    "EL-LEM3-S1",
    kind=Kind.ALGEBRA,
    scope=Scope.GENERAL,
    source="Lemma 3, (9)",
    statement=r"\|v_i+v_j\|^2\le p\|v_i\|^2+q\|v_j\|^2\ \forall v_i,v_j\iff p>1,\ q\ge1+\frac{1}{p-1}",
    summary="The pairs (1 + a, 1 + 1/a) are exactly the smallest ones.",
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

    def instances() -> list[Instance]:
        found = []
        for big in (Fraction(3, 2), Fraction(2), Fraction(5)):
            small = 1 + 1 / (big - 1) - Fraction(shift)
            z = big - 1
            found.append(Instance(f"p = {big}, q = {small}, v_i = 1, v_j = {z}", (1 + z) ** 2, big + small * z**2))
        return found

    return decide(
        Proof(steps), instances, method=f"Completing the square; {GRAM}.", valid_for="all p, q and all vectors"
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
