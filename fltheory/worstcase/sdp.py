"""The semidefinite program of a model as arrays of floats: linear rows over Gram blocks and function values."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from fltheory.worstcase.functional import Functional
from fltheory.worstcase.model import Group, Model
from fltheory.worstcase.multipliers import pairs_of, parts_of
from fltheory.worstcase.space import draw_of

Array = npt.NDArray[Any]


class ConicProgram:
    """A model as arrays: ``rows @ z <= right`` and ``z`` made of the blocks' triangles, then the function values."""

    def __init__(self, model: Model) -> None:
        self._lay_out(model, model.space.sizes)
        self.pair_rows = np.concatenate(
            [self._interpolation(g, part) for g in model.groups for part in parts_of(model, g)]
        )
        self.assumption_rows = np.array([self.row(item.functional) for item in model.assumptions])
        self.assumption_rows = self.assumption_rows.reshape(-1, self.length)
        self.measure = self.row(model.measure)
        self.identity = self._identity()

    def _lay_out(self, model: Model, sizes: Mapping[str, int]) -> None:
        """Places of Gram entries and of function values in ``z``."""
        self.model, self.sizes = model, dict(sizes)
        self.blocks = [(name, size) for name, size in sizes.items() if size]
        self.offsets: dict[str, int] = {}
        place = 0
        for name, size in self.blocks:
            self.offsets[name] = place
            place += size * (size + 1) // 2
        self.gram_length = place
        self.value_place = {register: place + k for k, register in enumerate(model.values)}
        self.length = place + len(model.values)
        self.kept = {name: np.arange(size) for name, size in self.blocks}
        self.dropped: frozenset[tuple[str, int]] = frozenset()

    def restricted(self, zero: set[tuple[str, int]]) -> ConicProgram:
        """The same problem where these basis vectors, given as (block, place), vanish; its matrices keep their size.

        For a problem that is not restricted yet.
        """
        if not zero:
            return self
        other = copy.copy(self)
        other.dropped = frozenset(zero)
        other.kept = {name: np.array([k for k in range(size) if (name, k) not in zero]) for name, size in self.blocks}
        other.blocks = [(name, len(other.kept[name])) for name, _ in self.blocks if len(other.kept[name])]
        columns: list[Array] = []
        other.offsets = {}
        for name, size in other.blocks:
            other.offsets[name] = sum(len(column) for column in columns)
            upper = triangle_of(size)
            i, j = other.kept[name][upper[0]], other.kept[name][upper[1]]
            columns.append(self.offsets[name] + j * (j + 1) // 2 + i)
        other.gram_length = sum(len(column) for column in columns)
        chosen = np.concatenate([*columns, np.arange(self.gram_length, self.length)])
        other.value_place = {register: other.gram_length + k for k, register in enumerate(self.value_place)}
        other.length = len(chosen)
        for rows in ("pair_rows", "assumption_rows"):
            setattr(other, rows, getattr(self, rows)[:, chosen])
        other.measure = self.measure[chosen]
        other.identity = other._identity()
        return other

    @property
    def unseen(self) -> set[tuple[str, int]]:
        """Basis vectors, as (block, place), that no constraint sees: a start from which only differences are taken."""
        return {
            (name, int(k))
            for name, basis in self.complement.items()
            for k in np.flatnonzero(np.abs(basis).max(axis=1, initial=0.0) < 1e-9)
        }

    def row(self, functional: Functional) -> Array:
        """A functional as a linear form in ``z`` (triangles scaled by sqrt 2 off the diagonal)."""
        gram, values = self.model.form(functional)
        found = np.zeros(self.length)
        for (block, i, j), entry in gram.items():
            found[self.offsets[block] + j * (j + 1) // 2 + i] += float(entry) / (1.0 if i == j else math.sqrt(2.0))
        for register, entry in values.items():
            found[self.value_place[register]] += float(entry)
        return found

    def _interpolation(self, group: Group, part: int | None) -> Array:
        """Rows of ``-(interpolation inequality)``: all ordered pairs, or those on histories that part before a draw."""
        n = len(group.queries)
        mu, smooth = float(group.functions.mu), float(group.functions.L)
        left, right = np.array(pairs_of(group, part), dtype=int).reshape(-1, 2).T
        rows = np.zeros((len(left), self.length))
        for (name, size), (parts, share) in [(b, one) for b in self.blocks for one in copies(self.model, b[0])]:
            x, g = np.zeros((n, size)), np.zeros((n, size))
            for k, query in enumerate(group.queries):
                for target, vector in ((x, query.point), (g, query.gradient)):
                    for (block, basis), entry in vector.items():
                        if block in parts:
                            target[k, basis] = float(entry)
            h = g - mu * x
            a, b, c, d, e = x[left], x[right], h[left], h[right], 1 / (2 * (smooth - mu))
            if part is None or draw_of(name) < part:
                terms = [(a, a, mu / 2), (b, b, -mu / 2), (d, a - b, 1.0), (c - d, c - d, e)]
            else:
                terms = [(a, a, mu / 2), (b, b, -mu / 2), (d, b, -1.0), (c, c, e), (d, d, e)]
            start = self.offsets[name]
            for first, second, factor in terms:
                if factor:
                    entries = float(share) * factor * _triangles(first, second)
                    rows[:, start : start + size * (size + 1) // 2] += entries
        for k, query in enumerate(group.queries):
            if query.value is not None:
                rows[left == k, self.value_place[query.value]] -= 1.0
                rows[right == k, self.value_place[query.value]] += 1.0
        return rows

    def _identity(self) -> Array:
        """The trace as a linear form in ``z``, without directions that no constraint sees.

        Such directions are translations of what is given, or linear functions added to the clients' losses where nothing
        bounds their heterogeneity: the slack vanishes there for all multipliers that balance the function values.  They
        are found from random combinations of such rows.  ``complement`` keeps an orthonormal basis of the others, in the
        coordinates that are ``kept``.
        """
        rows = np.concatenate([self.pair_rows, self.assumption_rows, self.measure[None]])
        rows = rows / np.maximum(np.abs(rows).max(axis=1), 1e-12)[:, None]
        values = rows[:, self.gram_length :]
        largest = max((size for _, size in self.blocks), default=0)
        factors = np.random.default_rng(1).standard_normal((largest + 10, len(rows))) / math.sqrt(len(rows))
        rows = (factors - (factors @ values) @ np.linalg.pinv(values)) @ rows
        found = np.zeros(self.length)
        self.complement: dict[str, Array] = {}
        for name, size in self.blocks:
            i, j = triangle_of(size)
            place = self.offsets[name] + j * (j + 1) // 2 + i
            matrices = np.zeros((len(rows), size, size))
            matrices[:, i, j] = matrices[:, j, i] = rows[:, place] / np.where(i == j, 1.0, math.sqrt(2.0))
            eigenvalues, vectors = np.linalg.eigh(np.einsum("kij,kjl->il", matrices, matrices))
            self.complement[name] = vectors[:, eigenvalues > 1e-14 * max(1e-12, eigenvalues[-1])]
            projector = self.complement[name] @ self.complement[name].T
            found[place] = projector[i, j] * np.where(i == j, 1.0, math.sqrt(2.0))
        return found

    def value_of(self, z: Array) -> float:
        """The measure of an instance in the model's own units; NaN beyond the range of floats."""
        return float(self.measure @ z)

    def blocks_of(self, z: Array) -> dict[str, Array]:
        """The Gram blocks of an instance in the model's own units."""
        return self.matrices(z)

    def values_of(self, z: Array) -> Array:
        """The function values of an instance in the model's own units."""
        return z[self.gram_length :]

    def matrices(self, z: Array) -> dict[str, Array]:
        """The symmetric matrices of the blocks in ``z``."""
        found = {}
        for name, size in self.blocks:
            i, j = triangle_of(size)
            place = self.offsets[name] + j * (j + 1) // 2 + i
            entries = z[place] / np.where(i == j, 1.0, math.sqrt(2.0))
            full = self.sizes[name]
            found[name] = np.zeros((full, full))
            left, right = self.kept[name][i], self.kept[name][j]
            found[name][left, right] = found[name][right, left] = entries
        return found

    def right(self, bounds: Mapping[str, Any]) -> Array:
        """Right-hand sides of the assumptions."""
        return np.array(
            [0.0 if a.bound is None else float(a.scale) * float(bounds[a.bound]) for a in self.model.assumptions]
        )


def copies(model: Model, block: str) -> tuple[tuple[tuple[str, ...], Fraction], ...]:
    """Inner products in a block as those of copies of vectors: which parts count in a copy, and its share.

    After a gradient at a noisy average the clients' vectors have averages in them, ``<a, a>`` and ``<a, n>`` being a share of what
    is in the block: in one copy an average is what it is, in the other it is zero.
    """
    if not block.startswith("draw") or not model.space.common:
        return (((block,), Fraction(1)),)
    share = model.shares.noise
    return ((block, block.replace("draw", "averaged")), share), ((block,), 1 - share)


def triangle_of(size: int) -> tuple[Array, Array]:
    """Rows and columns of an upper triangle, by columns."""
    j, i = np.tril_indices(size)
    return i, j


def _triangles(a: Array, b: Array) -> Array:
    """``svec((a b' + b a')/2)`` for each row, upper triangles by columns, sqrt 2 off the diagonal."""
    size = a.shape[1]
    columns = []
    for j in range(size):
        cross = (a[:, : j + 1] * b[:, j : j + 1] + b[:, : j + 1] * a[:, j : j + 1]) / 2
        cross[:, :j] *= math.sqrt(2.0)
        columns.append(cross)
    return np.concatenate(columns, axis=1) if columns else np.zeros((len(a), 0))
