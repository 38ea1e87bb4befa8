"""Proposition D.6 of Augenstein et al. (2022), the gradient of the overall loss: proved, sharp, and without convexity.

f = f_f + f_c is 2 beta-smooth, hence |grad f(x)|^2 <= 2 (2 beta)(f(x) - f(x*)) as soon as x* is a global minimiser; the
printed proof goes through Proposition D.5, which needs convexity.  All statements hold for every x, hence in expectation.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022.convex import PROPOSITION_D6, F, Fs, G, Gs, beta, f, fc, fcs, fs, g, gc, gcs, gs, p
from fltheory.theory.mixed2022.scalars import scalars
from fltheory.theory.notation import ClientSum
from verify.mixed2022 import derivations, elsewhere
from verify.mixed2022.kinked import Mixture, mixtures
from verify.mixed2022.settled import attained

GENERAL = "every N, client weights, dimension, x, also random x with f(x) integrable; losses on R^d"
GRADIENT = G + gc
SUBOPTIMALITY = f + fc - fs - fcs


def values(bound: Bound) -> tuple[sp.Expr, sp.Expr]:
    """Both sides for losses on the line, G the mean of the clients' gradients."""
    left = scalars(bound.left).subs(ClientSum(p * g), G)
    return left, bound.expression.subs({F: f + fc, Fs: fs + fcs})


def without_convexity(factor: str, convex: bool, minimiser: bool) -> Evidence:
    """D.1 from x to w for every loss, averaged, and f(w) >= f(x*)."""
    bound = replace(PROPOSITION_D6, expression=sp.Rational(factor) * PROPOSITION_D6.expression)
    left, right = values(bound)
    cases = [s for s in mixtures(convex=convex) if not minimiser or least(s)]
    found = search(cases, lambda s: (s.average(left), s.average(right)), describe=str)
    return by_derivation(
        lambda: derivations.without_convexity(bound, factor, minimiser=minimiser),
        found,
        method="D.1 from x to w = x - grad f(x)/(2 beta) for every loss, averaged, and f(w) >= f(x*)",
        valid_for=GENERAL,
        tightness=attained("equality when all losses are (beta/2)|.|^2"),
    )


def least(s: Mixture) -> bool:
    """Whether 0 minimises the sum: both curvatures of the kinked sum are nonnegative (its slope at 0 vanishes)."""
    n, zero = len(s.clients), Fraction(0)
    means = (sum((getattr(h, side) for h in s.clients), start=zero) / n for side in ("left", "right"))
    return all(mean + own >= 0 for mean, own in zip(means, (s.central.left, s.central.right), strict=True))


@inequality_claim(
    "MX-PROPD6",
    statement=PROPOSITION_D6,
    source="Proposition D.6",
    headline="The squared gradient of the mixed loss is bounded by the suboptimality",
    summary="The squared gradient of the overall loss is at most 4 beta times the suboptimality; sharp for every mu.",
    assumptions=("all losses mu-convex and beta-smooth", "x* an optimum of f"),
    proof_steps=("MX-PROPD6-S1",),
    printed=dict(factor="1", convex=True),
    controls=[
        Control("4 beta -> 3.96 beta", dict(factor="99/100")),
        Control("losses not convex, x* stationary only", dict(convex=False)),
    ],
)
def statement(factor: str, convex: bool) -> Evidence:
    """The printed way, through the cocoercivity of every loss; MX-PROPD6-S2 has another."""
    bound = replace(PROPOSITION_D6, expression=sp.Rational(factor) * PROPOSITION_D6.expression)
    left, right = values(bound)
    found = search(mixtures(convex=convex), lambda s: (s.average(left), s.average(right)), describe=str)
    return by_derivation(
        lambda: derivations.proposition_d6(bound, convex=convex),
        found,
        method="cocoercivity of every loss between x and x*, averaged over the clients, and two squares",
        valid_for=GENERAL,
        tightness=attained("equality when all losses are (beta/2)|.|^2"),
    )


without_convexity_claim = inequality_claim(
    "MX-PROPD6-S2",
    statement=PROPOSITION_D6,
    source="Proposition D.6, sharpened",
    headline="The bound on the squared gradient needs no convexity",
    summary="The same without convexity: all losses beta-smooth and x* a global minimiser of f are enough.",
    elsewhere=elsewhere.SMOOTHNESS,
    assumptions=("all losses beta-smooth", "x* a global minimiser of f"),
    printed=dict(factor="1", convex=False, minimiser=True),
    controls=[
        Control("4 beta -> 3.96 beta", dict(factor="99/100")),
        Control("x* stationary only", dict(minimiser=False)),
    ],
)(without_convexity)


@inequality_claim(
    "MX-PROPD6-S1",
    headline="The squared gradient of the mixed loss is bounded through those of its parts",
    source="proof of Proposition D.6",
    statement=r"\|\nabla f(x)\|^2\le2\|\tfrac1N\sum_i(\nabla f_i(x)-\nabla f_i(x^*))\|^2+2\|\nabla f_c(x)-\nabla f_c(x^*)"
    r"\|^2\le\tfrac2N\sum_i\|\nabla f_i(x)-\nabla f_i(x^*)\|^2+2\|\nabla f_c(x)-\nabla f_c(x^*)\|^2"
    r"\le4\beta(f(x)-f(x^*))",
    summary="The chain of the proof holds: grad f(x*) = 0 and D.2, D.2 over the clients, Proposition D.5.",
    assumptions=("all losses convex and beta-smooth", "x* an optimum of f"),
    depends=("MX-LEMD2-1", "MX-LEMD2-2.1", "MX-PROPD5"),
    printed=dict(split="2", jensen="1", last="1", optimum=True),
    controls=[
        Control("factor 2 of the split -> 1.98", dict(split="99/50")),
        Control("sum over the clients times 0.99", dict(jensen="99/100")),
        Control("4 beta -> 3.96 beta", dict(last="99/100")),
        Control("x* any point", dict(optimum=False)),
    ],
)
def chain(split: str, jensen: str, last: str, optimum: bool) -> Evidence:
    """Three inequalities; the differences of the gradients are the vectors."""
    c, j, k = sp.Rational(split), sp.Rational(jensen), sp.Rational(last)
    client, centre = G - (-gcs if optimum else Gs), gc - gcs
    lines = [
        (GRADIENT**2, c * client**2 + c * centre**2),
        (2 * client**2 + 2 * centre**2, 2 * j * (g - gs) ** 2 + 2 * centre**2),
        (2 * (g - gs) ** 2 + 2 * centre**2, 4 * k * beta * SUBOPTIMALITY),
    ]
    cases = [(i, s) for s in mixtures(stationary=optimum) for i in range(3)]

    def pair(case: tuple[int, Mixture]) -> tuple[Fraction, Fraction]:
        number, s = case
        zero = Fraction(0)
        mean = sum((h.gradient(zero) for h in s.clients), start=zero) / len(s.clients)
        left, right = (side.subs(Gs, sp.Rational(mean.numerator, mean.denominator)) for side in lines[number])
        return s.average(left), s.average(right)

    found = search(cases, pair, describe=lambda case: f"inequality {case[0] + 1}: {case[1]}")
    return by_derivation(
        {
            f"inequality {line}": partial(derivations.chain_of_d6, line, factor, optimum=optimum)
            for line, factor in enumerate((split, jensen, last), start=1)
        },
        found,
        method="line by line: squares, mean and deviation over the clients, averaged cocoercivity",
        valid_for=GENERAL,
        tightness=attained("equality throughout when all losses are (beta/2)|.|^2"),
    )


if __name__ == "__main__":
    run_script(__file__)
