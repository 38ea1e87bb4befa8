"""The best constants: given a claim with free constants, which of them are admissible over the whole class.

A claim ``measure <= sum_q c_q * quantity_q`` has a convex set of admissible factors ``c``; its lower boundary is the
frontier.  Every certificate of a worst case is one admissible point, and the worst case at given quantities supports the
frontier there from below: both sides are exact rationals.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.problems.numbers import decimal_fraction
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.arguments import check_quantities
from fltheory.worstcase.entry import solve_model
from fltheory.worstcase.functional import Functional
from fltheory.worstcase.model import Model


@dataclass(frozen=True)
class FrontierPoint:
    """Factors that are proved admissible, and the line ``sum c_q quantity_q >= support`` below which none is."""

    factors: Mapping[str, Fraction]
    quantities: Mapping[str, Fraction]
    support: Fraction | None
    answer: WorstCase


def best_constant(
    model: Model, name: str, fixed: Mapping[str, object] | None = None, *, time_limit: float | None = None
) -> WorstCase:
    """The smallest factor of the quantity ``name`` when the factors of the others are given: ``upper`` and ``lower`` hold it.

    The worst case of ``measure - sum_q fixed_q * functional_q`` with ``name`` bounded by one.  A quantity that is bounded by
    several assumptions cannot be fixed, since no single functional stands for it.

    Raises
    ------
    ValueError : an unknown quantity, or one that several assumptions bound.
    """
    moved = Functional()
    kept = []
    given = {}
    for quantity, factor in (fixed or {}).items():
        try:
            given[quantity] = decimal_fraction(factor)
        except (AttributeError, TypeError, ValueError, OverflowError):
            raise ValueError(f"{quantity}={factor!r} is no finite rational number") from None
    for quantity in (name, *given):
        count = sum(item.bound == quantity for item in model.assumptions)
        if not count:
            raise ValueError(f"no assumption bounds {quantity!r}; those here are {', '.join(model.bound_names)}")
        if quantity in given and count > 1:
            raise ValueError(f"{count} assumptions bound {quantity!r}: its factor cannot be fixed")
    for item in model.assumptions:
        if item.bound is None or item.bound == name:
            kept.append(item)
        elif item.bound in given:
            moved = moved + item.functional * (given[item.bound] / item.scale)
    changed = dataclasses.replace(model, assumptions=tuple(kept), measure=model.measure - moved)
    return solve_model(changed, {name: 1}, time_limit=time_limit)


def frontier(
    model: Model, first: str, second: str, ratios: Iterable[object], *, time_limit: float | None = None
) -> list[FrontierPoint]:
    """Admissible pairs of factors of two quantities, one for each ratio ``first : second`` of the quantities."""
    found = []
    for ratio in ratios:
        quantities = check_quantities(model.bound_names, {first: ratio, second: 1})
        answer = solve_model(model, quantities, time_limit=time_limit)
        if answer.upper is not None:
            found.append(FrontierPoint(answer.bound, answer.quantities, answer.lower, answer))
    return found


def recognise(answer: WorstCase, candidates: Mapping[str, Any], *, slack: float = 1e-6) -> list[str]:
    """Names of the closed forms that lie in the certified enclosure (``slack`` relative): candidates for a proof, not one.

    ``candidates`` maps names to numbers (floats, rationals, SymPy numbers).
    """
    if answer.upper is None or answer.lower is None:
        return []
    low, high = float(answer.lower), float(answer.upper)
    room = slack * max(abs(low), abs(high))
    return [name for name, value in candidates.items() if low - room <= float(value) <= high + room]
