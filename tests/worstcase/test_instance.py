"""Worst cases as explicit functions: interpolation, the simplex program, and runs that give the promised value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fltheory.algorithms import FedAvg, NormalisedUniform, Scaffold
from fltheory.algorithms.gradient_transfer import OneWayGradientTransfer
from fltheory.problems.interpolated import InterpolatedFunction, InterpolatedProblem
from fltheory.problems.simplex import minimise_on_simplex
from fltheory.readings import trajectory
from fltheory.simulate import simulate
from fltheory.worstcase.classes import SmoothConvex, SmoothStronglyConvex
from fltheory.worstcase.entry import worst_case
from fltheory.worstcase.instance import worst_instance

STRONG = SmoothStronglyConvex(0.1, 1)


def interpolation_gaps(function: InterpolatedFunction, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """``q_ij`` between all points ``x``."""
    f, g = function(x), function.derivative(x)
    h = g - function.mu * x
    found = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        for j in range(len(x)):
            found[i, j] = f[i] - f[j] - function.mu / 2 * (x[i] @ x[i] - x[j] @ x[j]) - h[j] @ (x[i] - x[j])
            found[i, j] -= ((h[i] - h[j]) ** 2).sum() / (2 * (function.L - function.mu))
    return found


def arbitrary(mu: float, *, seed: int) -> InterpolatedFunction:
    """A function of the class from data that need not belong to it."""
    rng = np.random.default_rng(seed)
    points, gradients = rng.normal(size=(6, 3)), rng.normal(size=(6, 3))
    return InterpolatedFunction(points, gradients, rng.normal(size=6), mu, 1.5)


@pytest.mark.parametrize("mu", [0.2, 0.0, -1.5])
def test_any_data_give_a_function_of_the_class(mu: float) -> None:
    rng = np.random.default_rng(1)
    for seed in range(3):
        function = arbitrary(mu, seed=seed)
        x = rng.normal(size=(25, 3)) * rng.choice([0.1, 1.0, 5.0], size=(25, 1))
        scale = np.abs(function(x)).max()
        assert interpolation_gaps(function, x).min() >= -1e-12 * scale
        assert function.residual > 1e-3


@pytest.mark.parametrize("mu", [0.2, 0.0, -1.5])
def test_the_derivative_is_the_slope_of_the_value(mu: float) -> None:
    function, rng = arbitrary(mu, seed=5), np.random.default_rng(2)
    for _ in range(10):
        x, d = rng.normal(size=3), rng.normal(size=3)
        slope = (function(x + 1e-5 * d) - function(x - 1e-5 * d)) / 2e-5
        assert slope == pytest.approx(function.derivative(x) @ d, rel=1e-4, abs=1e-6)


def test_data_of_the_class_are_interpolated() -> None:
    rng = np.random.default_rng(3)
    basis = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    matrix = basis @ np.diag([0.2, 0.7, 1.2]) @ basis.T
    points = rng.normal(size=(7, 3))
    function = InterpolatedFunction(points, points @ matrix, (points @ matrix * points).sum(axis=1) / 2, 0.1, 1.5)
    assert function.residual < 1e-12
    outside = InterpolatedFunction(points, points @ matrix, (points @ matrix * points).sum(axis=1) / 2, 0.3, 1.5)
    assert outside.residual > 1e-4


def test_the_lowest_point_is_stationary() -> None:
    for mu in (0.2, 0.0):
        function = arbitrary(mu, seed=8)
        point, value = function.lowest
        assert np.abs(function.derivative(point)).max() < 1e-10
        assert function(point) == pytest.approx(value, rel=1e-12, abs=1e-12)


def test_the_simplex_program_is_solved_to_rounding() -> None:
    rng = np.random.default_rng(4)
    for trial in range(80):
        n, d = int(rng.integers(1, 30)), int(rng.integers(1, 7))
        centres, prices = rng.normal(size=(n, d)), rng.normal(size=n) * 10 ** rng.uniform(-4, 0)
        if trial % 3 == 0:
            centres[n // 2 :] = centres[: n - n // 2] + 1e-7 * rng.normal(size=(n - n // 2, d))
        if trial % 4 == 0:
            prices[:] = 0
        x, curvature = rng.normal(size=d), 10 ** rng.uniform(-2, 1)
        alpha = minimise_on_simplex(centres, prices, x, curvature)
        assert alpha.min() >= 0 and alpha.sum() == pytest.approx(1, abs=1e-13)
        slopes = curvature * (centres @ (alpha @ centres - x)) + prices
        scale = curvature / 2 * ((centres - x) ** 2).sum(axis=1).max() + np.ptp(prices)
        assert alpha @ slopes - slopes.min() <= 1e-14 * scale


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"mu": 1.5}, "singular"),
        ({"values": np.zeros(3)}, "shape"),
        ({"gradients": np.full((2, 2), np.nan)}, "not finite"),
        ({"points": np.zeros((0, 2))}, "n >= 1"),
    ],
)
def test_bad_data_are_refused(change: dict[str, Any], reason: str) -> None:
    data = {"points": np.eye(2), "gradients": np.eye(2), "values": np.zeros(2), "mu": 0.1, "L": 1.5} | change
    with pytest.raises(ValueError, match=reason):
        InterpolatedFunction(**data)


def test_constants_of_a_problem() -> None:
    functions = tuple(arbitrary(0.2, seed=seed) for seed in (1, 2))
    problem = InterpolatedProblem(functions)
    assert (problem.constants.smoothness, problem.constants.strong_convexity) == (1.5, 0.2)
    with pytest.raises(ValueError, match="must be named"):
        _ = problem.constants.minimiser
    assert problem.value(np.zeros(3)) == pytest.approx(np.mean([f(np.zeros(3)) for f in functions]))
    assert np.allclose(problem.gradient(np.ones(3)), np.mean([f.derivative(np.ones(3)) for f in functions], axis=0))
    with pytest.raises(ValueError, match="dimension"):
        InterpolatedProblem((functions[0], InterpolatedFunction(np.eye(2), np.eye(2), np.zeros(2), 0.2, 1.5)))


@pytest.mark.parametrize("n_clients", [2, 4])
@pytest.mark.parametrize(
    ("algorithm", "functions", "settings"),
    [
        (FedAvg(2, 0.25), STRONG, {}),
        (FedAvg(3, 1.5), STRONG, {"rounds": 2}),
        (FedAvg(2, 0.25), SmoothConvex(1), {"measure": "gap", "heterogeneity": "gamma"}),
        (FedAvg(2, 0.25), STRONG, {"rounds": 2, "heterogeneity": "gamma", "measure": "gap"}),
        (Scaffold(2, 0.25), STRONG, {"rounds": 2, "measure": "gap"}),
    ],
)
def test_the_simulator_gives_the_value(algorithm: Any, functions: Any, settings: Any, n_clients: int) -> None:
    case = worst_case(algorithm, functions, **settings)
    instance = worst_instance(case, n_clients=n_clients)
    rounds = settings.get("rounds", 1)
    run = simulate(instance.problem, algorithm, rounds=rounds, start=instance.start)
    quantity = "gap" if settings.get("measure") == "gap" else "squared_distance"
    assert run.values(quantity)[0, -1] == pytest.approx(case.value, rel=1e-5)
    assert instance.replay() == pytest.approx(run.values(quantity)[0, -1], rel=1e-9)
    assert instance.excess(case.quantities) <= 1e-6
    assert np.abs(instance.problem.gradient(np.zeros(instance.problem.dimension))).max() < 1e-4
    models = trajectory(instance.problem, algorithm, rounds=rounds, start=instance.start).models
    assert np.allclose(models[-1], run.final[0], atol=1e-9)
    rng = np.random.default_rng(11)
    for function in instance.clients.functions:
        x = np.concatenate([rng.normal(size=(20, function.dimension)) * 2, function.points])
        assert interpolation_gaps(function, x).min() >= -1e-10 * np.abs(function(x)).max()


def test_an_arbitrary_state_is_started_from() -> None:
    def lyapunov(analysis: Any) -> Any:
        return analysis.distance(0) + analysis.square(analysis.leaf(1, 0)) + analysis.square(analysis.leaf(2, 0))

    case = worst_case(Scaffold(2, 0.25), STRONG, free_state=True, start=lyapunov)
    instance = case.instance()
    model, control, own = instance.run(Scaffold(2, 0.25), rounds=1)
    assert (control.shape, own.shape) == (model.shape, (2, *model.shape))
    assert model @ model == pytest.approx(case.value, rel=1e-5)
    server, clients = (instance.given[place] for place in sorted(instance.given)[2:])
    started = instance.start @ instance.start + server @ server + (clients**2).sum(axis=1).mean()
    assert started <= 1 + 1e-6


def test_a_loss_at_the_server() -> None:
    algorithm = OneWayGradientTransfer(2, 0.25)
    case = worst_case(algorithm, STRONG, centre=SmoothStronglyConvex(0.2, 2), measure="gap")
    instance = case.instance()
    assert instance.centre is not None and (instance.centre.mu, instance.centre.L) == (0.2, 2.0)
    (model,) = instance.run(algorithm, rounds=1)
    gap = instance.problem.value(model) - instance.problem.value(np.zeros(len(model)))
    assert gap == pytest.approx(case.value, rel=1e-5)
    assert instance.replay() == pytest.approx(gap, rel=1e-9) and instance.excess(case.quantities) <= 1e-6
    assert np.abs(instance.problem.gradient(np.zeros(len(model)))).max() < 1e-4


def test_noise_and_sampling_are_refused() -> None:
    noisy = worst_case(FedAvg(2, 0.25), STRONG, noise=True, n_clients=4, certify=False)
    with pytest.raises(ValueError, match="noise"):
        noisy.instance()
    sampled = worst_case(FedAvg(2, 0.25, NormalisedUniform(2)), STRONG, n_clients=4, certify=False)
    with pytest.raises(ValueError, match="sampled cohort"):
        sampled.instance()
    with pytest.raises(ValueError, match="n_clients=1"):
        worst_instance(worst_case(FedAvg(2, 0.25), STRONG, certify=False), n_clients=1)
