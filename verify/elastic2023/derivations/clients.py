"""Section 9.2 of the elastic aggregation supplement: bounds on the dissimilarity of the clients' gradients, for any weights."""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.packs import MINIMISER, suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from verify.elastic2023.dissimilarity import A_star, B, D, G, beta, epsilon, spread, squared_gradient, theta

_GAP = "(f_x - f_xs)"
NAMES: Mapping[sp.Basic, str] = {A_star: "sq(g_xs)", D: _GAP, squared_gradient: "sq(mean(g_x, k))"}


def losses(title: str) -> Derivation:
    """The clients' losses f at x."""
    d = Derivation(f"Elastic aggregation, {title}")
    declare(d, "axes k; beta > 0; G >= 0; B >= 1; function f over k; x; f at x")
    return d


def relaxed(bound: Bound, *, smooth: bool = True) -> Mapping[str, JSON]:
    """A1 in function values: A4 of the mean f from x to w = x - grad f(x)/beta, where f is at least its infimum."""
    d = losses("A1 relaxed")
    declare(d, "function average; average at x as mean_x, gm_x = mean(g_x, k); w = x - mean(g_x, k)/beta")
    declare(d, "average at w as mean_w, gm_w; value f_inf")
    if smooth:
        suppose(d, "smooth", of="average", L="beta")
    suppose(d, "infimum", of="average", f_inf="f_inf")
    granted(d, "bounded dissimilarity", "x", fact="A1", of="f", G2="G**2", B2="B**2")
    d.assume("A4", "smooth", ["x", "w"])
    d.assume("infimum at w", "infimum", ["w"])
    weight = bound.expression.coeff(D)
    squares = [[text_of(sp.cancel(weight / (2 * beta)) - B**2), "mean(g_x, k)"]]
    facts = {"A1": "1", "A4": text_of(weight), "infimum at w": text_of(weight)}
    target = f"{text_of(bound.expression, {D: '(mean_x - f_inf)'})} - sq(g_x)"
    d.combine("the relaxed form", target, over="k", facts=facts, squares=squares, unfold="w gm_x")
    return d.concluding("the relaxed form")


def near_the_optimum(title: str, *, convex: bool = True, optimum: bool = True) -> Derivation:
    """Convex beta-smooth losses and an optimum of their mean: |g_x - g_xs|^2/(2 beta) <= f_k(x) - f_k(x*) - <g_xs, x - x*>."""
    d = losses(title)
    d.vector("xs")
    d.point("xs", "f", mean=[["k", "0", MINIMISER]] if optimum else [])
    declare(d, "below over k = x - (g_x - g_xs)/beta; f at below")
    suppose(d, "smooth", of="f", L="beta")
    if convex:
        suppose(d, "convex", of="f")
    d.assume("smooth", "smooth", ["x", "below"])
    d.assume("convex", "convex", ["xs", "below"])
    target = f"{_GAP} - dot(g_xs, x - xs) - sq(g_x - g_xs)/(2*beta)"
    d.combine("interpolation", target, facts={"smooth": "1", "convex": "1"}, unfold="below")
    return d


def at_the_optimum(d: Derivation, bound: Bound) -> None:
    """A <= first A_star + second beta D, by the interpolation and one square."""
    if theta in bound.expression.free_symbols:
        d.parameter("theta", 0, low_open=True)
    whole = sp.expand(bound.expression)
    first, share = whole.coeff(A_star), sp.cancel(whole.coeff(D) / (2 * beta))
    centre = sp.cancel(share / (share - 1))
    rest = sp.factor(first + share - share * centre)
    squares = [[text_of(sp.cancel(share - 1)), f"g_x - ({text_of(centre)})*g_xs"], [text_of(rest), "g_xs"]]
    target = f"{text_of(bound.expression, NAMES)} - sq(g_x)"
    d.combine("from the optimum", target, over="k", facts={"interpolation": text_of(2 * share * beta)}, squares=squares)


def from_the_optimum(bound: Bound, *, convex: bool = True) -> Mapping[str, JSON]:
    """The relaxed form with the mean squared gradient at the optimum."""
    d = near_the_optimum("dissimilarity from the optimum", convex=convex)
    at_the_optimum(d, bound)
    return d.concluding("from the optimum")


