"""Strongly convex rates of Mixed FL and their numbers of rounds: the error at a mean of the models with growing weights."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import sympy as sp

from fltheory.evidence.things import granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import assembly, one_round, two_way_bounds, two_way_cohorts
from fltheory.theory.mixed2022.one_round import beta
from verify.mixed2022.derivations.one_round import GAP, one_way_round
from verify.mixed2022.derivations.rates import EVER, after_a_round, decrease_and_noise, summed, text, titled
from verify.mixed2022.derivations.recursions import convex_recursion, convex_round
from verify.mixed2022.derivations.two_way import (
    AFTER,
    ALL,
    NOISE,
    Z_AFTER,
    A,
    B,
    Q,
    Z,
    at_the_start,
    convex_two_way_round,
    errors,
    squares_of,
    two_way_round,
)
from verify.mixed2022.derivations.weights import Rounds, number_of_rounds, order_in_roots, rate, step_for_eps

#: What the sharpened recursion of 1-way Gradient Transfer takes off and adds, for every cohort.
ONE_WAY = {"least": "17/20", "level": "23/10", "nu": one_round.noise(sp.Integer(1), sp.Integer(1))}


def one_way(title: str, recursion: Bound, *lemmas: Any, least: str = "1") -> Rounds:
    """Rounds of 1-way Gradient Transfer with mu > 0, for cohorts of ``least`` clients and more."""
    top = text(1 / (8 * beta))
    d = one_way_round(title, top=top, at="past t", strongly=True, least=least)
    d.parameter("D_sq", 0, low_open=True)
    convex_round(d, recursion, *lemmas)
    contraction = sp.expand(1 - sp.expand(recursion.expression).coeff(one_round.w2))
    own = map(text, (*decrease_and_noise(recursion, one_round.gap), contraction))
    return Rounds(d, *own, EVER, top=top, **ONE_WAY)


def one_way_order(
    whole: sp.Expr, constants: Sequence[str], recursion: Bound, *lemmas: Any, least: str = "1"
) -> Mapping[str, JSON]:
    """Constants times the terms of an order are enough rounds of 1-way Gradient Transfer."""
    rounds = one_way("Mixed FL, strongly convex, number of rounds", recursion, *lemmas, least=least)
    return number_of_rounds(rounds, whole, constants, "D_sq")


def one_way_rate(
    bound: Bound, recursion: Bound, *lemmas: Any, first: int = 0, scale: str = "1", noisy: bool = True
) -> Mapping[str, JSON]:
    """E f(mean of x^(first), ..., x^(first + T)) - f(x*) is at most ``scale`` times the bound."""
    rounds = one_way(titled("Mixed FL, strongly convex rate", first, None), recursion, *lemmas)

    def one_round_later() -> None:
        own = decrease_and_noise(recursion, one_round.gap)
        after_a_round(rounds.d, assembly.D2, own, convex_recursion(recursion, *lemmas), "Sum_1")

    begin = one_round_later if first else None
    return rate(rounds, bound, "D_sq", begin, later=bool(first), scale=scale, noisy=noisy)


def two_way(title: str, width: str, *, strongly: bool = True) -> Rounds:
    """Rounds of 2-way Gradient Transfer by the recursion of Phi, with mu > 0 or not; ``width``: "any" at eta_m = eta_s = 1."""
    own, top = tuple(map(str, two_way_bounds.CONVEX_WEIGHTS)), str(two_way_bounds.CONVEX_TOP)
    decrease, level = str(two_way_bounds.DECREASE), str(two_way_bounds.NOISE)
    d = two_way_round(title, top, True, at="past t", strongly=strongly, width=width)
    scattered = width == "any"
    recursion = two_way_cohorts.CVX_REC if scattered else two_way_bounds.CVX_REC
    convex_two_way_round(d, recursion, own)
    if scattered:
        for name in ("root_r", "root_u"):
            d.choose(name, "1")
    scatter = str(two_way_cohorts.SCATTER) if scattered else ""
    noise = f"{level}*e**2*{NOISE}" + (f" + {scatter}*beta*e**3*V/K" if scattered else "")
    return Rounds(
        d,
        f"{decrease}*e",
        noise,
        f"{two_way_bounds.CONTRACTION}*mu*e",
        f"{ALL} past",
        form=f"sq({Z}) + {errors(*own, Q, A, B)}",
        floor=[["1", Z_AFTER], *squares_of(own, *AFTER)],
        least=decrease,
        level=level,
        nu=two_way_bounds.W,
        top=f"{top}/beta",
        scatter=scatter,
    )


def two_way_weighted_rate(bound: Bound, *, width: str = "sqrt(S)", noisy: bool = True) -> Mapping[str, JSON]:
    """The weighted mean of the gaps of x^(0)..x^(T), for D0 at least Phi at the first model."""
    rounds = two_way("Mixed FL, 2-way Gradient Transfer, strongly convex rate", width)
    rounds.d.parameter("D0", 0, low_open=True)
    return rate(rounds, bound, "D0", noisy=noisy, of_models=False)


def two_way_order(
    whole: sp.Expr, constants: Sequence[str], initial: str, *, width: str = "sqrt(S)"
) -> Mapping[str, JSON]:
    """Constants times the terms of an order are enough rounds of 2-way Gradient Transfer from these augmenting gradients."""
    rounds = two_way("Mixed FL, 2-way Gradient Transfer, strongly convex, number of rounds", width)
    rounds.d.parameter("D_sq", 0)
    start, eta_m = "D_sq", "any"
    if initial == "zero":
        rounds.d.parameter("Gam", 0)
        start, eta_m = f"(5/4*(D_sq + r*Gam/({1 / two_way_bounds.CONVEX_TOP}**2*beta**2)))", "kept"
    expression = sp.sympify(start, locals={name: sp.Symbol(name) for name in ("D_sq", "r", "Gam", "beta")})
    begin = partial(at_the_start, rounds.d, rounds.form, expression, initial, eta_m, "Sum_1")
    return number_of_rounds(rounds, whole, constants, start, begin)


def two_way_mean_order(whole: sp.Expr, constants: Sequence[str]) -> Mapping[str, JSON]:
    """Constants times the terms of the convex order at eta_m = eta_s = 1 are enough rounds for the mean of the gaps."""
    rounds = two_way("Mixed FL, 2-way Gradient Transfer, convex, number of rounds", "any", strongly=False)
    d, over, own = rounds.d, rounds.over, tuple(map(str, two_way_bounds.CONVEX_WEIGHTS))
    for name in ("eps", "count", "D_sq"):
        d.parameter(name, 0, low_open=name != "D_sq")
    facts = step_for_eps(rounds, constants)
    decrease, factor = two_way_bounds.DECREASE * one_round.e, rounds.contraction
    noise = sp.sympify(rounds.noise, locals={name: sp.Symbol(name) for name in ("beta", "size")})
    dropped = [[factor, Z], *squares_of(own, Q, A, B, factor)]
    summed(d, GAP, decrease, noise, rounds.form, over=over, length="count", dropped=dropped, floor=rounds.floor)
    at_the_start(d, rounds.form, sp.Symbol("D_sq"), "gradients", "any")
    granted(d, "number of rounds", form=f"count - ({order_in_roots(rounds, whole, constants)})")
    known = {"number of rounds": f"{rounds.least}/2*eps*e", "reciprocal of the step": "D_sq"}
    d.combine("enough rounds", f"{rounds.least}/2*eps*e*count - D_sq", facts=known)
    each = f"1/({rounds.decrease})"
    facts = {name: f"({weight})*{each}" for name, weight in facts.items()} | {"all rounds": each}
    facts |= dict.fromkeys(("start", "last value", "enough rounds"), f"{each}/count")
    d.combine("rate", f"eps - mean({GAP}, t)", over=f"{over} t", facts=facts)
    return d.concluding("rate")
