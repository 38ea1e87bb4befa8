"""Banded systems ``(I - T) x = r`` of rounds on tridiagonal problems: LAPACK's factors, and what a symmetric map tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.kinds import Floats


@dataclass(frozen=True, eq=False)
class BandedFactors:
    """Triangular factors of a banded matrix ``I - T``."""

    half: int
    factors: Floats
    pivots: Any

    def solve(self, right: Floats, *, transposed: bool = False) -> Floats:
        """The solution for one right side ``(D,)``, or that of the transposed system."""
        from scipy.linalg.lapack import dgbtrs

        solution, _ = dgbtrs(self.factors, self.half, self.half, right, self.pivots, trans=int(transposed))
        return np.asarray(solution)


def factors_of(bands: Floats) -> BandedFactors:
    """The factors of ``I - T`` for a ``T`` in LAPACK's banded storage ``(2u + 1, D)``.

    Raises
    ------
    ValueError : ``I - T`` is singular in floats.
    """
    from scipy.linalg.lapack import dgbtrf

    u = len(bands) // 2
    room = np.zeros((3 * u + 1, bands.shape[1]))
    room[u:] = -bands
    room[2 * u] += 1.0
    factors, pivots, info = dgbtrf(room, u, u, overwrite_ab=True)
    if info > 0:
        raise ValueError("the round map has no fixed point, or many: I - T is singular in floats")
    return BandedFactors(u, factors, pivots)


def is_symmetric(bands: Floats) -> bool:
    """Whether a banded matrix is, up to rounding."""
    largest, u, size = float(np.abs(bands).max()), len(bands) // 2, bands.shape[1]
    gaps = [float(np.abs(bands[u - k, k:] - bands[u + k, : size - k]).max(initial=0.0)) for k in range(1, u + 1)]
    return max(gaps, default=0.0) <= 1e-13 * largest


def is_definite(bands: Floats, sign: float) -> bool:
    """Whether ``I + sign T`` is positive definite, for a symmetric ``T``, as Cholesky factors decide to rounding."""
    from scipy.linalg import cholesky_banded

    upper = sign * bands[: len(bands) // 2 + 1]
    upper[-1] += 1.0
    try:
        cholesky_banded(upper, overwrite_ab=True, check_finite=False)
    except np.linalg.LinAlgError:
        return False
    return True
