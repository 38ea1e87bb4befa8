"""A smooth problem as the quadratic one that it is to second order at a point, and moments of runs near the minimiser.

Near ``w*`` a run on ``F`` is one on ``F_k(w*) + grad F_k(w*)'(w - w*) + (w - w*)'H_k(w*)(w - w*)/2``, sample by sample
where losses have samples, so that the noise of mini-batches is the model's.  What is neglected is of third order: the variance of a
stationary run is right to first order in the step size, and so is the bias of local steps, while that which the noise itself makes
through third derivatives is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Floats, PointLike
from fltheory.problems.base import Problem, check_point
from fltheory.problems.blocks import keep_blocks
from fltheory.problems.checks import check_problem
from fltheory.problems.oracles import AdditiveNoise, AnyOracle, MiniBatch, is_noisy
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.samples import QuadraticSamples
from fltheory.problems.scaled import is_quadratic
from fltheory.problems.second_order_of import second_order
from fltheory.readings.minimisers import certified_minimiser
from fltheory.readings.moments import Moments, moments
from fltheory.readings.stationary_law import Stationary, stationary

#: Up to so many numbers the Hessians of all samples are kept.
MOST_SAMPLE_NUMBERS = 1_000_000


def quadratic_model(problem: Problem, at: PointLike | None = None) -> Any:
    """The quadratic problem with the gradients and Hessians that ``problem`` has at the model ``at`` (default: its minimiser).

    A mixed problem becomes a mixed problem.  Samples are kept, each as the quadratic that it is there, where their matrices are
    at most a million numbers.  A quadratic problem is its own model.

    Raises
    ------
    ValueError : a point of another shape; no minimiser found.
    """
    check_problem("problem", problem)
    if _quadratic(problem):
        return problem
    point = certified_minimiser(problem).point if at is None else np.asarray(at, dtype=np.float64)
    check_point(point, (int(problem.dimension),), name="at")
    if hasattr(problem, "map_parts"):
        return problem.map_parts(lambda part: _model_of(part, point))
    return _model_of(problem, point)


def linearised_moments(
    problem: Problem,
    algorithm: Algorithm,
    rounds: int,
    *,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    start: PointLike | None = None,
    at: PointLike | None = None,
    every: int = 1,
) -> Moments:
    """``E |w_t - w*|^2`` and ``E F(w_t) - F*`` as :func:`moments` has them, of the quadratic model at the minimiser.

    Arguments are those of :func:`moments`, all algorithms, cohorts and oracles with it; ``at`` names another point for the model.
    Good near the minimiser only: a start far away makes it a prediction of where the tail is, not of the way there.  Quadratic
    problems are exact.  Mini-batches of more samples than the model keeps have the covariance that they have at the point.

    Raises
    ------
    ValueError : as :func:`moments` and :func:`quadratic_model`.
    """
    model, noise, central = model_with_oracles(problem, oracle, centre_oracle, at)
    return moments(model, algorithm, rounds=rounds, oracle=noise, centre_oracle=central, start=start, every=every)


def linearised_stationary(
    problem: Problem,
    algorithm: Algorithm,
    *,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    start: PointLike | None = None,
    at: PointLike | None = None,
) -> Stationary:
    """What :func:`stationary` says of the quadratic model at the minimiser; arguments as :func:`linearised_moments`.

    Raises
    ------
    ValueError : as :func:`stationary` and :func:`quadratic_model`.
    """
    model, noise, central = model_with_oracles(problem, oracle, centre_oracle, at)
    return stationary(model, algorithm, oracle=noise, centre_oracle=central, start=start)


def model_with_oracles(
    problem: Any, oracle: AnyOracle | None, centre_oracle: AnyOracle | None, at: PointLike | None = None
) -> tuple[Any, AnyOracle | None, AnyOracle | None]:
    """The quadratic model of a problem, and the oracles that stand there for those of the problem."""
    check_problem("problem", problem)
    if at is None and not _quadratic(problem):
        at = certified_minimiser(problem).point
    model = quadratic_model(problem, at)
    if model is problem:
        return model, oracle, centre_oracle
    point = np.asarray(at, dtype=np.float64)
    if hasattr(problem, "centre_gradient"):
        pairs = ((problem.clients, model.clients, oracle), (problem.centre, model.centre, centre_oracle))
    else:
        pairs = ((problem, model, oracle), (problem, model, centre_oracle))
    noise, central = (_frozen(*pair, point) for pair in pairs)
    return model, noise, central


def _frozen(problem: Any, model: Any, oracle: AnyOracle | None, point: Floats) -> AnyOracle | None:
    """Mini-batches as they are, or their covariance at the point where the model keeps no samples."""
    if not isinstance(oracle, MiniBatch) or not is_noisy(oracle) or model is problem or model.samples is not None:
        return oracle
    oracle.check(problem)
    matrices = np.stack([oracle.covariance(problem, k, point) for k in range(problem.n_clients)])
    return AdditiveNoise((matrices + matrices.swapaxes(1, 2)) / 2)


def _quadratic(problem: Any) -> bool:
    parts = (problem.clients, problem.centre) if hasattr(problem, "centre_gradient") else (problem,)
    return all(is_quadratic(part) for part in parts)


def _model_of(part: Any, point: Floats) -> Any:
    """One part of a problem to second order at a point."""
    if is_quadratic(part):
        return part
    second, n, d = second_order(part), int(part.n_clients), int(part.dimension)
    sizes = getattr(part, "sample_sizes", None)
    weights = np.asarray(part.weights, dtype=float)
    if sizes is not None and int(np.sum(sizes)) * d * d <= MOST_SAMPLE_NUMBERS:
        stacks = [second.sample_matrices(k, point) for k in range(n)]
        if all(stack is not None for stack in stacks):
            samples = []
            for k, stack in enumerate(stacks):
                assert stack is not None  # all are there
                matrices = (stack + stack.swapaxes(1, 2)) / 2
                samples.append(QuadraticSamples(matrices, matrices @ point - part.sample_gradients(k, point)))
            return keep_blocks(part, QuadraticProblem.from_samples(samples, weights=weights))
    matrices = np.stack([second.matrix(k, point) for k in range(n)])
    gradients = np.asarray(part.client_gradients(np.broadcast_to(point, (n, d))), dtype=float)
    return keep_blocks(part, QuadraticProblem(matrices, matrices @ point - gradients, weights=weights))
