"""Rates of elastic aggregation: the recursion of a round summed over x^0, ..., x^R, and the step that balances the terms.

The sublinear rates take 1/e = 8 (1 + B^2) beta + X + U, where X and U are the noise's and the drift's share; D is a positive
number that is at least |x^0 - x*|, F one that is at least f(x^0) - inf f.
"""

from collections.abc import Mapping
from dataclasses import replace

import sympy as sp

from fltheory.derivation.replay import Underivable
from fltheory.derivation.script import Derivation
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from verify.elastic2023.derivations.theorem_1 import (
    DECREASE,
    DRIFTED,
    GAP,
    LEVEL,
    SMOOTH_DECREASE,
    SMOOTH_DRIFTED,
    SMOOTH_LEVEL,
    a_round,
    all_of,
    convex_round,
    smooth_round,
)

TOP = "8*(1 + B**2)*beta"


def in_letters(bound: Bound, named: Mapping[sp.Expr, str]) -> str:
    """A sum of multiples of named terms, in the letters of a derivation: what is no rational multiple is rounded down.

    Raises
    ------
    Underivable : a summand is a positive multiple of none of them.
    """
    R, rounds = sp.symbols("R n", positive=True)
    texts, named = [], {one.subs(R, rounds - 1): text for one, text in named.items()}
    for term in sp.Add.make_args(sp.expand(bound.expression.subs(R, rounds - 1))):
        ratios = {text: sp.powsimp(sp.powdenest(term / one, force=True), force=True) for one, text in named.items()}
        found = next(((r, text) for text, r in ratios.items() if r.is_number and r.is_positive), None)
        if found is None:
            raise Underivable(f"{term} is none of the terms {', '.join(map(str, named))}")
        ratio = found[0] if found[0].is_Rational else sp.Rational(sp.floor(10**6 * found[0]), 10**6)
        texts.append(f"({ratio})*({found[1]})")
    return " + ".join(texts)


def summed(
    d: Derivation, measured: str, form: str, decrease: str, noise: str, dropped: list[list[str]], floor: list[list[str]]
) -> None:
    """decrease e times the mean of what is measured is at most (Phi_1 - Phi_last)/(R + 1) + noise, as "all rounds"."""
    over = all_of(d)
    before = "past" if form.startswith("sq") else "k past"
    d.define("Phi", form, over=before, time="t", next="Phi_next", over_next=over, first="Phi_1", last="Phi_last")
    facts = {"recursion": "1", "Phi": "1", "Phi_next": "-1"}
    d.combine("a round", f"Phi - Phi_next + {noise} - {decrease}*e*{measured}", over=over, facts=facts, squares=dropped)
    d.parameter("R", 0)
    d.telescope("all rounds", "a round", ["Phi"], "R + 1")
    facts = {"Phi_next": "1"} | ({} if floor else {"infimum": "1"})
    d.combine("not negative", "Phi_next", over=over, facts=facts, squares=floor)
    d.end("last value", "not negative", ["Phi"], last=True)


def balanced(d: Derivation, start: str, level: str, drift: str) -> None:
    """start/(e (R + 1)) + level e + drift e^2 is at most the sum of three terms, by the step, as "the step"."""
    n = "(R + 1)"
    declare(d, "X, U >= 0")
    forms = {
        "reciprocal of the step": f"e*({TOP} + X + U) - 1",
        "share of the noise": f"X**2*{start} - {level}*{n}",
        "share of the drift": f"U**3*{start} - 2*({drift})*{n}",
    }
    for name, form in forms.items():
        granted(d, name, form=form, relation="=")
    for name in ("X", "U"):
        d.combine(f"{name} small", f"1 - e*{name}", facts={"reciprocal of the step": "-1"})
    target = f"{TOP}*{start}/{n} + 2*X*{start}/{n} + 3/2*U*{start}/{n} - ({start}/(e*{n}) + {level}*e + {drift}*e**2)"
    facts = {
        "reciprocal of the step": f"{start}/(e*{n})",
        "X small": f"X*{start}/{n}",
        "share of the noise": f"e/{n}",
        "U small": f"U*{start}/(2*{n})*(1 + e*U)",
        "share of the drift": f"e**2/(2*{n})",
    }
    d.combine("the step", target, facts=facts)


