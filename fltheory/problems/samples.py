"""Samples of one client of a quadratic problem: ``F_k(w) = (1/n) sum_i f_i(w)``, each ``f_i`` a quadratic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fltheory.problems.base import Array, Number, check_finite, check_nonnegative, check_shape, frozen
from fltheory.problems.checks import check_symmetric
from fltheory.problems.numbers import harmonise, map_array, object_array, set_numbers


class ClientSamples(Protocol):
    """``n`` quadratics ``f_i(w) = w'A_i w/2 - b_i'w + c_i``."""

    @property
    def size(self) -> int:
        """``n``."""
        ...

    def matrices(self) -> Array:
        """``A_i``, shape ``(n, d, d)``."""
        ...

    def vectors(self) -> Array:
        """``b_i``, shape ``(n, d)``."""
        ...

    def means(self) -> tuple[Array, Array, Number]:
        """Averages ``(A, b, c)`` over the samples: the client's own quadratic."""
        ...

    def gradients(self, w: Array, rows: Array | None = None) -> Array:
        """``A_i w - b_i`` for the samples ``rows`` (default all), ``(..., d) -> (..., n, d)``."""
        ...

    def map_numbers(self, convert: Callable[[Number], Any]) -> ClientSamples:
        """The same samples over another number type."""
        ...


def _mean(array: Array) -> Any:
    return array.sum(axis=0) / len(array)


@dataclass(frozen=True, eq=False)
class QuadraticSamples:
    """General quadratics given by stacked symmetric matrices ``(n, d, d)`` and vectors ``(n, d)`` (constants zero)."""

    matrix_stack: Array
    vector_stack: Array

    def __post_init__(self) -> None:
        data = harmonise({"sample matrices": self.matrix_stack, "sample vectors": self.vector_stack})
        matrices, vectors = data.values()
        if vectors.ndim != 2 or not len(vectors):
            raise ValueError(f"sample vectors have shape {vectors.shape}; expected (n, d) with n >= 1")
        check_shape("sample matrices", matrices, (*vectors.shape, vectors.shape[1]))
        for name, array in data.items():
            check_finite(name, array)
        check_symmetric("sample matrices", matrices)
        object.__setattr__(self, "matrix_stack", frozen(matrices))
        object.__setattr__(self, "vector_stack", frozen(vectors))

    @property
    def size(self) -> int:
        """``n``."""
        return len(self.vector_stack)

    def matrices(self) -> Array:
        """``A_i``."""
        return self.matrix_stack

    def vectors(self) -> Array:
        """``b_i``."""
        return self.vector_stack

    def means(self) -> tuple[Array, Array, Number]:
        """``(A, b, 0)``."""
        zero = self.vector_stack[0, 0] * 0
        return _mean(self.matrix_stack), _mean(self.vector_stack), zero

    def gradients(self, w: Array, rows: Array | None = None) -> Array:
        """``A_i w - b_i``."""
        matrices = self.matrix_stack if rows is None else self.matrix_stack[rows]
        vectors = self.vector_stack if rows is None else self.vector_stack[rows]
        return np.asarray((matrices @ w[..., None, :, None])[..., 0] - vectors)

    def map_numbers(self, convert: Callable[[Number], Any]) -> QuadraticSamples:
        """Entries converted one by one."""
        return QuadraticSamples(map_array(convert, self.matrix_stack), map_array(convert, self.vector_stack))


@dataclass(frozen=True, eq=False)
class RegressionSamples:
    """Least squares: ``f_i(w) = (s/2) (x_i'w - y_i)^2 + (m/2) |w|^2``.

    ``features`` ``x_i``: ``(n, d)``; ``targets`` ``y_i``: ``(n,)``; ``scale`` ``s``; ``modulus`` ``m`` (the ridge).
    """

    features: Array
    targets: Array
    scale: Number = 1
    modulus: Number = 0

    def __post_init__(self) -> None:
        set_numbers(self, "scale", "modulus")
        check_nonnegative("scale", self.scale)
        check_nonnegative("modulus", self.modulus)
        given = {"features": self.features, "targets": self.targets, "scale": self.scale, "modulus": self.modulus}
        data = harmonise(given)
        features = data["features"]
        if features.ndim != 2 or 0 in features.shape:
            raise ValueError(f"features have shape {features.shape}; expected (n, d) with n >= 1 and d >= 1")
        check_shape("targets", data["targets"], (len(features),))
        for name, array in data.items():
            check_finite(name, array)
        object.__setattr__(self, "features", frozen(features))
        object.__setattr__(self, "targets", frozen(data["targets"]))
        object.__setattr__(self, "scale", data["scale"].item())
        object.__setattr__(self, "modulus", data["modulus"].item())

    @property
    def size(self) -> int:
        """``n``."""
        return len(self.features)

    def matrices(self) -> Array:
        """``A_i = s x_i x_i' + m I``."""
        # Arrays first: elements of a field of functions do not know arrays.
        outer = self.features[:, :, None] * self.scale * self.features[:, None, :]
        return np.asarray(outer + self._ridge())

    def vectors(self) -> Array:
        """``b_i = s y_i x_i``."""
        return np.asarray(self.targets[:, None] * self.scale * self.features)

    def means(self) -> tuple[Array, Array, Number]:
        """``A = s X'X/n + m I``, ``b = s X'y/n``, ``c = s |y|^2/(2n)``."""
        n = len(self.features)
        matrix = (self.features.T @ self.features) * self.scale / n + self._ridge()
        matrix = (matrix + matrix.T) / 2
        vector = (self.features.T @ self.targets) * self.scale / n
        return matrix, vector, self.scale * (self.targets @ self.targets) / n / 2

    def gradients(self, w: Array, rows: Array | None = None) -> Array:
        """``s (x_i'w - y_i) x_i + m w``."""
        features = self.features if rows is None else self.features[rows]
        targets = self.targets if rows is None else self.targets[rows]
        residual = (features @ w[..., :, None])[..., 0] - targets
        return np.asarray(residual[..., None] * self.scale * features + w[..., None, :] * self.modulus)

    def map_numbers(self, convert: Callable[[Number], Any]) -> RegressionSamples:
        """Entries converted one by one."""
        return RegressionSamples(
            map_array(convert, self.features),
            map_array(convert, self.targets),
            map_array(convert, object_array([self.scale], ())).item(),
            map_array(convert, object_array([self.modulus], ())).item(),
        )

    def _ridge(self) -> Array:
        d = self.features.shape[1]
        zero = self.features[0, 0] * 0
        if self.features.dtype != object:
            return np.asarray(self.modulus * np.eye(d))
        return object_array([self.modulus if i == j else zero for i in range(d) for j in range(d)], (d, d))
