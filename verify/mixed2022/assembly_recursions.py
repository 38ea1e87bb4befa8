"""Appendix D.2.1 of Augenstein et al. (2022): the convex recursion, from Lemmas D.10 and D.11.

The printed recursion is built on the constants 16, 2, 2 of the proof of Lemma D.11; the 12, 3, 3 of its statement would
give 11/2 sigma^2 instead of 5.  Its decrease (S-1)/S vanishes for S = 1; better splits give 11/8 - 21/(40 S) instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

from fltheory.evidence.exact_search import search
from fltheory.evidence.model import Claim, Control, Evidence, Rung, Tightness
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.assembly import CVX_REC, CVX_REC_SHARP, convex
from fltheory.theory.mixed2022.one_round import LEMMA_D10, LEMMA_D10_SHARP, near
from fltheory.theory.mixed2022.scalars import number
from fltheory.theory.reductions import average_of_affine
from fltheory.theory.steps import Step, sign
from verify.mixed2022 import assembly_steps
from verify.mixed2022.declared import algebra_claim, expectation_claim, probability_claim
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.one_way_instances import Huber, Round, at_points, evaluated, rounds, sampled
from verify.mixed2022.settled import settle

R, INT = sp.Rational, sp.Integer
EIGHTH, ZERO = Fraction(1, 8), Fraction(0)
#: Roots above sqrt(5S/8) for S = 1, 2.
WIDE = {1: Fraction(4, 5), 2: Fraction(9, 8)}
METHOD = (
    "the lemma on one round with the bound of its drift inserted; the largest value of 1/eta_s^2; signs of polynomials"
)
VALID = "every N, S <= N, K >= 1, dimension, 0 <= mu <= beta, all noise laws"
CONVEX = (
    "Assumption 4.1",
    "E g_c = grad f_c, variance at most sigma_c^2",
    "f_f, f_c mu-convex and beta-smooth",
    "eta_s > sqrt(5S/8)",
    "effective step at most 1/(8 beta)",
)


def instances(top: Fraction) -> list[Round]:
    """Rounds with wide enough servers for their cohorts, and one step far out where the loss is linear."""
    items = []
    for S, server in WIDE.items():
        some = rounds([top, top / 2], servers=(server, 2 * server))
        items += sampled([r for r in some if r.cohort == S], 9)
        items += [
            Round(KinkedParabola(ZERO, ZERO), Huber(), Fraction(40), e / server, server, 1, S) for e in (top, top / 2)
        ]
    return items


@expectation_claim(
    "MX-CVX-REC",
    source="Appendix D.2.1",
    statement=CVX_REC.latex(),
    assumptions=CONVEX,
    summary="The convex recursion holds for every effective step up to 1/(8 beta), on the drift constants 16, 2, 2 of the "
    "proof. For S = 1 its decrease is zero; MX-CVX-REC-S1 has a decrease for every S and less noise.",
    depends=("MX-LEMD10", "MX-LEMD11-S8", "MX-LEMD11-S9"),
    proof_steps=("MX-CVX-REC-S2", "MX-CVX-EXP"),
    printed=dict(decrease="1 - 1/S", client="5", central="3", drift="proof"),
    controls=[
        Control("decrease 17/8", dict(decrease="17/8")),
        Control("client variance 0.99", dict(client="99/100")),
        Control("central variance 0.99", dict(central="99/100")),
    ],
)
def cvx_rec(decrease: str, client: str, central: str, drift: str) -> Evidence:
    """Lemma D.10 with the bound of the drift."""
    target = convex(sp.sympify(decrease, locals={"S": one_round.S}), R(client), R(central))
    inside = assembly_steps.cvx_drift(*(INT(k) for k in ((16, 2, 2) if drift == "proof" else (12, 3, 3))))
    step = assembly_steps.recursion(LEMMA_D10.expression, inside, target, R(1, 8), 8 / (5 * one_round.S))
    return settle(
        [step],
        evaluated(near, target, instances(EIGHTH)),
        method=METHOD,
        valid_for=VALID,
        tightness=Tightness(
            5 / 2.3,
            Rung.PROOF,
            "sigma^2 with 23/10 instead of 5, sigma_c^2 with 5/4 + 21/(20S) instead of 3, decrease 11/8 - 21/(40S) instead "
            "of 1 - 1/S (MX-CVX-REC-S1)",
        ),
    )


@expectation_claim(
    "MX-CVX-REC-S1",
    source="Appendix D.2.1, sharpened",
    statement=CVX_REC_SHARP.latex(),
    summary="The recursion for every cohort size, S = 1 included: decrease at least 17/20 and noise at most 23/10.",
    assumptions=CONVEX,
    depends=("MX-LEMD10-S7", "MX-LEMD11-S10", "MX-PROPD6"),
    printed=dict(decrease="11/8 - 21/(40*S)", client="23/10", central="5/4 + 21/(20*S)"),
    controls=[
        Control("decrease 17/8", dict(decrease="17/8")),
        Control("client variance 0.99", dict(client="99/100")),
        Control("central variance 0.99", dict(central="99/100")),
    ],
)
def cvx_rec_sharp(decrease: str, client: str, central: str) -> Evidence:
    """MX-LEMD10-S7 with the drift 8, 2, 2."""
    local = {"S": one_round.S}
    target = convex(sp.sympify(decrease, locals=local), R(client), sp.sympify(central, locals=local))
    step = assembly_steps.recursion(
        LEMMA_D10_SHARP.expression,
        assembly_steps.cvx_drift(INT(8), INT(2), INT(2)),
        target,
        R(1, 8),
        8 / (5 * one_round.S),
    )
    simple = [
        sign("decrease >= 17/20", R(11, 8) - R(21, 40) / one_round.S - R(17, 20), ((one_round.S, 1, None),)),
        sign("noise <= 23/10", R(23, 10) - R(5, 4) - R(21, 20) / one_round.S, ((one_round.S, 1, None),)),
    ]
    return settle([step, *simple], evaluated(near, target, instances(EIGHTH)), method=METHOD, valid_for=VALID)


def arithmetic(
    pairs: Sequence[tuple[sp.Expr, sp.Expr]],
    ranges: Sequence[tuple[sp.Symbol, object, object]],
    points: Sequence[dict[sp.Symbol, Fraction | int]],
    valid: str,
) -> Evidence:
    """Left <= right for each pair, on ranges and at points."""

    def sides(case: tuple[int, int]) -> tuple[Fraction, Fraction]:
        pair, point = pairs[case[0]], points[case[1]]
        return number(pair[0], point), number(pair[1], point)

    cases = [(i, j) for i in range(len(pairs)) for j in range(len(points))]
    found = search(
        cases,
        sides,
        describe=lambda c: f"inequality {c[0] + 1} at " + ", ".join(f"{s} = {x}" for s, x in points[c[1]].items()),
    )
    steps = [sign(f"inequality {i + 1}", right - left, ranges) for i, (left, right) in enumerate(pairs)]
    return settle(steps, found, method="signs of rational functions", valid_for=valid)


def cvx_arithmetic(drift: str, client: str, central: str, roots: str) -> Evidence:
    """(5/16) drift added to D.10: gap, sigma^2 and sigma_c^2, in units of e, e^2/K and e^2; u = 1/eta_s^2 <= roots/S."""
    on_gap, noise = (INT(2), INT(2)) if drift == "proof" else (R(12, 8), INT(3))
    pairs = [
        (R(5, 16) * on_gap * assembly_steps.u, 1 / one_round.S),
        (R(5, 16) * noise * assembly_steps.u + 4 / one_round.S, R(client) / one_round.S),
        (R(5, 16) * noise * assembly_steps.u + 2, R(central)),
    ]
    top = R(roots)
    ranges = ((one_round.S, 1, None), (assembly_steps.u, 0, top / one_round.S))
    points: list[dict[sp.Symbol, Fraction | int]] = [
        {one_round.S: S, assembly_steps.u: Fraction(roots) / S} for S in (1, 2, 5)
    ]
    return arithmetic(pairs, ranges, points, "every S >= 1, eta_s >= sqrt(5S/8)")


cvx_constants: Claim = algebra_claim(
    "MX-CVX-REC-S2",
    source="Appendix D.2.1, intermediate lines",
    statement=r"\tfrac58\tfrac1{\eta_s^2}\le\tfrac1S,\quad\tfrac58\tfrac1{K\eta_s^2}+\tfrac4{KS}\le\tfrac5{KS},\quad\tfrac58"
    r"\tfrac1{\eta_s^2}+2\le3",
    summary="The constants of the recursion, from the drift constants of the proof; sharp at eta_s = sqrt(5S/8) (the last "
    "one for S = 1). The drift constants of the lemma's statement give 11/2 instead of 5 and 7/2 instead of 3.",
    printed=dict(drift="proof", client="5", central="3", roots="8/5"),
    controls=[
        Control("drift constants 12, 3, 3", dict(drift="statement")),
        Control("5 -> 4.95", dict(client="99/20")),
        Control("eta_s = sqrt(5S/8) times 0.99", dict(roots="80000/49005")),
    ],
)(cvx_arithmetic)


@probability_claim(
    "MX-CVX-EXP",
    source="Appendix D.2.1",
    statement=r"\mathbb{E}_{|t}[Y]\le\alpha W_t-\gamma G_t+\delta\ \Rightarrow\ \mathbb{E}[Y]\le\alpha\,\mathbb{E}W_t-\gamma\,"
    r"\mathbb{E}G_t+\delta",
    summary="The conditional recursion is affine in |x - x*|^2 and in f - f*, with coefficients that are not random; its "
    "expectation over x^(t) has the same form.",
    printed=dict(power=1),
    controls=[Control("a recursion for unsquared distances", dict(power=2))],
)
def tower(power: int) -> Evidence:
    """Two equally likely models: mean of the right side against the right side of the means; |x - x*|^power inside."""
    p, w, w1, w2, g, g1, g2, alpha, gamma, delta = sp.symbols("p w w1 w2 g g1 g2 alpha gamma delta")
    right = alpha * w**power - gamma * g + delta
    left = p * right.subs({w: w1, g: g1}) + (1 - p) * right.subs({w: w2, g: g2})
    whole = right.subs({w: p * w1 + (1 - p) * w2, g: p * g1 + (1 - p) * g2})
    symbols = (p, w1, w2, g1, g2, alpha, gamma, delta)
    found = at_points(
        left,
        whole,
        symbols,
        [(Fraction(1, 2), 0, 2, 0, 1, 1, 1, 0), (Fraction(1, 3), 1, 4, 1, 2, 1, 2, 3)],
        relation="=",
    )
    return settle(
        [average_of_affine(right, (w, g))],
        found,
        method="tower property, linearity of the expectation (any law: by mixtures of two)",
        valid_for="every law of x^(t) with second moments",
    )


@expectation_claim(
    "MX-SC-ETA-S1",
    source="Appendix D.2.1 and Theorem B.2",
    statement=CVX_REC.latex() + r"\quad\text{for every }\tilde\eta\le\tfrac1{8\beta}",
    summary="The proof sets the step equal to 1/(8 beta); the recursion holds for every smaller one, as the theorem says; it fails "
    "for steps up to 1/beta.",
    assumptions=CONVEX,
    depends=("MX-CVX-REC",),
    printed=dict(top="1/8"),
    controls=[Control("effective step up to 1/beta", dict(top="1"))],
)
def free_step(top: str) -> Evidence:
    step = assembly_steps.recursion(
        LEMMA_D10.expression,
        assembly_steps.cvx_drift(INT(16), INT(2), INT(2)),
        CVX_REC.expression,
        R(top),
        8 / (5 * one_round.S),
    )
    limit = Step("Lemma D.10 for these steps", Fraction(top) <= EIGHTH, "its condition is 1/(8 beta)")
    found = evaluated(near, CVX_REC.expression, instances(Fraction(top)))
    return settle([step, limit], found, method=METHOD, valid_for=VALID)


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
