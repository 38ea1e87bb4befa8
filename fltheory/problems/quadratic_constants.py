"""Constants of quadratic problems: eigenvalues, minima, and rational bounds of the spectra."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fltheory.problems.base import Array, Constants, Number
from fltheory.problems.linear_algebra import minimise_quadratic, spectral_bounds
from fltheory.problems.numbers import is_exact

if TYPE_CHECKING:
    from fltheory.problems.quadratic import QuadraticProblem


class QuadraticConstants(Constants):
    """Constants of a :class:`QuadraticProblem`; minima are exact where the problem is."""

    def __init__(self, problem: QuadraticProblem) -> None:
        if problem.exact and not all(map(is_exact, (problem.matrices, problem.vectors))):
            raise ValueError("constants of a problem over a general field do not exist; expected floats or rationals")
        self.problem = problem

    @property
    def weights(self) -> Array:
        """``p``."""
        return self.problem.weights

    @cached_property
    def client_eigenvalues(self) -> Array:
        """Eigenvalues of the ``A_k`` in increasing order, ``(N, d)``, floats."""
        return np.linalg.eigvalsh(self.problem.matrices.astype(float))

    @cached_property
    def client_smoothness(self) -> Array:
        """``L_k``, the largest absolute eigenvalue of ``A_k`` (float, see ``certified_bounds``)."""
        return np.asarray(np.abs(self.client_eigenvalues).max(axis=1))

    @cached_property
    def client_strong_convexity(self) -> Array:
        """``mu_k``, the smallest eigenvalue of ``A_k`` (negative if ``F_k`` is not convex)."""
        return self.client_eigenvalues[:, 0]

    @cached_property
    def global_smoothness(self) -> float:
        """Largest absolute eigenvalue of the Hessian of ``F``; at most ``L``."""
        return float(np.abs(np.linalg.eigvalsh(self.problem.mean_matrix.astype(float))).max())

    @cached_property
    def global_strong_convexity(self) -> float:
        """Smallest eigenvalue of the Hessian of ``F``; at least ``mu``."""
        return float(np.linalg.eigvalsh(self.problem.mean_matrix.astype(float))[0])

    @cached_property
    def certified_bounds(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """Per client rationals ``(lower, upper)`` with ``lower I <= A_k <= upper I``, proved exactly."""
        return tuple(spectral_bounds(matrix) for matrix in self.problem.to_exact().matrices)

    @cached_property
    def minimiser(self) -> Array:
        """``w*``."""
        return minimise_quadratic(self.problem.mean_matrix, self.problem.mean_vector)

    @cached_property
    def minimum(self) -> Number:
        """``F* = F(w*)``."""
        return self.problem.value(self.minimiser)

    @cached_property
    def client_minimisers(self) -> Array:
        """``w_k*``, ``(N, d)``."""
        pairs = zip(self.problem.matrices, self.problem.vectors, strict=True)
        return np.stack([minimise_quadratic(a, b, name=f"F_{k}") for k, (a, b) in enumerate(pairs)])

    @cached_property
    def client_minima(self) -> Array:
        """``F_k*``, ``(N,)``."""
        values = self.problem.client_values(self.client_minimisers)
        return np.asarray(np.diagonal(values).copy())
