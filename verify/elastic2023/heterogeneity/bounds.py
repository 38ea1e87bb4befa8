"""Section 9.2 of the elastic aggregation supplement: the dissimilarity bound A1 relaxed, and derived from the optimum.

Averages over the clients by mean and deviation (any N), Gram identity (any dimension).  The step from A1 to function values
needs smoothness of f alone, no convexity.  The bound from the optimum is sharp in the limit of two opposed clients in the
plane whose common direction is almost orthogonal to the one in which their gradients differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import algebra_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.tight import attained
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Proof, hypothesis, identity, inequality
from fltheory.theory.values import exact_value
from verify.elastic2023 import dissimilarity
from verify.elastic2023.dissimilarity import B, D, beta, g, g_star, mean_squared_gradient, mean_value, scalar, theta
from verify.elastic2023.smooth import interpolation_step

of_section_9_2 = inequality_claim.sharing(source="Section 9.2")

ONE, ZERO = Fraction(1), Fraction(0)
ORIGIN = (ZERO, ZERO)
POINTS = ((ZERO, ZERO), (ONE, ZERO), (Fraction(-2), ZERO))


def words(clients: Sequence[dissimilarity.PlaneQuadratic], u: dissimilarity.Vector) -> str:
    """Clients and point of an instance."""
    return f"N = {len(clients)}, f_i: {'; '.join(c.text for c in clients)}; x = ({u[0]}, {u[1]}), x* = 0"


def relaxed(coefficient: str, convex: str, smooth: bool) -> Evidence:
    """A <= G^2 + coefficient beta B^2 (f(x) - f*); ``convex``: "each", "mean" or "none", which instances are admitted."""
    k = sp.Rational(coefficient)
    right = dissimilarity.G**2 + k * beta * B**2 * D
    steps = (
        hypothesis("f is beta-smooth", smooth, "no upper bound at x - grad f(x)/beta"),
        *dissimilarity.gradient_steps(),
        inequality(
            "A1, then the gradient bound",
            dissimilarity.A,
            right,
            premises={
                "A1": (1, dissimilarity.G**2 + B**2 * dissimilarity.squared_gradient - dissimilarity.A),
                "|grad f|^2 <= 2 beta D": (B**2, 2 * beta * D - dissimilarity.squared_gradient),
            },
            ranges=[(dissimilarity.G, 0, None), (B, 1, None), (beta, Open(0), None), (D, 0, None)],
        ),
    )

    def instances() -> Iterator[Instance]:
        # clients, G^2, B^2 for which A1 holds (checked below), beta = smoothness of f
        cases = [([scalar(ZERO, ONE)] * 2, ZERO, ONE), ([scalar(ONE, ONE), scalar(-ONE, ONE)], ONE, ONE)]
        cases += [] if convex == "each" else [([scalar(ZERO, -ONE), scalar(ZERO, Fraction(3))], ZERO, Fraction(5))]
        cases += [] if smooth else [([scalar(ZERO, Fraction(2))] * 2, ZERO, ONE)]
        for clients, g2, b2 in cases:
            for u in POINTS:
                mean = mean_squared_gradient(clients, u)
                if mean > g2 + b2 * dissimilarity.squared_mean_gradient(clients, u):
                    raise ValueError(f"A1 fails for {words(clients, u)}")
                text = f"{words(clients, u)}, G^2 = {g2}, B^2 = {b2}, beta = 1"
                yield Instance(text, mean, g2 + Fraction(coefficient) * b2 * mean_value(clients, u))

    return decide(
        Proof(steps),
        instances,
        method="A1 plus B^2 times |grad f(x)|^2 <= 2 beta (f(x) - f*), which is the upper bound of A4 at x - grad f(x)/beta; "
        "convexity is not used.",
        valid_for="all N, G >= 0, B >= 1, f beta-smooth and bounded below by f*",
        tightness=attained("equality for f_i = (beta/2)|x|^2, G = 0, B = 1"),
    )


_CONTROLS = [
    Control("2 beta B^2 times 0.99", dict(coefficient="99/50")),
    Control("f smooth with 2 beta only", dict(smooth=False)),
]

of_the_relaxed_form = of_section_9_2.sharing(statement=dissimilarity.RELAXED, controls=_CONTROLS)

relaxed_each = of_the_relaxed_form(
    "EL-HET1[every f_i convex]",
    assumptions=("A1", "A4", "every f_i convex"),
    summary="A1 in terms of function values: A1 implies the relaxed form, for convex clients.",
    printed=dict(coefficient="2", convex="each", smooth=True),
)(relaxed)

relaxed_mean = of_the_relaxed_form(
    "EL-HET1[f convex]",
    assumptions=("A1", "A4", "f convex"),
    summary="The same with convexity of the mean f alone.",
    printed=dict(coefficient="2", convex="mean", smooth=True),
)(relaxed)

relaxed_none = of_the_relaxed_form(
    "EL-HET1-S1",
    assumptions=("A1", "f beta-smooth", "f bounded below by f*"),
    headline="The bound on mean squared gradients needs no convexity",
    summary="Convexity is not needed, neither of the clients nor of their mean.",
    printed=dict(coefficient="2", convex="none", smooth=True),
)(relaxed)


def from_the_optimum(first: sp.Expr, second: sp.Expr, convex: bool, weights: tuple[Fraction, ...]) -> Evidence:
    """``A <= first A_star + second beta (f(x) - f*)``."""
    steps = (
        hypothesis("every f_i convex", convex, "no interpolation inequality"),
        interpolation_step(sp.Integer(0)),
        *dissimilarity.optimum_steps(first, second),
        identity(
            "opposed clients in the limit: (1 + theta)^2 on the left, 1 at the optimum, f - f* = theta^2/2",
            (1 + theta) ** 2,
            (1 + theta) + 2 * (1 + 1 / theta) * theta**2 / 2,
        ),
    )

    def instances() -> Iterator[Instance]:
        cases = [(dissimilarity.opposed_pair(Fraction(1, 100), weight), weight) for weight in weights]
        cases += [] if convex else [(([scalar(ZERO, ONE), scalar(ZERO, -ONE)], (ONE, ZERO)), weights[0])]
        for (clients, u), weight in cases:
            a, b = (exact_value(e, {theta: weight}) for e in (first, second))
            gap = mean_value(clients, u) - mean_value(clients, ORIGIN)
            right = a * mean_squared_gradient(clients, ORIGIN) + b * gap
            note = "" if len(weights) == 1 else f", theta = {weight}"
            yield Instance(f"{words(clients, u)}, beta = 1{note}", mean_squared_gradient(clients, u), right)

    return decide(
        Proof(steps),
        instances,
        method="Interpolation of each client from x* to x, averaged (the gradients at x* average to 0), and a square.",
        valid_for="all N, all convex beta-smooth clients, any dimension",
        tightness=attained("limit of two opposed clients in the plane, in both constants"),
    )


@of_section_9_2(
    "EL-HET2.1",
    statement=dissimilarity.AT_OPTIMUM,
    summary="Convex smooth clients: the relaxed form holds with B^2 = 2 and G^2 twice the mean squared gradient at x*.",
    assumptions=("A4", "every f_i convex", "x* minimises f"),
    proof_steps=("EL-HET2.2", "EL-HET2.3"),
    printed=dict(first="2", second="4", convex=True),
    controls=[
        Control("first constant 2 -> 1.98", dict(first="99/50")),
        Control("4 -> 3.96", dict(second="99/25")),
        Control("clients not convex", dict(convex=False)),
    ],
)
def at_the_optimum(first: str, second: str, convex: bool) -> Evidence:
    return from_the_optimum(sp.Rational(first), sp.Rational(second), convex, (ONE,))


@of_section_9_2(
    "EL-HET2-S1",
    statement=dissimilarity.AT_OPTIMUM_WEIGHTED,
    headline="Mean squared gradients: the two constants traded against each other",
    summary="The two constants traded against each other; each pair is sharp (theta = 1 is the printed one, theta to 0 gives "
    "a G^2 that is half as large).",
    assumptions=("A4", "every f_i convex", "x* minimises f"),
    printed=dict(first="1", second="1"),
    controls=[
        Control("1 + theta times 0.99", dict(first="99/100")),
        Control("1 + 1/theta times 0.99", dict(second="99/100")),
    ],
)
def at_the_optimum_weighted(first: str, second: str) -> Evidence:
    return from_the_optimum(
        sp.Rational(first) * (1 + theta), sp.Rational(second) * 2 * (1 + 1 / theta), True, (Fraction(1, 2), Fraction(3))
    )


@algebra_claim(
    "EL-HET2.2",
    source="Section 9.2, first inequality",
    statement=r"\frac1N\sum_i\|\nabla f_i(x)\|^2\le\frac2N\sum_i\|\nabla f_i(x^\star)\|^2+\frac2N\sum_i"
    r"\|\nabla f_i(x)-\nabla f_i(x^\star)\|^2",
    summary="First step: the relaxed triangle inequality is applied to each client.",
    printed=dict(first="2", second="2"),
    controls=[Control("first 2 -> 1.98", dict(first="99/50")), Control("second 2 -> 1.98", dict(second="99/50"))],
)
def by_triangle(first: str, second: str) -> Evidence:
    a, b = sp.Rational(first), sp.Rational(second)
    c = dissimilarity.CLIENTS
    step = inequality(
        "averaged square of g - 2 g*",
        c.of(g**2),
        a * c.of(g_star**2) + b * c.of((g - g_star) ** 2),
        squares=[*c.squares_of(1, g - 2 * g_star), *c.squares_of(a - 2, g_star), *c.squares_of(b - 2, g - g_star)],
    )

    text, right = "one client with gradients 2 at x and 1 at x*, its mirror image as the other", Fraction(a + b)
    return decide(
        Proof((step,)),
        lambda: [Instance(text, Fraction(4), right)],
        method="One square for the generic client, averaged.",
        valid_for="all N, all gradients with sum 0 at x*",
        tightness=attained("equality for grad f_i(x) = 2 grad f_i(x*)"),
    )


@inequality_claim(
    "EL-HET2.3",
    source="Section 9.2, second inequality",
    statement=r"\frac2N\sum_i\|\nabla f_i(x)-\nabla f_i(x^\star)\|^2\le4\beta(f(x)-f^\star)=2\beta B^2(f(x)-f^\star),\ B^2=2",
    summary="Second step: the gradients change little near the optimum.",
    printed=dict(second="4", square="2", convex=True),
    controls=[
        Control("4 -> 3.96", dict(second="99/25")),
        Control("B^2 = 1", dict(square="1")),
        Control("clients not convex", dict(convex=False)),
    ],
)
def by_interpolation(second: str, square: str, convex: bool) -> Evidence:
    b, c = sp.Rational(second), dissimilarity.CLIENTS
    steps = (
        hypothesis("every f_i convex", convex, "no interpolation inequality"),
        interpolation_step(sp.Integer(0)),
        inequality(
            "averaged interpolation",
            2 * c.of((g - g_star) ** 2),
            b * beta * (dissimilarity.F - dissimilarity.F_star),
            premises={"interpolation": (b * beta, c.of(dissimilarity.FROM_THE_OPTIMUM))},
            squares=c.squares_of(b / 2 - 2, g - g_star),
            ranges=[(beta, Open(0), None)],
        ),
        identity("second = 2 B^2", b, 2 * sp.Rational(square)),
    )

    def instances() -> Iterator[Instance]:
        for clients in ([scalar(ZERO, ONE)] * 2, *([] if convex else [[scalar(ZERO, ONE), scalar(ZERO, -ONE)]])):
            u = (ONE, ZERO)
            left = 2 * mean_squared_gradient(clients, u)  # the gradients at x* = 0 vanish
            value = mean_value(clients, u)
            yield Instance(f"{words(clients, u)}, beta = 1", left, Fraction(second) * value)
            yield Instance(f"{words(clients, u)}, beta = 1, with 2 B^2", left, 2 * Fraction(square) * value)

    return decide(
        Proof(steps),
        instances,
        method="EL-A4-CONV times 4 beta.",
        valid_for="all N, all convex beta-smooth clients",
        tightness=attained("equality for f_i = (beta/2)|x|^2"),
    )


if __name__ == "__main__":
    run_script(__file__)
