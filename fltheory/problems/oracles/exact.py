"""Exact gradients: the oracle without noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fltheory.problems.base import Array, Problem
from fltheory.problems.oracles.protocol import Generator, KernelNoise, Sampler


@dataclass(frozen=True)
class Exact:
    """The full gradient of ``F_k``."""

    @property
    def noisy(self) -> bool:
        """No."""
        return False

    @property
    def state_dependent(self) -> bool:
        """No."""
        return False

    def covariance(self, problem: Problem, client: int, x: Array) -> Array:
        """Zero."""
        return np.asarray(x[..., :, None] * 0 * x[..., None, :])

    def variance(self, problem: Problem, x: Array) -> Array:
        """Zero."""
        return np.asarray(problem.client_values(x) * 0)

    def draw(self, problem: Problem, clients: Array | None, x: Array, rng: Generator) -> Array:
        """``grad F_k(x_k)``."""
        return problem.client_gradients(x, clients)

    def sampler(self, problem: Problem) -> Sampler:
        """``grad F_k(x_k)``, whatever the keys."""
        return lambda x, clients, keys, step: problem.client_gradients(x, clients)

    def probabilities_of(self, problem: Problem, client: int) -> list[int]:
        """One value."""
        return [1]

    def answers(self, problem: Problem, client: int, x: Array, picks: Array) -> Array:
        """``grad F_k(x)``."""
        return problem.client_gradients(x[:, None], np.array([client]))[:, 0]

    def kernel_noise(self, problem: Problem) -> KernelNoise:
        """None."""
        return KernelNoise("exact")

    def kernel_batch(self) -> tuple[int, bool]:
        """All samples."""
        return 0, False

    def unscaled(self, factor: float) -> Exact:
        """The same in all units."""
        return self
