"""From a solver's multipliers to rational ones whose function values cancel exactly.

Only the multipliers have to be rational: the slack is a function of them.  They are rounded to a decimal grid, and the
balance of function values, which is a flow on the graph of queries with the minimiser as its root, is repaired along a
spanning tree of the largest multipliers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fltheory.kinds import Array
from fltheory.worstcase.model import Group, Model, Query
from fltheory.worstcase.space import draw_of, kind_of

#: An interpolation inequality: group, the registers of its two queries, and the draw before which their histories part
#: (``None``: they are taken on the same history).
PairKey = tuple[str, int, int, int | None]


@dataclass(frozen=True)
class Multipliers:
    """Nonnegative rational multipliers of interpolation inequalities and of assumptions."""

    pairs: Mapping[PairKey, Fraction]
    assumptions: tuple[Fraction, ...]

    def bound(self, model: Model) -> dict[str, Fraction]:
        """The factors of the quantities that these multipliers give."""
        found: dict[str, Fraction] = {}
        for item, y in zip(model.assumptions, self.assumptions, strict=True):
            if item.bound is not None:
                found[item.bound] = found.get(item.bound, Fraction(0)) + y * item.scale
        return found


def parts_of(model: Model, group: Group) -> list[int | None]:
    """Where histories may part: nowhere, or before a draw.

    The points of a noisy method on two histories which share the draws before ``t`` and are independent from then on
    belong to the same function.  In expectation they meet in the blocks of the draws before ``t`` only.  Without these
    inequalities the level formulation is a relaxation (seen: by 0.2 % at E = 10).
    """
    draws = {draw_of(name) for query in group.queries if query.point for name, _ in query.gradient}
    return [None, *sorted(draw for draw in draws if draw >= 0)]


def pairs_of(group: Group, part: int | None) -> list[tuple[int, int]]:
    """Pairs of queries (places in the group): all different ones, or those that both depend on draw ``part``.

    Without those whose products have no model: of a client's noise with what clients do at a noisy average.
    """
    places = range(len(group.queries))
    own, apart = ([_draws_of(query, kind) for query in group.queries] for kind in ("draw", "apart"))
    if part is None:
        return [(i, j) for i in places for j in places if i != j and not own[i] & apart[j] and not own[j] & apart[i]]
    late = [k for k in places if any(draw_of(name) >= part for name, _ in group.queries[k].point)]
    earlier = set(range(part))
    return [(i, j) for i in late for j in late if not (own[i] & apart[j] | own[j] & apart[i]) & earlier]


def _draws_of(query: Query, kind: str) -> set[int]:
    """The draws of which a query has parts of this kind."""
    return {draw_of(part) for vector in (query.point, query.gradient) for part, _ in vector if kind_of(part) == kind}


def pair_keys(model: Model) -> list[PairKey]:
    """All interpolation inequalities of a model, in the order of the solver's rows."""
    return [
        (group.name, group.queries[i].register, group.queries[j].register, part)
        for group in model.groups
        for part in parts_of(model, group)
        for i, j in pairs_of(group, part)
    ]


def imbalance(
    model: Model, pairs: Mapping[PairKey, Fraction], assumptions: tuple[Fraction, ...]
) -> dict[int, Fraction]:
    """For each unknown function value the factor that is left of it: assumptions - interpolation - measure."""
    free = set(model.values)
    total = dict.fromkeys(free, Fraction(0))
    for item, y in zip(model.assumptions, assumptions, strict=True):
        for register, entry in model.form(item.functional)[1].items():
            total[register] += y * entry
    for register, entry in model.form(model.measure)[1].items():
        total[register] -= entry
    for (_, i, j, _), y in pairs.items():
        if i in free:
            total[i] -= y
        if j in free:
            total[j] += y
    return total


def round_multipliers(
    model: Model,
    pairs: Array,
    assumptions: Array,
    *,
    digits: int,
    drop: float,
    units: tuple[Sequence[Fraction], Sequence[Fraction]],
) -> Multipliers | None:
    """Multipliers rounded to ``digits`` decimals of their ``units``, those below ``drop`` dropped.

    ``units`` are what the multipliers of pairs and of assumptions are worth; each is rounded to a power of ten of its own.
    ``None`` where values cannot balance.
    """
    listed = tuple(
        _decimal(Fraction(max(0, y)) * unit, unit, digits, up=True)
        for y, unit in zip(assumptions, units[1], strict=True)
    )
    rounded = {}
    for key, y, unit in zip(pair_keys(model), pairs, units[0], strict=True):
        rounded[key] = _decimal(Fraction(y) * unit, unit, digits) if y > drop else Fraction(0)
    return repair(model, rounded, listed)


def _decimal(number: Fraction, unit: Fraction, digits: int, *, up: bool = False) -> Fraction:
    """A number rounded to a power of ten, about ``10^-digits`` of its unit."""
    exponent = digits - len(str(unit.numerator)) + len(str(unit.denominator))
    scale = Fraction(10) ** exponent
    return (math.ceil(number * scale) if up else round(number * scale)) / scale


