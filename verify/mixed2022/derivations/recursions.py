"""The recursions of Appendix D.2 of Mixed FL: a round by D.10 or D.12, with the drift that D.11 or D.13 bounds.

The bound of the drift is taken from its object as a hypothesis on the local points, K eta = e/eta_s and u = 1/eta_s^2.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import assembly, one_round
from fltheory.theory.mixed2022 import drift as drifts
from verify.mixed2022.derivations.one_round import ALL, AMOUNTS, lemma_d10, lemma_d12, one_way_round

_U = sp.Symbol("u", positive=True)


def bounded_drift(d: Derivation, drift: Bound) -> sp.Expr:
    """The hypothesis that a lemma on the drift says, and its right-hand side in e and u."""
    inside = drift.expression.subs(one_round.eta, one_round.e / (one_round.K * one_round.eta_s))
    inside = sp.expand(inside.subs(one_round.eta_s, 1 / sp.sqrt(_U)).subs(_U, sp.Symbol("u")))
    d.hypothesis(drift.name, f"{text_of(inside, AMOUNTS)} - sq(y - x)", over=ALL)
    d.assume("drift", drift.name)
    return inside


def convex_recursion(
    bound: Bound = assembly.CVX_REC,
    lemma: Bound = one_round.LEMMA_D10,
    drift: Bound = drifts.LEMMA_D11_PROOF,
    update: Bound = one_round.LEMMA_D9,
    b: str = "1",
    *,
    top: str = "1/8",
) -> Mapping[str, JSON]:
    """Lemma D.10 with the drift of Lemma D.11, for eta_s^2 >= 5S/8 and effective steps up to ``top``/beta."""
    d = one_way_round("Mixed FL, convex recursion", top=f"{top}/beta")
    d.parameter("u", 0, "8/(5*size)")
    lemma_d10(d, lemma, update, b)
    inside, target, given = bounded_drift(d, drift), sp.expand(bound.expression), sp.expand(lemma.expression)
    share = given.coeff(one_round.drift)
    gap = target.coeff(one_round.gap) - given.coeff(one_round.gap) - share * inside.coeff(one_round.gap)
    d6, spent = gap / (4 * one_round.beta), share * inside.coeff(one_round.G2)
    distance = target.coeff(one_round.w2) - given.coeff(one_round.w2)
    d.combine(
        "recursion",
        f"{text_of(bound.expression, AMOUNTS)} - sq(x1 - xs)",
        over=ALL,
        facts={"Lemma D.10": "1", "drift": text_of(share), "D.6": text_of(d6, AMOUNTS)},
        squares=[[text_of(d6 - spent, AMOUNTS), "g_x + gc_x"], [text_of(distance), "x - xs"]],
    )
    return d.concluding("recursion")


def smooth_recursion(
    bound: Bound,
    lemma: Bound,
    smoothness: str,
    cross: str,
    client: str,
    central: str | None,
    drift: Bound = drifts.LEMMA_D13,
) -> Mapping[str, JSON]:
    """Lemma D.12, as it is derived with these weights, with the drift of Lemma D.13, for eta_s^2 >= S."""
    d = one_way_round("Mixed FL, nonconvex recursion", top="1/(18*beta)")
    d.parameter("u", 0, "1/size")
    lemma_d12(d, lemma, smoothness, cross, client, central)
    inside, target, given = bounded_drift(d, drift), sp.expand(bound.expression), sp.expand(lemma.expression)
    share = given.coeff(one_round.drift)
    gradient = target.coeff(one_round.G2) - given.coeff(one_round.G2) - share * inside.coeff(one_round.G2)
    d.combine(
        "recursion",
        f"{text_of(bound.expression, AMOUNTS)} - f_after + f_all",
        over=ALL,
        facts={"Lemma D.12": "1", "drift": text_of(share)},
        squares=[[text_of(gradient, AMOUNTS), "g_x + gc_x"]],
    )
    return d.concluding("recursion")
