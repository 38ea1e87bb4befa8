"""The kernels of perceptrons: shapes that fill registers and blocks and that do not, runs that diverge, the same bits always."""

from __future__ import annotations

import numpy as np
import pytest

import fltheory as fl
from fltheory import streams
from fltheory.algorithms.elastic_aggregation import (
    ElasticFedAvgM,
    ElasticFedProx,
    GivenElasticity,
    SensitivityElasticity,
)
from fltheory.kernels.dispatch import plan_for
from fltheory.kernels.plan import Slots
from fltheory.readings.draws import StreamDraws

RIDGE = fl.Regulariser(0.02, "lambda/2|w|^2")
SIZES = (31, 33, 70)


def problem_of(features, hidden, classes, regulariser=RIDGE):
    rng = np.random.default_rng(classes)
    x = tuple(rng.normal(size=(n, features)) for n in SIZES)
    y = tuple(rng.integers(0, classes, size=n) for n in SIZES)
    return fl.PerceptronProblem(x, y, regulariser, hidden=hidden, classes=classes)


@pytest.mark.parametrize("size", [0, 1, 3, 8, 31])
@pytest.mark.parametrize("classes", [2, 4, 11, 21])
@pytest.mark.parametrize("hidden", [(1,), (4, 13), (8, 24, 5), (40, 3, 1, 12)], ids=str)
@pytest.mark.parametrize("features", [1, 3, 60])
def test_any_layers_classes_features_and_rows(features, hidden, classes, size):
    problem = problem_of(features, hidden, classes)
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


def test_a_unit_at_its_kink_sends_nothing_back():
    problem = problem_of(3, (4,), 2, 0)
    w = np.ones((1, 1, problem.dimension))
    w[..., :16] = 0.0  # all hidden units are at zero for all examples
    one = Slots(np.zeros((1, 1), dtype=np.int64), np.zeros((1, 1), dtype=np.uint64), 0, np.ones(3))
    for found in (plan_for(problem, fl.Exact()).gradients(w, one)[0, 0], problem.client_gradient(0, w[0, 0])):
        assert not found[:-2].any() and found[-2:].all()


@pytest.mark.parametrize("oracle", [fl.MiniBatch(5), fl.Exact()], ids=["batch", "all rows"])
@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_a_run_that_diverges_says_so(backend, oracle):
    problem = problem_of(3, (5, 4), 3)
    start = fl.perceptron_start(3, (5, 4), 3, seed=1)
    run = fl.simulate(problem, fl.FedAvg(4, 1e200), rounds=3, oracle=oracle, backend=backend, start=start)
    assert run.status == ("diverged at round 1",)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("place", [1, 12, 22])
def test_numbers_that_are_not_finite_are_not_hidden(bad, place):
    problem = fl.PerceptronProblem((np.ones((6, 2)),), (np.arange(6) % 3,), RIDGE, hidden=(4,))
    w = np.full((1, 1, problem.dimension), 0.5)
    w[..., place] = bad
    one = Slots(np.zeros((1, 1), dtype=np.int64), np.zeros((1, 1), dtype=np.uint64), 0, np.ones(1))
    plan = plan_for(problem, fl.Exact())
    with np.errstate(over="ignore", invalid="ignore"):
        plain, value = problem.client_gradient(0, w[0, 0]), problem.value(w[0])
    np.testing.assert_array_equal(np.isfinite(plan.gradients(w, one)[0, 0]), np.isfinite(plain))
    np.testing.assert_array_equal(np.isfinite(plan.values(w[0])), np.isfinite(value))


ALGORITHMS = [
    fl.FedAvg(5, 0.1, fl.SchemeII(2)),
    fl.FedLAMA(2, 2, 0.1),
    fl.FedLAMA(2, 2, 0.1, fl.SchemeII(2), rule="before crossing"),
    ElasticFedAvgM(3, 0.1, SensitivityElasticity(0.5, batches=2, decay=0.9), momentum=0.5),
    ElasticFedProx(3, 0.1, 0.2, GivenElasticity((1.2, 0.8, 1.0))),
    fl.Scaffold(3, 0.1),
]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda one: f"{type(one).__name__}-{one.participation}")
def test_runs_agree_with_plain_ones_and_do_not_depend_on_threads(algorithm):
    rng = np.random.default_rng(4)
    x, y = tuple(rng.normal(size=(3, 20, 6))), tuple(rng.integers(0, 3, size=(3, 20)))
    problem = fl.PerceptronProblem(x, y, RIDGE, hidden=(7, 5))
    start = fl.perceptron_start(6, (7, 5), 3, seed=2)
    options = dict(rounds=6, seed=3, oracle=fl.MiniBatch(4), start=start, keep_models=True)
    whole = fl.simulate(problem, algorithm, runs=5, backend="numba", threads=1, **options)
    plain = fl.simulate(problem, algorithm, runs=5, backend="numpy", **options)
    assert whole.completed and np.abs(whole.models - plain.models).max() <= 1e-12 * np.abs(plain.models).max()
    np.testing.assert_allclose(whole.objective, plain.objective, rtol=1e-12)
    for threads, chunk in ((2, 2), (3, 1)):
        shared = fl.simulate(problem, algorithm, runs=5, backend="numba", threads=threads, chunk=chunk, **options)
        np.testing.assert_array_equal(shared.models, whole.models)
        np.testing.assert_array_equal(shared.objective, whole.objective)
    alone = fl.simulate(problem, algorithm, runs=1, first_run=3, backend="numba", **options)
    np.testing.assert_array_equal(alone.models[0], whole.models[3])
