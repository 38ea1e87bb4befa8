"""Steps of the proof of Lemma D.12 of Augenstein et al. (2022), and the chain redone for f 2 beta-smooth."""

from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import algebra_claim, expectation_claim, identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.one_round import LEMMA_D9, beta, e
from verify.mixed2022 import derivations, elsewhere
from verify.mixed2022.one_way_instances import FULL, LINEAR, Round, at_points, smooth_rounds
from verify.mixed2022.settled import attained, worst_of

R, ONE = sp.Rational, Fraction(1)
STEPS = (ONE, ONE / 2)
VALID = "every N, S <= N, K >= 1, eta_s > 0, dimension, losses convex or not, all noise laws"


def first_display(smoothness: str, doubled: bool) -> Evidence:
    """E f(x+) <= f + E<grad f, x+ - x> + (smoothness beta/2) E|x+ - x|^2."""
    x, after = sp.symbols("x after")
    curvature = 2 * beta if doubled else beta
    left = curvature / 2 * after**2
    right = curvature / 2 * x**2 + curvature * x * (after - x) + R(smoothness) * beta / 2 * (after - x) ** 2
    parts = "f_f = f_c = beta x^2/2" if doubled else "f_f = beta x^2/2, f_c = 0"
    round_ = (after, "=", x - e * curvature * x)
    at = {beta: 1, x: 1, e: R(1, 18), after: 1 - R(2 if doubled else 1, 18)}
    return by_derivation(
        partial(derivations.descent_inequality, smoothness, of_parts=doubled),
        tried(Witness(at, Side("f(x+)", left), "<=", Side("right side", right), [round_], f"{parts}, K = 1, no noise")),
        method="Definition D.1 for each loss (or for f), expectation",
        valid_for=VALID,
        tightness=attained("equality for quadratics"),
    )


DISPLAY = (
    r"\mathbb{E}f(x^{(t+1)})\le f(x^{(t)})+\mathbb{E}\langle\nabla f(x^{(t)}),\Delta x\rangle+\tfrac\beta2\mathbb{E}"
    r"\|\Delta x\|^2"
)
first_display_claim = expectation_claim.sharing(source="proof of Lemma D.12, first display", statement=DISPLAY)
f_smooth = first_display_claim(
    "MX-LEMD12-S1[f beta-smooth]",
    summary="The display is Definition D.1 for f, in expectation.",
    printed=dict(smoothness="1", doubled=False),
    controls=[
        Control("0.99 beta/2", dict(smoothness="99/100")),
        Control("only f_f and f_c beta-smooth", dict(doubled=True)),
    ],
)(first_display)
parts_smooth = first_display_claim(
    "MX-LEMD12-S1[f_f and f_c beta-smooth]",
    fault="reading",
    repair="MX-LEMD12-S1-R1",
    printed=dict(smoothness="1", doubled=True),
    headline="The first step of the decrease proof uses half of the smoothness needed",
    summary="Under the theorem's assumption beta/2 is too small: f_f = f_c = beta x^2/2 needs beta.",
    controls=[Control("beta instead of beta/2", dict(smoothness="2"), must="pass")],
)(first_display)
doubled_smoothness = first_display_claim(
    "MX-LEMD12-S1-R1",
    headline="The first step of the decrease proof with the smoothness that the sum has",
    statement=DISPLAY.replace(r"\tfrac\beta2", r"\beta\,"),
    printed=dict(smoothness="2", doubled=True),
    summary="For f_f and f_c beta-smooth the display holds with beta instead of beta/2.",
    controls=[Control("0.99 beta", dict(smoothness="99/50"))],
)(first_display)


@inequality_claim(
    "MX-LEMD12-S2",
    source="proof of Lemma D.12, inner product",
    statement=r"-\langle a,b\rangle=\tfrac12(\|b-a\|^2-\|a\|^2-\|b\|^2)\le-\tfrac12\|a\|^2+\tfrac12\|b-a\|^2",
    summary="The inner product is polarised, and one square is dropped.",
    printed=dict(first="1/2", last="1/2"),
    controls=[Control("-0.51 |a|^2", dict(first="51/100")), Control("0.49 |b - a|^2", dict(last="49/100"))],
)
def polarisation(first: str, last: str) -> Evidence:
    a, b = sp.symbols("a b")
    left, right = -a * b, -R(first) * a**2 + R(last) * (b - a) ** 2
    return by_derivation(
        partial(derivations.polarised, first, last),
        at_points(left, right, (a, b), [(1, 0), (1, 1), (0, 1), (1, -1)]),
        method="expansion and squares",
        valid_for="all vectors",
        tightness=attained("equality for b = 0"),
    )


