"""Proposition D.6 of Augenstein et al. (2022), the gradient of the overall loss: proved, sharp, and without convexity.

f = f_f + f_c is 2 beta-smooth, hence |grad f(x)|^2 <= 2 (2 beta)(f(x) - f(x*)) as soon as x* is a global minimiser; the
printed proof goes through Proposition D.5, which needs convexity.  All statements hold for every x, hence in expectation.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.averages import Averages
from fltheory.theory.mixed2022 import convex as convexity
from fltheory.theory.mixed2022.convex import (
    PROPOSITION_D6,
    F,
    Fs,
    G,
    Gs,
    beta,
    f,
    fc,
    fcs,
    fs,
    g,
    gc,
    gcs,
    gs,
    p,
    x,
    xs,
)
from fltheory.theory.notation import ClientSum, NormSq
from fltheory.theory.proofs import Open
from fltheory.theory.states import proves
from verify.mixed2022 import convex_premises, derivations, elsewhere
from verify.mixed2022.kinked import Mixture, mixtures
from verify.mixed2022.settled import all_certified, attained, certified

REDUCTION = "mean and deviation over the clients (removes N), Gram identity in commuting scalars (removes d)"
GENERAL = "every N, client weights, dimension, x, also random x with f(x) integrable; losses on R^d"
RANGES = ((beta, Open(0), None),)
GRADIENT = G + gc
SUBOPTIMALITY = f + fc - fs - fcs
#: Values of a client loss and of the centralised loss at w = x - grad f(x)/(2 beta).
fw, fcw, Fw = sp.symbols("fw fcw Fw")
AT_W = Averages(
    {g: (G, convexity.dg), gs: (Gs, convexity.dgs)},
    {f: F, fs: Fs, fw: Fw},
    common_vectors=(x, xs, gc, gcs, G),
    common_values=(fc, fcs, fcw, F, Fs, Fw),
)


def gradient_bound(constant: str, convex: bool, minimiser: bool) -> Evidence:
    """D.1 from x to w for every loss, averaged, and f(w) >= f(x*)."""
    k = sp.Rational(constant)
    w = x - GRADIENT / (2 * beta)
    left, right = GRADIENT**2, k * beta * SUBOPTIMALITY
    premises = {
        "D.1, clients": (k * beta, convex_premises.smoothness(w, fw, x, f, g)),
        "D.1, centre": (k * beta, convex_premises.smoothness(w, fcw, x, fc, gc)),
        "f(w) >= f(x*)": (k * beta, fw + fcw - fs - fcs),
    }
    known = premises if convex or minimiser else {name: premises[name] for name in ("D.1, clients", "D.1, centre")}
    certificate = AT_W.certificate(left, right, premises=known, squares=[((k - 4) / 4, GRADIENT)], ranges=RANGES)
    cases = [s for s in mixtures(convex=convex) if not minimiser or least(s)]
    found = search(cases, lambda s: (s.average(left), s.average(right)), describe=str)
    method = f"D.1 from x to w = x - grad f(x)/(2 beta) for every loss, averaged, and f(w) >= f(x*); {REDUCTION}"
    tight = attained("equality when all losses are (beta/2)|.|^2")
    return certified(certificate, found, method=method, valid_for=GENERAL, tightness=tight)


def least(s: Mixture) -> bool:
    """Whether 0 minimises the sum: both curvatures of the kinked sum are nonnegative (its slope at 0 vanishes)."""
    n, zero = len(s.clients), Fraction(0)
    means = (sum((getattr(h, side) for h in s.clients), start=zero) / n for side in ("left", "right"))
    return all(mean + own >= 0 for mean, own in zip(means, (s.central.left, s.central.right), strict=True))


STATED = proves(
    PROPOSITION_D6,
    lambda constant: constant * beta * (convexity.F - convexity.Fs),
    left=NormSq(ClientSum(p * g) + gc),
)
LOWER = Control("4 beta -> 3.96 beta", dict(constant="99/25"))


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
    right = bound.expression.subs({F: f + fc, Fs: fs + fcs})
    found = search(mixtures(convex=convex), lambda s: (s.average(GRADIENT**2), s.average(right)), describe=str)
    return by_derivation(
        lambda: derivations.proposition_d6(bound, convex=convex),
        found,
        method="cocoercivity of every loss between x and x*, averaged over the clients, and two squares",
        valid_for=GENERAL,
        tightness=attained("equality when all losses are (beta/2)|.|^2"),
    )


without_convexity = inequality_claim(
    "MX-PROPD6-S2",
    proves=STATED,
    statement=PROPOSITION_D6,
    source="Proposition D.6, sharpened",
    headline="The bound on the squared gradient needs no convexity",
    summary="The same without convexity: all losses beta-smooth and x* a global minimiser of f are enough.",
    elsewhere=elsewhere.SMOOTHNESS,
    assumptions=("all losses beta-smooth", "x* a global minimiser of f"),
    printed=dict(constant="4", convex=False, minimiser=True),
    controls=[LOWER, Control("x* stationary only", dict(minimiser=False))],
)(gradient_bound)


@inequality_claim(
    "MX-PROPD6-S1",
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
    """Three certificates; the differences of the gradients are the vectors."""
    c, j, k = sp.Rational(split), sp.Rational(jensen), sp.Rational(last)
    averages = convex_premises.AT_OPTIMUM if optimum else convex_premises.ANYWHERE
    mean_star = -gcs if optimum else Gs
    client, centre = G - mean_star, gc - gcs
    lines = [
        (GRADIENT**2, c * client**2 + c * centre**2),
        (2 * client**2 + 2 * centre**2, 2 * j * (g - gs) ** 2 + 2 * centre**2),
        (2 * (g - gs) ** 2 + 2 * centre**2, 4 * k * beta * SUBOPTIMALITY),
    ]
    coco = {
        "clients": (4 * k * beta, convex_premises.cocoercivity(x, f, g, xs, fs, gs)),
        "centre": (4 * k * beta, convex_premises.cocoercivity(x, fc, gc, xs, fcs, gcs)),
    }
    split_squares = [(sp.Integer(1), client - centre), (c - 2, client), (c - 2, centre)]
    steps = [
        ({}, split_squares),
        ({}, [(2 * j, g - gs - client), (2 * j - 2, client)]),
        (coco, [(2 * k - 2, g - gs), (2 * k - 2, centre)]),
    ]
    proofs = [
        averages.certificate(*sides, premises=premises, squares=squares, ranges=RANGES)
        for sides, (premises, squares) in zip(lines, steps, strict=True)
    ]
    cases = [(i, s) for s in mixtures(stationary=optimum) for i in range(3)]

    def pair(case: tuple[int, Mixture]) -> tuple[Fraction, Fraction]:
        number, s = case
        zero = Fraction(0)
        mean = sum((h.gradient(zero) for h in s.clients), start=zero) / len(s.clients)
        left, right = (side.subs(Gs, sp.Rational(mean.numerator, mean.denominator)) for side in lines[number])
        return s.average(left), s.average(right)

    found = search(cases, pair, describe=lambda case: f"inequality {case[0] + 1}: {case[1]}")
    return all_certified(
        {f"inequality {i + 1}": proof for i, proof in enumerate(proofs)},
        found,
        method=f"squares, mean and deviation, averaged cocoercivity; {REDUCTION}",
        valid_for=GENERAL,
        tightness=attained("equality throughout when all losses are (beta/2)|.|^2"),
    )


if __name__ == "__main__":
    run_script(__file__)
