"""Lemma 5 of the elastic aggregation supplement: strong convexity with the gradient at a perturbed point.

The two premises of the printed proof (A4 from x to z, A2 from x to y) and one square, in three points.  The proof gives
(beta + mu)/2 in place of beta, and that is sharp for every mu <= beta: take h(t) = mu t^2/2 for t < 0 and beta t^2/2 for
t >= 0, with x = 0, z = 1, y = -1.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.derivation.statement import with_coefficients
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Tightness
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import against_the_best, attained
from fltheory.theory.bound import Bound
from fltheory.theory.notation import NormSq
from fltheory.theory.steps import Instance
from verify.elastic2023 import elsewhere, smooth
from verify.elastic2023.derivations import functions
from verify.elastic2023.smooth import PAIRS, KinkedLine, beta, mu, theta, x, y, z

of_lemma_5 = inequality_claim.sharing(source="Lemma 5")

ONE, ZERO = Fraction(1), Fraction(0)
GENERAL = "all beta-smooth mu-strongly convex h, 0 <= mu <= beta, all x, y, z, any dimension"
POINTS = ((0, -1, 1), (0, 1, -1), (1, 0, 2), (1, -1, 2))
#: mu t^2/2 for t < 0 and beta t^2/2 for t >= 0 at x = 0, z = 1, y = -theta/(1 - theta).
_KINK = "; 0 <= mu <= beta; x = 0; z = 1; g_x = 0; h_z = beta*z**2/2; h_y = mu*y**2/2"
_SAYS = r";\quad\text{attained by }h(t)=\tfrac\mu2t^2\ (t<0),\ \tfrac\beta2t^2\ (t\ge0):\ "
_NAMES = {"g_x": r"\nabla h(x)", "h_y": "h(y)", "h_z": "h(z)"}
ATTAINED = Relations(
    f"g_x*(z - y) = h_z - h_y + mu/4*(y - z)**2 - (beta + mu)/2*(z - x)**2 for beta > 0; y = -1{_KINK}", names=_NAMES
)
_COST = "(beta + mu*theta/(1 - theta))/2"
ATTAINED_SHARE = Relations(
    f"g_x*(z - y) = h_z - h_y + theta*mu/2*(y - z)**2 - {_COST}*(z - x)**2 "
    f"for beta > 0; 0 <= theta < 1; y = theta/(theta - 1){_KINK}",
    names=_NAMES,
)
METHOD = "The two premises of the printed proof at the named points, times multipliers, plus squares."


def instances(bound: Bound, *, convex: bool = True, ordered: bool = True) -> Iterator[Instance]:
    """Kinked functions of the class, and a concave one if ``convex`` is dropped."""
    for low, top in [*PAIRS, *([] if ordered else [(Fraction(2), ONE)])]:
        shapes = [KinkedLine(low, top), KinkedLine(top, low), KinkedLine(top, top, ONE)]
        for h in [*shapes, *([] if convex else [KinkedLine(-top, -top)])]:
            for at in POINTS:
                points = dict(zip((x, y, z), map(Fraction, at), strict=True))
                yield smooth.on_the_line(bound, h, points, {mu: low, beta: top})


def check(
    script: Callable[..., Any],
    bound: Bound,
    changes: dict[sp.Expr, sp.Expr | None],
    convex: bool,
    sharp: Tightness | None,
    reached: Relations | None = None,
) -> Evidence:
    """A display with changed coefficients, derived or broken on the line."""
    changed = replace(bound, expression=with_coefficients(bound.expression, changes))
    return by_derivation(
        lambda: script(changed, convex=convex),
        lambda: instances(changed, convex=convex),
        method=METHOD,
        valid_for=GENERAL,
        tightness=sharp,
        beside={"attained": reached.certificate} if reached else None,
    )


def times(factor: str, bound: Bound, *terms: sp.Expr) -> dict[sp.Expr, sp.Expr | None]:
    """The coefficients of terms times a factor."""
    return {term: sp.Rational(factor) * bound.expression.coeff(term) for term in terms}


FAR, MOVE = NormSq(y - z), NormSq(z - x)


@inequality_claim(
    "EL-LEM5.1",
    source="Lemma 5, (12)",
    statement=smooth.LEMMA_5,
    headline="Strong convexity with the gradient taken at another point",
    summary="Strong convexity when the gradient is taken at another point x: a quarter of mu is kept, at the cost of "
    "beta |z - x|^2.",
    proof_steps=("EL-LEM5.2", "EL-LEM5.3", "EL-LEM5.4", "EL-LEM5.5"),
    printed=dict(closeness="1", shift="1", convex=True),
    controls=[
        Control("beta times 0.99 (sharp at mu = beta)", dict(shift="99/100")),
        Control("mu/4 -> 0.26 mu", dict(closeness="26/25")),
        Control("h not convex", dict(convex=False)),
    ],
)
def lemma_5(closeness: str, shift: str, convex: bool) -> Evidence:
    changes = {**times(closeness, smooth.LEMMA_5, FAR), **times(shift, smooth.LEMMA_5, MOVE)}
    best = "(beta + mu)/2 instead of beta (EL-LEM5-S1): ratio 2 beta/(beta + mu), from 1 at mu = beta to 2 as mu -> 0"
    return check(functions.lemma_5, smooth.LEMMA_5, changes, convex, against_the_best(2, best))


@of_lemma_5(
    "EL-LEM5-S1",
    statement=(smooth.LEMMA_5_SHARP, _SAYS, ATTAINED),
    headline="Perturbed strong convexity with at best half of the penalty, and that is sharp",
    summary="(beta + mu)/2 suffices in place of beta: it is half of it for mu = 0, and sharp for every mu <= beta.",
    elsewhere=elsewhere.PERTURBED,
    depends=("EL-LEM5.2", "EL-LEM5.3"),
    printed=dict(factor="1"),
    controls=[Control("(beta + mu)/2 times 0.99", dict(factor="99/100"))],
)
def lemma_5_sharp(factor: str) -> Evidence:
    where = attained("attained for every mu <= beta by mu t^2/2, t < 0, beta t^2/2, t >= 0, x = 0, z = 1, y = -1")
    return check(
        functions.lemma_5, smooth.LEMMA_5_SHARP, times(factor, smooth.LEMMA_5_SHARP, MOVE), True, where, ATTAINED
    )


@of_lemma_5(
    "EL-LEM5-S2",
    statement=(smooth.LEMMA_5_SHARE, _SAYS, ATTAINED_SHARE),
    headline="Perturbed strong convexity with any share of the modulus kept",
    summary="Any share theta < 1 of strong convexity can be kept; the coefficient is sharp for each theta "
    "(theta = 1/2 is Lemma 5).",
    elsewhere=elsewhere.PERTURBED,
    depends=("EL-LEM5.2", "EL-LEM5.3"),
    printed=dict(factor="1"),
    controls=[Control("coefficient of |z - x|^2 times 0.99", dict(factor="99/100"))],
)
def trade_off(factor: str) -> Evidence:
    bound = smooth.LEMMA_5_SHARE
    bound = replace(bound, expression=with_coefficients(bound.expression, times(factor, bound, MOVE)))

    def at_equality() -> Iterator[Instance]:  # y where the square vanishes
        for low, top in PAIRS:
            for share in (ZERO, Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)):
                points, known = {x: ZERO, y: 1 - 1 / (1 - share), z: ONE}, {mu: low, beta: top, theta: share}
                yield smooth.on_the_line(bound, KinkedLine(low, top), points, known)

    return by_derivation(
        lambda: functions.lemma_5(bound),
        at_equality,
        method=METHOD,
        valid_for=GENERAL + ", 0 <= theta < 1",
        beside={"attained": ATTAINED_SHARE.certificate},
        tightness=attained("equality for mu t^2/2, t < 0, beta t^2/2, t >= 0, x = 0, z = 1, y = -theta/(1-theta)"),
    )


step_of_the_proof = inequality_claim.sharing(source="proof of Lemma 5")


@step_of_the_proof(
    "EL-LEM5.2",
    statement=smooth.BY_SMOOTHNESS,
    summary="The first step is smoothness.",
    printed=dict(factor="1"),
    controls=[Control("beta/2 times 0.99", dict(factor="99/100"))],
)
def by_smoothness(factor: str) -> Evidence:
    bound = smooth.BY_SMOOTHNESS
    sharp = attained("equality for quadratics")
    return check(functions.one_premise, bound, times(factor, bound, MOVE), True, sharp)


@step_of_the_proof(
    "EL-LEM5.3",
    statement=smooth.BY_CONVEXITY,
    summary="The second step is strong convexity.",
    printed=dict(factor="1", convex=True),
    controls=[Control("mu/2 times 1.01", dict(factor="101/100")), Control("h not convex", dict(convex=False))],
)
def by_convexity(factor: str, convex: bool) -> Evidence:
    bound, sharp = smooth.BY_CONVEXITY, attained("equality for quadratics")
    return check(functions.one_premise, bound, times(factor, bound, NormSq(y - x)), convex, sharp)


@step_of_the_proof(
    "EL-LEM5.4",
    statement=smooth.BY_TRIANGLE,
    summary="The third step is the relaxed triangle inequality.",
    printed=dict(kept="1", lost="1"),
    controls=[Control("mu/4 -> 0.26 mu", dict(kept="26/25")), Control("last mu/2 times 0.99", dict(lost="99/100"))],
)
def by_triangle(kept: str, lost: str) -> Evidence:
    changes = {**times(kept, smooth.BY_TRIANGLE, FAR), **times(lost, smooth.BY_TRIANGLE, NormSq(x - z))}
    return check(functions.triangle, smooth.BY_TRIANGLE, changes, True, attained("equality for y + z = 2x"))


@step_of_the_proof(
    "EL-LEM5.5",
    headline="The last coefficient of the proof may be replaced by the smoothness constant",
    statement=smooth.BY_ORDER,
    summary="Last step: the coefficient (beta + mu)/2 of the sum is at most beta, as mu <= beta for every such function.",
    printed=dict(factor="1", ordered=True),
    controls=[Control("beta times 0.99", dict(factor="99/100")), Control("mu > beta allowed", dict(ordered=False))],
)
def by_order(factor: str, ordered: bool) -> Evidence:
    """A2 and A4 from x to y add up to ((beta - mu)/2)|y - x|^2 >= 0."""
    bound = smooth.BY_ORDER
    bound = replace(bound, expression=with_coefficients(bound.expression, times(factor, bound, NormSq(y - x))))
    return by_derivation(
        lambda: functions.order_of_constants(bound, convex=ordered),
        lambda: instances(bound, ordered=ordered),
        method=METHOD,
        valid_for="every function of the class on a space of dimension at least 1",
        tightness=attained("equality at mu = beta"),
    )


if __name__ == "__main__":
    run_script(__file__)
