"""Proof steps of Lemma D.3 of Augenstein et al. (2022), and in which sense its second part is the tighter one.

The variance identity is printed with the square outside the expectation: (E[X - EX])^2 is always 0.  The display that
is derived from it, and both parts of the lemma, are right.
"""

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.derivation.statement import text_of
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import algebra_claim, expectation_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.mixed2022 import vectors
from fltheory.theory.mixed2022.vectors import CROSS_D3, CRUDE_D3, SEPARATION_D3, X, Xi, s, tau, total, xi
from fltheory.theory.notation import Expect, NormSq
from fltheory.theory.states import proves
from verify.mixed2022 import derivations, laws
from verify.mixed2022.laws import constant, same_sign, walk
from verify.mixed2022.lemma_d3 import (
    CENTRE,
    CONDITIONAL,
    FIXED_MEANS,
    GENERAL,
    MEANINGS,
    OF_NOISE,
    OF_SUM,
    VARIANCE,
    on_laws,
)
from verify.mixed2022.settled import attained, false_algebra, together

ONE, ZERO = Fraction(1), Fraction(0)
#: What the variance identities consist of, printed and repaired.
SPLIT = {
    Expect((X - Expect(X)) ** 2): "sq(X - mean(X, xi))",
    Expect(X - Expect(X)) ** 2: "sq(mean(X, xi) - mean(X, xi))",
    Expect(X) ** 2: "sq(mean(X, xi))",
}
identity_of_the_proof = identity_claim.sharing(source="proof of Lemma D.3")
bound_of_the_proof = expectation_claim.sharing(source="proof of Lemma D.3")
LAWS = [constant(1), *(same_sign(many, mu) for many in (1, 2, 3) for mu in (ZERO, ONE)), walk(2, ZERO), walk(3, ZERO)]


def variance(square: str) -> Evidence:
    """E[X^2] for X = mean + deviation; the mean of the deviation is zero."""
    inside = square == "inside"
    display = vectors.VARIANCE_D3_REPAIRED if inside else vectors.VARIANCE_D3
    u, v = sp.symbols("u v")
    mean = (u + v) / 2
    spread = ((u - mean) ** 2 + (v - mean) ** 2) / 2 if inside else ((u - mean) / 2 + (v - mean) / 2) ** 2
    sides = Side("E X^2", (u**2 + v**2) / 2), "=", Side("right side", spread + mean**2)
    return by_derivation(
        InMean(f"sq(X) = {text_of(display.expression, SPLIT)}", things="X over xi", over="xi").derived,
        tried(Witness({u: 1, v: low}, *sides, setting="X is u or v, equally likely") for low in (1, -1)),
        method="mean and deviation over outcomes; the deviation has mean zero",
        valid_for="every X with second moment",
    )


variance_as_printed = identity_of_the_proof(
    "MX-LEMD3-ID",
    proves=proves(
        vectors.VARIANCE_D3, lambda: Expect(X - Expect(X)) ** 2 + Expect(X) ** 2, left=Expect(X**2), relation="="
    ),
    statement=vectors.VARIANCE_D3,
    fault="slip",
    headline="A variance identity is printed with the square outside the expectation",
    summary="The variance identity with the square outside the expectation: the term (E[X - E X])^2 is always 0, so that it "
    "holds for constants only. The display that follows from it is right.",
    repair="MX-LEMD3-ID-R1",
    printed=dict(square="outside"),
    controls=[Control("square inside the expectation", dict(square="inside"), must="pass")],
)(variance)
variance_repaired = identity_of_the_proof(
    "MX-LEMD3-ID-R1",
    proves=proves(
        vectors.VARIANCE_D3_REPAIRED,
        lambda: Expect((X - Expect(X)) ** 2) + Expect(X) ** 2,
        left=Expect(X**2),
        relation="=",
    ),
    statement=vectors.VARIANCE_D3_REPAIRED,
    summary="The second moment is the square of the mean plus the variance.",
    printed=dict(square="inside"),
    controls=[Control("square outside the expectation, as printed", dict(square="outside"))],
)(variance)