def terms_of_rate(start: sp.Expr, level: sp.Expr, drift: sp.Expr, text: str) -> dict[sp.Expr, str]:
    """The three terms of a sublinear rate and their texts: start/(R + 1) beta (1, B^2), noise, drift."""
    R, B, beta = (sp.Symbol(name, positive=True) for name in ("R", "B", "beta"))
    share = f"{text}/(R + 1)"
    first = beta * start / (R + 1)
    return {
        first: f"beta*{share}",
        B**2 * first: f"B**2*beta*{share}",
        sp.sqrt(level * start / (R + 1)): f"X*{share}",
        sp.cbrt(2 * drift) * (start / (R + 1)) ** sp.Rational(2, 3): f"U*{share}",
    }


def positive(expression: sp.Expr) -> sp.Expr:
    """An expression in positive symbols of the same names."""
    return expression.subs({s: sp.Symbol(s.name, positive=True) for s in expression.free_symbols})


def sublinear(
    bound: Bound, d: Derivation, measured: str, start: str, level: str, drift: str, decrease: str
) -> Mapping[str, JSON]:
    """The mean over x^0..x^R of what is measured, from "all rounds" and the step."""
    balanced(d, start, level, drift)
    granted(d, "start", form=f"{start} - Phi_1")
    names = {name: sp.Symbol(name, positive=True) for name in ("K", "beta", "G", "D", "F")}
    names |= {"M2": sp.Symbol("M", positive=True) ** 2, "size": sp.Symbol("S", positive=True)}
    read = [sp.sympify(one, locals=names) for one in (start, level, drift)]
    shown = in_letters(replace(bound, expression=positive(bound.expression)), terms_of_rate(*read, start))
    each = f"1/({decrease})"
    facts = {"all rounds": f"{each}/e", "the step": each}
    facts |= {name: f"{each}/(e*(R + 1))" for name in ("start", "last value")}
    d.combine("rate", f"{shown} - {measured}", over=f"{all_of(d)} t", facts=facts)
    return d.concluding("rate")


def convex_rate(bound: Bound, cohort: str) -> Mapping[str, JSON]:
    """The mean of E f - f* over x^0..x^R for mu >= 0."""
    d = a_round("general convex rate", cohort, strongly=False)
    d.parameter("D", 0, low_open=True)
    convex_round(d, cohort)
    level, drift = f"{LEVEL}*M2/(K*size)", f"{DRIFTED}*beta*G**2"
    noise = f"{level}*e**2 + {drift}*e**3"
    summed(d, GAP, "sq(x - xs)", DECREASE, noise, [["mu*e/2", "x - xs"]], [["1", "x1 - xs"]])
    return sublinear(bound, d, GAP, "D**2", level, drift, DECREASE)


def smooth_rate(bound: Bound, cohort: str) -> Mapping[str, JSON]:
    """The mean of E|grad f|^2 over x^0..x^R; nothing is convex."""
    d = a_round("rate without convexity", cohort)
    d.parameter("F", 0, low_open=True)
    smooth_round(d, cohort)
    declare(d, "value f_inf; next f_x = f_x1")
    granted(d, "infimum of the average", "x1", fact="infimum", of="f", f_star="f_inf")
    level, drift = f"{SMOOTH_LEVEL}*beta*M2/(K*size)", f"{SMOOTH_DRIFTED}*beta**2*G**2"
    noise = f"{level}*e**2 + {drift}*e**3"
    measured = "sq(mean(g_x, k))"
    summed(d, measured, "f_x - f_inf", SMOOTH_DECREASE, noise, [], [])
    return sublinear(bound, d, measured, "F", level, drift, SMOOTH_DECREASE)
