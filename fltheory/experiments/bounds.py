"""The values of a bound's symbols on a user's problem: constants of the instance, not assumptions."""

from __future__ import annotations

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm, LocalAlgorithm
from fltheory.experiments.start import Recorded, first_record, start_of
from fltheory.kinds import Floats, PointLike
from fltheory.problems.base import KnownProblem
from fltheory.problems.oracles import AnyOracle, Exact
from fltheory.problems.oracles.protocol import variance_of

#: Seed of the short simulation that estimates G^2 where it has no closed form.
SEED = 20


def bound_values(
    problem: KnownProblem,
    algorithm: LocalAlgorithm,
    oracle: AnyOracle | None = None,
    run: Recorded | None = None,
    *,
    rounds: int | None = None,
    start: PointLike | None = None,
) -> dict[str, float]:
    """Values of ``L, mu, V, Gamma, G2, D1, E, N`` and, where the scheme has it, ``K``: everything but ``T``.

    =========== =============================================================================================
    symbol      value
    =========== =============================================================================================
    L, mu       largest ``L_k`` and smallest ``mu_k`` of the problem
    V           ``sum_k p_k^2 sigma_k^2``; the ``sigma_k^2`` at the start and at ``w*``, whichever is larger,
                where the noise depends on the point
    Gamma       ``F* - sum_k p_k F_k*``
    G2          largest ``E |g_k|^2`` along the first ``rounds`` rounds: exact for quadratic problems, otherwise
                the largest mean over 20 simulated runs
    D1          ``|w - w*|^2`` of the start, which is ``w_1`` in the theorems
    E, K, N     local steps, slots of a cohort, clients
    =========== =============================================================================================

    The start is ``start``, else the first model that ``run`` kept, else zero.  ``run`` (a ``Run`` or ``Moments``) also gives
    ``rounds``; at most 200 rounds are searched for ``G2``.  Sampled and point-dependent constants make the bound an estimate.

    Raises
    ------
    ValueError : a run that does not begin at this start, or that does not say where it begins.
    """
    oracle = Exact() if oracle is None else oracle
    constants, weights = problem.constants, np.asarray(problem.weights, dtype=np.float64)
    origin = start_of(problem, run, start)
    if origin is None:
        assert run is not None  # without a record the start is known
        raise ValueError(
            f"the run begins at squared distance {first_record(run, 'squared_distance'):.6g}, gap "
            f"{first_record(run, 'gap'):.6g}, not at zero; expected start=... or a run with keep_models=True"
        )
    target = np.asarray(constants.minimiser, dtype=np.float64)
    length = rounds if rounds is not None else 200 if run is None else int(np.max(run.rounds))
    sigma2 = np.maximum(*(variance_of(oracle, problem, at, "the bound needs") for at in (origin, target))).astype(
        np.float64
    )
    participation = getattr(algorithm, "participation", None)
    values = {
        "L": float(constants.smoothness),
        "mu": float(constants.strong_convexity),
        "V": float((weights**2 * sigma2).sum()),
        "Gamma": float(constants.gamma),
        "G2": _second_moment(problem, algorithm, oracle, min(length, 200), origin),
        "D1": float(((origin - target) ** 2).sum()),
        "E": float(algorithm.local_steps),
        "N": float(problem.n_clients),
    }
    if participation is not None:
        values["K"] = float(participation.slots(problem.n_clients))
    return values


def _second_moment(problem: KnownProblem, algorithm: Algorithm, oracle: AnyOracle, rounds: int, start: Floats) -> float:
    from fltheory.problems.quadratic import QuadraticProblem
    from fltheory.problems.tridiagonal import TridiagonalProblem

    if isinstance(problem, (QuadraticProblem, TridiagonalProblem)):
        from fltheory.readings.moments import second_moment_of_gradients
        from fltheory.simulate.kept_moments import kept

        def exactly() -> float:
            return float(second_moment_of_gradients(problem, algorithm, rounds, oracle, start=start).max())

        return kept(problem, "exact G^2", (algorithm, oracle, rounds, start.tolist()), exactly)
    from fltheory.simulate import gradient_second_moment

    runs = 1 if isinstance(oracle, Exact) and _full(algorithm) else 20
    found = gradient_second_moment(problem, algorithm, rounds=rounds, runs=runs, seed=SEED, oracle=oracle, start=start)
    return found.largest


def _full(algorithm: Algorithm) -> bool:
    from fltheory.algorithms import Full

    return isinstance(getattr(algorithm, "participation", None), Full)
