"""Lemma 5 of the elastic aggregation supplement: strong convexity with the gradient at a perturbed point.

The two premises of the printed proof (A4 from x to z, A2 from x to y) and one square, in three points; Gram identity for
any dimension.  The proof gives (beta + mu)/2 in place of beta, and that is sharp for every mu <= beta: take
h(t) = mu t^2/2 for t < 0 and beta t^2/2 for t >= 0, with x = 0, z = 1, y = -1.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.model import Control, Evidence, Kind, Rung, Scope, Tightness, claim
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Proof, Step, identity, inequality, sign
from verify.elastic2023 import smooth
from verify.elastic2023.smooth import CONSTANTS, LEMMA_5, KinkedLine, convexity, g_x, h_x, h_y, h_z, smoothness

ONE, ZERO = Fraction(1), Fraction(0)
GENERAL = "all beta-smooth mu-strongly convex h, 0 <= mu <= beta, all x, y, z, any dimension"
POINTS = tuple(
    (Fraction(a), Fraction(b), Fraction(c))
    for a, b, c in ((0, -1, 1), (0, 1, -1), (1, 0, 2), (0, 1, 1), (-1, 2, 0), (1, -1, 2))
)
PAIRS = ((ZERO, ONE), (Fraction(1, 2), ONE), (ONE, ONE))
X, Y, Z = smooth.x, smooth.y, smooth.z


def functions(mu: Fraction, beta: Fraction, convex: bool) -> list[KinkedLine]:
    """Kinked functions of the class, and a concave one if ``convex`` is dropped."""
    found = [KinkedLine(mu, beta), KinkedLine(beta, mu), KinkedLine(beta, beta, ONE)]
    return found if convex else [*found, KinkedLine(-beta, -beta)]


def perturbed(closeness: sp.Expr, shift: sp.Expr, convex: bool, tightness: Tightness) -> Evidence:
    """``<g_x, z-y> >= h(z) - h(y) + closeness |y-z|^2 - shift |z-x|^2``.

    The square: with a = y - z and b = z - x, (mu/2)|a+b|^2 - c|a|^2 + k|b|^2 is nonnegative for
    k = mu^2/(4(mu/2 - c)) - mu/2; c = mu/4 gives k = mu/2, and (mu/4)|a + 2b|^2.
    """
    left = h_z - h_y + closeness * (Y - Z) ** 2 - shift * (Z - X) ** 2
    steps = (
        Step("h convex (A2 with mu >= 0)", convex, "no lower bound from x to y"),
        inequality(
            "both premises and squares",
            left,
            g_x * (Z - Y),
            premises={
                "A4 from x to z": (sp.Integer(1), smoothness(Z, h_z, X, h_x, g_x)),
                "A2 from x to y": (sp.Integer(1), convexity(Y, h_y, X, h_x, g_x)),
            },
            squares=[
                (smooth.mu / 4, Y + Z - 2 * X),
                (sp.cancel(shift - (smooth.beta + smooth.mu) / 2), Z - X),
                (sp.cancel(smooth.mu / 4 - closeness), Y - Z),
            ],
            ranges=CONSTANTS,
        ),
    )

    def instances() -> list[Instance]:
        found = []
        for mu, beta in PAIRS:
            c, k = (
                Fraction(str(e.subs({smooth.mu: sp.Rational(str(mu)), smooth.beta: sp.Rational(str(beta))})))
                for e in (closeness, shift)
            )
            for h in functions(mu, beta, convex):
                for x, y, z in POINTS:
                    lower = h.value(z) - h.value(y) + c * (y - z) ** 2 - k * (z - x) ** 2
                    found.append(
                        Instance(
                            f"mu = {mu}, beta = {beta}, {h.text}, x = {x}, y = {y}, z = {z}",
                            lower,
                            h.gradient(x) * (z - y),
                        )
                    )
        return found

    return decide(
        Proof(steps),
        instances,
        method="The two premises of the printed proof plus (mu/4)|y + z - 2x|^2; Gram identity in commuting scalars.",
        valid_for=GENERAL,
        tightness=tightness,
    )


@claim(
    "EL-LEM5.1",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    source="Lemma 5, (12)",
    statement=LEMMA_5.latex(),
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
        sp.Rational(closeness) * smooth.mu,
        sp.Rational(shift) * smooth.beta,
        convex,
        Tightness(
            2.0,
            Rung.PROOF,
            "(beta + mu)/2 instead of beta (EL-LEM5-S1): ratio 2 beta/(beta + mu), from 1 at mu = beta to 2 as mu -> 0",
        ),
    )


@claim(
    "EL-LEM5-S1",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    source="Lemma 5",
    statement=smooth.LEMMA_5_SHARP.latex(),
    summary="(beta + mu)/2 suffices in place of beta: it is half of it for mu = 0, and sharp for every mu <= beta.",
    printed=dict(factor="1"),
    controls=[Control("(beta + mu)/2 times 0.99", dict(factor="99/100"))],
)
def lemma_5_sharp(factor: str) -> Evidence:
    return perturbed(
        smooth.mu / 4,
        sp.Rational(factor) * (smooth.beta + smooth.mu) / 2,
        True,
        Tightness(
            1.0,
            Rung.PROOF,
            "attained for every mu <= beta by mu t^2/2, t < 0, beta t^2/2, t >= 0, x = 0, z = 1, y = -1",
        ),
    )


@claim(
    "EL-LEM5-S2",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    source="Lemma 5",
    statement=r"\langle\nabla h(x),z-y\rangle\ge h(z)-h(y)+\theta\tfrac\mu2\|y-z\|^2-\left(\tfrac\beta2+\tfrac\mu2"
    r"\tfrac{\theta}{1-\theta}\right)\|z-x\|^2\quad(0\le\theta<1)",
    summary="Any share theta < 1 of strong convexity can be kept; the coefficient is sharp for each theta "
    "(theta = 1/2 is Lemma 5).",
    printed=dict(factor="1"),
    controls=[Control("coefficient of |z - x|^2 times 0.99", dict(factor="99/100"))],
)
def trade_off(factor: str) -> Evidence:
    theta, k = sp.Symbol("theta"), sp.Rational(factor)
    shift = smooth.beta / 2 + smooth.mu / 2 * theta / (1 - theta)
    left = h_z - h_y + theta * smooth.mu / 2 * (Y - Z) ** 2 - k * shift * (Z - X) ** 2
    steps = (
        inequality(
            "both premises and squares",
            left,
            g_x * (Z - Y),
            premises={
                "A4 from x to z": (sp.Integer(1), smoothness(Z, h_z, X, h_x, g_x)),
                "A2 from x to y": (sp.Integer(1), convexity(Y, h_y, X, h_x, g_x)),
            },
            squares=[(smooth.mu / (2 * (1 - theta)), (1 - theta) * (Y - Z) + (Z - X)), ((k - 1) * shift, Z - X)],
            ranges=(*CONSTANTS, (theta, 0, Open(1))),
        ),
    )

    def instances() -> list[Instance]:
        found = []
        for mu, beta in PAIRS:
            for share in (ZERO, Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)):
                h, x, z = KinkedLine(mu, beta), ZERO, ONE
                y = z - 1 / (1 - share)  # where the square vanishes
                cost = Fraction(factor) * (beta / 2 + mu / 2 * share / (1 - share))
                lower = h.value(z) - h.value(y) + share * mu / 2 * (y - z) ** 2 - cost
                found.append(
                    Instance(
                        f"mu = {mu}, beta = {beta}, theta = {share}, {h.text}, x = 0, y = {y}, z = 1",
                        lower,
                        h.gradient(x) * (z - y),
                    )
                )
        return found

    return decide(
        Proof(steps),
        instances,
        method="As Lemma 5 with the square (mu/(2(1-theta)))|(1-theta)(y-z) + (z-x)|^2.",
        valid_for=GENERAL + ", 0 <= theta < 1",
        tightness=Tightness(
            1.0, Rung.PROOF, "equality for mu t^2/2, t < 0, beta t^2/2, t >= 0, x = 0, z = 1, y = -theta/(1-theta)"
        ),
    )


def one_premise(factor: str, convex: bool, which: str) -> Evidence:
    """A4 from x to z, or A2 from x to y, in the form in which the proof uses it."""
    k = sp.Rational(factor)
    if which == "smooth":
        lower, right = h_z - h_x - k * smooth.beta / 2 * (Z - X) ** 2, g_x * (Z - X)
        premise, rest = smoothness(Z, h_z, X, h_x, g_x), ((k - 1) * smooth.beta / 2, Z - X)
    else:
        lower, right = h_x - h_y + k * smooth.mu / 2 * (Y - X) ** 2, g_x * (X - Y)
        premise, rest = convexity(Y, h_y, X, h_x, g_x), ((1 - k) * smooth.mu / 2, Y - X)
    steps = (
        Step("h convex where it is used", convex or which == "smooth", "A2 fails"),
        inequality(
            "the definition",
            lower,
            right,
            premises={which: (sp.Integer(1), premise)},
            squares=[rest],
            ranges=CONSTANTS,
        ),
    )

    def instances() -> list[Instance]:
        found = []
        for mu, beta in PAIRS:
            for h in functions(mu, beta, convex):
                for x, y, z in POINTS:
                    if which == "smooth":
                        low = h.value(z) - h.value(x) - Fraction(factor) * beta / 2 * (z - x) ** 2
                        high = h.gradient(x) * (z - x)
                    else:
                        low = h.value(x) - h.value(y) + Fraction(factor) * mu / 2 * (y - x) ** 2
                        high = h.gradient(x) * (x - y)
                    found.append(Instance(f"mu = {mu}, beta = {beta}, {h.text}, x = {x}, y = {y}, z = {z}", low, high))
        return found

    return decide(
        Proof(steps),
        instances,
        method="Rearranged definition.",
        valid_for=GENERAL,
        tightness=Tightness(1.0, Rung.PROOF, "equality for quadratics"),
    )


_STEP = dict(kind=Kind.INEQUALITY, scope=Scope.GENERAL, source="proof of Lemma 5")


by_smoothness = claim(
    "EL-LEM5.2",
    **_STEP,
    statement=r"\langle\nabla h(x),z-x\rangle\ge h(z)-h(x)-\tfrac\beta2\|z-x\|^2",
    summary="The first step is smoothness.",
    printed=dict(factor="1", convex=True, which="smooth"),
    controls=[Control("beta/2 times 0.99", dict(factor="99/100"))],
)(one_premise)


by_convexity = claim(
    "EL-LEM5.3",
    **_STEP,
    statement=r"\langle\nabla h(x),x-y\rangle\ge h(x)-h(y)+\tfrac\mu2\|y-x\|^2",
    summary="The second step is strong convexity.",
    printed=dict(factor="1", convex=True, which="convex"),
    controls=[Control("mu/2 times 1.01", dict(factor="101/100")), Control("h not convex", dict(convex=False))],
)(one_premise)


@claim(
    "EL-LEM5.4",
    **_STEP,
    statement=r"\tfrac\mu2\|y-x\|^2\ge\tfrac\mu4\|y-z\|^2-\tfrac\mu2\|x-z\|^2",
    summary="The third step is the relaxed triangle inequality.",
    printed=dict(kept="1/4", lost="1/2"),
    controls=[Control("mu/4 -> 0.26 mu", dict(kept="26/100")), Control("last mu/2 times 0.99", dict(lost="99/200"))],
)
def by_triangle(kept: str, lost: str) -> Evidence:
    c, k = sp.Rational(kept), sp.Rational(lost)
    steps = (
        inequality(
            "one square",
            c * smooth.mu * (Y - Z) ** 2 - k * smooth.mu * (X - Z) ** 2,
            smooth.mu / 2 * (Y - X) ** 2,
            premises={},
            squares=[
                (smooth.mu / 4, Y + Z - 2 * X),
                ((sp.Rational(1, 4) - c) * smooth.mu, Y - Z),
                ((k - sp.Rational(1, 2)) * smooth.mu, X - Z),
            ],
            ranges=CONSTANTS,
        ),
    )

    def instances() -> list[Instance]:
        return [
            Instance(
                f"mu = 1, x = {x}, y = {y}, z = {z}",
                Fraction(kept) * (y - z) ** 2 - Fraction(lost) * (x - z) ** 2,
                (y - x) ** 2 / 2,
            )
            for x, y, z in POINTS
        ]

    return decide(
        Proof(steps),
        instances,
        method="The difference is (mu/4)|y + z - 2x|^2; Gram identity.",
        valid_for="all points, mu >= 0",
        tightness=Tightness(1.0, Rung.PROOF, "equality for y + z = 2x"),
    )


@claim(
    "EL-LEM5.5",
    **_STEP,
    statement=r"\tfrac{\beta+\mu}2\le\beta\quad(\mu\le\beta)",
    summary="Last step: the coefficient (beta + mu)/2 of the sum is at most beta.",
    printed=dict(factor="1", ordered=True),
    controls=[Control("beta times 0.99", dict(factor="99/100")), Control("mu > beta allowed", dict(ordered=False))],
)
def by_order(factor: str, ordered: bool) -> Evidence:
    """mu <= beta for every function of the class: A2 and A4 from x to y give (mu/2)|y-x|^2 <= (beta/2)|y-x|^2."""
    k = sp.Rational(factor)
    both = smoothness(Y, h_y, X, h_x, g_x) + convexity(Y, h_y, X, h_x, g_x)
    ranges = CONSTANTS if ordered else ((smooth.mu, Open(0), None), (smooth.beta, Open(0), None))
    steps = (
        identity("A4 + A2 from x to y is ((beta - mu)/2)|y-x|^2", both, (smooth.beta - smooth.mu) / 2 * (Y - X) ** 2),
        sign("k beta - (beta + mu)/2", k * smooth.beta - (smooth.beta + smooth.mu) / 2, ranges),
    )

    def instances() -> list[Instance]:
        pairs = [*PAIRS, *([] if ordered else [(Fraction(2), ONE)])]
        return [Instance(f"mu = {mu}, beta = {beta}", (beta + mu) / 2, Fraction(factor) * beta) for mu, beta in pairs]

    return decide(
        Proof(steps),
        instances,
        method="Sign on 0 <= mu <= beta.",
        valid_for="0 <= mu <= beta",
        tightness=Tightness(1.0, Rung.PROOF, "equality at mu = beta"),
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
