"""Rates of Mixed FL: a recursion summed over T + 1 models, for the step that the quoted lemma chooses for T.

The step is the smaller one of its limit and sqrt(A/(level (T + 1))), A the start: e is at most both, and equal to one of them.
Without noise it is the limit, which is a derivation of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy as sp

from fltheory.derivation.packs import suppose
from fltheory.derivation.replay import Underivable
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import assembly, curves, one_round
from fltheory.theory.mixed2022.one_round import C, S, V, beta
from verify.mixed2022.derivations.one_function import losses
from verify.mixed2022.derivations.one_round import ALL, GAP, one_way_round
from verify.mixed2022.derivations.recursions import (
    SHARP_CONVEX,
    convex_recursion,
    convex_round,
    smooth_recursion,
    smooth_round,
)

#: An order of rounds, and the constants of its terms without the variances and with them.
Order = tuple[sp.Expr, tuple[str, str]]
#: Everything that is averaged over up to the end of a round.
EVER = f"{ALL} past"
GAP_OF_MEAN = GAP.replace("_x ", "_xbar ")


def text(expression: sp.Expr) -> str:
    """A number in the letters of the derivations.

    Raises
    ------
    Underivable : it is not rational.
    """
    try:
        return text_of(expression, {symbol: "size" for symbol in expression.free_symbols if symbol.name == "S"})
    except ValueError as error:
        raise Underivable(str(error)) from None


def with_root(expression: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """A bound without its square root, and the square of that part, which is rational.

    Raises
    ------
    Underivable : the part may be negative.
    """
    free = {s: sp.Symbol(s.name, positive=True) for s in expression.free_symbols - {S}} | {
        S: 1 + sp.Symbol("s", positive=True)
    }
    terms = sp.Add.make_args(sp.expand_mul(expression))
    part = sp.Add(*(term for term in terms if any(not power.exp.is_Integer for power in term.atoms(sp.Pow))))
    if not sp.factor(part.subs(free)).is_nonnegative:
        raise Underivable(f"{part} may be negative")
    return sp.Add(*terms) - part, sp.factor(sp.powdenest(sp.expand_power_base(part**2, force=True), force=True))


def decrease_and_noise(recursion: Bound, of: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
    """How much of a gap or a squared gradient a recursion takes off, and its noise."""
    whole = sp.expand(recursion.expression)
    return -whole.coeff(of), whole.coeff(V) * V + whole.coeff(C) * C


def average_model(d: Derivation) -> dict[str, str]:
    """The average of the models, xbar, and Jensen's inequality there."""
    declare(d, "xbar over past = mean(x, t); ff at xbar; fc at xbar as fc_xbar, gc_xbar")
    d.assume("Jensen", "convex", ["xbar", "x"])
    d.assume("Jensen, centre", "fc convex", ["xbar", "x"])
    return {"Jensen": "1", "Jensen, centre": "1"}


def step_of(d: Derivation, bound: Bound, start: sp.Expr, level: sp.Expr, top: sp.Expr) -> str:
    """share (A/(e (T + 1)) + level e) is at most the bound, as "the step"; returns the share."""
    plain, square = with_root(bound.expression)
    n = assembly.T + 1
    share = text(sp.cancel(plain * top * n / start))
    declare(d, "root >= 0; level > 0")
    rest, limit = f"({start} - level*(T + 1)*e**2)", text(top)
    granted(d, "square root", form=f"root**2 - ({text(square)})", relation="=")
    granted(d, "level of the noise", form=f"level - ({text(level)})", relation="=")
    granted(d, "at most the tuned step", form=rest)
    granted(d, "one of the two", form=f"({limit} - e)*{rest}", relation="=")
    both = f"(root + 2*({share})*level*e)"
    facts = {
        "square root": f"1/{both}",
        "level of the noise": f"-4*({share})**2*{start}/((T + 1)*{both})",
        "at most the tuned step": f"4*({share})**2*level/((T + 1)*{both})",
        "one of the two": f"-({share})/(e*({limit})*(T + 1))",
    }
    d.combine("the step", f"{text(plain)} + root - ({share})*({start}/(e*(T + 1)) + level*e)", facts=facts)
    return share