@expectation_claim(
    "MX-LEMD12-S3",
    source="proof of Lemma D.12, drift",
    depends=("MX-LEMD2-2.2",),
    statement=r"\tfrac{\tilde\eta}2\Big\|\frac1{KN}\sum_{i,k}\mathbb{E}(\nabla f_f(x_i^{(t,k)})-\nabla f_f(x^{(t)}))"
    r"\Big\|^2\le\tfrac{\tilde\eta}2\frac1{KN}\sum_{i,k}\mathbb{E}\|\cdot\|^2\le\tfrac{\tilde\eta\beta^2}2"
    r"\mathcal{E}^{(t)}",
    summary="Jensen and smoothness. (The display before takes the squared norm without the expectation; the mean of the "
    "gradients is meant.)",
    printed=dict(factor="1/2"),
    controls=[Control("0.49", dict(factor="49/100"))],
)
def drift_term(factor: str) -> Evidence:
    """M0 is the mean of h; |h|^2 <= beta^2 |d|^2."""
    h, d = sp.symbols("h d")
    found = at_points(h**2 / 2, R(factor) * d**2, (h, d), [(0, 0), (1, 1), (-1, 1)])
    script = partial(derivations.drift_of_the_cohort, "1/2", factor)
    method = "mean and deviation over clients, steps and noise"
    tight = attained("one client, one point, curvature beta")
    return by_derivation(script, found, method=method, valid_for=VALID, tightness=tight)


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


def constants(decrease: str, drift: str, top: str, smoothness: str) -> Evidence:
    """1/2 - smoothness e beta >= decrease; e beta^2/2 + 2 smoothness e^2 beta^3 <= drift beta."""
    s = R(smoothness)
    pairs = [(R(decrease) * e, e / 2 - s * beta * e**2), (e * beta**2 / 2 + 2 * s * e**2 * beta**3, R(drift) * beta)]
    sharp = "drift coefficient at the largest step; the coefficient of the gradient is attained there"
    return by_derivation(
        lambda: derivations.of_numbers(
            "Mixed FL, Lemma D.12, last step", {"e": ("0", f"{top}/beta")}, decrease=pairs[0], drift=pairs[1]
        ),
        worst_of(at_points(a, b, (beta, e), [(1, Fraction(top)), (1, Fraction(top) / 2)]) for a, b in pairs),
        method="signs of polynomials",
        valid_for="step up to 1/(18 beta)",
        tightness=attained(sharp, max(1.0, float(R(drift) / (R(1, 36) + s / 162)))),
    )


s5: Claim = algebra_claim(
    "MX-LEMD12-S5",
    source="proof of Lemma D.12, last step",
    statement=r"\tfrac{\tilde\eta}2-\beta\tilde\eta^2\ge\tfrac{4\tilde\eta}9,\quad\tfrac{\tilde\eta\beta^2}2+2\tilde\eta^2"
    r"\beta^3\le\tfrac\beta{27}\quad(\tilde\eta\le\tfrac1{18\beta})",
    summary="4/9 is sharp at the largest step, 1/27 = 12/324 could be 11/324.",
    printed=dict(decrease="4/9", drift="1/27", top="1/18", smoothness="1"),
    controls=[
        Control("4/9 -> 1.01 of it", dict(decrease="101/225")),
        Control("1/27 -> 10.9/324", dict(drift="109/3240")),
        Control("step up to 1.01/(18 beta)", dict(top="101/1800")),
        Control("f 2 beta-smooth", dict(smoothness="2")),
    ],
)(constants)
s8: Claim = algebra_claim(
    "MX-LEMD12-S8",
    source="proof of Lemma D.12, redone for f 2 beta-smooth",
    statement=r"\tfrac{\tilde\eta}2-2\beta\tilde\eta^2\ge\tfrac{7\tilde\eta}{18},\quad\tfrac{\tilde\eta\beta^2}2+4\tilde"
    r"\eta^2\beta^3\le\tfrac{13\beta}{324}\quad(\tilde\eta\le\tfrac1{18\beta})",
    headline="The printed proof of the decrease, redone with the smoothness that the sum has",
    summary="The printed chain with 2 beta for f: 7/18 instead of 4/9, 13/324 instead of 1/27, and twice the noise; "
    "MX-LEMD12-S7 is better.",
    elsewhere=elsewhere.ROUND,
    printed=dict(decrease="7/18", drift="13/324", top="1/18", smoothness="2"),
    controls=[Control("4/9", dict(decrease="4/9")), Control("1/27", dict(drift="1/27"))],
)(constants)


@identity_claim(
    "MX-LEMD12-S6",
    headline="The expected inner product has exact gradients; the central one cancels in a difference",
    source="proof of Lemma D.12, substitution of equation (11)",
    statement=r"\mathbb{E}\langle\nabla f(x),\Delta x\rangle=-\tilde\eta\Big\langle\nabla f(x),\frac1{KN}\sum_{i,k}(\nabla "
    r"f_f(x_i^{(t,k)})+\nabla f_c(x))\Big\rangle,\quad\tfrac1{KN}\sum_{i,k}(\nabla f_f(x_i^{(t,k)})+\nabla f_c)-\nabla "
    r"f=\tfrac1{KN}\sum_{i,k}(\nabla f_f(x_i^{(t,k)})-\nabla f_f)",
    summary="Assumption 4.1 and an unbiased g_c; the points are random, so that the right-hand side is meant in expectation. "
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
