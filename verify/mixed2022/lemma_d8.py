"""Lemma D.8 of Augenstein et al. (2022), contraction of a gradient step: proved; the sharp factor is (1 - mu eta)^2.

With e = grad h(x) - grad h(y) - mu (x - y) the step difference is (1 - mu eta)(x - y) - eta e, and <e, (beta-mu)(x-y) - e>
is nonnegative: cocoercivity of h - (mu/2)|.|^2, which follows from Definitions D.1 and D.4 at one further point.
The step of the proof that is attributed to smoothness needs convexity as well, which the lemma assumes.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from fltheory.derivation.statement import with_coefficients
from fltheory.evidence.algebra import statement_in_mean
from fltheory.evidence.derive import Script, by_derivation
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import convex as displays
from fltheory.theory.mixed2022.convex import LEMMA_D8, LEMMA_D8_LONG, LEMMA_D8_SHARP, beta, eta, gx, gy, mu, x, y
from fltheory.theory.mixed2022.scalars import number, scalars
from fltheory.theory.notation import NormSq
from fltheory.theory.proofs import equal, is_zero
from fltheory.theory.states import proves
from fltheory.theory.steps import Step
from verify.mixed2022 import derivations, elsewhere
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.settled import attained

ONE = Fraction(1)
METHOD = (
    "line by line: cocoercivity of h - (mu/2)|.|^2 (from Definitions D.1 and D.4 at one further point) and D.4 or D.1 both "
    "ways times multipliers, plus a multiple of |x - y|^2; beta = mu by continuity"
)
GENERAL = "functions on R^d, every d, all x, y, 0 <= mu <= beta"
LOCALS = {"mu": mu, "beta": beta, "eta": eta}
LEFT = scalars(LEMMA_D8.left)
#: A function h on the line and two points: (mu, h, eta, x, y), beta = 1.
Case = tuple[Fraction, KinkedParabola, Fraction, Fraction, Fraction]
CLASS = ("h beta-smooth", "h mu-convex, mu >= 0")


def cases(top: sp.Expr, *, convex: bool = True) -> list[Case]:
    """(mu, h, eta, x, y) with beta = 1 and eta up to ``top``."""
    found = []
    for modulus in (ONE, Fraction(1, 2), Fraction(1, 10), Fraction(0)):
        largest = number(top, {mu: modulus, beta: 1})
        shapes = [KinkedParabola(modulus, modulus), KinkedParabola(ONE, ONE), KinkedParabola(modulus, ONE)]
        shapes += [] if convex else [KinkedParabola(-ONE, -ONE)]
        for h in dict.fromkeys(shapes):
            for step in (largest, largest / 2, largest / 1000):
                found += [(modulus, h, step, ONE, other) for other in (Fraction(0), -ONE)]
    return found


def values(case: Case) -> dict[sp.Symbol, Fraction | int]:
    """The symbols of the lemma on an instance."""
    modulus, h, step, one, other = case
    points = {mu: modulus, beta: 1, eta: step, x: one, y: other}
    return points | {gx: h.gradient(one), gy: h.gradient(other)}


def describe(case: Case) -> str:
    modulus, h, step, one, other = case
    return f"h = {h}, mu = {modulus}, beta = 1, eta = {step}, x = {one}, y = {other}"


def evaluate(left: sp.Expr, right: sp.Expr, instances: Sequence[Case], *, relation: str = "<=") -> Search:
    """``left relation right`` on all instances, exactly."""
    return search(
        instances, lambda c: (number(left, values(c)), number(right, values(c))), relation=relation, describe=describe
    )


def forms(display: Bound, factor: str | None) -> Bound:
    """A form of the lemma with another factor on |x - y|^2."""
    rate = None if factor is None else sp.sympify(factor, locals=LOCALS)
    return replace(display, expression=with_coefficients(display.expression, {NormSq(x - y): rate}))


def every_modulus(bound: Bound, **ends: Any) -> dict[str, Script]:
    """The derivations for mu > 0 and for mu = 0."""
    return {
        f"mu {'>' if modulus else '='} 0": partial(derivations.lemma_d8, bound, modulus=modulus, **ends)
        for modulus in (True, False)
    }


def stated(bound: Bound, form: Callable[..., sp.Expr] | None, longest: sp.Basic) -> Callable[..., Step]:
    """Whether the bound is |x - eta grad h(x) - y + eta grad h(y)|^2 <= form for steps up to the longest."""
    left = NormSq(x - eta * gx - y + eta * gy)
    return proves(bound, form, left=left, under=(displays.STRONG, longest))


@inequality_claim(
    "MX-LEMD8",
    proves=stated(LEMMA_D8, None, eta * beta <= 1),
    statement=LEMMA_D8,
    source="Lemma D.8",
    headline="A gradient step contracts squared distances",
    summary="A gradient step contracts squared distances by 1 - mu eta. The sharp factor is its square; as a multiple of mu "
    "eta and 1/beta, neither the rate nor the step can be enlarged (mu = beta, eta = 1/beta).",
    assumptions=(*CLASS, "0 <= eta <= 1/beta"),
    proof_steps=("MX-LEMD8-S1", "MX-LEMD8-S2", "MX-LEMD8-S3"),
    printed=dict(factor=None, top="1/beta", convex=True),
    controls=[
        Control("(1 - mu eta)^2 times 0.99", dict(factor="99*(1 - mu*eta)**2/100")),
        Control("1 - 1.01 mu eta", dict(factor="1 - 101*mu*eta/100")),
        Control("eta <= 1.01/beta", dict(top="101/(100*beta)")),
        Control("h not convex", dict(convex=False)),
    ],
)
def lemma_d8(factor: str | None, top: str, convex: bool) -> Evidence:
    """Cocoercivity both ways and strong convexity both ways."""
    bound = forms(LEMMA_D8, factor)
    found = evaluate(LEFT, scalars(bound.expression), cases(sp.sympify(top, locals=LOCALS), convex=convex))
    sharp = "(1 - mu eta)^2 instead of 1 - mu eta (MX-LEMD8-S4): the exponent of the contraction doubles"
    return by_derivation(
        every_modulus(bound, top=top, convex=convex),
        found,
        method=METHOD,
        valid_for=f"{GENERAL}, 0 <= eta <= 1/beta",
        tightness=attained(sharp, 2.0),
    )


@inequality_claim(
    "MX-LEMD8-S4",
    proves=stated(LEMMA_D8_SHARP, None, eta * (beta + mu) <= 2),
    statement=LEMMA_D8_SHARP,
    source="Lemma D.8, sharpened",
    headline="The sharp contraction factor of a gradient step, and its range",
    summary="The sharp factor, for every step up to 2/(beta + mu); for mu < beta it is wrong for every larger step.",
    elsewhere=elsewhere.CONTRACTION,
    assumptions=(*CLASS, "0 <= eta <= 2/(beta + mu)"),
    printed=dict(factor=None, top="2/(beta + mu)"),
    controls=[
        Control("factor times 0.99", dict(factor="99*(1 - mu*eta)**2/100")),
        Control("eta <= 2.02/(beta + mu)", dict(top="202/(100*(beta + mu))")),
    ],
)
def sharp_factor(factor: str | None, top: str) -> Evidence:
    """Equality for the curvature mu; from 2/(beta + mu) on the curvature beta is worse."""
    bound, largest = forms(LEMMA_D8_SHARP, factor), sp.sympify(top, locals=LOCALS)
    gap = eta * (beta - mu) * (2 - eta * (beta + mu))
    beyond = equal((1 - mu * eta) ** 2 - (1 - beta * eta) ** 2, gap)
    sharp = "equality for h = (mu/2)|.|^2; for h = (beta/2)|.|^2 right less left is eta (beta - mu)(2 - eta (beta + mu))|x - y|^2"
    return by_derivation(
        every_modulus(bound, top=top),
        evaluate(LEFT, scalars(bound.expression), cases(largest)),
        method=METHOD,
        valid_for=f"{GENERAL}, 0 <= eta <= 2/(beta + mu)",
        tightness=attained(sharp) if beyond else None,
    )


@inequality_claim(
    "MX-LEMD8-S5",
    proves=stated(LEMMA_D8_LONG, lambda stretch: (1 - mu * eta) * NormSq(x - y), eta * beta**2 <= 2 * beta - mu),
    statement=LEMMA_D8_LONG,
    source="Lemma D.8, sharpened",
    headline="The exact range of steps for the printed contraction factor",
    summary="The printed factor holds for steps up to (2 beta - mu)/beta^2 and no further: 2/beta for mu = 0, and nearly that for "
    "small mu.",
    elsewhere=elsewhere.CONTRACTION,
    depends=("MX-LEMD8-S4",),
    assumptions=(*CLASS, "0 <= eta <= (2 beta - mu)/beta^2"),
    printed=dict(stretch="1"),
    controls=[Control("steps up to 1.01 times that", dict(stretch="101/100"))],
)
def longest_step(stretch: str) -> Evidence:
    """Up to 2/(beta + mu) as the lemma, from there on with the smoothness both ways."""
    longest, middle = (2 * beta - mu) / beta**2, "2/(beta + mu)"
    top = sp.Rational(stretch) * longest
    beyond = is_zero(1 - mu * eta - (1 - beta * eta) ** 2 - beta**2 * eta * (longest - eta))
    sharp = "for h = (beta/2)|.|^2 right less left is beta^2 eta (largest step - eta)|x - y|^2"
    return by_derivation(
        {
            f"{name}, {case}": script
            for name, ends in (("short steps", {"top": middle}), ("long steps", {"low": middle, "top": str(top)}))
            for case, script in every_modulus(LEMMA_D8_LONG, **ends).items()
        },
        evaluate(LEFT, scalars(LEMMA_D8_LONG.expression), cases(top)),
        method=METHOD,
        valid_for=f"{GENERAL}, 0 <= eta <= (2 beta - mu)/beta^2",
        tightness=attained(sharp) if beyond else None,
    )


NAMES = {"g_x": r"\nabla h(x)", "g_y": r"\nabla h(y)", "beta": r"\beta", "mu": r"\mu", "eta": r"\eta"}
STRONG = [use("strongly convex", pair, "eta", of="h", mu="mu") for pair in ("x y", "y x")]
CONVEX = [use("convex", pair, "eta*(1 - eta*beta)", of="h") for pair in ("x y", "y x")]
#: Cocoercivity, from the step below each point, eta^2 beta times.
BELOW = [use("smooth", pair, "eta**2*beta", of="h", L="beta") for pair in ("y a", "x b")]
BELOW += [use("convex", pair, "eta**2*beta", of="h") for pair in ("x a", "y b")]
expanded = statement_in_mean(
    "MX-LEMD8-S1",
    InMean(
        "sq(x - eta*g_x - y + eta*g_y) <= sq(x - y) + (eta**2*beta - 2*eta)*dot(g_x - g_y, x - y) for beta > 0; eta >= 0",
        things="x; y; function h; h at x, y; a = y - (g_y - g_x)/beta; b = x - (g_x - g_y)/beta; h at a, b",
        uses=BELOW,
        unfold="a b",
        names=NAMES,
    ),
    headline="A gradient step's square expanded; convexity is needed besides the smoothness named",
    false={"beta -> 0.99 beta": ("eta**2*beta", "99/100*eta**2*beta")},
    without={"smoothness alone": "convex"},
    group=inequality_claim,
    source="proof of Lemma D.8, first display",
    summary="The square expanded, and |grad h(x) - grad h(y)|^2 <= beta <grad h(x) - grad h(y), x - y>. The text names "
    "smoothness for it; convexity, assumed in the lemma, is needed too.",
    tightness=attained("equality for h = (beta/2)|.|^2"),
)
step_condition = statement_in_mean(
    "MX-LEMD8-S2",
    InMean(
        "(eta**2*beta - 2*eta)*dot(g_x - g_y, x - y) <= -eta*dot(g_x - g_y, x - y) for beta > 0; 0 <= eta <= 1/beta",
        things="x; y; function h; h at x, y",
        uses=CONVEX,
        names=NAMES,
    ),
    headline="For short steps half of the mixed term pays for the squared gradient difference",
    false={"eta <= 1.01/beta": ("1/beta", "101/(100*beta)")},
    without={"h not convex": "convex"},
    group=inequality_claim,
    source="proof of Lemma D.8, second display",
    summary="eta^2 beta - 2 eta <= -eta for eta <= 1/beta, and the inner product is nonnegative.",
    tightness=attained("equality at eta = 1/beta"),
)
strong_monotonicity = statement_in_mean(
    "MX-LEMD8-S3",
    InMean(
        "-eta*dot(g_x - g_y, x - y) <= -mu*eta*sq(x - y) for mu >= 0; eta >= 0",
        things="x; y; function h; h at x, y",
        uses=STRONG,
        names=NAMES,
    ),
    false={"mu -> 1.01 mu": ("-mu*eta", "-101/100*mu*eta")},
    without={"h not convex": "strongly convex"},
    group=inequality_claim,
    source="proof of Lemma D.8, third display",
    summary="The gradient is strongly monotone, by Definition D.4 from x to y and from y to x.",
    tightness=attained("equality for h = (mu/2)|.|^2"),
)


if __name__ == "__main__":
    run_script(__file__)
