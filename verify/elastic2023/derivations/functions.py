"""A beta-smooth and mu-strongly convex function at its points: A4 and Lemmas 5 and 6 in all their forms, and their steps."""

import re
from collections.abc import Mapping, Sequence

import sympy as sp

from fltheory.derivation.contraction import both_ways, interpolated
from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.segments import LOWER, UPPER, along_a_segment
from fltheory.derivation.statement import text_of
from fltheory.evidence.relations import Relations
from fltheory.evidence.things import declare, granted
from fltheory.evidence.valued import valued
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.notation import Inner, NormSq
from fltheory.theory.supposed import supposing_no_more
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
    return supposing_no_more(bound, d.concluding("Lemma 5"))


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


#: How much shorter a step is than 2/(mu + beta), times the step; ``short`` is 1 for steps up to there and 0 for longer ones.
_SPARE = "eta*(2 - eta*(mu + beta))"
_SHORT, _LONG = f"short*{_SPARE} >= 0", f"(1 - short)*{_SPARE} <= 0"
_OF_SHORT = f"0 <= short <= 1; short*(1 - short) = 0; {_SHORT}; {_LONG}"
#: What (beta/2)|x|^2 at w has beyond its value and slope at v.
_PARABOLA = "beta/2*w**2 - beta/2*v**2 - beta*v*(w - v)"
_AT = {"mu": "0", "beta": "1", "eta": "1", "short": "1", "far": "3", "less": "1"}


def exact_factor(
    bound: Bound, of_mu: str, of_beta: str, scale: str = "1", *, convex: bool = True
) -> Mapping[str, JSON]:
    """|x - eta g_x - y + eta g_y|^2 <= scale m |x - y|^2, where m is the larger one of (1 - mu eta)^2 and (1 - beta eta)^2.

    Of these, ``of_mu`` and ``of_beta``, each is the factor of one quadratic.
    """
    claims = f"m >= {of_mu}; m >= {of_beta}; (m - {of_mu})*(m - {of_beta}) = 0"
    for curvature, own in (("mu", of_mu), ("beta", of_beta)):
        claims += f"; (x - eta*{curvature}*x - (y - eta*{curvature}*y))**2 = {own}*(x - y)**2"
    told = [str(condition.relation) for condition in bound.conditions if condition.relation is not None]
    where = f"{'; '.join(['mu >= 0; beta >= mu', *told])}; {_OF_SHORT}; m = short*{of_mu} + (1 - short)*{of_beta}"
    equal = {"short*(1 - short) = 0": f"-({_SPARE}*(beta - mu))**2"}
    uses = {3: {_LONG: "beta - mu"}, 4: {_SHORT: "beta - mu"}, 5: equal}
    return _contraction(bound, f"{scale}*m", claims, where, uses, convex=convex)


def exact_range(bound: Bound, factor: str, top: str, *, convex: bool = True) -> Mapping[str, JSON]:
    """Lemma 6 for steps up to ``top``, (2 beta - mu)/beta^2; and beyond it, and below 0, (beta/2)|x|^2 breaks it."""
    broken = "(x - {0}*beta*x - y + {0}*beta*y)**2 > (" + re.sub(r"\beta\b", "{0}", factor) + ")*(x - y)**2"
    claims = f"{broken.format('far')}; {broken.format('back')}; (2*beta - mu)/beta**2 = 1/beta + (beta - mu)/beta**2"
    claims += f"; mu/2*(w - v)**2 <= {_PARABOLA} <= beta/2*(w - v)**2"
    beyond = "far > (2*beta - mu)/beta**2; less > 0; back = -less; x = 1; y = 0"
    where = f"beta > 0; 0 <= mu <= beta; 0 <= eta <= {top}; {_OF_SHORT}; {beyond}"
    squares = {6: [("(beta - mu)/2", "w - v")]}
    return _contraction(bound, f"({factor})", claims, where, {}, squares, convex=convex)


def _contraction(
    bound: Bound,
    factor: str,
    claims: str,
    where: str,
    uses: Mapping[int, Mapping[str, str]],
    squares: Mapping[int, Sequence[tuple[str, str]]] | None = None,
    *,
    convex: bool,
) -> Mapping[str, JSON]:
    """|X - eta g_X - Y + eta g_Y|^2 <= factor |X - Y|^2, and the claims.

    With s = X - Y and g the difference of the gradients, factor |s|^2 - |s - eta g|^2 is, for the least factor,
    eta^2 <g - mu s, beta s - g> + a (<g, s> - mu |s|^2) + b (beta |s|^2 - <g, s>).
    """
    d = Derivation("Elastic aggregation, Lemma 6, steps of any length")
    declare(d, "mu >= 0; beta > mu")
    d.parameter("eta")  # of either sign: what is supposed of it stands in ``where``
    declare(d, "a, b >= 0")
    least = "1 + b*beta - a*mu - eta**2*mu*beta"
    d.parameter("factor", least)
    at_points(d, "XY", convex)  # x and y are letters of the hypotheses
    equal = f"b = a - {_SPARE}"
    granted(d, equal, fact="b", form=f"(b - a + {_SPARE})*dot(g_X - g_Y, X - Y)", relation="=")
    ways = dict.fromkeys(interpolated(d, "mu", "XY"), "beta - mu")
    d.combine("of interpolation", "dot(g_X - g_Y - mu*(X - Y), beta*(X - Y) - g_X + g_Y)", facts=ways)
    d.closure("cocoercive", "of interpolation", "beta")
    facts = {"cocoercive": "eta**2", "b": "1"}
    for hypothesis, weight in (("strongly convex", "a"), ("smooth", "b")):
        facts |= dict.fromkeys(both_ways(d, hypothesis, "XY"), weight)
    stepped = re.sub(r"\b(g_)?([xy])\b", lambda name: f"{name[1] or ''}{name[2].upper()}", text_of(bound.left.args[0]))
    target = f"factor*sq(X - Y) - sq({stepped})"
    d.combine("Lemma 6", target, facts=facts, squares=[[f"factor - ({least})", "X - Y"]])
    values = {"a": f"short*{_SPARE}", "b": f"-(1 - short)*{_SPARE}", "factor": factor}
    lowest = f"1 + ({values['b']})*beta - {values['a']}*mu - eta**2*mu*beta"
    ranges = f"0 <= {values['a']}; 0 <= {values['b']}; {lowest} <= {factor}"
    found = {0: {_SHORT: "1"}, 1: {_LONG: "1"}, **uses}
    stated = Relations(f"{ranges}; {claims} for {where}", uses=found, squares=squares or {}, at=_AT)
    return valued(d.concluding("Lemma 6"), values, stated)


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
    declare(d, f"axes j; beta > 0; {x}, {y}, g_{x}; value h_{x}, h_{y}")
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
    declare(d, "axes j; beta > 0; x, y, g_x, g_y; H_s over j; change = g_y - g_x")
    suppose(d, "Hessian along a segment", L="beta", turned="H_s", y="y", x="x")
    suppose(d, "gradients along a segment", turned="H_s", change="change")
    d.assume("at each point", "Hessian along a segment")
    d.assume("on the whole", "gradients along a segment")
    squares = [["1", "H_s - change"], [text_of(bound.expression.coeff(NormSq(x - y)) - beta**2), "x - y"]]
    facts = {"at each point": "1", "on the whole": "-2"}
    d.combine("A4", gap_of(bound), over="j", facts=facts, squares=squares, unfold="change")
    return d.concluding("A4")
