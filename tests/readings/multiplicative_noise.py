"""A user's own noise model in one file: the gradient times ``1 + e``, with one ``e = +-s`` for all coordinates.

``E e = 0`` and ``Var e = s^2``, so that the covariance of the answer is ``s^2 g g'``, a quadratic function of the point
where the gradient ``g`` is affine.  It says nothing of kernels: runs take the slow way.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from fltheory.problems import Problem

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class MultiplicativeNoise:
    """``(1 + e) grad F_k(x)`` with ``e = s`` or ``e = -s``, equally likely; ``deviation`` is ``s``."""

    deviation: float | Fraction

    @property
    def state_dependent(self) -> bool:
        return True

    @property
    def covariance_degree(self) -> int:
        return 2

    def covariance(self, problem: Problem, client: int, x: Array) -> Array:
        """``s^2 g g'``."""
        g = self._gradient(problem, client, x)
        return np.asarray(self.deviation**2 * g[..., :, None] * g[..., None, :])

    def draw(self, problem: Problem, clients: Array | None, x: Array, rng: np.random.Generator) -> Array:
        """One sign per slot."""
        signs = rng.choice([-1.0, 1.0], size=x.shape[:-1])
        return np.asarray((1 + float(self.deviation) * signs[..., None]) * problem.client_gradients(x, clients))

    def probabilities_of(self, problem: Problem, client: int) -> list[Fraction]:
        """A fair coin."""
        return [Fraction(1, 2)] * 2

    def answers(self, problem: Problem, client: int, x: Array, picks: Array) -> Array:
        """``(1 +- s) g``."""
        factors = np.array([1 + self.deviation, 1 - self.deviation])
        return np.asarray(factors[picks][:, None] * self._gradient(problem, client, x))

    def _gradient(self, problem: Problem, client: int, x: Array) -> Array:
        return problem.client_gradients(x[..., None, :], np.array([client]))[..., 0, :]
