"""A beta-smooth and mu-strongly convex function at its points: A4 and Lemmas 5 and 6 in all their forms, and their steps."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.contraction import both_ways, contracts, interpolated
from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.segments import LOWER, UPPER, along_a_segment
from fltheory.derivation.statement import text_of
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.notation import Inner, NormSq
from verify.elastic2023 import smooth
from verify.elastic2023.smooth import beta, eta, mu, x, y, z


def gap_of(bound: Bound, names: Mapping[sp.Basic, str] | None = None) -> str:
    """The larger side of a bound less the smaller one, its squares and products as derivations write them."""
    sides = [bound.expression] if isinstance(bound.left, str) else [bound.expression, -bound.left]
    whole = sum(sides) * (-1 if bound.relation == ">=" else 1)
    written = {node: f"sq({node.args[0]})" for node in whole.atoms(NormSq)}
    written |= {node: f"dot({node.args[0]}, {node.args[1]})" for node in whole.atoms(Inner)}
    return text_of(whole, {**written, **(names or {})})


def one_function(title: str, *, points: str = "xyz", convex: bool = True, ordered: bool = True) -> Derivation:
    """h at points, values ``h_x`` and gradients ``g_x``; not ``ordered``: nothing is said of mu and beta together."""
    d = Derivation(f"Elastic aggregation, {title}")
    d.parameter("beta", 0, low_open=True)
    d.parameter("mu", 0, "beta" if ordered else None)
    return at_points(d, points, convex)


def at_points(d: Derivation, points: str, convex: bool) -> Derivation:
    """h at points, beta-smooth and, if ``convex``, mu-strongly convex."""
    d.function("h")
    for point in points:
        d.vector(point)
        d.point(point, "h", value=f"h_{point}")
    suppose(d, "smooth", of="h", L="beta")
    if convex:
        suppose(d, "strongly convex", of="h", mu="mu")
    return d


def lemma_5(bound: Bound, *, convex: bool = True) -> Mapping[str, JSON]:
    """A4 from x to z and A2 from x to y; their rest is a square, and what the penalty has beyond it is room."""
    d = one_function("Lemma 5", convex=convex)
    if smooth.theta in bound.expression.free_symbols:
        d.parameter("theta", 0, 1, high_open=True)
    kept, penalty = bound.expression.coeff(NormSq(y - z)), -bound.expression.coeff(NormSq(z - x))
    share = sp.factor(mu / 2 - kept)
    ratio = sp.cancel(kept / share)
    room = sp.cancel(penalty - beta / 2 - kept * (1 + ratio))
    d.assume("A4", "smooth", ["x", "z"])
    d.assume("A2", "strongly convex", ["x", "y"])
    squares = [[text_of(share), f"y - x + ({text_of(ratio)})*(z - x)"], [text_of(room), "z - x"]]
    d.combine("Lemma 5", gap_of(bound), facts={"A4": "1", "A2": "1"}, squares=squares)
    return d.concluding("Lemma 5")


def one_premise(bound: Bound, *, convex: bool = True) -> Mapping[str, JSON]:
    """A4 from x to z, or A2 from x to y, in the form in which the proof of Lemma 5 uses it."""
    if NormSq(z - x) in bound.expression.atoms(NormSq):
        return along_the_segment(bound, "x", "z")
    d = one_function("proof of Lemma 5", convex=convex)
    d.assume("premise", "strongly convex", ["x", "y"])
    rest = [text_of(mu / 2 - bound.expression.coeff(NormSq(y - x))), "y - x"]
    d.combine("the step", gap_of(bound), facts={"premise": "1"}, squares=[rest])
    return d.concluding("the step")


def triangle(bound: Bound, *, convex: bool = True) -> Mapping[str, JSON]:
    """(mu/2)|y - x|^2 >= kept |y - z|^2 - lost |x - z|^2: one square, and room."""
    d = one_function("proof of Lemma 5", convex=convex)
    kept, lost = bound.expression.coeff(NormSq(y - z)), -bound.expression.coeff(NormSq(x - z))
    share = sp.factor(mu / 2 - kept)
    ratio = sp.cancel(kept / share)
    rest = text_of(sp.cancel(lost - kept * (1 + ratio)))
    squares = [[text_of(share), f"y - x + ({text_of(ratio)})*(z - x)"], [rest, "z - x"]]
    d.combine("the step", gap_of(bound), squares=squares)
    return d.concluding("the step")


def order_of_constants(bound: Bound, *, convex: bool = True) -> Mapping[str, JSON]:
    """((beta + mu)/2)|y - x|^2 <= factor beta |y - x|^2 for every function of the class: A2 and A4 at one pair."""
    d = one_function("proof of Lemma 5, last step", convex=convex, ordered=False)
    d.assume("A4", "smooth", ["x", "y"])
    d.assume("A2", "strongly convex", ["x", "y"])
    room = text_of(bound.expression.coeff(NormSq(y - x)) - beta)
    d.combine("the step", gap_of(bound), facts={"A4": "1", "A2": "1"}, squares=[[room, "y - x"]])
    return d.concluding("the step")


def lemma_6(bound: Bound, *, top: str = "1/beta", convex: bool = True) -> Mapping[str, JSON]:
    """Lemma 6 as printed: interpolation with modulus 0 and A2 both ways, for steps up to ``top``."""
    d = one_function("Lemma 6", points="xy", convex=convex)
    d.parameter("eta", 0, top)
    room = text_of(bound.expression.coeff(NormSq(x - y)) - 1 + mu * eta)
    facts = dict.fromkeys([*interpolated(d, "0"), *both_ways(d, "strongly convex")], "eta")
    squares = [["eta*(1 - eta*beta)/beta", "g_x - g_y"], [room, "x - y"]]
    d.combine("Lemma 6", gap_of(bound), facts=facts, squares=squares)
    return d.concluding("Lemma 6")


#: Ranges of steps on the two sides of 2/(mu + beta).
SIDES: Mapping[str, tuple[str, str | None]] = {"short": ("0", "2/(mu + beta)"), "long": ("2/(mu + beta)", None)}


def contraction(
    factor: sp.Expr, side: str, *, top: str | None = None, modulus: bool, convex: bool = True
) -> Mapping[str, JSON]:
    """|x - eta g_x - y + eta g_y|^2 <= factor |x - y|^2 on a side of eta = 2/(mu + beta); mu > 0 or (not ``modulus``) mu = 0."""
    d = Derivation(f"Elastic aggregation, Lemma 6, {side} steps")
    if modulus:
        d.parameter("mu", 0, low_open=True)
    else:
        d.let("mu", "0")
    d.parameter("beta", "mu", low_open=True)
    low, high = SIDES[side]
    d.parameter("eta", low, top or high)
    at_points(d, "XY", convex)
    return contracts(d, "Lemma 6", factor, short=side == "short", closed=modulus)


def step_of_lemma_6(bound: Bound, *, convex: bool = True) -> Mapping[str, JSON]:
    """The first display of the proof (with a product on its right side) by interpolation, or the last one by A2 both ways."""
    d = one_function("proof of Lemma 6", points="xy", convex=convex)
    d.parameter("eta", 0)
    product = Inner(smooth.g_x - smooth.g_y, x - y)
    if product in bound.expression.atoms(Inner):
        spent = text_of(sp.expand(bound.expression).coeff(product).coeff(beta) * beta - eta**2 * beta)
        facts = dict.fromkeys(interpolated(d, "0"), f"eta**2*beta + {spent}")
        squares = [[f"({spent})/beta", "g_x - g_y"]]
    else:
        facts = dict.fromkeys(both_ways(d, "strongly convex"), "eta")
        squares = [[text_of(bound.expression.coeff(NormSq(x - y)) + eta * mu), "x - y"]]
    d.combine("the display", gap_of(bound), facts=facts, squares=squares)
    return d.concluding("the display")


def along_the_segment(bound: Bound, x: str = "x", y: str = "y") -> Mapping[str, JSON]:
    """A quadratic bound from Lipschitz gradients, and what its last coefficient has beyond beta/2; ``>=`` is the lower bound."""
    d = Derivation("Elastic aggregation, A4")
    d.axis("j", "steps")
    d.parameter("beta", 0, low_open=True)
    for name in (x, y, f"g_{x}"):
        d.vector(name)
    for name in (f"h_{x}", f"h_{y}"):
        d.value(name)
    along_a_segment(d, x, y, gradient=f"g_{x}", values=f"h_{x} h_{y}", L="beta")
    square = next(iter(one for one in bound.expression.atoms(NormSq)))
    side = 1 if bound.relation == "<=" else -1
    room = text_of(side * bound.expression.coeff(square) - beta / 2)
    facts = LOWER if bound.relation == ">=" and bound.left == sp.Symbol(f"h_{y}") else UPPER
    d.combine("the bound", gap_of(bound), over="j", facts=facts, squares=[[room, f"{y} - {x}"]])
    return d.concluding("the bound")


def mean_hessian(bound: Bound) -> Mapping[str, JSON]:
    """|grad h(y) - grad h(x)|^2 <= beta^2 |y - x|^2 from |H s| <= beta |s| at every point of the segment, s = y - x."""
    d = Derivation("Elastic aggregation, bounded Hessian")
    d.axis("j", "steps")
    d.parameter("beta", 0, low_open=True)
    for vector in ("x", "y", "g_x", "g_y"):
        d.vector(vector)
    d.vector("turned", "j")
    d.vector("change", equals="g_y - g_x")
    suppose(d, "Hessian along a segment", L="beta", turned="turned", y="y", x="x")
    suppose(d, "gradients along a segment", turned="turned", change="change")
    d.assume("at each point", "Hessian along a segment")
    d.assume("on the whole", "gradients along a segment")
    squares = [["1", "turned - change"], [text_of(bound.expression.coeff(NormSq(x - y)) - beta**2), "x - y"]]
    facts = {"at each point": "1", "on the whole": "-2"}
    d.combine("A4", gap_of(bound), over="j", facts=facts, squares=squares, unfold="change")
    return d.concluding("A4")
