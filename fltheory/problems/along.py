"""Quantities along a run: ``G^2``, the largest second moment of the stochastic gradients that were asked for."""

from __future__ import annotations

import numpy as np

from fltheory.problems.base import (
    Array,
    Number,
    Problem,
    check_choice,
    check_finite,
    check_integer,
    check_point,
    check_problem,
    real_array,
)
from fltheory.problems.oracles import AnyOracle, check_oracle
from fltheory.problems.oracles.protocol import variance_of

READER = "second moments need"


def second_moments(iterates: Array, problem: Problem, oracle: AnyOracle, *, layout: str) -> Array:
    """``E |g_k(x)|^2 = |grad F_k(x)|^2 + tr Cov_k(x)`` at every iterate and client.

    ``layout="clients"``: iterates ``(..., N, d)``, client ``k`` at its own point; ``layout="server"``: iterates
    ``(..., d)``, all clients at the common point.  Returns ``(..., N)``.
    """
    check_choice("layout", layout, ("clients", "server"))
    check_problem("problem", problem)
    check_oracle(problem, oracle)
    x = real_array("iterates", iterates)
    check_finite("iterates", x)
    n, d = problem.n_clients, problem.dimension
    if layout == "server":
        check_point(x, (d,), name="iterates")
        spread = np.broadcast_to(x[..., None, :], (*x.shape[:-1], n, d))
        variances = variance_of(oracle, problem, x, READER)
    else:
        check_point(x, (n, d), name="iterates")
        spread = x
        # Covariances are known per client at given points: entry (k, k) of the variances at all clients' points.
        variances = np.stack([variance_of(oracle, problem, x[..., k, :], READER)[..., k] for k in range(n)], axis=-1)
    gradients = problem.client_gradients(spread)
    return np.asarray((gradients * gradients).sum(axis=-1) + variances)


def second_moment_along(
    iterates: Array, problem: Problem, oracle: AnyOracle, *, layout: str, run_axis: int | None = None
) -> Number:
    """``G^2 = max_{t,k} E |g_k(x_t)|^2`` along given iterates (Assumption 4 of Li et al. 2020 on one trajectory).

    ``layout`` as in :func:`second_moments`.  With ``run_axis`` the moments are first averaged over independent
    runs: the expectation over the trajectory, estimated.  An exact run (one trajectory) needs no ``run_axis``.
    """
    moments = second_moments(iterates, problem, oracle, layout=layout)
    if moments.size == 0:
        raise ValueError(f"iterates has shape {np.shape(iterates)}; expected at least one iterate")
    if run_axis is not None:
        # The last axis is that of the clients, which are no runs.
        if (
            not -moments.ndim <= check_integer("run_axis", run_axis) < moments.ndim
            or run_axis % moments.ndim == moments.ndim - 1
        ):
            raise ValueError(f"run_axis={run_axis} is no axis of runs; iterates has {moments.ndim - 1} in front")
        moments = moments.sum(axis=run_axis) / moments.shape[run_axis]
    return max(moments.ravel().tolist())
