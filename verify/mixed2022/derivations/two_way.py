"""A round of 2-way Gradient Transfer: a step of length 2e along the new average gradients, from a virtual point z.

gtf and gtc are the augmenting gradients, h their sum, a and b their errors at x, q = a + b, z = x - e h; r = 1/eta_m^2 and
u = 1/eta_s^2, root_r and root_u their roots.  The drift of a side is that of local steps on its own loss beside a fixed vector.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from fltheory.derivation.packs import suppose
from fltheory.derivation.replay import Underivable
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import curves, one_round, two_way_bounds
from fltheory.theory.mixed2022.assembly import T
from verify.mixed2022.derivations.one_function import losses
from verify.mixed2022.derivations.one_round import GAP, convex_losses, optimum
from verify.mixed2022.derivations.one_side import drifts_of_both
from verify.mixed2022.derivations.parallel import ALL, local_rounds, near_the_optimum
from verify.mixed2022.derivations.rates import (
    GAP_OF_MEAN,
    Order,
    average_model,
    concluded,
    minimum,
    of_values,
    summed,
    text,
    unrolled,
)

G, Q, A, B = "(g_x + gc_x)", "(gtf + gtc - g_x - gc_x)", "(gtf - g_x)", "(gtc - gc_x)"
M, N, DRIFT, NOISE = "(M + Mc)", "(n + m)", "(sq(y - x) + sq(yc - x))", "(V/(K*size) + C/K)"
Z, Z_AFTER = "(x - e*(gtf + gtc) - xs)", "(x1 - e*(gtf1 + gtc1) - xs)"
CHANGE = "(g_x1 - g_x + gc_x1 - gc_x)"
#: After the round: the sum of the augmenting gradients less the gradient, and the errors of each.
AFTER = "(gtf1 + gtc1 - g_x1 - gc_x1)", "(gtf1 - g_x1)", "(gtc1 - gc_x1)"


def errors(first: str, second: str, q: str, a: str, b: str) -> str:
    """The error terms of the Lyapunov functions."""
    return f"e**2*(({first})*sq({q}) + ({second})*r*(sq({a}) + sq({b})))"


def two_way_round(
    title: str, top: str, convex: bool, *, at: str = "", strongly: bool = False, width: str = "sqrt(S)"
) -> Derivation:
    """Given x, gtf and gtc.

    ``width``: "sqrt(S)" for eta_m eta_s >= sqrt(S), "short" for S e <= (eta_m eta_s)^2 top/beta, "any" for a recursion with
    the scatter of the clients' local points, e^3 sigma^2/(K eta_m^2 eta_s^2).
    """
    d = losses(title, strongly=strongly)
    local_rounds(d, at)
    declare(d, f"0 <= root_r <= 1; let r = root_r**2; 0 <= root_u <= 1; let u = root_u**2; 0 < e <= {top}/beta")
    declare(d, f"gtf, gtc over {at}; gtf1 over S xi xc {at} = g_x + M + n; gtc1 over xc {at} = gc_x + Mc + m")
    declare(d, f"x1 over S xi xc {at} = x - e*(gtf + gtc + gtf1 + gtc1); ff at x1; fc at x1 as fc_x1, gc_x1")
    for one in ("x", "gtf", "gtc", "g_x", "gc_x", "f_x", "fc_x") if at else ():
        d.next(one, {"g_x": "g_x1", "gc_x": "gc_x1", "f_x": "f_x1", "fc_x": "fc_x1"}.get(one, f"{one}1"))
    if width == "sqrt(S)":
        granted(d, "eta_m eta_s >= sqrt(S)", fact="width", form="1/size - r*u")
        d.combine("wide", f"{top}/(beta*size) - e*r*u", facts={"width": "e"})
    elif width == "short":
        granted(d, "short steps", fact="wide", form=f"{top}/(beta*size) - e*r*u")
    elif width != "any":
        raise Underivable(f"nothing is known of the width {width}")
    if convex:
        convex_losses(d)
    drifts_of_both(d, convex, "e*root_r*root_u/K", "e*root_r/K", others=("gtc", "gtf"))
    scatter = " + 2*e**2*r*u*V/K" if width == "any" else ""
    facts = {"drift of the clients": "1", "drift of the centre": "1", **({} if scatter else {"wide": "2*e*V/K"})}
    squares = [["2*e**2*r*(1 - u)", "g_x + gtc"], ["2*e**2*r", f"{G} - {Q}"]]
    target = f"2*e**2*r*(3*sq({G}) + sq({Q}) + sq({A}) + sq({B})) + 2*e*{top}/beta*{NOISE}{scatter} - {DRIFT}"
    d.combine("drift", target, over=ALL, facts=facts, squares=squares)
    moments(d)
    return d


def known(weight: str, noise: str = "0") -> tuple[dict[str, str], list[list[str]]]:
    """``weight`` times 2 beta^2 drift >= |M|^2, and ``noise`` times W >= |n|^2."""
    facts = dict.fromkeys(("clients", "centre"), f"2*({weight})")
    facts |= dict.fromkeys(("variance of a mean", "central variance of a mean"), noise)
    return facts, [[weight, "M - Mc"]]


def moments(d: Derivation) -> None:
    """The move, the errors of the augmenting gradients after the round, and the new average gradient."""
    for name, of in (("change", "Lipschitz gradients"), ("central change", "fc Lipschitz gradients")):
        d.assume(name, of, ["x", "x1"])
    facts, squares = known("3*e**2", "2*e**2")
    squares += [["e**2", f"2*{G} + {Q} - {M}"], ["e**2", f"{M} - {N}"], ["2*e**2", f"2*{G} - {Q}"]]
    target = f"e**2*(16*sq({G}) + 4*sq({Q}) + 6*beta**2*{DRIFT} + 2*{NOISE}) - sq(x1 - x)"
    d.combine("move", target, over=ALL, facts=facts, squares=squares, unfold="x1 gtf1 gtc1")
    facts, squares = known("10", "5/4")
    facts |= {"change": "20", "central change": "20"}
    squares += [["10", "g_x1 - g_x - gc_x1 + gc_x"], ["5", f"{M} + {CHANGE}"], ["1/4", f"{N} - 4*({M} - {CHANGE})"]]
    target = f"5/4*{NOISE} + 20*beta**2*{DRIFT} + 40*beta**2*sq(x1 - x) - sq({AFTER[0]})"
    d.combine("error after", target, over=ALL, facts=facts, squares=squares, unfold="gtf1 gtc1")
    facts = {"clients": "3", "centre": "3", "variance of a mean": "3", "central variance of a mean": "3"}
    facts |= {"change": "3", "central change": "3"}
    three = (("M", "n", "(g_x1 - g_x)"), ("Mc", "m", "(gc_x1 - gc_x)"))
    squares = [["1", one] for k, v, s in three for one in (f"{k} - {v}", f"{k} + {s}", f"{v} + {s}")]
    target = f"3*beta**2*{DRIFT} + 3*{NOISE} + 6*beta**2*sq(x1 - x) - sq({AFTER[1]}) - sq({AFTER[2]})"
    d.combine("errors after", target, over=ALL, facts=facts, squares=squares, unfold="gtf1 gtc1")
    facts, squares = known("9", "5/4")
    squares += [["1/4", f"{G} - 4*{M}"], ["1/4", f"{N} - 4*{M}"]]
    target = f"5/4*sq({G}) + 18*beta**2*{DRIFT} + 5/4*{NOISE} - sq(gtf1 + gtc1)"
    d.combine("new gradient", target, over=ALL, facts=facts, squares=squares, unfold="gtf1 gtc1")


def after(first: str, second: str, scale: str) -> dict[str, str]:
    """Weights of the facts of :func:`moments` in the error terms after the round, and what they cost in drift and moves."""
    return {"error after": f"{scale}*e**2*({first})", "errors after": f"{scale}*e**2*r*({second})"}


def coefficient(bound: Bound, term: sp.Symbol) -> sp.Expr:
    """What the bound's right side has of a term."""
    return sp.expand(bound.expression).coeff(term)


