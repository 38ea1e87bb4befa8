"""Steps of the proof of Lemma D.11 of Augenstein et al. (2022): one local step, unrolling, geometric sum, effective step.

The side computation of the geometric sum is misprinted (a bracket left of the equality sign); the bound 2K is true for every K.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import algebra_claim, expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022.one_round import K, V, beta, e, eta, eta_s
from fltheory.theory.proofs import Open
from fltheory.theory.steps import hypothesis, identity, sign
from verify.mixed2022 import derivations, local_steps
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.local_steps import CONVEX_WORDS, STEP, a, d, h, w
from verify.mixed2022.one_way_instances import at_points
from verify.mixed2022.settled import attained, settle

R, ONE = sp.Rational, Fraction(1)
derived = partial(by_derivation, **CONVEX_WORDS)
K_RANGE = (*STEP, (K, 1, None))
POINTS = [
    (Fraction(1), size, *rest)
    for size in (Fraction(1), Fraction(1, 2))
    for rest in ((1, 1, 1), (1, 0, 1), (0, 0, 1), (1, 1, 0), (1, 1, -1), (1, 1, -2), (2, 1, -1), (2, 0, -1))
]


@expectation_claim(
    "MX-LEMD11-S1",
    source="proof of Lemma D.11, variance of the client gradient",
    statement=r"\mathbb{E}\|x_i^{(k)}-x\|^2\le\mathbb{E}\|x_i^{(k-1)}-x-\eta\nabla f_f(x_i^{(k-1)})-\eta g_c(x)\|^2+\eta^2"
    r"\sigma^2",
    summary="The conditional mean of the client gradient splits off; equality when its variance is sigma^2.",
    depends=("MX-LEMD3-ID-R1",),
    printed=dict(variance="1"),
    controls=[Control("sigma^2 -> 0.99 sigma^2", dict(variance="99/100"))],
)
def variance(variance: str) -> Evidence:
    """Instances: noise +-1 added to a point."""
    k = Fraction(variance)

    def sides(case: tuple[Fraction, ...]) -> tuple[Fraction, Fraction]:
        _, size, moved, change, push = (Fraction(x) for x in case)
        both = [(moved - size * (change + push + z)) ** 2 for z in (Fraction(1), Fraction(-1))]
        return sum(both, start=Fraction(0)) / 2, (moved - size * (change + push)) ** 2 + k * size**2

    found = search(POINTS, sides, describe=lambda p: f"eta = {p[1]}, d = {p[2]}, h = {p[3]}, w = {p[4]}, noise +-1")
    return derived(
        partial(derivations.display_of_d11, "variance", variance, top=None),
        found,
        valid_for="every N, K, dimension, eta",
        tightness=attained("an equality"),
    )


@inequality_claim(
    "MX-LEMD11-S2",
    source="proof of Lemma D.11, relaxed triangle inequality",
    statement=r"\|u-\eta w\|^2\le(1+\tfrac1a)\|u\|^2+(1+a)\eta^2\|w\|^2,\quad u=d-\eta(\nabla f_f(x+d)-\nabla f_f(x)),\ w="
    r"\nabla f_f(x)+g_c",
    summary="The square is split by Lemma D.2.",
    depends=("MX-LEMD2-1",),
    printed=dict(first="1", second="1"),
    controls=[Control("1/a instead of 1 + 1/a", dict(first="0")), Control("a instead of 1 + a", dict(second="0"))],
)
def two_terms(first: str, second: str) -> Evidence:
    p, q, u = R(first) + 1 / a, R(second) + a, d - eta * h
    points = [(Fraction(x), *point[1:]) for x in ("1", "2", "1/2") for point in POINTS]
    return by_derivation(
        partial(derivations.display_of_d11, "triangle", first, second, top=None),
        at_points((u - eta * w) ** 2, p * u**2 + q * eta**2 * w**2, (a, eta, d, h, w), points),
        method="one square",
        valid_for="every a > 0, dimension, eta",
        tightness=attained("equality for u = -a eta w"),
    )


@inequality_claim(
    "MX-LEMD11-S3",
    source="proof of Lemma D.11, term F",
    depends=("MX-LEMD8", "MX-LEMD8-S4"),
    statement=r"\|d-\eta(\nabla f_f(x+d)-\nabla f_f(x))\|^2\le(1-\mu\eta)\|d\|^2\le\|d\|^2\quad(\eta\le1/\beta)",
    summary="Lemma D.8 for f_f; the last bound holds up to eta = 2/beta, and not beyond.",
    printed=dict(factor="1", top="1"),
    controls=[
        Control("factor 0.99 (mu = 0)", dict(factor="99/100")),
        Control("eta up to 2.01/beta", dict(top="201/100")),
    ],
)
def contraction(factor: str, top: str) -> Evidence:
    """Nonexpansive for eta <= 2/beta; (1 - mu eta) is Lemma D.8 itself."""
    scripts = {
        "Lemma D.8": derivations.lemma_d8,
        "Lemma D.8, mu = 0": partial(derivations.lemma_d8, modulus=False),
        "nonexpansive": partial(derivations.display_of_d11, "contraction", factor, top=f"{max(R(top), R(2))}/beta"),
    }
    shapes = [KinkedParabola(Fraction(0), Fraction(0)), KinkedParabola(ONE, ONE), KinkedParabola(Fraction(1, 2), ONE)]
    items = [(loss, Fraction(top) * s, x) for loss in shapes for s in (ONE, Fraction(1, 2)) for x in (ONE, -ONE)]
    found = search(
        items,
        lambda c: ((c[2] - c[1] * c[0].gradient(c[2])) ** 2, Fraction(factor) * c[2] ** 2),
        describe=lambda c: f"f_f = {c[0]}, eta = {c[1]}, x = 0, d = {c[2]}, beta = 1",
    )
    return by_derivation(
        scripts,
        found,
        method="Lemma D.8; cocoercivity times 2 eta",
        valid_for="every dimension, eta <= 2/beta (second inequality)",
        tightness=attained("linear f_f"),
    )


@expectation_claim(
    "MX-LEMD11-S4",
    source="proof of Lemma D.11, a = K",
    statement=r"\mathbb{E}\|x_i^{(k)}-x\|^2\le\tfrac{K+1}K\mathbb{E}\|x_i^{(k-1)}-x\|^2+2K\eta^2\|\nabla f_f(x)+g_c\|^2+\eta^2"
    r"\sigma^2",
    summary="1 + a = K + 1 is at most 2K; equality only for K = 1.",
    proof_steps=("MX-LEMD11-S1", "MX-LEMD11-S2", "MX-LEMD11-S3"),
    printed=dict(factor="2*K"),
    controls=[Control("K instead of 2K", dict(factor="K")), Control("2K - 1/100", dict(factor="2*K - 1/100"))],
)
def one_step(factor: str) -> Evidence:
    """K = 1 has K + 1 = 2K, so that nothing below passes; instances with f_f linear or quadratic."""
    weight = sp.sympify(factor, locals={"K": K})
    return derived(
        partial(derivations.display_of_d11, "one step", factor),
        at_points(K + 1, weight, (K,), [(k,) for k in (1, 2, 5)]),
    )


@algebra_claim(
    "MX-LEMD11-S5.1",
    source="proof of Lemma D.11, unrolling",
    statement=r"\sum_{j=0}^{k-1}\big(\tfrac{K+1}K\big)^j\le2K\quad(k\le K)",
    summary="Unrolled recursion and its geometric sum, for every K; (e-1)K is sharp as K grows.",
    printed=dict(factor="2"),
    controls=[Control("2K -> 1.7 K", dict(factor="17/10"))],
)
def unrolled(factor: str) -> Evidence:
    """Proved through (1 + 1/K)^(K+1) <= 3 + 1/K."""
    k = Fraction(factor)
    found = search(
        [(many, n) for many in (1, 2, 3, 10, 50, 200) for n in (1, many)],
        lambda c: (local_steps.geometric(c[0], c[1], Fraction(c[0] + 1, c[0])), k * c[0]),
        describe=lambda c: f"K = {c[0]}, k = {c[1]}",
    )
    rest = sign("factor", R(factor) - 2, ((K, 1, None),))
    return settle(
        [*local_steps.unrolling(), *local_steps.small_powers(), *local_steps.convex_sums(), rest],
        found,
        method="closed form of the geometric sum; Bernoulli's inequality",
        valid_for="every K >= 1, k <= K",
        tightness=attained("(e - 1) K, in the limit of large K", float(2 / (sp.E - 1))),
    )


def side_computation(bracket: str) -> Evidence:
    """sum of q^j, literally times (q^k - 1), against K; or the sum itself against K (q^k - 1); q = (K+1)/K."""

    def sides(case: tuple[int, int]) -> tuple[Fraction, Fraction]:
        K, k = case
        q = Fraction(K + 1, K)
        total = local_steps.geometric(K, k, q)
        return (total * (q**k - 1), Fraction(K)) if bracket == "in the sum" else (total, K * (q**k - 1))

    cases = [(1, 1), (2, 1), (2, 2), (3, 3), (5, 2)]
    right = hypothesis("closed form", bracket == "on the right", "the bracket belongs to the right-hand side")
    proof = [*local_steps.convex_sums()[:1], *local_steps.small_powers(), right]
    found = search(cases, sides, relation="=", describe=lambda c: f"K = {c[0]}, k = {c[1]}")
    return settle(proof, found, method="induction over k (one more term)", valid_for="every K, k")


side_claim = algebra_claim.sharing(source="proof of Lemma D.11, side computation")
literal = side_claim(
    "MX-LEMD11-S5.2",
    fault="slip",
    statement=r"\sum_{j=0}^{k-1}\big(\tfrac{K+1}K\big)^j\big((1+\tfrac1K)^k-1\big)=K",
    headline="A bracket stands on the wrong side of an equality sign",
    summary="A misprint: the bracket stands left of the equality sign; false already for K = 2, k = 1.",
    repair="MX-LEMD11-S5.2-R1",
    printed=dict(bracket="in the sum"),
    controls=[Control("bracket on the right", dict(bracket="on the right"), must="pass")],
)(side_computation)
repaired = side_claim(
    "MX-LEMD11-S5.2-R1",
    statement=r"\sum_{j=0}^{k-1}\big(\tfrac{K+1}K\big)^j=\big((1+\tfrac1K)^k-1\big)K\le(e-1)K\le2K",
    summary="This is the closed form that is meant.",
    printed=dict(bracket="on the right"),
    controls=[Control("bracket in the sum", dict(bracket="in the sum"))],
)(side_computation)


@algebra_claim(
    "MX-LEMD11-S6",
    source="proof of Lemma D.11, after unrolling",
    statement=r"(2K\eta^2\|\nabla f_f+g_c\|^2+\eta^2\sigma^2)\,2K=4K^2\eta^2\|\nabla f_f+g_c\|^2+2K\eta^2\sigma^2",
    summary="Both terms are multiplied by 2K.",
    proof_steps=("MX-LEMD11-S4", "MX-LEMD11-S5.1"),
    printed=dict(square="4"),
    controls=[Control("4 -> 2", dict(square="2"))],
)
def multiplied(square: str) -> Evidence:
    left, right = (2 * K * eta**2 * w**2 + eta**2 * V) * 2 * K, R(square) * K**2 * eta**2 * w**2 + 2 * K * eta**2 * V
    found = at_points(left, right, (K, eta, w, V), [(1, 1, 1, 0), (2, 1, 1, 1)], relation="=")
    return settle([identity("product", left, right)], found, method="expansion", valid_for="all K, eta")


@algebra_claim(
    "MX-LEMD11-S9",
    source="after Lemma D.11",
    statement=r"16K^2\eta^2\beta\le\frac{2\tilde\eta}{\eta_s^2},\quad2K^2\eta^2=\frac{2\tilde\eta^2}{\eta_s^2}\quad(\tilde\eta"
    r"\le\tfrac1{8\beta})",
    summary="The drift is written in terms of the effective step; it is an equality at the largest step.",
    printed=dict(factor="2", top="1/8"),
    controls=[
        Control("2 -> 1.98", dict(factor="99/50")),
        Control("effective step up to 1.01/(8 beta)", dict(top="101/800")),
    ],
)
def effective(factor: str, top: str) -> Evidence:
    """K eta = e/eta_s."""
    square = (e / eta_s) ** 2
    left, right = 16 * square * beta, R(factor) * e / eta_s**2
    ranges = ((beta, Open(0), None), (eta_s, Open(0), None), (e, 0, R(top) / beta))
    steps = [
        sign("gap", right - left, ranges),
        identity("noise", 2 * (K * eta) ** 2, (2 * e**2 / eta_s**2).subs(e, K * eta * eta_s)),
    ]
    found = at_points(left, right, (beta, eta_s, e), [(1, 1, Fraction(top)), (1, 2, Fraction(top) / 2)])
    valid_for = "effective step up to 1/(8 beta), every eta_s > 0"
    return settle(
        steps, found, method="substitution", valid_for=valid_for, tightness=attained("equality at the step 1/(8 beta)")
    )


if __name__ == "__main__":
    run_script(__file__)
