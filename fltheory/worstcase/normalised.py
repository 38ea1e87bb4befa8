"""The semidefinite program of a model in the coordinates of its :class:`~fltheory.worstcase.frame.Frame`.

What the solver sees does not depend on units, and its entries are of size about one: rows and the measure are divided by
their largest entries.  Points and multipliers are carried back to the model's own units, exactly where it counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.worstcase.frame import Frame
from fltheory.worstcase.frame_vectors import plus
from fltheory.worstcase.functional import Functional
from fltheory.worstcase.model import Group, Model
from fltheory.worstcase.multipliers import pairs_of, parts_of
from fltheory.worstcase.sdp import Array, ConicProgram, copies
from fltheory.worstcase.space import Coordinates, draw_of

Convert = Callable[[Fraction], Any]

#: Units from here to its inverse have products of a few that floats hold.
MODERATE = Fraction(1, 10**75)
#: A grid that is far finer than floats of size about one.
FINE = 2**80


class Normalised(ConicProgram):
    """A model at given quantities as arrays: ``rows @ z <= right(bounds)`` in the coordinates of a frame.

    ``number`` makes array entries of rationals: floats, or decimals of any precision.  ``frame`` is that of the quantities,
    in which the basis vectors ``zero`` vanish, unless another one is given.
    """

    def __init__(
        self,
        model: Model,
        quantities: Mapping[str, Fraction],
        zero: Iterable[tuple[str, int]] = (),
        *,
        number: Convert = float,
        frame: Frame | None = None,
    ) -> None:
        self.frame = Frame(model, quantities, zero) if frame is None else frame
        self.number = number
        self._lay_out(model, self.frame.sizes)
        factors: list[Fraction] = []
        rows = []
        for group in model.groups:
            half = self.frame.moduli(group.name)[1]
            for part in parts_of(model, group):
                found = self._interpolation(group, part)
                rows.append(found)
                factors += [self.frame.gradient * half] * len(found)
        self.pair_rows = np.concatenate(rows)
        self.pair_factors = self._divide(self.pair_rows, factors)
        listed = [self._exact(item.functional) for item in model.assumptions]
        self.assumption_factors = [factor for _, factor in listed]
        self.assumption_rows = np.array([row for row, _ in listed], dtype=self.pair_rows.dtype).reshape(-1, self.length)
        self.measure, self.measure_factor = self._exact(model.measure)
        self.identity = self._identity()

    def _divide(self, rows: Array, factors: list[Fraction]) -> list[Fraction]:
        """Divide rows by powers of two near their largest entries, in place; what they are then worth."""
        found = []
        for k, factor in enumerate(factors):
            largest = float(np.abs(rows[k]).max(initial=0))
            exponent = math.frexp(largest)[1] if largest else 0
            scale = Fraction(2) ** exponent
            rows[k] /= self.number(scale)
            found.append(factor * scale)
        return found

    def _exact(self, functional: Functional) -> tuple[Array, Fraction]:
        """A functional as a row, divided by its largest entry, and that entry."""
        gram, single = self.frame.form(functional)
        largest = max(
            (abs(entry) for form in (gram, single) for entry in form.values()), default=Fraction(0)
        ) or Fraction(1)
        row = np.full(self.length, self.number(Fraction(0)))
        root = self._root()
        for (block, i, j), entry in gram.items():
            row[self.offsets[block] + j * (j + 1) // 2 + i] += self.number(entry / largest) / (1 if i == j else root)
        for register, entry in single.items():
            row[self.value_place[register]] += self.number(entry / largest)
        return row, largest

    def divide_measure(self, unit: Fraction) -> None:
        """Count the measure in other units: in floats exactly where ``unit`` is a power of two."""
        self.measure, self.measure_factor = self.measure / self.number(unit), self.measure_factor * unit

    def _root(self) -> Any:
        return math.sqrt(2.0) if self.number is float else self.number(Fraction(2)).sqrt()

    def _identity(self) -> Array:
        return super()._identity() if self.number is float else np.zeros(0)

    def matrices(self, z: Array) -> dict[str, Array]:
        if z.dtype != object:
            return super().matrices(z)
        found = {}
        for name, size in self.blocks:
            j, i = np.tril_indices(size)
            entries = z[self.offsets[name] + j * (j + 1) // 2 + i]
            entries[i != j] = entries[i != j] / self._root()
            found[name] = np.full((self.sizes[name],) * 2, self.number(Fraction(0)))
            left, right = self.kept[name][i], self.kept[name][j]
            found[name][left, right] = found[name][right, left] = entries
        return found

    def _array(self, vectors: list[Coordinates], parts: tuple[str, ...], size: int) -> Array:
        found = np.full((len(vectors), size), self.number(Fraction(0)))
        for row, vector in enumerate(vectors):
            for (part, basis), entry in vector.items():
                if part in parts:
                    found[row, basis] = self.number(entry)
        return found

    def _interpolation(self, group: Group, part: int | None) -> Array:
        """Rows of ``-(interpolation inequality)/(L d square)``, see :mod:`fltheory.worstcase.frame`."""
        nodes = self.frame.nodes[group.name]
        order = [nodes[query.register] for query in group.queries]
        place = {node.register: k for k, node in enumerate(order)}
        listed = pairs_of(group, part)
        rows = np.full((len(listed), self.length), self.number(Fraction(0)))
        quarter, half = self.number(Fraction(1, 4)), self.number(Fraction(1, 2))
        relative: dict[int, dict[str, list[tuple[Any, Array, Array]]]] = {}
        absolute = self._relative(order, None) if part is not None else {}
        for row, (left, right) in enumerate(listed):
            if left not in relative:
                relative = {left: self._relative(order, left)}
            path = [place[r] for r in self.frame.path(group.name, order[left].register, order[right].register)]
            for name, size in self.blocks:
                for which, (share, x, rho) in enumerate(relative[left][name]):
                    first, second = path[1:-1], path[2:]
                    outer = half * (rho[second].T @ x[first] - rho[first].T @ x[second]) if first else 0
                    matrix = outer + quarter * (np.outer(x[right], x[right]) - np.outer(rho[right], rho[right]))
                    if part is not None and draw_of(name) >= part:
                        (a, b), (c, d) = (absolute[name][which][k][[left, right]] for k in (1, 2))
                        matrix = matrix + half * (np.outer(d, a) - np.outer(c, b) + np.outer(a, b) - np.outer(c, d))
                    start = self.offsets[name]
                    rows[row, start : start + size * (size + 1) // 2] -= share * self._triangle(matrix)
            for a, b in zip(path, path[1:], strict=False):
                child, sign = (a, -1) if order[a].parent == order[b].register else (b, 1)
                column = self.value_place[order[child].register]
                rows[row, column] += sign * self.number(order[child].unit)
        return rows

    def _relative(self, order: list[Any], origin: int | None) -> dict[str, list[tuple[Any, Array, Array]]]:
        """Points and rhos of all queries less those of one, by block and copy with its share; differences are taken exactly."""
        found = []
        for kind in ("point", "rho"):
            vectors = [getattr(node, kind) for node in order]
            if origin is not None:
                vectors = [plus(vector, vectors[origin], -1) for vector in vectors]
            found.append(vectors)
        return {
            name: [
                (self.number(share), self._array(found[0], parts, size), self._array(found[1], parts, size))
                for parts, share in copies(self.model, name)
            ]
            for name, size in self.blocks
        }

    def _triangle(self, matrix: Array) -> Array:
        """``svec`` of the symmetric part."""
        size = len(matrix)
        j, i = np.tril_indices(size)
        entries: Array = (matrix[i, j] + matrix[j, i]) / self.number(Fraction(2))
        off = i != j
        entries[off] = entries[off] * self._root()
        return entries

    def restricted(self, zero: set[tuple[str, int]]) -> Normalised:
        found = super().restricted(zero)
        assert isinstance(found, Normalised)
        return found

    def right(self, bounds: Mapping[str, Any]) -> Array:
        """Right-hand sides of the assumptions, at rational quantities."""
        found = []
        for item, factor in zip(self.model.assumptions, self.assumption_factors, strict=True):
            limit = Fraction(0) if item.bound is None else item.scale * Fraction(bounds[item.bound])
            found.append(self.number(limit / factor / self.frame.square))
        return np.array(found)

    def value_of(self, z: Array) -> float:
        if not np.isfinite(z).all():
            return math.nan
        return in_floats(Fraction(float(self.measure @ z)) * self.measure_factor * self.frame.square)

    def blocks_of(self, z: Array) -> dict[str, Array]:
        if self._extreme and np.isfinite(z).all():
            exact = self.instance(z, FINE)[0]
            sizes = self.model.space.sizes
            return {name: _floats(exact[name]).reshape(size, size) for name, size in sizes.items()}
        found = {}
        whole = self.matrices(z)
        for name, size in self.model.space.sizes.items():
            images = np.zeros((size, self.sizes[name]))
            for place in range(size):
                for k, entry in self.frame.images[name, place].items():
                    images[place, k] = _float(entry)
            inner = whole.get(name, np.zeros((self.sizes[name],) * 2))
            found[name] = _float(self.frame.square) * (images @ np.asarray(inner, dtype=float) @ images.T)
        return found

    def values_of(self, z: Array) -> Array:
        if self._extreme and np.isfinite(z).all():
            exact = self.instance(z, FINE)[1]
            return _floats([exact[register] for register in self.model.values])
        whole = self.matrices(z)
        unit = _float(self.frame.square * self.frame.gradient)
        found = []
        for register in self.model.values:
            gram, single = self.frame.value(register)
            total = sum(_float(e) * float(whole[b][i, j]) for (b, i, j), e in gram.items() if b in whole)
            total += sum(_float(e) * float(z[self.value_place[r]]) for r, e in single.items())
            found.append(unit * total)
        return np.array(found)

    @cached_property
    def _extreme(self) -> bool:
        """Whether units are so large or so small that products of floats may leave their range."""
        units = [self.frame.square, self.frame.square * self.frame.gradient]
        units += [abs(entry) for image in self.frame.images.values() for entry in image.values() if entry]
        return not all(MODERATE <= unit <= 1 / MODERATE for unit in units)

    def instance(self, z: Array, grid: int) -> tuple[dict[str, list[list[Fraction]]], dict[int, Fraction]]:
        """Blocks and values of ``z``, rounded to a grid here, in the model's own units: exact."""
        inner: dict[str, list[list[Fraction]]] = {}
        for name, matrix in self.matrices(z).items():
            inner[name] = [[_round(entry, grid) for entry in row] for row in matrix]
        own = {register: _round(z[place], grid) for register, place in self.value_place.items()}
        square, unit = self.frame.square, self.frame.square * self.frame.gradient
        blocks = {}
        for name, size in self.model.space.sizes.items():
            images = [self.frame.images[name, place] for place in range(size)]
            half = [
                [sum((e * inner[name][k][j] for k, e in image.items()), Fraction(0)) for j in range(self.sizes[name])]
                for image in images
            ]
            blocks[name] = [
                [square * sum((e * row[k] for k, e in image.items()), Fraction(0)) for image in images] for row in half
            ]
        values = {}
        for register in self.model.values:
            gram, single = self.frame.value(register)
            total = sum((e * inner[b][i][j] for (b, i, j), e in gram.items()), Fraction(0))
            values[register] = unit * (total + sum((e * own[r] for r, e in single.items()), Fraction(0)))
        return blocks, values


def _round(entry: Any, grid: int) -> Fraction:
    return Fraction(round(Fraction(entry) * grid), grid)


def in_floats(number: Fraction) -> float:
    """The nearest float; NaN where it is infinite, or zero and the number is not: beyond the range of floats."""
    found = _float(number)
    return math.nan if math.isinf(found) or (not found and number) else found


def _floats(numbers: Any) -> Array:
    return np.array([[_float(e) for e in row] if isinstance(row, list) else _float(row) for row in numbers])


def _float(number: Fraction) -> float:
    """A float; infinite beyond the largest one."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
