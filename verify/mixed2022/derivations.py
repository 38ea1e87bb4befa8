"""Mixed Federated Learning derived: Propositions D.5, D.6, Lemmas D.7, D.8, and a round of 1-way transfer, D.9, D.10, D.12.

Each ends in the expression of its own display, so that a later lemma takes the conclusion of an earlier one and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from fltheory.derivation.packs import UNBIASED, suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import convex as displays
from fltheory.theory.mixed2022 import one_round

#: Everything that is averaged over within a round.
ALL = "k S j xi xc"


def losses(title: str, *, modulus: bool = True) -> Derivation:
    """Constants beta and mu <= beta, and no more."""
    d = Derivation(title)
    d.parameter("beta", 0, low_open=True)
    if modulus:
        d.parameter("mu", 0, "beta")
    return d


def one_function(title: str, *, convex: bool = True) -> Derivation:
    """A beta-smooth and mu-convex h at x, y, z."""
    d = losses(title)
    d.function("h")
    for point in ("x", "y", "z"):
        d.vector(point)
        d.point(point, "h", value=f"h{point}", gradient=f"g{point}")
    suppose(d, "smooth", of="h", L="beta")
    if convex:
        suppose(d, "strongly convex", of="h", mu="mu")
        suppose(d, "convex", of="h")
    return d


def lemma_d7(bound: Bound = displays.LEMMA_D7, *, convex: bool = True) -> Mapping[str, JSON]:
    """Lemma D.7: D.1 from x to z and D.4 from x to y; what the penalty has beyond (beta + mu)/2 is room."""
    d = one_function("Mixed FL, Lemma D.7", convex=convex)
    far, move = displays.NormSq(displays.y - displays.z), displays.NormSq(displays.z - displays.x)
    right = text_of(bound.expression, {far: "sq(y - z)", move: "sq(z - x)"})
    room = text_of(-bound.expression.coeff(move) - (displays.beta + displays.mu) / 2)
    share = text_of(displays.mu / 2 - bound.expression.coeff(far))
    d.assume("D.1", "smooth", ["x", "z"])
    d.assume("D.4", "strongly convex", ["x", "y"])
    squares = [[share, "y - x + z - x"], [room, "z - x"]]
    d.combine("Lemma D.7", f"dot(gx, z - y) - ({right})", facts={"D.1": "1", "D.4": "1"}, squares=squares)
    return d.concluding("Lemma D.7")


def cocoercive(d: Derivation, name: str, x: str, y: str, *, of: str, beta: str = "beta") -> None:
    """f(y) >= f(x) + <grad f(x), y - x> + |grad f(y) - grad f(x)|^2/(2 beta), at the step below y."""
    fx, gx = d.state.points[of, x]
    fy, gy = d.state.points[of, y]
    lower = f"{y}_below_{x}_{of}"
    axes = " ".join(sorted(d.state.vectors[gx]["axes"] | d.state.vectors[gy]["axes"]))
    d.vector(lower, axes, equals=f"{y} - ({gy} - {gx})/{beta}")
    d.point(lower, of)
    smooth, below = ("smooth", "convex") if of != "fc" else ("fc smooth", "fc convex")
    d.assume(f"{name}: smooth", smooth, [y, lower])
    d.assume(f"{name}: convex", below, [x, lower])
    target = f"{fy} - {fx} - dot({gx}, {y} - {x}) - sq({gy} - {gx})/(2*{beta})"
    d.combine(name, target, facts={f"{name}: smooth": "1", f"{name}: convex": "1"}, unfold=lower)


def clients_and_centre(title: str, *, convex: bool, optimum: bool) -> Derivation:
    """Convex beta-smooth losses f_k of the clients and f_c of the centre at x and at an optimum x* of their sum."""
    d = losses(title, modulus=False)
    d.axis("k", "clients")
    d.function("f", "k")
    d.function("fc")
    for point in ("x", "xs"):
        d.vector(point)
        d.point(point, "f")
    d.point("x", "fc", value="fc_x", gradient="gc_x")
    d.point("xs", "fc", value="fc_xs", gradient="gc_xs", equals="-mean(g_xs, k)" if optimum else None)
    for of, label in (("f", ""), ("fc", "fc ")):
        suppose(d, "smooth", of=of, name=f"{label}smooth", L="beta")
        if convex:
            suppose(d, "convex", of=of, name=f"{label}convex")
    cocoercive(d, "clients", "xs", "x", of="f")
    cocoercive(d, "centre", "xs", "x", of="fc")
    return d


_GAP = "mean(f_x - f_xs, k) + fc_x - fc_xs"


def proposition_d5(
    bound: Bound = displays.PROPOSITION_D5, *, convex: bool = True, optimum: bool = True
) -> Mapping[str, JSON]:
    """Proposition D.5."""
    d = clients_and_centre("Mixed FL, Proposition D.5", convex=convex, optimum=optimum)
    left = {
        displays.ClientSum(displays.p * displays.NormSq(displays.g - displays.gs)): "sq(g_x - g_xs)",
        displays.NormSq(displays.gc - displays.gcs): "sq(gc_x - gc_xs)",
    }
    target = f"{_GAP} - ({text_of(bound.left, left)})"
    d.combine("Proposition D.5", target, over="k", facts={"clients": "1", "centre": "1"}, unfold="gc_xs")
    return d.concluding("Proposition D.5")


def proposition_d6(bound: Bound = displays.PROPOSITION_D6, *, convex: bool = True) -> Mapping[str, JSON]:
    """Proposition D.6: |grad f(x)|^2 <= 4 beta (f(x) - f*), from D.5's cocoercivity and two squares."""
    d = clients_and_centre("Mixed FL, Proposition D.6", convex=convex, optimum=True)
    right = text_of(bound.expression, {displays.F - displays.Fs: f"({_GAP})"})
    facts = {"clients": "4*beta", "centre": "4*beta"}
    squares = [["1", "mean(g_x - g_xs, k) - gc_x + gc_xs"], ["2", "g_x - g_xs - mean(g_x - g_xs, k)"]]
    target = f"{right} - sq(mean(g_x, k) + gc_x)"
    d.combine("Proposition D.6", target, over="k", facts=facts, squares=squares, unfold="gc_xs")
    return d.concluding("Proposition D.6")


