"""Assumption A4 of the elastic aggregation supplement and its three consequences.

The display of A4 itself is lost in the scan; it is read as |grad f_i(x) - grad f_i(y)| <= beta |x - y|, the definition of
the smoothness named in the sentence.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.derivation.statement import with_coefficients
from fltheory.evidence.decide import decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.tight import attained
from fltheory.theory.bound import Bound
from fltheory.theory.notation import NormSq
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Proof, identity, inequality
from verify.elastic2023 import smooth
from verify.elastic2023.derivations import clients, functions
from verify.elastic2023.dissimilarity import NEAR_OPTIMUM
from verify.elastic2023.smooth import FROM_HESSIANS, LOWER_BOUND, UPPER_BOUND, KinkedLine, beta, x, y

of_the_hessian = inequality_claim.sharing(source="A4, last display")
of_a4 = inequality_claim.sharing(source="A4")

ONE, ZERO = Fraction(1), Fraction(0)
READING = "A4 read as |grad f_i(x) - grad f_i(y)| <= beta |x - y|"
FUNCTIONS = (KinkedLine(ONE, ONE), KinkedLine(-ONE, -ONE), KinkedLine(-ONE, ONE), KinkedLine(ZERO, ONE, ONE))


def with_factor(factor: str, bound: Bound, term: sp.Expr) -> Bound:
    """The bound with the coefficient of a term times a factor."""
    new = sp.Rational(factor) * bound.expression.coeff(term)
    return replace(bound, expression=with_coefficients(bound.expression, {term: new}))


def on_the_line(bound: Bound) -> Iterator[Instance]:
    """1-smooth functions at pairs of points."""
    for h in FUNCTIONS:
        for a, b in ((0, 1), (1, 0), (-1, 2), (1, -1)):
            yield smooth.on_the_line(bound, h, {x: Fraction(a), y: Fraction(b)}, {beta: ONE})


def taylor(factor: str, side: int) -> Evidence:
    """``side (h(y) - h(x) - <g_x, y-x>) <= factor (beta/2)|y-x|^2`` for beta-smooth functions."""
    bound = with_factor(factor, UPPER_BOUND if side > 0 else LOWER_BOUND, NormSq(y - x))
    return by_derivation(
        lambda: functions.along_the_segment(bound),
        lambda: on_the_line(bound),
        method="h(y) - h(x) - <g_x, s> is the mean of <grad h(x + t s) - grad h(x), s> over t; A4 and a square at each t.",
        valid_for="all beta-smooth functions, convex or not, any dimension",
        tightness=attained(f"equality for h = {'' if side > 0 else '-'}(beta/2)|x|^2"),
    )


upper_bound = of_a4(
    "EL-A4",
    statement=UPPER_BOUND,
    assumptions=(READING,),
    summary="Smoothness gives a quadratic upper bound.",
    printed=dict(factor="1", side=1),
    controls=[Control("beta/2 times 0.99", dict(factor="99/100"))],
)(taylor)

lower_bound = of_a4(
    "EL-A4-S1",
    statement=LOWER_BOUND,
    assumptions=(READING,),
    headline="Smoothness gives a quadratic lower bound as well, without convexity",
    summary="Smoothness gives a quadratic lower bound as well, without convexity.",
    printed=dict(factor="1", side=-1),
    controls=[Control("beta/2 times 0.99", dict(factor="99/100"))],
)(taylor)


@inequality_claim(
    "EL-A4-CONV",
    source="A4, second display",
    statement=NEAR_OPTIMUM,
    summary="For convex clients the gradients change little between a point and the optimum of f.",
    assumptions=(READING, "every f_i convex", "x* minimises f", "constant 1/(2 beta N): uncertain in the scan"),
    printed=dict(factor="1", convex=True, optimal=True),
    controls=[
        Control("1/(2 beta) times 1.01", dict(factor="101/100")),
        Control("clients not convex", dict(convex=False)),
        Control("x* any point", dict(optimal=False)),
    ],
)
def gradients_near_the_optimum(factor: str, convex: bool, optimal: bool) -> Evidence:
    """Interpolation (mu = 0) from x* to x for each client, averaged."""
    bound = replace(NEAR_OPTIMUM, left=sp.Rational(factor) * NEAR_OPTIMUM.left)

    def instances() -> Iterator[Instance]:
        bowl = KinkedLine(ONE, ONE)
        cases = [(ZERO, (bowl, bowl)), (ZERO, (KinkedLine(ZERO, ONE, ONE), KinkedLine(ONE, ZERO, -ONE)))]
        cases += [] if convex else [(ZERO, (bowl, KinkedLine(-ONE, -ONE)))]
        cases += [] if optimal else [(ONE, (bowl, bowl))]
        for star, pair in cases:
            for at in (ZERO, ONE, Fraction(-2)):
                spread = sum((h.gradient(at) - h.gradient(star)) ** 2 for h in pair) / 2
                gap = sum((h.value(at) - h.value(star) for h in pair), ZERO) / 2
                text = f"beta = 1, N = 2, {'; '.join(h.text for h in pair)}; x* = {star}, x = {at}"
                yield Instance(text, Fraction(factor) * spread / 2, gap)

    return by_derivation(
        lambda: clients.near_gradients(bound, convex=convex, optimum=optimal),
        instances,
        method="Interpolation inequality of each client, averaged.",
        valid_for="all N, all convex beta-smooth clients, any dimension",
        tightness=attained("equality for f_i = (beta/2)|x|^2"),
    )


@of_the_hessian(
    "EL-A4-HESS",
    statement=r"\|\nabla^2f_i(x)\|\le\beta\quad\forall x",
    assumptions=(READING, "f_i twice differentiable at x"),
    summary="The Hessian of a smooth function is bounded by beta in operator norm.",
    printed=dict(factor="1"),
    controls=[Control("beta times 0.99", dict(factor="99/100"))],
)
def hessian(factor: str) -> Evidence:
    """grad f(x + t v) - grad f(x) = t (H v + e(t)) with e(t) to 0, so |H v + e|^2 <= beta^2 |v|^2 for all small t."""
    k = sp.Rational(factor)
    hv, e, vector, t = sp.symbols("Hv e v t")
    quotient = (t * (hv + e)) ** 2 / t**2
    steps = (
        identity("A4 divided by t^2 does not depend on t but through e(t)", sp.diff(sp.cancel(quotient), t), 0),
        identity("limit e to 0", sp.limit(sp.expand((hv + e) ** 2), e, 0), hv**2),
        inequality(
            "|H v| <= factor beta |v|",
            hv**2,
            k**2 * beta**2 * vector**2,
            premises={"A4 in the limit": (1, beta**2 * vector**2 - hv**2)},
            squares=[((k**2 - 1) * beta**2, vector)],
            ranges=[(beta, Open(0), None)],
        ),
    )

    def instances() -> Iterator[Instance]:
        for c in (ONE, -ONE, Fraction(1, 2)):
            yield Instance(f"h(t) = {c} t^2/2, beta = 1: |h''|", abs(c), Fraction(factor))

    return decide(
        Proof(steps),
        instances,
        method="Difference quotients of the gradient along a direction; weak inequalities survive the limit.",
        valid_for="all beta-smooth functions at points of second differentiability, any dimension",
        tightness=attained("equality for (beta/2)|x|^2"),
    )


@of_the_hessian(
    "EL-A4-HESS-S1",
    statement=(
        r"h\in C^2,\ H_s=\nabla^2h(x+t(y-x))(y-x),\ \|H_s\|\le\beta\|y-x\|\ \forall t\in[0,1]\ \Longrightarrow\ ",
        FROM_HESSIANS,
    ),
    headline="A bounded Hessian is smoothness, for twice differentiable losses",
    summary="Where the Hessian at every point of the segment from x to y turns y - x into a vector H_s of length at most "
    "beta |y - x|, as one of norm at most beta does, the gradients at x and y differ by at most beta |y - x|, which is A4.",
    prose="fundamental theorem of calculus: the change of the gradient is the mean of H_s over the segment; |H| <= beta gives "
    "|H_s| <= beta |y - x|",
    printed=dict(factor="1"),
    controls=[Control("beta times 0.99 in the conclusion", dict(factor="99/100"))],
)
def hessian_suffices(factor: str) -> Evidence:
    """grad f(y) - grad f(x) is the mean over t of H_t s, and the squared norm of a mean is at most the mean."""
    bound = with_factor(factor, FROM_HESSIANS, NormSq(x - y))
    return by_derivation(
        lambda: functions.mean_hessian(bound),
        lambda: on_the_line(bound),
        method="Fundamental theorem along the segment; mean and deviation over t (Jensen).",
        valid_for="all C^2 functions, any dimension",
    )


if __name__ == "__main__":
    run_script(__file__)