def convex_two_way_round(d: Derivation, bound: Bound, weights: tuple[str, str]) -> None:
    """The convex recursion as a fact, with what the bound keeps of Phi and its decrease."""
    first, second = weights
    kept, decrease = coefficient(bound, two_way_bounds.Phi), -coefficient(bound, one_round.gap)
    near_the_optimum(d)
    facts, squares = known("16*e**2")
    facts |= {"D.7": "4*e", "fc D.7": "4*e", "new gradient": "4*e**2"}
    squares += [["2*e**2", f"{G} - {Q}"], ["e**2/2", f"{G} - 4*{M}"], ["e**2/2", f"{Q} - 4*{M}"]]
    update = f"13/8*sq({G}) + 5/8*sq({Q}) + 8*beta**2*{DRIFT} + 5/4*sq({G}) + 18*beta**2*{DRIFT} + 5/4*{NOISE}"
    change = f"-4*e*({GAP} + mu/2*sq(x - xs) - beta*{DRIFT}) + 4*e**2*({update})"
    d.combine(
        "progress",
        f"sq({Z}) + {change} - sq({Z_AFTER})",
        over=ALL,
        facts=facts,
        squares=squares,
        unfold="x1 gtf1 gtc1 h Mc",
    )
    squares = [["1/4", f"x - xs + 3*e*({G} + {Q})"], ["3*e**2", f"{G} - {Q}"]]
    d.combine("distance of z", f"sq(x - xs) + 6*e**2*(sq({G}) + sq({Q})) - 3/4*sq({Z})", squares=squares)
    moved = f"beta**2*e**2*(40*({first}) + 6*r*({second}))"
    drift = f"(4*e*beta + 104*e**2*beta**2 + beta**2*e**2*(20*({first}) + 3*r*({second})) + 6*beta**2*e**2*{moved})"
    spent = f"23/2*e**2 + 16*e**2*{moved} + 6*e**2*r*{drift} + 12*mu*e**3"
    d6 = f"({text_of(4 * one_round.e - decrease)})/(4*beta)"
    facts = {"progress": "1", **after(first, second, "1"), "move": moved, "drift": drift}
    facts |= {"distance of z": "2*mu*e", "D.6": d6}
    part = f"({text_of(kept)})"
    squares = [[f"{d6} - ({spent})", G], [f"{part} - 1 + 3/2*mu*e", Z]]
    squares += [[f"{part}*({first})*e**2 - 5/2*e**2 - 4*e**2*{moved} - 2*e**2*r*{drift} - 12*mu*e**3", Q]]
    squares += [[f"{part}*({second})*r*e**2 - 2*e**2*r*{drift}", one] for one in (A, B)]
    here = f"(sq({Z}) + {errors(first, second, Q, A, B)})"
    there = f"sq({Z_AFTER}) + {errors(first, second, *AFTER)}"
    right = written(bound, {two_way_bounds.Phi: here, one_round.gap: GAP})
    d.combine("recursion", f"{right} - ({there})", over=ALL, facts=facts, squares=squares)


