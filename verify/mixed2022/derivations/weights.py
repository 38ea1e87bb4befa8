"""Means with growing weights: what a contracting recursion says of them, and how many rounds it takes until a start is forgotten.

Letters: w = q^(-r) after r rounds for the contraction q of a round; Q and P are the exponentials of the rounds at the largest step
and at the one that is tuned, ell is the logarithm in that one, lam the larger one of ell and 1/2; there is 1 where so many rounds
have passed as the statement says, and 0 before and after.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import orders
from fltheory.theory.mixed2022.one_round import C, K, S, V
from verify.mixed2022.derivations.one_round import GAP
from verify.mixed2022.derivations.rates import GAP_OF_MEAN, text, with_root

#: root^2, in the symbols of the orders.
SCATTER = orders.V * orders.beta / (orders.K * orders.eps)


@dataclass(frozen=True)
class Rounds:
    """Rounds whose recursion, a fact of this name, takes ``decrease`` gaps off (1 - contraction) form and adds ``noise``.

    Parameters
    ----------
    d, over : the derivation, and what is averaged over up to the end of a round.
    form, floor : the form at a model, and the squares of which it is made at the next one, with their weights.
    least : the decrease is at least this number times e.
    level, nu : the noise is at most ``level`` e^2 nu.
    top : the largest e.
    scatter : the noise has this number times beta e^3 sigma^2/K besides.
    """

    d: Derivation
    decrease: str
    noise: str
    contraction: str
    over: str
    form: str = "sq(x - xs)"
    floor: Sequence[Sequence[str]] = (("1", "x1 - xs"),)
    least: str = ""
    level: str = ""
    nu: sp.Expr = sp.Integer(0)
    top: str = ""
    scatter: str = ""

    @property
    def after(self) -> str:
        """w after one more round."""
        return f"w/(1 - {self.contraction})"

    @property
    def weights(self) -> str:
        """The sum of the weights after one more round."""
        return f"({self.after} - 1)/({self.contraction})"


def weighted(rounds: Rounds, start: str, begin: Callable[[], None] | None = None, *, of_models: bool = True) -> str:
    """After one more round: decrease W gap <= start + noise W, as "sum"; returns this gap, W is ``rounds.weights``.

    It is that of the mean of the models with weights q^(-1), ..., q^(-r), by Jensen's inequality in every round, or the mean of
    their gaps.  ``begin`` as in :func:`verify.mixed2022.derivations.rates.unrolled`.
    """
    d, decrease, noise, over = rounds.d, rounds.decrease, rounds.noise, rounds.over
    before, after, each = f"(w - 1)/({rounds.contraction})", rounds.weights, rounds.after
    d.parameter("rounds", 0, varies="t", next="rounds + 1")
    d.parameter("w", 1, varies="t", next=each, first="1")
    facts = {"recursion": each, "Sum": "1", "Sum_next": "-1"}
    if of_models:
        measured, gap = GAP_OF_MEAN, GAP.replace("_x ", "_xbar1 ")
        facts |= mean_model(d, before, after, each, decrease)
    else:
        measured, gap = "mean_gap", "mean_gap1"
        for name in (measured, gap):
            d.value(name, "past t")
        d.next(measured, gap)
        form = f"{after}*{gap} - {before}*{measured} - {each}*{GAP}"
        granted(d, "weighted mean of the gaps", fact="mean of the gaps", form=form, relation="=")
        facts["mean of the gaps"] = f"-({decrease})"
    form = f"({decrease})*{before}*({measured}) + w*({rounds.form})"
    d.define("Sum", form, over="past", time="t", next="Sum_next", over_next=over, first="Sum_1")
    if begin:
        begin()
    else:
        granted(d, "start", D1=start, Delta_1="Sum_1")
    unfold = "xbar1" if of_models else ""
    d.combine("a round", f"Sum + {each}*({noise}) - Sum_next", over=over, facts=facts, unfold=unfold)
    step = {"keep": "1", "facts": {"a round": "1"}, "base": {"start": "1"}, "over": over}
    d.induction("sum so far", of="Sum", bound=f"{start} + ({noise})*{before}", index="rounds", **step)
    facts = dict.fromkeys(("sum so far", "a round", "Sum_next"), "1")
    squares = [[f"{each}*({weight})", vector] for weight, vector in rounds.floor]
    target = f"{start} + ({noise})*{after} - ({decrease})*{after}*({gap})"
    d.combine("sum", target, over=over, facts=facts, squares=squares)
    return gap


def mean_model(d: Derivation, before: str, after: str, each: str, decrease: str) -> dict[str, str]:
    """xbar, the mean of the models so far, xbar1 with the next one, and Jensen's inequality, ``decrease`` times."""
    declare(d, f"xbar over past t; xbar1 over past t = ({before}*xbar + {each}*x)/({after}); ff at xbar")
    declare(d, "fc at xbar as fc_xbar, gc_xbar; ff at xbar1; fc at xbar1 as fc_xbar1, gc_xbar1; next xbar = xbar1")
    declare(d, "next f_xbar = f_xbar1; next fc_xbar = fc_xbar1")
    facts = {}
    for label, of in (("", "convex"), (", centre", "fc convex")):
        for point, weight in (("xbar", before), ("x", each)):
            d.assume(f"Jensen at {point}{label}", of, ["xbar1", point])
            facts[f"Jensen at {point}{label}"] = f"({decrease})*{weight}"
    return facts


