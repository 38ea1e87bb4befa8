"""Constants of mixed problems: moduli, spreads and variances of gradients, exact for quadratics.

Definitions of Augenstein et al., "Mixed Federated Learning" (2022), Section 4.1.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fltheory.problems.base import Array, Constants, Number
from fltheory.problems.linear_algebra import minimise_quadratic
from fltheory.problems.mixed_dissimilarity import GradientDissimilarity
from fltheory.problems.newton import Minimum, minimise
from fltheory.problems.oracles import AnyOracle
from fltheory.problems.oracles.protocol import COVARIANCE, DEGREE, variance_of
from fltheory.problems.scaled import dense_quadratic, describe, is_quadratic, require_quadratic
from fltheory.problems.scaled_constants import constants_of

if TYPE_CHECKING:
    from fltheory.problems.mixed import MixedProblem

#: Who asks an oracle.
READER = "the largest variance needs"


class MixedConstants(Constants):
    """Constants of a mixed problem.

    Client constants are those of the federated part.  ``smoothness`` and ``strong_convexity`` hold for each client and
    for the centre (``beta`` and ``mu`` of the paper), not for their sum.  ``Gamma = f* - sum_k p_k f_k* - f_c*``, and
    ``heterogeneity = sum_k p_k |grad f_k(x*)|^2`` at the minimiser of ``f``, where the clients' mean gradient need not be
    zero.  The minimiser of quadratics is solved for.  That of other twice differentiable parts (logistic and softmax
    regression, one of them perhaps quadratic) is found by Newton's method, to the certificate ``suboptimality``; there
    ``f`` must be strongly convex.  Else reading it raises ``ValueError``.
    """

    def __init__(self, problem: MixedProblem) -> None:
        self.problem = problem

    @cached_property
    def clients(self) -> Constants:
        """Those of the federated part; ``ValueError`` where it has none."""
        found: Constants = constants_of(self.problem.clients)
        return found

    @cached_property
    def centre(self) -> Constants:
        """Those of the server's loss; ``ValueError`` where it has none."""
        found: Constants = constants_of(self.problem.centre)
        return found

    @property
    def exactness(self) -> str:  # type: ignore[override]
        """The weaker of both parts'."""
        spectral = self.clients.exactness == self.centre.exactness == "spectral"
        return "spectral" if spectral else "certified bound"

    @property
    def weights(self) -> Array:
        """``p``."""
        return self.problem.weights

    @property
    def client_smoothness(self) -> Array:
        """``L_k``."""
        return self.clients.client_smoothness

    @property
    def client_strong_convexity(self) -> Array:
        """``mu_k``."""
        return self.clients.client_strong_convexity

    @cached_property
    def smoothness(self) -> Number:
        """``beta``, the largest smoothness constant of a client or of the centre."""
        return max(self.clients.smoothness, self.centre.smoothness)

    @cached_property
    def strong_convexity(self) -> Number:
        """``mu``, the smallest modulus of a client or of the centre."""
        return min(self.clients.strong_convexity, self.centre.strong_convexity)

    @cached_property
    def minimiser(self) -> Array:
        """``x*``, a minimiser of ``f``; where Newton's method finds it, ``|x - x*|^2 <= 2 suboptimality/modulus``."""
        if self.problem.quadratic:
            return minimise_quadratic(self.problem.mean_matrix, self.problem.mean_vector, name="f")
        return self._newton.point

    @cached_property
    def minimum(self) -> Number:
        """``f* = f(x*)``, up to ``suboptimality``."""
        return self.problem.value(self.minimiser)

    @property
    def suboptimality(self) -> float:
        """``|grad f|^2/(2 modulus)`` at ``minimiser``; zero for quadratics, whose minimiser is solved for."""
        return 0.0 if self.problem.quadratic else self._newton.suboptimality

    @cached_property
    def modulus(self) -> float:
        """A modulus of strong convexity of ``f``: the parts' together.  A bound from below, computed in floats."""
        return sum(_modulus(part) for part in (self.problem.clients, self.problem.centre))

    @cached_property
    def _newton(self) -> Minimum:
        problem = self.problem
        parts = (problem.clients, problem.centre)
        modulus = self.modulus  # refuses parts without one, in their own words
        for part in parts:
            if not (is_quadratic(part) or hasattr(part, "curvature_at")):
                raise ValueError(
                    f"{describe(part)} is neither quadratic nor twice differentiable with known curvature: no certified "
                    "minimum of f"
                )

        def curvature(w: Array) -> Callable[[Array], Array]:
            both = [_curvature(part, w) for part in parts]
            return lambda v: np.asarray(both[0](v) + both[1](v))

        return minimise(
            lambda w: float(problem.value(w)),
            problem.gradient,
            curvature,
            np.zeros(problem.dimension),
            strong_convexity=modulus,
            name="f = f_f + f_c",
        )

    @property
    def client_minimisers(self) -> Array:
        """``x_k*``, minimisers of the ``f_k``."""
        return self.clients.client_minimisers

    @property
    def client_minima(self) -> Array:
        """``f_k*``."""
        return self.clients.client_minima

    @cached_property
    def gamma(self) -> Number:
        """``f* - sum_k p_k f_k* - f_c*``."""
        return self.minimum - (self.weights * self.client_minima).sum() - self.centre.client_minima[0]

    @cached_property
    def heterogeneity(self) -> Number:
        """``sum_k p_k |grad f_k(x*)|^2``."""
        spread = np.broadcast_to(self.minimiser, (self.problem.n_clients, self.problem.dimension))
        gradients = self.problem.client_gradients(spread)
        return (self.weights * (gradients * gradients).sum(axis=-1)).sum()

    @cached_property
    def client_spread(self) -> Number:
        """``sigma_f^2 = sup_x sum_k p_k |grad f_k(x) - grad f_f(x)|^2`` of quadratic clients.

        Raises
        ------
        ValueError : Hessians of clients with positive weight differ; the spread then grows without bound.
        """
        matrices, vectors, weights = self.problem.matrices, self.problem.vectors, self.weights
        mean = (weights[:, None, None] * matrices).sum(axis=0)
        gap = max(abs(entry) for entry in (weights[:, None, None] * (matrices - mean)).flat)
        scale = max(abs(entry) for entry in matrices.flat)
        if gap > (0 if matrices.dtype == object else 1e-12 * scale):
            raise ValueError("sigma_f^2 is infinite: the clients' Hessians differ, so that their gradients drift apart")
        deviations = vectors - (weights[:, None] * vectors).sum(axis=0)
        return (weights * (deviations * deviations).sum(axis=1)).sum()

    def gradient_variances(self, clients: AnyOracle, centre: AnyOracle) -> tuple[Number, Number]:
        """``(sigma^2, sigma_c^2)``: suprema over ``x`` (and clients) of the variances of the answers, for quadratics.

        Raises
        ------
        ValueError : the variance grows without bound (examples with different Hessians); batches of other losses.
        """
        return _largest_variance(self.problem.clients, clients), _largest_variance(self.problem.centre, centre)

    def dissimilarity(self, federated_weight: Number = Fraction(1, 2)) -> GradientDissimilarity:
        """Mixed ``(G, B)``-dissimilarity of quadratics with ``w_f = federated_weight``, ``w_c = 1 - w_f``."""
        part = self.problem
        federated = dense_quadratic(part.clients).mean_matrix
        exact = part.mean_matrix.dtype == object
        weight = Fraction(federated_weight) if exact else float(federated_weight)
        return GradientDissimilarity(
            federated, part.mean_matrix - federated, part.clients.gradient(self.minimiser), weight
        )


