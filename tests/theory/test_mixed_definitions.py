"""Metrics of equation (7) along runs and in the mean, batches by enumeration, and the cost model's units."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.mixed import curved
from fltheory.theory.mixed2022 import cost_model, metrics
from verify.mixed2022 import laws


def test_metrics_along_a_run_stay_below_the_constants() -> None:
    problem = curved([[1.0, 2.0]], [3.0, 1.0], federated_centres=[[1.0, 0.0]], central_centre=[-1.0, 2.0], L=3.0)
    constants = problem.constants
    run = [np.array([2.0, 3.0])]
    for _ in range(60):
        run.append(run[-1] - 0.1 * problem.gradient(run[-1]))
    found = metrics.along_run(problem, np.array(run))
    for square in (2.0, 5.0):
        total = (problem.gradient(np.array(run)) ** 2).sum(axis=-1)
        assert (found.G2 <= constants.dissimilarity().least_G2_given(square) + (square - 1) * total + 1e-9).all()
    assert found.B2[-1] > 1e6 > found.B2[0]  # grad f_f(x*) is not 0
    np.testing.assert_allclose(found.G2[-1], constants.dissimilarity().least_G2, rtol=1e-3)


@pytest.mark.parametrize("weight", [0.5, 0.73])
def test_noise_bias_against_samples(weight: float) -> None:
    rng = np.random.default_rng(np.random.SeedSequence(3))
    a, b = np.array([1.0, -2.0, 0.5]), np.array([0.0, 1.0, 1.0])
    n = 200_000
    noisy = metrics.sampled(a + rng.normal(size=(n, 3)), b + 2 * rng.normal(size=(n, 3)), federated_weight=weight)
    clean = metrics.sampled(a, b, federated_weight=weight).G2
    added = metrics.noise_bias(3.0, 12.0, federated_weight=weight)
    assert abs(noisy.G2.mean() - clean - added) < 5 * noisy.G2.std() / np.sqrt(n)


def test_metrics_of_a_zero_gradient() -> None:
    both = metrics.sampled(np.array([1.0]), np.array([-1.0]))
    assert both.G2 == 4 and both.B2 == np.inf
    with pytest.raises(ValueError, match="w_f=1"):
        metrics.sampled(np.array([1.0]), np.array([1.0]), federated_weight=1)


def test_batches_cover_all_rows() -> None:
    assert sum(p for p, _ in laws.batches(4, 2, "without replacement")) == 1
    assert [rows for _, rows in laws.batches(5, 2, "blocks")] == [(0, 1), (2, 3), (4,)]
    mean, variance = laws.batch_moments([Fraction(0), Fraction(2)], 2, "with replacement")
    assert (mean, variance) == (1, Fraction(1, 2))
    with pytest.raises(ValueError, match="is unknown"):
        list(laws.batches(2, 1, "shuffled"))


def test_units_of_the_cost_model() -> None:
    model = cost_model.Recommendation(100, 4, batch=2, steps=3, items=10)
    assert model.network_step().value == 2 * 4 + 3 * 2 * 16 + 3 * 4 * 4 + 2 * 2
    assert model.regulariser().value == 20_000 and model.regulariser_gradient().value == 400
    assert (
        model.communication("baseline").value == 2 * 100 * 4 * 4
        and model.communication("1-w GT").value == 3 * 10 * 4 * 4
    )
    with pytest.raises(ValueError, match="do not add"):
        _ = model.regulariser() + model.communication("PT")
    with pytest.raises(ValueError, match="do not compare"):
        model.regulariser().saving(model.communication("PT"))
    with pytest.raises(ValueError, match="width=0"):
        cost_model.Recommendation(100, 0)


def test_vectors_are_those_of_the_algorithms() -> None:
    own = {
        "PT": fl.ParallelTraining(2, 0.1, 0.1),
        "1-w GT": fl.OneWayGradientTransfer(2, 0.1),
        "2-w GT": fl.TwoWayGradientTransfer(2, 0.1, 0.1),
    }
    for name, algorithm in own.items():
        counted = fl.readings.cost((3, 2), algorithm, rounds=2).round(1)
        assert counted.down + counted.up == cost_model.VECTORS[name]


@pytest.mark.parametrize(
    ("value", "text", "good"), [("1.255", "1.26", True), ("1.2549", "1.26", False), ("494.5", "494", False)]
)
def test_rounding(value: str, text: str, good: bool) -> None:
    assert cost_model.rounds_to(Fraction(value), text) is good
