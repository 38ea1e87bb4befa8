"""The analogue of the elastic supplement's figures: its gradients against differences, its splits, its sensitivities."""

from __future__ import annotations

import numpy as np
import pytest

from fltheory.algorithms.sensitivities import boosted_share, elasticity
from fltheory.problems.perceptron import PerceptronProblem
from verify.elastic2023.analogue import (
    BATCH,
    EPOCHS,
    FORMS,
    OPTIMISERS,
    STEP,
    TASKS,
    Method,
    divided,
    local,
    measured,
    sensitivity,
)
from verify.elastic2023.data_splits import partition_fault

RNG = np.random.default_rng(7)
X, Y = RNG.uniform(0, 1, (3, 6)), np.array([0, 2, 1])
PROBLEM = PerceptronProblem((X, X[:2]), (Y, Y[:2]), 0, hidden=(5,), classes=3)
THETA = RNG.normal(0, 0.3, PROBLEM.dimension)
PLACES = [0, 17, 31, 40, PROBLEM.dimension - 2]


def difference(value: object, place: int, width: float = 1e-6) -> float:
    step = np.zeros_like(THETA)
    step[place] = width
    return float(value(THETA + step) - value(THETA - step)) / (2 * width)  # type: ignore[operator]


@pytest.mark.parametrize("place", PLACES)
def test_sensitivities_are_those_of_the_squared_outputs(place: int) -> None:
    each = [difference(lambda t, x=x: (PROBLEM.scores(x[None], t) ** 2).sum(), place) for x in X]  # type: ignore[misc]
    assert sensitivity(PROBLEM, "average", THETA, X)[place] == pytest.approx(np.mean(np.abs(each)), rel=1e-4, abs=1e-7)
    over = abs(np.mean(each))  # one batch of three
    assert sensitivity(PROBLEM, "average over batches", THETA, X)[place] == pytest.approx(over, rel=1e-4, abs=1e-7)
    assert sensitivity(PROBLEM, "momentum", THETA, X)[place] == pytest.approx(0.1 * over, rel=1e-4, abs=1e-7)


def test_two_epochs_are_two_passes_over_the_clients_data() -> None:
    rng = np.random.default_rng(1)
    sizes = (BATCH + 3, 4, 2 * BATCH)
    x, y = tuple(rng.normal(size=(n, 6)) for n in sizes), tuple(rng.integers(0, 3, n) for n in sizes)
    problem = PerceptronProblem(x, y, 0, hidden=(5,), classes=3)
    found = local(
        problem, np.stack([2 * THETA, THETA]), np.array([0, 0.1]), [np.random.default_rng(k) for k in range(3)]
    )[1]
    assert EPOCHS == 2
    for k, size in enumerate(sizes):
        own, draw = THETA, np.random.default_rng(k)
        for _ in range(2):
            order = draw.permutation(size)
            for rows in np.split(order, range(BATCH, size, BATCH)):
                mean = problem.sample_gradients(k, own, rows).mean(axis=0)
                own = own - STEP * (mean + 0.1 * (own - THETA))
        np.testing.assert_allclose(found[k], own, rtol=1e-11, atol=1e-13)


def test_a_run_is_that_of_its_seed_and_zeta_is_that_of_the_clients() -> None:
    division = divided(TASKS[0], 0)
    one, two = (
        measured(division, [Method("momentum")], 0, 2)[0],
        measured(division, [Method(prox=0.1), Method("momentum")], 0, 2)[1],
    )
    assert all((one[name] == two[name]).all() and len(one[name]) == 2 for name in ("hits", "boosted", "mean"))
    each = [sensitivity(division.problem, "momentum", division.start, own) for own in division.held]
    zeta = elasticity(np.average(each, axis=0, weights=division.problem.sample_sizes), 0.5)
    assert one["boosted"][0] == boosted_share(zeta) and one["mean"][0] == pytest.approx(zeta.mean())
    scaled, plain = measured(division, [Method("momentum", scaled=True), Method()], 0, 1)
    assert scaled["mean"] == one["mean"][:1] and set(plain) == {"hits"}


def test_the_data_of_a_replicate_are_apart() -> None:
    division = divided(TASKS[0], 4)
    held, trained = sum(map(len, division.held)), int(division.problem.sample_sizes.sum())
    assert held + trained in range(1390, 1398) and len(division.test) == 400  # a client with one image is left out
    labels = [method.label for method in OPTIMISERS], [method.label for method in FORMS]
    assert all(len(set(own)) == len(own) and not any("/" in label for label in own) for own in labels)


def test_faults_of_partitions_are_told() -> None:
    assert partition_fault([np.array([0, 2]), np.array([1])], 3) == ""
    assert "two clients" in partition_fault([np.array([0, 1]), np.array([1])], 3)
    assert "no client" in partition_fault([np.array([0]), np.array([1])], 3)
