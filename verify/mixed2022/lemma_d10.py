"""Lemma D.10 of Augenstein et al. (2022), one round in the convex cases: proved; a better split has more decrease and less noise.

The update's inner product with x - x* is bounded by Definition D.4 for f_c and Lemma D.7 for f_f, its square by Lemma D.9 and
Proposition D.6.  The drift is read over the points where gradients are taken (k = 0..K-1), the harder reading here.
"""

from dataclasses import replace
from fractions import Fraction
from functools import cache, partial

import sympy as sp

from fltheory.derivation.statement import derived, with_coefficients
from fltheory.evidence.algebra import statement_in_mean, statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import search
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import algebra_claim, expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.one_round import (
    CONVEX_STEP,
    LEMMA_D9,
    LEMMA_D9_SHARP,
    LEMMA_D10,
    LEMMA_D10_SHARP,
    beta,
    distance,
    gap,
    move,
    mu,
    w2,
)
from fltheory.theory.states import proves
from verify.mixed2022 import derivations, elsewhere
from verify.mixed2022.one_way_instances import Round, evaluated, far, rounds, sampled
from verify.mixed2022.one_way_words import LESS_NOISE, SAMPLING
from verify.mixed2022.settled import attained

R = sp.Rational
EIGHTH = Fraction(1, 8)
METHOD = "line by line: Definition D.4 for f_c, Lemma D.7 at the local points, Lemma D.9, Proposition D.6"
VALID = (
    "every N, S <= N, K >= 1, eta_s > 0, dimension, 0 <= mu <= beta, effective step up to 1/(8 beta), all noise laws"
)
proved = partial(by_derivation, method=METHOD, valid_for=VALID)
lemma_d10_claim = expectation_claim.sharing(
    assumptions=(
        *SAMPLING,
        "f_f, f_c mu-convex and beta-smooth",
        "x* a minimiser of f",
        "effective step at most 1/(8 beta)",
    )
)


def instances(top: Fraction = EIGHTH) -> list[Round]:
    return [*sampled(rounds([top, top / 2]), 7), *far(top)]


def lemma(
    display: Bound, decrease: str | None, client: str | None, central: str | None, contraction: str | None
) -> Bound:
    """A form of the lemma with other coefficients."""
    e = one_round.e
    changes = one_round.changes(sp.Integer(1), None, e**2, client, central) | {
        gap: None if decrease is None else -R(decrease) * e,
        w2: None if contraction is None else 1 - R(contraction) * mu * e,
    }
    return replace(display, expression=with_coefficients(display.expression, changes))


@cache
def better() -> bool:
    """Whether Lemma D.9 split by b = 1/3 gives 4/3 for gap and noise in the same chain."""
    third = R(4, 3)
    bound = replace(LEMMA_D10, expression=distance(third, R(5, 16), third, third, R(3, 2)))
    return derived(lambda: derivations.lemma_d10_alone(bound, LEMMA_D9_SHARP, "1/3"))[0][0]


@lemma_d10_claim(
    "MX-LEMD10",
    proves=proves(one_round.LEMMA_D10, under=CONVEX_STEP),
    statement=one_round.LEMMA_D10,
    source="Lemma D.10",
    headline="One round brings the model closer to the minimiser, up to drift and noise",
    summary="One round brings the model closer to x*, up to drift and noise. Holds up to and including the step 1/(8 "
    "beta); the drift is read over the points where gradients are taken. Gap and noise have room at the same drift; "
    "MX-LEMD10-S7 goes further.",
    proof_steps=("MX-LEMD10-S1", "MX-LEMD10-S2", "MX-LEMD10-S3", "MX-LEMD10-S4", "MX-LEMD10-S5", "MX-LEMD10-S6"),
    depends=("MX-LEMD7", "MX-PROPD6"),
    printed=dict(decrease=None, client=None, central=None, contraction=None, top="1/8"),
    controls=[
        Control("gap 1 -> 17/8", dict(decrease="17/8")),
        *LESS_NOISE,
        Control("effective step up to 1/beta", dict(top="1")),
        Control("contraction 3 mu", dict(contraction="3")),
    ],
)
def lemma_d10(
    decrease: str | None, client: str | None, central: str | None, contraction: str | None, top: str
) -> Evidence:
    """The chain of the printed proof; Lemma D.9 enters as it was derived."""
    bound = lemma(LEMMA_D10, decrease, client, central, contraction)
    known = (
        "with Lemma D.9 split by b = 1/3: gap 4/3 instead of 1, both variances 4/3 instead of 4 and 2, the same drift"
    )
    return proved(
        lambda: derivations.lemma_d10_alone(bound, top=top),
        evaluated(one_round.near, bound.expression, instances(Fraction(top))),
        tightness=attained(known, 4 / 3) if better() else None,
    )


