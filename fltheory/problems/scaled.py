"""A problem times a positive factor: the proportions ``w_f`` and ``w_c`` of mixed problems.

Augenstein et al., "Mixed Federated Learning" (2022), footnote to equation (1): ``f_f = w_f f~_f``, ``f_c = w_c f~_c``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.problems.base import Array, Constants, Number, check_finite, check_positive
from fltheory.problems.numbers import to_fraction


@dataclass(frozen=True, eq=False)
class Scaled:
    """``factor * F_k`` for every client of ``problem``; weights, clients and samples are those of ``problem``.

    The factor of an exact problem must be rational; else it becomes a float.

    Raises
    ------
    ValueError : ``factor <= 0`` or not finite, a float for an exact problem, a problem with a loss at the server.
    """

    problem: Any
    factor: Any

    def __post_init__(self) -> None:
        check_positive("factor", self.factor)
        if hasattr(self.problem, "centre_gradient"):
            raise ValueError(f"{type(self.problem).__name__} has two parts; expected Scaled for each of them")
        if self.exact and isinstance(self.factor, (float, np.floating)):
            raise ValueError(f"factor={self.factor!r} is a float, the problem exact; expected a Fraction or an integer")
        check_finite("factor", np.asarray(self.factor))
        object.__setattr__(self, "factor", to_fraction(self.factor) if self.exact else float(self.factor))

    @property
    def exact(self) -> bool:
        """Whether the numbers are rationals."""
        return bool(getattr(self.problem, "exact", False))

    def to_float(self) -> Scaled:
        """The same in floats."""
        return Scaled(self.problem.to_float(), float(self.factor)) if self.exact else self

    @property
    def n_clients(self) -> int:
        """``N``."""
        return int(self.problem.n_clients)

    @property
    def dimension(self) -> int:
        """``d``."""
        return int(self.problem.dimension)

    @property
    def weights(self) -> Array:
        """``p``, ``(N,)``."""
        return np.asarray(self.problem.weights)

    @property
    def sample_sizes(self) -> Array:
        """``n_k``, ``(N,)``; ``ValueError`` where ``problem`` has no samples."""
        return np.asarray(self._sampled().sample_sizes)

    @cached_property
    def constants(self) -> ScaledConstants:
        """Those of ``problem``, in other units."""
        return ScaledConstants(self)

    def value(self, w: Array) -> Any:
        """``factor F(w)``, ``(..., d) -> (...)``."""
        return self.factor * self.problem.value(w)

    def client_values(self, w: Array) -> Array:
        """``(..., d) -> (..., N)``."""
        return np.asarray(self.factor * self.problem.client_values(w))

    def gradient(self, w: Array) -> Array:
        """``(..., d) -> (..., d)``."""
        return np.asarray(self.factor * self.problem.gradient(w))

    def client_gradients(self, x: Array, clients: Array | None = None) -> Array:
        """``(..., M, d) -> (..., M, d)``."""
        return np.asarray(self.factor * self.problem.client_gradients(x, clients))

    def sample_gradients(self, client: int, x: Array, rows: Array | None = None) -> Array:
        """``(..., d) -> (..., n_k, d)``."""
        return np.asarray(self.factor * self._sampled().sample_gradients(client, x, rows))

    @property
    def batch_gradients(self) -> Callable[[Array, Array, Array], Array]:
        """Mean gradients of batches for all slots at once, where ``problem`` has them."""
        own: Callable[[Array, Array, Array], Array] = self.problem.batch_gradients
        return lambda clients, x, rows: self.factor * own(clients, x, rows)

    def _sampled(self) -> Any:
        if not hasattr(self.problem, "sample_gradients"):
            raise ValueError(f"{type(self.problem).__name__} has no samples; expected sample_sizes, sample_gradients")
        return self.problem


class ScaledConstants(Constants):
    """Constants of ``factor * F``; minimisers do not change."""

    def __init__(self, scaled: Scaled) -> None:
        self.factor = scaled.factor
        self.own: Constants = scaled.problem.constants
        self.exactness = self.own.exactness

    @property
    def weights(self) -> Array:
        """``p``."""
        return self.own.weights

    @property
    def client_smoothness(self) -> Array:
        """``factor L_k``."""
        return np.asarray(self.factor * self.own.client_smoothness)

    @property
    def client_strong_convexity(self) -> Array:
        """``factor mu_k``."""
        return np.asarray(self.factor * self.own.client_strong_convexity)

    @property
    def minimiser(self) -> Array:
        """``w*``."""
        return self.own.minimiser

    @property
    def minimum(self) -> Number:
        """``factor F*``."""
        return self.factor * self.own.minimum

    @property
    def client_minimisers(self) -> Array:
        """``w_k*``."""
        return self.own.client_minimisers

    @property
    def client_minima(self) -> Array:
        """``factor F_k*``."""
        return np.asarray(self.factor * self.own.client_minima)
