"""Functions through given points, gradients and values: the clients of a worst case made explicit.

With ``h_i = g_i - mu x_i`` and ``phi_i = f_i - mu |x_i|^2/2``, data that obey the interpolation inequalities of curvature
in ``[mu, L]`` belong to::

    f(x) = mu/2 |x|^2 + min_{alpha in simplex} (L-mu)/2 |x - sum alpha_i c_i|^2 + sum alpha_i b_i,
    c_i = x_i - h_i/(L-mu),   b_i = phi_i - |h_i|^2 / (2(L-mu)),

the convex hull of the quadratics that touch the data (Taylor, Hendrickx, Glineur 2017).  For any data at all ``f`` has
curvature in ``[mu, L]``; whether it passes through them is what :attr:`InterpolatedFunction.residual` measures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.problems.base import (
    Array,
    Constants,
    Number,
    by_client,
    check_finite,
    check_point,
    check_shape,
    check_weights,
    frozen,
)
from fltheory.problems.blocks import Layered
from fltheory.problems.simplex import minimise_on_simplex

__all__ = ["InterpolatedConstants", "InterpolatedFunction", "InterpolatedProblem"]


@dataclass(frozen=True, eq=False)
class InterpolatedFunction:
    """A function with curvature in ``[mu, L]`` through ``n`` points.

    ``points``, ``gradients``: ``(n, d)``; ``values``: ``(n,)``.

    Raises
    ------
    ValueError : ``mu >= L``, no points, shapes that do not match, numbers that are not finite.
    """

    points: Array
    gradients: Array
    values: Array
    mu: float
    L: float

    def __post_init__(self) -> None:
        points = np.asarray(self.points, dtype=np.float64)
        if points.ndim != 2 or not len(points):
            raise ValueError(f"points has shape {points.shape}; expected (n, d) with n >= 1")
        for name, shape in (("points", points.shape), ("gradients", points.shape), ("values", points.shape[:1])):
            array = np.asarray(getattr(self, name), dtype=np.float64)
            check_shape(name, array, shape)
            check_finite(name, array)
            object.__setattr__(self, name, frozen(array))
        if not self.mu < self.L:
            raise ValueError(f"mu={self.mu} is not below L={self.L}: the interpolation formula is singular")

    @property
    def dimension(self) -> int:
        """``d``."""
        return int(self.points.shape[1])

    @cached_property
    def hull(self) -> tuple[Array, Array]:
        """``c`` ``(n, d)`` and ``b`` ``(n,)``: lowest points and lowest values of the quadratics."""
        steep = self.L - self.mu
        h = self.gradients - self.mu * self.points
        phi = self.values - self.mu / 2 * (self.points**2).sum(axis=1)
        return self.points - h / steep, phi - (h**2).sum(axis=1) / (2 * steep)

    def _nearest(self, x: Array) -> tuple[Array, float]:
        """``sum alpha_i c_i`` and ``sum alpha_i b_i`` at the minimum, for one point."""
        centres, lowest = self.hull
        alpha = minimise_on_simplex(centres, lowest, x, self.L - self.mu)
        return alpha @ centres, float(alpha @ lowest)

    def __call__(self, x: Array) -> Array:
        """``f(x)``, ``(..., d) -> (...)``."""
        check_point(x, (self.dimension,))
        found = np.empty(x.shape[:-1])
        for index in np.ndindex(found.shape):
            nearest, offset = self._nearest(x[index])
            away = x[index] - nearest
            found[index] = self.mu / 2 * (x[index] @ x[index]) + (self.L - self.mu) / 2 * (away @ away) + offset
        return found

    def derivative(self, x: Array) -> Array:
        """``grad f(x)``, ``(..., d) -> (..., d)``."""
        check_point(x, (self.dimension,))
        found = np.empty(x.shape)
        for index in np.ndindex(x.shape[:-1]):
            found[index] = self.mu * x[index] + (self.L - self.mu) * (x[index] - self._nearest(x[index])[0])
        return found

    @cached_property
    def residual(self) -> float:
        """The largest deviation of gradients and values from the data; zero (to rounding) for data of the class."""
        slopes = np.abs(self.derivative(self.points) - self.gradients).max()
        return float(max(slopes, np.abs(self(self.points) - self.values).max()))

    @cached_property
    def lowest(self) -> tuple[Array, float]:
        """Minimiser and minimum: the minimum over ``x`` leaves a problem of the same kind, with another curvature.

        Raises
        ------
        ValueError : ``mu < 0``.
        """
        if self.mu < 0:
            raise ValueError(f"mu={self.mu} is negative: the minimum is not a convex problem")
        centres, lowest = self.hull
        curvature = self.mu * (self.L - self.mu) / self.L
        alpha = minimise_on_simplex(centres, lowest, np.zeros(self.dimension), curvature)
        nearest = alpha @ centres
        return (self.L - self.mu) / self.L * nearest, float(curvature / 2 * (nearest @ nearest) + alpha @ lowest)


@dataclass(frozen=True, eq=False, repr=False)
class InterpolatedProblem(Layered):
    """``F = sum_k p_k F_k`` of interpolated functions.

    ``functions``: one per client; ``weights``: ``(N,)``, default ``1/N``; ``minimiser``: ``w*`` where it is known.

    Raises
    ------
    ValueError : no functions, dimensions that differ, weights that do not sum to one, a minimiser of another shape.
    """

    functions: tuple[InterpolatedFunction, ...]
    weights: Array = None  # type: ignore[assignment]
    minimiser: Array | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "functions", tuple(self.functions))
        if not self.functions:
            raise ValueError("functions is empty; expected N >= 1 clients")
        for k, f in enumerate(self.functions):
            if f.dimension != self.dimension:
                raise ValueError(
                    f"functions[{k}] has dimension {f.dimension}; expected {self.dimension} as in the first"
                )
        n = len(self.functions)
        weights = np.full(n, 1 / n) if self.weights is None else np.asarray(self.weights, dtype=np.float64)
        check_weights(weights, n)
        object.__setattr__(self, "weights", frozen(weights))
        if self.minimiser is not None:
            minimiser = np.asarray(self.minimiser, dtype=np.float64)
            check_shape("minimiser", minimiser, (self.dimension,))
            object.__setattr__(self, "minimiser", frozen(minimiser))

    @property
    def n_clients(self) -> int:
        """``N``."""
        return len(self.functions)

    @property
    def dimension(self) -> int:
        """``d``."""
        return self.functions[0].dimension

    @cached_property
    def constants(self) -> InterpolatedConstants:
        """Curvature bounds, minima."""
        return InterpolatedConstants(self)

    def client_values(self, w: Array) -> Array:
        """``F_k(w)``, ``(..., d) -> (..., N)``."""
        return np.stack([f(w) for f in self.functions], axis=-1)

    def client_gradients(self, x: Array, clients: Array | None = None) -> Array:
        """``grad F_k(x_k)``, ``(..., M, d) -> (..., M, d)``."""
        check_point(x, (self.n_clients, self.dimension) if clients is None else (self.dimension,))
        return by_client(lambda k, points: self.functions[k].derivative(points), self.n_clients, x, clients)

    def value(self, w: Array) -> Any:
        """``F(w)``, ``(..., d) -> (...)``."""
        return (self.client_values(w) * self.weights).sum(axis=-1)

    def gradient(self, w: Array) -> Array:
        """``grad F(w)``, ``(..., d) -> (..., d)``."""
        return np.asarray(sum(p * f.derivative(w) for p, f in zip(self.weights.tolist(), self.functions, strict=True)))


class InterpolatedConstants(Constants):
    """Constants of an :class:`InterpolatedProblem`: curvatures are bounds, client minima are solved for."""

    exactness = "certified bound"

    def __init__(self, problem: InterpolatedProblem) -> None:
        self.problem = problem

    @property
    def weights(self) -> Array:
        """``p``."""
        return self.problem.weights

    @cached_property
    def client_smoothness(self) -> Array:
        """``max(L, -mu)`` of each client."""
        return np.array([max(f.L, -f.mu) for f in self.problem.functions])

    @cached_property
    def client_strong_convexity(self) -> Array:
        """``mu`` of each client."""
        return np.array([f.mu for f in self.problem.functions])

    @cached_property
    def minimiser(self) -> Array:
        """``w*`` as it was named; ``ValueError`` if none was, or if ``F`` is not known to be convex."""
        if self.problem.minimiser is None:
            raise ValueError("minimiser=None: the minimiser of an interpolated problem must be named")
        if min(f.mu for f in self.problem.functions) < 0:
            raise ValueError("a negative curvature: a stationary point need not be the minimiser")
        return self.problem.minimiser

    @cached_property
    def minimum(self) -> Number:
        """``F*``."""
        return float(self.problem.value(self.minimiser))

    @cached_property
    def client_minimisers(self) -> Array:
        """``w_k*``, ``(N, d)``."""
        return np.stack([f.lowest[0] for f in self.problem.functions])

    @cached_property
    def client_minima(self) -> Array:
        """``F_k*``, ``(N,)``."""
        return np.array([f.lowest[1] for f in self.problem.functions])