def written(bound: Bound, names: Mapping[sp.Basic, str]) -> str:
    """The bound's own right side, with r and u for the rates."""
    r, u = sp.symbols("r u", positive=True)
    found = bound.expression.subs({sp.Symbol("eta_m"): 1 / sp.sqrt(r), one_round.eta_s: 1 / sp.sqrt(u)})
    return text_of(sp.expand(found), {**names, one_round.S: "size"})


def smooth_two_way_round(d: Derivation, bound: Bound, weights: tuple[str, str]) -> None:
    """The recursion without convexity as a fact; z is a point of f, which is 2 beta-smooth."""
    first, second = weights
    decrease = -coefficient(bound, one_round.G2)
    at = d.state.vectors["x"]["axes"]
    d.function("f")
    d.vector("z", sorted(at), equals="x - e*(gtf + gtc)")
    d.vector("z1", sorted(d.state.vectors["x1"]["axes"]), equals="x1 - e*(gtf1 + gtc1)")
    declare(d, "f at x as f_all, g_all = g_x + gc_x; f at z, z1")
    granted(d, "smooth", "z z1", fact="descent", of="f", name="f smooth", L="2*beta")
    d.hypothesis("f Lipschitz gradients", "(2*beta)**2*sq(y - x) - sq(g_y - g_x)", of="f", points=["x", "y"])
    d.assume("gradient at z", "f Lipschitz gradients", ["x", "z"])
    change = "(g_z - g_x - gc_x)"
    facts, squares = known("5*e")
    facts |= {"descent": "1", "gradient at z": "3*e", "new gradient": "4*beta*e**2"}
    squares += [
        ["e/4", f"{G} + 4*{M}"],
        ["e/2", f"{G} + 2*{change}"],
        ["e", f"{change} + {M}"],
        ["12*beta**2*e**3", f"{G} - {Q}"],
    ]
    update = f"5/4*sq({G}) + 18*beta**2*{DRIFT} + 5/4*{NOISE}"
    kept = f"-5/4*e*sq({G}) + 10*e*beta**2*{DRIFT} + 24*beta**2*e**3*(sq({G}) + sq({Q})) + 4*beta*e**2*({update})"
    d.combine(
        "progress", f"f_z + {kept} - f_z1", over=ALL, facts=facts, squares=squares, unfold="g_all z z1 x1 gtf1 gtc1"
    )
    moved = f"beta**3*e**2*(40*({first}) + 6*r*({second}))"
    drift = f"(10*e*beta**2 + 72*e**2*beta**3 + beta**3*e**2*(20*({first}) + 3*r*({second})) + 6*beta**2*e**2*{moved})"
    spent = f"24*beta**2*e**3 + 5*beta*e**2 + 16*e**2*{moved} + 6*e**2*r*{drift}"
    facts = {"progress": "1", **after(first, second, "beta"), "move": moved, "drift": drift}
    squares = [[f"{text_of(5 * one_round.e / 4 - decrease)} - ({spent})", G]]
    squares += [[f"({first})*beta*e**2 - 24*beta**2*e**3 - 4*e**2*{moved} - 2*e**2*r*{drift}", Q]]
    squares += [[f"({second})*beta*r*e**2 - 2*e**2*r*{drift}", one] for one in (A, B)]
    d.value("f_inf")
    here = f"(f_z - f_inf + beta*{errors(first, second, Q, A, B)})"
    there = f"f_z1 - f_inf + beta*{errors(first, second, *AFTER)}"
    right = written(bound, {two_way_bounds.Psi: here, one_round.G2: f"sq({G})"})
    d.combine("recursion", f"{right} - ({there})", over=ALL, facts=facts, squares=squares)


