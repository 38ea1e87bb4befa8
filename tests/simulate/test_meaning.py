"""What a simulation must be equal to: gradient descent, centralised training, means and variances in closed form."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from fltheory.algorithms import FedAvg, SchemeI
from fltheory.problems import AdditiveNoise, QuadraticProblem, Regulariser, SoftmaxProblem, li_counterexample
from fltheory.simulate import simulate

PROBLEM = li_counterexample(3, 2, 0.1)


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_one_local_step_is_gradient_descent(backend):
    run = simulate(PROBLEM, FedAvg(1, 0.2), rounds=30, keep_models=True, backend=backend)
    w = np.zeros(PROBLEM.dimension)
    for model in run.models[0]:
        np.testing.assert_allclose(model, w, rtol=1e-13, atol=1e-15)
        w = w - 0.2 * PROBLEM.gradient(w)


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_identical_clients_are_centralised_training(backend):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(20, 3)), rng.integers(0, 3, size=20)
    regulariser = Regulariser(0.1, "lambda|w|^2")
    one = SoftmaxProblem((x,), (y,), regulariser)
    many = SoftmaxProblem((x,) * 4, (y,) * 4, regulariser)
    alone = simulate(one, FedAvg(1, 0.3), rounds=20, backend=backend)
    shared = simulate(many, FedAvg(5, 0.3, SchemeI(2)), rounds=4, backend=backend)
    np.testing.assert_allclose(shared.final, alone.final, rtol=1e-12)


def test_the_verb_stays_callable_whatever_was_imported():
    import fltheory as fl

    for _ in range(2):  # the first access imports the module of the same name
        assert fl.simulate(PROBLEM, FedAvg(1, 0.1), rounds=1).completed


def test_rational_problems_run_as_floats():
    exact = li_counterexample(2, 2, Fraction(1, 10), exact=True)
    run = simulate(exact, FedAvg(4, Fraction(1, 20)), rounds=5)
    floats = simulate(li_counterexample(2, 2, 0.1), FedAvg(4, 0.05), rounds=5)
    np.testing.assert_allclose(run.gap, floats.gap, rtol=1e-12)


def test_longer_runs_begin_like_shorter_ones_and_cadence_only_thins():
    options = {"runs": 3, "oracle": AdditiveNoise(0.1), "keep_models": True}
    algorithm = FedAvg(3, 0.1, SchemeI(2))
    full = simulate(PROBLEM, algorithm, rounds=10, **options)
    short = simulate(PROBLEM, algorithm, rounds=4, **options)
    thin = simulate(PROBLEM, algorithm, rounds=10, record_every=4, **options)
    assert (full.models[:, :5] == short.models).all()
    assert thin.rounds.tolist() == [0, 4, 8, 10]
    assert (thin.models == full.models[:, [0, 4, 8, 10]]).all()
    assert (thin.gap == full.gap[:, [0, 4, 8, 10]]).all()
    assert (full.final == full.models[:, -1]).all()


def test_recorded_numbers_are_those_of_the_problem():
    run = simulate(PROBLEM, FedAvg(3, 0.1), rounds=6, keep_models=True)
    constants = PROBLEM.constants
    np.testing.assert_allclose(run.objective, PROBLEM.value(run.models), rtol=1e-12, atol=1e-16)
    np.testing.assert_allclose(run.gap, PROBLEM.value(run.models) - constants.minimum, rtol=1e-10)
    error = run.models - constants.minimiser
    np.testing.assert_allclose(run.squared_distance, (error * error).sum(axis=-1), rtol=1e-13)


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_mean_and_variance_of_a_noisy_scalar(backend):
    """``w+ = (1 - eta a) w + eta xi`` has mean ``c^t w_0`` and variance ``eta^2 s^2 (1 - c^2t)/(1 - c^2)``."""
    a, eta, variance, rounds, runs = 0.5, 0.4, 2.0, 6, 20_000
    problem = QuadraticProblem([[[a]]], [[0.0]])
    run = simulate(
        problem, FedAvg(1, eta), rounds=rounds, runs=runs, oracle=AdditiveNoise(variance), start=[3.0], backend=backend
    )
    c = 1 - eta * a
    mean, spread = 3 * c**rounds, eta**2 * variance * (1 - c ** (2 * rounds)) / (1 - c**2)
    w = run.final[:, 0]
    assert abs(w.mean() - mean) < 5 * np.sqrt(spread / runs)
    assert abs(w.var() / spread - 1) < 5 * np.sqrt(2 / runs)
    assert run.mean("squared_distance")[0] == pytest.approx(9.0, rel=1e-14)


def test_a_problem_without_minimum_records_the_objective_and_says_why():
    run = simulate(QuadraticProblem([[[0.0]]], [[1.0]]), FedAvg(2, 0.5), rounds=3)
    assert run.gap is None and run.squared_distance is None
    assert "unbounded below" in run.reference
    np.testing.assert_allclose(run.objective, [[0.0, -1.0, -2.0, -3.0]])
    with pytest.raises(ValueError, match=r"quantity='gap' was not recorded: .*unbounded below"):
        run.mean()
    assert simulate(PROBLEM, FedAvg(1, 0.1), rounds=1, reference=False).reference == "not asked for"
