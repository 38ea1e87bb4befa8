"""Additive Gaussian noise whose covariance does not depend on the point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fltheory import streams
from fltheory.problems.base import (
    Array,
    Number,
    Problem,
    check_finite,
    check_request,
    check_shape,
    frozen,
    slot_clients,
)
from fltheory.problems.linear_algebra import is_positive_semidefinite
from fltheory.problems.numbers import harmonise, map_array
from fltheory.problems.oracles.covariances import FixedCovariances
from fltheory.problems.oracles.protocol import Generator, KernelNoise, Sampler


@dataclass(frozen=True, eq=False)
class AdditiveNoise:
    """``grad F_k(x) + xi`` with ``E xi = 0`` and a covariance that does not depend on ``x``; drawn Gaussian.

    ``covariance_of`` is a number (the variance of every coordinate), ``(d, d)`` for all clients, or ``(N, d, d)``.

    Raises
    ------
    ValueError : another shape; entries that are no finite numbers; a matrix that is not symmetric and positive semidefinite.
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

    @property
    def additive(self) -> bool:
        """Yes: one draw is the same noise at all points."""
        return True

    def covariances(self, problem: Problem) -> Array:
        """Covariance matrices of all clients, ``(N, d, d)``."""
        n, d = problem.n_clients, problem.dimension
        array = self.covariance_of
        if array.ndim == 0:
            check_request(f"a covariance matrix with dimension={d}", d * d, instead="simulate needs none")
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

    def check(self, problem: Problem) -> None:
        """Raise ``ValueError`` if the covariance has another number of clients or coordinates."""
        if np.ndim(self.covariance_of):
            self.covariances(problem)

    def mean_covariances(
        self, problem: Problem, origin: Array, convert: Callable[[Number], Number]
    ) -> FixedCovariances:
        """The given matrices."""
        return FixedCovariances(map_array(convert, np.asarray(self.covariances(problem))))

    def to_exact(self, convert: Callable[[Number], Number]) -> AdditiveNoise:
        """The covariance in exact numbers."""
        return AdditiveNoise(map_array(convert, self.covariance_of))

    def roots(self, problem: Problem) -> Array:
        """Symmetric square roots of the clients' covariances, ``(N, d, d)``."""
        eigenvalues, basis = np.linalg.eigh(self.covariances(problem).astype(np.float64))
        scaled = basis * np.sqrt(np.maximum(eigenvalues, 0.0))[:, None, :]
        roots: Array = scaled @ basis.swapaxes(-1, -2)
        return roots

    def sampler(self, problem: Problem) -> Sampler:
        """``grad F_k(x_k) + R_k z`` with the symmetric root ``R_k`` and standard normals ``z``.

        One variance for all coordinates needs no matrix: ``R_k = sqrt(variance) I``.
        """
        if np.ndim(self.covariance_of) == 0:
            deviation = float(np.sqrt(float(np.asarray(self.covariance_of).item())))

            def same_in_all(x: Array, clients: Array, keys: Array, step: int) -> Array:
                z = streams.normals(keys, step, x.shape[-1])
                return np.asarray(problem.client_gradients(x, clients) + deviation * z)

            return same_in_all
        roots = self.roots(problem)

        def sample(x: Array, clients: Array, keys: Array, step: int) -> Array:
            z = streams.normals(keys, step, x.shape[-1])
            return np.asarray(problem.client_gradients(x, clients) + (roots[clients] @ z[..., None])[..., 0])

        return sample

    def kernel_noise(self, problem: Problem) -> KernelNoise:
        """One deviation, or the symmetric roots."""
        if np.ndim(self.covariance_of) == 0:
            deviation = np.sqrt(float(np.asarray(self.covariance_of).item()))
            return KernelNoise("scalar", roots=np.full((1, 1, 1), deviation))
        return KernelNoise("gaussian", roots=self.roots(problem))

    def unscaled(self, factor: float) -> AdditiveNoise:
        """The covariance over ``factor**2``."""
        return AdditiveNoise(self.covariance_of.astype(np.float64) / factor**2)

    def draw(self, problem: Problem, clients: Array | None, x: Array, rng: Generator) -> Array:
        """``grad F_k(x_k) + xi`` with Gaussian ``xi``."""
        eigenvalues, basis = np.linalg.eigh(self.covariances(problem).astype(float))
        roots = basis * np.sqrt(np.maximum(eigenvalues, 0.0))[:, None, :]
        noise = np.asarray(rng.standard_normal(x.shape))
        slots = slot_clients(problem.n_clients, x, clients)
        return np.asarray(problem.client_gradients(x, clients) + (roots[slots] @ noise[..., None])[..., 0])


def _check_covariance(matrix: Array) -> None:
    if matrix.dtype == object:
        valid = bool((matrix == matrix.T).all()) and is_positive_semidefinite(matrix)
    else:
        size = float(np.abs(matrix).max())
        valid = bool(np.abs(matrix - matrix.T).max() <= 1e-12 * size)
        valid = valid and bool(np.linalg.eigvalsh(matrix)[0] >= -1e-12 * size)
    if not valid:
        raise ValueError(f"covariance={matrix.tolist()} is not symmetric positive semidefinite")