def two_way_recursion(
    bound: Bound, weights: tuple[str, str], top: str, *, width: str = "sqrt(S)"
) -> Mapping[str, JSON]:
    """One round from any state."""
    convex = bound.left == two_way_bounds.Phi_after
    d = two_way_round("Mixed FL, round of 2-way Gradient Transfer", top, convex, width=width)
    (convex_two_way_round if convex else smooth_two_way_round)(d, bound, weights)
    return d.concluding("recursion")


def two_way_renewals(factor: str, ratio: str) -> Mapping[str, JSON]:
    """The renewed gradients are the averages of those taken, so that x' = x - e (h' + h) and z' = z - 2 e h'.

    ``factor``: eta_c over the divisor of gt_c's renewal, ``ratio``: eta_c/(eta eta_s).
    """
    d = Derivation("Mixed FL, virtual sequence of 2-way Gradient Transfer")
    declare(d, f"K, eta_c, eta_s, eta_m > 0; x, gc, gf, central, federated; let eta = eta_c/(({ratio})*eta_s)")
    declare(d, "change_c = -eta_c*K*(central + gf); change_f = -eta*K*(federated + gc)")
    declare(d, f"gc1 = -({factor})/(eta_c*K)*change_c - gf; gf1 = -1/(eta*K)*change_f - gc")
    declare(d, "x1 = x + eta_m*(change_c + eta_s*change_f); let e = eta_m*K*eta_c")
    after, before = "(x1 - e*(gc1 + gf1))", "(x - e*(gc + gf))"
    differences = {"gt_c": "gc1 - central", "gt_f": "gf1 - federated", "x": "x1 - x + e*(gc1 + gf1 + gc + gf)"}
    differences["z"] = f"{after} - {before} + 2*e*(gc1 + gf1)"
    for name, difference in differences.items():
        d.combine(name, f"sq({difference})", relation="=", unfold="x1 gf1 gc1 change_f change_c")
    return d.concluding(*differences)


def squares_of(weights: tuple[str, str], q: str, a: str, b: str, scale: str = "1") -> list[list[str]]:
    """The squares of the error terms."""
    first, second = weights
    return [[f"{scale}*e**2*({first})", q], *([f"{scale}*e**2*r*({second})", one] for one in (a, b))]