@lemma_d10_claim(
    "MX-LEMD10-S7",
    proves=proves(one_round.LEMMA_D10_SHARP, left=one_round.near, under=CONVEX_STEP),
    statement=one_round.LEMMA_D10_SHARP,
    source="Lemma D.10, sharpened",
    headline="One round of 1-way transfer with better constants for gap and noise",
    summary="The same bound holds with Lemma D.9 split in the ratio b = 1/4: better constants for gap and noise, a "
    "little more drift.",
    elsewhere=elsewhere.ROUND,
    depends=("MX-LEMD9-S6", "MX-LEMD7", "MX-PROPD6"),
    printed=dict(decrease=None, client=None, central=None),
    controls=[Control("gap 11/8 -> 17/8", dict(decrease="17/8")), *LESS_NOISE],
)
def lemma_d10_sharp(decrease: str | None, client: str | None, central: str | None) -> Evidence:
    """The chain of the lemma with the sharper variance bound."""
    bound = lemma(LEMMA_D10_SHARP, decrease, client, central, None)
    return proved(
        lambda: derivations.lemma_d10_alone(bound, LEMMA_D9_SHARP, "1/4"),
        evaluated(one_round.near, bound.expression, instances()),
    )


@expectation_claim(
    "MX-LEMD10-S1",
    headline="A uniform cohort's average has the mean of all clients",
    source="proof of Lemma D.10, first display",
    statement=r"\mathbb{E}[x^{(t+1)}-x^{(t)}]=-\tilde\eta\,\mathbb{E}g_c(x^{(t)})-\frac{\tilde\eta}{KN}\sum_{i=1}^N\sum_k"
    r"\mathbb{E}g_i(x_i^{(t,k)})",
    summary="The mean of a uniform cohort's average is the average over all clients (points where gradients are taken).",
    printed=dict(shift=0),
    controls=[Control("points x^1..x^K", dict(shift=1))],
)
def expected_update(shift: int) -> Evidence:
    """Each client is drawn equally often; instances with all noise listed."""

    def sides(item: Round) -> tuple[Fraction, Fraction]:
        slope = item.central.gradient(item.point) + item.expected(lambda _, points: item.taken(points, shift))
        return item.expected(lambda after, _: after - item.point), -item.effective * slope

    return by_derivation(
        partial(derivations.expected_update, shift=shift, unbiased=False),
        search(instances(Fraction(1)), sides, relation="=", describe=str),
        valid_for=VALID,
        method="in every fixed direction: linearity of the expectation; every client is in the cohort with probability S/N; "
        "tower property over the noise",
    )


NAMES = {**one_round.NAMES, "star": "x^*", "mu": r"\mu", "beta": r"\beta"}
AT_LOCAL_POINTS = {**NAMES, "y": "x_i^{(t,k)}", "f_x": "f_f(x)", "f_star": "f_f(x^*)"}
AT_LOCAL_POINTS |= {"g_y": r"\nabla f_f(x_i^{(t,k)})"}
term_c1 = statement_in_mean(
    "MX-LEMD10-S2",
    InMean(
        "2*e*dot(g_x, star - x) <= -2*e*(f_x - f_star + mu/2*sq(x - star)) for mu >= 0; e >= 0",
        things="x; star; function F; F at x, star",
        uses=[use("strongly convex", "x star", "2*e", of="F", mu="mu")],
        names={**NAMES, "g_x": r"\nabla f_c(x)", "f_x": "f_c(x)", "f_star": "f_c(x^*)"},
    ),
    headline="The central part of a round's progress is bounded by strong convexity",
    false={"mu/2 -> 1.01 mu/2": ("mu/2", "101*mu/200")},
    group=inequality_claim,
    source="proof of Lemma D.10, term C1",
    summary="The term is bounded by Definition D.4 from x to x*; it is an equality for quadratics of curvature mu.",
)
term_c2 = statement_in_mean(
    "MX-LEMD10-S3",
    InMean(
        "2*e*dot(g_y, star - x) <= -2*e*(f_x - f_star + mu/4*sq(x - star)) + 2*beta*e*sq(y - x) "
        "for beta > 0; 0 <= mu <= beta; e >= 0",
        things="x; star; y over k xi; function F; F at x, star, y",
        over="k xi",
        uses=[use("smooth", "y x", "2*e", of="F", L="beta"), use("strongly convex", "y star", "2*e", of="F", mu="mu")],
        squares=[("mu*e/2", "star - y + x - y"), ("(beta - mu)*e", "x - y")],
        names=AT_LOCAL_POINTS,
    ),
    headline="The clients' part of a round's progress is bounded by perturbed strong convexity",
    false={"no drift": ("2*beta*e*sq", "0*e*sq"), "mu/4 -> 1.01 mu/2": ("mu/4", "101*mu/200")},
    group=inequality_claim,
    source="proof of Lemma D.10, term C2",
    depends=("MX-LEMD7",),
    summary="Lemma D.7 with z = x^(t), y = x*, averaged over clients, steps and noise; (beta + mu)/2 would do instead of beta.",
)


