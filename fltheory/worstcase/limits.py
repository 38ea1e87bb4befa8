"""What assumptions say of lengths: the unit of squared lengths, and bounds of single vectors, in exact rationals."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from fltheory.worstcase.client_classes import ClientClasses
from fltheory.worstcase.functional import Assumption
from fltheory.worstcase.model import Model


def is_direction(model: Model, register: int) -> bool:
    """Whether a register was made with the unit of gradients: a gradient, a noise, a given direction."""
    item = model.instructions[register]
    return item[0] in ("gradient", "centre", "noise", "prox", "centre prox") or (item[0] == "given" and item[2] == 0)


def unit_of_squares(model: Model, quantities: Mapping[str, Fraction]) -> Fraction:
    """The largest bounded quantity as a squared length, with L as the unit of gradients; 1 if all of them are zero."""
    found, smooth = Fraction(0), model.clients.L
    directions = {
        (part.replace("sampled", "deviation").replace("averaged", "draw"), basis)
        for register in range(len(model.instructions))
        if is_direction(model, register)
        for part, basis in model.space.coordinates[register]
    }
    for item in model.assumptions:
        if item.bound is None or not quantities[item.bound]:
            continue
        gram, values = model.form(item.functional)
        entries = [abs(entry) * smooth for entry in values.values()]
        for (block, i, j), entry in gram.items():
            entries.append(abs(entry) * smooth ** (((block, i) in directions) + ((block, j) in directions)))
        if largest := max(entries, default=Fraction(0)):
            found = max(found, item.scale * quantities[item.bound] / largest)
    return found or Fraction(1)


def limits(model: Model, quantities: Mapping[str, Fraction], square: Fraction) -> dict[int, Fraction]:
    """Bounds of squared lengths over ``square``, by register: of points, and of gradients over L.

    They follow from one assumption each: a square; the gradient of the sum or its gap, with strong convexity; Gamma, with
    ``|grad f_k(w*)|^2 <= 2 L (f_k(w*) - f_k*)``.  For minimisers and infima it is a bound of ``f_k(w*) - f_k*`` over L.
    """
    found: dict[int, Fraction] = {}
    for item in model.assumptions:
        if item.bound is not None:
            for register, bound in _follows(model, item, item.scale * quantities[item.bound] / square):
                found[register] = min(found.get(register, bound), bound)
    if isinstance(model.clients, ClientClasses):
        found |= _own_minimisers(model, model.clients, found)
    return found


def _own_minimisers(model: Model, clients: ClientClasses, known: Mapping[int, Fraction]) -> dict[int, Fraction]:
    """Where the mean gradient of a class is assumed to vanish: ``|x| <= |grad F_c(w*)|/mu_c``."""
    items, found = model.instructions, {}
    slopes = {model.group_of(r): r for r in known if items[r][0] == "gradient" and items[items[r][1]][0] == "optimum"}
    for item in model.assumptions:
        for _, r, _ in item.functional.inner if item.bound is None else ():
            inner = items[r][1] if items[r][0] == "mean" else r
            if items[inner][0] == "gradient" and items[items[inner][1]][0] == "given":
                name = model.group_of(inner)
                if name in slopes and clients.named[name].mu > 0:
                    found[items[inner][1]] = known[slopes[name]] * (clients.L / clients.named[name].mu) ** 2
    return {r: bound for r, bound in found.items() if r not in known}


def _follows(model: Model, item: Assumption, limit: Fraction) -> list[tuple[int, Fraction]]:
    if isinstance(model.clients, ClientClasses):
        return _follows_of_classes(model, model.clients, item, limit)
    items, smooth, vectors = model.instructions, model.clients.L, model.space.coordinates
    values = item.functional.values
    inner = [term for term in item.functional.inner if vectors[term[1]] and vectors[term[2]]]
    total = model.clients.mu + (model.centre.mu if model.centre is not None and model.space.has_centre else 0)
    if len(inner) == 1 and not values:
        factor, register, other = inner[0]
        if register != other or factor <= 0:
            return []
        found = [(register, limit / factor / (smooth**2 if is_direction(model, register) else 1))]
        point = _full_gradient_at(model, register)
        return found if point is None or total <= 0 else [*found, (point, limit / factor / total**2)]
    if inner or not values:
        return []
    kinds, points = {items[r][0] for _, r in values}, {items[r][-1] for _, r in values}
    if kinds == {group.name.replace("clients", "gradient") for group in model.groups} and len(points) == 1:
        least = min(factor for factor, _ in values)
        return [(points.pop(), 2 * limit / least / total)] if least > 0 and total > 0 else []  # F - F* >= mu |x|^2 / 2
    if len(values) == 1 and values[0][0] < 0 and kinds <= {"minimiser", "infimum"}:
        deep = limit / -values[0][0] / smooth
        slopes = [r for r, made in enumerate(items) if made[0] == "gradient" and items[made[1]][0] == "optimum"]
        return [(values[0][1], deep), *((r, 2 * deep) for r in slopes)]
    return []


def _follows_of_classes(
    model: Model, clients: ClientClasses, item: Assumption, limit: Fraction
) -> list[tuple[int, Fraction]]:
    """The same of several classes: a sum of squares, a gap, Gamma, each of which bounds its parts."""
    items, vectors, values = model.instructions, model.space.coordinates, item.functional.values
    inner = [term for term in item.functional.inner if vectors[term[1]] and vectors[term[2]]]
    if inner and not values and all(a == b and factor > 0 for factor, a, b in inner):
        units = {a: clients.L**2 if is_direction(model, a) else Fraction(1) for _, a, _ in inner}
        return [(a, limit / factor / units[a]) for factor, a, _ in inner]
    if inner or not values:
        return []
    kinds, named = {items[r][0] for _, r in values}, {model.group_of(r): factor for factor, r in values}
    weights = dict(zip(clients.named, clients.shares, strict=True))
    total = clients.average(each.mu for each in clients.functions)
    if model.centre is not None and model.space.has_centre:
        weights, total = {**weights, "centre": Fraction(1)}, total + model.centre.mu
    if kinds <= {"gradient", "centre"} and named.keys() == weights.keys() and len(values) == len(named):
        scales, points = {factor / weights[name] for name, factor in named.items()}, {items[r][1] for _, r in values}
        if len(scales) == len(points) == 1 and min(scales) > 0 and total > 0:
            return [(points.pop(), 2 * limit / scales.pop() / total)]  # F - F* >= mu |x|^2 / 2
    if kinds == {"minimiser"} and all(factor < 0 for factor, _ in values):
        deep = {model.group_of(r): (r, limit / -factor / clients.L) for factor, r in values}
        slopes = [r for r, made in enumerate(items) if made[0] == "gradient" and items[made[1]][0] == "optimum"]
        found = [(r, 2 * deep[model.group_of(r)][1]) for r in slopes if model.group_of(r) in deep]
        return [*deep.values(), *found]
    return []


def _full_gradient_at(model: Model, register: int) -> int | None:
    """The point of which a register is the gradient of the sum of all losses."""
    items = model.instructions
    listed = items[register][1] if items[register][0] == "combine" else ((Fraction(1), register),)
    points, kinds = set(), []
    for factor, place in listed:
        averaged = items[place][0] == "mean"
        inner = items[items[place][1]] if averaged else items[place]
        if factor != 1 or inner[0] != ("gradient" if averaged else "centre"):
            return None
        points.add(inner[1])
        kinds.append(inner[0])
    whole = sorted(kinds) == (["centre", "gradient"] if model.space.has_centre else ["gradient"])
    return points.pop() if whole and len(points) == 1 else None
