"""A sure linear round in floats: its sum of second moments by doubling, and its spectral radius with an enclosure."""

from __future__ import annotations

import numpy as np

from fltheory.kinds import Floats


def doubled(matrix: Floats, right: Floats) -> Floats | None:
    """``X = A X A' + C`` by doubling: ``sum_{i < 2^k} A^i C A'^i``; None unless the powers of ``A`` vanish.

    A step of refinement follows, so that the residual is that of rounding once.
    """
    found = _doubled(matrix, right)
    if found is None:
        return None
    again = _doubled(matrix, right - (found - matrix @ found @ matrix.T))
    return found if again is None else found + again


def _doubled(matrix: Floats, right: Floats) -> Floats | None:
    power, total = np.array(matrix), np.array(right)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(64):
            total = total + power @ total @ power.T
            power = power @ power
            size = float(np.abs(power).max(initial=0.0))
            if size < 1e-20:
                return np.asarray(total)
            if not size < 1e100:
                return None
    return None


def spectral_radius(matrix: Floats) -> tuple[float, float, float]:
    """Lower end, value and upper end of the spectral radius, to first order in the rounding of the eigenvalues."""
    from scipy.linalg import eig

    values, left, right = eig(matrix, left=True, right=True)
    angles = np.abs((left.conj() * right).sum(axis=0))
    error = (
        32 * len(matrix) * np.finfo(float).eps * np.linalg.norm(matrix, 2) / np.maximum(angles, np.finfo(float).tiny)
    )
    moduli = np.abs(values)
    return float((moduli - error).max()), float(moduli.max()), float((moduli + error).max())