def lemma_d8(bound: Bound = displays.LEMMA_D8, *, top: str = "1/beta", convex: bool = True) -> Mapping[str, JSON]:
    """Lemma D.8: a gradient step contracts by 1 - mu eta, from cocoercivity and strong convexity, both ways."""
    d = one_function("Mixed FL, Lemma D.8", convex=convex)
    d.parameter("eta", 0, top)
    cocoercive(d, "from x", "x", "y", of="h")
    cocoercive(d, "from y", "y", "x", of="h")
    d.assume("D.4 from x", "strongly convex", ["x", "y"])
    d.assume("D.4 from y", "strongly convex", ["y", "x"])
    between = displays.NormSq(displays.x - displays.y)
    right = text_of(bound.expression, {between: "sq(x - y)"})
    facts = {name: "beta*eta**2" for name in ("from x", "from y")}
    facts |= {name: "2*eta - beta*eta**2" for name in ("D.4 from x", "D.4 from y")}
    room = bound.expression.coeff(between) - 1 + displays.mu * displays.eta * (2 - displays.beta * displays.eta)
    squares = [[text_of(room), "x - y"]]
    d.combine("Lemma D.8", f"{right} - sq(x - eta*gx - y + eta*gy)", facts=facts, squares=squares)
    return d.concluding("Lemma D.8")


def one_way_round(title: str, *, top: str | None = None) -> Derivation:
    """x' = x - e (grad f_c(x) + c + cohort's mean of grad f_f at the local points y + n), with f = f_f + f_c."""
    d = losses(title)
    for axis, kind in (("k", "clients"), ("S", "cohort"), ("j", "steps"), ("xi", "noise"), ("xc", "noise")):
        d.axis(axis, kind)
    for name in ("K", "size"):
        d.parameter(name, 1)
    for name in ("V", "C"):
        d.parameter(name, 0)
    d.parameter("e", 0, top)
    d.vector("x")
    d.vector("y", "k j xi xc")
    d.function("ff")
    d.function("fc")
    for point in ("x", "y"):
        d.point(point, "ff")
    d.point("x", "fc", value="fc_x", gradient="gc_x")
    d.vector("h", "k xi xc", equals="mean(g_y - g_x, j)")
    d.cohort("M", of="h", clients="k", axis="S", scheme="equal inclusion", size="size")
    d.vector("n", "S xi xc", mean=[["xi", "0", UNBIASED]])
    d.vector("c", "xc", mean=[["xc", "0", "unbiased central gradient"]])
    d.vector("x1", "S xi xc", equals="x - e*(g_x + gc_x + c + M + n)")
    suppose(d, "Lipschitz gradients", of="ff", L="beta")
    suppose(d, "variance of a mean", V="V", K="K", S="size", noise="n")
    suppose(d, "central variance", C="C", noise="c")
    for name, points in (("variance of a mean", ()), ("central variance", ()), ("Lipschitz gradients", ("x", "y"))):
        d.assume(name, name, points)
    return d