def summed(
    d: Derivation,
    measured: str,
    decrease: sp.Expr,
    noise: sp.Expr,
    form: str,
    *,
    over: str,
    length: str,
    dropped: Sequence[Sequence[str]] = (),
    floor: Sequence[Sequence[str]] = (),
) -> None:
    """decrease measured <= (Phi_1 - Phi_last)/length + noise on average over the models, where Phi >= 0.

    ``dropped``: squares that the recursion has and the sum does not need; ``floor``: those of Phi at the next model.
    """
    d.define("Phi", form, over="past", time="t", next="Phi_next", over_next=over, first="Phi_1", last="Phi_last")
    kept = f"{text(noise)} - ({text(decrease)})*{measured}"
    facts = {"recursion": "1", "Phi": "1", "Phi_next": "-1"}
    d.combine("a round", f"Phi - Phi_next + {kept}", over=over, facts=facts, squares=dropped)
    d.telescope("all rounds", "a round", ["Phi"], length)
    values = {"infimum": "1"} if "f_inf" in form else {}
    d.combine("Phi_next >= 0", "Phi_next", over=over, facts={"Phi_next": "1", **values}, squares=floor)
    d.end("last value", "Phi_next >= 0", ["Phi"], last=True)


def of_distances(contraction: str) -> dict[str, Any]:
    """What a sum of distances drops, and that they are nonnegative."""
    return {"dropped": [[f"{contraction}*mu*e", "x - xs"]], "floor": [["1", "x1 - xs"]]}


def of_values(d: Derivation, value: str, following: str) -> None:
    """Values of f from its infimum on."""
    if "f_inf" not in d.state.values:
        d.value("f_inf")
    d.next(value, f"f_{following}")
    granted(d, "infimum", following, of="f", f_inf="f_inf")


def concluded(
    d: Derivation,
    bound: Bound,
    start: sp.Expr,
    level: sp.Expr,
    top: sp.Expr,
    measured: str,
    of_recursion: Any,
    *,
    first: Mapping[str, JSON] | None,
    noisy: bool,
    tuned: bool,
    facts: Mapping[str, str],
    unfold: str = "",
    over: str = EVER,
    order: Order | None = None,
    begun: bool = False,
) -> Mapping[str, JSON]:
    """The bound's own expression: the sum over the rounds, the last value, Jensen's inequality or a minimum, and the step."""
    decrease, noise = of_recursion
    n, each = "(T + 1)", text(1 / decrease)
    known = {"all rounds": each, "start": f"{each}/{n}", "last value": f"{each}/{n}", **facts}
    if first:
        after_a_round(d, start, of_recursion, first)
    elif not begun:
        granted(d, "recursion at the first model", fact="start", form=f"{start} - Phi_1")
    right = bound.expression
    if not noisy:
        for name, value in (("V", "0"), ("C", "0"), ("e", text(top))):
            d.choose(name, value)
        right = text(right.subs({V: 0, C: 0}))
    elif not tuned:
        raise Underivable("the step is not chosen for T")
    else:
        share = step_of(d, bound, start, level, top)
        known |= {"the step": "1", "level of the noise": f"({share})*e"}
        right = f"{text(with_root(right)[0])} + root"
    d.combine("rate", f"{right} - {measured}", over=f"{over} t", facts=known, unfold=unfold)
    if not order:
        return d.concluding("rate")
    enough_rounds(d, bound, *order, noisy=noisy)
    d.combine("error", f"eps - {measured}", over=f"{over} t", facts={"rate": "1", "order": "1"}, unfold=unfold)
    return d.concluding("error")


def enough_rounds(
    d: Derivation, bound: Bound, order: sp.Expr, constants: tuple[str, str], *, noisy: bool = True
) -> None:
    """The bound is at most eps for T + 1 >= constants times the terms of the order: without the variances, and with them."""
    d.parameter("eps", 0, low_open=True)
    alone = order.subs({symbol: 0 for symbol in order.free_symbols if symbol.name in ("V", "C")})
    enough = sp.Rational(constants[0]) * alone + sp.Rational(constants[1]) * (order - alone)
    granted(d, "number of rounds", form=f"T + 1 - ({text(enough)})")
    plain, facts = with_root(bound.expression)[0], {"number of rounds": "eps/(2*(T + 1))"}
    if noisy:
        more = "1/(eps/2 + root)"
        facts = {"square root": f"-{more}", "number of rounds": f"eps/(2*(T + 1)) + eps**2/(4*(T + 1))*{more}"}
    d.combine("order", f"eps - ({text(plain)}{' + root' if noisy else ''})", facts=facts)


