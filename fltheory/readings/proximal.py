"""Proximal steps ``x+ = argmin_y f(y) + |y - x|^2/(2 gamma)``, that is ``x+ = x - gamma grad f(x+)``, on arrays.

Of a quadratic ``f = y'Ay/2 - b'y`` a step is the affine map ``x+ = M (x + gamma b)``, ``M = (I + gamma A)^(-1)``, in every number
type.  Of any other loss with known curvature bounds ``mu`` and ``L`` it is the minimiser of a function with curvature in
``[1 + gamma mu, 1 + gamma L]``, found in floats by accelerated gradient steps, each point by itself, so that bits do not depend on
what else is computed beside it.  There is one such minimiser where ``1 + gamma mu > 0``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.kinds import Array, Number
from fltheory.problems.checks import check_positive
from fltheory.problems.linear_algebra import is_positive_semidefinite, solve_exact
from fltheory.problems.mixed import client_part
from fltheory.problems.scaled import describe, is_quadratic
from fltheory.readings.centre import require_centre
from fltheory.readings.numbers import FLOAT, RATIONAL, Numbers, accept

#: Matrices of more entries than this are not inverted: banded problems of many clients take gradient steps.
MOST_ENTRIES = 20_000_000
#: A point of other losses is right to this share of the largest entry among it, where it comes from, and the step.
TOLERANCE = 1e-12
MOST_STEPS = 20_000


class ProximalSteps:
    """Proximal steps on the losses of a problem in the type ``numbers``; ``scale`` multiplies the clients' losses."""

    def __init__(self, problem: Any, numbers: Numbers, scale: Array | None = None) -> None:
        self.problem = problem
        self.numbers = numbers
        self.scale = scale
        self._found: dict[tuple[str, Any], tuple[Array, Array]] = {}

    def step_size(self, given: Number) -> Any:
        """``gamma`` in the number type.

        Raises
        ------
        ValueError : one that is not positive.
        """
        found = accept(self.numbers, given)
        if self.numbers in (FLOAT, RATIONAL):  # others have no order, or are decimals of one of these
            check_positive("step_size of prox", found)
        return found

    def maps(self, gamma: Any) -> tuple[Array, Array]:
        """``M_k`` ``(N, d, d)`` and ``v_k`` ``(N, d)`` with ``x+ = M_k x + v_k`` of clients with quadratic losses.

        Raises
        ------
        ValueError : ``I + gamma A_k`` that is not positive definite: there is no minimiser.
        """
        if ("clients", gamma) not in self._found:
            matrices, vectors = _quadratic(client_part(self.problem))
            if self.scale is not None:
                matrices, vectors = matrices * self.scale[:, None, None], vectors * self.scale[:, None]
            self._found["clients", gamma] = self._inverted(matrices, vectors, gamma, "client {}")
        return self._found["clients", gamma]

    def central_map(self, gamma: Any) -> tuple[Array, Array]:
        """``M`` ``(d, d)`` and ``v`` ``(d,)`` of the server's own loss, as :meth:`maps`."""
        if ("centre", gamma) not in self._found:
            matrices, vectors = _quadratic(require_centre(self.problem).centre)
            self._found["centre", gamma] = self._inverted(matrices[:1], vectors[:1], gamma, "the server's own loss")
        inverse, vector = self._found["centre", gamma]
        return inverse[0], vector[0]

    def at(self, x: Array, clients: Array, gamma: Any) -> Array:
        """Each slot's step from ``x`` ``(runs, slots, d)``, ``clients`` ``(runs, slots)``."""
        part = client_part(self.problem)
        if _is_affine(part):
            inverse, vector = self.maps(gamma)
            return np.asarray((inverse[clients] @ x[..., None])[..., 0] + vector[clients])
        rates = gamma * np.ones(x.shape[:-1])
        if self.scale is not None:
            rates = rates * self.scale[clients]
        return _minimised(part, x, clients, rates)

    def central_at(self, y: Array, gamma: Any) -> Array:
        """The step on the server's own loss from ``y`` ``(runs, d)``."""
        centre = require_centre(self.problem).centre
        if _is_affine(centre):
            inverse, vector = self.central_map(gamma)
            return np.asarray((inverse @ y[..., None])[..., 0] + vector)
        alone = np.zeros((len(y), 1), dtype=np.int64)
        return _minimised(centre, y[:, None], alone, gamma * np.ones((len(y), 1)))[:, 0]

    def _inverted(self, matrices: Array, vectors: Array, gamma: Any, who: str) -> tuple[Array, Array]:
        d = vectors.shape[1]
        identity = self.numbers.array(np.eye(d, dtype=int))
        found = []
        for k, matrix in enumerate(identity + gamma * matrices):
            inverse = self._inverse(matrix, identity)
            if inverse is None:
                raise ValueError(
                    f"prox of {who.format(k)} with step_size={gamma}: I + step_size A is not positive definite, so that nothing is "
                    "least; expected 1 + step_size mu > 0"
                )
            found.append(inverse)
        inverses = np.stack(found)
        return inverses, np.asarray((inverses @ vectors[..., None])[..., 0] * gamma)

    def _inverse(self, matrix: Array, identity: Array) -> Array | None:
        """The inverse of a symmetric matrix, or ``None`` where it is not positive definite (in ordered numbers)."""
        if not self.numbers.exact:
            try:
                np.linalg.cholesky(matrix)
            except np.linalg.LinAlgError:
                return None
            return np.asarray(np.linalg.inv(matrix))
        if self.numbers is RATIONAL and not is_positive_semidefinite(matrix):
            return None
        columns = []
        for unit in identity:
            solved = solve_exact(matrix, unit)
            if solved is None or solved[1].shape[1]:
                return None
            columns.append(solved[0])
        return np.stack(columns, axis=1)