sum_of_both = statement_in_mean(
    "MX-LEMD10-S4",
    InMean(
        "2*e*dot(g_u + g_y, star - x) <= -2*e*(f_x + f_u - f_star - f_v + 3*mu/4*sq(x - star)) + 2*beta*e*sq(y - x) "
        "for beta > 0; 0 <= mu <= beta; e >= 0",
        things="x; star; y over k xi; function F; F at x, star, y; function H; u = x; v = star; H at u, v",
        over="k xi",
        uses=[
            use("strongly convex", "u v", "2*e", of="H", mu="mu"),
            use("smooth", "y x", "2*e", of="F", L="beta"),
            use("strongly convex", "y star", "2*e", of="F", mu="mu"),
        ],
        squares=[("mu*e/2", "star - y + x - y"), ("(beta - mu)*e", "x - y")],
        unfold="u v",
        names={**AT_LOCAL_POINTS, "f_u": "f_c(x)", "f_v": "f_c(x^*)", "g_u": r"\nabla f_c(x)"},
    ),
    false={"3/4 -> 1.01": ("3*mu/4", "101*mu/100")},
    group=inequality_claim,
    source="proof of Lemma D.10, C1 and C2",
    summary="The sum of the two terms: mu/2 + mu/4 = 3 mu/4.",
    proof_steps=("MX-LEMD10-S2", "MX-LEMD10-S3"),
)
TERM_D = one_round.display(
    "term D of Lemma D.10",
    move,
    LEMMA_D9.expression.subs(one_round.G2, 4 * beta * gap),
    (one_round.HOMOGENEOUS, one_round.SMOOTH, one_round.CONVEX),
    "MX-LEMD10-S5",
    source="proof of Lemma D.10",
)


@expectation_claim(
    "MX-LEMD10-S5",
    headline="The square of a round's move is bounded by drift, gap and noise",
    source="proof of Lemma D.10, term D",
    depends=("MX-PROPD6",),
    proves=proves(TERM_D, left=move, under=one_round.ANY_STEP),
    statement=TERM_D,
    summary="The term is bounded by Lemma D.9 with |grad f|^2 <= 4 beta (f - f*).",
    printed=dict(on_gap="8"),
    controls=[Control("8 -> 3.96", dict(on_gap="99/25"))],
)
def term_d(on_gap: str) -> Evidence:
    """8 is twice 4; a round with K = 1 needs 4."""
    changed = with_coefficients(TERM_D.expression, {gap: R(on_gap) * beta * one_round.e**2})
    found = evaluated(move, changed, instances(Fraction(1)))
    return proved(lambda: derivations.square_with_the_gap(replace(TERM_D, expression=changed)), found)


substitution = statement_of_algebra(
    "MX-LEMD10-S6",
    Relations(
        "8*beta*e**2 - 2*e <= -e; 2*beta*e*(1 + 2*beta*e) <= 5/16 for beta > 0; 0 <= e <= 1/(8*beta)", names=NAMES
    ),
    false={
        "5/16 -> 0.99 of it": ("5/16", "99/320"),
        "gap 1.01": ("<= -e", "<= -101*e/100"),
        "effective step up to 1.01/(8 beta)": ("1/(8*", "101/(800*"),
    },
    group=algebra_claim,
    source="proof of Lemma D.10, last step",
    summary="The constants at the largest step; both are attained there.",
    tightness=attained("both are equalities at the step 1/(8 beta)"),
)

if __name__ == "__main__":
    run_script(__file__)