_AMOUNTS = {
    one_round.drift: "sq(y - x)",
    one_round.G2: "sq(g_x + gc_x)",
    one_round.w2: "sq(x - xs)",
    one_round.S: "size",
}


def lemma_d9(d: Derivation, bound: Bound = one_round.LEMMA_D9) -> None:
    """Lemma D.9 as a fact: the expected square of the update."""
    facts = {"Lipschitz gradients": "1"}
    squares = [["1", "g_y - g_x - mean(g_y - g_x, j)"]]
    d.combine("own drift", "beta**2*sq(y - x) - sq(h)", over="j", facts=facts, squares=squares, unfold="h")
    d.combine("cohort's drift", "beta**2*sq(y - x) - sq(M)", over=ALL, facts={"own drift": "1", "M": "1"})
    d.combine(
        "Lemma D.9",
        f"{text_of(bound.expression, _AMOUNTS)} - sq(x1 - x)",
        over=ALL,
        facts={"cohort's drift": "4*e**2", "variance of a mean": "4*e**2", "central variance": "2*e**2"},
        squares=[["e**2", "g_x + gc_x + c + n - M"], ["2*e**2", "M"], ["2*e**2", "n"]],
        unfold="x1",
    )


def lemma_d9_alone(bound: Bound = one_round.LEMMA_D9) -> Mapping[str, JSON]:
    """Lemma D.9."""
    d = one_way_round("Mixed FL, Lemma D.9")
    lemma_d9(d, bound)
    return d.concluding("Lemma D.9")


def near_the_optimum(d: Derivation) -> None:
    """x*, an optimum of f = f_f + f_c, and convexity of the losses."""
    d.vector("xs")
    d.point("xs", "ff")
    d.point("xs", "fc", value="fc_xs", gradient="gc_xs", equals="-g_xs")
    for of, label in (("ff", ""), ("fc", "fc ")):
        suppose(d, "smooth", of=of, name=f"{label}smooth", L="beta")
        suppose(d, "convex", of=of, name=f"{label}convex")
        suppose(d, "strongly convex", of=of, name=f"{label}strongly convex", mu="mu")


_ONE_GAP = "(f_x + fc_x - f_xs - fc_xs)"


def lemma_d10(
    bound: Bound = one_round.LEMMA_D10, update: Bound = one_round.LEMMA_D9, *, top: str = "1/8"
) -> Mapping[str, JSON]:
    """Lemma D.10: D.9, D.7 at the local points, D.4 for the centre, D.6."""
    d = one_way_round("Mixed FL, Lemma D.10", top=f"{top}/beta")
    near_the_optimum(d)
    lemma_d9(d, update)
    for of, name in (("ff", "ff"), ("fc", "fc")):
        cocoercive(d, f"cocoercive {name}", "xs", "x", of=of)
    squares = [["1", "g_x - g_xs - gc_x + gc_xs"]]
    facts = {"cocoercive ff": "4*beta", "cocoercive fc": "4*beta"}
    d.combine("D.6", f"4*beta*{_ONE_GAP} - sq(g_x + gc_x)", facts=facts, squares=squares, unfold="gc_xs")
    d.assume("D.4", "fc strongly convex", ["x", "xs"])
    d.assume("D.1 at the local points", "smooth", ["y", "x"])
    d.assume("D.4 at the local points", "strongly convex", ["y", "xs"])
    target = "dot(g_y, x - xs) - f_x + f_xs - mu/4*sq(x - xs) + beta*sq(y - x)"
    squares = [["mu/4", "xs - y + x - y"], ["(beta - mu)/2", "x - y"]]
    facts = {"D.1 at the local points": "1", "D.4 at the local points": "1"}
    d.combine("D.7 at the local points", target, facts=facts, squares=squares)
    d.combine(
        "Lemma D.10",
        f"{text_of(bound.expression, {**_AMOUNTS, one_round.gap: _ONE_GAP})} - sq(x1 - xs)",
        over=ALL,
        unfold="x1 h",
        **_room(bound, update),
    )
    return d.concluding("Lemma D.10")


