"""Constants of a problem times a factor: those of the problem, in other units."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from fltheory.problems.base import Array, Constants, Number


def constants_of(problem: object) -> Any:
    """The constants of a problem; ``ValueError`` naming it where it has none."""
    found = getattr(problem, "constants", None)
    if found is None:
        raise ValueError(f"{type(problem).__name__} has no constants: neither its moduli nor a minimum are known")
    return found


class ScaledConstants(Constants):
    """Constants of ``factor * F``; minimisers do not change."""

    def __init__(self, scaled: Any) -> None:
        self.factor = scaled.factor
        self.problem = scaled.problem

    @cached_property
    def own(self) -> Any:
        """Those of ``problem``; ``ValueError`` where it has none."""
        return constants_of(self.problem)

    @property
    def exactness(self) -> str:  # type: ignore[override]
        """As for ``problem``."""
        return str(self.own.exactness)

    @property
    def weights(self) -> Array:
        """``p``."""
        return np.asarray(self.own.weights)

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
        return np.asarray(self.own.minimiser)

    @property
    def minimum(self) -> Number:
        """``factor F*``."""
        return self.factor * self.own.minimum

    @property
    def client_minimisers(self) -> Array:
        """``w_k*``."""
        return np.asarray(self.own.client_minimisers)

    @property
    def client_minima(self) -> Array:
        """``factor F_k*``."""
        return np.asarray(self.factor * self.own.client_minima)

    @property
    def suboptimality(self) -> float:
        """The certificate of ``minimum``, where ``problem`` has one."""
        return float(self.factor * self.own.suboptimality)

    @property
    def client_suboptimality(self) -> Array:
        """The certificates of ``client_minima``, where ``problem`` has them, ``(N,)``."""
        return np.asarray(self.factor * self.own.client_suboptimality)
