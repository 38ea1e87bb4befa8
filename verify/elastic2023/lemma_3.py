"""Lemma 3 of the elastic aggregation supplement: the relaxed triangle inequality, both parts and the printed proof.

The inner sign of the printed identity cannot be read with certainty; with a plus it is false.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.derivation.statement import with_coefficients
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import algebra_claim, identity_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.tight import attained
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.notation import NormSq
from fltheory.theory.steps import Instance
from fltheory.theory.values import exact_value
from verify.elastic2023 import elsewhere
from verify.elastic2023.derivations import sums
from verify.elastic2023.vectors import IDENTITY, MANY, MEAN, TRIANGLE, a, sum_of_means, tau, v_i, v_j

of_lemma_3 = algebra_claim.sharing(source="Lemma 3, (9)")
of_the_identity = identity_claim.sharing(source="proof of Lemma 3")


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
    new = sp.Rational(factor) * TRIANGLE.expression.coeff(NormSq(v_j))
    bound = replace(TRIANGLE, expression=with_coefficients(TRIANGLE.expression, {NormSq(v_j): new}))
    right = bound.expression.replace(NormSq, lambda v: v**2)

    def instances() -> Iterator[Instance]:
        for value in (Fraction(least) / 2, Fraction(1, 3), Fraction(1), Fraction(5)):
            for p, q in ((Fraction(1), value), (Fraction(1), Fraction(1)), (Fraction(0), Fraction(1))):
                if value != 0:
                    known = {v_i: sp.Rational(p), v_j: sp.Rational(q), a: sp.Rational(value)}
                    yield Instance(f"v_i = {p}, v_j = {q}, a = {value}", (p + q) ** 2, exact_value(right, known))

    return by_derivation(
        lambda: sums.two_vectors(bound, least),
        instances,
        method="One square.",
        valid_for="all vectors, all a > 0",
        tightness=attained("equality for v_j = a v_i"),
    )


def jensen(factor: str, summed: bool) -> Evidence:
    """``|mean|^2 <= factor mean of |v_i|^2``; for the sum, both sides times tau^2."""
    printed = MANY if summed else MEAN
    bound = replace(printed, expression=sp.Rational(factor) * printed.expression)

    def instances() -> Iterator[Instance]:
        for listed in ((1, 1), (1, -2, 3), (1, 1, 1, 1), (2,)):
            n, squares = len(listed), sum(k**2 for k in listed)
            known = {tau: n, sum_of_means: sp.Rational(squares, 1 if summed else n)}
            total = Fraction(sum(listed), 1 if summed else n)
            yield Instance(f"vectors {listed} on the line", total**2, exact_value(bound.expression, known))

    return by_derivation(
        lambda: sums.many_vectors(bound, summed=summed),
        instances,
        method="Mean and deviation of the vectors (any tau).",
        valid_for="all tau >= 1, all vectors",
        tightness=attained("equality for equal vectors"),
    )


many = of_lemma_3(
    "EL-LEM3.2",
    proof_steps=("EL-L3-JENSEN",),
    statement=MANY,
    headline="Squared length of a sum of several vectors",
    summary="The squared norm of a sum of tau vectors.",
    printed=dict(factor="1", summed=True),
    controls=[Control("tau times 0.99", dict(factor="99/100"))],
)(jensen)

over_the_vectors = algebra_claim(
    "EL-L3-JENSEN",
    headline="The square of a mean is at most the mean of the squares, for vectors too",
    source="proof of Lemma 3",
    statement=MEAN,
    summary="The squared norm of a mean is at most the mean of the squared norms, by Jensen's inequality.",
    printed=dict(factor="1", summed=False),
    controls=[Control("right side times 0.99", dict(factor="99/100"))],
)(jensen)


def inner_sign(sign: str, factor: int) -> Evidence:
    """The identity with an inner ``factor`` in place of +-1; root stands for sqrt(a)."""
    bound, root = IDENTITY[sign], sp.Symbol("root", positive=True)
    inner = {
        norm: NormSq(norm.args[0].subs(v_j, factor * v_j)) for norm in bound.expression.atoms(NormSq) if norm.has(a)
    }
    bound = replace(bound, expression=bound.expression.subs(inner))
    right = bound.expression.subs(a, root**2).replace(NormSq, lambda v: v**2)
    left, told = Side("|v_i + v_j|^2", (v_i + v_j) ** 2), Side("right side", right)
    cases = [dict(v_i=p, v_j=q, root=r) for r in (1, 2) for p, q in ((1, 1), (2, -1))]
    return by_derivation(
        lambda: sums.identity(bound),
        tried(Witness(case, left, "=", told, setting="vectors on the line, a = root^2") for case in cases),
        method="Expansion.",
        valid_for="all a > 0, all vectors",
    )


identity_minus = of_the_identity(
    "EL-L3-ID[inner sign minus]",
    statement=IDENTITY["minus"],
    summary="With a minus inside the last norm this is the identity behind the first part.",
    printed=dict(sign="minus", factor=1),
    controls=[Control("plus", dict(sign="plus"))],
)(inner_sign)

identity_plus = of_the_identity(
    "EL-L3-ID[inner sign plus]",
    statement=IDENTITY["plus"],
    fault="slip",
    repair="EL-L3-ID[inner sign minus]",
    headline="The identity behind the triangle inequality is printed with a wrong sign",
    summary="With a plus inside the last norm the right side is the squared norm of the difference v_i - v_j.",
    printed=dict(sign="plus", factor=1),
    controls=[Control("minus", dict(sign="minus"), must="pass"), Control("factor 2", dict(factor=2))],
)(inner_sign)

smallest_pairs = statement_of_algebra(
    "EL-LEM3-S1",
    Matrices(
        "sq(x + y) <= p*sq(x) + q*sq(y); (1 + z)**2 > p + r*z**2; (m + 1)**2 > (1 - e)*m**2 + (2*m - b) "
        "for x in R(n); y in R(n); z > 0; p = 1 + z; c >= 0; q = 1 + 1/z + c; d > 0; r = 1 + 1/z - d; e >= 0; m >= 0; b >= 0",
        squares={0: [("z", "x - y/z"), ("c", "y")]},
        at=[{"x": "[1]", "y": "[1]", "z": "1", "c": "0", "d": "1", "e": "0", "m": "1", "b": "0"}],
    ),
    headline="All pairs of coefficients that bound the squared length of a sum",
    false={"q smaller by 1/100": ("1/z + c", "1/z - 1/100 + c"), "r larger": ("1/z - d", "1/z + d")},
    group=of_lemma_3,
    summary="Coefficients p = 1 + z > 1 and q >= 1 + 1/z bound the squared norm of every sum of two vectors. For p > 1 and a "
    "smaller second one the vectors 1 and z break it; for p <= 1 and any second one, 2m - b, the vectors m and 1.",
    elsewhere=elsewhere.YOUNG,
)


if __name__ == "__main__":
    run_script(__file__)