def _room(bound: Bound, update: Bound) -> dict[str, Any]:
    """Multipliers of Lemma D.10; what its constants have beyond the printed proof's goes to squares."""
    e, beta, mu = one_round.e, one_round.beta, one_round.mu
    given, used = sp.expand(bound.expression), sp.expand(update.expression)
    drift = given.coeff(one_round.drift) - 2 * beta * e - used.coeff(one_round.drift)
    gap = given.coeff(one_round.gap) + 2 * e - 4 * beta * used.coeff(one_round.G2)
    distance = given.coeff(one_round.w2) - 1 + sp.Rational(3, 2) * mu * e
    spare = text_of(sp.expand(gap / (4 * beta)))
    d6 = text_of(sp.expand(used.coeff(one_round.G2) + gap / (4 * beta)))
    facts = {"Lemma D.9": "1", "D.7 at the local points": "2*e", "D.4": "2*e", "D.6": d6}
    squares = [[text_of(drift), "y - x"], [spare, "g_x + gc_x"], [text_of(distance), "x - xs"]]
    return {"facts": facts, "squares": squares}


def lemma_d12(
    bound: Bound, smoothness: str, cross: str, client: str, central: str | None, *, top: str | None = "1/(18*beta)"
) -> Mapping[str, JSON]:
    """Lemma D.12 for f smooth with ``smoothness`` times beta: the descent inequality, and Young's with three weights.

    ``cross`` for <grad f, M>, ``client`` for <M, n>, ``central`` for <M, c>; without it n + c is treated as one vector.
    """
    d = one_way_round("Mixed FL, Lemma D.12", top=top)
    d.let("Lf", f"{smoothness}*beta")
    d.function("f")
    d.point("x", "f", value="f_all", gradient="g_all", equals="g_x + gc_x")
    d.vector("after", "S xi xc", equals="x1")
    d.point("after", "f", value="f_after", gradient="g_after")
    suppose(d, "smooth", of="f", name="f smooth", L="Lf")
    d.assume("descent", "f smooth", ["x", "after"])
    squares = [["1", "g_y - g_x - mean(g_y - g_x, j)"]]
    facts = {"Lipschitz gradients": "1"}
    d.combine("own drift", "beta**2*sq(y - x) - sq(h)", over="j", facts=facts, squares=squares, unfold="h")
    d.combine("cohort's drift", "beta**2*sq(y - x) - sq(M)", over=ALL, facts={"own drift": "1", "M": "1"})
    noises = [[f"Lf*e**2/2*{client}", f"n - M/({client})" if central else f"n + c - M/({client})"]]
    noises += [[f"Lf*e**2/2*{central}", f"c - M/({central})"]] if central else []
    share = f"(e - Lf*e**2)/2*{cross}"
    on_m = f"(e - Lf*e**2)/2/({cross}) + Lf*e**2/2*(1 + 1/({client}){f' + 1/({central})' if central else ''})"
    on_c = f"Lf*e**2/2*(1 + {central or client})"
    given = sp.expand(bound.expression)
    drift = f"{text_of(given.coeff(one_round.drift))} - beta**2*({on_m})"
    gradient = f"{text_of(given.coeff(one_round.G2))} + e - Lf*e**2/2 - {share}"
    d.combine(
        "Lemma D.12",
        f"{text_of(bound.expression, _AMOUNTS)} - f_after + f_all",
        over=ALL,
        facts={
            "descent": "1",
            "cohort's drift": on_m,
            "variance of a mean": f"Lf*e**2/2*(1 + {client})",
            "central variance": on_c,
        },
        squares=[[share, f"g_all + M/({cross})"], *noises, [drift, "y - x"], [gradient, "g_all"]],
        unfold="after x1 g_all",
    )
    return d.concluding("Lemma D.12")
