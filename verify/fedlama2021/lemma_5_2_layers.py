"""The reduction in the proof of Lemma 5.2 to full averaging: false as it stands, and what saves the lemma.

The smallest case: two clients, one dimension, three local steps, averaged after each of them (tau' = 1, phi = 3) or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness, tried
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.steps import Instance
from verify.fedlama2021.derivations.layers import some_layers
from verify.fedlama2021.lemma_5_2_displays import LAYERS, L, M, eta
from verify.fedlama2021.lemma_5_2_instances import ONE, value_at

of_the_reduction = inequality_claim.sharing(source="proof of Lemma 5.2, first sentences")
_H = sp.symbols("h_1 h_2")
_B = sp.symbols("b_1 b_2")
_BETA, _KAPPA, _x = sp.symbols("beta_sq kappa_sq x")
STEPS = 3


def discrepancy(averaged: bool) -> sp.Expr:
    """sum_j (1/2) sum_i |x^i_j|^2 over j < 3 from u = 0, with the clients averaged before each step or not."""
    models, total = [sp.Integer(0), sp.Integer(0)], sp.Integer(0)
    for _ in range(STEPS):
        if averaged:
            models = [sum(models) / 2] * 2
        total += sum(x**2 for x in models) / 2
        models = [x - eta * (h * x + b) for x, h, b in zip(models, _H, _B, strict=True)]
    return total


def dissimilar(curvatures: tuple[sp.Expr, sp.Expr] = _H) -> list[tuple[sp.Expr, str, sp.Expr]]:
    """A4 for all x: beta^2 |F'|^2 + kappa^2 less the clients' mean square is a square polynomial without change
    of sign."""
    gradients = [h * _x + b for h, b in zip(curvatures, _B, strict=True)]
    mean, squares = sum(gradients) / 2, sum(g**2 for g in gradients) / 2
    left = sp.Poly(sp.expand(_BETA * mean**2 + _KAPPA - squares), _x)
    second, first, constant = left.all_coeffs()
    return [(second, ">", sp.Integer(0)), (first**2, "<=", 4 * second * constant)]


@of_the_reduction(
    "LA-WORST[on one and the same problem]",
    statement=(
        r"\text{intermediate averages of layers do not increase }\ "
        r"\sum_{j=0}^{\tau-1}\frac1m\sum_{i=1}^m\mathbb{E}\|x^i_{t,j}-u_t\|^2"
    ),
    headline="Averaging layers more often can let the clients drift further from where they started",
    summary="The proof takes full averaging at the end of the round for the worst case. On one and the same problem it "
    "need not be: where the clients' curvatures differ, an average in between lowers the drift at once and can raise "
    "it later by more: three steps of two clients in one dimension. The lemma is true for every schedule "
    "nevertheless, by LA-LEM52.",
    fault="reading",
    repair="LA-WORST-R1",
    printed=dict(curvatures="-1/2"),
    controls=[Control("no step between the averages is different", dict(curvatures="1"), must="pass")],
)
def worst_case(curvatures: str) -> Evidence:
    """Curvatures -1/2 and 1, slopes -2 and -3, eta = 1/4, so that A = 3/4; with equal curvatures this case does
    not break it."""
    at = {_H[0]: Fraction(curvatures), _H[1]: 1, _B[0]: -2, _B[1]: -3, eta: Fraction(1, 4), L: 1, _BETA: 40, _KAPPA: 64}
    given = [(2 * eta**2 * L**2 * STEPS * (STEPS - 1), "<", sp.Integer(1))]
    given += [(h**2, "<=", L**2) for h in _H] + dissimilar()
    often, never = Side("discrepancy with averages", discrepancy(True)), Side("without", discrepancy(False))
    setting = (
        "two clients h_i x^2/2 + b_i x without noise, u = 0, tau = 3, averaged before every step (tau' = 1) or not"
    )
    return by_witness(Witness(at, often, "<=", never, given, setting))


@of_the_reduction(
    "LA-WORST[worst over the problems of the lemma]",
    statement=(
        r"\sup\frac1m\sum_{j=0}^{\tau-1}\sum_{i=1}^m\mathbb{E}\|x^i_{t,j}-u_t\|^2\text{ over all problems with the same }"
        r"L,\sigma,\beta^2,\kappa^2,\mathbb{E}\|\nabla F(u_t)\|^2\text{ is attained without averages within the round}"
    ),
    headline="Whether more averaging can raise the worst drift of all problems is not settled",
    summary="The reduction needs no more than this: the bound of the lemma depends only on these constants, so that "
    "the worst problem without averages may be another one than that with them. In one dimension without noise "
    "parabolas of the curvature -L, with the same gradients at the start, drift at least as far without averages as "
    "every pair of parabolas tried does with averages before every step.",
    printed=dict(factor="1"),
    controls=[Control("0.99 of the drift without averages", dict(factor="99/100"))],
)
def worst_of_all(factor: str) -> Evidence:
    """Pairs of parabolas with averages against the pair with curvatures -L without, all with the constants of the
    lemma."""
    bent = (-L, -L)
    never = Side(
        "of curvature -L without", sp.Rational(factor) * discrepancy(False).subs(dict(zip(_H, bent, strict=True)))
    )
    often = Side("discrepancy with averages", discrepancy(True))
    given = [(2 * eta**2 * L**2 * STEPS * (STEPS - 1), "<", sp.Integer(1)), *((h**2, "<=", L**2) for h in _H)]
    given += dissimilar() + dissimilar(bent)
    known = {eta: Fraction(1, 4), L: 1, _BETA: 40, _KAPPA: 100}
    setting = "two clients h_i x^2/2 + b_i x, then -L x^2/2 + b_i x, without noise, u = 0, tau = 3"
    bends = (-ONE, -ONE / 2, ONE / 2, ONE)
    pairs = [(h, k) for h, k in product(bends, repeat=2) if h + k]
    points = [dict(zip((*_H, *_B), (*pair, -2, b), strict=True)) for pair in pairs for b in (-2, -3)]
    found = tried(Witness(known | at, often, "<=", never, given, setting) for at in points)
    return decide(
        (False, "the reduction, of which no proof is printed"),
        found,
        method="Exact drifts of pairs of parabolas.",
        would_settle="a proof that for every problem and schedule some problem with the same constants drifts as far "
        "without averages, or a schedule whose worst drift is larger",
    )


@of_the_reduction(
    "LA-WORST-R1",
    statement=LAYERS,
    headline="Averaging some layers over the clients increases no mean square",
    summary="What the reduction may use: replacing layers by their averages over the clients increases the mean "
    "square of no vectors of the "
    "clients, and keeps sums of centred noises orthogonal to what is not drawn. With this the lemma is proved "
    "for every schedule.",
    printed=dict(factor="1"),
    controls=[Control("0.99 of the mean square before", dict(factor="99/100"))],
)
def no_longer(factor: str) -> Evidence:
    """Each layer keeps the average over the clients and a share of the deviations from it."""
    bound = replace(LAYERS, expression=sp.Rational(factor) * LAYERS.expression)

    def instances() -> Iterator[Instance]:
        for one, two in (((1, 1), (1, 1)), ((1, 2), (3, 0)), ((1, 0), (-1, 5))):
            pairs = [tuple(map(Fraction, pair)) for pair in (one, two)]
            before = sum((x**2 for pair in pairs for x in pair), Fraction(0)) / 2
            mean = sum((pair[0] for pair in pairs), Fraction(0)) / 2
            after = mean**2 + sum((pair[1] ** 2 for pair in pairs), Fraction(0)) / 2
            yield Instance(f"clients {one}, {two}, the first layer averaged", after, value_at(bound, {M.name: before}))

    return by_derivation(
        lambda: some_layers(factor),
        instances,
        method="Mean and deviation over the clients, layer by layer; of the noises by induction over the steps.",
        valid_for="all m, any layers, any dimension",
    )


if __name__ == "__main__":
    run_script(__file__)
