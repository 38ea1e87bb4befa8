"""Lemma D.2 of Augenstein et al. (2022), the relaxed triangle inequality: proved; the printed identity has a wrong sign.

|u+v|^2 = (1+a)|u|^2 + (1+1/a)|v|^2 - |sqrt(a) u - v/sqrt(a)|^2, with minus inside the last square where print has plus.
Neither coefficient can be lowered, for any a > 0: equality at v = a u.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.decide import decide
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022 import vectors
from fltheory.theory.mixed2022.scalars import number, scalars, sides
from fltheory.theory.mixed2022.vectors import IDENTITY_D2, IDENTITY_D2_REPAIRED, JENSEN_D2, LEMMA_D2_1, w
from fltheory.theory.notation import NormSq
from fltheory.theory.proofs import Certificate, Open, equal
from fltheory.theory.states import proves
from verify.mixed2022.laws import LIST, w_mean
from verify.mixed2022.settled import attained, certified

GRAM = "an identity between quadratic forms in commuting scalars holds for vectors of every dimension (Gram matrices)"
TRIPLES = [(Fraction(a), Fraction(u), Fraction(v)) for a in (1, 2, Fraction(1, 4)) for u, v in ((1, a), (1, 0), (0, 1))]


def describe(case: tuple[Fraction, ...]) -> str:
    return f"a = {case[0]}, v_i = {case[1]}, v_j = {case[2]}"


@inequality_claim(
    "MX-LEMD2-1",
    proves=proves(
        LEMMA_D2_1,
        lambda first, second: (
            first * (1 + vectors.a) * NormSq(vectors.u) + second * (1 + 1 / vectors.a) * NormSq(vectors.v)
        ),
        left=NormSq(vectors.u + vectors.v),
        under=(vectors.a > 0,),
    ),
    statement=LEMMA_D2_1,
    source="Lemma D.2",
    headline="Squared length of a sum of two vectors, with the best coefficients",
    summary="Relaxed triangle inequality for two vectors; neither coefficient can be lowered, for any a.",
    assumptions=("a > 0",),
    proof_steps=("MX-LEMD2-ID",),
    printed=dict(first="1", second="1", sign=1),
    controls=[
        Control("(1 + a) times 0.99", dict(first="99/100")),
        Control("(1 + 1/a) times 0.99", dict(second="99/100")),
        Control("a < 0 instead of a > 0", dict(sign=-1)),
    ],
)
def two_vectors(first: str, second: str, sign: int) -> Evidence:
    """Right less left is |a u - v|^2/a and nonnegative multiples of |u|^2 and |v|^2; equality at v = a u."""
    p, q = sp.Rational(first), sp.Rational(second)
    a = sign * vectors.a
    left, right = scalars(LEMMA_D2_1.left), p * (1 + a) * vectors.u**2 + q * (1 + 1 / a) * vectors.v**2
    squares = [(1 / a, a * vectors.u - vectors.v), ((p - 1) * (1 + a), vectors.u), ((q - 1) * (1 + 1 / a), vectors.v)]
    certificate = Certificate(left, right, {}, squares, ((vectors.a, Open(0), None),))
    found = search(
        TRIPLES,
        lambda x: (
            number(left, {vectors.u: x[1], vectors.v: x[2]}),
            number(right, {vectors.a: x[0], vectors.u: x[1], vectors.v: x[2]}),
        ),
        describe=lambda x: describe((sign * x[0], *x[1:])),
    )
    method = f"one square: right less left is |a v_i - v_j|^2/a; {GRAM}"
    tight = attained("equality at v_j = a v_i for every a > 0")
    return certified(certificate, found, method=method, valid_for="every a > 0, every dimension", tightness=tight)


identity_of_the_proof = identity_claim.sharing(source="proof of Lemma D.2", assumptions=("a > 0",))


def identity(sign: int) -> Evidence:
    """|u+v|^2 = (1+a)|u|^2 + (1+1/a)|v|^2 - |sqrt(a) u + sign v/sqrt(a)|^2; the difference is 2 (1 + sign) <u, v>."""
    root = sp.Symbol("root_a", positive=True)
    display = IDENTITY_D2 if sign > 0 else IDENTITY_D2_REPAIRED
    left, right = (side.subs(vectors.a, root**2) for side in sides(display))
    plain = sp.expand(sp.simplify(right))
    found = search(
        TRIPLES,
        lambda x: (
            number(left, {vectors.u: x[1], vectors.v: x[2]}),
            number(plain.subs(root, sp.sqrt(sp.Rational(str(x[0])))), {vectors.u: x[1], vectors.v: x[2]}),
        ),
        relation="=",
        describe=describe,
    )
    zero = equal(left, plain)
    return decide(
        (zero, f"the sides differ by {sp.factor(sp.expand(left - plain))}"),
        found,
        method=f"expansion with a = root_a^2; {GRAM}",
        valid_for="every a > 0, every dimension",
        certificate=certificates.identity(left - plain) if zero else None,
    )


as_printed = identity_of_the_proof(
    "MX-LEMD2-ID",
    proves=proves(IDENTITY_D2, relation="=", under=(vectors.a > 0,)),
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


def many_vectors(coefficient: str, *, mean_form: bool) -> Evidence:
    """tau sum |v_i|^2 - |sum v_i|^2 = tau^2 (mean of the squared deviations), for every tau."""
    k = sp.Rational(coefficient)
    scale = sp.Integer(1) if mean_form else vectors.tau**2
    certificate = LIST.certificate(
        sp.Integer(0),
        k * scale * w**2 - scale * w_mean**2,
        squares=[(scale * k, w - w_mean), (scale * (k - 1), w_mean)],
        ranges=((vectors.tau, 1, None),),
    )

    def pair(values: tuple[Fraction, ...]) -> tuple[Fraction, Fraction]:
        tau, square = len(values), sum((x * x for x in values), start=Fraction(0))
        outer = Fraction(1, tau) if mean_form else Fraction(1)
        inner = Fraction(1, tau) if mean_form else Fraction(tau)
        return (outer * sum(values, start=Fraction(0))) ** 2, Fraction(coefficient) * inner * square

    found = search(LISTS, pair, describe=lambda values: f"vectors {', '.join(map(str, values))} of dimension 1")
    method = f"mean and deviation over i = 1..tau (removes tau); {GRAM}"
    tight = attained("equality for equal vectors")
    return certified(certificate, found, method=method, valid_for="every tau, every dimension", tightness=tight)


sum_of_vectors = inequality_claim(
    "MX-LEMD2-2.1",
    proves=proves(
        vectors.LEMMA_D2_2,
        lambda coefficient: coefficient * vectors.tau * vectors.total(NormSq(w)),
        left=NormSq(vectors.total(w)),
    ),
    statement=vectors.LEMMA_D2_2,
    source="Lemma D.2",
    headline="Squared length of a sum of several vectors, with the best constant",
    summary="Squared norm of a sum of tau vectors; the constant tau is sharp for every tau.",
    proof_steps=("MX-LEMD2-2.2",),
    printed=dict(coefficient="1", mean_form=False),
    controls=[Control("tau times 0.99", dict(coefficient="99/100"))],
)(many_vectors)
jensen = inequality_claim(
    "MX-LEMD2-2.2",
    proves=proves(
        JENSEN_D2,
        lambda coefficient: coefficient * vectors.total(NormSq(w)) / vectors.tau,
        left=NormSq(vectors.total(w) / vectors.tau),
    ),
    statement=JENSEN_D2,
    source="proof of Lemma D.2",
    summary="Jensen's inequality for the squared norm, from which the second part follows.",
    printed=dict(coefficient="1", mean_form=True),
    controls=[Control("right side times 0.99", dict(coefficient="99/100"))],
)(many_vectors)


if __name__ == "__main__":
    run_script(__file__)
