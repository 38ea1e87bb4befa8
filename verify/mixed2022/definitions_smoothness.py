"""Definitions D.1 and D.4 of Augenstein et al. (2022), what follows from them, and which converses hold.

The quadratic bound is the integral of the gradient along the segment; converses go through cocoercivity, which is the
bound at one further point.  All identities are between quadratic forms in commuting scalars (any dimension).
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.kinds import definition_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.mixed2022 import convex
from fltheory.theory.mixed2022.convex import gx, hx, hy, mu
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Step, hypothesis, identity, inequality
from verify.mixed2022 import convex_premises
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.settled import settle

ONE, ZERO, HALF = Fraction(1), Fraction(0), Fraction(1, 2)
POINTS = [(ZERO, ONE), (ONE, Fraction(-2)), (Fraction(-1), Fraction(3))]
#: On the line with beta = 1: smooth ones, and h = -2 t^2, which has the upper bound but a steeper gradient.
SMOOTH = [
    KinkedParabola(ONE, ONE),
    KinkedParabola(-ONE, -ONE),
    KinkedParabola(HALF, ONE, ONE),
    KinkedParabola(-ONE, ONE),
]
STEEP = [KinkedParabola(Fraction(-4), Fraction(-4))]
DOUBLE = [KinkedParabola(Fraction(2), Fraction(2))]

ATTAINED = Tightness(1.0, Rung.PROOF, "h = (beta/2)|x|^2")


def cases(family: list[KinkedParabola]) -> list[tuple[KinkedParabola, Fraction, Fraction]]:
    return [(h, x, y) for h in family for x, y in POINTS]


def excess(h: KinkedParabola, x: Fraction, y: Fraction) -> Fraction:
    """h(y) - h(x) - <grad h(x), y - x>."""
    return h.value(y) - h.value(x) - h.gradient(x) * (y - x)


@inequality_claim(
    "MX-DEFD1",
    source="Definition D.1",
    statement=r"\|\nabla h(x)-\nabla h(y)\|\le\beta\|x-y\|\Rightarrow\langle\nabla "
    r"h(x),y-x\rangle\ge-\left(h(x)-h(y)+\tfrac\beta2\|x-y\|^2\right)",
    summary="A Lipschitz gradient implies the quadratic upper bound, for all points and without convexity; the "
    "constant is sharp.",
    assumptions=("h differentiable on R^d",),
    printed=dict(half="1", lipschitz=True),
    controls=[
        Control("beta/2 times 0.99", dict(half="99/100")),
        Control("gradient Lipschitz with 2 beta only", dict(lipschitz=False)),
    ],
)
def quadratic_bound(half: str, lipschitz: bool) -> Evidence:
    """h(y) - h(x) - <grad h(x), d> is the integral of <grad h(x + t d) - grad h(x), d> over 0 <= t <= 1."""
    k = sp.Rational(half)
    e, dist, t, beta = sp.symbols("e d t beta")
    steps = (
        hypothesis("gradient beta-Lipschitz", lipschitz, "the gradient is Lipschitz with a larger constant"),
        inequality(
            "<e, d> <= beta t |d|^2 for e = grad h(x + t d) - grad h(x)",
            e * dist,
            beta * t * dist**2,
            premises={"|e| <= beta t |d|": (1 / (2 * beta * t), beta**2 * t**2 * dist**2 - e**2)},
            squares=[(beta * t / 2, dist - e / (beta * t))],
            ranges=[(beta, Open(0), None), (t, Open(0), None)],
        ),
        inequality(
            "integral over 0 <= t <= 1",
            sp.integrate(beta * t * dist**2, (t, 0, 1)),
            k * beta / 2 * dist**2,
            squares=[((k - 1) * beta / 2, dist)],
            ranges=[(beta, Open(0), None)],
        ),
    )
    instances = [
        Instance(
            f"h = {h}, beta = 1, x = {x}, y = {y}: h(y) - h(x) - <h'(x), y - x>",
            excess(h, x, y),
            Fraction(half) / 2 * (y - x) ** 2,
        )
        for h, x, y in cases(SMOOTH if lipschitz else DOUBLE)
    ]
    return settle(
        steps,
        instances,
        method="Cauchy-Schwarz along the segment, integrated.",
        valid_for="all differentiable h with this gradient, any dimension",
        tightness=ATTAINED if k == 1 else None,
    )


def converse(constant: str, premise: str) -> Evidence:
    """|grad h(x) - grad h(y)| <= constant beta |x - y| from the quadratic bound, and convexity or the bound on -h."""
    k = sp.Rational(constant)
    e, dist, beta = sp.symbols("e d beta")
    larger = ((k**2 - 1) * beta**2, dist)
    words = dict(ranges=[(beta, Open(0), None)])
    claimed = ("|e|^2 <= beta^2 |d|^2", e**2, k**2 * beta**2 * dist**2)
    shifted = e + beta * dist  # for h + beta|.|^2/2
    proved = {
        "convex": inequality(
            *claimed,
            premises={"cocoercivity of h": (sp.Integer(2), beta * e * dist - e**2)},
            squares=[(sp.Integer(1), beta * dist - e), larger],
            **words,
        ),
        "both signs": inequality(
            *claimed,
            premises={
                "cocoercivity of h + beta|.|^2/2, convex with upper bound 2 beta": (
                    sp.Integer(1),
                    2 * beta * shifted * dist - shifted**2,
                )
            },
            squares=[larger],
            **words,
        ),
    }
    upper_only = premise == "upper bound only"
    steps = (
        hypothesis("convex, or the bound for -h too", not upper_only, "concave functions have the upper bound at once"),
        identity(
            "the bound at one further point gives cocoercivity",
            convex_premises.interpolation_residual(sp.Integer(0)),
            0,
        ),
        proved.get(premise, Step("premise", False, "none")),
    )
    family = [h for h in [*SMOOTH, *(STEEP if upper_only else [])] if premise != "convex" or min(h.left, h.right) >= 0]
    instances = []
    for h, x, y in cases(family):
        if excess(h, x, y) > (y - x) ** 2 / 2:
            raise ValueError(f"the upper bound fails for {h}")
        text = f"h = {h}, beta = 1, x = {x}, y = {y}: squared difference of gradients"
        instances.append(Instance(text, (h.gradient(x) - h.gradient(y)) ** 2, Fraction(constant) ** 2 * (x - y) ** 2))
    return settle(
        steps,
        instances,
        method="Cocoercivity from the quadratic bound, and a square.",
        valid_for=f"h on R^d, {premise}",
        tightness=ATTAINED if k == 1 else None,
    )


of_converse = inequality_claim.sharing(source="Definition D.1, converse")
_LINE = r"\Rightarrow\|\nabla h(x)-\nabla h(y)\|\le\beta\|x-y\|"
with_convexity = of_converse(
    "MX-DEFD1-S1",
    statement=r"h(y)\le h(x)+\langle\nabla h(x),y-x\rangle+\tfrac\beta2\|y-x\|^2,\ h\text{ convex}" + _LINE,
    headline="For convex losses the quadratic upper bound is smoothness; otherwise it is weaker",
    summary="For convex h the quadratic bound is equivalent to beta-smoothness; without convexity it is weaker.",
    printed=dict(constant="1", premise="convex"),
    controls=[
        Control("beta times 0.99", dict(constant="99/100")),
        Control("h not convex", dict(premise="upper bound only")),
    ],
)(converse)
both_signs = of_converse(
    "MX-DEFD1-S2",
    statement=r"\left|h(y)-h(x)-\langle\nabla h(x),y-x\rangle\right|\le\tfrac\beta2\|y-x\|^2" + _LINE,
    headline="Quadratic bounds from both sides are smoothness, without convexity",
    summary="The quadratic bound for h and for -h together is equivalent to beta-smoothness, without convexity.",
    printed=dict(constant="1", premise="both signs"),
    controls=[
        Control("beta times 0.99", dict(constant="99/100")),
        Control("upper bound only", dict(premise="upper bound only")),
    ],
)(converse)


@definition_claim(
    "MX-DEFD4.1",
    source="Definition D.4",
    statement=r"\langle\nabla h(x),y-x\rangle\le-\left(h(x)-h(y)+\tfrac\mu2\|x-y\|^2\right)\iff "
    r"h-\tfrac\mu2\|\cdot\|^2\text{ convex}",
    summary="mu-convexity of the definition is convexity of h - (mu/2)|x|^2, and plain convexity for mu = 0.",
    printed=dict(half="1"),
    controls=[Control("mu/2 -> mu/4", dict(half="1/2"))],
)
def modulus(half: str) -> Evidence:
    """The two inequalities are the same expression; in numbers h = t^2/2 has D.4 with equality for mu = 1."""
    k = sp.Rational(half)
    shifted = convex_premises.convexity(
        convex.y,
        hy - k * mu / 2 * convex.y**2,
        convex.x,
        hx - k * mu / 2 * convex.x**2,
        gx - k * mu * convex.x,
        modulus=sp.Integer(0),
    )
    own = convex_premises.convexity(convex.y, hy, convex.x, hx, gx)
    instances = [
        Instance(
            f"h = t^2/2, mu = 1, x = {x}, y = {y}: excess of the shifted function against 0",
            excess(SMOOTH[0], x, y) - Fraction(half) / 2 * (y - x) ** 2,
            ZERO,
        )
        for x, y in POINTS
    ]
    return settle(
        [identity("D.4 of h is convexity of the shifted function", own, shifted)],
        instances,
        method="Expansion.",
        valid_for="all differentiable h, mu >= 0, any dimension",
    )


@definition_claim(
    "MX-DEFD4.2",
    source="Definitions D.1 and D.4",
    statement=r"\text{D.1 and D.4}\Rightarrow\mu\le\beta",
    summary="A function with both properties has mu at most beta (equality for (beta/2)|x|^2): the minimum in Table 3 "
    "has one arm only.",
    printed=dict(factor="1"),
    controls=[Control("mu <= 0.99 beta", dict(factor="99/100"))],
)
def ordered(factor: str) -> Evidence:
    """Sum of the two inequalities from x to y: (mu/2)|y - x|^2 <= (beta/2)|y - x|^2."""
    k = sp.Rational(factor)
    both = convex_premises.convexity(convex.y, hy, convex.x, hx, gx) + convex_premises.smoothness(
        convex.y, hy, convex.x, hx, gx
    )
    steps = (
        identity("D.1 plus D.4", both, (convex.beta - mu) / 2 * (convex.x - convex.y) ** 2),
        inequality(
            "for x != y",
            mu,
            k * convex.beta,
            premises={"sum over |x - y|^2/2": (sp.Integer(1), convex.beta - mu)},
            ranges=[(convex.beta, Open(0), None), (mu, Open(0), None)],
        ),
    )

    return settle(
        steps,
        [Instance(f"h = {c}/2 t^2: mu = beta = {c}", c, Fraction(factor) * c) for c in (ONE, Fraction(3))],
        method="Sum of both definitions.",
        valid_for="all h with both properties, dimension at least 1",
        tightness=ATTAINED if k == 1 else None,
    )


if __name__ == "__main__":
    run_script(__file__)
