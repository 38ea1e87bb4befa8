"""The recursions of Appendix D.2 of Mixed FL: a round by D.10 or D.12, with the drift that D.11 or D.13 bounds.

The local points are those of a lemma on the local steps of one loss, of size eta = e/(K eta_s); v is 1/eta_s, u is v^2.
"""

from collections.abc import Mapping
from typing import Any

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import assembly, one_round
from fltheory.theory.mixed2022 import drift as drifts
from verify.mixed2022.derivations.one_round import ALL, AMOUNTS, lemma_d10, lemma_d12, one_way_round
from verify.mixed2022.derivations.one_side import DRIFT, drift_of_a_side

_U = sp.Symbol("u", positive=True)
#: What the sharpened recursions, and the printed one for f_f and f_c beta-smooth, are made of besides their own bounds.
SHARP_CONVEX = (one_round.LEMMA_D10_SHARP, drifts.LEMMA_D11_SHARP, one_round.LEMMA_D9_SHARP, "1/4")
SHARP_SMOOTH = (one_round.LEMMA_D12_SHARP, "2", "1/3", "1/4", None, drifts.LEMMA_D13_SHARP)
PRINTED_SMOOTH = (one_round.LEMMA_D12_REPAIRED, "2", "1", "1", "1/2")


def bounded_drift(d: Derivation, drift: Bound, *, convex: bool, supposed: bool = False) -> sp.Expr:
    """A lemma on the drift as the fact "drift", from one on the local steps of one loss or ``supposed``; its right side in e, u."""
    inside = drift.expression.subs(one_round.eta, one_round.e / (one_round.K * one_round.eta_s))
    inside = sp.expand(inside.subs(one_round.eta_s, 1 / sp.sqrt(_U)).subs(_U, sp.Symbol("u")))
    d.parameter("u", 0, "8/(5*size)" if convex else "1/size")
    if supposed:
        granted(d, drift.name, fact="drift", form=f"{text_of(inside, AMOUNTS)} - sq(y - x)", over=ALL)
        return inside
    d.parameter("v", 0, f"({'8/5' if convex else '1'}/size + 1)/2")  # above the root of the upper end of u
    granted(d, "u = v^2, v = 1/eta_s", fact="v squared", form="u - v**2", relation="=")
    lemma = "local steps on one loss"
    d.lemma(lemma, drift_of_a_side(convex=convex))
    names = {"past": "xi", "t": "j", "beta": "beta", "K": "K", "V": "V", "eta": "e*v/K"}
    names |= {"h": "ff", "x": "x", "y": "y", "b": "gc_x + c"}
    known = ("smooth", "convex") if convex else ("Lipschitz gradients",)
    d.apply("drift of the clients", lemma, DRIFT, names=names, hypotheses={one: one for one in known})
    d.scaled("first gradients", "v squared", "g_x + gc_x + c")
    spent = "2*e**2*u"
    facts = {
        "drift of the clients": "1",
        "first gradients": "2*e**2",
        "v squared": "2*e**2*V/K",
        "central variance": spent,
    }
    gap = inside.coeff(one_round.gap) / (4 * one_round.beta)
    facts |= {"D.6": text_of(gap)} if gap else {}
    squares = [[f"{text_of(gap + inside.coeff(one_round.G2))} - {spent}", "g_x + gc_x"]]
    d.combine("drift", f"{text_of(inside, AMOUNTS)} - sq(y - x)", over=ALL, facts=facts, squares=squares)
    return inside


def convex_recursion(
    bound: Bound = assembly.CVX_REC, *lemmas: Any, top: str = "1/8", **more: Any
) -> Mapping[str, JSON]:
    """Lemma D.10 with the drift of Lemma D.11, for eta_s^2 >= 5S/8 and effective steps up to ``top``/beta."""
    d = one_way_round("Mixed FL, convex recursion", top=f"{top}/beta")
    convex_round(d, bound, *lemmas, **more)
    return d.concluding("recursion")


def convex_round(
    d: Derivation,
    bound: Bound,
    lemma: Bound = one_round.LEMMA_D10,
    drift: Bound = drifts.LEMMA_D11_PROOF,
    update: Bound = one_round.LEMMA_D9,
    b: str = "1",
    *,
    supposed: bool = False,
) -> None:
    """The convex recursion as a fact."""
    lemma_d10(d, lemma, update, b)
    inside = bounded_drift(d, drift, convex=True, supposed=supposed)
    target, given = sp.expand(bound.expression), sp.expand(lemma.expression)
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


def smooth_recursion(bound: Bound, *lemmas: Any) -> Mapping[str, JSON]:
    """Lemma D.12, as it is derived with these weights, with the drift of Lemma D.13, for eta_s^2 >= S."""
    d = one_way_round("Mixed FL, nonconvex recursion", top="1/(18*beta)")
    smooth_round(d, bound, *lemmas)
    return d.concluding("recursion")


def smooth_round(
    d: Derivation,
    bound: Bound,
    lemma: Bound,
    smoothness: str,
    cross: str,
    client: str,
    central: str | None,
    drift: Bound = drifts.LEMMA_D13,
    *,
    supposed: bool = False,
) -> None:
    """The recursion without convexity as a fact."""
    lemma_d12(d, lemma, smoothness, cross, client, central)
    inside = bounded_drift(d, drift, convex=False, supposed=supposed)
    target, given = sp.expand(bound.expression), sp.expand(lemma.expression)
    share = given.coeff(one_round.drift)
    gradient = target.coeff(one_round.G2) - given.coeff(one_round.G2) - share * inside.coeff(one_round.G2)
    d.combine(
        "recursion",
        f"{text_of(bound.expression, AMOUNTS)} - f_after + f_all",
        over=ALL,
        facts={"Lemma D.12": "1", "drift": text_of(share)},
        squares=[[text_of(gradient, AMOUNTS), "g_x + gc_x"]],
    )


def mean_of_errors(bound: Bound, *, last: bool = False) -> Mapping[str, JSON]:
    """From d_{t+1} <= d_t - eta e_t at the times 0..T with eta = 1/(8 beta): the mean of the errors, or their last one."""
    d = Derivation("Mixed FL, errors from the convex recursion without noise")
    declare(d, "axes t; beta > 0; T, eta >= 0")
    d.choose("eta", "1/(8*beta)")
    declare(d, "value distance, distance_after, error over t; next distance = distance_after")
    granted(d, "recursion", form="distance - eta*error - distance_after")
    granted(d, "distances are squares", form="distance_after")
    d.define("D", "distance", [], "t", "D_next", [], first="D_start", last="D_end")
    facts = {"recursion": "1", "D": "1", "D_next": "-1"}
    d.combine("in numbers", "D - D_next - eta*error", facts=facts)
    d.telescope("summed", "in numbers", ["D"], "T + 1")
    d.combine("not negative", "D_next", facts={"distances are squares": "1", "D_next": "1"})
    d.end("at the end", "not negative", ["D"], last=True)
    d.parameter("D_sq", 0)
    granted(d, "start", fact="at the start", D1="D_sq", Delta_1="D_start")
    facts = {"summed": "8*beta", **dict.fromkeys(("at the end", "at the start"), "8*beta/(T + 1)")}
    left, over = ("error", "") if last else ("mean(error, t)", "t")
    d.combine("the errors", f"{text_of(bound.expression)} - {left}", over=over, facts=facts)
    return d.concluding("the errors")
