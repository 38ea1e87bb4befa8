"""Coordinates in which a performance estimation problem looks the same in all units: exact, and of size about one.

The unit of gradients is the clients' L and that of squared lengths is the largest bounded quantity, both exactly; so what the
solver sees does not depend on units.  For a class with curvature in [mu, L'] let ``m = (mu + L')/2``, ``d = (L' - mu)/2`` and

    rho = (g - m x)/d,    phi = (f - m |x|^2/2)/d.

Interpolation then reads, with ``z = x_i - x_j`` and ``delta = rho_i - rho_j``,

    phi_i - phi_j - <rho_i + rho_j, z>/2 + (|z|^2 - |delta|^2)/4 >= 0,

whatever mu and L' are: this is the printed inequality divided by d, and nothing is singular as mu comes near L'.  Each query
has a parent, the nearest one (by what is known of sizes) among the minimiser and the earlier queries.  A fresh gradient is
replaced by ``rho - rho_parent``, whose length is at most ``|x - x_parent|``; a function value by

    v = phi - phi_parent - <rho + rho_parent, x - x_parent>/2,    |v| <= |x - x_parent|^2/4.

Lengths are bounded along the program by these inequalities, and every vector is divided by a power of two near its bound.  Where
all of them are bounded the worst case is finite, and ``finite`` says so.  Powers of two and rationals only: a certificate in these
coordinates is one in the original units, exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from fltheory.worstcase.frame_vectors import add, add_product, block_of, part_of, plus, scaled
from fltheory.worstcase.functional import Functional
from fltheory.worstcase.limits import limits, unit_of_squares
from fltheory.worstcase.model import Form, Group, Model, Query
from fltheory.worstcase.space import Coordinates

#: A linear form in Gram entries (``i <= j``, off-diagonal entries count once) and in function values by register.
Both = tuple[Form, dict[int, Fraction]]
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Node:
    """A query in these coordinates: ``point`` and ``rho``, its ``parent``'s register, and the unit of its value ``v``."""

    register: int
    point: Coordinates
    rho: Coordinates
    parent: int | None
    unit: Fraction


def power_of_two(square: Fraction) -> Fraction:
    """A power of two near the square root of a positive rational: within a factor of two."""
    exponent = square.numerator.bit_length() - square.denominator.bit_length()
    return Fraction(2) ** round(exponent / 2)


