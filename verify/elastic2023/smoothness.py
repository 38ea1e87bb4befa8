"""Assumption A4 of the elastic aggregation supplement and its three consequences.

The display of A4 itself is lost in the scan; it is read as |grad f_i(x) - grad f_i(y)| <= beta |x - y|, the definition of
the smoothness named in the sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.tight import attained
from fltheory.theory.averages import Averages
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Proof, hypothesis, identity, inequality, sign
from verify.elastic2023.dissimilarity import CLIENTS, FROM_THE_OPTIMUM, F, F_star, g, g_star
from verify.elastic2023.smooth import LOWER_BOUND, UPPER_BOUND, KinkedLine, beta, interpolation_step

of_the_hessian = inequality_claim.sharing(source="A4, last display")
of_a4 = inequality_claim.sharing(source="A4")

ONE, ZERO = Fraction(1), Fraction(0)
READING = "A4 read as |grad f_i(x) - grad f_i(y)| <= beta |x - y|"
FUNCTIONS = (KinkedLine(ONE, ONE), KinkedLine(-ONE, -ONE), KinkedLine(-ONE, ONE), KinkedLine(ZERO, ONE, Fraction(1)))


def taylor(factor: str, side: int) -> Evidence:
    """``side (h(y) - h(x) - <g_x, y-x>) <= factor (beta/2)|y-x|^2`` for beta-smooth functions.

    Along x + t s the derivative of h differs from <g_x, s> by <p, s>, p = grad h(x + t s) - grad h(x), |p| <= beta t |s|.
    """
    k = sp.Rational(factor)
    p, s, t = sp.symbols("p s t")
    steps = (
        inequality(
            "|<p, s>| <= beta t |s|^2 for |p| <= beta t |s|",
            side * p * s,
            beta * t * s**2,
            premises={"A4": (1 / (2 * beta * t), beta**2 * t**2 * s**2 - p**2)},
            squares=[(1 / (2 * beta * t), p - side * beta * t * s)],
            ranges=[(beta, Open(0), None), (t, Open(0), 1)],
        ),
        identity("integral over t from 0 to 1", sp.integrate(beta * t * s**2, (t, 0, 1)), beta / 2 * s**2),
        sign("factor", (k - 1) * beta / 2, [(beta, Open(0), None)]),
    )

    def instances() -> Iterator[Instance]:
        for h in FUNCTIONS:
            for x, y in ((ZERO, ONE), (ONE, ZERO), (-ONE, Fraction(2)), (ONE, -ONE)):
                left = side * (h.value(y) - h.value(x) - h.gradient(x) * (y - x))
                yield Instance(f"{h.text}, beta = 1, x = {x}, y = {y}", left, Fraction(factor) * (y - x) ** 2 / 2)

    return decide(
        Proof(steps),
        instances,
        method="h(y) - h(x) - <g_x, s> is the integral of <grad h(x + t s) - grad h(x), s>, bounded by Cauchy-Schwarz.",
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
    statement=r"\frac{1}{2\beta N}\sum_{i=1}^{N}\|\nabla f_i(x)-\nabla f_i(x^\star)\|^2\le f(x)-f^\star",
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
    k = sp.Rational(factor)
    spare = (1 - k) / (2 * beta)
    steps = (
        hypothesis("every f_i convex", convex, "no lower bound at a further point"),
        hypothesis("grad f(x*) = 0", optimal, "the gradients at x* do not average to zero"),
        interpolation_step(sp.Integer(0)),
        inequality(
            "averaged over the clients",
            k * CLIENTS.of((g - g_star) ** 2) / (2 * beta),
            F - F_star,
            premises={"interpolation": (1, CLIENTS.of(FROM_THE_OPTIMUM))},
            squares=CLIENTS.squares_of(spare, g - g_star),
            ranges=[(beta, Open(0), None)],
        ),
    )

    def instances() -> Iterator[Instance]:
        bowl = KinkedLine(ONE, ONE)
        cases = [(ZERO, (bowl, bowl)), (ZERO, (KinkedLine(ZERO, ONE, ONE), KinkedLine(ONE, ZERO, -ONE)))]
        cases += [] if convex else [(ZERO, (bowl, KinkedLine(-ONE, -ONE)))]
        cases += [] if optimal else [(ONE, (bowl, bowl))]
        for star, clients in cases:
            for at in (ZERO, ONE, Fraction(-2)):
                spread = sum((h.gradient(at) - h.gradient(star)) ** 2 for h in clients) / 2
                gap = sum((h.value(at) - h.value(star) for h in clients), ZERO) / 2
                text = f"beta = 1, N = 2, {'; '.join(h.text for h in clients)}; x* = {star}, x = {at}"
                yield Instance(text, Fraction(factor) * spread / 2, gap)

    return decide(
        Proof(steps),
        instances,
        method="Interpolation inequality of each client, averaged by mean and deviation (any N); Gram identity (any dimension).",
        valid_for="all N, all convex beta-smooth clients",
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
    statement=r"\|\nabla^2f_i(x)\|\le\beta\ \forall x\ \Longrightarrow\ "
    r"\|\nabla f_i(x)-\nabla f_i(y)\|\le\beta\|x-y\|\ \forall x,y\quad(f_i\in C^2)",
    headline="A bounded Hessian is smoothness, for twice differentiable losses",
    summary="For twice continuously differentiable functions the bound on the Hessian is A4.",
    printed=dict(factor="1"),
    controls=[Control("beta times 0.99 in the conclusion", dict(factor="99/100"))],
)
def hessian_suffices(factor: str) -> Evidence:
    """grad f(y) - grad f(x) is the mean over t of H_t s, and the squared norm of a mean is at most the mean."""
    k = sp.Rational(factor)
    u, mean, deviation, s = sp.symbols("u u_mean u_dev s")
    over_t = Averages(vectors={u: (mean, deviation)}, common_vectors=(s, mean))
    step = inequality(
        "|mean of H_t s|^2 <= mean of |H_t s|^2 <= beta^2 |s|^2",
        mean**2,
        k**2 * beta**2 * s**2,
        premises={"|H_t s| <= beta |s|, averaged": (1, over_t.of(beta**2 * s**2 - u**2))},
        squares=[(1, deviation), ((k**2 - 1) * beta**2, s)],
        ranges=[(beta, Open(0), None)],
    )

    def instances() -> Iterator[Instance]:
        for c in (ONE, -ONE):
            yield Instance(f"h(t) = {c} t^2/2, beta = 1, x = 0, y = 1", abs(c), Fraction(factor))

    return decide(
        Proof((step,)),
        instances,
        method="Fundamental theorem along the segment; mean and deviation over t (Jensen).",
        valid_for="all C^2 functions, any dimension",
    )


if __name__ == "__main__":
    run_script(__file__)
