"""A round of 1-way Gradient Transfer: Lemmas D.9, D.10, D.12 of Mixed FL in all their forms.

Each ends in the expression of its own display, and a later one takes the conclusion of an earlier one and nothing else.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from fltheory.derivation.packs import UNBIASED, suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import one_round
from verify.mixed2022.derivations.one_function import cocoercive, losses

#: Everything that is averaged over within a round.
ALL = "k S j xi xc"
#: f(x) - f(x*).
GAP = "(f_x + fc_x - f_xs - fc_xs)"
AMOUNTS: Mapping[sp.Basic, str] = {
    one_round.drift: "sq(y - x)",
    one_round.G2: "sq(g_x + gc_x)",
    one_round.w2: "sq(x - xs)",
    one_round.S: "size",
    one_round.gap: GAP,
}


def one_way_round(
    title: str,
    *,
    top: str | None = None,
    unbiased: bool = True,
    at: str = "",
    least: str = "1",
    strongly: bool = False,
    points: str | None = None,
) -> Derivation:
    """x' = x - e (grad f_c(x) + c + cohort's mean of grad f_f at the local points y + n), with f = f_f + f_c.

    ``at``: "past t" for a round of many, with steps e > 0, else a round from a fixed model; ``least``: clients of a cohort;
    ``points``: what the local points are, where that is known.
    """
    d = losses(title, strongly=strongly)
    declare(d, "axes k S j xi xc")
    for axis, kind in (("past", "past"), ("t", "time")) if at else ():
        d.axis(axis, kind)
    for name, low in (("K", "1"), ("size", least)):
        d.parameter(name, low)
    declare(d, "V, C >= 0")
    d.parameter("e", 0, top, low_open=bool(at))
    d.vector("x", at)
    d.vector("y", f"k j xi xc {at}", equals=points)
    declare(d, f"function ff, fc; ff at x, y; fc at x as fc_x, gc_x; h over k xi xc {at} = mean(g_y - g_x, j)")
    d.cohort("M", of="h", clients="k", axis="S", scheme="equal inclusion", size="size")
    d.vector("n", f"S xi xc {at}", mean=[["xi", "0", UNBIASED]])
    d.vector("c", f"xc {at}", mean=[["xc", "0", "unbiased central gradient"]] if unbiased else [])
    d.vector("x1", f"S xi xc {at}", equals="x - e*(g_x + gc_x + c + M + n)")
    if at:
        d.next("x", "x1")
    granted(d, "Lipschitz gradients", "x y", of="ff", L="beta")
    granted(d, "variance of a mean", V="V", K="K", S="size", noise="n")
    granted(d, "central variance", C="C", noise="c")
    cohorts_drift(d)
    return d


def lemma_d9(d: Derivation, bound: Bound = one_round.LEMMA_D9, b: str = "1") -> None:
    """Lemma D.9 as a fact, the expected square of the update, split into M and the rest in the ratio ``b``."""
    given = sp.expand(bound.expression)
    on_m = text_of(given.coeff(one_round.drift) / one_round.beta**2)
    on_n = text_of(given.coeff(one_round.V) * one_round.K * one_round.S, AMOUNTS)
    on_c, on_g = (text_of(given.coeff(symbol)) for symbol in (one_round.C, one_round.G2))
    rest = f"e**2*(1 + {b})"
    squares = [[f"e**2*{b}", f"g_x + gc_x + c + n - M/({b})"], [f"{on_m} - e**2*(1 + 1/({b}))", "M"]]
    squares += [[f"{on_n} - {rest}", "n"], [f"{on_c} - {rest}", "c"], [f"{on_g} - {rest}", "g_x + gc_x"]]
    facts = {"cohort's drift": on_m, "variance of a mean": on_n, "central variance": on_c}
    target = f"{text_of(bound.expression, AMOUNTS)} - sq(x1 - x)"
    d.combine("Lemma D.9", target, over=ALL, facts=facts, squares=squares, unfold="x1")


def lemma_d9_alone(bound: Bound = one_round.LEMMA_D9, b: str = "1") -> Mapping[str, JSON]:
    """Lemma D.9."""
    d = one_way_round("Mixed FL, Lemma D.9")
    if b == "b":
        d.parameter("b", 0, low_open=True)
    lemma_d9(d, bound, b)
    return d.concluding("Lemma D.9")


def cohorts_drift(d: Derivation, name: str = "cohort's drift", at_x: str = "g_x", over: str = ALL) -> None:
    """Drift times beta^2 is at least |h|^2 of a client, and |M|^2 of the cohort."""
    squares, facts = [["1", f"g_y - {at_x} - mean(g_y - {at_x}, j)"]], {"Lipschitz gradients": "1"}
    d.combine("own drift", "beta**2*sq(y - x) - sq(h)", over="j", facts=facts, squares=squares, unfold="h")
    d.combine(name, "beta**2*sq(y - x) - sq(M)", over=over, facts={"own drift": "1", "M": "1"})


def convex_losses(d: Derivation) -> None:
    """f_f and f_c beta-smooth and mu-convex."""
    for of, label in (("ff", ""), ("fc", "fc ")):
        suppose(d, "smooth", of=of, name=f"{label}smooth", L="beta")
        suppose(d, "convex", of=of, name=f"{label}convex")
        suppose(d, "strongly convex", of=of, name=f"{label}strongly convex", mu="mu")


def optimum(d: Derivation) -> None:
    """x* an optimum of the sum of smooth and convex losses, and D.6 at x."""
    declare(d, "ff at xs; fc at xs as fc_xs, gc_xs = -g_xs")
    for of in ("ff", "fc"):
        cocoercive(d, f"cocoercive {of}", "xs", "x", of=of)
    squares = [["1", "g_x - g_xs - gc_x + gc_xs"]]
    facts = {"cocoercive ff": "4*beta", "cocoercive fc": "4*beta"}
    d.combine("D.6", f"4*beta*{GAP} - sq(g_x + gc_x)", facts=facts, squares=squares, unfold="gc_xs")


def perturbed_convexity(
    d: Derivation, name: str, y: str = "y", f: str = "f", g: str = "g", label: str = "", over: str = ""
) -> None:
    """Lemma D.7 at the local points y of the clients, or of the centre."""
    d.assume(f"D.1 for {name}", f"{label}smooth", [y, "x"])
    d.assume(f"D.4 for {name}", f"{label}strongly convex", [y, "xs"])
    target = f"dot({g}_{y}, x - xs) - {f}_x + {f}_xs - mu/4*sq(x - xs) + beta*sq({y} - x)"
    squares = [["mu/4", f"xs - {y} + x - {y}"], ["(beta - mu)/2", f"x - {y}"]]
    d.combine(name, target, over=over, facts={f"D.1 for {name}": "1", f"D.4 for {name}": "1"}, squares=squares)


def near_the_optimum(d: Derivation) -> None:
    """x*, an optimum of f = f_f + f_c, convexity of the losses, and what follows at x and at the local points."""
    d.vector("xs")
    convex_losses(d)
    optimum(d)
    d.assume("D.4", "fc strongly convex", ["x", "xs"])
    perturbed_convexity(d, "D.7 at the local points")


def lemma_d10(
    d: Derivation, bound: Bound = one_round.LEMMA_D10, update: Bound = one_round.LEMMA_D9, b: str = "1"
) -> None:
    """Lemma D.10 as a fact: D.9 split in the ratio ``b``, D.7 at the local points, D.4 for the centre, D.6.

    What its constants have beyond the printed proof's goes to squares.
    """
    if "D.6" not in d.state.facts:
        near_the_optimum(d)
    update_bound = sp.expand(update.expression.subs(one_round.b, sp.Rational(b)))
    lemma_d9(d, replace(update, expression=update_bound), b)
    e, beta, mu = one_round.e, one_round.beta, one_round.mu
    given = sp.expand(bound.expression)
    drift = given.coeff(one_round.drift) - 2 * beta * e - update_bound.coeff(one_round.drift)
    d6, spent = (given.coeff(one_round.gap) + 2 * e) / (4 * beta), update_bound.coeff(one_round.G2)
    distance = given.coeff(one_round.w2) - 1 + sp.Rational(3, 2) * mu * e
    squares = [[text_of(drift), "y - x"], [text_of(d6 - spent), "g_x + gc_x"], [text_of(distance), "x - xs"]]
    facts = {"Lemma D.9": "1", "D.7 at the local points": "2*e", "D.4": "2*e", "D.6": text_of(d6)}
    target = f"{text_of(bound.expression, AMOUNTS)} - sq(x1 - xs)"
    d.combine("Lemma D.10", target, over=ALL, facts=facts, squares=squares, unfold="x1 h")


def lemma_d10_alone(
    bound: Bound = one_round.LEMMA_D10, update: Bound = one_round.LEMMA_D9, b: str = "1", *, top: str = "1/8"
) -> Mapping[str, JSON]:
    """Lemma D.10 for effective steps up to ``top``/beta."""
    d = one_way_round("Mixed FL, Lemma D.10", top=f"{top}/beta")
    lemma_d10(d, bound, update, b)
    return d.concluding("Lemma D.10")


def smooth_sum(d: Derivation, smoothness: str) -> None:
    """f = f_f + f_c, ``smoothness`` times beta-smooth, at x and at the model after the round."""
    declare(d, f"let Lf = {smoothness}*beta; function f; f at x as f_all, g_all = g_x + gc_x")
    d.vector("after", sorted(d.state.vectors["x1"]["axes"]), equals="x1")
    d.point("after", "f", value="f_after", gradient="g_after")
    granted(
        d,
        "smooth",
        "x after",
        fact="descent",
        of="f",
        name="f smooth",
        L="beta" if smoothness == "1" else f"beta*{smoothness}",
    )


def lemma_d12(d: Derivation, bound: Bound, smoothness: str, cross: str, client: str, central: str | None) -> None:
    """Lemma D.12 as a fact, for f smooth with ``smoothness`` times beta: descent, and Young's inequality with three weights.

    ``cross`` for <grad f, M>, ``client`` for <M, n>, ``central`` for <M, c>; without it n + c is treated as one vector.
    """
    smooth_sum(d, smoothness)
    noises = [[f"Lf*e**2/2*{client}", f"n - M/({client})" if central else f"n + c - M/({client})"]]
    noises += [[f"Lf*e**2/2*{central}", f"c - M/({central})"]] if central else []
    share = f"(e - Lf*e**2)/2*{cross}"
    on_m = f"(e - Lf*e**2)/2/({cross}) + Lf*e**2/2*(1 + 1/({client}){f' + 1/({central})' if central else ''})"
    on_c = f"Lf*e**2/2*(1 + {central or client})"
    given = sp.expand(bound.expression)
    drift = f"{text_of(given.coeff(one_round.drift))} - beta**2*({on_m})"
    gradient = f"{text_of(given.coeff(one_round.G2))} + e - Lf*e**2/2 - {share}"
    facts: dict[str, Any] = {"descent": "1", "cohort's drift": on_m, "central variance": on_c}
    facts["variance of a mean"] = f"Lf*e**2/2*(1 + {client})"
    squares = [[share, f"g_all + M/({cross})"], *noises, [drift, "y - x"], [gradient, "g_all"]]
    target = f"{text_of(bound.expression, AMOUNTS)} - f_after + f_all"
    d.combine("Lemma D.12", target, over=ALL, facts=facts, squares=squares, unfold="after x1 g_all")


def lemma_d12_alone(
    bound: Bound, smoothness: str, cross: str, client: str, central: str | None, *, top: str | None = "1/(18*beta)"
) -> Mapping[str, JSON]:
    """Lemma D.12 for effective steps up to ``top``."""
    d = one_way_round("Mixed FL, Lemma D.12", top=top)
    lemma_d12(d, bound, smoothness, cross, client, central)
    return d.concluding("Lemma D.12")
