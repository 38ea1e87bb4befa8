"""A round of Parallel Training: local steps on both sides, whose updates are added.

The drift of a side is that of local steps on its own loss alone: u = 1/(eta_s eta_m)^2 for the clients, v = 1/eta_m^2 for the
centre, u <= v and u <= 1/S.
"""

from collections.abc import Mapping
from dataclasses import replace

import sympy as sp

from fltheory.derivation.replay import Underivable
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import curves, one_round, parallel, parallel_rates
from verify.mixed2022.derivations.one_function import losses
from verify.mixed2022.derivations.one_round import GAP, cohorts_drift, convex_losses, optimum, perturbed_convexity
from verify.mixed2022.derivations.one_side import drifts_of_both
from verify.mixed2022.derivations.rates import (
    GAP_OF_MEAN,
    average_model,
    minimum,
    of_distances,
    of_values,
    summed,
    text,
    unrolled,
    with_root,
)
from verify.mixed2022.derivations.weights import Rounds, forgotten, there, weighted

#: Everything that is averaged over within a round.
ALL = "k S j i xi xc"
_GRADIENT = "g_x + gc_x"
AMOUNTS: Mapping[sp.Basic, str] = {
    one_round.G2: f"sq({_GRADIENT})",
    one_round.w2: "sq(x - xs)",
    one_round.S: "size",
    one_round.gap: GAP,
}


def written(expression: sp.Expr) -> sp.Expr:
    """A bound with sigma^2/(KS) + sigma_c^2/K for nu."""
    noise = one_round.V / (one_round.K * one_round.S) + one_round.C / one_round.K
    return sp.expand(expression.subs({symbol: noise for symbol in expression.free_symbols if symbol.name == "nu"}))


def local_rounds(d: Derivation, at: str) -> None:
    """Clients' and central points y and yc, what the mean gradients change by there (M, Mc), and the noises n and m."""
    declare(d, "axes k S j i:steps xi xc")
    for axis, kind in (("past", "past"), ("t", "time")) if at else ():
        d.axis(axis, kind)
    declare(d, "K, size >= 1; V, C >= 0")
    declare(d, f"x over {at}; y over k j xi {at}; yc over i xc {at}; function ff, fc; ff at x as f_x, g_x")
    declare(d, "ff at y as f_y, g_y; fc at x as fc_x, gc_x; fc at yc as fc_yc, gc_yc")
    declare(d, f"h over k xi {at} = mean(g_y - g_x, j)")
    d.cohort("M", of="h", clients="k", axis="S", scheme="equal inclusion", size="size")
    declare(d, f"Mc over xc {at} = mean(gc_yc - gc_x, i); n over S xi {at}, mean 0 over xi")
    d.vector("m", f"xc {at}", mean=[["xc", "0", "unbiased central gradient"]])
    granted(d, "Lipschitz gradients", "x y", of="ff", L="beta")
    granted(d, "Lipschitz gradients", "x yc", of="fc", name="fc Lipschitz gradients", L="beta")
    granted(d, "variance of a mean", V="V", K="K", S="size", noise="n")
    granted(d, "central variance of a mean", form="C/K - sq(m)", over="xc")
    cohorts_drift(d, "clients")
    squares, facts = [["1", "gc_yc - gc_x - mean(gc_yc - gc_x, i)"]], {"fc Lipschitz gradients": "1"}
    d.combine("centre", "beta**2*sq(yc - x) - sq(Mc)", over="i", facts=facts, squares=squares, unfold="Mc")


