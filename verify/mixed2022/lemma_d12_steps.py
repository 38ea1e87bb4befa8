"""Steps of the proof of Lemma D.12 of Augenstein et al. (2022), and the chain redone for f 2 beta-smooth."""

from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.evidence.algebra import by_in_mean, statement_in_mean, statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import search
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import algebra_claim, expectation_claim, identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.one_round import LEMMA_D9, beta, e
from verify.mixed2022 import derivations, elsewhere
from verify.mixed2022.one_way_instances import FULL, LINEAR, Round, smooth_rounds
from verify.mixed2022.one_way_words import BOTH_INDICES
from verify.mixed2022.settled import attained, lines_in_mean

R, ONE = sp.Rational, Fraction(1)
STEPS = (ONE, ONE / 2)
VALID = "every N, S <= N, K >= 1, eta_s > 0, dimension, losses convex or not, all noise laws"


AFTER = {**one_round.NAMES, "x": "x^{(t)}", "after": "x^{(t+1)}"}
ONE_LOSS = {f"f_{point}": f"f({AFTER[point]})" for point in ("x", "after")} | {"g_x": r"\nabla f(x^{(t)})"}
TWO_LOSSES = {"f_x": "f_f(x^{(t)})", "f_after": "f_f(x^{(t+1)})", "f_u": "f_c(x^{(t)})", "f_v": "f_c(x^{(t+1)})"}
TWO_LOSSES |= {"g_x": r"\nabla f_f(x^{(t)})", "g_u": r"\nabla f_c(x^{(t)})"}
DESCENT = InMean(
    "f_after + f_v <= f_x + f_u + dot(g_x + g_u, after - x) + beta*sq(after - x) for beta > 0",
    things="x; after over xi; u = x; v over xi = after; function f; f at x, after; function h; h at u, v",
    over="xi",
    uses=[use("smooth", "x after", of="f", L="beta"), use("smooth", "u v", of="h", L="beta")],
    unfold="u v",
    names=AFTER | TWO_LOSSES,
)
x, after = sp.symbols("x after")
first_display = expectation_claim.sharing(source="proof of Lemma D.12, first display")
F_SMOOTH = InMean(
    "f_after <= f_x + dot(g_x, after - x) + beta/2*sq(after - x) for beta > 0",
    things="x; after over xi; function f; f at x, after",
    over="xi",
    uses=[use("smooth", "x after", of="f", L="beta")],
    names=AFTER | ONE_LOSS,
)
AS_PRINTED = DESCENT.changed("beta*sq", "beta/2*sq")


@first_display(
    "MX-LEMD12-S1[f beta-smooth]",
    statement=F_SMOOTH,
    summary="The display is Definition D.1 for f, in expectation.",
    printed=dict(text=F_SMOOTH.text, parts=False),
    controls=[
        Control("0.99 beta/2", dict(text=F_SMOOTH.changed("beta/2", "99*beta/200").text)),
        Control("only f_f and f_c beta-smooth", dict(parts=True)),
    ],
)
def f_smooth(text: str, parts: bool) -> Evidence:
    """``parts``: the same display for f = f_f + f_c with smooth f_f and f_c."""
    return by_in_mean(AS_PRINTED if parts else F_SMOOTH.with_text(text), tightness=attained("equality for quadratics"))


