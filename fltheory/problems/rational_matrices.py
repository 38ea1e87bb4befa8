"""Matrices of rationals by FLINT, where python-flint is installed (the extra ``exact``), and their way back to Fractions.

Everything here has a twin in Fractions, which is used where the library is missing: the same numbers, some hundred times
slower.  A rational has one lowest form, so that results are equal, not merely close.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from fltheory.problems.checks import Array

#: Systems and products of fewer multiplications than this are not worth the way to FLINT and back.
LEAST_WORK = 64


@cache
def library() -> Any:
    """The module ``flint``, or ``None`` where it is not installed."""
    try:
        import flint
    except ImportError:
        return None
    return flint


def _without_gcd() -> Callable[[int, int], Fraction]:
    if sys.version_info >= (3, 12):
        made: Callable[[int, int], Fraction] = Fraction._from_coprime_ints  # type: ignore[attr-defined]
        return made
    return lambda numerator, denominator: Fraction(numerator, denominator, _normalize=False)  # type: ignore[call-overload]


#: A Fraction from integers that are known to be in lowest terms: the greatest common divisor is not sought again.
coprime_fraction = _without_gcd()


def pack(matrix: Array) -> Any:
    """A matrix ``(r, c)`` of Fractions or integers as one of FLINT; a vector is a column.

    Raises
    ------
    TypeError : entries of another kind.
    """
    flint = library()
    rows, columns = matrix.shape if matrix.ndim == 2 else (len(matrix), 1)
    known: dict[int, Any] = {}
    entries = []
    for entry in matrix.ravel().tolist():
        found = known.get(id(entry))
        if found is None:
            if type(entry) is Fraction:
                found = flint.fmpq(entry.numerator, entry.denominator)
            elif type(entry) is int:
                found = flint.fmpq(entry)
            else:
                raise TypeError(f"{entry!r} of type {type(entry).__name__} is no Fraction")
            known[id(entry)] = found
        entries.append(found)
    return flint.fmpq_mat(rows, columns, entries)


def unpack(matrix: Any) -> Array:
    """A matrix of FLINT as an object array ``(r, c)`` of Fractions."""
    flat = np.empty(matrix.nrows() * matrix.ncols(), dtype=object)
    zero, none = library().fmpq(0), Fraction(0)
    for place, entry in enumerate(matrix.entries()):
        flat[place] = none if entry == zero else coprime_fraction(int(entry.p), int(entry.q))
    return flat.reshape(matrix.nrows(), matrix.ncols())


def zeros(rows: int, columns: int) -> Array:
    """Fractions that are zero."""
    found = np.empty((rows, columns), dtype=object)
    found[:] = Fraction(0)
    return found


def packable(*arrays: Array, work: int = LEAST_WORK) -> bool:
    """Whether FLINT is there, the ``work`` is worth it, and all entries are Fractions or integers."""
    if work < LEAST_WORK or any(array.dtype != object for array in arrays) or library() is None:
        return False
    return all(type(entry) is Fraction or type(entry) is int for array in arrays for entry in array.ravel().tolist())


def product(left: Array, right: Array) -> Array:
    """``left @ right`` of object arrays; both may be stacks of matrices, whose leading axes broadcast.

    ``right`` may be a vector only if both are no stacks.
    """
    if left.ndim < 2 or not packable(left, right, work=left.size * right.shape[-1] if right.ndim > 1 else left.size):
        return np.asarray(left @ right)
    if right.ndim == 1:
        return unpack(pack(left) * pack(right))[:, 0]
    if left.ndim == right.ndim == 2:
        return unpack(pack(left) * pack(right))
    lead = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    lefts, rights = _stack(left), _stack(right)
    firsts = np.broadcast_to(np.arange(len(lefts)).reshape(left.shape[:-2]), lead).ravel().tolist()
    seconds = np.broadcast_to(np.arange(len(rights)).reshape(right.shape[:-2]), lead).ravel().tolist()
    found = [unpack(lefts[i] * rights[j]) for i, j in zip(firsts, seconds, strict=True)]
    if not found:
        return np.asarray(left @ right)
    return np.stack(found).reshape(*lead, left.shape[-2], right.shape[-1])


def _stack(matrices: Array) -> list[Any]:
    return [pack(one) for one in matrices.reshape(-1, *matrices.shape[-2:])]


def solve(matrix: Array, right: Array) -> Array | None:
    """The solution of ``matrix x = right`` (square; a vector or columns), or ``None`` if the matrix is singular."""
    try:
        found = unpack(pack(matrix).solve(pack(right)))
    except ZeroDivisionError:
        return None
    return found.reshape(right.shape)


def row_echelon(matrix: Any) -> tuple[Any, list[int]]:
    """The reduced row echelon form of a matrix of FLINT and the columns of its pivots."""
    reduced, rank = matrix.rref()
    pivots: list[int] = []
    for row in range(rank):
        column = pivots[-1] + 1 if pivots else 0
        while reduced[row, column] == 0:
            column += 1
        pivots.append(column)
    return reduced, pivots


def scalars(matrix: Array) -> list[list[Any]]:
    """Rows of numbers to eliminate with: those of FLINT where that is possible, else the entries themselves."""
    if not packable(matrix, work=matrix.size * len(matrix)):
        return [list(row) for row in matrix.tolist()]
    return [list(row) for row in pack(matrix).tolist()]
