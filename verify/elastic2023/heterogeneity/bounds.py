"""Section 9.2 of the elastic aggregation supplement: the dissimilarity bound A1 relaxed, and derived from the optimum.

The step from A1 to function values
needs smoothness of f alone, no convexity.  The bound from the optimum is sharp in the limit of two opposed clients in the
plane whose common direction is almost orthogonal to the one in which their gradients differ.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.derivation.statement import with_coefficients
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.tight import attained
from fltheory.theory.bound import Bound
from fltheory.theory.steps import Instance
from fltheory.theory.values import exact_value
from verify.elastic2023 import dissimilarity
from verify.elastic2023.derivations import clients as derived
from verify.elastic2023.dissimilarity import A_star, D, beta, mean_squared_gradient, mean_value, scalar, spread, theta

of_section_9_2 = inequality_claim.sharing(source="Section 9.2")

ONE, ZERO = Fraction(1), Fraction(0)
ORIGIN = (ZERO, ZERO)
POINTS = ((ZERO, ZERO), (ONE, ZERO), (Fraction(-2), ZERO))


def words(clients: Sequence[dissimilarity.PlaneQuadratic], u: dissimilarity.Vector) -> str:
    """Clients and point of an instance."""
    return f"N = {len(clients)}, f_i: {'; '.join(c.text for c in clients)}; x = ({u[0]}, {u[1]}), x* = 0"


def with_coefficient(bound: Bound, term: sp.Expr, factor: str) -> Bound:
    """The bound with the coefficient of a term times a factor."""
    new = sp.Rational(factor) * sp.expand(bound.expression).coeff(term)
    return replace(bound, expression=with_coefficients(bound.expression, {term: new}))


def relaxed(coefficient: str, convex: str, smooth: bool) -> Evidence:
    """A <= G^2 + coefficient beta B^2 (f(x) - f*); ``convex``: "each", "mean" or "none", which instances are admitted."""
    bound = with_coefficient(dissimilarity.RELAXED, D, str(Fraction(coefficient) / 2))

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

    return by_derivation(
        lambda: derived.relaxed(bound, smooth=smooth),
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


def from_the_optimum(bound: Bound, convex: bool, weights: tuple[Fraction, ...]) -> Evidence:
    """``A <= first A_star + second beta (f(x) - f*)``; at equality in the limit of two opposed clients in the plane."""

    def instances() -> Iterator[Instance]:
        cases = [(dissimilarity.opposed_pair(Fraction(1, 100), weight), weight) for weight in weights]
        cases += [] if convex else [(([scalar(ZERO, ONE), scalar(ZERO, -ONE)], (ONE, ZERO)), weights[0])]
        for (clients, u), weight in cases:
            at_zero, gap = mean_squared_gradient(clients, ORIGIN), mean_value(clients, u) - mean_value(clients, ORIGIN)
            known = {A_star: sp.Rational(at_zero), D: sp.Rational(gap), beta: 1, theta: weight}
            right = exact_value(bound.expression, known)
            note = "" if len(weights) == 1 else f", theta = {weight}"
            yield Instance(f"{words(clients, u)}, beta = 1{note}", mean_squared_gradient(clients, u), right)

    return by_derivation(
        lambda: derived.from_the_optimum(bound, convex=convex),
        instances,
        method="Interpolation of each client from x* to x, averaged (the gradients at x* average to 0), and a square.",
        valid_for="all N, all convex beta-smooth clients, any dimension",
        tightness=attained("limit of two opposed clients in the plane, in both constants"),
    )


@of_section_9_2(
    "EL-HET2.1",
    headline="For convex smooth clients gradients at the optimum and the gap bound all mean squares",
    statement=dissimilarity.AT_OPTIMUM,
    summary="Convex smooth clients: the relaxed form holds with B^2 = 2 and G^2 twice the mean squared gradient at x*.",
    assumptions=("A4", "every f_i convex", "x* minimises f"),
    proof_steps=("EL-HET2.2", "EL-HET2.3"),
    printed=dict(first="1", second="1", convex=True),
    controls=[
        Control("first constant 2 -> 1.98", dict(first="99/100")),
        Control("4 -> 3.96", dict(second="99/100")),
        Control("clients not convex", dict(convex=False)),
    ],
)
def at_the_optimum(first: str, second: str, convex: bool) -> Evidence:
    bound = with_coefficient(with_coefficient(dissimilarity.AT_OPTIMUM, A_star, first), D, second)
    return from_the_optimum(bound, convex, (ONE,))


@of_section_9_2(
    "EL-HET2-S1",
    statement=dissimilarity.AT_OPTIMUM_WEIGHTED,
    headline="Mean squared gradients: the two constants traded against each other",
    summary="For every theta > 0 the bound holds with G^2 = 1 + theta times the mean squared gradient at x* and with the factor "
    "2 beta (1 + 1/theta) of the gap; theta = 1 is the printed pair.",
    assumptions=("A4", "every f_i convex", "x* minimises f"),
    printed=dict(first="1", second="1"),
    controls=[
        Control("1 + theta times 0.99", dict(first="99/100")),
        Control("1 + 1/theta times 0.99", dict(second="99/100")),
    ],
)
def at_the_optimum_weighted(first: str, second: str) -> Evidence:
    bound = dissimilarity.AT_OPTIMUM_WEIGHTED
    scaled = sp.Rational(first) * (1 + theta) * A_star + sp.Rational(second) * (bound.expression - (1 + theta) * A_star)
    return from_the_optimum(replace(bound, expression=scaled), True, (Fraction(1, 2), Fraction(3)))


@algebra_claim(
    "EL-HET2.2",
    source="Section 9.2, first inequality",
    statement=dissimilarity.SPLIT,
    summary="First step: the relaxed triangle inequality is applied to each client.",
    printed=dict(first="1", second="1"),
    controls=[Control("first 2 -> 1.98", dict(first="99/100")), Control("second 2 -> 1.98", dict(second="99/100"))],
)
def by_triangle(first: str, second: str) -> Evidence:
    bound = with_coefficient(with_coefficient(dissimilarity.SPLIT, A_star, first), spread, second)
    text = "one client with gradients 2 at x and 1 at x*, its mirror image as the other"
    right = exact_value(bound.expression, {A_star: 1, spread: 1})
    return by_derivation(
        lambda: derived.triangle(bound),
        lambda: [Instance(text, Fraction(4), right)],
        method="One square for the generic client, averaged.",
        valid_for="all N, all gradients with sum 0 at x*",
        tightness=attained("equality for grad f_i(x) = 2 grad f_i(x*)"),
    )


@inequality_claim(
    "EL-HET2.3",
    source="Section 9.2, second inequality",
    statement=(dissimilarity.NEAR_OPTIMUM_TWICE, r"=2\beta B^2(f(x)-f^\star),\ B^2=2"),
    summary="Second step: the gradients change little near the optimum.",
    printed=dict(second="1", square="2", convex=True),
    controls=[
        Control("4 -> 3.96", dict(second="99/100")),
        Control("B^2 = 1", dict(square="1")),
        Control("clients not convex", dict(convex=False)),
    ],
)
def by_interpolation(second: str, square: str, convex: bool) -> Evidence:
    """Both forms of the right side."""
    bound = with_coefficient(dissimilarity.NEAR_OPTIMUM_TWICE, D, second)

    def instances() -> Iterator[Instance]:
        for clients in ([scalar(ZERO, ONE)] * 2, *([] if convex else [[scalar(ZERO, ONE), scalar(ZERO, -ONE)]])):
            u = (ONE, ZERO)
            left = 2 * mean_squared_gradient(clients, u)  # the gradients at x* = 0 vanish
            value = mean_value(clients, u)
            right = exact_value(bound.expression, {beta: 1, D: sp.Rational(value)})
            yield Instance(f"{words(clients, u)}, beta = 1", left, right)
            yield Instance(f"{words(clients, u)}, beta = 1, with 2 B^2", left, 2 * Fraction(square) * value)

    return by_derivation(
        lambda: derived.near_gradients(bound, f"2*beta*{square}", convex=convex),
        instances,
        method="EL-A4-CONV times 4 beta.",
        valid_for="all N, all convex beta-smooth clients",
        tightness=attained("equality for f_i = (beta/2)|x|^2"),
    )


if __name__ == "__main__":
    run_script(__file__)