def repair(model: Model, pairs: Mapping[PairKey, Fraction], assumptions: tuple[Fraction, ...]) -> Multipliers | None:
    """The same multipliers with exact balance of function values, or ``None``.

    Values without a query (infima) and the sum over a group without the minimiser are balanced by assumptions that
    speak of one value only, or the sums over both groups by one that speaks of a value of each; all others flow along the
    tree.
    """
    found, listed = dict(pairs), list(assumptions)
    singles = _singles(model)
    queried = {query.register for group in model.groups for query in group.queries}
    for register in (r for r in model.values if r not in queried):
        if not _settle(register, imbalance(model, found, tuple(listed)), listed, singles):
            return None
    _settle_sums(model, imbalance(model, found, tuple(listed)), listed)
    rest = imbalance(model, found, tuple(listed))
    for name, order, root in _trees(model, found, singles, listed):
        for child, parent in order:  # leaves first
            gap = rest.get(child, Fraction(0))
            if gap == 0:
                continue
            up, down = (name, child, parent, None), (name, parent, child, None)
            # y[child, parent] takes from the child's balance what y[parent, child] gives to it
            size = abs(gap)
            more, less = (up, down) if gap > 0 else (down, up)
            taken = min(size, found.get(less, Fraction(0)))
            found[less] = found.get(less, Fraction(0)) - taken
            found[more] = found.get(more, Fraction(0)) + size - taken
            rest[child] = Fraction(0)
            if parent in rest:
                rest[parent] += gap
        if rest.get(root) and not _settle(root, rest, listed, singles):
            return None
    if any(imbalance(model, found, tuple(listed)).values()):
        return None
    return Multipliers({key: y for key, y in found.items() if y}, tuple(listed))


def _singles(model: Model) -> dict[int, list[tuple[int, Fraction]]]:
    """For each value the assumptions that speak of it alone, with their factors."""
    found: dict[int, list[tuple[int, Fraction]]] = {}
    for place, item in enumerate(model.assumptions):
        values = model.form(item.functional)[1]
        if len(values) == 1:
            ((register, factor),) = values.items()
            found.setdefault(register, []).append((place, factor))
    return found


def _settle(
    register: int,
    rest: Mapping[int, Fraction],
    listed: list[Fraction],
    singles: Mapping[int, list[tuple[int, Fraction]]],
) -> bool:
    """Balance one value by an assumption on it alone; the multiplier must stay nonnegative."""
    for place, factor in singles.get(register, []):
        wanted = listed[place] - rest[register] / factor
        if wanted >= 0:
            listed[place] = wanted
            return True
    return rest[register] == 0


def _together(model: Model, listed: list[Fraction]) -> list[tuple[int, dict[int, Fraction]]]:
    """The assumptions that speak of a value in each of several groups, such as a gap; the largest multiplier first."""
    groups = [{query.register for query in group.queries} for group in model.groups]
    found = []
    for place in sorted(range(len(listed)), key=lambda place: -listed[place]):
        values = {r: e for r, e in model.form(model.assumptions[place].functional)[1].items() if e}
        if len(values) == len(groups) > 1 and all(len(group & values.keys()) == 1 for group in groups):
            found.append((place, values))
    return found


def _settle_sums(model: Model, rest: Mapping[int, Fraction], listed: list[Fraction]) -> None:
    """Balance the sums over all groups, where none has a minimiser, by assumptions on one value of each in their proportions.

    The largest multipliers go first; none falls below zero.
    """
    if any(query.value is None for group in model.groups for query in group.queries):
        return
    sums = [sum((rest[query.register] for query in group.queries), Fraction(0)) for group in model.groups]
    for place, values in _together(model, listed):
        factors = [next(values[q.register] for q in group.queries if q.register in values) for group in model.groups]
        ratios = {total / factor for total, factor in zip(sums, factors, strict=True)}
        if len(ratios) == 1 and any(sums):
            wanted = max(Fraction(0), listed[place] - ratios.pop())
            sums = [total + (wanted - listed[place]) * factor for total, factor in zip(sums, factors, strict=True)]
            listed[place] = wanted


def _trees(
    model: Model,
    pairs: Mapping[PairKey, Fraction],
    singles: Mapping[int, list[tuple[int, Fraction]]],
    listed: list[Fraction],
) -> list[tuple[str, list[tuple[int, int]], int]]:
    """For every group a maximum-weight spanning tree as edges (child, parent), leaves first, and its root.

    The root is the minimiser, or else the query on which an assumption with the largest multiplier speaks.
    """
    found = []
    for group in model.groups:
        registers = [query.register for query in group.queries]
        fixed = [query.register for query in group.queries if query.value is None]
        root = (fixed or sorted(registers, key=lambda r: -max((listed[p] for p, _ in singles.get(r, [])), default=-1)))[
            0
        ]
        inside, order = {root}, []
        weight = {r: (Fraction(-1), root) for r in registers}

        def update(new: int, name: str = group.name, reach: dict[int, tuple[Fraction, int]] = weight) -> None:
            for r in reach:
                both = pairs.get((name, r, new, None), Fraction(0)) + pairs.get((name, new, r, None), Fraction(0))
                if both > reach[r][0]:
                    reach[r] = (both, new)

        update(root)
        while len(inside) < len(registers):
            best = max((r for r in registers if r not in inside), key=lambda r: weight[r][0])
            order.append((best, weight[best][1]))
            inside.add(best)
            update(best)
        found.append((group.name, order[::-1], root))
    return found