def after_a_round(
    d: Derivation, start: sp.Symbol, own: tuple[sp.Expr, sp.Expr], recursion: Mapping[str, JSON], begun: str = "Phi_1"
) -> None:
    """The recursion from x^(0), to which the start belongs, to the model with which the sum over the rounds begins."""
    (decrease, noise), convex = own, start == assembly.D2
    declare(d, "x_0; x_1 over S xi xc; ff at x_0 as f_0, g_0; fc at x_0 as fc_0, gc_0")
    names = {
        "x": "x_0",
        "x1" if convex else "after": "x_1",
        "ff": "ff",
        "fc": "fc",
        **({"xs": "xs"} if convex else {"f": "f"}),
    }
    if not convex:
        d.point("x_0", "f", value="f_all_0", gradient="g_all_0", equals="g_0 + gc_0")
        d.point("x_1", "f", value="f_1")
    names |= {one: one for one in ("S", "xi", "xc", "beta", "mu", "K", "size", "V", "C", "e", "u", "v")}
    d.lemma("one round", recursion)
    both = ("smooth", "convex", "strongly convex") if convex else ()
    known = ["Lipschitz gradients", *both, *(f"fc {one}" for one in both)]
    d.apply("first round", "one round", "recursion", names=names, hypotheses={one: one for one in known})
    here, there = ("sq(x_0 - xs)", "sq(x_1 - xs)") if convex else ("(f_all_0 - f_inf)", "f_1 - f_inf")
    granted(d, f"{start} at x^(0)", form=f"{start} - {here}")
    granted(d, f"{begun} at x^(1)", form=f"{begun} - ({there})", over="S xi xc", relation="=")
    facts = {"first round": "1", f"{start} at x^(0)": "1", f"{begun} at x^(1)": "-1"}
    squares = [["3/2*mu*e", "x_0 - xs"]] if convex else [[text(decrease), "g_0 + gc_0"]]
    if convex:
        for label in ("", "fc "):
            d.assume(f"{label}least at x*, first", f"{label}convex", ["xs", "x_0"])
        facts |= dict.fromkeys(("least at x*, first", "fc least at x*, first"), text(decrease))
    target = f"{start} + {text(noise)} - {begun}"
    d.combine("start", target, over="S xi xc", facts=facts, squares=squares, unfold="gc_xs" if convex else "")


def titled(title: str, first: int, order: Order | None) -> str:
    return f"{title}{', after the first round' if first else ''}{', number of rounds' if order else ''}"


def convex_rate(
    bound: Bound,
    recursion: Bound,
    *lemmas: Any,
    level: sp.Expr,
    first: int = 0,
    noisy: bool = True,
    tuned: bool = True,
    order: Order | None = None,
) -> Mapping[str, JSON]:
    """E f(mean of x^(first), ..., x^(first + T)) - f(x*) for the start D^2."""
    top = 1 / (8 * beta)
    least = "2" if bound.expression.subs(S, 1).has(sp.zoo, sp.nan) else "1"
    d = one_way_round(titled("Mixed FL, convex rate", first, order), top=text(top), at="past t", least=least)
    declare(d, "T, D_sq >= 0")
    convex_round(d, recursion, *lemmas)
    own = decrease_and_noise(recursion, one_round.gap)
    summed(d, GAP, *own, "sq(x - xs)", over=EVER, length="T + 1", **of_distances("3/2"))
    facts, measured = average_model(d), GAP_OF_MEAN
    begun = convex_recursion(recursion, *lemmas) if first else None
    options = {"first": begun, "noisy": noisy, "tuned": tuned, "facts": facts, "unfold": "xbar", "order": order}
    return concluded(d, bound, assembly.D2, level, top, measured, own, **options)


def smooth_rate(
    bound: Bound,
    recursion: Bound,
    *lemmas: Any,
    level: sp.Expr,
    first: int = 0,
    noisy: bool = True,
    order: Order | None = None,
) -> Mapping[str, JSON]:
    """The least E|grad f|^2 of x^(first), ..., x^(first + T) for the start F = f(x^(0)) - inf f."""
    top = 1 / (18 * beta)
    d = one_way_round(titled("Mixed FL, rate without convexity", first, order), top=text(top), at="past t")
    declare(d, "T, F >= 0")
    smooth_round(d, recursion, *lemmas)
    own = decrease_and_noise(recursion, one_round.G2)
    of_values(d, "f_all", "after")
    summed(d, "sq(g_x + gc_x)", *own, "f_all - f_inf", over=EVER, length="T + 1")
    d.value("least")
    granted(d, "least of the squared gradients", fact="least", form="sq(g_x + gc_x) - least", over=EVER)
    begun = smooth_recursion(recursion, *lemmas) if first else None
    options = {"first": begun, "noisy": noisy, "tuned": True, "facts": {"least": "1"}, "order": order}
    return concluded(d, bound, assembly.F, level, top, "least", own, **options)