def exponential(d: Derivation, contraction: str) -> None:
    """w/q >= exp(contraction (r + 1)), as "growth": exp(-x) >= 1 - x in every round."""
    declare(d, "a >= 1; power >= 1 over t, first 1, next a*power")
    for name, value, exponent in (
        ("one", "1", "0"),
        ("a round", "a", contraction),
        ("rounds", "a*power", f"{contraction}*(rounds + 1)"),
    ):
        d.exponential(name, value, exponent)
    d.tangent("tangent", above="one", at="a round")
    d.define("Excess", "power - w", over="", time="t", next="Excess_next", over_next="", first="Excess_1")
    granted(d, "empty sum", fact="equal at first", first="Excess_1")
    kept = f"(1 - {contraction})"
    facts = {"tangent": f"w/{kept}", "Excess": "a", "Excess_next": "-1"}
    step = {"keep": "a", "facts": facts, "base": {"equal at first": "-1"}}
    d.induction("no excess", of="Excess", bound="0", index="rounds", **step)
    facts = {"no excess": f"1/{kept}", "Excess": f"1/{kept}", "tangent": f"power/{kept}"}
    d.combine("growth", f"w/{kept} - a*power", facts=facts)


def forgotten(rounds: Rounds, inside: str, needed: str, facts: Mapping[str, str]) -> None:
    """w/q >= exp(ell) = inside after r + 1 >= needed rounds, as "start forgotten"; ``facts`` say that so many are enough."""
    d, contraction = rounds.d, rounds.contraction
    exponential(d, contraction)
    d.parameter("ell", 0)
    d.exponential("logarithm", inside, "ell")
    d.tangent("tangent at ell", above="rounds", at="logarithm")
    looked_at(d, "enough rounds, where there = 1", f"rounds + 1 - ({needed})")
    facts = {"number of rounds": contraction, **there(facts)}
    d.combine("enough rounds", f"there*({contraction}*(rounds + 1) - ell)", facts=facts)
    facts = {"growth": "there", "tangent at ell": "there", "enough rounds": inside}
    d.combine("start forgotten", f"there*({rounds.after} - ({inside}))", facts=facts)


def looked_at(d: Derivation, name: str, form: str, relation: str = ">=") -> None:
    """What holds where there = 1, as "number of rounds"."""
    d.parameter("there", 0, 1, varies="t")
    granted(d, name, fact="number of rounds", form=f"there*({form})", relation=relation)


def there(facts: Mapping[str, str]) -> dict[str, str]:
    """Facts where there = 1."""
    return {name: f"there*({weight})" for name, weight in facts.items()}


