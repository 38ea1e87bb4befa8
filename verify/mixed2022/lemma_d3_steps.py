"""Proof steps of Lemma D.3 of Augenstein et al. (2022), and in which sense its second part is the tighter one.

The variance identity is printed with the square outside the expectation: (E[X - EX])^2 is always 0.  The display that
is derived from it, and both parts of the lemma, are right.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.decide import decide
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.kinds import algebra_claim, expectation_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.averages import Averages
from fltheory.theory.mixed2022 import vectors
from fltheory.theory.mixed2022.scalars import number
from fltheory.theory.mixed2022.vectors import CROSS_D3, CRUDE_D3, X, Xi, s, tau, total, w, xi
from fltheory.theory.notation import Expect, NormSq
from fltheory.theory.proofs import Certificate, is_zero
from fltheory.theory.states import proves
from verify.mixed2022 import laws
from verify.mixed2022.laws import LAST, LIST, A, B, B_dev, D, D_dev, Law, P, constant, same_sign, w_mean, walk
from verify.mixed2022.lemma_d3 import CONDITIONAL, GENERAL, OF_SUM, VARIANCE
from verify.mixed2022.settled import all_certified, attained, certified, identical

ONE, ZERO = Fraction(1), Fraction(0)
#: E|sum (Xi_i - xi_i)|^2 as it is displayed.
OF_NOISE = Expect(NormSq(total(Xi) - total(xi)))
identity_of_the_proof = identity_claim.sharing(source="proof of Lemma D.3")
bound_of_the_proof = expectation_claim.sharing(source="proof of Lemma D.3")
GRAM = "Gram identity in commuting scalars (removes d)"
#: N = E|sum (Xi_i - xi_i)|^2, Q = mean over i of E|Xi_i - xi_i|^2, M = |sum xi_i|^2.
N, Q, M = sp.symbols("N Q M")
RANGES = ((tau, 1, None), (s, 0, None))
LAWS = [constant(1), *(same_sign(many, mu) for many in (1, 2, 3) for mu in (ZERO, ONE)), walk(2, ZERO), walk(3, ZERO)]


def bounded_variance(share: sp.Expr, factor: str) -> Certificate:
    """share times the mean of the variances is at most factor times share sigma^2."""
    q = sp.Rational(factor)
    return Certificate(share * Q, q * share * s**2, {"variance": (share, s**2 - Q)}, [((q - 1) * share, s)], RANGES)


def variance(square: str) -> Evidence:
    """E[X^2] for X = mean + deviation; the mean of the deviation is zero."""
    X, mean, deviation = sp.symbols("X mean deviation")
    law = Averages({X: (mean, deviation)}, common_vectors=(mean,))
    spread = law.of((X - mean) ** 2) if square == "inside" else sp.Integer(0)
    residual = law.of(X**2) - spread - mean**2

    def pair(case: Law) -> tuple[Fraction, Fraction]:
        centres = case.means()
        first = case.expect(lambda x, _: x[0], centres)
        outer = case.expect(lambda x, m: (x[0] - m[0]) ** 2, centres)
        inner = case.expect(lambda x, m: x[0] - m[0], centres) ** 2
        return case.expect(lambda x, _: x[0] ** 2, centres), (outer if square == "inside" else inner) + first**2

    found = search([same_sign(1), same_sign(1, ONE), constant(1)], pair, relation="=", describe=lambda law: law.name)
    method = "mean and deviation over outcomes; the deviation has mean zero"
    return identical(residual, found, method=method, valid_for="every X with second moment")


variance_as_printed = identity_of_the_proof(
    "MX-LEMD3-ID",
    proves=proves(
        vectors.VARIANCE_D3, lambda: Expect(X - Expect(X)) ** 2 + Expect(X) ** 2, left=Expect(X**2), relation="="
    ),
    statement=vectors.VARIANCE_D3,
    fault="slip",
    headline="A variance identity is printed with the square outside the expectation",
    summary="The variance identity with the square outside the expectation: its first term is always 0, so that it holds "
    "for constants only. The display that follows from it is right.",
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
    proves=proves(vectors.SEPARATION_D3, lambda: NormSq(total(xi)) + OF_NOISE, left=OF_SUM, relation="="),
    statement=vectors.SEPARATION_D3,
    summary="Second moment of a sum = squared mean + second moment of the noise, for means that are not random.",
    printed=dict(conditional=False),
    controls=[Control("random conditional means", dict(conditional=True))],
)
def separation(conditional: bool) -> Evidence:
    """With random conditional means A the product of A and B does not vanish."""
    A_mean, A_dev = sp.symbols("A_mean A_dev")
    random = Averages({A: (A_mean, A_dev), B: (sp.Integer(0), B_dev)}, common_vectors=(A_mean,))
    law = random if conditional else laws.OUTCOMES
    residual = law.of((A + B) ** 2) - law.of(A**2) - law.of(B**2)

    def pair(case: Law) -> tuple[Fraction, Fraction]:
        x = case.moments(conditional=conditional)
        return x.total, x.centre + x.noise

    found = search([*LAWS, walk(2, ONE)], pair, relation="=", describe=lambda law: law.name)
    return identical(residual, found, method=f"mean and deviation over outcomes; {GRAM}", valid_for=GENERAL)


@bound_of_the_proof(
    "MX-LEMD3-S1.2",
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
    """N = |tau mean|^2 and tau sum = tau^2 mean of squares; then tau sum_i (.) = tau^2 Q <= tau^2 sigma^2."""
    p = sp.Rational(first)
    jensen = LIST.certificate(
        sp.Integer(0),
        p * tau**2 * w**2 - tau**2 * w_mean**2,
        squares=[(p * tau**2, w - w_mean), ((p - 1) * tau**2, w_mean)],
        ranges=RANGES,
    )
    cases = [(part, law) for law in LAWS for part in (0, 1)]

    def pair(case: tuple[int, Law]) -> tuple[Fraction, Fraction]:
        part, law = case
        x = law.moments(conditional=False)
        middle = law.size * x.single
        return (middle, Fraction(second) * law.size**2 * x.variance) if part else (x.noise, Fraction(first) * middle)

    return all_certified(
        {"D.2": jensen, "variance": bounded_variance(tau**2, second)},
        search(cases, pair, describe=lambda case: f"inequality {case[0] + 1}: {case[1].name}"),
        method=f"mean and deviation over i = 1..tau (removes tau), then the variance bound; {GRAM}",
        valid_for=GENERAL,
        tightness=attained("equality when all Xi_i - xi_i are equal"),
    )


@bound_of_the_proof(
    "MX-LEMD3-2.2",
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
    k = sp.Rational(factor)
    certificate = Certificate((A + B) ** 2, k * (A**2 + B**2), {}, [(sp.Integer(1), A - B), (k - 2, A), (k - 2, B)], ())

    def pair(law: Law) -> tuple[Fraction, Fraction]:
        x = law.moments(conditional=True)
        return x.total, Fraction(factor) * (x.centre + x.noise)

    examples = [constant(1), walk(2, ONE), walk(3, ONE), laws.long_walk(52, ONE)]
    found = search(examples, pair, describe=lambda law: law.name)
    tight = attained("ratio (4 tau - 3)/(4 tau - 2) for xi_tau = sum of the earlier differences")
    return certified(
        certificate, found, method=f"one square, then the expectation; {GRAM}", valid_for=GENERAL, tightness=tight
    )


@bound_of_the_proof(
    "MX-LEMD3-X",
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
    D_mean = sp.Symbol("D_mean")
    law = LAST if conditional else Averages({D: (D_mean, D_dev)}, common_vectors=(P, D_mean))
    residual = law.of((P + D) ** 2) - P**2 - law.of(D**2)
    bounded = bounded_variance(tau, noise)
    verified, reason = bounded.verify()
    examples = [same_sign(1), constant(1), *(walk(many, r) for many in (2, 3) for r in (ZERO, ONE))]
    examples = examples if conditional else [*examples, same_sign(2)]
    cases = [(part, law) for law in examples for part in ("equality", "bound")]

    def pair(case: tuple[str, Law]) -> tuple[Fraction, Fraction]:
        part, law = case
        x = law.moments(conditional=conditional)
        if part == "equality":
            return abs(x.noise - x.single), ZERO
        return x.single, Fraction(noise) * law.size * x.variance

    words = "{} (for the equality: distance of the two sides against 0): {}"
    zero = is_zero(residual)
    kept = {"induction": certificates.identity(residual), "variance": certificates.polynomial(bounded)}
    return decide(
        (zero and verified, reason if zero else f"the sides differ by {residual}"),
        search(cases, pair, describe=lambda case: words.format(case[0], case[1].name)),
        method=f"induction over tau; the difference has mean zero given the earlier variables (tower property); {GRAM}",
        valid_for=GENERAL,
        tightness=attained("equality when all variances are sigma^2"),
        certificate=kept,
    )


FIRST, SECOND = M + tau**2 * s**2, 2 * M + 2 * tau * s**2


def compared(left: sp.Expr, right: sp.Expr, cases: list[tuple[int, int | Fraction]], *, relation: str = "<=") -> Search:
    """Both sides at (tau, |sum xi|^2), sigma = 1."""
    return search(
        cases,
        lambda x: tuple(number(side, {tau: x[0], M: x[1], s: 1}) for side in (left, right)),
        relation=relation,
        describe=lambda x: f"tau = {x[0]}, |sum xi|^2 = {x[1]}, sigma = 1",
    )


@algebra_claim(
    "MX-LEMD3-TIGHTER[the whole bound]",
    fault="reading",
    source="Lemma D.3",
    statement=r"2\|\sum_i\xi_i\|^2+2\tau\sigma^2\le\|\sum_i\xi_i\|^2+\tau^2\sigma^2",
    headline="The second bound on a sum of random vectors is not always the tighter one",
    summary="The second bound is not below the first in general: never for tau <= 2, and for no tau when the means are "
    "large. (Where the two can be compared, i.e. for means that are not random, MX-LEMD3-2-S2 is below both.)",
    repair="MX-LEMD3-TIGHTER-R1",
    printed=dict(first_tau=1, small_means=False),
    controls=[
        Control("tau >= 2 and |sum xi|^2 <= tau (tau - 2) sigma^2", dict(first_tau=2, small_means=True), must="pass")
    ],
)
def whole_bound(first_tau: int, small_means: bool) -> Evidence:
    """First less second is tau (tau - 2) sigma^2 - M."""
    border = tau * (tau - 2) * s**2
    premises = {"small means": (sp.Integer(1), border - M)} if small_means else {}
    certificate = Certificate(SECOND, FIRST, premises, [], ((tau, first_tau, None), (M, 0, None), (s, 0, None)))
    sizes = [many for many in (1, 2, 3, 10) if many >= first_tau]
    cases = [(many, m) for many in sizes for m in (ZERO, Fraction(many * (many - 2)) if small_means else Fraction(100))]
    found = compared(SECOND, FIRST, cases)
    words = dict(method="the difference of the two bounds is the premise", valid_for="as restricted")
    return decide(certificate.verify(), found, **words)


@algebra_claim(
    "MX-LEMD3-TIGHTER[order of the noise term]",
    source="Lemma D.3",
    statement=r"2\tau\sigma^2\le\tau^2\sigma^2\quad(\tau\ge2)",
    headline="The second bound's noise term grows linearly instead of quadratically",
    summary="The noise term grows as tau instead of tau^2: equal at tau = 2, smaller by 2/tau from there on.",
    printed=dict(first_tau=2),
    controls=[Control("from tau = 1 on", dict(first_tau=1))],
)
def noise_order(first_tau: int) -> Evidence:
    """tau^2 - 2 tau = tau (tau - 2)."""
    square = [(tau * (tau - 2), s)]
    certificate = Certificate(2 * tau * s**2, tau**2 * s**2, {}, square, ((tau, first_tau, None),))
    found = search(
        range(first_tau, 6),
        lambda many: (Fraction(2 * many), Fraction(many**2)),
        describe=lambda many: f"tau = {many}, sigma = 1",
    )
    words = dict(method="sign of tau (tau - 2)", valid_for="every tau >= 2", numbers={"ratio": "2/tau"})
    return certified(certificate, found, **words)


@algebra_claim(
    "MX-LEMD3-TIGHTER-R1",
    source="Lemma D.3, repaired",
    statement=r"\|\sum_i\xi_i\|^2+\tau^2\sigma^2-(2\|\sum_i\xi_i\|^2+2\tau\sigma^2)=\tau(\tau-2)\sigma^2-\|\sum_i\xi_i\|^2",
    headline="When exactly the second bound on a sum of random vectors is the tighter one",
    summary="The second bound is the tighter one exactly when |sum xi|^2 < tau (tau - 2) sigma^2.",
    printed=dict(shift=2),
    controls=[Control("tau (tau - 1) instead of tau (tau - 2)", dict(shift=1))],
)
def criterion(shift: int) -> Evidence:
    """An identity, hence an equivalence."""
    border = tau * (tau - shift) * s**2 - M
    found = compared(FIRST - SECOND, border, [(many, m) for many in (1, 2, 3) for m in (0, 3, 5)], relation="=")
    return identical(sp.expand(FIRST - SECOND - border), found, method="expansion", valid_for="all values")


if __name__ == "__main__":
    run_script(__file__)
