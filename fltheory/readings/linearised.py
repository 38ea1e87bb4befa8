"""The round of an algorithm to first order at a point: its Jacobian, what it says of stability, and up to which step size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Floats, PointLike
from fltheory.problems.base import Problem, check_finite, check_shape, real_array
from fltheory.readings.certified_points import CertifiedPoint, certify
from fltheory.readings.enclosures import MOST_STATE, SmoothRound, deterministic_round
from fltheory.readings.numbers import FLOAT
from fltheory.readings.resting import rest
from fltheory.readings.round_map import RoundMap
from fltheory.tables import Framed, Shown

#: So often the way between two step sizes is halved to follow a fixed point.
MOST_HALVED = 6


@dataclass(frozen=True, eq=False)
class Linearised(Shown, Framed):
    """``s -> F(a) + F'(a)(s - a)``, a round to first order at the state ``a``.

    ================ ========== ===================================================================================
    attribute        shape      meaning
    ================ ========== ===================================================================================
    ``map``                     the affine map as a :class:`RoundMap`: eigenvalues, spectral radius, contraction
    ``at``           ``(D,)``   ``a``
    ``point``                   what is known of the fixed point, if that is ``a``; None if ``at`` was given
    ``matrix_error``            a bound of ``|F' - map.matrix|`` (Frobenius) at ``a`` and, where it is certified, at the
                                true fixed point; ``inf`` where nothing can be proved
    ================ ========== ===================================================================================
    """

    map: RoundMap
    at: Floats
    point: CertifiedPoint | None
    matrix_error: float

    @property
    def matrix(self) -> Floats:
        """``F'(a)``, ``(D, D)``."""
        return np.asarray(self.map.matrix)

    @property
    def spectral_radius(self) -> float:
        """The largest modulus of an eigenvalue of ``F'(a)``."""
        return self.map.spectral_radius()

    @property
    def stable(self) -> bool:
        """Whether rounds that start near ``a`` come to rest: in floats they contract all directions that they do not conserve."""
        return self.map.resolved_contraction() < 1

    def facts(self) -> list[tuple[str, str]]:
        stable = "stable" if self.stable else "not stable"
        return [*self.map.facts(), ("rounds nearby", stable), ("matrix error", f"{self.matrix_error:.1e}")]

    def records(self) -> list[dict[str, Any]]:
        """Those of ``map``: a dict per eigenvalue."""
        return self.map.records()

    def __repr__(self) -> str:
        kind = "at the fixed point" if self.point is not None else "at a given point"
        known = f"spectral radius {self.spectral_radius:.6g}, matrix error {self.matrix_error:.1e}"
        return f"Linearised({kind}, D={len(self.at)}, {known})"


def linearised(
    problem: Problem, algorithm: Algorithm, *, at: PointLike | None = None, start: PointLike | None = None
) -> Linearised:
    """The round map of an algorithm on a smooth problem, to first order at its fixed point or at ``at``.

    The Jacobian is exact up to rounding: the text is run on the state together with its derivatives along every direction, and
    each gradient asked at ``x`` sends a derivative ``v`` to ``H_k(x) v`` at that very ``x``, local steps included.  Where a problem
    offers no second derivatives, products come from differences of gradients and are right to some eight digits.

    ============ =================================================================================================
    argument     meaning
    ============ =================================================================================================
    ``at``       a model ``(d,)``, from which the algorithm's first state is made, or a state ``(D,)``
    ``start``    the model from which the fixed point is looked for (default: zero)
    ============ =================================================================================================

    Raises
    ------
    ValueError : as :func:`certified_fixed_point`; a state of more than 2000 entries.
    """
    rounds = deterministic_round(problem, algorithm, "a linearised round", start)
    if not rounds.differentiable:
        raise ValueError(
            f"the state has D={rounds.size} entries with N={rounds.layout.n_clients} clients of d={rounds.layout.dimension}: its "
            f"Jacobian is too large a matrix, or too much work; expected D <= {MOST_STATE}"
        )
    point = None
    if at is None:
        point = certify(rounds, rest(rounds))
        state = point.state
    else:
        state = _state_at(problem, algorithm, rounds, at)
    return _linearised(rounds, state, point)


def _linearised(rounds: SmoothRound, state: Floats, point: CertifiedPoint | None) -> Linearised:
    radius = point.state_bound if point is not None and point.state_bound is not None else 0.0
    found = rounds.enclose(state, radius, slopes=True)
    assert found.matrix is not None  # asked for
    opening = rounds.opening
    shift = found.state - found.matrix @ state
    made = RoundMap(found.matrix, shift, state, opening.model, opening.layout, FLOAT)
    return Linearised(made, state, point, found.off if np.isfinite(found.off) else float("inf"))


def _state_at(problem: Problem, algorithm: Algorithm, rounds: SmoothRound, at: PointLike) -> Floats:
    given = real_array("at", at).astype(np.float64)
    check_finite("at", given)
    if given.shape == (rounds.size,):
        return given
    check_shape("at", given, (rounds.layout.dimension,))
    return np.asarray(deterministic_round(problem, algorithm, "a linearised round", given).opening.values)


def local_contraction(problem: Problem, algorithm_of: Callable[[Any], Algorithm]) -> Callable[[float], float]:
    """``eta -> `` the contraction factor of the rounds at their fixed point, which is followed from step sizes nearby.

    ``ValueError`` where it is not found, also not in :data:`MOST_HALVED` halvings of the way to the nearest step size with one.
    """
    known: dict[float, Floats] = {}

    def settle(step_size: float, depth: int) -> SmoothRound:
        rounds = deterministic_round(problem, algorithm_of(step_size), "a stability limit")
        near = min(known, key=lambda other: abs(other - step_size), default=None)
        try:
            known[step_size] = rest(rounds, None if near is None else known[near], again=near is None).state
        except ValueError:
            if near is None or depth == 0:
                raise
            settle((near + step_size) / 2, depth - 1)
            return settle(step_size, depth - 1)
        return rounds

    def factor(step_size: float) -> float:
        rounds = settle(step_size, MOST_HALVED)
        return _linearised(rounds, known[step_size], None).map.resolved_contraction()

    return factor