def two_way_rate(
    bound: Bound,
    recursion: Bound,
    weights: tuple[str, str],
    top: sp.Expr,
    *,
    noisy: bool = True,
    width: str = "sqrt(S)",
    begun: tuple[str, str] | None = None,
    order: Order | None = None,
) -> Mapping[str, JSON]:
    """The mean of the gaps, or of the squared gradients, over T + 1 models, for D0 or F0 at least Phi or Psi at the first.

    ``begun``: how the augmenting gradients start, and eta_m, as in :func:`start_of_two_way`; then D or F is the start, and
    the error (of convex losses: at the mean model) is at most eps after as many rounds as the ``order`` says.
    """
    convex = recursion.left == two_way_bounds.Phi_after
    start = two_way_bounds.D0 if convex else two_way_bounds.F0
    d = two_way_round("Mixed FL, rate of 2-way Gradient Transfer", str(top), convex, at="past t", width=width)
    if begun:
        share = sp.Integer(1) if begun[0] == "gradients" else sp.Rational(5, 4)
        own_start = share * sp.Symbol("D_sq" if convex else "F")
        bound = replace(bound, expression=bound.expression.subs(start, own_start))
        start = own_start
    for name in ("T", *(symbol.name for symbol in start.free_symbols)):
        d.parameter(name, 0)
    whole = sp.expand(recursion.expression)
    target = one_round.gap if convex else one_round.G2
    decrease, noise = -whole.coeff(target), sum(whole.coeff(x) * x for x in (one_round.V, one_round.C))
    over = f"{ALL} past"
    if convex:
        contraction = str(-sp.cancel(whole.coeff(two_way_bounds.Phi) - 1) / (one_round.mu * one_round.e))
        convex_two_way_round(d, recursion, weights)
        factor = f"{contraction}*mu*e"
        squares = {"dropped": [[factor, Z], *squares_of(weights, Q, A, B, factor)]}
        squares["floor"] = [["1", Z_AFTER], *squares_of(weights, *AFTER)]
        form, measured = f"sq({Z}) + {errors(*weights, Q, A, B)}", GAP
    else:
        smooth_two_way_round(d, recursion, weights)
        of_values(d, "f_z", "z1")
        squares = {"floor": squares_of(weights, *AFTER, "beta")}
        form, measured = f"f_z - f_inf + beta*{errors(*weights, Q, A, B)}", f"sq({G})"
    summed(d, measured, decrease, noise, form, over=over, length="T + 1", **squares)
    level, given = sp.cancel(noise / one_round.e**2), (decrease, noise)
    if begun:
        at_the_start(d, form, start, *begun)
    options = {
        "first": None,
        "noisy": noisy,
        "tuned": True,
        "facts": {},
        "over": over,
        "order": order,
        "begun": bool(begun),
    }
    if order and convex:
        options |= {"facts": average_model(d), "unfold": "xbar"}
        measured = GAP_OF_MEAN
    return concluded(d, bound, start, level, top / one_round.beta, measured, given, **options)


def at_the_start(d: Derivation, form: str, start: sp.Expr, initial: str, eta_m: str, begun: str = "Phi_1") -> None:
    """The start is at least Phi or Psi at the first model x_0, which is ``begun``, by :func:`start_of_two_way`."""
    smooth, zero = "f_z" in form, initial == "zero"
    declare(d, "x_0; ff at x_0 as f_0, g_0; fc at x_0 as fc_0, gc_0")
    names = {one: one for one in ("beta", "mu", "e", "r")} | {"x": "x_0"}
    there = {
        "x": "x_0",
        "g_x": "g_0",
        "gc_x": "gc_0",
        "gtf": "(0*x_0)" if zero else "g_0",
        "gtc": "(0*x_0)" if zero else "gc_0",
    }
    both = ("smooth", "convex", "strongly convex", "Lipschitz gradients")
    known = {one: one for label in ("", "fc ") for one in (f"{label}{name}" for name in both)}
    if smooth:
        d.point("x_0", "f", value="f_all_0", gradient="g_all_0", equals="g_0 + gc_0")
        names |= {"f": "f", "f_inf": "f_inf"} | ({"gf": "g_0"} if zero else {"z": "z_0"})
        there["f_z"] = "f_all_0" if zero else "f_z_0"
        known = {"infimum": "infimum"}
        if not zero:
            declare(d, "z_0 = x_0 - e*g_all_0; f at z_0")
    else:
        names |= {"ff": "ff", "fc": "fc", "xs": "xs"}
    first = re.sub(r"\b[a-z_]+\b", lambda found: there.get(found[0], found[0]), form)
    granted(d, f"{begun} at the first model", form=f"{begun} - ({first})", relation="=")
    own = "f_all_0 - f_inf" if smooth else "sq(x_0 - xs)"
    (given,) = (symbol for symbol in start.free_symbols if symbol.name in ("D_sq", "F"))
    if "Gam" in d.state.parameters:
        names |= {"Gam": "Gam"}
    granted(d, f"{given} at the first model", form=f"{given} - ({own})")
    d.lemma("first model", start_of_two_way("non-convex" if smooth else "convex", initial, eta_m))
    d.apply("at the start", "first model", "start", names=names, hypotheses=known)
    share = text(sp.expand(start).coeff(given))
    facts = {"at the start": "1", f"{given} at the first model": share, f"{begun} at the first model": "-1"}
    d.combine("start", f"{text(start)} - {begun}", facts=facts, unfold="g_all_0" if smooth else "")