def triangle(bound: Bound) -> Mapping[str, JSON]:
    """The relaxed triangle inequality for each client, averaged."""
    d = near_the_optimum("first step from the optimum")
    squares = [["1", "g_x - 2*g_xs"], [text_of(bound.expression.coeff(A_star) - 2), "g_xs"]]
    squares.append([text_of(bound.expression.coeff(spread) - 2), "g_x - g_xs"])
    target = f"{text_of(bound.expression, {**NAMES, spread: 'sq(g_x - g_xs)'})} - sq(g_x)"
    d.combine("the step", target, over="k", squares=squares)
    return d.concluding("the step")


def near_gradients(bound: Bound, *more: str, convex: bool = True, optimum: bool = True) -> Mapping[str, JSON]:
    """A multiple of the mean of |g_x - g_xs|^2 is at most one of f(x) - f*, and at most ``more`` times that gap."""
    d = near_the_optimum("gradients near the optimum", convex=convex, optimum=optimum)
    squares = text_of(bound.left.coeff(spread))
    weights = [text_of(bound.expression.coeff(D)), *more]
    for i, weight in enumerate(weights):
        rest = [[f"({weight})/(2*beta) - {squares}", "g_x - g_xs"]]
        target = f"({weight})*{_GAP} - {squares}*sq(g_x - g_xs)"
        d.combine(f"form {i}", target, over="k", facts={"interpolation": weight}, squares=rest)
    return d.concluding(*(f"form {i}" for i in range(len(weights))))


def mishchenko(constant: str, bound: Bound, *, convex: bool = True) -> Mapping[str, JSON]:
    """sigma_f^2 = 2 A_star is at most constant G^2 by the relaxed form at x*, and serves in it with B^2 = 2."""
    d = near_the_optimum("A1 and the gradients at the optimum", convex=convex)
    granted(d, "relaxed dissimilarity", "xs", fact="at x*", of="f", G2="G**2", L="beta", B2="B**2", f_star="f_xs")
    d.combine("one way", f"{constant}*G**2 - 2*sq(g_xs)", over="k", facts={"at x*": "2"})
    at_the_optimum(d, bound)
    return d.concluding("one way", "from the optimum")


def local_dissimilarity(bound: Bound, *, hypothesis: bool = True) -> Mapping[str, JSON]:
    """A1 where |grad f(x)|^2 > eps: the mean of |g|^2 is at most (B^2 + G^2/eps)|grad f(x)|^2."""
    d = losses("A1 and local dissimilarity")
    declare(d, "eps > 0; average = mean(g_x, k)")
    suppose(d, "gradient not small", gradient="average", eps="eps")
    if hypothesis:
        suppose(d, "bounded dissimilarity", of="f", G2="G**2", B2="B**2")
    d.assume("A1", "bounded dissimilarity", ["x"])
    d.assume("not small", "gradient not small")
    rest = [[text_of(sp.factor(bound.expression.coeff(squared_gradient) - B**2 - G**2 / epsilon)), "mean(g_x, k)"]]
    target = f"{text_of(bound.expression, NAMES)} - sq(g_x)"
    facts = {"A1": "1", "not small": "G**2/eps"}
    d.combine("local dissimilarity", target, over="k", facts=facts, squares=rest, unfold="average")
    return d.concluding("local dissimilarity")


def strong_growth(square: str) -> Mapping[str, JSON]:
    """A1 with G^2 = ``square`` where grad f(x) = 0: N times the mean of |g|^2, hence each client's |g|^2, is at most 0."""
    d = Derivation("Elastic aggregation, strong growth")
    declare(d, f"axes k; N, B >= 1; let square = {square}; function f over k; x")
    d.point("x", "f", mean=[["k", "0", "grad f(x) = 0"]])
    d.vector("one")
    suppose(d, "bounded dissimilarity", of="f", G2="square", B2="B**2")
    suppose(d, "one of the clients", N="N", gradient="g_x", one="one")
    d.assume("A1", "bounded dissimilarity", ["x"])
    d.assume("one client", "one of the clients")
    d.combine("stationary for it", "-sq(one)", over="k", facts={"A1": "N", "one client": "1"})
    return d.concluding("stationary for it")
