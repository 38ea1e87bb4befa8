"""Symmetric tridiagonal matrices: minima by elimination, extreme eigenvalues."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np

from fltheory.problems.base import Array


def minimise_tridiagonal(diagonal: Array, off_diagonal: Array, vector: Array, *, name: str = "F") -> Array:
    """Least-norm minimiser of ``w'Aw/2 - b'w`` for tridiagonal ``A`` in ``O(d)``, in floats or rationals.

    The matrix splits at vanishing off-diagonals.  In an irreducible semidefinite block all pivots but the last are
    positive, so the null space is at most a line.  Raises ``ValueError`` if the function is unbounded below.
    """
    cuts = [0, *(i + 1 for i, entry in enumerate(off_diagonal.tolist()) if entry == 0), len(diagonal)]
    blocks = [_minimise_block(diagonal[a:b], off_diagonal[a : b - 1], vector[a:b], name) for a, b in pairwise(cuts)]
    return np.concatenate(blocks)


def _minimise_block(diagonal: Array, off_diagonal: Array, vector: Array, name: str) -> Array:
    a, c, b = diagonal.tolist(), off_diagonal.tolist(), vector.tolist()
    m = len(a)
    exact = diagonal.dtype == object
    zero = 0 if exact else 16 * m * np.finfo(float).eps * (max(map(abs, a)) + 2 * max(map(abs, c), default=0.0))
    pivots, ratios, right = [a[0]], [], [b[0]]
    for i in range(m - 1):
        if pivots[i] <= 0:
            raise ValueError(f"{name} is unbounded below: elimination meets the pivot {pivots[i]}; expected A >= 0")
        ratios.append(c[i] / pivots[i])
        pivots.append(a[i + 1] - ratios[i] * c[i])
        right.append(b[i + 1] - ratios[i] * right[i])
    if pivots[-1] < -zero:
        raise ValueError(f"{name} is unbounded below: elimination meets the pivot {pivots[-1]}; expected A >= 0")
    singular = pivots[-1] <= zero
    size = 0 if exact else 1e-10 * max(map(abs, b))
    if singular and abs(right[-1]) > size:
        raise ValueError(f"{name} is unbounded below: it has slope {right[-1]} in a direction of zero curvature")
    one = Fraction(1) if exact else 1.0
    solution, null = [0 * one] * m, [one] * m
    solution[-1] = 0 * one if singular else right[-1] / pivots[-1]
    for i in reversed(range(m - 1)):
        solution[i] = right[i] / pivots[i] - ratios[i] * solution[i + 1]
        null[i] = -ratios[i] * null[i + 1]
    point = np.array(solution, dtype=diagonal.dtype)
    if not singular:
        return point
    line = np.array(null, dtype=diagonal.dtype)
    return np.asarray(point - line * ((line * point).sum() / (line * line).sum()))


def extreme_eigenvalues(diagonal: Array, off_diagonal: Array) -> tuple[float, float]:
    """Smallest and largest eigenvalue of a float tridiagonal matrix."""
    if len(diagonal) == 1:
        return float(diagonal[0]), float(diagonal[0])
    from scipy.linalg import eigvalsh_tridiagonal

    eigenvalues = eigvalsh_tridiagonal(diagonal, off_diagonal)
    return float(eigenvalues[0]), float(eigenvalues[-1])
