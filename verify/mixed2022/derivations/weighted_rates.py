"""Strongly convex rates of Mixed FL: the error at the mean of the models with growing weights, for a step chosen with a logarithm.

Letters: w = q^(-r) for the contraction q of a round; Q and P are the exponentials of the rounds at the largest step and at the one
that is tuned, ell is the logarithm in that one, lam the larger one of ell and 1/2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import assembly, one_round
from fltheory.theory.mixed2022.one_round import C, V, beta
from verify.mixed2022.derivations.one_round import GAP, one_way_round
from verify.mixed2022.derivations.rates import EVER, GAP_OF_MEAN, after_a_round, decrease_and_noise, text, titled
from verify.mixed2022.derivations.recursions import convex_recursion, convex_round

NOISE = one_round.noise(sp.Integer(1), sp.Integer(1))


def weighted(
    d: Derivation,
    decrease: str,
    noise: str,
    contraction: str,
    start: str,
    over: str,
    begin: Callable[[], None] | None = None,
) -> tuple[str, str]:
    """After one more round: decrease W E(f(xbar1) - f*) <= start + noise W, as "sum"; returns W and xbar1's gap.

    xbar is the mean of the r models so far with weights q^(-1), ..., q^(-r), q = 1 - contraction, whose sum is (w - 1)/(1 - q) for
    w = q^(-r), xbar1 the one with the next model; Jensen's inequality in every round.  ``begin`` as in
    :func:`verify.mixed2022.derivations.rates.unrolled`.
    """
    kept = f"(1 - {contraction})"
    before, after = f"(w - 1)/({contraction})", f"(w/{kept} - 1)/({contraction})"
    d.parameter("r", 0, varies="t", next="r + 1")
    d.parameter("w", 1, varies="t", next=f"w/{kept}", first="1")
    d.vector("xbar", "past t")
    d.vector("xbar1", "past t", equals=f"({before}*xbar + w/{kept}*x)/({after})")
    for point in ("xbar", "xbar1"):
        d.point(point, "ff")
        d.point(point, "fc", value=f"fc_{point}", gradient=f"gc_{point}")
    for name in ("xbar", "f_xbar", "fc_xbar"):
        d.next(name, f"{name}1")
    facts = {"recursion": f"w/{kept}", "Sum": "1", "Sum_next": "-1"}
    for label, of in (("", "convex"), (", centre", "fc convex")):
        for point, weight in (("xbar", before), ("x", f"w/{kept}")):
            d.assume(f"Jensen at {point}{label}", of, ["xbar1", point])
            facts[f"Jensen at {point}{label}"] = f"({decrease})*{weight}"
    form = f"({decrease})*{before}*({GAP_OF_MEAN}) + w*sq(x - xs)"
    d.define("Sum", form, over="past", time="t", next="Sum_next", over_next=over, first="Sum_1")
    if begin:
        begin()
    else:
        suppose(d, "start", D1=start, Delta_1="Sum_1")
        d.assume("start", "start")
    d.combine("a round", f"Sum + w/{kept}*({noise}) - Sum_next", over=over, facts=facts, unfold="xbar1")
    step = {"keep": "1", "facts": {"a round": "1"}, "base": {"start": "1"}, "over": over}
    d.induction("sum so far", of="Sum", bound=f"{start} + ({noise})*{before}", index="r", **step)
    gap = GAP.replace("_x ", "_xbar1 ")
    facts = dict.fromkeys(("sum so far", "a round", "Sum_next"), "1")
    target = f"{start} + ({noise})*{after} - ({decrease})*{after}*({gap})"
    d.combine("sum", target, over=over, facts=facts, squares=[[f"w/{kept}", "x1 - xs"]])
    return after, gap


def exponential(d: Derivation, contraction: str) -> str:
    """w q^(-1) >= exp(contraction (r + 1)) =: P, as "growth": exp(-x) >= 1 - x in every round; returns P, named "rounds"."""
    d.parameter("a", 1)
    d.parameter("power", 1, varies="t", next="a*power", first="1")
    for name, value, exponent in (
        ("one", "1", "0"),
        ("a round", "a", contraction),
        ("rounds", "a*power", f"{contraction}*(r + 1)"),
    ):
        d.exponential(name, value, exponent)
    d.tangent("tangent", above="one", at="a round")
    d.define("Excess", "power - w", over="", time="t", next="Excess_next", over_next="", first="Excess_1")
    suppose(d, "empty sum", first="Excess_1")
    d.assume("equal at first", "empty sum")
    kept = f"(1 - {contraction})"
    facts = {"tangent": f"w/{kept}", "Excess": "a", "Excess_next": "-1"}
    step = {"keep": "a", "facts": facts, "base": {"equal at first": "-1"}}
    d.induction("no excess", of="Excess", bound="0", index="r", **step)
    facts = {"no excess": f"1/{kept}", "Excess": f"1/{kept}", "tangent": f"power/{kept}"}
    d.combine("growth", f"w/{kept} - a*power", facts=facts)
    return "a*power"


def forgotten(d: Derivation, contraction: str, inside: str, needed: str, facts: Mapping[str, str]) -> None:
    """w/q >= exp(ell) = inside after r + 1 >= needed rounds, as "start forgotten"; ``facts`` say that so many are enough."""
    exponential(d, contraction)
    d.parameter("ell", 0)
    d.exponential("logarithm", inside, "ell")
    d.tangent("tangent at ell", above="rounds", at="logarithm")
    d.hypothesis("number of rounds", f"r + 1 - ({needed})")
    d.assume("number of rounds", "number of rounds")
    d.combine("enough rounds", f"{contraction}*(r + 1) - ell", facts={"number of rounds": contraction, **facts})
    facts = {"growth": "1", "tangent at ell": "1", "enough rounds": inside}
    d.combine("start forgotten", f"w/(1 - {contraction}) - ({inside})", facts=facts)


def one_way(title: str, recursion: Bound, *lemmas: Any, least: str = "1") -> tuple[Derivation, str, str, str]:
    """Rounds of 1-way Gradient Transfer with mu > 0: the recursion as a fact, its decrease, noise and contraction."""
    d = one_way_round(title, top=text(1 / (8 * beta)), at="past t", strongly=True, least=least)
    d.parameter("D_sq", 0, low_open=True)
    convex_round(d, recursion, *lemmas)
    kept = sp.expand(recursion.expression).coeff(one_round.w2)
    return d, *map(text, (*decrease_and_noise(recursion, one_round.gap), sp.expand(1 - kept)))


def strongly_convex_order(
    whole: sp.Expr,
    constants: tuple[str, str],
    inside: str,
    recursion: Bound,
    *lemmas: Any,
    level: str,
    least: str = "1",
) -> Mapping[str, JSON]:
    """The error at the weighted mean is at most eps after constants times the terms of the order, times log(inside), rounds.

    The step is 1/(8 beta + 40/17 ``level`` nu/eps) for nu = sigma^2/(KS) + sigma_c^2, ``level`` as in :func:`strongly_convex_rate`.
    """
    d, decrease, noise, contraction = one_way(
        "Mixed FL, strongly convex, number of rounds", recursion, *lemmas, least=least
    )
    d.parameter("eps", 0, low_open=True)
    nu, share = text(NOISE), f"40/17*{level}"
    d.hypothesis("reciprocal of the step", f"e*(8*beta + {share}*({nu})/eps) - 1", relation="=")
    d.assume("reciprocal of the step", "reciprocal of the step")
    d.combine("noise", f"eps - {share}*e*({nu})", facts={"reciprocal of the step": "-eps"})
    weights, gap = weighted(d, decrease, noise, contraction, "D_sq", EVER)
    whole = whole.replace(sp.log, lambda _: sp.Integer(1))
    noiseless = whole.subs({symbol: 0 for symbol in whole.free_symbols if symbol.name in ("V", "C")})
    enough = sp.Rational(constants[0]) * noiseless + sp.Rational(constants[1]) * (whole - noiseless)
    forgotten(d, contraction, inside, f"({text(sp.expand(enough))})*ell", {"reciprocal of the step": "ell"})
    each = f"1/({decrease})"
    facts = {
        "sum": f"{each}/({weights})",
        "start forgotten": f"17/40*eps*{each}/(({weights})*mu*3/2)",
        "noise": f"17/40*e*{each}",
    }
    d.combine("rate", f"eps - ({gap})", over=EVER, facts=facts)
    return d.concluding("rate")


def strongly_convex_rate(
    bound: Bound, recursion: Bound, *lemmas: Any, level: str, first: int = 0, scale: str = "1", noisy: bool = True
) -> Mapping[str, JSON]:
    """E f(mean of x^(first), ..., x^(first + T)) - f(x*) with growing weights, at most ``scale`` times the bound.

    ``level``: the recursion's noise is at most this much times e^2 (sigma^2/(KS) + sigma_c^2).
    """
    title = titled("Mixed FL, strongly convex rate", first, None)
    d, decrease, noise, contraction = one_way(title, recursion, *lemmas)
    d.parameter("T", 0, low_open=True)

    def one_round_later() -> None:
        own = decrease_and_noise(recursion, one_round.gap)
        after_a_round(d, assembly.D2, own, convex_recursion(recursion, *lemmas), "Sum_1")

    start, begin = (f"(D_sq + {noise})", one_round_later) if first else ("D_sq", None)
    weights, gap = weighted(d, decrease, noise, contraction, start, EVER, begin)
    exponential(d, contraction)
    (power,) = bound.expression.atoms(sp.exp)
    (largest,) = bound.expression.atoms(sp.Max)
    d.parameter("Q", 1)
    d.hypothesis("after T more rounds", "r - T", relation="=")
    d.hypothesis("T is large", "3*mu*T - 8*beta")
    for name in ("after T more rounds", "T is large"):
        d.assume(name, name)
    d.exponential("at the limit", "Q", text(-power.args[0]))
    d.tangent("growth at the limit", above="rounds", at="at the limit")
    d.tangent("limit above one", above="at the limit", at="one")
    d.combine("Q large", "Q - 3/2", facts={"limit above one": "1", "T is large": "1/(16*beta)"})
    after, each = f"w/(1 - {contraction})", f"1/({decrease})"
    lam, nu, at_limit = (
        sp.Symbol("lam", positive=True),
        sp.Symbol("nu", positive=True),
        1 / sp.Symbol("Q", positive=True),
    )
    right = bound.expression.subs(power, at_limit)
    facts = {"sum": f"{each}/({weights})", "inverse": f"D_sq*({contraction})*{each}"}
    if noisy:
        d.parameter("nu", 0, low_open=True)
        d.hypothesis("level of the noise", f"nu - ({text(NOISE)})", relation="=")
        d.assume("level of the noise", "level of the noise")
        in_nu = one_round.K * one_round.S * (nu - C)
        right = sp.cancel(right.subs(largest, lam).subs(V, in_nu))
        inside = f"({text(sp.cancel(largest.atoms(sp.log).pop().args[0].subs(V, in_nu)))})"
        tuned(d, inside, after)
        d.combine("noise of a round", f"{level}*nu*e**2 - ({noise})", facts={"level of the noise": f"{level}*e**2"})
        facts |= {
            "start forgotten": f"3*(1 - s)*D_sq*({contraction})*{each}/(P*{inside})",
            "at most the tuned step": f"{1 + first}*{level}*nu*e**2*{each}/(3/2*mu*T*e)",
            "noise of a round": each,
        }
        if first:
            d.combine("noise of the first round", f"1 - ({contraction})/({after} - 1)")
            facts["noise of a round"] += f"*(1 + ({contraction})/({after} - 1))"
            facts["noise of the first round"] = f"{level}*nu*e**2*{each}"
    else:
        for name, value in (("V", "0"), ("C", "0"), ("e", "1/(8*beta)")):
            d.choose(name, value)
        at_its_limit(d, after)
        right = right.subs({V: 0, C: 0})
    d.combine("rate", f"{scale}*({text(right)}) - ({gap})", over=EVER, facts=facts)
    return d.concluding("rate")


def at_its_limit(d: Derivation, after: str) -> None:
    """Without noise the weights grow like Q: 3/Q >= 1/(w/q - 1)."""
    facts = {"growth": "1", "growth at the limit": "1", "after T more rounds": "3/2*mu*e*Q"}
    d.combine("growing", f"{after} - Q", facts=facts)
    facts = {"growing": f"3/(Q*({after} - 1))", "Q large": f"2/(Q*({after} - 1))"}
    d.combine("inverse", f"3/Q - 1/({after} - 1)", facts=facts)


def tuned(d: Derivation, inside: str, after: str) -> None:
    """e is the smaller one of its limit (s = 1) and lam/(3/2 mu T) (s = 0): 3 (s/Q + (1 - s)/P) >= 1/(w/q - 1)."""
    d.parameter("lam", "1/2")
    d.parameter("ell")
    d.parameter("P", 1)
    d.parameter("s", 0, 1)
    rest, limit = "lam - 3/2*mu*T*e", "1/(8*beta) - e"
    d.hypothesis("at most the tuned step", rest)
    d.hypothesis("lam at least the logarithm", "lam - ell")
    equations = {
        "at its limit where s = 1": f"s*({limit})",
        "tuned where s = 0": f"(1 - s)*({rest})",
        "s is 0 or 1": "s*(1 - s)",
    }
    for name, form in equations.items():
        d.hypothesis(name, form, relation="=")
    for name in ("at most the tuned step", "lam at least the logarithm", *equations):
        d.assume(name, name)
    d.exponential("tuned", "P", "lam")
    d.exponential("logarithm", inside, "ell")
    for name, above, at in (
        ("growth when tuned", "rounds", "tuned"),
        ("tuned above one", "tuned", "one"),
        ("tuned above the logarithm", "tuned", "logarithm"),
    ):
        d.tangent(name, above=above, at=at)
    d.combine("P large", "P - 3/2", facts={"tuned above one": "1"})
    facts = {"tuned above the logarithm": "1", "lam at least the logarithm": inside}
    d.combine("start forgotten", f"P - {inside}", facts=facts)
    facts = {
        "growth": "1",
        "growth at the limit": "s",
        "growth when tuned": "1 - s",
        "after T more rounds": "3/2*mu*e*(s*Q + (1 - s)*P)",
        "at its limit where s = 1": "-3/2*mu*T*Q",
        "tuned where s = 0": "-P",
    }
    d.combine("growing", f"{after} - s*Q - (1 - s)*P", facts=facts)
    facts = {
        "growing": "3*(s/Q + (1 - s)/P)",
        "Q large": "2*s/Q",
        "P large": "2*(1 - s)/P",
        "s is 0 or 1": "3*(Q - P)**2/(P*Q)",
    }
    facts = {name: f"({weight})/({after} - 1)" for name, weight in facts.items()}
    d.combine("inverse", f"3*(s/Q + (1 - s)/P) - 1/({after} - 1)", facts=facts)
