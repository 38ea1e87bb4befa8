"""The plain run, its draws, and the cost reading."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.algorithms import FedAvg, Original, ParallelRestartedSGD, Scaffold, SchemeI, SchemeII, TwoSidedFedAvg
from fltheory.problems.oracles import AdditiveNoise, Exact, FiniteSupportNoise, MiniBatch
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings import cost, trajectory
from fltheory.readings.arrays import ArrayFederation
from fltheory.readings.draws import StreamDraws

TENTH = Fraction(1, 10)


def run(problem: Any, algorithm: Any, oracle: Any, run_ids: Any, seed: int = 0) -> Any:
    fed = ArrayFederation(problem, algorithm.participation, StreamDraws(problem, oracle, seed, np.asarray(run_ids)))
    state = algorithm.start(fed, fed.vector(np.ones(problem.dimension)))
    for round in range(3):
        fed.begin(round)
        state = algorithm.round(fed, state)
    return (state[0] if isinstance(state, tuple) else state).payload


ALGORITHMS = [
    FedAvg(2, 0.1, SchemeI(3, "separate runs")),
    FedAvg(2, 0.1, Original(1)),
    TwoSidedFedAvg(2, 0.1, 0.5, SchemeII(2)),
    Scaffold(2, 0.1, 1, SchemeII(1)),
    ParallelRestartedSGD(2, 0.1),
]


@pytest.mark.parametrize("oracle", [Exact(), AdditiveNoise(0.5), MiniBatch(2), MiniBatch(3, True)], ids=repr)
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: type(a).__name__)
def test_bits_do_not_depend_on_the_batch_of_runs(sampled: Any, algorithm: Any, oracle: Any) -> None:
    problem = sampled.to_float()
    together = run(problem, algorithm, oracle, [0, 1, 2, 3, 4])
    apart = np.concatenate([run(problem, algorithm, oracle, ids) for ids in ([0, 1], [2], [3, 4])])
    assert (together == apart).all()
    if not isinstance(oracle, Exact):
        assert (run(problem, algorithm, oracle, [0, 1], seed=1) != together[:2]).any()


def test_algorithms_share_cohorts_and_batches(sampled: Any) -> None:
    """Common random numbers: FedAvg and its two-sided form with server step one draw alike."""
    problem = sampled.to_float()
    one = run(problem, FedAvg(2, 0.1, SchemeI(2)), MiniBatch(2), range(20))
    two = run(problem, TwoSidedFedAvg(2, 0.1, 1, SchemeI(2)), MiniBatch(2), range(20))
    np.testing.assert_allclose(one, two, rtol=1e-13)


def test_noise_has_its_covariance(sampled: Any) -> None:
    problem = sampled.to_float()
    covariance = np.array([[[2.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]]])
    oracle = AdditiveNoise(covariance)
    roots = oracle.roots(problem)
    np.testing.assert_allclose(roots @ roots, covariance, atol=1e-14)
    draws = StreamDraws(problem, oracle, 0, np.arange(40_000))
    points = np.zeros((40_000, 2, 2))
    clients = np.broadcast_to(np.arange(2), (40_000, 2))
    noise = draws.gradient(0, 0, points, clients, np.zeros_like(clients)) + problem.vectors
    for k in range(2):
        np.testing.assert_allclose(np.cov(noise[:, k].T), covariance[k], atol=5 * 2 * 2 / 200)


def test_finite_support_takes_its_values(sampled: Any) -> None:
    problem = sampled.to_float()
    oracle = FiniteSupportNoise(np.array([[2.0, 0.0], [-1.0, 0.0]]), np.array([1 / 3, 2 / 3]))
    draws = StreamDraws(problem, oracle, 0, np.arange(9_000))
    clients = np.broadcast_to(np.arange(2), (9_000, 2))
    noise = draws.gradient(0, 0, np.zeros((9_000, 2, 2)), clients, np.zeros_like(clients)) + problem.vectors
    values, counts = np.unique(noise[..., 0].round(12), return_counts=True)
    assert values.tolist() == [-1.0, 2.0]
    assert abs(counts[1] - 6_000) < 5 * np.sqrt(18_000 * 2 / 9)


def test_trajectory_with_given_cohorts(three_clients: Any) -> None:
    algorithm = FedAvg(2, TENTH, SchemeII(2))
    by_tuple = trajectory(three_clients, algorithm, rounds=3, exact=True, cohorts=[(0, 1), (1, 2)])
    outcomes = {o.clients: o for o in algorithm.participation.outcomes(list(three_clients.weights))}
    given = trajectory(three_clients, algorithm, rounds=3, exact=True, cohorts=[outcomes[0, 1], outcomes[1, 2]])
    assert (by_tuple.models == given.models).all()
    assert [call.clients[0].tolist() for call in by_tuple.calls] == [[0, 1]] * 2 + [[1, 2]] * 2 + [[0, 1]] * 2
    with pytest.raises(ValueError, match="needs the outcomes of its cohorts"):
        trajectory(three_clients, algorithm, rounds=1)
    with pytest.raises(ValueError, match=r"cohort \(0, 0\) is none that SchemeII"):
        trajectory(three_clients, algorithm, rounds=1, cohorts=[(0, 0)])
    with pytest.raises(ValueError, match="full participation has all 3 clients"):
        trajectory(three_clients, FedAvg(1, TENTH), rounds=1, cohorts=[(0, 1)])


def test_trajectory_diverges_with_a_status() -> None:
    problem = QuadraticProblem(np.array([[[1.0]]]), np.array([[1.0]]))
    result = trajectory(problem, FedAvg(1, 50.0), rounds=500)
    assert result.status == "diverged"
    assert np.all(np.isfinite(result.models)) and len(result.models) < 501
    within = trajectory(problem, FedAvg(300, 50.0), rounds=5)  # in one round, without a warning
    assert within.status == "diverged" and len(within.models) == 1


def test_decimals_are_read_as_written() -> None:
    third = 1 / 3
    problem = QuadraticProblem(np.full((3, 1, 1), 0.1), np.full((3, 1), 0.2), weights=np.full(3, third))
    result = trajectory(problem, FedAvg(1, 0.5), rounds=1, exact=True)
    assert result.models[1, 0] == Fraction(1, 10)


def test_costs(three_clients: Any) -> None:
    counts = [cost(three_clients, algorithm, rounds=2) for algorithm in ALGORITHMS]
    second = [count.round(1) for count in counts]
    assert [(c.down, c.up, c.gradients) for c in second] == [(1, 1, 2), (1, 1, 2), (1, 1, 2), (2, 2, 2), (1, 2, 2)]
    assert [c.slots for c in counts] == [3, 1, 2, 1, 3]
    total = cost((100, 20), Scaffold(5, 0.1, 1, SchemeII(10)), rounds=7)
    assert total.numbers_sent == (7 * 4 - 2) * 10 * 20  # the first correction is zero, and is known from the update
    assert total.total_gradients == 7 * 10 * 5
    with pytest.raises(ValueError, match="rounds=0"):
        cost(three_clients, FedAvg(1, 0.1), rounds=0)