def _is_affine(part: Any) -> bool:
    """Whether steps are matrices of a size that is worth it."""
    if not hasattr(part, "matrices") and not is_quadratic(part):
        return False
    return bool(part.n_clients * part.dimension**2 <= MOST_ENTRIES) or bool(getattr(part, "exact", False))


def _quadratic(part: Any) -> tuple[Array, Array]:
    dense = part.to_dense() if is_quadratic(part) else part
    return dense.matrices, dense.vectors


def _minimised(part: Any, x: Array, clients: Array, rates: Array) -> Array:
    """Accelerated gradient steps on ``rate f + |. - x|^2/2``, each slot until its own error is below the tolerance."""
    try:
        smooth, convex = (np.asarray(c, dtype=float)[clients] for c in _curvatures(part))
    except (AttributeError, NotImplementedError):
        raise ValueError(
            f"prox on a {describe(part)}: no bounds of its curvature are known (constants.client_smoothness), so that the "
            "minimiser cannot be found to a tolerance; expected a quadratic problem, or one with constants"
        ) from None
    least, most = 1 + rates * convex, 1 + rates * smooth
    if not (least > 0).all():
        k = int(clients[least <= 0][0])
        raise ValueError(
            f"prox of client {k} with step_size={rates[least <= 0][0]:.6g}: its curvature may be as low as "
            f"{convex[least <= 0][0]:.6g}; expected 1 + step_size mu > 0, else nothing need be least"
        )
    root = np.sqrt(most / least)
    momentum = ((root - 1) / (root + 1))[..., None]
    point = ahead = np.array(x)
    found, todo = np.array(x), np.ones(x.shape[:-1], dtype=bool)
    for _ in range(MOST_STEPS):
        pull = rates[..., None] * part.client_gradients(ahead, clients)
        slope = ahead - x + pull
        size = np.maximum(np.abs(x).max(axis=-1), np.maximum(np.abs(ahead).max(axis=-1), np.abs(pull).max(axis=-1)))
        done = todo & (np.linalg.norm(slope, axis=-1) <= TOLERANCE * least * size)
        found[done], todo = ahead[done], todo & ~done
        if not todo.any():
            return found
        following = ahead - slope / most[..., None]
        point, ahead = following, following + momentum * (following - point)
    raise ValueError(
        f"prox on a {describe(part)}: after {MOST_STEPS} gradient steps some point is not known to a relative {TOLERANCE:g}; "
        "expected a smaller step_size"
    )


def _curvatures(part: Any) -> tuple[Array, Array]:
    constants = part.constants
    return constants.client_smoothness, constants.client_strong_convexity
