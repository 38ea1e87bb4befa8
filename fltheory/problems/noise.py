"""Additive noise whose law does not depend on the point: Gaussian with a given covariance, or finite support."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fltheory.problems.base import Array, Problem, check_finite, check_shape, frozen, slot_clients
from fltheory.problems.linear_algebra import is_positive_semidefinite
from fltheory.problems.numbers import harmonise


@dataclass(frozen=True, eq=False)
class AdditiveNoise:
    """``grad F_k(x) + xi`` with ``E xi = 0`` and a covariance that does not depend on ``x``; drawn Gaussian.

    ``covariance_of`` is a number (the variance of every coordinate), ``(d, d)`` for all clients, or ``(N, d, d)``.
    Symmetric and positive semidefinite, else ``ValueError``.
    """

    covariance_of: Array

    def __post_init__(self) -> None:
        array = harmonise({"covariance": self.covariance_of})["covariance"]
        check_finite("covariance", array)
        if array.ndim not in (0, 2, 3) or (array.ndim and array.shape[-1] != array.shape[-2]):
            raise ValueError(f"covariance has shape {array.shape}; expected a number, (d, d) or (N, d, d)")
        for matrix in array.reshape(-1, *array.shape[-2:]) if array.ndim else array.reshape(1, 1, 1):
            _check_covariance(matrix)
        object.__setattr__(self, "covariance_of", frozen(array))

    @property
    def state_dependent(self) -> bool:
        """No."""
        return False

    def covariances(self, problem: Problem) -> Array:
        """Covariance matrices of all clients, ``(N, d, d)``."""
        n, d = problem.n_clients, problem.dimension
        array = self.covariance_of
        if array.ndim == 0:
            identity: Array = np.full((d, d), 0 * array.item(), dtype=array.dtype)
            identity[np.arange(d), np.arange(d)] = array.item()
            return np.broadcast_to(identity, (n, d, d))
        if array.ndim == 2:
            check_shape("covariance", array, (d, d))
            return np.broadcast_to(array, (n, d, d))
        check_shape("covariance", array, (n, d, d))
        return array

    def covariance(self, problem: Problem, client: int, x: Array) -> Array:
        """The given matrix of this client, for any ``x``."""
        d = problem.dimension
        return np.broadcast_to(self.covariances(problem)[client], (*x.shape[:-1], d, d))

    def variance(self, problem: Problem, x: Array) -> Array:
        """``tr`` of the covariances, ``(..., N)``."""
        traces = np.trace(self.covariances(problem), axis1=-2, axis2=-1)
        return np.broadcast_to(traces, (*x.shape[:-1], problem.n_clients))

    def draw(self, problem: Problem, clients: Array | None, x: Array, rng: np.random.Generator) -> Array:
        """``grad F_k(x_k) + xi`` with Gaussian ``xi``."""
        eigenvalues, basis = np.linalg.eigh(self.covariances(problem).astype(float))
        roots = basis * np.sqrt(np.maximum(eigenvalues, 0.0))[:, None, :]
        noise = np.asarray(rng.standard_normal(x.shape))
        slots = slot_clients(problem.n_clients, x, clients)
        return np.asarray(problem.client_gradients(x, clients) + (roots[slots] @ noise[..., None])[..., 0])


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

    def draw(self, problem: Problem, clients: Array | None, x: Array, rng: np.random.Generator) -> Array:
        """``grad F_k(x_k) + s_J`` with one index ``J`` per slot."""
        picks = rng.choice(len(self.probabilities), size=x.shape[:-1], p=self.probabilities.astype(float))
        slots = slot_clients(problem.n_clients, x, clients)
        return np.asarray(problem.client_gradients(x, clients) + self.supports(problem)[slots, picks])


def _check_covariance(matrix: Array) -> None:
    if matrix.dtype == object:
        valid = bool((matrix == matrix.T).all()) and is_positive_semidefinite(matrix)
    else:
        size = float(np.abs(matrix).max())
        valid = bool(np.abs(matrix - matrix.T).max() <= 1e-12 * size)
        valid = valid and bool(np.linalg.eigvalsh(matrix)[0] >= -1e-12 * size)
    if not valid:
        raise ValueError(f"covariance={matrix.tolist()} is not symmetric positive semidefinite")
