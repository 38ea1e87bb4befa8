"""Quadratic problems: ``F_k(w) = w'A_k w/2 - b_k'w + c_k``, in floats, in rationals, or over another field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.kinds import Number
from fltheory.problems.base import (
    Array,
    check_finite,
    check_point,
    check_request,
    check_sequence,
    check_shape,
    check_weights,
    frozen,
)
from fltheory.problems.blocks import Layered, keep_blocks
from fltheory.problems.checks import check_symmetric, check_words
from fltheory.problems.numbers import harmonise, is_exact, map_array, object_array, to_fraction
from fltheory.problems.quadratic_constants import QuadraticConstants
from fltheory.problems.rational_matrices import product
from fltheory.problems.samples import ClientSamples
from fltheory.problems.weights import exact_weights, size_weights


@dataclass(frozen=True, eq=False, repr=False)
class QuadraticProblem(Layered):
    """``F(w) = sum_k p_k F_k(w)`` with ``F_k(w) = w'A_k w/2 - b_k'w + c_k``.

    ============ ======= =========== ================================================================
    argument     symbol  shape
    ============ ======= =========== ================================================================
    ``matrices`` ``A_k`` ``(N,d,d)`` symmetric; indefinite ones are allowed (then minima may not exist)
    ``vectors``  ``b_k`` ``(N,d)``
    ``offsets``  ``c_k`` ``(N,)``    default zero
    ``weights``  ``p_k`` ``(N,)``    non-negative, sum one; default ``1/N``
    ``samples``                      one :class:`ClientSamples` per client, whose means are the ``F_k``
    ============ ======= =========== ================================================================

    Array-likes are accepted and copied.  If any entry is a Fraction, all must be integers or Fractions, and
    everything is exact.  Raises ``ValueError`` for wrong shapes, non-finite or asymmetric data, invalid weights.
    """

    formula = r"F(w) = \sum_k p_k \left(\tfrac12 w^\top A_k w - b_k^\top w + c_k\right)"

    matrices: Array
    vectors: Array
    offsets: Array = None  # type: ignore[assignment]
    weights: Array = None  # type: ignore[assignment]
    samples: tuple[ClientSamples, ...] | None = None

    def __post_init__(self) -> None:
        given: dict[str, Any] = {"matrices": self.matrices, "vectors": self.vectors}
        given |= {} if self.offsets is None else {"offsets": self.offsets}
        given |= {} if self.weights is None else {"weights": self.weights}
        data = harmonise(given)
        n, d = _sizes(data["vectors"])
        check_shape("matrices", data["matrices"], (n, d, d))
        exact = data["matrices"].dtype == object
        if "weights" not in data:
            data["weights"] = np.full(n, Fraction(1, n), dtype=object) if exact else np.full(n, 1 / n)
        if "offsets" not in data:
            data["offsets"] = np.full(n, Fraction(0), dtype=object) if exact else np.zeros(n)
        check_shape("offsets", data["offsets"], (n,))
        for name, array in data.items():
            check_finite(name, array)
        check_symmetric("matrices", data["matrices"])
        if _is_ordered(data["weights"]):
            check_weights(data["weights"], n)
        if self.samples is not None:
            object.__setattr__(self, "samples", _checked_samples(self.samples))
            if len(self.samples) != n:
                raise ValueError(f"samples has {len(self.samples)} clients; expected N={n}")
        for name, array in data.items():
            object.__setattr__(self, name, frozen(array))
        for k, client in enumerate(self.samples or ()):
            _check_mean(k, self, client)

    @classmethod
    def from_samples(cls, samples: Sequence[ClientSamples], *, weights: Array | str = "sizes") -> QuadraticProblem:
        """The problem whose ``F_k`` is the mean of client ``k``'s samples.

        ``weights="sizes"`` takes ``p_k = n_k / n``, ``"uniform"`` takes ``1/N``.
        """
        samples = _checked_samples(samples)
        if not samples:
            raise ValueError("samples is empty; expected N >= 1 clients")
        for k, client in enumerate(samples):
            d = int(np.shape(getattr(client, "features", ()))[-1:][0]) if hasattr(client, "features") else 0
            what = f"samples[{k}] with {d} features: one full matrix for each of {len(samples)} clients"
            check_request(what, len(samples) * d * d, instead="LogisticProblem and SoftmaxProblem keep samples only")
        means = [client.means() for client in samples]
        dimensions = sorted({len(vector) for _, vector, _ in means})
        if len(dimensions) > 1:
            raise ValueError(f"samples (features) have dimensions {dimensions}; expected one dimension for all clients")
        matrices, vectors = np.stack([a for a, _, _ in means]), np.stack([b for _, b, _ in means])
        exact = matrices.dtype == object
        offsets = object_array([c for _, _, c in means], (len(means),))
        sizes = np.array([client.size for client in samples])
        return cls(
            matrices,
            vectors,
            offsets if exact else offsets.astype(float),
            size_weights(sizes, weights, exact=exact),
            samples,
        )

    def words(self) -> str:
        return "exact numbers" if self.exact else ""

    @property
    def n_clients(self) -> int:
        """``N``."""
        return len(self.vectors)

    @property
    def dimension(self) -> int:
        """``d``."""
        return int(self.vectors.shape[1])

    @property
    def rows_per_point(self) -> bool:
        """Whether :meth:`sample_gradients` takes a list of rows for each point: yes."""
        return True

    @property
    def exact(self) -> bool:
        """Whether the data are not floats (rationals, or elements of another field)."""
        return self.matrices.dtype == object

    @cached_property
    def mean_matrix(self) -> Array:
        """``sum_k p_k A_k``, the Hessian of ``F``, ``(d, d)``."""
        return np.asarray((self.weights[:, None, None] * self.matrices).sum(axis=0))

    @cached_property
    def mean_vector(self) -> Array:
        """``sum_k p_k b_k``, ``(d,)``."""
        return np.asarray((self.weights[:, None] * self.vectors).sum(axis=0))

    @cached_property
    def constants(self) -> QuadraticConstants:
        """``L, mu, w*, F*, F_k*, Gamma`` of this instance."""
        return QuadraticConstants(self)

    def value(self, w: Array) -> Any:
        """``F(w)``, ``(..., d) -> (...)``."""
        return (self.client_values(w) * self.weights).sum(axis=-1)

    def client_values(self, w: Array) -> Array:
        """``F_k(w)``, ``(..., d) -> (..., N)``."""
        check_point(w, (self.dimension,), name="w")
        point = w[..., None, :]
        image = (self.matrices @ point[..., None])[..., 0]
        return np.asarray((point * image).sum(axis=-1) / 2 - (self.vectors * point).sum(axis=-1) + self.offsets)

    def gradient(self, w: Array) -> Array:
        """``grad F(w)``, ``(..., d) -> (..., d)``."""
        check_point(w, (self.dimension,), name="w")
        return np.asarray((self.mean_matrix @ w[..., None])[..., 0] - self.mean_vector)

    def client_gradients(self, x: Array, clients: Array | None = None) -> Array:
        """``A_k x_k - b_k``, ``(..., M, d) -> (..., M, d)``; ``clients`` says who sits in each slot (None: all)."""
        check_point(x, (self.n_clients, self.dimension) if clients is None else (self.dimension,))
        matrices = self.matrices if clients is None else self.matrices[clients]
        vectors = self.vectors if clients is None else self.vectors[clients]
        image = product(matrices, x[..., None]) if self.exact else matrices @ x[..., None]
        return np.asarray(image[..., 0] - vectors)

    @property
    def sample_sizes(self) -> Array:
        """``n_k``, ``(N,)``; ``ValueError`` if the problem has no samples."""
        return np.array([client.size for client in self._samples()])

    def sample_gradients(self, client: int, x: Array, rows: Array | None = None) -> Array:
        """Gradients of client ``k``'s sample losses at ``x``, ``(..., d) -> (..., n_k, d)``."""
        return self._samples()[client].gradients(x, rows)

    def map_numbers(self, convert: Callable[[Number], Any]) -> QuadraticProblem:
        """The problem with every number replaced by ``convert(number)``.

        Numbers are handed over as floats or Fractions; results may be floats, Fractions or elements of a field.
        """
        samples = None if self.samples is None else tuple(client.map_numbers(convert) for client in self.samples)
        matrices, vectors = map_array(convert, self.matrices), map_array(convert, self.vectors)
        offsets, weights = map_array(convert, self.offsets), map_array(convert, self.weights)
        return keep_blocks(self, QuadraticProblem(matrices, vectors, offsets, weights, samples))

    def to_exact(self, convert: Callable[[Number], Fraction] = to_fraction) -> QuadraticProblem:
        """Rational data; ``convert`` reads a float, by default as its exact binary value.

        Weights are read by :func:`fltheory.problems.weights.exact_weights`.
        """
        if self.exact:
            return self
        weights = exact_weights(self.weights)
        if self.samples is not None:
            # The means of float samples are rounded; exact ones are recomputed so that both stay consistent.
            samples = tuple(client.map_numbers(convert) for client in self.samples)
            return keep_blocks(self, QuadraticProblem.from_samples(samples, weights=weights))
        matrices, vectors = map_array(convert, self.matrices), map_array(convert, self.vectors)
        return keep_blocks(self, QuadraticProblem(matrices, vectors, map_array(convert, self.offsets), weights))

    def to_dense(self) -> QuadraticProblem:
        """Itself: what has this method is a quadratic problem, however it keeps its numbers."""
        return self

    def hessian_product(self, v: Array) -> Array:
        """``F'' v``, ``(..., d) -> (..., d)``."""
        return np.asarray((self.mean_matrix @ v[..., None])[..., 0])

    def to_float(self) -> QuadraticProblem:
        """Float64 data (weights that are Fractions round to the nearest floats)."""
        return self.map_numbers(float) if self.exact else self

    def _samples(self) -> tuple[ClientSamples, ...]:
        if self.samples is None:
            raise ValueError(
                "samples=None: this problem has no per-sample data; build it with from_samples or ridge_regression"
            )
        return self.samples