def rounds_of_a_rate(bound: Bound, enough: sp.Expr) -> Mapping[str, JSON]:
    """A/n + B/sqrt(n) <= eps for n >= enough; root is sqrt(n)."""
    A, B, eps = sp.symbols("A B eps")
    d = Derivation("Mixed FL, rounds of a rate")
    declare(d, "eps > 0; A, B, T >= 0; root > 0")
    granted(d, "square root", form="root**2 - T - 1", relation="=")
    granted(d, "enough rounds", form=f"T + 1 - ({text(enough)})")
    facts = {"square root": "1", "enough rounds": "1"}
    d.combine("root large", "root**2 - 4*B**2/eps**2 - 2*A/eps", facts=facts)
    d.combine("root", "root - 2*B/eps", facts={"root large": "1/(root + 2*B/eps)"})
    left = text_of(bound.left.subs(sp.sqrt(assembly.T + 1), sp.Symbol("root")))
    facts = {"root": "eps/(2*root)", "root large": "eps/(2*root**2)"}
    d.combine("rounds", f"{text_of(bound.expression)} - ({left})", facts=facts)
    return d.concluding("rounds")


def growing_weights(kept: sp.Expr, direction: str) -> Mapping[str, JSON]:
    """Weights w_1 = 1, w_(r+1) = w_r/kept for steps up to 1/(8 beta)."""
    d = losses("Mixed FL, weights of the average", strongly=True)
    declare(d, f"axes t; 0 < e <= 1/(8*beta); w > 0 over t, first 1, next w/({text(kept)})")
    following = text(sp.Symbol("w") / kept)
    d.combine("neighbours", f"{following} - w" if direction == "increasing" else f"w - {following}")
    return d.concluding("neighbours")


def one_way_distance(bound: Bound) -> Mapping[str, JSON]:
    """E|x^(t) - x*|^2 at a constant step."""
    d = one_way_round("Mixed FL, distance at a constant step", top="1/(8*beta)", at="past t", strongly=True)
    convex_round(d, assembly.CVX_REC_SHARP, *SHARP_CONVEX)
    minimum(d)
    decrease = text(-sp.expand(assembly.CVX_REC_SHARP.expression).coeff(one_round.gap))
    unrolled(d, bound, "sq(x - xs)", curves.ONE_WAY, {"recursion": "1", "minimum": decrease}, EVER)
    return d.concluding("distance")


def minimum(d: Derivation) -> None:
    """f(x) >= f(x*)."""
    for name, of in (("least at x*", "convex"), ("least at x*, centre", "fc convex")):
        d.assume(name, of, ["xs", "x"])
    facts = {"least at x*": "1", "least at x*, centre": "1"}
    d.combine("minimum", GAP, facts=facts, unfold="gc_xs")


def unrolled(
    d: Derivation,
    bound: Bound,
    form: str,
    given: tuple[sp.Expr, sp.Expr],
    facts: Mapping[str, str],
    over: str,
    begin: Callable[[], None] | None = None,
) -> None:
    """A distance from its recursion without the gap, with this contraction and noise, by induction; q^(T - 1) is p.

    ``begin`` derives that the start is at least the first distance, which else is supposed.
    """
    contraction, noise = given
    kept = 1 - contraction * one_round.mu * one_round.e
    declare(d, f"D_sq >= 0; T >= 1 over t, next T + 1; 0 <= p <= 1 over t, first 1, next ({text(kept)})*p")
    d.define("Phi", form, over="past", time="t", next="Phi_next", over_next=over, first="Phi_1")
    if begin:
        begin()
    else:
        suppose(d, "start", D1="D_sq", Delta_1="Phi_1")
        d.assume("start", "start")
    right = f"({text(kept)})*Phi + {text(noise)} - Phi_next"
    d.combine("one round", right, over=over, facts={**facts, "Phi": text(kept), "Phi_next": "-1"})
    claimed = text(bound.expression.subs(kept ** (assembly.T - 1), sp.Symbol("p")))
    step = {"keep": text(kept), "facts": {"one round": "1"}, "base": {"start": "1"}, "over": over}
    d.induction("distance", of="Phi", bound=claimed, index="T", **step)
