"""What logistic and softmax regression share: clients' data, averages over samples, certified constants."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from fltheory.problems.base import (
    Array,
    Constants,
    Number,
    by_client,
    check_finite,
    check_point,
    check_sequence,
    check_shape,
    check_weights,
    frozen,
    real_array,
)
from fltheory.problems.blocks import Layered
from fltheory.problems.checks import shown
from fltheory.problems.newton import Minimum, certified_gram_norm, minimise
from fltheory.problems.regulariser import Regulariser, as_regulariser
from fltheory.problems.weights import size_weights
from fltheory.tables import number


@dataclass(frozen=True, eq=False, repr=False)
class ClassificationProblem(Layered, ABC):
    """``F_k(w) = (1/n_k) sum_i loss(w; x_i, y_i) + R(w)`` for a linear model.

    ``features``: one ``(n_k, f)`` array per client; ``labels``: one ``(n_k,)`` array per client; ``regulariser``:
    applies to all of ``w``; ``weights``: ``"sizes"`` (``n_k/n``), ``"uniform"`` or ``(N,)``.

    Raises
    ------
    ValueError : no clients, or not as many of features and of labels; arrays whose shapes do not fit; features that are not
        finite; labels that are no whole numbers; a regulariser without a convention; weights that are negative or do not sum
        to one.
    """

    features: tuple[Array, ...]
    labels: tuple[Array, ...]
    regulariser: Regulariser
    weights: Array = "sizes"  # type: ignore[assignment]

    def __post_init__(self) -> None:
        given = check_sequence("features", self.features, "one array (n_k, f) per client")
        answers = check_sequence("labels", self.labels, "one array (n_k,) per client")
        if len(given) != len(answers) or not given:
            raise ValueError(
                f"features has {len(given)} clients and labels {len(answers)}; expected as many of each, N >= 1"
            )
        features = tuple(
            frozen(real_array(f"features[{k}]", x).astype(np.float64, copy=False)) for k, x in enumerate(given)
        )
        labels = tuple(real_array(f"labels[{k}]", y) for k, y in enumerate(answers))
        for k, (x, y) in enumerate(zip(features, labels, strict=True)):
            if x.ndim != 2 or 0 in x.shape or x.shape[1] != features[0].shape[-1]:
                raise ValueError(
                    f"features[{k}] has shape {x.shape}; expected (n_k, {features[0].shape[-1]}), n_k >= 1"
                )
            check_finite(f"features[{k}]", x)
            check_shape(f"labels[{k}]", y, (len(x),))
            if y.dtype.kind not in "iuf" or (y.dtype.kind == "f" and bool((y != np.round(y)).any())):
                raise ValueError(f"labels[{k}] has dtype {y.dtype} or fractional entries; expected whole numbers")
        sizes = np.array([len(x) for x in features])
        weights = np.asarray(size_weights(sizes, self.weights), dtype=np.float64)
        check_weights(weights, len(features))
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "labels", tuple(frozen(y.astype(np.int64)) for y in labels))
        object.__setattr__(self, "regulariser", as_regulariser(self.regulariser))
        object.__setattr__(self, "weights", frozen(weights))

    @classmethod
    def from_arrays(
        cls, clients: Sequence[tuple[Array, Array]], regulariser: Regulariser | int, **options: Any
    ) -> Self:
        """The problem of one ``(features, labels)`` pair per client.

        Raises
        ------
        ValueError : ``clients`` that are no such pairs; as the class itself.
        """
        pairs = check_sequence("clients", clients, "a pair (features, labels) for each client")
        for k, pair in enumerate(pairs):
            if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                raise ValueError(f"clients[{k}]={shown(pair)} is no pair; expected (features, labels)")
        return cls(tuple(x for x, _ in pairs), tuple(y for _, y in pairs), as_regulariser(regulariser), **options)

    @property
    @abstractmethod
    def dimension(self) -> int:
        """``d``."""

    @property
    @abstractmethod
    def loss_curvature(self) -> float:
        """``c`` with ``Hessian of the loss <= c * lambda_max(x x')`` for every sample."""

    @abstractmethod
    def inputs(self, client: int) -> Array:
        """The features that the weights multiply, ``(n_k, f')``."""

    @abstractmethod
    def losses(self, client: int, w: Array) -> Array:
        """Sample losses without regulariser, ``(..., d) -> (..., n_k)``."""

    @abstractmethod
    def loss_gradient(self, client: int, w: Array) -> Array:
        """Gradient of the mean loss without regulariser, ``(..., d) -> (..., d)``."""

    @abstractmethod
    def loss_curvature_at(self, client: int, w: Array) -> Callable[[Array], Array]:
        """``v -> H v`` with the Hessian of the mean loss at one point ``w``, ``(d,) -> (d,)``."""

    @abstractmethod
    def sample_gradients(self, client: int, x: Array, rows: Array | None = None) -> Array:
        """Gradients of the regularised sample losses, ``(..., d) -> (..., n_k, d)``."""

    def words(self) -> str:
        known = getattr(self, "classes", None)
        classes = f", classes={known}" if known else ""
        penalty = f", {number(self.regulariser.strength)} {self.regulariser.convention}"
        return f"samples={int(self.sample_sizes.sum())}{classes}" + (penalty if self.regulariser.strength else "")

    @property
    def n_clients(self) -> int:
        """``N``."""
        return len(self.features)

    @cached_property
    def sample_sizes(self) -> Array:
        """``n_k``, ``(N,)``."""
        return np.array([len(x) for x in self.features])

    @cached_property
    def constants(self) -> ClassificationConstants:
        """Certified ``L_k`` and ``mu_k``; minima with certificates."""
        return ClassificationConstants(self)

    def client_value(self, client: int, w: Array) -> Any:
        """``F_k(w)`` of one client."""
        return self.losses(client, w).mean(axis=-1) + self.regulariser.value(w)

    def client_gradient(self, client: int, w: Array) -> Array:
        """``grad F_k(w)`` of one client."""
        return self.loss_gradient(client, w) + self.regulariser.gradient(w)

    def client_values(self, w: Array) -> Array:
        """``F_k(w)``, ``(..., d) -> (..., N)``."""
        check_point(w, (self.dimension,), name="w")
        return np.stack([self.client_value(k, w) for k in range(self.n_clients)], axis=-1)

    def value(self, w: Array) -> Any:
        """``F(w)``, ``(..., d) -> (...)``."""
        return (self.client_values(w) * self.weights).sum(axis=-1)

    def gradient(self, w: Array) -> Array:
        """``grad F(w)``, ``(..., d) -> (..., d)``."""
        check_point(w, (self.dimension,), name="w")
        total = np.zeros_like(w, dtype=np.float64)
        for k, weight in enumerate(self.weights):
            total += weight * self.client_gradient(k, w)
        return total

    def client_gradients(self, x: Array, clients: Array | None = None) -> Array:
        """``grad F_k(x_k)``, ``(..., M, d) -> (..., M, d)``."""
        check_point(x, (self.n_clients, self.dimension) if clients is None else (self.dimension,))
        return by_client(self.client_gradient, self.n_clients, np.asarray(x, dtype=np.float64), clients)

    def curvature_at(self, w: Array) -> Callable[[Array], Array]:
        """``v -> F''(w) v``."""
        parts = [self.loss_curvature_at(k, w) for k in range(self.n_clients)]
        modulus = float(self.regulariser.modulus)
        return lambda v: sum((p * part(v) for p, part in zip(self.weights, parts, strict=True)), modulus * v)


class ClassificationConstants(Constants):
    """Certified bounds: true ``L_k`` are no larger, true ``mu_k`` no smaller; minima to a stated suboptimality.

    ``minimum`` and ``client_minima`` are attained values; the true minima are lower by at most ``suboptimality``
    and ``client_suboptimality``.
    """

    exactness = "certified bound"

    def __init__(self, problem: ClassificationProblem) -> None:
        self.problem = problem

    @property
    def weights(self) -> Array:
        """``p``."""
        return self.problem.weights

    @cached_property
    def client_smoothness(self) -> Array:
        """``c lambda_max(X'X/n) + modulus``, an upper bound of ``L_k``."""
        problem = self.problem
        norms = [certified_gram_norm(problem.inputs(k)) for k in range(problem.n_clients)]
        return problem.loss_curvature * np.array(norms) * (1 + 1e-15) + float(problem.regulariser.modulus)

    @cached_property
    def client_strong_convexity(self) -> Array:
        """The regulariser's modulus, a lower bound of ``mu_k``."""
        return np.full(self.problem.n_clients, float(self.problem.regulariser.modulus))

    @cached_property
    def _global(self) -> Minimum:
        problem = self.problem
        return minimise(
            lambda w: float(problem.value(w)),
            problem.gradient,
            problem.curvature_at,
            np.zeros(problem.dimension),
            strong_convexity=self.strong_convexity,
        )

    @cached_property
    def _local(self) -> tuple[Minimum, ...]:
        return tuple(self._client_minimum(k) for k in range(self.problem.n_clients))

    def _client_minimum(self, k: int) -> Minimum:
        problem, modulus = self.problem, float(self.problem.regulariser.modulus)

        def curvature(w: Array) -> Callable[[Array], Array]:
            apply = problem.loss_curvature_at(k, w)
            return lambda v: apply(v) + modulus * v

        return minimise(
            lambda w: float(problem.client_value(k, w)),
            lambda w: problem.client_gradient(k, w),
            curvature,
            np.zeros(problem.dimension),
            strong_convexity=modulus,
            name=f"F_{k}",
        )

    @property
    def minimiser(self) -> Array:
        """``w*``, with ``|w - w*|^2 <= 2 suboptimality/mu``."""
        return self._global.point

    @property
    def minimum(self) -> Number:
        """``F*`` up to ``suboptimality``."""
        return self._global.value

    @property
    def suboptimality(self) -> float:
        """``|grad F|^2/(2 mu)`` at ``minimiser``."""
        return self._global.suboptimality

    @cached_property
    def client_minimisers(self) -> Array:
        """``w_k*``, ``(N, d)``."""
        return np.stack([minimum.point for minimum in self._local])

    @cached_property
    def client_minima(self) -> Array:
        """``F_k*`` up to ``client_suboptimality``, ``(N,)``."""
        return np.array([minimum.value for minimum in self._local])

    @cached_property
    def client_suboptimality(self) -> Array:
        """``|grad F_k|^2/(2 mu_k)``, ``(N,)``."""
        return np.array([minimum.suboptimality for minimum in self._local])

    @cached_property
    def gamma_interval(self) -> tuple[float, float]:
        """An interval that contains ``Gamma`` (up to rounding in the function values)."""
        above = float(self.weights @ self.client_suboptimality)
        return float(self.gamma) - self.suboptimality, float(self.gamma) + above