@identity_of_the_proof(
    "MX-LEMD3-S1.1",
    headline="A sum's mean square is its squared mean plus its noise if the means are fixed",
    proves=proves(vectors.SEPARATION_D3, lambda: NormSq(total(xi)) + OF_NOISE, left=OF_SUM, relation="="),
    statement=vectors.SEPARATION_D3,
    summary="Second moment of a sum = squared mean + second moment of the noise, for means that are not random.",
    printed=dict(conditional=False),
    controls=[Control("random conditional means", dict(conditional=True))],
)
def separation(conditional: bool) -> Evidence:
    """With random conditional means the product of means and noise does not vanish."""
    laws_ = [*LAWS, walk(2, ONE)]
    return by_derivation(
        InMean(
            f"sq(tau*mean(m + z, j)) = {text_of(SEPARATION_D3.expression, MEANINGS)} for tau >= 1",
            things=FIXED_MEANS.replace("m over j", "m over j xi") if conditional else FIXED_MEANS,
            over="xi j",
        ).derived,
        on_laws(laws_, lambda x, _: (x.total, x.centre + x.noise), conditional=conditional, relation="="),
        method="mean and deviation over outcomes",
        valid_for=GENERAL,
    )


@bound_of_the_proof(
    "MX-LEMD3-S1.2",
    headline="The noise of a sum is at most the number of terms squared times each variance",
    proves=proves(vectors.NOISE_D3, lambda second: second * tau**2 * s**2, left=OF_NOISE),
    statement=r"\mathbb{E}\|\sum_i(\Xi_i-\xi_i)\|^2\le\tau\sum_i\mathbb{E}\|\Xi_i-\xi_i\|^2\le\tau^2\sigma^2",
    summary="The noise of a sum by D.2, then by the bound on each variance; both inequalities are sharp for every tau.",
    assumptions=(VARIANCE,),
    depends=("MX-LEMD2-2.1",),
    printed=dict(first="1", second="1"),
    controls=[
        Control("tau times 0.99 in the first inequality", dict(first="99/100")),
        Control("tau^2 sigma^2 times 0.99", dict(second="99/100")),
    ],
)
def noise_of_a_sum(first: str, second: str) -> Evidence:
    """N = |tau mean|^2 and tau sum = tau^2 mean of squares; then tau sum_i (.) is at most tau^2 sigma^2."""
    lines = [
        InMean(
            f"sq(tau*mean(z, j)) <= {first}*tau**2*sq(z) for tau >= 1",
            things=FIXED_MEANS,
            over="j xi",
            squares=[("tau**2", "z - mean(z, j)")],
        ),
        InMean(
            f"tau**2*sq(z) <= {second}*tau**2*s**2 for tau >= 1; s >= 0",
            things=FIXED_MEANS,
            over="j xi",
            uses=[use("bounded variance", times="tau**2", sigma2="s**2", noise="z")],
        ),
    ]
    found = [
        on_laws(LAWS, lambda x, tau: (x.noise, Fraction(first) * tau * x.single), conditional=False),
        on_laws(LAWS, lambda x, tau: (x.single, Fraction(second) * tau * x.variance), conditional=False),
    ]
    return by_derivation(
        [line.derived for line in lines],
        together(found),
        method="mean and deviation over i = 1..tau, then the variance bound",
        valid_for=GENERAL,
        tightness=attained("equality when all Xi_i - xi_i are equal"),
    )


@bound_of_the_proof(
    "MX-LEMD3-2.2",
    headline="A sum of random vectors: the conditional means and the noise bounded apart",
    proves=proves(CRUDE_D3, lambda factor: factor * (Expect(NormSq(total(xi))) + OF_NOISE), left=OF_SUM),
    statement=CRUDE_D3,
    summary="D.2 with two vectors: the sum of the conditional means and the noise; the factors 2 are sharp over all tau.",
    assumptions=(CONDITIONAL,),
    depends=("MX-LEMD2-2.1",),
    printed=dict(factor="2"),
    controls=[Control("both factors 2 -> 1.98", dict(factor="99/50"))],
)
def crude(factor: str) -> Evidence:
    """2|A|^2 + 2|B|^2 - |A + B|^2 = |A - B|^2, then the expectation."""
    bound = replace(CRUDE_D3, expression=sp.Rational(factor) / 2 * CRUDE_D3.expression)
    examples = [constant(1), walk(2, ONE), walk(3, ONE), laws.long_walk(52, ONE)]
    return by_derivation(
        InMean(
            f"sq(A + B) <= {text_of(bound.expression, {OF_NOISE: 'sq(B)', Expect(CENTRE): 'sq(A)'})}",
            things="A over xi; B over xi",
            over="xi",
            squares=[("1", "A - B")],
        ).derived,
        on_laws(examples, lambda x, _: (x.total, Fraction(factor) * (x.centre + x.noise))),
        method="one square, then the expectation",
        valid_for=GENERAL,
        tightness=attained("ratio (4 tau - 3)/(4 tau - 2) for xi_tau = sum of the earlier differences"),
    )


