"""Lemma D.2 of Augenstein et al. (2022), the relaxed triangle inequality: proved; the printed identity has a wrong sign.

|u+v|^2 = (1+a)|u|^2 + (1+1/a)|v|^2 - |sqrt(a) u - v/sqrt(a)|^2, with minus inside the last square where print has plus.
Neither coefficient can be lowered, for any a > 0: equality at v = a u.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.derivation.statement import text_of, with_coefficients
from fltheory.evidence.algebra import by_in_mean
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.exact_search import search
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import vectors
from fltheory.theory.mixed2022.scalars import number, scalars, sides
from fltheory.theory.mixed2022.vectors import IDENTITY_D2, IDENTITY_D2_REPAIRED, JENSEN_D2, LEMMA_D2_1, LEMMA_D2_2, w
from fltheory.theory.notation import NormSq
from fltheory.theory.states import proves
from verify.mixed2022.settled import attained

Pairs = Sequence[tuple[str, str]]
#: Values of a, u and v.
TRIPLES = [(Fraction(a), Fraction(u), Fraction(v)) for a in (1, 2, Fraction(1, 4)) for u, v in ((1, a), (1, 0), (0, 1))]


def in_mean(bound: Bound, relation: str, where: str, squares: Pairs = (), **values: sp.Expr) -> InMean:
    """A display on the vectors u and v as a statement about them."""
    sides = (side.subs(values) for side in (bound.left, bound.expression))
    text = f" {relation} ".join(text_of(s, {x: f"sq({sp.sstr(x.args[0])})" for x in s.atoms(NormSq)}) for s in sides)
    return InMean(f"{text} for {where}", "u; v", squares=squares)


@inequality_claim(
    "MX-LEMD2-1",
    proves=proves(LEMMA_D2_1, left=NormSq(vectors.u + vectors.v), under=(vectors.a > 0,)),
    statement=LEMMA_D2_1,
    source="Lemma D.2",
    headline="Squared length of a sum of two vectors, with the best coefficients",
    summary="Relaxed triangle inequality for two vectors; neither coefficient can be lowered, for any a.",
    assumptions=("a > 0",),
    proof_steps=("MX-LEMD2-ID",),
    printed=dict(first=None, second=None, sign=1),
    controls=[
        Control("(1 + a) times 0.99", dict(first="99/100")),
        Control("(1 + 1/a) times 0.99", dict(second="99/100")),
        Control("a < 0 instead of a > 0", dict(sign=-1)),
    ],
)
def two_vectors(first: str | None, second: str | None, sign: int) -> Evidence:
    """Right less left is |a u - v|^2/a and nonnegative multiples of |u|^2 and |v|^2; equality at v = a u."""
    changes = {
        NormSq(vectors.u): None if first is None else sp.Rational(first) * (1 + vectors.a),
        NormSq(vectors.v): None if second is None else sp.Rational(second) * (1 + 1 / vectors.a),
    }
    bound = replace(LEMMA_D2_1, expression=with_coefficients(LEMMA_D2_1.expression, changes))
    return by_in_mean(
        in_mean(bound, "<=", "a > 0" if sign > 0 else "-4 <= a < 0", squares=[("1/a", "a*u - v")]),
        method="one square: right less left is |a v_i - v_j|^2/a",
        valid_for="every a > 0, every dimension",
        tightness=attained("equality at v_j = a v_i for every a > 0"),
    )


identity_of_the_proof = identity_claim.sharing(source="proof of Lemma D.2", assumptions=("a > 0",))


def identity(sign: int) -> Evidence:
    """|u+v|^2 = (1+a)|u|^2 + (1+1/a)|v|^2 - |sqrt(a) u + sign v/sqrt(a)|^2; the difference is 2 (1 + sign) <u, v>."""
    display = IDENTITY_D2 if sign > 0 else IDENTITY_D2_REPAIRED
    left, right = sides(display)
    named = Side("left side", left), "=", Side("right side", right)
    cases = (dict(zip((vectors.a, vectors.u, vectors.v), case, strict=True)) for case in TRIPLES)
    found = tried(Witness(at, *named, [(vectors.a, ">", 0)], "vectors of dimension 1") for at in cases)
    return by_derivation(
        in_mean(display, "=", "root > 0", a=sp.Symbol("root", positive=True) ** 2).derived,
        found,
        method="expansion with a = root^2",
        valid_for="every a > 0, every dimension",
    )


as_printed = identity_of_the_proof(
    "MX-LEMD2-ID",
    proves=proves(
        IDENTITY_D2,
        left=(vectors.u + vectors.v) ** 2,
        right=(vectors.u - vectors.v) ** 2,
        read=scalars,
        relation="=",
        under=(vectors.a > 0,),
    ),
    statement=IDENTITY_D2,
    fault="slip",
    repair="MX-LEMD2-ID-R1",
    headline="The identity behind the triangle inequality is printed with a wrong sign",
    summary="The identity of the proof, as printed with a plus inside the last square: its right side is |v_i - v_j|^2, "
    "so that it holds for orthogonal vectors only. The lemma does not suffer, see the repaired row.",
    printed=dict(sign=1),
    controls=[Control("minus inside the last square", dict(sign=-1), must="pass")],
)(identity)

repaired = identity_of_the_proof(
    "MX-LEMD2-ID-R1",
    proves=proves(IDENTITY_D2_REPAIRED, relation="=", under=(vectors.a > 0,)),
    statement=IDENTITY_D2_REPAIRED,
    summary="The identity with the minus that proves the lemma.",
    printed=dict(sign=-1),
    controls=[Control("plus inside the last square, as printed", dict(sign=1))],
)(identity)

#: Sums of tau vectors w are tau times their means over an axis.
SUMS = {
    NormSq(vectors.total(w)): "sq(tau*mean(w, j))",
    NormSq(vectors.total(w) / vectors.tau): "sq(mean(w, j))",
    vectors.total(NormSq(w)): "(tau*sq(w))",
}


#: Lists of vectors of dimension one: equal ones are extremal.
LISTS = [tuple(map(Fraction, values)) for values in ((1,), (1, 1), (1, -1), (1, 1, 1), (1, 2, 3), (1, 1, 1, 1, 0))]


def many_vectors(factor: str, *, display: Bound, weight: str) -> Evidence:
    """tau sum |v_i|^2 - |sum v_i|^2 = tau^2 (mean of the squared deviations), for every tau."""
    left, right = display.left, sp.Rational(factor) * display.expression
    text = f"{text_of(left, SUMS)} <= {text_of(right, SUMS)} for tau >= 1"
    squares = [(weight, "w - mean(w, j)")]

    def pair(values: tuple[Fraction, ...]) -> tuple[Fraction, Fraction]:
        total, square = sum(values, start=Fraction(0)), sum((x * x for x in values), start=Fraction(0))
        known = {vectors.tau: len(values), NormSq(vectors.total(w)): total**2, vectors.total(NormSq(w)): square}
        known[NormSq(vectors.total(w) / vectors.tau)] = (total / len(values)) ** 2
        return number(left, known), number(right, known)

    return by_derivation(
        InMean(text, things="w over j", over="j", squares=squares).derived,
        search(LISTS, pair, describe=lambda values: f"vectors {', '.join(map(str, values))} of dimension 1"),
        method="mean and deviation over i = 1..tau",
        valid_for="every tau, every dimension",
        tightness=attained("equality for equal vectors"),
    )


sum_of_vectors = inequality_claim(
    "MX-LEMD2-2.1",
    statement=LEMMA_D2_2,
    source="Lemma D.2",
    headline="Squared length of a sum of several vectors, with the best constant",
    summary="Squared norm of a sum of tau vectors; the constant tau is sharp for every tau.",
    proof_steps=("MX-LEMD2-2.2",),
    printed=dict(factor="1"),
    controls=[Control("tau times 0.99", dict(factor="99/100"))],
)(partial(many_vectors, display=LEMMA_D2_2, weight="tau**2"))
jensen = inequality_claim(
    "MX-LEMD2-2.2",
    proves=proves(
        JENSEN_D2,
        lambda factor: factor * vectors.total(NormSq(w)) / vectors.tau,
        left=NormSq(vectors.total(w) / vectors.tau),
    ),
    statement=JENSEN_D2,
    source="proof of Lemma D.2",
    summary="Jensen's inequality for the squared norm, from which the second part follows.",
    printed=dict(factor="1"),
    controls=[Control("right side times 0.99", dict(factor="99/100"))],
)(partial(many_vectors, display=JENSEN_D2, weight="1"))


if __name__ == "__main__":
    run_script(__file__)