def _checked_samples(samples: object) -> tuple[ClientSamples, ...]:
    found = tuple(check_sequence("samples", samples, "one entry per client, such as RegressionSamples(...)"))
    for k, client in enumerate(found):
        check_words(
            f"samples[{k}]", client, ("size", "means", "gradients"), "samples", "QuadraticSamples or RegressionSamples"
        )
    return found


def _sizes(vectors: Array) -> tuple[int, int]:
    if vectors.ndim != 2 or 0 in vectors.shape:
        raise ValueError(f"vectors has shape {vectors.shape}; expected (N, d) with N >= 1 clients and d >= 1")
    return int(vectors.shape[0]), int(vectors.shape[1])


def _check_mean(k: int, problem: QuadraticProblem, client: ClientSamples) -> None:
    matrix, vector, _ = client.means()
    gap = max(_distance(matrix, problem.matrices[k]), _distance(vector, problem.vectors[k]))
    if gap > 0:
        raise ValueError(f"samples[{k}] do not average to F_{k}; expected mean matrix and vector to agree with them")


def _distance(mean: Array, given: Array) -> float:
    if mean.shape != given.shape:
        raise ValueError(f"samples have a mean of shape {mean.shape}; expected {given.shape}")
    if given.dtype == object:
        return float(any(bool(a != b) for a, b in zip(mean.flat, given.flat, strict=True)))
    excess = np.abs(mean - given) - 1e-8 * np.abs(given).max(initial=0.0)
    return float(excess.max(initial=0.0))


def _is_ordered(weights: Array) -> bool:
    return weights.dtype != object or is_exact(weights)
