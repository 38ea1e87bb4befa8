"""Lemma 5 of the elastic aggregation supplement: strong convexity with the gradient at a perturbed point.

The two premises of the printed proof (A4 from x to z, A2 from x to y) and one square, in three points; Gram identity for
any dimension.  The proof gives (beta + mu)/2 in place of beta, and that is sharp for every mu <= beta: take
h(t) = mu t^2/2 for t < 0 and beta t^2/2 for t >= 0, with x = 0, z = 1, y = -1.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Tightness
from fltheory.evidence.tight import against_the_best, attained
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Proof, hypothesis, identity, inequality, sign
from verify.elastic2023 import elsewhere, smooth
from verify.elastic2023.smooth import (
    CONSTANTS,
    PAIRS,
    KinkedLine,
    at_pair,
    beta,
    convexity,
    g_x,
    h_x,
    h_y,
    h_z,
    mu,
    smoothness,
)

of_lemma_5 = inequality_claim.sharing(source="Lemma 5")

ONE, ZERO = Fraction(1), Fraction(0)
GENERAL = "all beta-smooth mu-strongly convex h, 0 <= mu <= beta, all x, y, z, any dimension"
POINTS = tuple(
    (Fraction(a), Fraction(b), Fraction(c))
    for a, b, c in ((0, -1, 1), (0, 1, -1), (1, 0, 2), (0, 1, 1), (-1, 2, 0), (1, -1, 2))
)
X, Y, Z = smooth.x, smooth.y, smooth.z


#: The premises of the printed proof.
PREMISES = {
    "A4 from x to z": (1, smoothness(Z, h_z, X, h_x, g_x)),
    "A2 from x to y": (1, convexity(Y, h_y, X, h_x, g_x)),
}


def cases(convex: bool) -> Iterator[tuple[str, tuple[Fraction, ...], KinkedLine, tuple[Fraction, ...]]]:
    """Kinked functions of the class, and a concave one if ``convex`` is dropped: text, (mu, beta), function, (x, y, z)."""
    for low, top in PAIRS:
        concave = [] if convex else [KinkedLine(-top, -top)]
        for h in (KinkedLine(low, top), KinkedLine(top, low), KinkedLine(top, top, ONE), *concave):
            for x, y, z in POINTS:
                yield f"mu = {low}, beta = {top}, {h.text}, x = {x}, y = {y}, z = {z}", (low, top), h, (x, y, z)


def perturbed(closeness: sp.Expr, shift: sp.Expr, convex: bool, tightness: Tightness | None) -> Evidence:
    """``<g_x, z-y> >= h(z) - h(y) + closeness |y-z|^2 - shift |z-x|^2``.

    The square: with a = y - z and b = z - x, (mu/2)|a+b|^2 - c|a|^2 + k|b|^2 is nonnegative for
    k = mu^2/(4(mu/2 - c)) - mu/2; c = mu/4 gives k = mu/2, and (mu/4)|a + 2b|^2.
    """
    left = h_z - h_y + closeness * (Y - Z) ** 2 - shift * (Z - X) ** 2
    steps = (
        hypothesis("h convex (A2 with mu >= 0)", convex, "no lower bound from x to y"),
        inequality(
            "both premises and squares",
            left,
            g_x * (Z - Y),
            premises=PREMISES,
            squares=[
                (mu / 4, Y + Z - 2 * X),
                (sp.cancel(shift - (beta + mu) / 2), Z - X),
                (sp.cancel(mu / 4 - closeness), Y - Z),
            ],
            ranges=CONSTANTS,
        ),
    )

    def instances() -> Iterator[Instance]:
        constants = {pair: (at_pair(closeness, pair), at_pair(shift, pair)) for pair in PAIRS}
        for text, pair, h, (x, y, z) in cases(convex):
            c, k = constants[pair]
            lower = h.value(z) - h.value(y) + c * (y - z) ** 2 - k * (z - x) ** 2
            yield Instance(text, lower, h.gradient(x) * (z - y))

    return decide(
        Proof(steps),
        instances,
        method="The two premises of the printed proof plus (mu/4)|y + z - 2x|^2; Gram identity in commuting scalars.",
        valid_for=GENERAL,
        tightness=tightness,
    )


@inequality_claim(
    "EL-LEM5.1",
    source="Lemma 5, (12)",
    statement=smooth.LEMMA_5,
    headline="Strong convexity with the gradient taken at another point",
    summary="Strong convexity when the gradient is taken at another point x: a quarter of mu is kept, at the cost of "
    "beta |z - x|^2.",
    proof_steps=("EL-LEM5.2", "EL-LEM5.3", "EL-LEM5.4", "EL-LEM5.5"),
    printed=dict(closeness="1/4", shift="1", convex=True),
    controls=[
        Control("beta times 0.99 (sharp at mu = beta)", dict(shift="99/100")),
        Control("mu/4 -> 0.26 mu", dict(closeness="26/100")),
        Control("h not convex", dict(convex=False)),
    ],
)
def lemma_5(closeness: str, shift: str, convex: bool) -> Evidence:
    return perturbed(
        sp.Rational(closeness) * mu,
        sp.Rational(shift) * beta,
        convex,
        against_the_best(
            2,
            "(beta + mu)/2 instead of beta (EL-LEM5-S1): ratio 2 beta/(beta + mu), from 1 at mu = beta to 2 as mu -> 0",
        ),
    )


@of_lemma_5(
    "EL-LEM5-S1",
    statement=smooth.LEMMA_5_SHARP,
    headline="Perturbed strong convexity with at best half of the penalty, and that is sharp",
    summary="(beta + mu)/2 suffices in place of beta: it is half of it for mu = 0, and sharp for every mu <= beta.",
    elsewhere=elsewhere.PERTURBED,
    depends=("EL-LEM5.2", "EL-LEM5.3"),
    printed=dict(factor="1"),
    controls=[Control("(beta + mu)/2 times 0.99", dict(factor="99/100"))],
)
def lemma_5_sharp(factor: str) -> Evidence:
    return perturbed(
        mu / 4,
        sp.Rational(factor) * (beta + mu) / 2,
        True,
        attained("attained for every mu <= beta by mu t^2/2, t < 0, beta t^2/2, t >= 0, x = 0, z = 1, y = -1"),
    )


@of_lemma_5(
    "EL-LEM5-S2",
    statement=r"\langle\nabla h(x),z-y\rangle\ge h(z)-h(y)+\theta\tfrac\mu2\|y-z\|^2-\left(\tfrac\beta2+\tfrac\mu2"
    r"\tfrac{\theta}{1-\theta}\right)\|z-x\|^2\quad(0\le\theta<1)",
    headline="Perturbed strong convexity with any share of the modulus kept",
    summary="Any share theta < 1 of strong convexity can be kept; the coefficient is sharp for each theta "
    "(theta = 1/2 is Lemma 5).",
    elsewhere=elsewhere.PERTURBED,
    depends=("EL-LEM5.2", "EL-LEM5.3"),
    printed=dict(factor="1"),
    controls=[Control("coefficient of |z - x|^2 times 0.99", dict(factor="99/100"))],
)
def trade_off(factor: str) -> Evidence:
    theta, k = sp.Symbol("theta"), sp.Rational(factor)
    shift = beta / 2 + mu / 2 * theta / (1 - theta)
    left = h_z - h_y + theta * mu / 2 * (Y - Z) ** 2 - k * shift * (Z - X) ** 2
    step = inequality(
        "both premises and squares",
        left,
        g_x * (Z - Y),
        premises=PREMISES,
        squares=[(mu / (2 * (1 - theta)), (1 - theta) * (Y - Z) + (Z - X)), ((k - 1) * shift, Z - X)],
        ranges=(*CONSTANTS, (theta, 0, Open(1))),
    )

    def instances() -> Iterator[Instance]:
        for low, top in PAIRS:
            for share in (ZERO, Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)):
                h, x, z = KinkedLine(low, top), ZERO, ONE
                y = z - 1 / (1 - share)  # where the square vanishes
                cost = Fraction(factor) * (top / 2 + low / 2 * share / (1 - share))
                lower = h.value(z) - h.value(y) + share * low / 2 * (y - z) ** 2 - cost
                text = f"mu = {low}, beta = {top}, theta = {share}, {h.text}, x = 0, y = {y}, z = 1"
                yield Instance(text, lower, h.gradient(x) * (z - y))

    return decide(
        Proof((step,)),
        instances,
        method="As Lemma 5 with the square (mu/(2(1-theta)))|(1-theta)(y-z) + (z-x)|^2.",
        valid_for=GENERAL + ", 0 <= theta < 1",
        tightness=attained("equality for mu t^2/2, t < 0, beta t^2/2, t >= 0, x = 0, z = 1, y = -theta/(1-theta)"),
    )


def one_premise(factor: str, convex: bool, which: str) -> Evidence:
    """A4 from x to z, or A2 from x to y, in the form in which the proof uses it."""
    k = sp.Rational(factor)
    if which == "smooth":
        lower, right = h_z - h_x - k * beta / 2 * (Z - X) ** 2, g_x * (Z - X)
        premise, rest = PREMISES["A4 from x to z"], ((k - 1) * beta / 2, Z - X)
    else:
        lower, right = h_x - h_y + k * mu / 2 * (Y - X) ** 2, g_x * (X - Y)
        premise, rest = PREMISES["A2 from x to y"], ((1 - k) * mu / 2, Y - X)
    steps = (
        hypothesis("h convex where it is used", convex or which == "smooth", "A2 fails"),
        inequality("the definition", lower, right, premises={which: premise}, squares=[rest], ranges=CONSTANTS),
    )

    def instances() -> Iterator[Instance]:
        for text, (low, top), h, (x, y, z) in cases(convex):
            if which == "smooth":
                lower = h.value(z) - h.value(x) - Fraction(factor) * top / 2 * (z - x) ** 2
                yield Instance(text, lower, h.gradient(x) * (z - x))
            else:
                lower = h.value(x) - h.value(y) + Fraction(factor) * low / 2 * (y - x) ** 2
                yield Instance(text, lower, h.gradient(x) * (x - y))

    return decide(
        Proof(steps),
        instances,
        method="Rearranged definition.",
        valid_for=GENERAL,
        tightness=attained("equality for quadratics"),
    )


step_of_the_proof = inequality_claim.sharing(source="proof of Lemma 5")


by_smoothness = step_of_the_proof(
    "EL-LEM5.2",
    statement=r"\langle\nabla h(x),z-x\rangle\ge h(z)-h(x)-\tfrac\beta2\|z-x\|^2",
    summary="The first step is smoothness.",
    printed=dict(factor="1", convex=True, which="smooth"),
    controls=[Control("beta/2 times 0.99", dict(factor="99/100"))],
)(one_premise)

by_convexity = step_of_the_proof(
    "EL-LEM5.3",
    statement=r"\langle\nabla h(x),x-y\rangle\ge h(x)-h(y)+\tfrac\mu2\|y-x\|^2",
    summary="The second step is strong convexity.",
    printed=dict(factor="1", convex=True, which="convex"),
    controls=[Control("mu/2 times 1.01", dict(factor="101/100")), Control("h not convex", dict(convex=False))],
)(one_premise)


@step_of_the_proof(
    "EL-LEM5.4",
    statement=r"\tfrac\mu2\|y-x\|^2\ge\tfrac\mu4\|y-z\|^2-\tfrac\mu2\|x-z\|^2",
    summary="The third step is the relaxed triangle inequality.",
    printed=dict(kept="1/4", lost="1/2"),
    controls=[Control("mu/4 -> 0.26 mu", dict(kept="26/100")), Control("last mu/2 times 0.99", dict(lost="99/200"))],
)
def by_triangle(kept: str, lost: str) -> Evidence:
    c, k = sp.Rational(kept), sp.Rational(lost)
    step = inequality(
        "one square",
        c * mu * (Y - Z) ** 2 - k * mu * (X - Z) ** 2,
        mu / 2 * (Y - X) ** 2,
        squares=[(mu / 4, Y + Z - 2 * X), ((sp.Rational(1, 4) - c) * mu, Y - Z), ((k - sp.Rational(1, 2)) * mu, X - Z)],
        ranges=CONSTANTS,
    )

    def instances() -> Iterator[Instance]:
        for x, y, z in POINTS:
            text = f"mu = 1, x = {x}, y = {y}, z = {z}"
            yield Instance(text, Fraction(kept) * (y - z) ** 2 - Fraction(lost) * (x - z) ** 2, (y - x) ** 2 / 2)

    return decide(
        Proof((step,)),
        instances,
        method="The difference is (mu/4)|y + z - 2x|^2; Gram identity.",
        valid_for="all points, mu >= 0",
        tightness=attained("equality for y + z = 2x"),
    )


@step_of_the_proof(
    "EL-LEM5.5",
    statement=r"\tfrac{\beta+\mu}2\le\beta\quad(\mu\le\beta)",
    summary="Last step: the coefficient (beta + mu)/2 of the sum is at most beta.",
    printed=dict(factor="1", ordered=True),
    controls=[Control("beta times 0.99", dict(factor="99/100")), Control("mu > beta allowed", dict(ordered=False))],
)
def by_order(factor: str, ordered: bool) -> Evidence:
    """mu <= beta for every function of the class: A2 and A4 from x to y give (mu/2)|y-x|^2 <= (beta/2)|y-x|^2."""
    k = sp.Rational(factor)
    both = smoothness(Y, h_y, X, h_x, g_x) + convexity(Y, h_y, X, h_x, g_x)
    ranges = CONSTANTS if ordered else ((mu, Open(0), None), (beta, Open(0), None))
    steps = (
        identity("A4 + A2 from x to y is ((beta - mu)/2)|y-x|^2", both, (beta - mu) / 2 * (Y - X) ** 2),
        sign("k beta - (beta + mu)/2", k * beta - (beta + mu) / 2, ranges),
    )

    def instances() -> Iterator[Instance]:
        pairs = [*PAIRS, *([] if ordered else [(Fraction(2), ONE)])]
        for low, top in pairs:
            yield Instance(f"mu = {low}, beta = {top}", (top + low) / 2, Fraction(factor) * top)

    return decide(
        Proof(steps),
        instances,
        method="Sign on 0 <= mu <= beta.",
        valid_for="0 <= mu <= beta",
        tightness=attained("equality at mu = beta"),
    )


if __name__ == "__main__":
    run_script(__file__)