class Frame:
    """New coordinates of a model at given quantities; basis vectors in ``zero`` (block, place) vanish.

    Attributes
    ----------
    images : old basis vectors, in the new ones of the same block.
    sizes : dimensions of the blocks.
    nodes : queries by group and register.
    square : the unit of squared lengths.
    gradient : the unit of gradients.
    finite : whether every vector was bounded, so that the worst case is finite.
    """

    def __init__(self, model: Model, quantities: Mapping[str, Fraction], zero: Iterable[tuple[str, int]] = ()) -> None:
        self.model = model
        self.zero = frozenset(zero)
        self.gradient: Fraction = model.clients.L
        self.images: dict[tuple[str, int], dict[int, Fraction]] = {}
        self.sizes: dict[str, int] = dict.fromkeys(model.space.sizes, 0)
        self.nodes: dict[str, dict[int, Node]] = {}
        self._unbounded: set[tuple[str, int]] = set()
        self._reach: dict[tuple[str, int], Fraction] = {}
        self._share = model.shares.noise
        self.square = unit_of_squares(model, quantities)
        self._limits = limits(model, quantities, self.square)
        self._place()
        self.finite = not self._unbounded

    def vector(self, old: Coordinates) -> Coordinates:
        """A vector's new coordinates."""
        found: Coordinates = {}
        for (part, basis), entry in old.items():
            for place, factor in self.images[block_of(part), basis].items():
                found[part, place] = found.get((part, place), Fraction(0)) + factor * entry
        return {key: entry for key, entry in found.items() if entry}

    def value(self, register: int) -> Both:
        """The function value ``f / (L square)`` of a register as a form in the new unknowns."""
        if register in self._infima:
            return {}, {register: self._infima[register]}
        if register not in self._values:
            name, node = self._named[register]
            middle, half = self.moduli(name)
            gram: Form = {}
            single: dict[int, Fraction] = {}
            if node.parent is None:
                single[register] = node.unit
            else:
                up, beyond = self._phi(name, register)
                add(gram, up, half)
                single = {key: half * entry for key, entry in beyond.items()}
                add_product(gram, node.point, node.point, middle * HALF, self._share)
            self._values[register] = {k: e for k, e in gram.items() if e}, {k: e for k, e in single.items() if e}
        return self._values[register]

    def form(self, functional: Functional) -> Both:
        """A functional, over ``square``, as a form in the new unknowns."""
        space = self.model.space
        gram: Form = {}
        single: dict[int, Fraction] = {}
        for factor, a, b in functional.inner:
            left, right = (self.vector(space.coordinates[r]) for r in (a, b))
            add(gram, space.product(left, right), factor)
        for register, factor in self.model.form(replace(functional, inner=()))[1].items():
            inside, values = self.value(register)
            add(gram, inside, factor * self.gradient)
            for key, entry in values.items():
                single[key] = single.get(key, Fraction(0)) + factor * self.gradient * entry
        return {k: e for k, e in gram.items() if e}, {k: e for k, e in single.items() if e}

    def path(self, name: str, i: int, j: int) -> list[int]:
        """The registers from query ``i`` to query ``j`` along the tree."""
        left, right = self._ancestors(name, i), self._ancestors(name, j)
        while len(left) > 1 and len(right) > 1 and left[-2] == right[-2]:
            left.pop()
            right.pop()
        return left + right[-2::-1]

    def _ancestors(self, name: str, register: int) -> list[int]:
        found = [register]
        while (parent := self.nodes[name][found[-1]].parent) is not None:
            found.append(parent)
        return found

    def moduli(self, name: str) -> tuple[Fraction, Fraction]:
        """``m`` and ``d`` of a class, over the unit of gradients."""
        functions = self.model.functions(name)
        return (functions.L + functions.mu) / 2 / self.gradient, (functions.L - functions.mu) / 2 / self.gradient

    def _phi(self, name: str, register: int) -> Both:
        """``phi / square`` of a query."""
        if register not in self._phis:
            node = self.nodes[name][register]
            middle, half = self.moduli(name)
            gram: Form = {}
            single: dict[int, Fraction] = {}
            if node.parent is None:
                if self._origin.get(name) != register:
                    single[register] = node.unit / half
                    add_product(gram, node.point, node.point, -middle / (2 * half), self._share)
            else:
                parent = self.nodes[name][node.parent]
                above, beyond = self._phi(name, node.parent)
                add(gram, above)
                single = {**beyond, register: node.unit}
                add_product(gram, plus(node.rho, parent.rho), plus(node.point, parent.point, -1), HALF, self._share)
            self._phis[register] = gram, single
        return self._phis[register]

    def _place(self) -> None:
        """New basis vectors, in the order of the program; the minimiser's gradients first."""
        self._values: dict[int, Both] = {}
        self._phis: dict[int, Both] = {}
        self._origin: dict[str, int] = {}
        self._infima: dict[int, Fraction] = {}
        items, space = self.model.instructions, self.model.space
        queries = {query.register: (group, query) for group in self.model.groups for query in group.queries}
        for group in self.model.groups:
            self.nodes[group.name] = {}
        at_origin = [r for r, (_, query) in queries.items() if query.value is None]
        for register in at_origin:
            self._origin[queries[register][0].name] = register
        for register in at_origin:
            squares = [self._limits[r] for r in at_origin if r in self._limits]
            bounded = bool(squares) or not space.coordinates[register]
            largest = max(squares, default=Fraction(0))
            size = power_of_two(largest) if largest else Fraction(1)
            for key in space.coordinates[register]:
                self._fresh(key, {}, size * self.gradient, bounded)
            group = queries[register][0]
            half = self.moduli(group.name)[1]
            rho = scaled(self.vector(space.coordinates[register]), 1 / half / self.gradient)
            self.nodes[group.name][register] = Node(register, {}, rho, None, Fraction(1))
        for register, item in enumerate(items):
            if item[0] in ("given", "noise"):
                square = self._limits.get(register)
                unit = self.gradient if item[0] == "noise" or item[2] == 0 else Fraction(1)
                size = power_of_two(square) if square else Fraction(1)
                for key in space.coordinates[register]:
                    self._fresh(key, {}, size * unit, square is not None)
            elif item[0] == "infimum":
                limit = self._limits.get(register)
                self._infima[register] = power_of_two(limit**2) if limit else Fraction(1)
            elif register in queries and register not in at_origin:
                self._query(*queries[register])
        self._named = {r: (name, node) for name, nodes in self.nodes.items() for r, node in nodes.items()}

    def _fresh(
        self,
        key: tuple[str, int],
        centre: Mapping[int, Fraction],
        size: Fraction,
        bounded: bool,
        reach: Fraction = Fraction(1),
    ) -> None:
        """An old basis vector is ``centre`` (in its block) plus ``size`` times a new one, as long as ``reach``."""
        if key in self.images:
            return
        if key in self.zero:
            self.images[key] = {}
            return
        block = key[0]
        place = self.sizes[block]
        self.sizes[block] += 1
        self.images[key] = {**centre, place: size}
        self._reach[block, place] = reach
        if not bounded or any((block, other) in self._unbounded for other in centre):
            self._unbounded.add((block, place))

    def _length(self, vector: Coordinates) -> Fraction:
        """A bound of a length, from those of the new basis vectors: about one, and not rounded to powers of two.

        What is rounded at each step of a method that expands would add up, to a factor of a thousand in twenty steps.
        """
        found: dict[str, Fraction] = {}
        for (part, basis), entry in vector.items():
            found[part] = found.get(part, Fraction(0)) + abs(entry) * self._reach.get((block_of(part), basis), 1)
        return max(found.values(), default=Fraction(0))

    def _known(self, vector: Coordinates) -> bool:
        return not any((block_of(part), basis) in self._unbounded for part, basis in vector)

    def _query(self, group: Group, query: Query) -> None:
        name, nodes = group.name, self.nodes[group.name]
        middle, half = self.moduli(name)
        register = query.register
        if self.model.instructions[register][0] == "minimiser":
            self._minimiser(name, register)
            return
        if not nodes:  # no minimiser: gradients count from the first one, whose own bound is what an assumption says
            square = self._limits.get(register)
            size = power_of_two(square) if square else Fraction(1)
            for part, basis in query.gradient:
                self._fresh((block_of(part), basis), {}, size * self.gradient, square is not None)
            point = self.vector(query.point)
            rho = scaled(plus(scaled(self.vector(query.gradient), 1 / self.gradient), point, -middle), 1 / half)
            nodes[register] = Node(register, point, rho, None, Fraction(1))
            return
        base, step_size = self._base(query)
        inner = 1 + step_size * middle  # x = (base - step_size half rho)/inner at the end of a proximal step
        steps = {
            r: plus(plus(base, node.point, -inner), node.rho, -step_size * half)
            if step_size
            else plus(base, node.point, -1)
            for r, node in nodes.items()
        }
        away = {r: self._length(step) / (inner - step_size * half) for r, step in steps.items()}
        parent = nodes[min(away, key=lambda r: (not self._known(steps[r]), away[r]))]
        step = steps[parent.register]
        nearest = away[parent.register]
        size = power_of_two(nearest**2) if nearest else Fraction(1)
        reach = Fraction(round(nearest / size * 1024), 1024) if nearest else Fraction(1)
        bounded = self._known(step)
        limit = self._limits.get(register)
        if not bounded and limit is not None and self._known(base) and self._known(parent.rho):
            bounded = True
        for part, basis in query.gradient:
            key = (block_of(part), basis)
            centre = plus(scaled(part_of(base, part), middle), part_of(parent.rho, part), half)
            inside = {place: entry * self.gradient / inner for (_, place), entry in centre.items()}
            if key not in self.images:
                self._fresh(key, inside, size * self.gradient * half / inner, bounded, reach)
        gradient, point = self.vector(query.gradient), self.vector(query.point)
        rho = scaled(plus(scaled(gradient, 1 / self.gradient), point, -middle), 1 / half)
        nodes[register] = Node(register, point, rho, parent.register, size**2)

    def _base(self, query: Query) -> tuple[Coordinates, Fraction]:
        """The point of a query and zero; where a proximal step starts, and its size with L as the unit of gradients.

        The step ends at ``x = x_0 - c g``.  For a query at ``y`` with ``g_y``, ``|x - y| <= |x_0 - y - c g_y|/(1 + c mu)``, and
        with ``rho = rho_y + delta`` again ``|delta| <= |x - y|``, where ``g = (m x_0 + d rho)/(1 + c m)``.
        """
        item = self.model.instructions[query.register]
        if item[0] in ("prox", "centre prox"):
            return self.vector(self.model.space.coordinates[item[1]]), item[2] * self.gradient
        return self.vector(query.point), Fraction(0)

    def _minimiser(self, name: str, register: int) -> None:
        """Each client's own minimiser: ``x = -g*/m + w``, and ``|w| <= d |x| / m``."""
        nodes, space = self.nodes[name], self.model.space
        middle, half = self.moduli(name)
        root = nodes[self._origin[name]]
        start = scaled(root.rho, -half / middle)
        lowest = middle - half
        length = (self._length(start) * middle / lowest) ** 2  # |x| <= |g*| / mu
        unit, limit = length, self._limits.get(register)
        if limit is not None:  # f(x*) - inf f <= limit
            length, unit = min(length, 2 * limit / lowest), min(length, limit / half)
        size, unit = (power_of_two(e) if e else Fraction(1) for e in (length, unit**2))
        for key in space.coordinates[register]:
            inside = {place: entry for (part, place), entry in start.items() if part == key[0]}
            self._fresh(key, inside, size * half / middle, self._known(start))
        point = self.vector(space.coordinates[register])
        nodes[register] = Node(register, point, scaled(point, -middle / half), root.register, unit)