def parallel_round(
    title: str, top: str, convex: bool, *, at: str = "", strongly: bool = False, wide: bool = True, merging: str = "any"
) -> Derivation:
    """x' = x - e (grad f(x) + M + Mc + n + m) for e up to top/((1 + B^2) beta); ``wide``: eta_s eta_m >= sqrt(S).

    root_v = 1/eta_m and root_u = 1/(eta_s eta_m), so that the local step sizes are e root_u/K and e root_v/K.
    """
    d = losses(title, strongly=strongly)
    local_rounds(d, at)
    declare(d, "B >= 1; Gd_sq >= 0; 0 <= root_v <= 1; 0 <= root_u <= root_v")
    if merging == "1":
        d.choose("root_v", "1")
    declare(d, "let u = root_u**2; let v = root_v**2")
    d.parameter("e", 0, f"{top}/((1 + B**2)*beta)", low_open=bool(at))
    d.vector("x1", f"S xi xc {at}", equals=f"x - e*({_GRADIENT} + M + Mc + n + m)")
    if at:
        d.next("x", "x1")
    if wide:
        d.hypothesis("eta_s eta_m >= sqrt(S)", "1/size - u")
    d.assume("wide", "eta_s eta_m >= sqrt(S)")
    granted(d, "Definition 4.2", form=f"Gd_sq + B**2*sq({_GRADIENT}) - 2*sq(g_x) - 2*sq(gc_x)")
    if convex:
        convex_losses(d)
    drifts_of_both(d, convex, "e*root_u/K", "e*root_v/K", others=("0*x", "0*x"))
    return d


def drift_facts(weight: str) -> tuple[dict[str, str], list[list[str]]]:
    """What ``weight`` times both drifts is at most: e^2 (v (G^2 + B^2 |grad f|^2) + 2 nu) times it."""
    facts = dict.fromkeys(("drift of the clients", "drift of the centre"), weight)
    facts |= {"Definition 4.2": f"({weight})*v*e**2", "wide": f"2*({weight})*e**2*V/K"}
    return facts, [[f"2*({weight})*e**2*(v - u)", "g_x"]]


def of_the_sum(weight: str) -> tuple[dict[str, str], list[list[str]]]:
    """|M + Mc|^2 <= 2 beta^2 (both drifts), ``weight`` times."""
    return dict.fromkeys(("clients", "centre"), f"2*({weight})"), [[weight, "M - Mc"]]


def near_the_optimum(d: Derivation) -> None:
    """x*, D.6 at x and D.7 at the local points of both sides."""
    d.vector("xs")
    optimum(d)
    perturbed_convexity(d, "D.7")
    perturbed_convexity(d, "fc D.7", "yc", "fc", "gc", "fc ")


def convex_parallel_round(d: Derivation, bound: Bound = parallel.CONVEX_RECURSION) -> None:
    """The convex recursion as a fact."""
    near_the_optimum(d)
    right = written(bound.expression)
    on_m, squares_m = of_the_sum("5*e**2")
    target = f"e**2*(10*beta**2*(sq(y - x) + sq(yc - x)) + 5/4*(V/(K*size) + C/K + sq({_GRADIENT}))) - sq(x1 - x)"
    facts = {**on_m, "variance of a mean": "5/4*e**2", "central variance of a mean": "5/4*e**2"}
    squares = [["e**2/4", f"{_GRADIENT} + n + m - 4*M - 4*Mc"], *squares_m]
    d.combine("update", target, over=ALL, facts=facts, squares=squares, unfold="x1")
    weight = "2*e*beta + 10*e**2*beta**2"
    drift, squares = drift_facts(weight)
    d6 = f"({text_of(right.coeff(one_round.gap))} + 2*e)/(4*beta)"
    spent = f"5/4*e**2 + ({weight})*e**2*v*B**2"
    distance = text_of(right.coeff(one_round.w2) - 1 + one_round.mu * one_round.e)
    squares += [[f"{d6} - ({spent})", _GRADIENT], [distance, "x - xs"]]
    facts = {"update": "1", "D.7": "2*e", "fc D.7": "2*e", "D.6": d6, **drift}
    target = f"{text_of(right, AMOUNTS)} - sq(x1 - xs)"
    d.combine("recursion", target, over=ALL, facts=facts, squares=squares, unfold="x1 h Mc")


