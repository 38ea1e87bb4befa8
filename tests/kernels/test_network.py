"""The kernels of the network with one output: against its plain twin, and the same bits always."""

from __future__ import annotations

import numpy as np
import pytest

import fltheory as fl
from fltheory import streams
from fltheory.kernels.dispatch import plan_for
from fltheory.kernels.plan import Slots
from fltheory.problems.network import NetworkProblem
from fltheory.readings.draws import StreamDraws

SIZES = (9, 33, 70)


def problem_of(features, hidden):
    rng = np.random.default_rng(hidden)
    x = tuple(rng.normal(size=(n, features)) for n in SIZES)
    y = tuple(rng.choice([-1, 1], size=n) for n in SIZES)
    return NetworkProblem(x, y, fl.Regulariser(0.02, "lambda/2|w|^2"), hidden=hidden)


@pytest.mark.parametrize("size", [0, 1, 5, 8])
@pytest.mark.parametrize("hidden", [1, 4, 13, 64])
@pytest.mark.parametrize("features", [1, 3, 60])
def test_any_features_units_and_rows(features, hidden, size):
    problem = problem_of(features, hidden)
    oracle = fl.MiniBatch(size) if size else fl.Exact()
    clients = np.array([[2, 0, 1]])
    slots = Slots(clients, streams.key(1, np.zeros((1, 1), dtype=np.int64), 9, clients), 4, np.ones(3))
    w = np.random.default_rng(1).normal(size=(1, 3, problem.dimension))
    plan = plan_for(problem, oracle)
    plain = StreamDraws(problem, oracle, 1, np.arange(1)).gradient(9, 4, w, clients, np.zeros_like(clients))
    assert np.abs(plan.gradients(w, slots) - plain).max() <= 1e-12 * np.abs(plain).max()
    stepped = w - 0.1 * plain
    assert np.abs(plan.local_sgd(w, slots, np.array([0.1]), None) - stepped).max() <= 1e-12 * np.abs(stepped).max()
    np.testing.assert_allclose(plan.values(w[0]), problem.value(w[0]), rtol=1e-12)
    other = plan.gradients(w, Slots(clients[:, ::-1].copy(), slots.keys, 4, np.ones(3)))
    assert np.abs(other - plain).max() > 1e-3 * np.abs(plain).max()  # other clients' examples are noticed


@pytest.mark.parametrize(
    "algorithm", [fl.FedAvg(5, 0.1, fl.SchemeII(2)), fl.Scaffold(3, 0.1)], ids=["FedAvg", "SCAFFOLD"]
)
def test_runs_agree_with_plain_ones_and_do_not_depend_on_threads(algorithm):
    problem, start = problem_of(6, 7), fl.network_start(6, 7, seed=2)
    options = dict(rounds=6, seed=3, oracle=fl.MiniBatch(4), start=start, keep_models=True)
    whole = fl.simulate(problem, algorithm, runs=5, backend="numba", threads=1, **options)
    plain = fl.simulate(problem, algorithm, runs=5, backend="numpy", **options)
    assert whole.completed and np.abs(whole.models - plain.models).max() <= 1e-12 * np.abs(plain.models).max()
    np.testing.assert_allclose(whole.objective, plain.objective, rtol=1e-12)
    shared = fl.simulate(problem, algorithm, runs=5, backend="numba", threads=2, chunk=2, **options)
    np.testing.assert_array_equal(shared.models, whole.models)
    alone = fl.simulate(problem, algorithm, runs=1, first_run=3, backend="numba", **options)
    np.testing.assert_array_equal(alone.models[0], whole.models[3])


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_a_run_that_diverges_says_so(backend):
    start = fl.network_start(3, 5, seed=1)
    run = fl.simulate(
        problem_of(3, 5), fl.FedAvg(4, 1e200), rounds=3, oracle=fl.MiniBatch(5), backend=backend, start=start
    )
    assert run.status == ("diverged at round 1",)
