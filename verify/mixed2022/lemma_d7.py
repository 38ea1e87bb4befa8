"""Lemma D.7 of Augenstein et al. (2022), perturbed strong convexity: proved; (beta+mu)/2 instead of beta is sharp.

Definition D.1 from x to z and Definition D.4 from x to y, added, leave a quadratic form in y - x and z - x.  The worst
function has curvature beta on the side of z and mu on the side of y.  The display of the proof prints its two
inequalities under one left side; the second one belongs to <grad h(x), x - y>.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.derivation.statement import text_of, with_coefficients
from fltheory.evidence.algebra import statement_in_mean
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import convex as displays
from fltheory.theory.mixed2022.convex import beta, gx, gy, hx, hy, hz, m, mu, x, y, z
from fltheory.theory.mixed2022.scalars import number, sides
from fltheory.theory.notation import Inner, NormSq
from fltheory.theory.states import proves
from verify.mixed2022 import elsewhere
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.settled import attained, lines_in_mean, together

HEIGHTS = {hx: x, hy: y, hz: z}
R, ONE, ZERO = sp.Rational, Fraction(1), Fraction(0)
METHOD = "Definitions D.1 and D.4 at the named pairs times multipliers plus squares; Gram identity in commuting scalars (removes d)"
GENERAL = "every dimension, all x, y, z, 0 <= mu <= beta; h on R^d or on a convex domain"
Case = tuple[Fraction, Fraction, KinkedParabola, tuple[Fraction, Fraction, Fraction]]


def cases(*, convex: bool = True, more: Sequence[Fraction] = ()) -> list[Case]:
    """(mu, beta, h, (x, y, z)), the pure quadratic with mu = beta = 1 first."""
    points = [(ZERO, -ONE, ONE), (ONE, ZERO, ONE), (ZERO, ONE, ZERO), (ZERO, ONE, -ONE), (ONE, Fraction(2), ONE / 2)]
    points += [(ZERO, -t, ONE) for t in more]
    found = []
    for modulus in (ONE, Fraction(1, 2), ZERO):
        shapes = [KinkedParabola(modulus, ONE), KinkedParabola(ONE, modulus), KinkedParabola(modulus, modulus, ONE)]
        shapes += [] if convex else [KinkedParabola(-ONE, -ONE)]
        found += [(modulus, ONE, h, at) for h in dict.fromkeys(shapes) for at in points]
    return found


def values(case: Case) -> dict[sp.Symbol, Fraction]:
    """The symbols of the lemma on an instance."""
    modulus, smoothness, h, points = case
    found = {mu: modulus, beta: smoothness, gx: h.gradient(points[0]), gy: h.gradient(points[1])}
    found |= dict(zip((x, y, z), points, strict=True))
    return found | dict(zip((hx, hy, hz), map(h.value, points), strict=True))


def describe(case: Case) -> str:
    modulus, smoothness, h, points = case
    return f"h = {h}, mu = {modulus}, beta = {smoothness}, x = {points[0]}, y = {points[1]}, z = {points[2]}"


def evaluate(left: sp.Expr, right: sp.Expr, instances: Sequence[Case]) -> Search:
    """``left >= right`` on instances."""
    return search(
        instances, lambda c: (number(left, values(c)), number(right, values(c))), relation=">=", describe=describe
    )


@inequality_claim(
    "MX-LEMD7",
    proves=proves(displays.LEMMA_D7, relation=">=", under=(displays.STRONG,)),
    statement=displays.LEMMA_D7,
    source="Lemma D.7",
    headline="Strong convexity with the gradient taken at a nearby point",
    summary="Perturbed strong convexity. The penalty beta can be lowered to (beta + mu)/2, which the proof itself gives; "
    "as a multiple of beta alone it is sharp (mu = beta).",
    assumptions=("h beta-smooth", "h mu-convex, mu >= 0"),
    proof_steps=("MX-LEMD7-S1", "MX-LEMD7-S2", "MX-LEMD7-S3"),
    printed=dict(modulus=None, penalty=None, convex=True),
    controls=[
        Control("penalty beta -> 0.99 beta", dict(penalty="99*beta/100")),
        Control("penalty 0.99 (beta + mu)/2", dict(penalty="99*(beta + mu)/200")),
        Control("mu/4 -> 1.01 mu/4", dict(modulus="101/400")),
        Control("h not convex", dict(convex=False)),
    ],
)
def lemma_d7(modulus: str | None, penalty: str | None, convex: bool) -> Evidence:
    """The remainder of the two premises is (mu/4)|(y-x) + (z-x)|^2 + ((beta-mu)/2)|z-x|^2."""
    bound = changed(displays.LEMMA_D7, modulus, penalty)
    share = sp.expand(bound.expression).coeff(NormSq(y - z)) / mu
    at_zero = Fraction(str(2 * share / (1 - 2 * share)))
    sharp = "(beta + mu)/2 instead of beta (MX-LEMD7-S4): ratio 2 beta/(beta + mu), from 1 at mu = beta to 2 as mu -> 0"
    return by_derivation(
        stated(bound, convex=convex).derived,
        evaluate(*sides(bound), cases(convex=convex, more=[at_zero])),
        method=METHOD,
        valid_for=GENERAL,
        numbers={"sharp penalty": "(beta + mu)/2"},
        tightness=attained(sharp, 2.0),
    )


def stated(bound: Bound, *, convex: bool = True) -> InMean:
    """The bound from D.1 from x to z and D.4 from x to y; their rest is a square, and what the penalty has beyond it is room."""
    far, move = NormSq(y - z), NormSq(z - x)
    kept, penalty = bound.expression.coeff(far), -bound.expression.coeff(move)
    names = {far: "sq(y - z)", move: "sq(z - x)", Inner(gx, z - y): "dot(g_x, z - y)"} | {
        h: f"f_{point}" for h, point in HEIGHTS.items()
    }
    share = mu / 2 - kept
    ratio = sp.cancel(kept / share)
    room = sp.cancel(penalty - beta / 2 - kept * (1 + ratio))
    ranges = "0 < mu <= beta; 0 <= m < mu" if m in kept.free_symbols else "0 <= mu <= beta"
    return InMean(
        f"{text_of(bound.left, names)} >= {text_of(bound.expression, names)} for beta > 0; {ranges}",
        things="x; y; z; function h; h at x, y, z",
        uses=[use("smooth", "x z", of="h", L="beta"), *([use("strongly convex", "x y", of="h", mu="mu")] * convex)],
        squares=[(text_of(share), f"y - x + ({text_of(ratio)})*(z - x)"), (text_of(room), "z - x")],
    )


def changed(display: Bound, modulus: str | None = None, penalty: str | None = None) -> Bound:
    """A form of the lemma with another share of mu |y - z|^2 or another penalty on |z - x|^2."""
    changes = {
        NormSq(y - z): None if modulus is None else R(modulus) * mu,
        NormSq(z - x): None if penalty is None else -sp.sympify(penalty, locals={"beta": beta, "mu": mu, "m": m}),
    }
    return replace(display, expression=with_coefficients(display.expression, changes))


NAMES = {"beta": r"\beta", "mu": r"\mu", "g_x": r"\nabla h(x)", **{f"f_{point}": f"h({point})" for point in "xyz"}}
FIRST_LINE = InMean(
    "dot(g_x, z - x) >= f_z - f_x - beta/2*sq(z - x) for beta > 0",
    things="x; y; z; function h; h at x, y, z",
    uses=[use("smooth", "x z", of="h", L="beta")],
    names=NAMES,
)
SECOND_LINE = InMean(
    "dot(g_x, x - y) >= f_x - f_y + mu/2*sq(y - x) for mu >= 0",
    things="x; y; z; function h; h at x, y, z",
    uses=[use("strongly convex", "x y", of="h", mu="mu")],
    names=NAMES,
)
two_lines_claim = inequality_claim.sharing(source="proof of Lemma D.7, first display")
two_left_sides = lines_in_mean(
    "MX-LEMD7-S1[each inequality with its own left side]",
    FIRST_LINE,
    SECOND_LINE,
    false={"beta/2 -> 0.99 beta/2": ("beta/2", "99*beta/200"), "mu/2 -> 1.01 mu/2": ("mu/2", "101*mu/200")},
    group=two_lines_claim,
    headline="Smoothness and strong convexity each give one of the two inequalities added up",
    summary="The two inequalities that the text announces and that the proof adds up: D.1 from x to z, D.4 from x to y.",
    valid_for=GENERAL,
    tightness=attained("equality for quadratics of curvature beta and mu"),
)
c = sp.Symbol("c")
one_left_side = lines_in_mean(
    "MX-LEMD7-S1[one left side, as displayed]",
    FIRST_LINE,
    SECOND_LINE.changed("x - y", "z - x"),
    true={"left side of the second line <grad h(x), x - y>": ("z - x) >= f_x", "x - y) >= f_x")},
    broken_at=Witness(
        {mu: ONE / 2, beta: 1, c: 1, x: 1, y: 0, z: 1, gx: 1, hx: ONE / 2, hy: 0, hz: ONE / 2},
        Side("left of line 2", gx * (z - x)),
        ">=",
        Side("right of line 2", hx - hy + mu / 2 * (y - x) ** 2),
        [(mu, "<=", c), (c, "<=", beta), (gx, "=", c * x), *((h, "=", c * t**2 / 2) for h, t in HEIGHTS.items())],
        "h = c t^2/2",
    ),
    group=two_lines_claim,
    fault="slip",
    headline="A display has one left side where it needs two",
    summary="Read literally the second line has the left side of the first, while its right side does not contain z: at z = x it "
    "says h(x) + (mu/2)|y - x|^2 <= h(y), which fails for h = beta x^2/2 at x = 1, y = 0.",
    repair="MX-LEMD7-S1[each inequality with its own left side]",
    valid_for=GENERAL,
)


relaxed_triangle = statement_in_mean(
    "MX-LEMD7-S2",
    InMean(
        "mu/2*sq(y - x) >= mu/4*sq(y - z) - mu/2*sq(x - z) for mu >= 0",
        things="x; y; z",
        squares=[("mu/4", "y - x + z - x")],
        names={"mu": r"\mu"},
    ),
    headline="The triangle inequality for squares moves strong convexity to a third point",
    false={
        "mu/4 -> 1.01 mu/4": ("mu/4", "101*mu/400"),
        "mu/2 -> 0.99 mu/2 on the right": ("- mu/2", "- 99*mu/200"),
        "mu < 0": ("mu >= 0", "-1 <= mu <= 0"),
    },
    group=inequality_claim,
    source="proof of Lemma D.7, second display",
    summary="This is the relaxed triangle inequality with a = 1, for mu >= 0.",
    depends=("MX-LEMD2-1",),
    tightness=attained("equality at x = (y + z)/2"),
)


@inequality_claim(
    "MX-LEMD7-S3.1",
    headline="Three inequalities added up give strong convexity at a nearby point",
    proves=proves(displays.LEMMA_D7_PROOF, relation=">=", under=(displays.STRONG,)),
    statement=displays.LEMMA_D7_PROOF,
    source="proof of Lemma D.7, third display",
    summary="The three inequalities added up; (beta + mu)/2 is sharp for all mu <= beta.",
    proof_steps=("MX-LEMD7-S1[each inequality with its own left side]", "MX-LEMD7-S2"),
    printed=dict(penalty=None),
    controls=[Control("(beta + mu)/2 times 0.99", dict(penalty="99*(beta + mu)/200"))],
)
def combined(penalty: str | None) -> Evidence:
    """Equality: curvature beta for t > 0, mu for t < 0, x = 0, z = 1, y = -1."""
    bound = changed(displays.LEMMA_D7_PROOF, penalty=penalty)
    sharp = "equality for all 0 <= mu <= beta: curvature beta on the side of z = 1, mu on the side of y = -1, x = 0"
    return by_derivation(
        stated(bound).derived,
        evaluate(*sides(bound), cases()),
        method=METHOD,
        valid_for=GENERAL,
        tightness=attained(sharp),
    )


ordered = lines_in_mean(
    "MX-LEMD7-S3.2",
    *(
        InMean(
            f"{text}*sq(z - x) <= beta*sq(z - x) for beta >= 0; mu >= 0",
            things="x; z; function h; h at x, z",
            uses=[use("smooth", "x z", times, of="h", L="beta"), use("strongly convex", "x z", times, of="h", mu="mu")],
            names=NAMES,
        )
        for text, times in (("mu", "2"), ("(beta + mu)/2", "1"))
    ),
    false={"mu <= 0.99 beta": ("mu*sq(z - x) <= beta", "mu*sq(z - x) <= 99/100*beta")},
    group=inequality_claim,
    source="proof of Lemma D.7, last line",
    summary="No function has mu > beta: D.4 and D.1 at one pair of different points.",
    valid_for="functions on a space of dimension at least 1",
)


@inequality_claim(
    "MX-LEMD7-S4",
    proves=proves(displays.LEMMA_D7_SHARP, relation=">=", under=(displays.STRONG, m >= 0, m < mu)),
    statement=displays.LEMMA_D7_SHARP,
    source="Lemma D.7, sharpened",
    headline="Perturbed strong convexity with any part of the modulus kept, at the exact price",
    summary="Every part m of the modulus below mu can be kept; the penalty is the exact price. m = mu/2 is the lemma with "
    "(beta + mu)/2, m = 0 costs beta/2 only.",
    elsewhere=elsewhere.PERTURBED,
    depends=("MX-LEMD7-S1[each inequality with its own left side]",),
    assumptions=("h beta-smooth", "h mu-convex", "0 <= m < mu"),
    printed=dict(penalty=None),
    controls=[Control("penalty times 0.99", dict(penalty="99*(beta + m*mu/(mu - m))/200"))],
)
def every_modulus(penalty: str | None) -> Evidence:
    """m = share mu; equality at y - x = -(m/(mu - m))(z - x)."""
    bound = changed(displays.LEMMA_D7_SHARP, penalty=penalty)
    parts = [(cases(more=[ratio]), ratio) for ratio in (Fraction(0), ONE, Fraction(1, 3), Fraction(3))]
    found = [
        evaluate(
            *(side.subs(m, mu * R(ratio) / (1 + R(ratio))) for side in sides(bound)), [c for c in items if c[0] > 0]
        )
        for items, ratio in parts
    ]
    return by_derivation(
        stated(bound).derived,
        together(found),
        method=METHOD,
        valid_for="every dimension, all x, y, z, 0 <= m < mu <= beta",
        tightness=attained("equality: curvature beta for t >= 0, mu for t < 0, x = 0, z = 1, y = -m/(mu - m)"),
    )


if __name__ == "__main__":
    run_script(__file__)
