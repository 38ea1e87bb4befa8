"""Lemma D.3 of Augenstein et al. (2022), mean and variance of a sum of dependent random vectors: the statements.

Proofs for every tau, dimension and dependence: expectation is a mean, so that a sum splits into A = sum xi_i and a part
with mean zero; squares of sums follow from mean and deviation over i.  Refutations enumerate finite laws
(:mod:`verify.mixed2022.laws`), whose means and conditional means are computed, not typed.

Since xi_1, ..., xi_tau and the earlier differences are known before the last variable, 2 tau sigma^2 can be lowered to
(2 tau - 1) sigma^2, and (1+c) E|sum xi|^2 + (1 + (1+1/c)(tau-1)) sigma^2 is exact for every tau >= 2 and c > 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.derivation.statement import text_of, with_coefficients
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import vectors
from fltheory.theory.mixed2022.scalars import number
from fltheory.theory.mixed2022.vectors import LEMMA_D3_1, LEMMA_D3_2, LEMMA_D3_2_FIXED, LEMMA_D3_2_SHARP, Xi, s, total
from fltheory.theory.notation import Expect, NormSq
from fltheory.theory.proofs import equal
from fltheory.theory.states import proves
from verify.mixed2022 import derivations, elsewhere, laws
from verify.mixed2022.laws import Law, MomentsOfSum, constant, same_sign, walk
from verify.mixed2022.settled import attained

ONE = Fraction(1)
#: E|sum Xi_i|^2 as it is displayed.
OF_SUM = Expect(NormSq(total(Xi)))

CENTRE = NormSq(vectors.total(vectors.xi))
#: E|sum (Xi_i - xi_i)|^2 as it is displayed.
OF_NOISE = Expect(NormSq(total(Xi) - total(vectors.xi)))
#: Xi = m + z, with one draw for all, so that any dependence is allowed; sums are tau times means over an axis.
FIXED_MEANS = "m over j; z over j xi, mean 0 over xi"
MEANINGS = {CENTRE: "sq(tau*mean(m, j))", OF_NOISE: "sq(tau*mean(z, j))"}
GENERAL = "every tau, every dimension, every law with second moments"
CONDITIONAL = "xi_i = E[Xi_i | Xi_{i-1}, ..., Xi_1]"
VARIANCE = "E|Xi_i - xi_i|^2 <= sigma^2"
conditional_claim = expectation_claim.sharing(assumptions=(CONDITIONAL, VARIANCE))


def on_laws(
    laws_: Sequence[Law],
    sides: Callable[[MomentsOfSum, Fraction], tuple[Fraction, Fraction]],
    *,
    conditional: bool = True,
    relation: str = "<=",
) -> Search:
    """A relation between moments of finite laws; ``sides`` are told the number of variables as well."""
    return search(
        laws_,
        lambda law: sides(law.moments(conditional=conditional), Fraction(law.size)),
        relation=relation,
        describe=lambda law: law.name,
    )


def form(display: Bound, mean: str | None, noise: sp.Expr | None) -> Bound:
    """A form of the lemma with another factor on the squared sum of the means, or another term in sigma^2."""
    centre = next(term for term in (Expect(CENTRE), CENTRE) if display.expression.coeff(term) != 0)
    factor = None if mean is None else sp.Rational(mean)
    rest = display.expression.subs(centre, 0)
    changed = with_coefficients(display.expression, {centre: factor})
    return replace(display, expression=changed if noise is None else changed - rest + noise * s**2)


@expectation_claim(
    "MX-LEMD3-1",
    proves=proves(LEMMA_D3_1, left=OF_SUM),
    statement=LEMMA_D3_1,
    source="Lemma D.3",
    headline="A sum of dependent random vectors: means and variances separate",
    summary="A sum of dependent random vectors: tau^2 sigma^2 on top of the squared mean; attained if all share one noise.",
    assumptions=("E Xi_i = xi_i", VARIANCE),
    proof_steps=("MX-LEMD3-ID", "MX-LEMD3-S1"),
    printed=dict(mean=None, noise=None, power=2),
    controls=[
        Control("tau^2 sigma^2 times 0.99", dict(noise="99/100")),
        Control("squared mean times 0.99", dict(mean="99/100")),
        Control("tau sigma^2, as for independent vectors", dict(power=1)),
    ],
)
def means(mean: str | None, noise: str | None, power: int) -> Evidence:
    """Expectation over the draws, mean and deviation over i = 1..tau (D.2)."""
    k = None if noise is None and power == 2 else sp.Rational(noise or 1) * vectors.tau**power
    bound = form(LEMMA_D3_1, mean, k)
    examples = [constant(1), *(same_sign(tau, mu) for tau in (1, 2, 3) for mu in (Fraction(0), ONE)), walk(2, ONE)]
    first, second = Fraction(mean or 1), Fraction(noise or 1)
    return by_derivation(
        InMean(
            f"sq(tau*mean(m + z, j)) <= {text_of(bound.expression, MEANINGS)} for tau >= 1; s >= 0",
            things=FIXED_MEANS,
            over="j xi",
            uses=[use("bounded variance", times="tau**2", sigma2="s**2", noise="z")],
            squares=[("tau**2", "z - mean(z, j)")],
        ).derived,
        on_laws(
            examples,
            lambda x, tau: (x.total, first * x.centre + second * tau**power * x.variance),
            conditional=False,
        ),
        method="mean and deviation over outcomes (expectation), mean and deviation over i = 1..tau (D.2)",
        valid_for=GENERAL,
        tightness=attained("equality when all Xi_i - xi_i are equal"),
    )


def martingales(ratio: Fraction, *, long: bool) -> list[Law]:
    """Laws with xi_tau = ratio (sum of the earlier differences), and deterministic means."""
    more = [laws.long_walk(52, ratio)] if long else []
    return [constant(1), same_sign(1), *(walk(tau, ratio) for tau in (2, 3, 4)), *more]


METHOD = (
    "A = sum of the conditional means and P = sum of the earlier differences are known before the last variable, whose "
    "difference has conditional mean zero and splits off; E|P|^2 <= (tau-1) sigma^2 by induction (tower property: no "
    "cross terms)"
)


@conditional_claim(
    "MX-LEMD3-2.1",
    proves=proves(LEMMA_D3_2, left=OF_SUM),
    statement=LEMMA_D3_2,
    source="Lemma D.3",
    headline="A sum with conditional means: the noise adds up like independent noise",
    summary="With conditional means the noise enters with 2 tau sigma^2. Neither 2 can be lowered for all tau; for each "
    "tau the second term can be lowered to (2 tau - 1) sigma^2.",
    proof_steps=("MX-LEMD3-2.2", "MX-LEMD3-X"),
    printed=dict(mean=None, noise=None, conditional=True),
    controls=[
        Control("2 tau sigma^2 -> 1.98 tau sigma^2", dict(noise="99/50")),
        Control("2 E|sum xi|^2 -> 1.98 E|sum xi|^2", dict(mean="99/50")),
        Control("means instead of conditional means", dict(conditional=False)),
    ],
)
def conditional_means(mean: str | None, noise: str | None, conditional: bool) -> Evidence:
    """A and P in the ratio that the first factor allows."""
    first, second = Fraction(mean or 2), Fraction(noise or 2)
    bound = form(LEMMA_D3_2, mean, None if noise is None else sp.Rational(noise) * vectors.tau)
    examples = martingales(1 / (first - 1), long=True)
    if not conditional:
        examples = [*examples, same_sign(3)]
    sharp = "(2 tau - 1) sigma^2 instead of 2 tau sigma^2 (MX-LEMD3-2-S1): ratio 2 tau/(2 tau "
    return by_derivation(
        lambda: derivations.about_conditional_means(bound, str(first - 1), conditional=conditional),
        on_laws(
            examples,
            lambda x, tau: (x.total, first * x.centre + second * tau * x.variance),
            conditional=conditional,
        ),
        method=METHOD,
        valid_for=GENERAL,
        numbers={"sharp second coefficient for each tau >= 2 when the first is 2": "2 tau - 1"},
        tightness=attained(sharp + "- 1), 2 at tau = 1 and 1 in the limit", 2.0),
    )


@expectation_claim(
    "MX-LEMD3-2-S1",
    proves=proves(LEMMA_D3_2_SHARP, left=OF_SUM, under=(vectors.MARTINGALE, vectors.VARIANCE, vectors.c > 0)),
    statement=LEMMA_D3_2_SHARP,
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
    expression = sp.Rational(mean) * LEMMA_D3_2_SHARP.expression + (sp.Rational(noise) - sp.Rational(mean)) * q * s**2
    bound = replace(LEMMA_D3_2_SHARP, expression=expression)
    # xi_tau = P/c, E|P|^2 = (tau-1) sigma^2: both sides for every tau and c
    earlier = (vectors.tau - 1) * s**2
    attains = equal((1 + 1 / vectors.c) ** 2 * earlier + s**2, p * earlier / vectors.c**2 + q * s**2)
    cases = [(c, law) for c in (ONE, Fraction(2), Fraction(1, 3)) for law in martingales(1 / c, long=False)]

    def pair(case: tuple[Fraction, Law]) -> tuple[Fraction, Fraction]:
        value, law = case
        x = law.moments(conditional=True)
        at = {vectors.c: value, vectors.tau: law.size}
        return x.total, number(first, at) * x.centre + number(second, at) * x.variance

    where = "equality for xi_tau = (D_1 + ... + D_{tau-1})/c, the other xi_i = 0, independent D_i of variance sigma^2"
    return by_derivation(
        lambda: derivations.about_conditional_means(bound, "c"),
        search(cases, pair, describe=lambda case: f"c = {case[0]}; {case[1].name}"),
        method=METHOD,
        valid_for=f"{GENERAL}, every c > 0",
        tightness=attained(where) if attains else None,
    )


@expectation_claim(
    "MX-LEMD3-2-S2",
    statement=LEMMA_D3_2_FIXED,
    source="Lemma D.3, sharpened",
    headline="A sum with fixed conditional means: no factor two is needed",
    summary="If the conditional means are not random no factor 2 is needed; this is at most either part of the lemma, and less "
    "than both for tau > 1 and sigma > 0.",
    elsewhere=elsewhere.SUMS,
    depends=("MX-LEMD3-S1.1",),
    assumptions=("xi_i = E[Xi_i | Xi_{i-1}, ..., Xi_1] is not random", VARIANCE),
    printed=dict(noise=None, random=False),
    controls=[
        Control("tau sigma^2 times 0.99", dict(noise="99/100")),
        Control("random conditional means", dict(random=True)),
    ],
)
def fixed_means(noise: str | None, random: bool) -> Evidence:
    """A is not random: no product of it with the differences is left."""
    bound = form(LEMMA_D3_2_FIXED, None, None if noise is None else sp.Rational(noise) * vectors.tau)
    examples = [constant(1), same_sign(1, ONE), *(walk(tau, ONE if random else Fraction(0)) for tau in (2, 3))]
    return by_derivation(
        lambda: derivations.about_fixed_means(bound, random=random),
        on_laws(examples, lambda x, tau: (x.total, x.centre + Fraction(noise or 1) * tau * x.variance)),
        method="mean and deviation over outcomes, no cross terms (tower property, induction)",
        valid_for=GENERAL,
        tightness=attained("equality when all variances are sigma^2"),
    )


if __name__ == "__main__":
    run_script(__file__)