def smooth_parallel_round(d: Derivation, bound: Bound = parallel.SMOOTH_RECURSION) -> None:
    """The recursion without convexity as a fact: descent of a 2 beta-smooth f."""
    at = [axis for axis in d.state.vectors["x1"]["axes"]]
    d.function("f")
    d.point("x", "f", value="f_all", gradient="g_all", equals=_GRADIENT)
    d.vector("after", sorted(at), equals="x1")
    d.point("after", "f", value="f_after", gradient="g_after")
    granted(d, "smooth", "x after", fact="descent", of="f", name="f smooth", L="2*beta")
    right = written(bound.expression)
    share = "(e - 2*beta*e**2)/6"
    on_m = f"9*{share} + 5*beta*e**2"
    of_m, squares = of_the_sum(on_m)
    weight = f"2*({on_m})*beta**2"
    drift, more = drift_facts(weight)
    noise = "5/4*beta*e**2"
    facts = {"descent": "1", **of_m, **drift, "variance of a mean": noise, "central variance of a mean": noise}
    gradient = f"{text_of(right.coeff(one_round.G2))} + e - beta*e**2 - {share} - ({weight})*e**2*v*B**2"
    squares += [*more, [share, "g_all + 3*M + 3*Mc"], ["beta*e**2/4", "n + m - 4*M - 4*Mc"], [gradient, "g_all"]]
    target = f"{text_of(right, AMOUNTS)} - f_after + f_all"
    d.combine("recursion", target, over=ALL, facts=facts, squares=squares, unfold="after x1 g_all")


def parallel_recursion(bound: Bound, top: str, *, wide: bool = True) -> Mapping[str, JSON]:
    """One round from a fixed model."""
    convex = bound.left == one_round.near
    d = parallel_round("Mixed FL, round of Parallel Training", top, convex, wide=wide)
    (convex_parallel_round if convex else smooth_parallel_round)(d, bound)
    return d.concluding("recursion")


def parallel_distance(bound: Bound) -> Mapping[str, JSON]:
    """E|x^(t) - x*|^2 at a constant step; v is 1/eta_m^2."""
    d = parallel_round("Mixed FL, Parallel Training at a constant step", "1/8", True, at="past t", strongly=True)
    convex_parallel_round(d)
    d.parameter("G", 0)
    d.choose("Gd_sq", "G**2")
    minimum(d)
    contraction, noise = curves.PARALLEL
    in_v = noise.subs(curves.eta_m, 1 / sp.sqrt(parallel.v))
    whole = replace(bound, expression=bound.expression.subs(curves.eta_m, 1 / sp.sqrt(parallel.v)))
    unrolled(d, whole, "sq(x - xs)", (contraction, in_v), {"recursion": "1", "minimum": "3/2*e"}, f"{ALL} past")
    return d.concluding("distance")