def two_way_distance(
    bound: Bound, weights: tuple[str, str], top: sp.Expr, width: str = "sqrt(S)"
) -> Mapping[str, JSON]:
    """E|x^(t) - x*|^2 at a constant step, for Phi <= D^2 at the first model: 3/2 of what the recursion gives for Phi."""
    d = two_way_round(
        "Mixed FL, 2-way Gradient Transfer at a constant step", str(top), True, at="past t", strongly=True, width=width
    )
    convex_two_way_round(d, two_way_bounds.CVX_REC, weights)
    minimum(d)
    form, share = f"sq({Z}) + {errors(*weights, Q, A, B)}", curves.OF_PHI
    least = {"recursion": "1", "minimum": f"{two_way_bounds.DECREASE}*e"}
    own = replace(bound, expression=bound.expression / share)
    begin = partial(at_the_start, d, form, sp.Symbol("D_sq"), "gradients", "any")
    unrolled(d, own, form, curves.TWO_WAY, least, f"{ALL} past", begin)
    gradient_near(d)
    part, kept = f"(x - xs - e*{G})", text(share * sp.Rational(3, 4))
    squares = [[f"4*{share}", f"e*{Q} - {part}/4"], ["e/beta", f"{G} - {kept}*beta*(x - xs)"], [f"{kept}*e**2", G]]
    squares += [[f"{kept} - 1 - 4*e*beta - ({kept})**2*e*beta", "x - xs"]]
    squares += [[f"{share}*({weights[0]} - 3)*e**2", Q], *([f"{share}*({weights[1]})*r*e**2", one] for one in (A, B))]
    d.combine("distance of Phi", f"{share}*({form}) - sq(x - xs)", facts={"gradient": "e/beta"}, squares=squares)
    right = text(bound.expression.subs((1 - curves.TWO_WAY[0] * one_round.mu * one_round.e) ** (T - 1), sp.Symbol("p")))
    facts = {"distance of Phi": "1", "distance": str(share), "Phi": str(share)}
    d.combine("distance of x", f"{right} - sq(x - xs)", over=f"{ALL} past", facts=facts)
    return d.concluding("distance of x")