def _modulus(part: object) -> float:
    """A modulus of strong convexity of a part as a whole; of quadratics an eigenvalue less its rounding error."""
    if not is_quadratic(part):
        return float(constants_of(part).strong_convexity)
    matrix = dense_quadratic(part).mean_matrix
    values = np.linalg.eigvalsh(matrix.astype(np.float64))
    return float(values[0] - 16 * len(matrix) * np.finfo(float).eps * np.abs(values).max())


def _curvature(part: Any, w: Array) -> Callable[[Array], Array]:
    """``v -> F''(w) v``."""
    if not is_quadratic(part):
        apply: Callable[[Array], Array] = part.curvature_at(w)
        return apply
    matrix = dense_quadratic(part).mean_matrix
    return lambda v: np.asarray(matrix @ v)


def _largest_variance(part: Any, oracle: AnyOracle) -> Number:
    """The variance at 0 of a part whose variance is a constant in ``x``; it is a square of an affine function there."""
    depends = COVARIANCE.of(oracle, READER).state_dependent
    if depends:
        require_quadratic(part)
        DEGREE.of(oracle, READER)
    origin = np.zeros(part.dimension, dtype=np.asarray(part.weights).dtype) + 0 * part.weights[0]
    base = variance_of(oracle, part, origin, READER)
    for j in range(part.dimension if depends else 0):
        unit = origin.copy()
        unit[j] += 1
        growth = variance_of(oracle, part, unit, READER) + variance_of(oracle, part, -unit, READER) - 2 * base
        scale = max(abs(entry) for entry in variance_of(oracle, part, unit, READER).flat)
        if max(growth.flat) > (0 if origin.dtype == object else 1e-9 * scale):
            raise ValueError(f"sigma^2 is infinite: examples have different curvature along coordinate {j}")
    return max(base.flat)