def number_of_rounds(
    rounds: Rounds,
    whole: sp.Expr,
    constants: Sequence[str],
    start: str,
    begin: Callable[[], None] | None = None,
    **measured: bool,
) -> Mapping[str, JSON]:
    """The gap of :func:`weighted` is at most eps after constants times the terms of the order, times ell, rounds.

    For the contraction 3/2 mu e and ell = log(1 + 3 mu start/(least eps)), which leaves eps/2 of the start.
    """
    d, half = rounds.d, f"({rounds.least})/2"
    d.parameter("eps", 0, low_open=True)
    facts = step_for_eps(rounds, constants)
    gap = weighted(rounds, start, begin, **measured)
    needed = order_in_roots(rounds, whole.replace(sp.log, lambda _: sp.Integer(1)), constants)
    inside = f"1 + 3/2*mu*({start})/({half}*eps)"
    forgotten(rounds, inside, f"({needed})*ell", {"reciprocal of the step": "ell"})
    each = f"1/({rounds.decrease})"
    facts = there(
        {"sum": f"{each}/({rounds.weights})", **{name: f"({weight})*{each}" for name, weight in facts.items()}}
    )
    facts |= {"start forgotten": f"{half}*eps*{each}/(({rounds.weights})*mu*3/2)"}
    d.combine("rate", f"there*(eps - ({gap}))", over=rounds.over, facts=facts)
    return d.concluding("rate")


def order_in_roots(rounds: Rounds, whole: sp.Expr, constants: Sequence[str]) -> str:
    """Constants times the terms of an order: without variances, with them, and the scatter's, a multiple of root."""
    whole, square = with_root(whole)
    noiseless = whole.subs({symbol: 0 for symbol in whole.free_symbols if symbol.name in ("V", "C")})
    enough = sp.Rational(constants[0]) * noiseless + sp.Rational(constants[1]) * (whole - noiseless)
    if not rounds.scatter:
        return text(sp.expand(enough))
    return f"{text(sp.expand(enough))} + {constants[2]}*({text(sp.sqrt(sp.cancel(square / SCATTER)))})*root"


def step_for_eps(rounds: Rounds, constants: Sequence[str]) -> dict[str, str]:
    """1/e is 1/top + share nu/eps, and a multiple of root where there is scatter; what bounds the noise, and how often.

    The noise is at most eps/2, or eps/4 beside the scatter; root^2 = beta sigma^2/(K eps).
    """
    d, nu = rounds.d, text(rounds.nu)
    own = f"({rounds.least})/{4 if rounds.scatter else 2}"
    share, more = f"({rounds.level})/({own})", ""
    if rounds.scatter:
        d.parameter("root", 0)
        granted(d, "square root", form="root**2 - beta*V/(K*eps)", relation="=")
        more = f" + 3/2*({constants[2]})*root"
    granted(d, "reciprocal of the step", form=f"e*(1/({rounds.top}) + {share}*({nu})/eps{more}) - 1", relation="=")
    d.combine("noise", f"eps - {share}*e*({nu})", facts={"reciprocal of the step": "-eps"})
    if not rounds.scatter:
        return {"noise": f"{own}*e"}
    c = f"(3/2*({constants[2]}))"
    d.combine("root", f"1 - {c}*e*root", facts={"reciprocal of the step": "-1"})
    facts = {"root": f"eps/{c}**2*(1 + {c}*e*root)", "square root": "eps*e**2"}
    d.combine("scatter", f"eps/{c}**2 - e**2*beta*V/K", facts=facts)
    return {"noise": f"{own}*e", "scatter": f"{rounds.scatter}*e"}


