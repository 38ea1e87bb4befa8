"""One-dimensional problems, the usual worst cases: every ``F_k`` is a piecewise quadratic, exact in rationals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.problems.base import (
    Array,
    Constants,
    Number,
    by_client,
    check_instance,
    check_point,
    check_sequence,
    check_weights,
    frozen,
)
from fltheory.problems.blocks import Layered
from fltheory.problems.numbers import harmonise, map_array
from fltheory.problems.piecewise import PiecewiseQuadratic, huber, linear, parabola, weighted_sum

__all__ = ["PiecewiseQuadratic", "ScalarConstants", "ScalarProblem", "huber", "linear", "parabola"]


@dataclass(frozen=True, eq=False, repr=False)
class ScalarProblem(Layered):
    """``F = sum_k p_k F_k`` in one variable, the ``F_k`` piecewise quadratic; the interface is that of any problem.

    ``functions``: ``N`` :class:`PiecewiseQuadratic`; ``weights``: ``(N,)``, default ``1/N``.  All exact or all floats.

    Raises
    ------
    ValueError : no functions, or one that is no :class:`PiecewiseQuadratic`; exact functions with weights in floats, or the other
        way round; weights of another number, negative ones, or some that do not sum to one.
    """

    functions: tuple[PiecewiseQuadratic, ...]
    weights: Array = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        functions = tuple(check_sequence("functions", self.functions, "one PiecewiseQuadratic per client"))
        for k, function in enumerate(functions):
            check_instance(f"functions[{k}]", function, PiecewiseQuadratic, "a PiecewiseQuadratic, such as huber(1)")
        if not functions:
            raise ValueError("functions is empty; expected N >= 1 clients")
        exact = any(f.exact for f in functions)
        if exact:
            functions = tuple(f.promoted() for f in functions)
        if self.weights is None:
            n = len(functions)
            weights = np.full(n, Fraction(1, n), dtype=object) if exact else np.full(n, 1 / n)
        else:
            weights = harmonise({"weights": self.weights})["weights"]
        if {f.exact for f in functions} | {weights.dtype == object} != {exact}:
            raise ValueError("functions and weights mix fractions and floats; expected all exact or all floats")
        check_weights(weights, len(functions))
        object.__setattr__(self, "functions", functions)
        object.__setattr__(self, "weights", frozen(weights))

    def words(self) -> str:
        return "piecewise quadratic, exact numbers" if self.exact else "piecewise quadratic"

    @property
    def n_clients(self) -> int:
        """``N``."""
        return len(self.functions)

    @property
    def dimension(self) -> int:
        """One."""
        return 1

    @property
    def exact(self) -> bool:
        """Whether the data are rationals."""
        return self.weights.dtype == object

    @cached_property
    def constants(self) -> ScalarConstants:
        """Exact curvatures and minima."""
        return ScalarConstants(self)

    def client_values(self, w: Array) -> Array:
        """``F_k(w)``, ``(..., 1) -> (..., N)``."""
        check_point(w, (1,), name="w")
        return np.concatenate([f(w) for f in self.functions], axis=-1)

    def value(self, w: Array) -> Any:
        """``F(w)``, ``(..., 1) -> (...)``."""
        return (self.client_values(w) * self.weights).sum(axis=-1)

    def gradient(self, w: Array) -> Array:
        """``F'(w)``, ``(..., 1) -> (..., 1)``."""
        check_point(w, (1,), name="w")
        slopes = np.concatenate([f.derivative(w) for f in self.functions], axis=-1)
        return np.asarray((slopes * self.weights).sum(axis=-1))[..., None]

    def client_gradients(self, x: Array, clients: Array | None = None) -> Array:
        """``F_k'(x_k)``, ``(..., M, 1) -> (..., M, 1)``."""
        check_point(x, (self.n_clients, 1) if clients is None else (1,))
        return by_client(lambda k, points: self.functions[k].derivative(points), self.n_clients, x, clients)

    @cached_property
    def mean(self) -> PiecewiseQuadratic:
        """``F`` itself as one piecewise quadratic."""
        return weighted_sum(self.functions, self.weights.tolist())

    def map_numbers(self, convert: Callable[[Number], Any]) -> ScalarProblem:
        """Every number replaced by ``convert(number)``; the results must be ordered (floats or Fractions)."""
        return ScalarProblem(tuple(f.map_numbers(convert) for f in self.functions), map_array(convert, self.weights))

    def to_float(self) -> ScalarProblem:
        """Float64 data."""
        return self.map_numbers(float) if self.exact else self


class ScalarConstants(Constants):
    """Constants of a :class:`ScalarProblem`, exact where the problem is."""

    def __init__(self, problem: ScalarProblem) -> None:
        self.problem = problem

    @property
    def weights(self) -> Array:
        """``p``."""
        return self.problem.weights

    @cached_property
    def client_smoothness(self) -> Array:
        """The largest absolute curvatures."""
        return np.array([max(map(abs, f.curvatures.tolist())) for f in self.problem.functions])

    @cached_property
    def client_strong_convexity(self) -> Array:
        """The smallest curvatures."""
        return np.array([min(f.curvatures.tolist()) for f in self.problem.functions])

    @cached_property
    def minimiser(self) -> Array:
        """``w*``, ``(1,)``."""
        return np.array([self.problem.mean.minimum(name="F")[0]])

    @cached_property
    def minimum(self) -> Number:
        """``F*``."""
        return self.problem.mean.minimum(name="F")[1]

    @cached_property
    def _minima(self) -> list[tuple[Number, Number]]:
        return [f.minimum(name=f"F_{k}") for k, f in enumerate(self.problem.functions)]

    @cached_property
    def client_minimisers(self) -> Array:
        """``w_k*``, ``(N, 1)``."""
        return np.array([[w] for w, _ in self._minima])

    @cached_property
    def client_minima(self) -> Array:
        """``F_k*``, ``(N,)``."""
        return np.array([value for _, value in self._minima])
