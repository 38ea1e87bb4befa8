"""Additive noise with finitely many values: what it does can be enumerated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fltheory import streams
from fltheory.problems.base import Array, Number, Problem, check_finite, check_shape, frozen, slot_clients
from fltheory.problems.numbers import harmonise, map_array
from fltheory.problems.oracles.covariances import FixedCovariances
from fltheory.problems.oracles.protocol import Generator, KernelNoise, Sampler
from fltheory.problems.weights import exact_weights


@dataclass(frozen=True, eq=False)
class FiniteSupportNoise:
    """``grad F_k(x) + xi`` where ``xi`` takes the values ``support[j]`` with ``probabilities[j]``.

    ``support``: ``(m, d)`` for all clients or ``(N, m, d)``; ``probabilities``: ``(m,)``.  The mean must be zero.
    """

    support: Array
    probabilities: Array

    def __post_init__(self) -> None:
        data = harmonise({"support": self.support, "probabilities": self.probabilities})
        support, probabilities = data["support"], data["probabilities"]
        if support.ndim not in (2, 3) or 0 in support.shape:
            raise ValueError(f"support has shape {support.shape}; expected (m, d) or (N, m, d) with m >= 1")
        check_shape("probabilities", probabilities, (support.shape[-2],))
        check_finite("support", support)
        check_finite("probabilities", probabilities)
        total = probabilities.sum()
        tolerance = 0 if probabilities.dtype == object else 1e-12
        if min(probabilities.tolist()) < 0 or abs(total - 1) > tolerance:
            raise ValueError(f"probabilities={probabilities.tolist()} sum to {total}; expected p_j >= 0 and sum 1")
        means = (probabilities[:, None] * support).sum(axis=-2)
        largest = max(abs(entry) for entry in support.flat)
        for mean in means.flat:
            if abs(mean) > tolerance * largest:
                raise ValueError(f"the noise has mean {mean} in a coordinate; expected sum_j p_j support[j] = 0")
        object.__setattr__(self, "support", frozen(support))
        object.__setattr__(self, "probabilities", frozen(probabilities))

    @property
    def state_dependent(self) -> bool:
        """No."""
        return False

    @property
    def additive(self) -> bool:
        """Yes: one draw is the same noise at all points."""
        return True

    def supports(self, problem: Problem) -> Array:
        """Support points of all clients, ``(N, m, d)``."""
        n, d, m = problem.n_clients, problem.dimension, self.support.shape[-2]
        check_shape("support", self.support, (m, d) if self.support.ndim == 2 else (n, m, d))
        return np.broadcast_to(self.support, (n, m, d))

    def covariances(self, problem: Problem) -> Array:
        """``sum_j p_j s_j s_j'`` of all clients, ``(N, d, d)``."""
        points = self.supports(problem)
        return np.asarray(points.swapaxes(-1, -2) @ (self.probabilities[:, None] * points))

    def covariance(self, problem: Problem, client: int, x: Array) -> Array:
        """Covariance of this client's noise, for any ``x``."""
        d = problem.dimension
        return np.broadcast_to(self.covariances(problem)[client], (*x.shape[:-1], d, d))

    def variance(self, problem: Problem, x: Array) -> Array:
        """Traces of the covariances, ``(..., N)``."""
        traces = np.trace(self.covariances(problem), axis1=-2, axis2=-1)
        return np.broadcast_to(traces, (*x.shape[:-1], problem.n_clients))

    def check(self, problem: Problem) -> None:
        """Raise ``ValueError`` if the support has another number of clients or coordinates."""
        self.supports(problem)

    def mean_covariances(
        self, problem: Problem, origin: Array, convert: Callable[[Number], Number]
    ) -> FixedCovariances:
        """``sum_j p_j s_j s_j'``."""
        return FixedCovariances(map_array(convert, np.asarray(self.covariances(problem))))

    def to_exact(self, convert: Callable[[Number], Number]) -> FiniteSupportNoise:
        """Support and probabilities in exact numbers; float probabilities are read so that they sum to one."""
        probabilities = self.probabilities
        exact = probabilities if probabilities.dtype == object else exact_weights(probabilities)
        return FiniteSupportNoise(map_array(convert, self.support), exact)

    def sampler(self, problem: Problem) -> Sampler:
        """``grad F_k(x_k) + s_J`` with ``J`` from one uniform number."""
        edges, supports = self._edges, self.supports(problem).astype(np.float64)

        def sample(x: Array, clients: Array, keys: Array, step: int) -> Array:
            index = np.minimum(np.searchsorted(edges, streams.uniforms(keys, step, 0), side="right"), len(edges) - 1)
            return np.asarray(problem.client_gradients(x, clients) + supports[clients, index])

        return sample

    @property
    def _edges(self) -> Array:
        return np.cumsum(self.probabilities.astype(np.float64))

    def probabilities_of(self, problem: Problem, client: int) -> list[Number]:
        """The same for all clients."""
        return list(self.probabilities)

    def answers(self, problem: Problem, client: int, x: Array, picks: Array) -> Array:
        """``grad F_k(x) + s_j`` for the numbers ``picks``."""
        gradients = problem.client_gradients(x[:, None], np.array([client]))[:, 0]
        return np.asarray(gradients + self.supports(problem)[client][picks])

    def kernel_noise(self, problem: Problem) -> KernelNoise:
        """Values and cumulated probabilities."""
        support = np.ascontiguousarray(self.supports(problem), dtype=np.float64)
        return KernelNoise("finite", support=support, edges=self._edges)

    def unscaled(self, factor: float) -> FiniteSupportNoise:
        """The values over ``factor``."""
        return FiniteSupportNoise(self.support.astype(np.float64) / factor, self.probabilities.astype(np.float64))

    def draw(self, problem: Problem, clients: Array | None, x: Array, rng: Generator) -> Array:
        """``grad F_k(x_k) + s_J`` with one index ``J`` per slot."""
        picks = rng.choice(len(self.probabilities), size=x.shape[:-1], p=self.probabilities.astype(float))
        slots = slot_clients(problem.n_clients, x, clients)
        return np.asarray(problem.client_gradients(x, clients) + self.supports(problem)[slots, picks])
