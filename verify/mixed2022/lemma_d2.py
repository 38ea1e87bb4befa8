"""Lemma D.2 of Augenstein et al. (2022), the relaxed triangle inequality: proved; the printed identity has a wrong sign.

|u+v|^2 = (1+a)|u|^2 + (1+1/a)|v|^2 - |sqrt(a) u - v/sqrt(a)|^2, with minus inside the last square where print has plus.
Neither coefficient can be lowered, for any a > 0: equality at v = a u.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.derivation.statement import with_coefficients
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import vectors
from fltheory.theory.mixed2022.scalars import number, scalars, sides
from fltheory.theory.mixed2022.vectors import IDENTITY_D2, IDENTITY_D2_REPAIRED, JENSEN_D2, LEMMA_D2_1, LEMMA_D2_2, w
from fltheory.theory.notation import NormSq
from fltheory.theory.states import proves
from verify.mixed2022 import derivations
from verify.mixed2022.settled import attained

TRIPLES = [(Fraction(a), Fraction(u), Fraction(v)) for a in (1, 2, Fraction(1, 4)) for u, v in ((1, a), (1, 0), (0, 1))]


def describe(case: tuple[Fraction, ...]) -> str:
    return f"a = {case[0]}, v_i = {case[1]}, v_j = {case[2]}"


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
    left, right = sides(bound)

    def values(x: tuple[Fraction, ...]) -> dict[sp.Symbol, Fraction]:
        return {vectors.a: sign * x[0], vectors.u: x[1], vectors.v: x[2]}

    return by_derivation(
        lambda: derivations.two_vectors(bound, sign),
        search(
            TRIPLES,
            lambda x: (number(left, values(x)), number(right, values(x))),
            describe=lambda x: describe((sign * x[0], *x[1:])),
        ),
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
        lambda: derivations.identity(display),
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

#: Lists of vectors of dimension one: equal ones are extremal.
LISTS = [tuple(map(Fraction, values)) for values in ((1,), (1, 1), (1, -1), (1, 1, 1), (1, 2, 3), (1, 1, 1, 1, 0))]


def many_vectors(factor: str, *, display: Bound) -> Evidence:
    """tau sum |v_i|^2 - |sum v_i|^2 = tau^2 (mean of the squared deviations), for every tau."""
    bound = replace(display, expression=sp.Rational(factor) * display.expression)
    mean_form = display is JENSEN_D2

    def pair(values: tuple[Fraction, ...]) -> tuple[Fraction, Fraction]:
        tau, square = len(values), sum((x * x for x in values), start=Fraction(0))
        outer = Fraction(1, tau) if mean_form else Fraction(1)
        inner = Fraction(1, tau) if mean_form else Fraction(tau)
        return (outer * sum(values, start=Fraction(0))) ** 2, Fraction(factor) * inner * square

    return by_derivation(
        lambda: derivations.many_vectors(bound),
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
)(partial(many_vectors, display=LEMMA_D2_2))
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
)(partial(many_vectors, display=JENSEN_D2))


if __name__ == "__main__":
    run_script(__file__)