parts_smooth = lines_in_mean(
    "MX-LEMD12-S1[f_f and f_c beta-smooth]",
    AS_PRINTED,
    true={"beta instead of beta/2": ("beta/2*sq", "beta*sq")},
    broken_at=Witness(
        {beta: 1, x: 1, e: R(1, 18), after: R(8, 9)},
        Side("f(x+)", beta * after**2),
        "<=",
        Side("right side", beta * x**2 + 2 * beta * x * (after - x) + beta / 2 * (after - x) ** 2),
        [(after, "=", x - 2 * e * beta * x)],
        "f_f = f_c = beta x^2/2, K = 1, no noise",
    ),
    group=first_display,
    fault="reading",
    repair="MX-LEMD12-S1-R1",
    headline="The first step of the decrease proof uses half of the smoothness needed",
    summary="Under the theorem's assumption beta/2 is too small: f_f = f_c = beta x^2/2 needs beta.",
)
doubled_smoothness = statement_in_mean(
    "MX-LEMD12-S1-R1",
    DESCENT,
    false={"0.99 beta": ("beta*sq", "99/100*beta*sq")},
    group=first_display,
    headline="The first step of the decrease proof with the smoothness that the sum has",
    summary="For f_f and f_c beta-smooth the display holds with beta instead of beta/2.",
    tightness=attained("equality for quadratics"),
)
polarised = lines_in_mean(
    "MX-LEMD12-S2",
    InMean(
        "-dot(a, b) = 1/2*(sq(b - a) - sq(a) - sq(b)) <= -1/2*sq(a) + 1/2*sq(b - a)",
        "a; b",
        squares={1: [("1/2", "b")]},
    ),
    false={"-0.51 |a|^2": ("-1/2*sq(a)", "-51/100*sq(a)"), "0.49 |b - a|^2": ("+ 1/2*sq(b - a)", "+ 49/100*sq(b - a)")},
    group=inequality_claim,
    source="proof of Lemma D.12, inner product",
    summary="The inner product is polarised, and one square is dropped.",
    tightness=attained("equality for b = 0"),
    valid_for="all vectors",
)
drift_term = lines_in_mean(
    "MX-LEMD12-S3",
    InMean(
        "e/2*sq(mean(g_y - g_x, k, xi)) <= e/2*sq(g_y - g_x) <= beta**2*e/2*sq(y - x) for beta >= 0; e >= 0",
        things="x; y over k xi; function F; F at x, y",
        over="k xi",
        uses={1: [use("Lipschitz gradients", "x y", "e/2", of="F", L="beta")]},
        squares={0: [("e/2", "g_y - g_x - mean(g_y - g_x, k, xi)")]},
        names=AFTER | {"y": "x_i^{(t,k)}", "g_y": r"\nabla f_f(x_i^{(t,k)})", "g_x": r"\nabla f_f(x^{(t)})"},
    ),
    says=BOTH_INDICES,
    false={"0.49": ("beta**2*e/2", "49/100*beta**2*e")},
    group=expectation_claim,
    source="proof of Lemma D.12, drift",
    depends=("MX-LEMD2-2.2",),
    summary="Jensen and smoothness. (The display before takes the squared norm without the expectation; the mean of the "
    "gradients is meant.)",
    tightness=attained("one client, one point, curvature beta"),
    valid_for=VALID,
)
ATTAINED = "drift coefficient at the largest step; the coefficient of the gradient is attained there"
collected = statement_of_algebra(
    "MX-LEMD12-S4",
    Relations(
        f"-e/2*G2 + e*beta**2/2*drift + beta/2*({LEMMA_D9.expression}) = -(e/2 - beta*e**2)*G2 "
        "+ (e*beta**2/2 + 2*e**2*beta**3)*drift + e**2*beta*(2*V/(K*S) + C) for K >= 1; S >= 1",
        names=one_round.NAMES,
    ),
    false={
        "2 e^2 beta^3 -> e^2 beta^3": ("+ 2*e**2*beta**3", "+ e**2*beta**3"),
        "beta in front of D.9": ("+ beta/2*(", "+ beta*("),
    },
    group=algebra_claim,
    source="proof of Lemma D.12, Lemma D.9 inserted",
    depends=("MX-LEMD9",),
    summary="The terms are collected, with beta/2 in front of D.9 (f beta-smooth).",
)


