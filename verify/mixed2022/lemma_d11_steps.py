"""Steps of the proof of Lemma D.11 of Augenstein et al. (2022): one local step, unrolling, geometric sum, effective step.

The side computation of the geometric sum is misprinted (a bracket left of the equality sign); the bound 2K is true for every K.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.exact_search import search
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.one_round import V, beta, e, eta_s, mu
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Step, identity, inequality, sign
from verify.mixed2022 import local_steps
from verify.mixed2022.declared import algebra_claim, expectation_claim, inequality_claim
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.local_steps import STEP
from verify.mixed2022.one_way_instances import at_points
from verify.mixed2022.settled import settle

R, ONE = sp.Rational, Fraction(1)
REDUCTION = (
    "induction over the local steps: variance of the client gradient (conditional mean), relaxed triangle inequality with a "
    "= K, nonexpansive steps; geometric sums for every K by Bernoulli's inequality; Gram identity in commuting scalars "
    "(removes d); every client has the same law (removes N)"
)
VALID = "every N, K >= 1, dimension, eta <= 2/beta, all noise laws"
K_RANGE = (*STEP, (one_round.K, 1, None))
POINTS = [
    (Fraction(1), eta, *rest)
    for eta in (Fraction(1), Fraction(1, 2))
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
        _, eta, d, h, w = (Fraction(x) for x in case)
        both = [(d - eta * (h + w + z)) ** 2 for z in (Fraction(1), Fraction(-1))]
        return sum(both, start=Fraction(0)) / 2, (d - eta * (h + w)) ** 2 + k * eta**2

    found = search(POINTS, sides, describe=lambda p: f"eta = {p[1]}, d = {p[2]}, h = {p[3]}, w = {p[4]}, noise +-1")
    return settle(
        [local_steps.variance_split(R(variance))],
        found,
        method=REDUCTION,
        valid_for="every N, K, dimension, eta",
        tightness=Tightness(1.0, Rung.PROOF, "an equality"),
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
    left = (local_steps.d - one_round.eta * local_steps.h - one_round.eta * local_steps.w) ** 2
    p, q = R(first) + 1 / local_steps.a, R(second) + local_steps.a
    right = p * (local_steps.d - one_round.eta * local_steps.h) ** 2 + q * one_round.eta**2 * local_steps.w**2
    found = at_points(
        left,
        right,
        (local_steps.a, one_round.eta, local_steps.d, local_steps.h, local_steps.w),
        [(Fraction(a), *point[1:]) for a in ("1", "2", "1/2") for point in POINTS],
    )
    return settle(
        [local_steps.triangle(p, q, (*STEP, (local_steps.a, Open(0), None)))],
        found,
        method="one square; Gram identity in commuting scalars (removes d)",
        valid_for="every a > 0, dimension, eta",
        tightness=Tightness(1.0, Rung.PROOF, "equality for u = -a eta w"),
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
    rest = sign("factor", R(factor) - 1, ((beta, Open(0), None),))
    ends = sign("eta <= 2/beta", 2 / beta - one_round.eta, ((beta, Open(0), None), (one_round.eta, 0, R(top) / beta)))
    last = sign("1 - mu eta <= 1", mu * one_round.eta, ((mu, Open(0), None), (one_round.eta, 0, None)))
    shapes = [KinkedParabola(Fraction(0), Fraction(0)), KinkedParabola(ONE, ONE), KinkedParabola(Fraction(1, 2), ONE)]
    items = [(h, Fraction(top) * s, d) for h in shapes for s in (ONE, Fraction(1, 2)) for d in (ONE, -ONE)]
    found = search(
        items,
        lambda c: ((c[2] - c[1] * c[0].gradient(c[2])) ** 2, Fraction(factor) * c[2] ** 2),
        describe=lambda c: f"f_f = {c[0]}, eta = {c[1]}, x = 0, d = {c[2]}, beta = 1",
    )
    return settle(
        [local_steps.nonexpansive(), rest, ends, last],
        found,
        method="cocoercivity times 2 eta; Gram identity in commuting scalars",
        valid_for="every dimension, eta <= 2/beta (second inequality)",
        tightness=Tightness(1.0, Rung.PROOF, "linear f_f"),
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
    weight = sp.sympify(factor, locals={"K": one_round.K})
    found = at_points(one_round.K + 1, weight, (one_round.K,), [(k,) for k in (1, 2, 5)])
    u = local_steps.d - one_round.eta * local_steps.h
    step = inequality(
        "relaxed triangle inequality, a = K",
        (u - one_round.eta * local_steps.w) ** 2,
        (1 + 1 / one_round.K) * local_steps.d**2 + weight * one_round.eta**2 * local_steps.w**2,
        premises={"nonexpansive": (1 + 1 / one_round.K, local_steps.d**2 - u**2)},
        squares=[
            (1 / one_round.K, u + one_round.K * one_round.eta * local_steps.w),
            (one_round.eta**2 * (weight - 1 - one_round.K), local_steps.w),
        ],
        ranges=K_RANGE,
    )
    return settle(
        [local_steps.variance_split(sp.Integer(1)), local_steps.nonexpansive(), step],
        found,
        method=REDUCTION,
        valid_for=VALID,
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
        [(K, n) for K in (1, 2, 3, 10, 50, 200) for n in (1, K)],
        lambda c: (local_steps.geometric(c[0], c[1], Fraction(c[0] + 1, c[0])), k * c[0]),
        describe=lambda c: f"K = {c[0]}, k = {c[1]}",
    )
    rest = sign("factor", R(factor) - 2, ((one_round.K, 1, None),))
    return settle(
        [*local_steps.unrolling(), *local_steps.small_powers(), *local_steps.convex_sums(), rest],
        found,
        method="closed form of the geometric sum; Bernoulli's inequality",
        valid_for="every K >= 1, k <= K",
        tightness=Tightness(float(2 / (sp.E - 1)), Rung.PROOF, "(e - 1) K, in the limit of large K"),
    )


def side_computation(bracket: str) -> Evidence:
    """sum of q^j, literally times (q^k - 1), against K; or the sum itself against K (q^k - 1); q = (K+1)/K."""

    def sides(case: tuple[int, int]) -> tuple[Fraction, Fraction]:
        K, k = case
        q = Fraction(K + 1, K)
        total = local_steps.geometric(K, k, q)
        return (total * (q**k - 1), Fraction(K)) if bracket == "in the sum" else (total, K * (q**k - 1))

    found = search(
        [(1, 1), (2, 1), (2, 2), (3, 3), (5, 2)], sides, relation="=", describe=lambda c: f"K = {c[0]}, k = {c[1]}"
    )
    good = bracket == "on the right"
    steps = [
        *local_steps.convex_sums()[:1],
        *local_steps.small_powers(),
        Step("closed form", good, "the bracket belongs to the right-hand side"),
    ]
    return settle(steps, found, method="induction over k (one more term)", valid_for="every K, k")


SIDE = dict(source="proof of Lemma D.11, side computation")
literal = algebra_claim(
    "MX-LEMD11-S5.2",
    **SIDE,
    statement=r"\sum_{j=0}^{k-1}\big(\tfrac{K+1}K\big)^j\big((1+\tfrac1K)^k-1\big)=K",
    summary="A misprint: the bracket stands left of the equality sign; false already for K = 2, k = 1.",
    repair="MX-LEMD11-S5.2-R1",
    printed=dict(bracket="in the sum"),
    controls=[Control("bracket on the right", dict(bracket="on the right"), must="pass")],
)(side_computation)
repaired = algebra_claim(
    "MX-LEMD11-S5.2-R1",
    **SIDE,
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
    left = (2 * one_round.K * one_round.eta**2 * local_steps.w**2 + one_round.eta**2 * V) * 2 * one_round.K
    right = R(square) * one_round.K**2 * one_round.eta**2 * local_steps.w**2 + 2 * one_round.K * one_round.eta**2 * V
    found = at_points(
        left, right, (one_round.K, one_round.eta, local_steps.w, V), [(1, 1, 1, 0), (2, 1, 1, 1)], relation="="
    )
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
        identity(
            "noise",
            2 * (one_round.K * one_round.eta) ** 2,
            (2 * e**2 / eta_s**2).subs(e, one_round.K * one_round.eta * eta_s),
        ),
    ]
    found = at_points(left, right, (beta, eta_s, e), [(1, 1, Fraction(top)), (1, 2, Fraction(top) / 2)])
    return settle(
        steps,
        found,
        method="substitution",
        valid_for="effective step up to 1/(8 beta), every eta_s > 0",
        tightness=Tightness(1.0, Rung.PROOF, "equality at the step 1/(8 beta)"),
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