@bound_of_the_proof(
    "MX-LEMD3-X",
    headline="Martingale differences have no cross terms, so their variances add up",
    proves=proves(CROSS_D3, lambda: total(Expect(NormSq(Xi - xi))), left=OF_NOISE, relation="="),
    statement=(CROSS_D3, r"\le\tau\sigma^2"),
    summary="Martingale differences have no cross terms, so that their sum has variance at most tau sigma^2.",
    assumptions=(CONDITIONAL, VARIANCE),
    printed=dict(conditional=True, noise="1"),
    controls=[
        Control("means instead of conditional means", dict(conditional=False)),
        Control("tau sigma^2 times 0.99", dict(noise="99/100")),
    ],
)
def no_cross_terms(conditional: bool, noise: str) -> Evidence:
    """Induction over tau: E|P + D|^2 = E|P|^2 + E|D|^2, since E<P, D> = E<P, E[D | earlier]> = 0."""
    examples = [same_sign(1), constant(1), *(walk(many, r) for many in (2, 3) for r in (ZERO, ONE))]
    examples = examples if conditional else [*examples, same_sign(2)]
    found = [
        on_laws(examples, lambda x, _: (x.noise, x.single), conditional=conditional, relation="="),
        on_laws(examples, lambda x, tau: (x.single, Fraction(noise) * tau * x.variance), conditional=conditional),
    ]
    return by_derivation(
        lambda: derivations.no_cross_terms(variance=noise, conditional=conditional),
        together(found),
        method="the difference has mean zero given the earlier variables (tower property); added up over the steps",
        valid_for=GENERAL,
        tightness=attained("equality when all variances are sigma^2"),
    )


NAMES = {"M": r"\|\sum_i\xi_i\|^2", "tau": r"\tau", "s": r"\sigma"}
whole_bound = false_algebra(
    "MX-LEMD3-TIGHTER[the whole bound]",
    Relations("2*M + 2*tau*s**2 <= M + tau**2*s**2 for tau >= 1; s >= 0; M >= 0", names=NAMES),
    true={
        "tau >= 2 and |sum xi|^2 <= tau (tau - 2) sigma^2": (
            "tau >= 1; s >= 0; M >= 0",
            "tau >= 2; s >= 0; 0 <= M <= tau*(tau - 2)*s**2",
        )
    },
    group=algebra_claim,
    fault="reading",
    source="Lemma D.3",
    headline="The second bound on a sum of random vectors is not always the tighter one",
    summary="The second bound is not below the first in general: never for tau <= 2, and for no tau if the sum of the means "
    "is at least tau sigma. (Where the two can be compared, i.e. for means that are not random, MX-LEMD3-2-S2 is above neither.)",
    repair="MX-LEMD3-TIGHTER-R1",
)
noise_order = statement_of_algebra(
    "MX-LEMD3-TIGHTER[order of the noise term]",
    Relations("2*tau*s**2 <= tau**2*s**2 for tau >= 2; s >= 0", names=NAMES),
    false={"from tau = 1 on": ("tau >= 2", "tau >= 1")},
    group=algebra_claim,
    source="Lemma D.3",
    headline="The second bound's noise term grows linearly instead of quadratically",
    summary="The noise term grows as tau instead of tau^2: equal at tau = 2, from there on 2/tau times the other.",
)
criterion = statement_of_algebra(
    "MX-LEMD3-TIGHTER-R1",
    Relations("M + tau**2*s**2 - (2*M + 2*tau*s**2) = tau*(tau - 2)*s**2 - M", names=NAMES),
    false={"tau (tau - 1) instead of tau (tau - 2)": ("tau*(tau - 2)", "tau*(tau - 1)")},
    group=algebra_claim,
    source="Lemma D.3, repaired",
    headline="When exactly the second bound on a sum of random vectors is the tighter one",
    summary="The second bound is the tighter one exactly when |sum xi|^2 < tau (tau - 2) sigma^2.",
)


if __name__ == "__main__":
    run_script(__file__)
