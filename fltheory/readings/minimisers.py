"""The minimiser of a smooth problem, with a proven distance: what biases and linear models are taken from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.vocabulary import Federation, Vector
from fltheory.kinds import Floats, Number
from fltheory.problems.base import Problem
from fltheory.problems.checks import check_problem
from fltheory.problems.scaled import is_quadratic
from fltheory.readings.certified_points import CertifiedPoint, certify
from fltheory.readings.enclosures import SmoothRound, deterministic_round
from fltheory.readings.resting import Resting, rest


@dataclass(frozen=True)
class _Descent:
    """``w - eta grad F(w)``: rounds that come to rest where the gradient is zero."""

    step_size: Number
    mixed: bool
    participation: Participation = Full()

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        slope = fed.population_average(fed.gradient(fed.send(w)))
        if self.mixed:
            slope = slope + fed.centre.gradient(w)
        moved: Vector = w - self.step_size * slope
        return moved


def certified_minimiser(problem: Problem) -> CertifiedPoint:
    """The minimiser of ``F``, as a :class:`CertifiedPoint`: where ``F`` is strongly convex ``error_bound`` is proved.

    It is the fixed point of gradient descent with step size ``1/L``, whose rounds contract by ``1 - mu/L``:
    within ``|grad F|/mu`` of a point lies the minimiser, with ``mu`` and ``L`` the mean moduli of clients and server.  Where
    ``mu`` is zero Krawczyk's test is tried.  Where a problem is not convex it is a stationary point, and nothing more is said.

    Raises
    ------
    ValueError : none is found.
    """
    check_problem("problem", problem)
    mixed = hasattr(problem, "centre_gradient")
    rounds = deterministic_round(problem, _Descent(1.0, mixed), "the minimiser")
    clients, p = rounds.curved.clients, np.asarray(rounds.entry.problem.weights, dtype=float)
    lower, upper = float(p @ clients.lower), float(p @ clients.upper)
    if mixed:
        lower, upper = lower + float(rounds.curved.centre.lower[0]), upper + float(rounds.curved.centre.upper[0])
    if not np.isfinite(upper):  # nothing will be proved: any step size that fits will do
        upper = _curvature(rounds)
    step = 1 / max(upper, 1e-300)
    rounds = deterministic_round(problem, _Descent(step, mixed), "the minimiser")
    gap = lower * step * (1 - 1e-12)
    return certify(rounds, _settled(rounds, problem), 1 - gap if gap > 1e-9 else None)


def _curvature(rounds: SmoothRound) -> float:
    """The size of the Hessian of ``F`` at zero; of descent with step size one ``F' = I - H``."""
    matrix = rounds.enclose(rounds.opening.values, slopes=True).matrix
    assert matrix is not None  # asked for
    return float(np.linalg.norm(np.eye(rounds.size) - matrix, 2))


def _settled(rounds: SmoothRound, problem: Any) -> Resting:
    """Newton's method, from the minimiser of the quadratic problem where it is one."""
    start: Floats | None = None
    if is_quadratic(problem):
        start = np.asarray(rounds.entry.problem.constants.minimiser, dtype=float)
    return rest(rounds, start)