def rate(
    rounds: Rounds,
    bound: Bound,
    start: str,
    begin: Callable[[], None] | None = None,
    *,
    later: bool = False,
    scale: str = "1",
    noisy: bool = True,
    **measured: bool,
) -> Mapping[str, JSON]:
    """The gap of :func:`weighted` is at most ``scale`` times the bound, after T + 1 rounds, for the contraction 3/2 mu e.

    ``later``: the sum begins after the first round, so that the start has the noise of one round more.
    """
    d, contraction, noise, level = rounds.d, rounds.contraction, rounds.noise, rounds.level
    d.parameter("T", 0, low_open=True)
    gap = weighted(rounds, f"({start} + {noise})" if later else start, begin, **measured)
    exponential(d, contraction)
    (power,), (largest,) = bound.expression.atoms(sp.exp), bound.expression.atoms(sp.Max)
    d.parameter("Q", 1)
    granted(d, "T is large", form=f"3*mu*T*({rounds.top}) - 1")
    looked_at(d, "after T more rounds, where there = 1", "rounds - T", "=")
    d.exponential("at the limit", "Q", text(-power.args[0]))
    d.tangent("growth at the limit", above="rounds", at="at the limit")
    d.tangent("limit above one", above="at the limit", at="one")
    d.combine("Q large", "Q - 3/2", facts={"limit above one": "1", "T is large": "1/2"})
    after, each = rounds.after, f"1/({rounds.decrease})"
    right = bound.expression.subs(power, 1 / sp.Symbol("Q", positive=True))
    facts = {"sum": f"{each}/({rounds.weights})"}
    if noisy:
        d.parameter("nu", 0, low_open=True)
        granted(d, "level of the noise", form=f"nu - ({text(rounds.nu)})", relation="=")
        (logarithm,) = largest.atoms(sp.log)
        inside = f"({in_nu(logarithm.args[0], rounds.nu)})"
        tuned(rounds, inside)
        d.combine("noise of a round", f"{level}*nu*e**2 - ({noise})", facts={"level of the noise": f"{level}*e**2"})
        facts |= {
            "start forgotten": f"3*(1 - s)*{start}*({contraction})*{each}/(P*{inside})",
            "at most the tuned step": f"{1 + later}*{level}*nu*e**2*{each}/(3/2*mu*T*e)",
            "noise of a round": each,
        }
        if later:
            d.combine("noise of the first round", f"1 - ({contraction})/({after} - 1)")
            facts["noise of a round"] += f"*(1 + ({contraction})/({after} - 1))"
            facts["noise of the first round"] = f"{level}*nu*e**2*{each}"
        shown = in_nu(right.subs(largest, sp.Symbol("lam", positive=True)), rounds.nu)
    else:
        for name, value in (("V", "0"), ("C", "0"), ("e", rounds.top)):
            d.choose(name, value)
        at_its_limit(rounds)
        shown = text(right.subs({V: 0, C: 0}))
    facts = {**there(facts), "inverse": f"{start}*({contraction})*{each}"}
    d.combine("rate", f"there*({scale}*({shown}) - ({gap}))", over=rounds.over, facts=facts)
    return d.concluding("rate")


def in_nu(expression: sp.Expr, nu: sp.Expr) -> str:
    """An expression in which the noise occurs as nu only."""
    clients = K * S * (sp.Symbol("nu", positive=True) - nu.coeff(C) * C)
    return text(sp.cancel(expression.subs(V, clients)))


def at_its_limit(rounds: Rounds) -> None:
    """Without noise the weights grow like Q: 3/Q >= 1/(w/q - 1)."""
    d, after = rounds.d, rounds.after
    facts = {"growth": "there", "growth at the limit": "there", "number of rounds": "3/2*mu*e*Q"}
    d.combine("growing", f"there*({after} - Q)", facts=facts)
    facts = {"growing": f"3/(Q*({after} - 1))", "Q large": f"there*2/(Q*({after} - 1))"}
    d.combine("inverse", f"there*(3/Q - 1/({after} - 1))", facts=facts)


def tuned(rounds: Rounds, inside: str) -> None:
    """e is the smaller one of its limit (s = 1) and lam/(3/2 mu T) (s = 0): 3 (s/Q + (1 - s)/P) >= 1/(w/q - 1)."""
    d, after = rounds.d, rounds.after
    d.parameter("lam", "1/2")
    d.parameter("ell")
    declare(d, "P >= 1; 0 <= s <= 1")
    rest, limit = "lam - 3/2*mu*T*e", f"{rounds.top} - e"
    granted(d, "at most the tuned step", form=rest)
    granted(d, "lam at least the logarithm", form="lam - ell")
    granted(d, "at its limit where s = 1", form=f"s*({limit})", relation="=")
    granted(d, "tuned where s = 0", form=f"(1 - s)*({rest})", relation="=")
    granted(d, "s is 0 or 1", form="s*(1 - s)", relation="=")
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
        "at its limit where s = 1": "-3/2*mu*T*Q",
        "tuned where s = 0": "-P",
    }
    facts = {**there(facts), "number of rounds": "3/2*mu*e*(s*Q + (1 - s)*P)"}
    d.combine("growing", f"there*({after} - s*Q - (1 - s)*P)", facts=facts)
    facts = {"Q large": "2*s/Q", "P large": "2*(1 - s)/P", "s is 0 or 1": "3*(Q - P)**2/(P*Q)"}
    facts = {**there(facts), "growing": "3*(s/Q + (1 - s)/P)"}
    facts = {name: f"({weight})/({after} - 1)" for name, weight in facts.items()}
    d.combine("inverse", f"there*(3*(s/Q + (1 - s)/P) - 1/({after} - 1))", facts=facts)
