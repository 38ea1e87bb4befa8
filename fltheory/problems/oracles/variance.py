"""``sigma_k^2``: the variance of the answers of an oracle at a point."""

from __future__ import annotations

import numpy as np

from fltheory.problems.base import Array, Problem, check_finite, check_point, check_problem, real_array
from fltheory.problems.oracles.protocol import COVARIANCE, AnyOracle, check_oracle, variance_of

READER = "its variance needs"


def gradient_variance(problem: Problem, oracle: AnyOracle, at: Array | None = None) -> Array:
    """``sigma_k^2 = E |g_k(x) - grad F_k(x)|^2`` for every client, ``(N,)`` (Assumption 3 of Li et al. 2020).

    ``at`` is needed, and must be ``(..., d)``, where the variance depends on the point.

    Raises
    ------
    ValueError : no point where one is needed; an oracle that does not fit, or does not know its covariance.
    """
    check_problem("problem", problem)
    check_oracle(problem, oracle)
    if at is None:
        if COVARIANCE.of(oracle, READER).state_dependent:
            raise ValueError(
                f"at=None: the variance of {type(oracle).__name__} depends on the point; "
                "give the point, or use second_moment_along for the largest value along a run"
            )
        at = np.zeros(problem.dimension, dtype=problem.weights.dtype)
    point = real_array("at", at)
    check_finite("at", point)
    check_point(point, (problem.dimension,), name="at")
    return variance_of(oracle, problem, point, READER)
