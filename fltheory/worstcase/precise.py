"""A small interior-point method in decimals of any precision, for programs where sixteen digits are not enough.

It solves what :mod:`fltheory.worstcase.solver` hands to Clarabel,

    maximise <c, z>  over  A z + s = b,  s >= 0,  G(z) >= 0,        with the dual  A' y - svec X = c,  y >= 0,  X >= 0,

by Mehrotra's predictor and corrector along the direction of Helmberg, Kojima and Monteiro: one positive definite system in
``z`` for each step, of ``A' diag(y/s) A`` plus the operator ``dG -> (X dG G^-1 + G^-1 dG X)/2``.  Points stay strictly inside,
so that what it ends with can be rounded to a certificate as it is: the distance to the border is about the gap, and there are
more digits than that.  Arrays hold :class:`decimal.Decimal`; it is meant for blocks of a dozen rows or fewer.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.worstcase.sdp import Array, ConicProgram

#: Digits of the arithmetic.
DIGITS = 60
ZERO, HALF, ONE = Decimal(0), Decimal("0.5"), Decimal(1)


@dataclass(frozen=True)
class Interior:
    """A strictly feasible pair of points, in decimals: ``point`` is z; ``pairs`` and ``assumptions`` are y; ``gap`` is relative."""

    point: Array
    pairs: Array
    assumptions: Array
    gap: float


def decimal_number(entry: Fraction) -> Decimal:
    """A rational to the digits of the context."""
    return Decimal(entry.numerator) / Decimal(entry.denominator)


def interior(
    problem: ConicProgram,
    bounds: Any,
    *,
    gap: float | Decimal = 1e-7,
    steps: int = 150,
    digits: int = DIGITS,
    left: Callable[[], float] = lambda: 1.0,
) -> Interior | None:
    """A pair of strictly feasible points with a relative gap of at most ``gap``; ``None`` where none was reached.

    ``problem`` is a normalised one whose ``number`` is :func:`decimal_number`; no step begins when ``left()`` is zero.  A gap of
    ``10^-k`` needs about ``2 k`` digits, and more than ``k/3 + 30`` steps.  Points that are not on the central path
    itself give the ranges of the blocks to half of the digits of the gap.
    """
    with decimal.localcontext(prec=digits):
        return _Path(problem, bounds).follow(Decimal(gap), steps, left)


class _Path:
    def __init__(self, problem: ConicProgram, bounds: Any) -> None:
        self.problem = problem
        rows = np.concatenate([problem.pair_rows, problem.assumption_rows])
        right = np.concatenate([np.full(len(problem.pair_rows), ZERO), problem.right(bounds)])
        self.asked = np.array([any(row) for row in rows], dtype=bool)
        self.rows, self.right, self.objective = rows[self.asked], right[self.asked], problem.measure
        self.blocks = [(problem.offsets[name], size) for name, size in problem.blocks]
        self.filled = [np.flatnonzero([bool(entry) for entry in row]) for row in self.rows]
        self.root = Decimal(2).sqrt()
        self.number = len(self.rows) + sum(size for _, size in self.blocks)

    def normal(self, weight: Array) -> Array:
        """``A' diag(weight) A`` on and below the diagonal, zero above it; what is zero in a row of ``A`` adds nothing to it."""
        found = np.full((self.problem.length, self.problem.length), ZERO)
        for row, places, factor in zip(self.rows, self.filled, weight, strict=True):
            entries = row[places]
            for k, (place, scaled) in enumerate(zip(places, entries * factor, strict=True)):
                found[place, places[: k + 1]] += scaled * entries[: k + 1]
        return found

    def matrix(self, place: tuple[int, int], vector: Array) -> Array:
        """The symmetric matrix of a block in ``vector``."""
        start, size = place
        j, i = np.tril_indices(size)
        entries = vector[start : start + len(i)].copy()
        entries[i != j] = entries[i != j] / self.root
        found = np.full((size, size), ZERO)
        found[i, j] = found[j, i] = entries
        return found

    def triangle(self, matrix: Array) -> Array:
        """``svec`` of the symmetric part."""
        j, i = np.tril_indices(len(matrix))
        entries: Array = (matrix[i, j] + matrix[j, i]) * HALF
        entries[i != j] = entries[i != j] * self.root
        return entries

    def operator(self, place: tuple[int, int], x: Array, inverse: Array) -> Array:
        """``svec dG -> svec (X dG G^-1 + G^-1 dG X)/2`` as a matrix."""
        j, i = np.tril_indices(place[1])
        found = []
        for a, b in zip(i, j, strict=True):
            outer = np.outer(x[:, a], inverse[b])
            if a != b:
                outer = (outer + np.outer(x[:, b], inverse[a])) / self.root
            found.append(self.triangle(outer))
        return np.array(found).T

    def follow(self, gap: Decimal, steps: int, left: Callable[[], float]) -> Interior | None:
        """Steps until the gap is closed, from far inside."""
        length, far = self.problem.length, Decimal(10)
        z = np.full(length, ZERO)
        duals = []
        for start, size in self.blocks:
            eye = np.full((size, size), ZERO)
            eye[np.arange(size), np.arange(size)] = far
            z[start : start + size * (size + 1) // 2] = self.triangle(eye)
            duals.append(eye)
        s = np.array([max(far, entry) for entry in self.right - self.rows @ z])
        y = np.full(len(self.rows), far)
        for _ in range(steps):
            if left() <= 0:
                return None
            primal = self.right - self.rows @ z - s
            dual = self.objective - self.rows.T @ y
            for (start, size), x in zip(self.blocks, duals, strict=True):
                dual[start : start + size * (size + 1) // 2] += self.triangle(x)
            grams = [self.matrix(place, z) for place in self.blocks]
            apart = y @ s + sum(((g * x).sum() for g, x in zip(grams, duals, strict=True)), ZERO)
            value = max(ONE / 10**12, abs(self.objective @ z))
            infeasible = max(max(map(abs, primal)), max(map(abs, dual)))
            if infeasible < min(Decimal(10) ** -30, gap / 1000) and apart <= gap * value:
                return self._found(z, y, float(apart / value))
            factors = [factor for factor in map(_cholesky, grams) if factor is not None]
            if len(factors) < len(grams):
                return None
            inverses = [_inverse(factor) for factor in factors]
            weight = y / s
            system = self.normal(weight)
            for place, x, inverse in zip(self.blocks, duals, inverses, strict=True):
                span = slice(place[0], place[0] + place[1] * (place[1] + 1) // 2)
                system[span, span] += self.operator(place, x, inverse)
            solver = _cholesky(system)
            if solver is None:
                return None
            mean = apart / self.number

            def direction(
                target: Decimal,
                bend: tuple[Array, list[Array]] | None,
                *,
                here: tuple[Array, ...] = (z, s, y, primal, weight),
                x_of: list[Array] = duals,
                inverses: list[Array] = inverses,
                solver: Array = solver,
            ) -> tuple[Array, Array, Array, list[Array]]:
                z, s, y, primal, weight = here
                pull = (target - (bend[0] if bend else 0)) / s
                force = self.objective - self.rows.T @ (pull - weight * primal)
                rest = []
                for k, ((start, size), inverse) in enumerate(zip(self.blocks, inverses, strict=True)):
                    part = target * inverse
                    if bend:
                        part = part - _symmetric(bend[1][k] @ inverse)
                    rest.append(part)
                    force[start : start + size * (size + 1) // 2] += self.triangle(part)
                dz = _solve(solver, force)
                ds = primal - self.rows @ dz
                dy = pull - y - weight * ds
                dx = []
                for place, x, inverse, part in zip(self.blocks, x_of, inverses, rest, strict=True):
                    dx.append(part - x - _symmetric(x @ self.matrix(place, dz) @ inverse))
                return dz, ds, dy, dx

            dz, ds, dy, dx = direction(ZERO, None)
            first, second = self._lengths(z, s, y, duals, dz, ds, dy, dx, factors)
            ahead = (y + second * dy) @ (s + first * ds)
            for place, g, x, change in zip(self.blocks, grams, duals, dx, strict=True):
                ahead += ((g + first * self.matrix(place, dz)) * (x + second * change)).sum()
            share = min(ONE, max(ZERO, ahead / apart)) ** 3
            share = max(share, Decimal("1e-4"))
            bend = (ds * dy, [change @ self.matrix(place, dz) for place, change in zip(self.blocks, dx, strict=True)])
            dz, ds, dy, dx = direction(share * mean, bend)
            first, second = self._lengths(z, s, y, duals, dz, ds, dy, dx, factors)
            if min(first, second) < Decimal("1e-8"):
                return None
            z, s, y = z + first * dz, s + first * ds, y + second * dy
            duals = [x + second * change for x, change in zip(duals, dx, strict=True)]
        return None

    def _lengths(
        self,
        z: Array,
        s: Array,
        y: Array,
        duals: list[Array],
        dz: Array,
        ds: Array,
        dy: Array,
        dx: list[Array],
        factors: list[Array],
    ) -> tuple[Decimal, Decimal]:
        """How far both points may go and stay strictly inside, at most one."""
        first, second = _ratio(s, ds), _ratio(y, dy)
        for place, factor, x, change in zip(self.blocks, factors, duals, dx, strict=True):
            first = min(first, _reach(factor, self.matrix(place, dz)))
            own = _cholesky(x)
            second = min(second, ZERO if own is None else _reach(own, change))
        return min(ONE, first * Decimal("0.95")), min(ONE, second * Decimal("0.95"))

    def _found(self, z: Array, y: Array, gap: float) -> Interior:
        whole = np.full(len(self.asked), ZERO)
        whole[self.asked] = y
        pairs = len(self.problem.pair_rows)
        return Interior(z, whole[:pairs], whole[pairs:], gap)


def _symmetric(matrix: Array) -> Array:
    found: Array = (matrix + matrix.T) * HALF
    return found


def _ratio(values: Array, changes: Array) -> Decimal:
    """The step at which the first of some positive numbers reaches zero."""
    return min((-v / c for v, c in zip(values, changes, strict=True) if c < 0), default=Decimal(2))


def _reach(factor: Array, change: Array) -> Decimal:
    """The step at which ``G + step * change`` is singular, for ``G = factor factor'``."""
    inner = _forward(factor, _forward(factor, change).T)
    size = max((abs(entry) for entry in inner.flat), default=ZERO)
    if not size:
        return Decimal(2)
    lowest = np.linalg.eigvalsh((inner / size).astype(float))[0]
    return Decimal(2) if lowest >= 0 else -1 / (Decimal(float(lowest)) * size)


def _cholesky(matrix: Array) -> Array | None:
    """The lower triangular factor, or ``None`` where the matrix is not positive definite."""
    work, size = matrix.copy(), len(matrix)
    for k in range(size):
        if work[k, k] <= 0:
            return None
        work[k:, k] = work[k:, k] / work[k, k].sqrt()
        for j in range(k + 1, size):
            work[j:, j] = work[j:, j] - work[j, k] * work[j:, k]
    for k in range(size):
        work[k, k + 1 :] = ZERO
    return work


def _forward(factor: Array, right: Array) -> Array:
    """``factor^-1 right``."""
    found = right.copy()
    for k in range(len(factor)):
        found[k] = found[k] / factor[k, k]
        for i in range(k + 1, len(factor)):
            found[i] = found[i] - factor[i, k] * found[k]
    return found


def _inverse(factor: Array) -> Array:
    """The inverse of ``factor factor'``."""
    eye = np.full(factor.shape, ZERO)
    eye[np.arange(len(eye)), np.arange(len(eye))] = ONE
    inverse = _forward(factor, eye)
    return inverse.T @ inverse


def _solve(factor: Array, right: Array) -> Array:
    """``(factor factor')^-1 right``."""
    found = _forward(factor, right)
    for k in reversed(range(len(factor))):
        found[k] = (found[k] - factor[k + 1 :, k] @ found[k + 1 :]) / factor[k, k]
    return found