s5 = statement_of_algebra(
    "MX-LEMD12-S5",
    Relations(
        "e/2 - beta*e**2 >= 4*e/9; beta**2*e/2 + 2*beta**3*e**2 <= beta/27 for beta > 0; 0 <= e <= 1/(18*beta)",
        names=one_round.NAMES,
    ),
    false={
        "4/9 -> 1.01 of it": ("4*e/9", "101*e/225"),
        "1/27 -> 10.9/324": ("beta/27", "109*beta/3240"),
        "step up to 1.01/(18 beta)": ("1/(18*", "101/(1800*"),
        "f 2 beta-smooth": (
            "- beta*e**2 >= 4*e/9; beta**2*e/2 + 2*beta**3",
            "- 2*beta*e**2 >= 4*e/9; beta**2*e/2 + 4*beta**3",
        ),
    },
    group=algebra_claim,
    source="proof of Lemma D.12, last step",
    headline="The constants of Lemma D.12's last step: one is sharp, one has room",
    summary="4/9 is sharp at the largest step, 1/27 = 12/324 could be 11/324.",
    tightness=attained(ATTAINED, float(R(1, 27) / (R(1, 36) + R(1, 162)))),  # the left side at beta = 1, e = 1/18
)
s8 = statement_of_algebra(
    "MX-LEMD12-S8",
    Relations(
        "e/2 - 2*beta*e**2 >= 7*e/18; beta**2*e/2 + 4*beta**3*e**2 <= 13*beta/324 for beta > 0; 0 <= e <= 1/(18*beta)",
        names=one_round.NAMES,
    ),
    false={"4/9": ("7*e/18", "4*e/9"), "1/27": ("13*beta/324", "beta/27")},
    group=algebra_claim,
    source="proof of Lemma D.12, redone for f 2 beta-smooth",
    headline="The printed proof of the decrease, redone with the smoothness that the sum has",
    summary="The printed chain with 2 beta for f: 7/18 instead of 4/9, 13/324 instead of 1/27, and twice the noise; "
    "MX-LEMD12-S7 is better.",
    elsewhere=elsewhere.ROUND,
    tightness=attained(ATTAINED),
)


@identity_claim(
    "MX-LEMD12-S6",
    headline="The expected inner product has exact gradients; the central one cancels in a difference",
    source="proof of Lemma D.12, substitution of equation (11)",
    statement=r"\mathbb{E}\langle\nabla f(x),\Delta x\rangle=-\tilde\eta\,\mathbb{E}\Big\langle\nabla f(x),\frac1{KN}\sum_{i,k}"
    r"(\nabla f_f(x_i^{(t,k)})+\nabla f_c(x))\Big\rangle,\quad\tfrac1{KN}\sum_{i,k}(\nabla f_f(x_i^{(t,k)})+\nabla f_c)-\nabla "
    r"f=\tfrac1{KN}\sum_{i,k}(\nabla f_f(x_i^{(t,k)})-\nabla f_f)",
    summary="Assumption 4.1 and an unbiased g_c; the points are random, and the print lacks the expectation on the right. "
    "grad f_c cancels.",
    depends=("MX-LEMD10-S1",),
    printed=dict(shift=0, unbiased=True),
    controls=[Control("points x^1..x^K", dict(shift=1)), Control("g_c biased", dict(unbiased=False))],
)
def substituted(shift: int, unbiased: bool) -> Evidence:
    """The expected update along grad f(x); grad f(x) taken away from the mean gradient."""
    items = smooth_rounds(STEPS, doubled=True)
    items += [] if unbiased else [Round(LINEAR, FULL, ONE, ONE, bias=ONE)]

    def sides(item: Round) -> tuple[Fraction, Fraction]:
        used = item.central.gradient(item.point) + item.expected(lambda _, points: item.taken(points, shift))
        moved = item.expected(lambda after, _: after - item.point)
        return item.slope() * moved, -item.effective * item.slope() * used

    return by_derivation(
        partial(derivations.expected_update, shift=shift, unbiased=unbiased, along="gradient"),
        search(items, sides, relation="=", describe=str),
        valid_for=VALID,
        method="tower property over the noise, uniform cohort, linearity",
    )


if __name__ == "__main__":
    run_script(__file__)
