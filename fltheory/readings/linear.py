"""Linear systems over the number types of the readings: floats, rationals, fields of rational functions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.kinds import Array
from fltheory.problems import rational_matrices
from fltheory.problems.linear_algebra import solve_exact
from fltheory.readings.numbers import Numbers

#: Singular values below this multiple of the largest count as zero in floats.
RANK_TOLERANCE = 1e-13


def identity(size: int, numbers: Numbers) -> Array:
    """The identity matrix."""
    result: Array = numbers.array(np.eye(size, dtype=int))
    return result


def solve(matrix: Array, right: Array, numbers: Numbers) -> Array | None:
    """The solution of ``matrix x = right`` (square; a vector or columns), or ``None`` if the matrix is singular."""
    if not numbers.exact:
        if not is_regular(matrix):
            return None
        solution: Array = np.linalg.solve(matrix, right)
        return solution
    if rational_matrices.packable(matrix, right, work=matrix.size * len(matrix)):
        return rational_matrices.solve(matrix, right)
    from sympy.polys.matrices.exceptions import DMNonInvertibleMatrixError

    try:
        columns = right[:, None] if right.ndim == 1 else right
        answer = _domain_matrix(matrix, numbers).lu_solve(_domain_matrix(columns, numbers))
    except DMNonInvertibleMatrixError:
        return None
    return _from_domain(answer, numbers).reshape(right.shape)


def is_regular(matrix: Array) -> bool:
    """Whether floats tell a matrix of floats from a singular one."""
    values = np.linalg.svd(matrix, compute_uv=False)
    return bool(values[-1] > RANK_TOLERANCE * max(values[0], np.finfo(float).tiny))


def range_basis(matrix: Array, numbers: Numbers) -> Array:
    """Independent columns that span the range of a matrix, ``(rows, rank)``."""
    if not numbers.exact:
        left, values, _ = np.linalg.svd(matrix)
        rank = int((values > RANK_TOLERANCE * max(values[0], np.finfo(float).tiny)).sum())
        basis: Array = left[:, :rank]
        return basis
    if rational_matrices.packable(matrix, work=matrix.size * len(matrix)):
        pivots = rational_matrices.row_echelon(rational_matrices.pack(matrix))[1]
    else:
        _, pivots = _domain_matrix(matrix, numbers).rref()
    return matrix[:, list(pivots)]


def stable_range(matrix: Array, numbers: Numbers) -> Array:
    """Basis of ``range(matrix^k)`` for k so large that it no longer shrinks: where ``matrix`` is invertible."""
    basis = range_basis(matrix, numbers)
    while basis.shape[1]:
        image = range_basis(product(matrix, basis, numbers), numbers)
        if image.shape[1] == basis.shape[1]:
            return image
        basis = image
    return basis


def null_space(matrix: Array, numbers: Numbers, scale: float | None = None) -> Array:
    """Independent columns that span the null space, orthonormal in floats."""
    if numbers.exact:
        solved = solve_exact(matrix, numbers.array(np.zeros(len(matrix), dtype=int)))
        assert solved is not None  # zero is a solution
        null: Array = solved[1]
        return null
    _, values, right = np.linalg.svd(matrix)
    largest = scale if scale is not None else max(float(values.max(initial=0.0)), float(np.finfo(float).tiny))
    rank = int((values > RANK_TOLERANCE * largest).sum())
    return np.asarray(right[rank:].T)


def product(left: Array, right: Array, numbers: Numbers) -> Array:
    """``left @ right``."""
    return rational_matrices.product(left, right) if numbers.exact else np.asarray(left @ right)


def coordinates(basis: Array, vectors: Array, numbers: Numbers) -> Array | None:
    """``C`` with ``basis @ C = vectors`` (independent columns), or ``None`` if a vector lies outside the span."""
    gram = product(basis.T, basis, numbers)
    right = product(basis.T, vectors, numbers)
    if numbers.exact:
        together = solve(gram, right, numbers)
        if together is None:
            return None
        found = together
    else:
        columns = [solve(gram, right[:, j], numbers) for j in range(vectors.shape[1])]
        if any(column is None for column in columns):
            return None
        found = np.stack([column for column in columns if column is not None], axis=1)
    gap = product(basis, found, numbers) - vectors
    if numbers.exact:
        return found if all(entry == 0 for entry in gap.flat) else None
    size = float(np.abs(vectors).max(initial=0.0))
    return found if float(np.abs(gap).max(initial=0.0)) <= 1e-9 * max(size, np.finfo(float).tiny) else None


def is_positive_definite(matrix: Array) -> bool:
    """Of a symmetric matrix of exact numbers: all pivots of the elimination are positive."""
    work = rational_matrices.scalars(matrix)
    for i in range(len(work)):
        if not work[i][i] > 0:
            return False
        for r in range(i + 1, len(work)):
            factor = work[r][i] / work[i][i]
            if factor:
                work[r] = [a - factor * b for a, b in zip(work[r], work[i], strict=True)]
    return True


def _domain_matrix(matrix: Array, numbers: Numbers) -> Any:
    from sympy import QQ
    from sympy.polys.matrices import DomainMatrix

    if numbers.domain is not None:
        rows = [[numbers.convert(entry) for entry in row] for row in matrix.tolist()]
        return DomainMatrix(rows, matrix.shape, numbers.domain)
    rows = [[QQ(*Fraction(entry).as_integer_ratio()) for entry in row] for row in matrix.tolist()]
    return DomainMatrix(rows, matrix.shape, QQ)


def _from_domain(matrix: Any, numbers: Numbers) -> Array:
    rows = matrix.to_list()
    result = np.empty(matrix.shape, dtype=object)
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            symbolic = numbers.domain is not None
            result[i, j] = entry if symbolic else Fraction(int(entry.numerator), int(entry.denominator))
    return result
