"""Minima of single quadratics ``w'Aw/2 - b'w``, in rationals by elimination and in floats by eigenvalues.

Both return the minimiser of least norm where ``A`` is singular, and raise where there is no minimum.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.problems import rational_matrices
from fltheory.problems.base import Array
from fltheory.problems.numbers import map_array, object_array


def minimise_quadratic(matrix: Array, vector: Array, *, name: str = "F") -> Array:
    """Least-norm minimiser of ``w'Aw/2 - b'w``, ``A`` symmetric ``(d, d)``, ``b`` ``(d,)``.

    Raises ``ValueError`` if the function is unbounded below: ``A`` has a negative eigenvalue, or ``A`` is singular
    and ``b`` is not in its range.
    """
    if matrix.dtype == object:
        return _minimise_exact(matrix, vector, name)
    eigenvalues, basis = np.linalg.eigh(matrix)
    scale = max(float(np.abs(eigenvalues).max()), np.finfo(float).tiny)
    zero = 16 * len(vector) * np.finfo(float).eps * scale
    if eigenvalues[0] < -zero:
        raise ValueError(f"{name} is unbounded below: its matrix has the eigenvalue {eigenvalues[0]:.6g} < 0")
    coordinates = basis.T @ vector
    flat = eigenvalues <= zero
    slope = float(np.abs(coordinates[flat]).max(initial=0.0))
    if slope > 1e-10 * max(float(np.abs(vector).max()), np.finfo(float).tiny):
        raise ValueError(
            f"{name} is unbounded below, as far as floats tell: its slope is {slope:.6g} in a direction of curvature zero or "
            f"below {zero:.3g}; rationals decide"
        )
    coordinates = np.where(flat, 0.0, coordinates / np.where(flat, 1.0, eigenvalues))
    solution: Array = basis @ coordinates
    if not flat.any():
        # One step of refinement: eigh loses a few digits where A is ill-conditioned.
        solution = solution + basis @ ((basis.T @ (vector - matrix @ solution)) / eigenvalues)
    return solution


def is_positive_semidefinite(matrix: Array) -> bool:
    """Exact test of a symmetric rational matrix by symmetric elimination."""
    work = rational_matrices.scalars(matrix)
    d = len(work)
    for i in range(d):
        pivot = work[i][i]
        if pivot < 0 or (pivot == 0 and any(work[i][j] != 0 for j in range(i + 1, d))):
            return False
        if pivot == 0:
            continue
        for r in range(i + 1, d):
            factor = work[r][i] / pivot
            if factor:
                for c in range(i, d):
                    work[r][c] -= factor * work[i][c]
    return True


def solve_exact(matrix: Array, vector: Array) -> tuple[Array, Array] | None:
    """A solution of ``Aw = b`` and a basis ``(d, nullity)`` of the null space, or ``None`` if there is no solution.

    Gauss-Jordan elimination over the field of the entries; ``matrix`` may be rectangular.
    """
    if matrix.ndim == 2 and rational_matrices.packable(matrix, vector, work=matrix.size * min(matrix.shape)):
        extended = np.concatenate([matrix, vector[:, None]], axis=1)
        reduced, columns = rational_matrices.row_echelon(rational_matrices.pack(extended))
        return _read_off(rational_matrices.unpack(reduced).tolist(), columns, matrix.shape[1])
    rows = [[*row, entry] for row, entry in zip(matrix.tolist(), vector.tolist(), strict=True)]
    d = matrix.shape[1]
    pivots: list[int] = []
    for column in range(d):
        start = len(pivots)
        found = next((r for r in range(start, len(rows)) if rows[r][column] != 0), None)
        if found is None:
            continue
        rows[start], rows[found] = rows[found], rows[start]
        inverse = 1 / rows[start][column]
        rows[start] = [entry * inverse for entry in rows[start]]
        for r, row in enumerate(rows):
            if r != start and row[column] != 0:
                factor = row[column]
                rows[r] = [a - factor * b for a, b in zip(row, rows[start], strict=True)]
        pivots.append(column)
    if any(row[d] != 0 for row in rows[len(pivots) :]):
        return None
    return _read_off(rows, pivots, d)


def _read_off(rows: list[list[Any]], pivots: list[int], d: int) -> tuple[Array, Array] | None:
    """The answer of :func:`solve_exact` from the reduced rows of the extended matrix."""
    if d in pivots:
        return None
    solution = [Fraction(0)] * d
    for r, column in enumerate(pivots):
        solution[column] = rows[r][d]
    free = [column for column in range(d) if column not in pivots]
    null = np.full((d, len(free)), Fraction(0), dtype=object)
    for index, column in enumerate(free):
        null[column, index] = Fraction(1)
        for r, pivot in enumerate(pivots):
            null[pivot, index] = -rows[r][column]
    return object_array(solution, (d,)), null


def _minimise_exact(matrix: Array, vector: Array, name: str) -> Array:
    if not is_positive_semidefinite(matrix):
        raise ValueError(f"{name} is unbounded below: its matrix is not positive semidefinite")
    solved = solve_exact(matrix, vector)
    if solved is None:
        raise ValueError(f"{name} is unbounded below: b is not in the range of its singular matrix")
    solution, null = solved
    if null.shape[1]:
        along = solve_exact(null.T @ null, null.T @ solution)
        assert along is not None  # Z'Z is invertible: the columns of Z are independent
        solution = solution - null @ along[0]
    return solution


def spectral_bounds(matrix: Array) -> tuple[Fraction, Fraction]:
    """Rationals ``(lower, upper)`` with ``lower I <= A <= upper I``, proved by exact elimination.

    Eigenvalues that are simple fractions are met exactly; others to a relative 1e-9 or better.
    """
    eigenvalues = np.linalg.eigvalsh(map_array(float, matrix))
    identity = np.array([[Fraction(int(i == j)) for j in range(len(matrix))] for i in range(len(matrix))], dtype=object)
    scale = Fraction(max(1e-300, float(np.abs(eigenvalues).max())))

    def tightest(estimate: float, sign: int) -> Fraction:
        candidates = [Fraction(estimate).limit_denominator(1000)]
        candidates += [Fraction(estimate) + sign * scale * Fraction(10) ** e for e in range(-13, 3)]
        near = scale * Fraction(1, 10**9)
        for index, candidate in enumerate(candidates):
            if index == 0 and abs(candidate - Fraction(estimate)) > near:
                continue
            if is_positive_semidefinite(sign * (candidate * identity - matrix)):
                return candidate
        raise ArithmeticError(f"no certified bound found near the eigenvalue {estimate}")

    return tightest(float(eigenvalues[0]), -1), tightest(float(eigenvalues[-1]), 1)
