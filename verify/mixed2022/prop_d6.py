"""Proposition D.6 of Augenstein et al. (2022), the gradient of the overall loss: proved, sharp, and without convexity.

f = f_f + f_c is 2 beta-smooth, hence |grad f(x)|^2 <= 2 (2 beta)(f(x) - f(x*)) as soon as x* is a global minimiser; the
printed proof goes through Proposition D.5, which needs convexity.  All statements hold for every x, hence in expectation.
"""

from dataclasses import replace

import sympy as sp

from fltheory.evidence.algebra import by_in_mean
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import search
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022.convex import PROPOSITION_D6, F, Fs, G, f, fc, fcs, fs, g, p
from fltheory.theory.mixed2022.scalars import scalars
from fltheory.theory.notation import ClientSum
from verify.mixed2022 import elsewhere
from verify.mixed2022.kinked import Mixture, mixtures
from verify.mixed2022.prop_d5 import ANY_POINT, BELOW, NAMES, TWO_LOSSES, cocoercive, near_an_optimum, of_both
from verify.mixed2022.settled import attained, lines_in_mean

GENERAL = "every N, client weights, dimension, x, also random x with f(x) integrable; losses on R^d"


#: A step from x for the sum of the losses, and what follows there for a global minimiser x*.
STEP = "w = x - (mean(g_x, k) + g_u)/(2*beta); w2 = w; f at w; h at w2"
MINIMISER = "global minimiser of a sum"
LOWER = [use("smooth", pair, "4*beta", of=of, L="beta") for of, pair in (("f", "x w"), ("h", "u w2"))]
LOWER += [use(MINIMISER, times="4*beta", f="f_w", h="f_w2", f_star="f_star", h_star="f_v")]


def from_cocoercivity(bound: Bound) -> InMean:
    """Proposition D.6 by that of every loss between x and x*."""
    squares = ("1", "mean(g_x - g_star, k) - g_u + g_v"), ("2", "g_x - g_star - mean(g_x - g_star, k)")
    return near_an_optimum(bound, "4*beta", *squares)


def from_a_step(bound: Bound) -> InMean:
    """Proposition D.6 by smoothness from x to w, for x* that minimises the sum."""
    return of_both(bound, f"{TWO_LOSSES.replace(*ANY_POINT)}; {STEP}", LOWER, unfold="u w2 w")


def without_convexity(factor: str, convex: bool, minimiser: bool) -> Evidence:
    """D.1 from x to w for every loss, averaged, and f(w) >= f(x*)."""
    bound = replace(PROPOSITION_D6, expression=sp.Rational(factor) * PROPOSITION_D6.expression)
    left = scalars(bound.left).subs(ClientSum(p * g), G)
    right = bound.expression.subs({F: f + fc, Fs: fs + fcs})
    cases = [s for s in mixtures(convex=convex) if not minimiser or least(s)]
    stated = from_a_step(bound)
    return by_derivation(
        stated.derived if minimiser else stated.without(MINIMISER).derived,
        search(cases, lambda s: (s.average(left), s.average(right)), describe=str),
        method="D.1 from x to w = x - grad f(x)/(2 beta) for every loss, averaged, and f(w) >= f(x*)",
        valid_for=GENERAL,
        tightness=attained("equality when all losses are (beta/2)|.|^2"),
    )


def least(s: Mixture) -> bool:
    """Whether 0 minimises the sum: both curvatures of the kinked sum are nonnegative (its slope at 0 vanishes)."""
    means = (sum(getattr(h, side) for h in s.clients) / len(s.clients) for side in ("left", "right"))
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
    stated = from_cocoercivity(bound)
    return by_in_mean(
        stated if convex else stated.without("convex"),
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


SPLIT = "2*sq(mean(g_x - g_star, k)) + 2*sq(g_u - g_v)"
chain = lines_in_mean(
    "MX-PROPD6-S1",
    InMean(
        f"sq(mean(g_x, k) + g_u) <= {SPLIT}",
        TWO_LOSSES,
        squares=[("1", "mean(g_x - g_star, k) - g_u + g_v")],
        names=NAMES,
    ),
    InMean(
        f"{SPLIT} <= 2*sq(g_x - g_star) + 2*sq(g_u - g_v)",
        TWO_LOSSES,
        over="k",
        squares=[("2", "g_x - g_star - mean(g_x - g_star, k)")],
        names=NAMES,
    ),
    InMean(
        "2*sq(g_x - g_star) + 2*sq(g_u - g_v) <= 4*beta*(f_x + f_u - f_star - f_v) for beta > 0",
        TWO_LOSSES + BELOW,
        over="k",
        uses=cocoercive("4*beta"),
        unfold="u v low deep",
        names=NAMES,
    ),
    false={
        "factor 2 of the split -> 1.98": (
            f"<= {SPLIT}",
            "<= 99/50*sq(mean(g_x - g_star, k)) + 99/50*sq(g_u - g_v)",
        ),
        "sum over the clients times 0.99": ("<= 2*sq(g_x - g_star)", "<= 99/50*sq(g_x - g_star)"),
        "4 beta -> 3.96 beta": ("<= 4*beta", "<= 99/25*beta"),
        "x* any point": ANY_POINT,
    },
    group=inequality_claim,
    headline="The squared gradient of the mixed loss is bounded through those of its parts",
    source="proof of Proposition D.6",
    summary="The chain of the proof holds: grad f(x*) = 0 and D.2, D.2 over the clients, Proposition D.5.",
    assumptions=("all losses convex and beta-smooth", "x* an optimum of f"),
    depends=("MX-LEMD2-1", "MX-LEMD2-2.1", "MX-PROPD5"),
    tightness=attained("equality throughout when all losses are (beta/2)|.|^2"),
    valid_for=GENERAL,
)


if __name__ == "__main__":
    run_script(__file__)