def parallel_rate(
    case: str, bound: Bound, parts: tuple[str, str, str], merging: str = "any", *, wide: bool = True, rounding: str = ""
) -> Mapping[str, JSON]:
    """The error is at most eps after as many rounds as the bound says, at the step whose reciprocal has three parts.

    ``merging``: eta_m is "any", "1", or "large", so that the dissimilarity's part of 1/e is at most the first one;
    ``rounding``: a share of the optimisation term, with which the bound is no less than the count rounded up.
    """
    smooth, beta, e = case == "non-convex", one_round.beta, one_round.e
    if min(map(sp.Rational, parts)) <= 0:
        raise Underivable("a part of 1/e is missing")
    options = {"strongly": case == "strongly convex", "wide": wide, "merging": merging}
    top = "1/9" if smooth else "1/8"
    d = parallel_round(f"Mixed FL, Parallel Training, {case}", top, not smooth, at="past t", **options)
    for name, is_open in (("eps", True), ("count", True), ("D_sq", False), ("F", False), ("G", False), ("root", False)):
        d.parameter(name, 0, low_open=is_open)
    d.choose("Gd_sq", "G**2")
    (smooth_parallel_round if smooth else convex_parallel_round)(d)
    recursion = (parallel.SMOOTH_RECURSION if smooth else parallel.CONVEX_RECURSION).expression
    recursion = sp.expand(recursion)
    decrease = -recursion.coeff(one_round.G2 if smooth else one_round.gap)
    spent = recursion.subs({x: 0 for x in (one_round.w2, one_round.gap, one_round.G2)})
    if smooth:
        of_values(d, "f_all", "after")
    unit = (beta, beta**2) if smooth else (sp.Integer(1), beta)
    noise, drifted = spent.coeff(parallel.nu) / unit[0] / e**2, spent.coeff(parallel.Gd2) / unit[1] / e**3 / parallel.v
    shares = text(noise * e / decrease / sp.Rational(parts[1])), text(drifted * e / decrease)
    inverse = parallel_rates.reciprocal(case, parts)
    if merging == "1":
        inverse = inverse.subs(parallel_rates.v, 1)
    step_in_three_parts(d, inverse, parts, unit)
    small = merging == "large"
    if small:
        large_merging(d, inverse, parts)
    if case == "strongly convex":
        return weighted_rate(d, bound, inverse, text(decrease), text(written(spent)), shares, small, rounding)
    form, measured, start = ("f_all - f_inf", f"sq({_GRADIENT})", "F") if smooth else ("sq(x - xs)", GAP, "D_sq")
    over, each = f"{ALL} past", text(1 / decrease)
    summed(
        d, measured, decrease, written(spent), form, over=over, length="count", **({} if smooth else of_distances("1"))
    )
    granted(d, "start", D1=start, Delta_1="Phi_1")
    enough_rounds(d, bound, inverse, start, parallel_rates.START[case], small)
    facts = {
        "all rounds": each,
        "start": f"{each}/count",
        "last value": f"{each}/count",
        "enough rounds": f"{each}/count",
    }
    facts |= {"noise": shares[0], "dissimilarity": shares[1], **({} if smooth else average_model(d))}
    target = f"eps - {measured if smooth else GAP_OF_MEAN}"
    d.combine("rate", target, over=f"{over} t", facts=facts, unfold="" if smooth else "xbar")
    if not rounding:
        return d.concluding("rate")
    rounded_up(d, case, bound, inverse, rounding)
    return d.concluding("rate", "count")


def weighted_rate(
    d: Derivation,
    bound: Bound,
    inverse: sp.Expr,
    decrease: str,
    noise: str,
    shares: tuple[str, str],
    small: bool,
    rounding: str,
) -> Mapping[str, JSON]:
    """The gap of the mean of the models with weights (1 - mu e)^(-t) is at most eps after as many rounds."""
    (logarithm,) = bound.expression.atoms(sp.log)
    rounds = Rounds(d, decrease, noise, "mu*e", f"{ALL} past")
    gap = weighted(rounds, "D_sq")
    inside = text(logarithm.args[0])
    bound = replace(bound, expression=bound.expression.subs(logarithm, sp.Symbol("ell", positive=True)))
    facts = {"reciprocal of the step": "ell", **({"small root": "ell*e"} if small else {})}
    forgotten(rounds, inside, enough_of(bound, inverse), facts)
    share = text(parallel_rates.START["strongly convex"])
    one = f"1/({rounds.weights})"
    facts = there({"sum": f"{one}/({decrease})", "noise": shares[0], "dissimilarity": shares[1]})
    facts |= {"start forgotten": f"{share}*eps/(mu*({decrease}))*{one}"}
    d.combine("rate", f"there*(eps - ({gap}))", over=f"{ALL} past", facts=facts)
    if not rounding:
        return d.concluding("rate")
    rounded_up(d, "strongly convex", bound, inverse, rounding, count="(rounds + 1)")
    return d.concluding("rate", "count")


def step_in_three_parts(
    d: Derivation, inverse: sp.Expr, parts: tuple[str, str, str], unit: tuple[sp.Expr, sp.Expr]
) -> None:
    """1/e is a sum, so that eps >= b e nu and eps >= c^2 e^2 v G^2, in these units."""
    rest, square = with_root(inverse)
    a, b, c = map(sp.Rational, parts)
    granted(d, "reciprocal of the step", form=f"e*({text(written(rest))} + root) - 1", relation="=")
    granted(d, "square root", form=f"root**2 - ({text(square)})", relation="=")
    d.combine("the step is in its range", text(a - 1 / parallel.TOP["non-convex" if unit[0] != 1 else "convex"]))
    nu = text(written(parallel.nu * unit[0]))
    d.combine("noise", f"eps - {b}*e*({nu})", facts={"reciprocal of the step": "-eps"})
    d.combine("root", "1 - e*root", facts={"reciprocal of the step": "-1"})
    facts = {"root": f"eps/({c**2})*(1 + e*root)", "square root": f"eps/({c**2})*e**2"}
    d.combine("dissimilarity", f"eps/({c**2}) - {text(unit[1])}*e**2*v*G**2", facts=facts)


