"""From factors and multipliers in floats to a Lyapunov certificate that the verifier accepts.  Nothing here is trusted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.worstcase import certificate, verifier
from fltheory.worstcase.certificate import Data
from fltheory.worstcase.functional import Assumption
from fltheory.worstcase.lyapunov_cones import ScaledRows
from fltheory.worstcase.lyapunov_search import LyapunovSearch, RateTask
from fltheory.worstcase.lyapunov_setup import LYAPUNOV, LyapunovSetup, combined
from fltheory.worstcase.lyapunov_verifier import FORMAT
from fltheory.worstcase.multipliers import pair_keys, repair
from fltheory.worstcase.sdp import Array

#: Decimals of rounded multipliers that are tried, and how much larger than the least the factors of the quantities are.
DIGITS, ROOMS = (6, 9, 12, 15), (2e-3, 2e-2, 0.2)
#: A margin that is none, but for rounding: multipliers of few digits may be exact.
NONE = 1e-8


def rounded_up(number: float, digits: int = 4) -> Fraction:
    """The least rational of so many significant decimals that is not below."""
    if number <= 0:
        return Fraction(0)
    exponent = digits - 1 - math.floor(math.log10(number))
    scale = Fraction(10) ** exponent
    return math.ceil(Fraction(number) * scale) / scale


def rounded(number: float, digits: int) -> Fraction:
    """The nearest rational of so many significant decimals."""
    if not number:
        return Fraction(0)
    scale = Fraction(10) ** (digits - 1 - math.floor(math.log10(abs(number))))
    return round(Fraction(number) * scale) / scale


@dataclass(frozen=True)
class LyapunovProof:
    """What was certified: V by its terms, the rate, the factors of the quantities, and the certificate."""

    weights: Mapping[str, Fraction]
    rate: Fraction
    factors: Mapping[str, Fraction]
    start: Mapping[str, Fraction] | None
    data: Data


def prove(
    setup: LyapunovSetup,
    search: LyapunovSearch,
    weights: Mapping[str, Fraction],
    rate: Fraction,
    costs: Array,
    step: Data | None = None,
) -> LyapunovProof | None:
    """A certificate for these terms at this rate, or ``None``; the round's own, ``step``, may be there already."""
    floor = _floor(setup, weights)
    if floor is None:
        return None
    step = step or _step(setup, search, weights, rate, costs)
    if step is None:
        return None
    data: Data = {
        "format": FORMAT,
        "leaves": [
            {"name": leaf.name, "given": leaf.given, "before": before, "after": after, "start": begun}
            for leaf, before, after, begun in zip(
                setup.free.leaves, *setup.free.step.states, setup.free.start.states[0], strict=True
            )
        ],
        "given": [[leaf.given, leaf.given] for leaf in setup.free.leaves if leaf.given is not None],
        "model": setup.free.step.models[0],
        "step": step,
        "floor": floor,
    }
    if setup.free.parts:
        data["parts"] = [[register, list(listed)] for register, listed in setup.free.parts]
    start = _start(setup, weights)
    if start is not None:
        data["start"] = start
    bound = {name: Fraction(text) for name, text in step["upper"]["bound"].items()}
    rate = bound.pop(LYAPUNOV)
    begun_at = None if start is None else {name: Fraction(text) for name, text in start["upper"]["bound"].items()}
    return LyapunovProof(weights, rate, bound, begun_at, data)


