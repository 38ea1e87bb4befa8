"""Lemma D.3 of Augenstein et al. (2022), mean and variance of a sum of dependent random vectors: the statements.

Proofs for every tau, dimension and dependence: expectation is a mean, so that a sum splits into A = sum xi_i and a part
with mean zero; squares of sums follow from mean and deviation over i.  Refutations enumerate finite laws
(:mod:`verify.mixed2022.laws`), whose means and conditional means are computed, not typed.

Since xi_1, ..., xi_tau and the earlier differences are known before the last variable, 2 tau sigma^2 can be lowered to
(2 tau - 1) sigma^2, and (1+c) E|sum xi|^2 + (1 + (1+1/c)(tau-1)) sigma^2 is exact for every tau >= 2 and c > 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import sympy as sp

from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022 import vectors
from fltheory.theory.mixed2022.scalars import number
from fltheory.theory.mixed2022.vectors import LEMMA_D3_1, LEMMA_D3_2, Xi, s, total, xi
from fltheory.theory.notation import Expect, NormSq
from fltheory.theory.proofs import Certificate, Open, equal, is_zero
from fltheory.theory.states import proves
from verify.mixed2022 import elsewhere, laws
from verify.mixed2022.laws import LAST, LIST, OUTCOMES, A, B, B_dev, D, D_dev, Law, P, constant, same_sign, walk
from verify.mixed2022.settled import attained, certified

ONE = Fraction(1)
#: E|sum Xi_i|^2 as it is displayed.
OF_SUM = Expect(NormSq(total(Xi)))
GENERAL = "every tau, every dimension, every law with second moments"
#: Q = mean over i of E|Xi_i - xi_i|^2, N = E|sum (Xi_i - xi_i)|^2.
Q, N = sp.symbols("Q N")
TAU = ((vectors.tau, 1, None), (s, 0, None))
CONDITIONAL = "xi_i = E[Xi_i | Xi_{i-1}, ..., Xi_1]"
VARIANCE = "E|Xi_i - xi_i|^2 <= sigma^2"
conditional_claim = expectation_claim.sharing(assumptions=(CONDITIONAL, VARIANCE))


def on_laws(laws_: Sequence[Law], mean: str, noise: Callable[[Law], Fraction], *, conditional: bool = True) -> Search:
    """E|sum Xi|^2 <= mean E|sum xi|^2 + noise(law) sigma^2 on finite laws."""

    def pair(law: Law) -> tuple[Fraction, Fraction]:
        x = law.moments(conditional=conditional)
        return x.total, Fraction(mean) * x.centre + noise(law) * x.variance

    return search(laws_, pair, describe=lambda law: law.name)


def separates() -> bool:
    """E|A + B|^2 = |A|^2 + E|B|^2 when B has mean zero and A is not random."""
    return equal(OUTCOMES.of((A + B) ** 2) - A**2, B_dev**2)


def sum_bound() -> sp.Expr:
    """tau (tau times the mean of |w|^2) - |tau times the mean of w|^2 is a square: D.2 for sums; this is the residual."""
    return LIST.of(vectors.tau**2 * vectors.w**2) - (vectors.tau * laws.w_mean) ** 2 - vectors.tau**2 * laws.w_dev**2


def cross_terms_vanish() -> bool:
    """Induction step: E|P + D|^2 = |P|^2 + E|D|^2 when D has mean zero given the earlier variables, which fix P."""
    return equal(LAST.of((P + D) ** 2) - P**2, D_dev**2)


@expectation_claim(
    "MX-LEMD3-1",
    proves=proves(
        LEMMA_D3_1,
        lambda mean, noise, power: mean * NormSq(total(xi)) + noise * vectors.tau**power * s**2,
        left=OF_SUM,
    ),
    statement=LEMMA_D3_1,
    source="Lemma D.3",
    headline="A sum of dependent random vectors: means and variances separate",
    summary="A sum of dependent random vectors: tau^2 sigma^2 on top of the squared mean; attained if all share one noise.",
    assumptions=("E Xi_i = xi_i", VARIANCE),
    proof_steps=("MX-LEMD3-ID", "MX-LEMD3-S1"),
    printed=dict(mean="1", noise="1", power=2),
    controls=[
        Control("tau^2 sigma^2 times 0.99", dict(noise="99/100")),
        Control("squared mean times 0.99", dict(mean="99/100")),
        Control("tau sigma^2, as for independent vectors", dict(power=1)),
    ],
)
def means(mean: str, noise: str, power: int) -> Evidence:
    """A^2 + N <= mean A^2 + noise tau^power sigma^2 from N <= tau^2 Q (D.2) and Q <= sigma^2."""
    m, k = sp.Rational(mean), sp.Rational(noise)
    premises = {"D.2 over the sum": (sp.Integer(1), vectors.tau**2 * Q - N), "variance": (vectors.tau**2, s**2 - Q)}
    squares = [(m - 1, A), (k * vectors.tau**power - vectors.tau**2, s)]
    certificate = Certificate(A**2 + N, m * A**2 + k * vectors.tau**power * s**2, premises, squares, TAU)
    examples = [constant(1), *(same_sign(tau, mu) for tau in (1, 2, 3) for mu in (Fraction(0), ONE)), walk(2, ONE)]
    return certified(
        certificate,
        on_laws(examples, mean, lambda law: Fraction(noise) * Fraction(law.size) ** power, conditional=False),
        also=separates() and is_zero(sum_bound()),
        method="mean and deviation over outcomes (expectation), mean and deviation over i = 1..tau (D.2), Gram "
        "identity in commuting scalars (removes d), then a certificate in the moments",
        valid_for=GENERAL,
        tightness=attained("equality when all Xi_i - xi_i are equal"),
    )


def last_variable(
    p: sp.Expr, q: sp.Expr, ranges: Sequence[tuple[sp.Symbol, object, object | None]], ratio: sp.Expr
) -> Certificate:
    """E|A + P + D|^2 <= p E|A|^2 + q sigma^2: A, P are fixed by the earlier variables, E|P|^2 <= (tau-1) sigma^2.

    ``ratio`` = 1/(p - 1) where p > 1; P = (p - 1) A is the worst case.
    """
    premises = {
        "variance of the last": (sp.Integer(1), s**2 - D_dev**2),
        "variance of the earlier ones": (1 + ratio, (vectors.tau - 1) * s**2 - P**2),
    }
    squares = [(p - 1, A - ratio * P), (q - 1 - (1 + ratio) * (vectors.tau - 1), s)]
    return Certificate(LAST.of((A + P + D) ** 2), p * A**2 + q * s**2, premises, squares, ranges)


def martingales(ratio: Fraction, *, long: bool) -> list[Law]:
    """Laws with xi_tau = ratio (sum of the earlier differences), and deterministic means."""
    more = [laws.long_walk(52, ratio)] if long else []
    return [constant(1), same_sign(1), *(walk(tau, ratio) for tau in (2, 3, 4)), *more]


METHOD = (
    "A = sum of the conditional means and P = sum of the earlier differences are known before the last variable, whose "
    "difference has conditional mean zero and splits off; E|P|^2 <= (tau-1) sigma^2 by induction (tower property: no "
    "cross terms); then a certificate; Gram identity in commuting scalars (removes d)"
)


@conditional_claim(
    "MX-LEMD3-2.1",
    proves=proves(
        LEMMA_D3_2,
        lambda mean, noise: mean * Expect(NormSq(total(xi))) + noise * vectors.tau * s**2,
        left=OF_SUM,
    ),
    statement=LEMMA_D3_2,
    source="Lemma D.3",
    headline="A sum with conditional means: the noise adds up like independent noise",
    summary="With conditional means the noise enters with 2 tau sigma^2. Neither 2 can be lowered for all tau; for each "
    "tau the second term can be lowered to (2 tau - 1) sigma^2.",
    proof_steps=("MX-LEMD3-2.2", "MX-LEMD3-X"),
    printed=dict(mean="2", noise="2", conditional=True),
    controls=[
        Control("2 tau sigma^2 -> 1.98 tau sigma^2", dict(noise="99/50")),
        Control("2 E|sum xi|^2 -> 1.98 E|sum xi|^2", dict(mean="99/50")),
        Control("means instead of conditional means", dict(conditional=False)),
    ],
)
def conditional_means(mean: str, noise: str, conditional: bool) -> Evidence:
    """p = mean, q = noise tau."""
    p, q = sp.Rational(mean), sp.Rational(noise) * vectors.tau
    examples = martingales(1 / (Fraction(mean) - 1), long=True)
    if not conditional:
        examples = [*examples, same_sign(3)]
    sharp = "(2 tau - 1) sigma^2 instead of 2 tau sigma^2 (MX-LEMD3-2-S1): ratio 2 tau/(2 tau "
    return certified(
        last_variable(p, q, TAU, 1 / (p - 1)),
        on_laws(examples, mean, lambda law: Fraction(noise) * law.size, conditional=conditional),
        also=cross_terms_vanish() and conditional,
        why="" if conditional else "no martingale differences",
        method=METHOD,
        valid_for=GENERAL,
        numbers={"sharp second coefficient for each tau >= 2 when the first is 2": "2 tau - 1"},
        tightness=attained(sharp + "- 1), 2 at tau = 1 and 1 in the limit", 2.0),
    )


@expectation_claim(
    "MX-LEMD3-2-S1",
    proves=proves(
        vectors.LEMMA_D3_2_SHARP,
        lambda mean, noise: (
            mean * (1 + vectors.c) * Expect(NormSq(total(xi)))
            + noise * (1 + (1 + 1 / vectors.c) * (vectors.tau - 1)) * s**2
        ),
        left=OF_SUM,
        under=(vectors.c > 0,),
    ),
    statement=vectors.LEMMA_D3_2_SHARP,
    source="Lemma D.3, sharpened",
    headline="A sum with conditional means: the sharp family of coefficients",
    summary="The sharp form for conditional means: c = 1 gives 2 E|sum xi|^2 + (2 tau - 1) sigma^2, and no pair of "
    "coefficients is below this family for any tau >= 2.",
    elsewhere=elsewhere.SUMS,
    assumptions=(CONDITIONAL, VARIANCE, "c > 0"),
    printed=dict(mean="1", noise="1"),
    controls=[
        Control("first coefficient times 0.99", dict(mean="99/100")),
        Control("second coefficient times 0.99", dict(noise="99/100")),
    ],
)
def conditional_means_sharp(mean: str, noise: str) -> Evidence:
    """Equality at xi_tau = (D_1 + ... + D_{tau-1})/c with variances sigma^2."""
    p, q = 1 + vectors.c, 1 + (1 + 1 / vectors.c) * (vectors.tau - 1)
    first, second = sp.Rational(mean) * p, sp.Rational(noise) * q
    base = last_variable(p, q, (*TAU, (vectors.c, Open(0), None)), 1 / vectors.c)
    squares = [*base.squares, (first - p, A), (second - q, s)]
    certificate = Certificate(base.left, first * A**2 + second * s**2, base.premises, squares, base.ranges)
    # xi_tau = P/c, E|P|^2 = (tau-1) sigma^2: both sides for every tau and c
    earlier = (vectors.tau - 1) * s**2
    attains = equal((1 + 1 / vectors.c) ** 2 * earlier + s**2, p * earlier / vectors.c**2 + q * s**2)
    cases = [(c, law) for c in (ONE, Fraction(2), Fraction(1, 3)) for law in martingales(1 / c, long=False)]

    def pair(case: tuple[Fraction, Law]) -> tuple[Fraction, Fraction]:
        value, law = case
        x = law.moments(conditional=True)
        at = {vectors.c: value, vectors.tau: law.size}
        return x.total, number(first, at) * x.centre + number(second, at) * x.variance

    return certified(
        certificate,
        search(cases, pair, describe=lambda case: f"c = {case[0]}; {case[1].name}"),
        also=cross_terms_vanish() and attains,
        method=METHOD,
        valid_for=f"{GENERAL}, every c > 0",
        tightness=attained(
            "equality for xi_tau = (D_1 + ... + D_{tau-1})/c, the other xi_i = 0, independent D_i of variance sigma^2"
        ),
    )


@expectation_claim(
    "MX-LEMD3-2-S2",
    proves=proves(vectors.LEMMA_D3_2_FIXED, lambda noise: NormSq(total(xi)) + noise * vectors.tau * s**2, left=OF_SUM),
    statement=vectors.LEMMA_D3_2_FIXED,
    source="Lemma D.3, sharpened",
    headline="A sum with fixed conditional means: no factor two is needed",
    summary="If the conditional means are not random no factor 2 is needed; this is below both parts of the lemma.",
    elsewhere=elsewhere.SUMS,
    depends=("MX-LEMD3-S1.1",),
    assumptions=("xi_i = E[Xi_i | Xi_{i-1}, ..., Xi_1] is not random", VARIANCE),
    printed=dict(noise="1", random=False),
    controls=[
        Control("tau sigma^2 times 0.99", dict(noise="99/100")),
        Control("random conditional means", dict(random=True)),
    ],
)
def fixed_means(noise: str, random: bool) -> Evidence:
    """A is not random: E|A + B|^2 = |A|^2 + E|B|^2 and E|B|^2 = sum of the variances."""
    k = sp.Rational(noise)
    premises = {"no cross terms": (sp.Integer(1), vectors.tau * s**2 - N)}
    certificate = Certificate(A**2 + N, A**2 + k * vectors.tau * s**2, premises, [((k - 1) * vectors.tau, s)], TAU)
    examples = [constant(1), same_sign(1, ONE), *(walk(tau, ONE if random else Fraction(0)) for tau in (2, 3))]
    return certified(
        certificate,
        on_laws(examples, "1", lambda law: Fraction(noise) * law.size),
        also=separates() and cross_terms_vanish() and not random,
        why="A is random" if random else "",
        method="mean and deviation over outcomes, no cross terms (tower property, induction), certificate in the moments",
        valid_for=GENERAL,
        tightness=attained("equality when all variances are sigma^2"),
    )


if __name__ == "__main__":
    run_script(__file__)