def enough_rounds(d: Derivation, bound: Bound, inverse: sp.Expr, start: str, share: sp.Expr, small: bool) -> None:
    """The count is at least the bound: start <= share eps e n."""
    granted(d, "number of rounds", form=f"count - ({enough_of(bound, inverse)})")
    facts = {"number of rounds": f"{share}*eps*e", "reciprocal of the step": start}
    facts |= {"small root": f"{start}*e"} if small else {}
    d.combine("enough rounds", f"{share}*eps*e*count - {start}", facts=facts)


def enough_of(bound: Bound, inverse: sp.Expr) -> str:
    """The bound in the letters of a derivation, its square root by that of 1/e."""
    rest, square = with_root(bound.expression)
    ratio = sp.sqrtdenest(sp.sqrt(sp.cancel(square / with_root(inverse)[1])))
    return f"{text(written(rest))} + ({text(ratio)})*root"


def rounded_up(d: Derivation, case: str, bound: Bound, inverse: sp.Expr, share: str, count: str = "count") -> None:
    """The fact ``count``: less than one more than the bound is at most the bound and a share of its optimisation term.

    Where the first model is not accurate: eps <= beta D^2, or 4 beta F.
    """
    smooth, enough = case == "non-convex", enough_of(bound, inverse)
    here = "" if count == "count" else "there*"
    granted(d, "count rounded up", form=f"{here}({enough} + 1 - {count})")
    granted(d, "the first model is not accurate", form=f"{'4*beta*F' if smooth else 'beta*D_sq'} - eps")
    more = f"{share}*B**2*beta*{'F' if smooth else 'D_sq'}/eps"
    facts = {"the first model is not accurate": f"{here}1/eps"}
    if case == "strongly convex":
        more, below = f"{share}*B**2*beta/mu*ell", "(1/(1 + 4/3*mu*D_sq/eps))"
        d.tangent("logarithm of more than 1", above="one", at="logarithm")
        facts = {"logarithm of more than 1": f"{here}{share}*B**2*beta/mu*{below}"}
        facts["the first model is not accurate"] = f"{here}{below}/eps"
    d.combine("count", f"{here}({enough} + {more} - {count})", facts={"count rounded up": "1", **facts})


def large_merging(d: Derivation, inverse: sp.Expr, parts: tuple[str, str, str]) -> None:
    """v so small that the dissimilarity's part of 1/e is at most a (1 + B^2) beta."""
    _, square = with_root(inverse)
    first = sp.Rational(parts[0]) * (1 + parallel.B**2) * one_round.beta
    granted(d, "eta_m large", form=f"({text(first)})**2 - ({text(square)})")
    more = f"1/({text(first)} + root)"
    d.combine("small root", f"{text(first)} - root", facts={"eta_m large": more, "square root": f"-{more}"})


def parallel_order(
    case: str,
    bound: Bound,
    terms: Mapping[str, sp.Expr],
    parts: tuple[str, str, str],
    constants: tuple[str, str, str],
    merging: str,
    *,
    wide: bool = True,
    rounding: str = "",
) -> Mapping[str, JSON]:
    """Constants times the terms of an order are enough rounds; strongly convex: times log(1 + 4 mu D^2/(3 eps)).

    ``rounding`` as in :func:`parallel_rate`.
    """
    named = zip(("noise", "dissimilarity", "optimisation"), constants, strict=True)
    whole = sum((sp.Rational(k) * terms[name] for name, k in named if name in terms), sp.Integer(0))
    if case == "strongly convex":
        (logarithm,) = bound.expression.atoms(sp.log)
        whole = sp.expand(whole) * logarithm
    return parallel_rate(case, replace(bound, expression=whole), parts, merging, wide=wide, rounding=rounding)
