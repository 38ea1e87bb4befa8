"""Steps of the proof of Lemma D.13 of Augenstein et al. (2022).

With a = K the print has K for K + 1 in two coefficients.  The line is true as a bound all the same: the orthogonality of the
central noise and |d - eta h| <= (1 + eta beta)|d| give more than it needs.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import algebra_claim, expectation_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.theory.mixed2022.one_round import G, K, beta, c, e, eta, eta_s
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Step, at_least, hypothesis, identity, inequality, sign
from verify.mixed2022 import local_steps
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.local_steps import SMOOTH_CONDITIONS, SMOOTH_SIZES, SMOOTH_VALID, STEP, a, d, h, r, s
from verify.mixed2022.one_way_instances import DOWN, FULL, LINEAR, at_points
from verify.mixed2022.settled import attained, settle

R, ONE, EDGE = sp.Rational, Fraction(1), Fraction(1, 18)
REDUCTION = (
    "variance of the client gradient (conditional mean), |d - eta h| <= (1 + eta beta)|d|, relaxed triangle inequality; Gram "
    "identity in commuting scalars (removes d); every client has the same law (removes N)"
)
RANGES = (*SMOOTH_SIZES, (e, 0, 1 / (18 * beta)))
CURVED = (DOWN, FULL, LINEAR)


@expectation_claim(
    "MX-LEMD13-S1",
    source="proof of Lemma D.13, separated terms",
    depends=("MX-LEMD2-1",),
    statement=r"\mathbb{E}\|d_k\|^2\le(1+\tfrac1a)\mathbb{E}\|d_{k-1}\|^2+(1+a)\big(2\eta^2\mathcal{H}+4\eta^2\|\nabla f(x)\|^2"
    r"+4\eta^2\mathcal{J}\big)+\eta^2\sigma^2",
    summary="Three relaxed triangle inequalities, for every a > 0 and pointwise; in expectation <c, grad f> vanishes, so "
    "that 2 would do for both last terms.",
    printed=dict(on_h="2", gradient="4", central="4"),
    controls=[
        Control("H 1 instead of 2", dict(on_h="1")),
        Control("gradient 1.98", dict(gradient="99/50", central="99/50")),
    ],
)
def separated(on_h: str, gradient: str, central: str) -> Evidence:
    """|h + c + G|^2 <= 2|h|^2 + 4|c|^2 + 4|G|^2."""
    x, y, z = R(on_h), R(gradient), R(central)
    total, weight = h + c + G, (1 + a) * eta**2
    left = (d - eta * total) ** 2
    right = (1 + 1 / a) * d**2 + weight * (x * h**2 + y * G**2 + z * c**2)
    squares = [(1 / a, d + a * eta * total), (weight, h - c - G), (2 * weight, c - G)]
    squares += [(weight * spare, vector) for spare, vector in ((x - 2, h), (y - 4, G), (z - 4, c))]
    step = inequality("squares", left, right, squares=squares, ranges=(*STEP, (a, Open(0), None)))
    points = [
        (ONE, ONE, -moved, *v)
        for moved in map(Fraction, (0, 1, 2, -1))
        for v in ((ONE, ONE, Fraction(0)), (2 * ONE, ONE, ONE), (ONE, ONE, ONE), (ONE, Fraction(0), ONE))
    ]
    return settle(
        [step, local_steps.variance_split(sp.Integer(1))],
        at_points(left, right, (a, eta, d, h, c, G), points),
        method="squares; Gram identity in commuting scalars (removes d)",
        valid_for="every a > 0, eta, dimension",
    )


with_a_equal_k = expectation_claim.sharing(
    source="proof of Lemma D.13, a = K",
    statement=r"\mathbb{E}\|d_k\|^2\le\big(\tfrac{K+1}K+2K\eta^2\beta^2\big)\mathbb{E}\|d_{k-1}\|^2+4K\eta^2\|\nabla "
    r"f(x)\|^2+4K\eta^2\sigma_c^2+\eta^2\sigma^2",
)


def substituted(weight: str) -> Evidence:
    """(1 + a) at a = K against the printed factor."""
    factor = sp.sympify(weight, locals={"K": K})
    step = sign("1 + a", factor - (K + 1), ((K, 1, None),))
    found = at_points(K + 1, factor, (K,), [(k,) for k in (1, 2, 5)])
    return settle([step], found, method="substitution a = K", valid_for="every K")


step_reading: Claim = with_a_equal_k(
    "MX-LEMD13-S2.1",
    fault="slip",
    printed=dict(weight="K"),
    repair="MX-LEMD13-S2.2",
    headline="A constant K is printed where the line before gives K + 1",
    summary="1 + a = K + 1 in front of 2 eta^2 H and 4 eta^2 |grad f|^2 is printed as K; the line before does not give the "
    "display, which is true as a bound of the drift (MX-LEMD13-S2.2).",
    controls=[Control("K + 1", dict(weight="K + 1"), must="pass")],
)(substituted)


@with_a_equal_k(
    "MX-LEMD13-S2.2",
    printed=dict(weight="4*K"),
    assumptions=SMOOTH_CONDITIONS,
    summary="As a bound the line is true for steps within the conditions: the drift itself can grow by (1 + eta beta)^2 only.",
    controls=[Control("99/100 instead of 4K", dict(weight="99/100"))],
)
def bounded(weight: str) -> Evidence:
    """|d - eta h| <= (1+t)|d| and a with 1 + a = 4K: growth 4K (1+t)^2/(4K - 1) <= (K+1)/K, t = eta beta <= 1/(18K)."""
    t = sp.Symbol("t")
    factor = sp.sympify(weight, locals={"K": K})
    steps = [
        local_steps.variance_split(sp.Integer(1)),
        local_steps.expansion(),
        local_steps.triangle(1 + 1 / a, 1 + a, (*STEP, (a, Open(0), None))),
        sign("eta beta <= 1/(18 K)", 1 / (18 * K) - e * beta / (K * eta_s), RANGES),
        sign("growth", (K + 1) / K - 4 * K * (1 + t) ** 2 / (4 * K - 1), ((K, 1, None), (t, 0, 1 / (18 * K)))),
        sign("factor", factor - 4 * K, ((K, 1, None),)),
        local_steps.unrolling()[-1],
    ]
    grid = product((1, 2, 5), CURVED, (Fraction(0), ONE, -ONE), (ONE, -ONE))

    def sides(case: tuple[int, KinkedParabola, Fraction, Fraction]) -> tuple[Fraction, Fraction]:
        many, loss, moved, push = case
        size = EDGE / many
        kept, on_push = Fraction(many + 1, many) + 2 * many * size**2, Fraction(str(factor.subs(K, many)))
        return (moved - size * (loss.gradient(moved) + push)) ** 2, kept * moved**2 + on_push * size**2 * push**2

    found = search(
        grid,
        sides,
        describe=lambda x: f"K = {x[0]}, f_f = {x[1]}, eta = {EDGE / x[0]}, x = 0, d = {x[2]}, grad f + c = {x[3]}",
    )
    return settle(steps, found, method=REDUCTION, valid_for=SMOOTH_VALID)


@algebra_claim(
    "MX-LEMD13-S3",
    source="proof of Lemma D.13, effective step",
    statement=r"4K\eta^2=\frac{4\tilde\eta^2}{K\eta_s^2},\quad\eta^2=\frac{\tilde\eta^2}{K^2\eta_s^2},\quad2K\eta^2\beta^2="
    r"\frac{2\tilde\eta^2\beta^2}{K\eta_s^2}",
    summary="The effective step e = K eta eta_s is substituted.",
    printed=dict(power=1),
    controls=[Control("4 e^2/(K^2 eta_s^2)", dict(power=2))],
)
def rewritten(power: int) -> Evidence:
    step = K * eta * eta_s
    pairs = [
        (4 * K * eta**2, 4 * step**2 / (K**power * eta_s**2)),
        (eta**2, step**2 / (K**2 * eta_s**2)),
        (2 * K * eta**2 * beta**2, 2 * step**2 * beta**2 / (K * eta_s**2)),
    ]
    found = at_points(*pairs[0], (K, eta, eta_s), [(1, 1, 1), (2, 1, 1)], relation="=")
    steps = [identity("substitution", left, right) for left, right in pairs]
    return settle(steps, found, method="expansion", valid_for="all parameters")


@algebra_claim(
    "MX-LEMD13-S4",
    source="proof of Lemma D.13, growth factor",
    statement=r"\frac{K+1}K+\frac{2\tilde\eta^2\beta^2}{K\eta_s^2}\le1+\frac{163}{162K}",
    summary="At e = 1/(18 beta) and eta_s = 1 the two sides agree: 2/324 = 1/162.",
    assumptions=SMOOTH_CONDITIONS[-2:],
    printed=dict(factor="163/162", server=1),
    controls=[Control("163/162 -> 1.006", dict(factor="1006/1000")), Control("eta_s = 99/100", dict(server="99/100"))],
)
def growth(factor: str, server: str) -> Evidence:
    left, right = (K + 1) / K + 2 * e**2 * beta**2 / (K * eta_s**2), 1 + R(factor) / K
    ranges = ((beta, Open(0), None), (K, 1, None), (eta_s, R(server), None), (e, 0, 1 / (18 * beta)))
    points = [(k, 1, size, EDGE) for k in (1, 5) for size in (Fraction(str(server)), 2 * ONE)]
    return settle(
        [sign("growth", right - left, ranges)],
        at_points(left, right, (K, beta, eta_s, e), points),
        method="sign of a polynomial on the ranges",
        valid_for="every K, eta_s >= 1, step up to 1/(18 beta)",
        tightness=attained("equality at eta_s = 1 and the largest step"),
    )


@algebra_claim(
    "MX-LEMD13-S5.1",
    source="proof of Lemma D.13, geometric sum",
    statement=r"\sum_{j=0}^{K-1}\big(1+\tfrac{163}{162K}\big)^j\le(e^{163/162}-1)K\le2K",
    summary="For every K; (e^q - 1)K/q, q = 163/162, is sharp.",
    printed=dict(factor="2"),
    controls=[Control("2K -> 1.7 K", dict(factor="17/10"))],
)
def geometric_sum(factor: str) -> Evidence:
    """((1 + q/K)^K - 1) K/q, 1 + q/K <= exp(q/K), q >= 1; exp(q) from above by (1 - q/n)^(-n)."""
    q, k = Fraction(163, 162), Fraction(factor)
    found = search(
        [1, 2, 5, 50, 200], lambda K: (local_steps.geometric(K, K, 1 + q / K), k * K), describe=lambda K: f"K = {K}"
    )
    proof = [
        one_more_term(sp.Symbol("g")),
        at_least("q >= 1", q, 1),
        at_least("e^q - 1 <= factor", k, local_steps.above_exp(q) - 1, "too large"),
    ]
    tight = attained("(e^q - 1) K/q in the limit of large K", float(2 * q / (sp.exp(q) - 1)))
    return settle(
        proof, found, method="closed form; 1 + x <= exp(x)", valid_for="every K >= 1 (and fewer terms)", tightness=tight
    )


def one_more_term(g: sp.Symbol) -> Step:
    """The closed form K (r - 1)/g of the sum for the growth 1 + g/K."""
    return identity("closed form, one more term", K * (r * (1 + g / K) - 1) / g - K * (r - 1) / g, r)


def closed_form(bracket: str) -> Evidence:
    """The sum against the closed form with the power of 1 + 163/(162 K), or of the fraction only."""
    q = Fraction(163, 162)

    def sides(K: int) -> tuple[Fraction, Fraction]:
        total = local_steps.geometric(K, K, 1 + q / K)
        return total, (1 + (q / K) ** K - 1 if bracket == "fraction" else (1 + q / K) ** K - 1) * K / q

    brackets = hypothesis("brackets", bracket != "fraction", "the power belongs to the whole bracket")
    found = search([1, 2, 3], sides, relation="=", describe=lambda K: f"K = {K}")
    return settle([one_more_term(s), brackets], found, method="induction (one more term)", valid_for="every K")


crossed = algebra_claim(
    "MX-LEMD13-S5.2",
    source="proof of Lemma D.13, closed form",
    statement=r"\sum_{j=0}^{K-1}\big(1+\tfrac{163}{162K}\big)^j=\Big(\big(1+\tfrac{163}{162K}\big)^K-1\Big)\tfrac{162K}{163}",
    summary="The print has crossing brackets: the first small one stands behind '1 +'. The large pair encloses the base of the "
    "power, and so the formula is right; with the fraction alone as the base it is false from K = 2 on.",
    printed=dict(bracket="whole"),
    controls=[Control("power of the fraction only", dict(bracket="fraction"))],
)(closed_form)


@algebra_claim(
    "MX-LEMD13-S6",
    source="proof of Lemma D.13, last step",
    statement=r"\frac{4\tilde\eta^2}{K\eta_s^2}\le\frac{2\tilde\eta}{9\beta K\eta_s^2}\quad(\tilde\eta\le\tfrac1{18\beta})",
    summary="The two sides agree at the largest step, and below it the inequality is strict.",
    printed=dict(factor="2/9", top="1/18"),
    controls=[
        Control("2/9 -> 0.99 of it", dict(factor="22/100")),
        Control("effective step up to 1.01/(18 beta)", dict(top="101/1800")),
    ],
)
def last_step(factor: str, top: str) -> Evidence:
    left, right = 4 * e**2 / (K * eta_s**2), R(factor) * e / (beta * K * eta_s**2)
    ranges = ((beta, Open(0), None), (K, 1, None), (eta_s, Open(0), None), (e, 0, R(top) / beta))
    return settle(
        [sign("range", right - left, ranges)],
        at_points(left, right, (beta, K, eta_s, e), [(1, 1, 1, Fraction(top)), (1, 2, 2, Fraction(top) / 2)]),
        method="sign of a polynomial",
        valid_for="step up to 1/(18 beta)",
        tightness=attained("equality at the largest step"),
    )


if __name__ == "__main__":
    run_script(__file__)