def _step(
    setup: LyapunovSetup, search: LyapunovSearch, weights: Mapping[str, Fraction], rate: Fraction, costs: Array
) -> Data | None:
    """The round's certificate, with the factors of the quantities as small as they come."""
    given = np.array([float(weights[name]) for name in search.names])
    least = search.ask(RateTask(float(rate), costs=costs, weights=given)) if search.assumptions else None
    if search.assumptions and least is None:
        return None
    zero = (Assumption(functional * sign, None) for functional in setup.equal for sign in (1, -1))
    listed = (Assumption(combined(setup.before, weights), LYAPUNOV), *search.assumptions, *zero)
    model = setup.model("step", listed, combined(setup.after, weights))
    wanted = np.zeros(0) if least is None else least.factors
    own = np.array([item.bound is None for item in search.assumptions], dtype=bool)
    for room in ROOMS if (wanted[~own] > NONE).all() and not own.all() else (0.0, *ROOMS):
        factors = [rounded_up((1 + room) * y + room * 1e-6) if y > NONE or room else Fraction(0) for y in wanted]
        if own.any():  # those of no quantity need not be small, nor is more of them better
            fixed = np.where(own, np.nan, [float(y) for y in factors])
            inside = search.ask(RateTask(float(rate), weights=given, factors=fixed))
            if inside is None:
                continue
            chosen = zip(own, factors, inside.factors, strict=True)
            factors = [rounded(max(0.0, float(best)), 9) if free else y for free, y, best in chosen]
        found = search.ask(RateTask(float(rate), weights=given, factors=np.array([float(y) for y in factors])))
        if found is None or found.margin < -NONE:
            continue
        made = _certified(model, search.step, found.pairs, (rate, *factors), found.equal)
        if made is not None:
            return made
    return None


def _floor(setup: LyapunovSetup, weights: Mapping[str, Fraction]) -> Data | None:
    """``|w - w*|^2 <= V``: by V's own squares, or with interpolation."""
    distance = setup.analyses["floor"].distance(0)
    v = combined(setup.alone, weights)
    model = setup.model("floor", (Assumption(v, LYAPUNOV),), distance)
    space = ScaledRows(setup, "floor", [v, distance])
    found = space.multipliers(space.rows[0] - space.rows[1])
    candidates = [np.zeros(len(space.pairs)), *([] if found is None else [found])]
    for pairs in candidates:
        made = _certified(model, space, pairs, (Fraction(1),))
        if made is not None:
            return made
    return None


def _start(setup: LyapunovSetup, weights: Mapping[str, Fraction]) -> Data | None:
    """What V is at most at the start, or ``None`` where nothing bounds it."""
    v = combined(setup.begun, weights)
    model = setup.model("start", setup.at_start, v)
    space = ScaledRows(setup, "start", [*(item.functional for item in setup.at_start), v])
    found = space.least(space.rows[:-1], -space.rows[-1])
    if found is None:
        return None
    pairs, factors = found
    for digits in (None, 6, 5, 4, 3):
        listed = tuple(_near(y) if digits is None else _above(y, digits) for y in factors)
        for chosen in (np.zeros_like(pairs), pairs):
            made = _certified(model, space, chosen, listed)
            if made is not None:
                return made
    return None


def _near(number: float) -> Fraction:
    """A decimal that is near, in the hope that it is meant."""
    return max(Fraction(0), Fraction(round(number * 10**7), 10**7))


def _above(number: float, digits: int) -> Fraction:
    """A decimal a little above; zero for what is nearly zero."""
    return Fraction(0) if number < 1e-6 else rounded_up((1 + 10.0**-digits) * number, digits)


def _certified(
    model: Any, space: ScaledRows, pairs: Array, assumptions: Iterable[Fraction], equal: Iterable[float] = ()
) -> Data | None:
    """A worst-case certificate with these multipliers, rounded; ``None`` where the verifier rejects all of them.

    ``equal`` are multipliers of either sign, each of two assumptions that are opposite to each other.
    """
    first = tuple(assumptions)
    for digits in DIGITS:
        grid = 10**digits
        both = [Fraction(round(Fraction(float(z)) * grid), grid) for z in equal]
        listed = (*first, *(max(Fraction(0), sign * z) for z in both for sign in (1, -1)))
        exact = {
            key: Fraction(round(Fraction(float(y / scale)) * grid), grid) if y > 10.0 ** (-digits) else Fraction(0)
            for key, y, scale in zip(pair_keys(model), pairs, space.pair_scale, strict=True)
        }
        multipliers = repair(model, exact, listed)
        if multipliers is None:
            continue
        data = {**certificate.bare(model), "upper": certificate.upper(model, multipliers)}
        try:
            verifier.verify_part(data)
        except verifier.Rejected:
            continue
        return data
    return None
