"""Mini-batches: the mean gradient of a few samples, whose covariance depends on the point."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any, cast

import numpy as np

from fltheory import streams
from fltheory.kinds import Integers
from fltheory.problems.base import Array, Number, Problem, SampledProblem, check_count, check_flag, slot_clients
from fltheory.problems.oracles.covariances import MOST_ENTRIES, applied
from fltheory.problems.oracles.protocol import Generator, Sampler


@dataclass(frozen=True)
class MiniBatch:
    """The mean of ``size`` sample gradients; batches are independent over steps.

    ``replacement`` concerns the draw inside a batch.  The covariance is ``S_k(x)`` (of one uniformly drawn sample
    gradient) times ``1/m`` with replacement and ``(n_k - m)/(m (n_k - 1))`` without.

    Raises
    ------
    ValueError : ``size`` that is no positive integer; ``replacement`` that is no truth value; where it is used, a problem without
        samples, or ``size > n_k`` without replacement.
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

    @property
    def covariance_degree(self) -> int:
        """2, where the samples' gradients are affine."""
        return 2

    def check(self, problem: Problem) -> None:
        """Raise ``ValueError`` if the problem has no samples, or fewer than a batch takes."""
        for size in _sampled(problem).sample_sizes:
            self.factor(int(size))

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

    def mean_covariances(
        self, problem: Problem, origin: Array, convert: Callable[[Number], Number]
    ) -> BatchCovariances:
        """Of a quadratic problem whose samples are quadratics; ``ValueError`` if it has none."""
        return _batch_covariances(self, problem, origin, convert)

    def probabilities_of(self, problem: Problem, client: int) -> list[Number]:
        """Of :meth:`batches`."""
        return [probability for probability, _ in self.batches(int(_sampled(problem).sample_sizes[client]))]

    def answers(self, problem: Problem, client: int, x: Array, picks: Array) -> Array:
        """Mean gradients of the batches with the numbers ``picks``."""
        batches = np.array([rows for _, rows in self.batches(int(_sampled(problem).sample_sizes[client]))])
        clients = np.full((len(x), 1), client)
        return batch_gradients(problem, x[:, None], clients, batches[picks][:, None])[:, 0]

    def kernel_batch(self) -> tuple[int, bool]:
        """Size and replacement."""
        return self.size, self.replacement

    def unscaled(self, factor: float) -> MiniBatch:
        """The same in all units."""
        return self

    def sampler(self, problem: Problem) -> Sampler:
        """Mean gradients of fresh batches."""

        def sample(x: Array, clients: Array, keys: Array, step: int) -> Array:
            rows = batch_rows(problem, self.size, clients, keys, step, replacement=self.replacement)
            return batch_gradients(problem, x, clients, rows)

        return sample


def batch_rows(problem: Any, size: int, clients: Array, keys: Array, step: int, *, replacement: bool) -> Integers:
    """The samples of each slot's batch, ``(runs, slots, size)``."""
    sizes = np.asarray(problem.sample_sizes)[clients]
    u = streams.uniforms(keys[..., None], step, np.arange(size))
    if replacement:
        return streams.choose_with_replacement(u, sizes[..., None])
    return streams.choose_without_replacement(u, sizes)


def batch_gradients(problem: Any, x: Array, clients: Array, rows: Array) -> Array:
    """Mean gradients of the samples ``rows`` ``(runs, slots, size)``; the slow, plain way, and the kernels' twin.

    A problem promises sample gradients for one list of rows only.  One that says ``rows_per_point`` takes a list per point,
    so that all slots of a client are done at once; one with a method ``batch_gradients(clients, x, rows)`` answers all slots
    at once.
    """
    if hasattr(problem, "batch_gradients"):
        means: Array = problem.batch_gradients(clients, x, rows)
        return means
    answers, size = np.empty_like(x), rows.shape[-1]
    if getattr(problem, "rows_per_point", False):
        for client in np.unique(clients):
            here = clients == client
            answers[here] = problem.sample_gradients(int(client), x[here], rows[here]).sum(axis=-2) / size
        return answers
    for slot in np.ndindex(*clients.shape):
        answers[slot] = problem.sample_gradients(int(clients[slot]), x[slot], rows[slot]).sum(axis=0) / size
    return answers


@dataclass(frozen=True, eq=False)
class BatchCovariances:
    """``factor_k/n_k sum_i L_i E[(x,1)(x,1)'] L_i'`` with ``L_i (x,1) = grad f_i(x) - grad F_k(x)``.

    ``deviations[k]`` is ``(n_k, d, d+1)``; ``factors[k]`` counts the size of the batch.  Where that is less work, the
    sum over the samples is done once: ``operators[k]`` maps the upper triangle of the moment to that of the covariance.
    """

    deviations: tuple[Array, ...]
    factors: tuple[Any, ...]
    operators: Array | None = None

    @property
    def fixed(self) -> bool:
        """No."""
        return False

    @property
    def shareable(self) -> bool:
        """No: a batch has other noise at another point."""
        return False

    def at(self, points: Array) -> Array:
        """The mean conditional covariances."""
        if self.operators is not None:
            return applied(self.operators, points)
        parts = []
        for moment, deviation, factor in zip(points, self.deviations, self.factors, strict=True):
            images = deviation @ moment
            parts.append(np.tensordot(images, deviation, axes=([0, 2], [0, 2])) * factor)
        return np.stack(parts)


def _batch_covariances(
    oracle: MiniBatch, problem: Any, origin: Array, convert: Callable[[Number], Number]
) -> BatchCovariances:
    if getattr(problem, "samples", None) is None:
        raise ValueError(
            "samples=None: MiniBatch needs per-sample data; build the problem with from_samples or ridge_regression"
        )
    deviations, factors = [], []
    for k, client in enumerate(problem.samples):
        matrices = client.matrices() - problem.matrices[k]
        vectors = client.vectors() - problem.vectors[k]
        shifted = (matrices @ origin) - vectors
        deviations.append(np.concatenate([matrices, shifted[..., None]], axis=-1))
        factors.append(convert(oracle.factor(client.size) / client.size))
    triangles = problem.n_clients * (problem.dimension + 1) ** 4 // 4
    floats = origin.dtype != object
    once = floats and triangles <= MOST_ENTRIES and min(map(len, deviations)) >= problem.dimension
    operators = np.stack([_operator(*pair) for pair in zip(deviations, factors, strict=True)]) if once else None
    return BatchCovariances(tuple(deviations), tuple(factors), operators)


def _operator(deviation: Array, factor: float) -> Array:
    """``factor * sum_i L_i X L_i'`` on triangles: entry ``((i, j), (a, b))`` adds both ``X_ab`` and ``X_ba``."""
    n, d, _ = deviation.shape
    flat = deviation.reshape(n, -1)
    products = (flat.T @ flat).reshape(d, d + 1, d, d + 1) * factor
    i, j = np.triu_indices(d)
    a, b = np.triu_indices(d + 1)
    straight = products[i[:, None], a, j[:, None], b]
    return np.where(a == b, straight, straight + products[i[:, None], b, j[:, None], a])


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
