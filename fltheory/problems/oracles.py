"""Gradient oracles: what a client sees when it asks for ``grad F_k(x)``.

All are unbiased.  An oracle knows the exact covariance of its answer and can draw it with a NumPy generator.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any, Protocol, TypeAlias, cast

import numpy as np

from fltheory.problems.base import (
    Array,
    Problem,
    SampledProblem,
    check_count,
    check_finite,
    check_flag,
    check_point,
    check_problem,
    real_array,
    slot_clients,
)
from fltheory.problems.checks import shown
from fltheory.problems.noise import AdditiveNoise, FiniteSupportNoise

__all__ = ["AdditiveNoise", "Exact", "FiniteSupportNoise", "MiniBatch", "Oracle", "check_oracle", "gradient_variance"]

Generator: TypeAlias = np.random.Generator


class Oracle(Protocol):
    """The interface of an oracle; ``state_dependent`` says whether its covariance depends on the point."""

    @property
    def state_dependent(self) -> bool:
        """Whether the covariance of the answer depends on ``x``."""
        ...

    def covariance(self, problem: Problem, client: int, x: Array) -> Array:
        """Exact covariance of client ``k``'s answer at ``x``, ``(..., d) -> (..., d, d)``."""
        ...

    def variance(self, problem: Problem, x: Array) -> Array:
        """Traces of the covariances of all clients at one common point, ``(..., d) -> (..., N)``."""
        ...

    def draw(self, problem: Problem, clients: Array | None, x: Array, rng: Generator) -> Array:
        """One independent answer per slot, ``(..., M, d) -> (..., M, d)``."""
        ...


@dataclass(frozen=True)
class Exact:
    """The full gradient of ``F_k``."""

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


@dataclass(frozen=True)
class MiniBatch:
    """The mean of ``size`` sample gradients; batches are independent over steps.

    ``replacement`` concerns the draw inside a batch.  The covariance is ``S_k(x)`` (of one uniformly drawn sample
    gradient) times ``1/m`` with replacement and ``(n_k - m)/(m (n_k - 1))`` without.
    """

    size: int
    replacement: bool = False

    def __post_init__(self) -> None:
        check_count("size", self.size)
        check_flag("replacement", self.replacement)

    @property
    def state_dependent(self) -> bool:
        """Yes."""
        return True

    def factor(self, n_samples: int) -> Fraction:
        """The factor in front of the one-sample covariance; ``ValueError`` if the batch exceeds the data."""
        n, m = int(n_samples), self.size
        if self.replacement:
            return Fraction(1, m)
        if m > n:
            raise ValueError(f"size={m} exceeds the {n} samples of a client; expected size <= n_k without replacement")
        return Fraction(0) if n == 1 else Fraction(n - m, m * (n - 1))

    def batches(self, n_samples: int) -> Iterator[tuple[Fraction, tuple[int, ...]]]:
        """All batches with their probabilities (ordered ones with replacement); for small cases."""
        self.factor(n_samples)
        if self.replacement:
            probability = Fraction(1, n_samples**self.size)
            return ((probability, rows) for rows in product(range(n_samples), repeat=self.size))
        probability = Fraction(1, math.comb(n_samples, self.size))
        return ((probability, rows) for rows in combinations(range(n_samples), self.size))

    def covariance(self, problem: Problem, client: int, x: Array) -> Array:
        """``factor * S_k(x)``."""
        deviations = _deviations(problem, client, x)
        n = deviations.shape[-2]
        factor = _as_type(self.factor(n), deviations)
        return np.asarray(factor * (deviations.swapaxes(-1, -2) @ deviations) / n)

    def variance(self, problem: Problem, x: Array) -> Array:
        """Traces of the covariances."""
        columns = []
        for client in range(problem.n_clients):
            deviations = _deviations(problem, client, x)
            n = deviations.shape[-2]
            factor = _as_type(self.factor(n), deviations)
            columns.append(factor * (deviations * deviations).sum(axis=(-1, -2)) / n)
        return np.stack(columns, axis=-1)

    def draw(self, problem: Problem, clients: Array | None, x: Array, rng: Generator) -> Array:
        """Mean gradient of one fresh batch per slot."""
        sampled, slots = _sampled(problem), slot_clients(problem.n_clients, x, clients)
        sizes = sampled.sample_sizes
        answers = np.empty_like(x)
        for index in np.ndindex(*x.shape[:-1]):
            client = int(slots[index])
            self.factor(int(sizes[client]))
            rows = rng.choice(int(sizes[client]), size=self.size, replace=self.replacement)
            answers[index] = sampled.sample_gradients(client, x[index], rows).sum(axis=0) / self.size
        return answers


def check_oracle(problem: Problem, oracle: Any) -> None:
    """Raise ``ValueError`` if an oracle cannot serve a problem: no samples, too large a batch, a wrong shape."""
    if isinstance(oracle, MiniBatch):
        for size in _sampled(problem).sample_sizes:
            oracle.factor(int(size))
    elif isinstance(oracle, AdditiveNoise):
        oracle.covariances(problem)
    elif isinstance(oracle, FiniteSupportNoise):
        oracle.supports(problem)
    elif not isinstance(oracle, Exact):
        raise ValueError(
            f"oracle={shown(oracle)} is unknown; expected Exact, MiniBatch, AdditiveNoise, FiniteSupportNoise"
        )


def gradient_variance(problem: Problem, oracle: Oracle, at: Array | None = None) -> Array:
    """``sigma_k^2 = E |g_k(x) - grad F_k(x)|^2`` for every client, ``(N,)`` (Assumption 3 of Li et al. 2020).

    ``at`` is needed, and must be ``(..., d)``, where the variance depends on the point.
    """
    check_problem("problem", problem)
    check_oracle(problem, oracle)
    if at is None:
        if oracle.state_dependent:
            raise ValueError(
                f"at=None: the variance of {type(oracle).__name__} depends on the point; "
                "give the point, or use second_moment_along for the largest value along a run"
            )
        at = np.zeros(problem.dimension, dtype=problem.weights.dtype)
    point = real_array("at", at)
    check_finite("at", point)
    check_point(point, (problem.dimension,), name="at")
    return oracle.variance(problem, point)


def _sampled(problem: Problem) -> SampledProblem:
    if not hasattr(problem, "sample_gradients"):
        raise ValueError(f"{type(problem).__name__} has no samples; MiniBatch expects sample_sizes, sample_gradients")
    return cast(SampledProblem, problem)


def _deviations(problem: Problem, client: int, x: Array) -> Array:
    gradients = _sampled(problem).sample_gradients(client, x)
    mean = gradients.sum(axis=-2, keepdims=True) / gradients.shape[-2]
    return np.asarray(gradients - mean)


def _as_type(factor: Fraction, array: Array) -> Any:
    return factor if array.dtype == object else float(factor)