def start_of_two_way(case: str, initial: str, eta_m: str) -> Mapping[str, JSON]:
    """Phi or Psi at the first model is at most D^2 or F where the augmenting gradients are the gradients there; else 5/4 of it.

    ``initial``: "gradients" or "zero"; then ``eta_m`` is "chosen", large for the gradients at the first model, or "kept": then
    5/4 of D^2 and of (Gamma/(81 beta eta_m))^2, Gamma^2 = |grad f_f|^2 + |grad f_c|^2 there.
    """
    smooth = case == "non-convex"
    top = two_way_bounds.SMOOTH_TOP if smooth else two_way_bounds.CONVEX_TOP
    first, second = two_way_bounds.SMOOTH_WEIGHTS if smooth else two_way_bounds.CONVEX_WEIGHTS
    d = losses("Mixed FL, first model of 2-way Gradient Transfer")
    d.parameter("e", 0, text(top / one_round.beta))
    d.parameter("r", 0, 1)
    (values_below if smooth else near_an_optimum)(d)
    far = "(f_x - f_inf)" if smooth else "sq(x - xs)"
    if initial == "gradients" and smooth:
        d.combine("start", "f_x - f_z", facts={"descent": "1"}, squares=[["e - beta*e**2", "g_x"]], unfold="z")
    elif initial == "gradients":
        facts = {"slope": "2*e", "fc slope": "2*e", "D.6": "e/(2*beta)"}
        squares = [["e/(2*beta) - e**2", G]]
        d.combine("start", f"sq(x - xs) - sq(x - e*{G} - xs)", facts=facts, squares=squares)
    else:
        sizes, large = (
            ("sq(gf) + sq(g_x - gf)", f"64*beta*{far}")
            if smooth
            else ("sq(g_x) + sq(gc_x)", f"{1 / top}**2*beta**2*{far}")
        )
        start = far
        if eta_m == "kept" and not smooth:
            d.parameter("Gam", 0)
            start = f"({far} + r*Gam/({1 / top}**2*beta**2))"
            granted(d, "Gamma at the first model", fact="Gamma", form=f"Gam - ({sizes})")
            d.combine(
                "eta_m large",
                f"{1 / top}**2*beta**2*{start} - r*({sizes})",
                facts={"Gamma": "r"},
                squares=[[f"{1 / top}**2*beta**2", "x - xs"]],
            )
        else:
            if eta_m == "chosen":
                d.hypothesis("eta_m large", f"{large} - r*({sizes})")
            d.assume("eta_m large", "eta_m large")
        scale, gradient = ("beta*e**2", "g_x") if smooth else ("e**2", G)
        own = f"{far} + {scale}*({first}*sq({gradient}) + {second}*r*({sizes}))"
        facts = {"gradient": f"{first}*{scale}", "eta_m large": f"{second}*{scale}"}
        size, width = ("4*beta", "64*beta") if smooth else ("4*beta**2", f"{1 / top}**2*beta**2")
        spent = f"1/4 - {first}*{scale}*{size} - {second}*{scale}*{width}"
        rest: dict[str, Any] = (
            {"facts": facts | {"infimum": spent}} if smooth else {"facts": facts, "squares": [[spent, "x - xs"]]}
        )
        d.combine("start", f"5/4*{start} - ({own})", **rest)
    return d.concluding("start")


def values_below(d: Derivation) -> None:
    """f, 2 beta-smooth and bounded below, at x, at z = x - e grad f(x), and |grad f|^2 <= 4 beta (f - inf f); gf is grad f_f."""
    declare(d, "function f; x, gf; f at x; z = x - e*g_x; f at z; below = x - 1/(2*beta)*g_x; f at below")
    declare(d, "value f_inf")
    suppose(d, "smooth", of="f", L="2*beta")
    suppose(d, "infimum", of="f", f_inf="f_inf")
    d.assume("descent", "smooth", ["x", "z"])
    d.assume("step below", "smooth", ["x", "below"])
    d.assume("lowest", "infimum", ["below"])
    d.assume("infimum", "infimum", ["x"])
    facts = {"step below": "4*beta", "lowest": "4*beta"}
    d.combine("gradient", "4*beta*(f_x - f_inf) - sq(g_x)", facts=facts, unfold="below")


def near_an_optimum(d: Derivation) -> None:
    """x and x*, D.6, |grad f|^2 <= 4 beta^2 |x - x*|^2, and the convexity of both losses from x to x*."""
    declare(d, "function ff, fc; x, xs; ff at x; fc at x as fc_x, gc_x")
    convex_losses(d)
    optimum(d)
    for label in ("", "fc "):
        d.assume(f"{label}slope", f"{label}convex", ["x", "xs"])
    suppose(d, "Lipschitz gradients", of="ff", L="beta")
    suppose(d, "Lipschitz gradients", of="fc", name="fc Lipschitz gradients", L="beta")
    gradient_near(d)


def gradient_near(d: Derivation) -> None:
    """|grad f(x)|^2 <= 4 beta^2 |x - x*|^2."""
    d.assume("Lipschitz", "Lipschitz gradients", ["xs", "x"])
    d.assume("fc Lipschitz", "fc Lipschitz gradients", ["xs", "x"])
    facts, squares = {"Lipschitz": "2", "fc Lipschitz": "2"}, [["1", "g_x - g_xs - gc_x + gc_xs"]]
    d.combine("gradient", f"4*beta**2*sq(x - xs) - sq({G})", facts=facts, squares=squares, unfold="gc_xs")
