"""Special cases of mixed FL, exactly: a vanishing central weight, identical losses, a common minimiser, S = N."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem

ETA, STEPS = Fraction(1, 10), 3
Maker = Callable[..., Any]
ALGORITHMS: dict[str, Maker] = {
    "PT": lambda **more: fl.ParallelTraining(STEPS, ETA, ETA, **more),
    "1-way": lambda **more: fl.OneWayGradientTransfer(STEPS, ETA, **more),
    "2-way": lambda **more: fl.TwoWayGradientTransfer(STEPS, ETA, ETA, **more),
}
START = np.array([Fraction(1), Fraction(-2)])


def exact(values: Any) -> Any:
    """Whole numbers and fractions as an array of fractions."""
    return np.vectorize(Fraction)(np.array(values, dtype=object))


def quadratic(matrices: Any, vectors: Any) -> QuadraticProblem:
    return QuadraticProblem(exact(matrices), exact(vectors))


def clients() -> QuadraticProblem:
    """Three clients with different curvatures and minimisers."""
    return quadratic([[[2, 0], [0, 1]], [[1, 1], [1, 3]], [[3, 0], [0, 1]]], [[1, 2], [0, 1], [2, -1]])


def centre(weight: Any = 1) -> QuadraticProblem:
    one = quadratic([[[1, 0], [0, 2]]], [[-1, 3]])
    return QuadraticProblem(one.matrices * Fraction(weight), one.vectors * Fraction(weight))


def end(problem: Any, algorithm: Any, rounds: int = 3) -> Any:
    return fl.moments(problem, algorithm, rounds=rounds, start=START, exact=True).mean[-1]


@pytest.mark.parametrize("name", ["PT", "1-way"])
def test_a_vanishing_central_weight_gives_fedavg_in_the_limit(name: str) -> None:
    limit = end(clients(), fl.FedAvg(STEPS, ETA))
    gaps = [
        end(MixedProblem(clients(), centre(weight)), ALGORITHMS[name]()) - limit for weight in ("1/1000", "1/1000000")
    ]
    ratios = [float(large / small) for large, small in zip(*gaps, strict=True)]
    np.testing.assert_allclose(ratios, 1000.0, rtol=0.02)  # the difference is linear in w_c


def test_two_way_without_a_central_loss_repeats_the_update_of_the_round_before() -> None:
    """The centre then moves along gt_f only: x+ = x + Delta(x) + Delta(previous x), no FedAvg."""
    problem, points, changes = clients(), [START], []
    for _ in range(4):
        changes.append(end_from(problem, points[-1]) - points[-1])
        points.append(points[-1] + sum(changes[-2:]))
    mixed = MixedProblem(problem, quadratic([[[0, 0], [0, 0]]], [[0, 0]]))
    found = fl.trajectory(mixed, ALGORITHMS["2-way"](), rounds=4, start=START, exact=True).models
    assert (found == np.array(points)).all()


def end_from(problem: Any, point: Any) -> Any:
    return fl.trajectory(problem, fl.FedAvg(STEPS, ETA), rounds=1, start=point, exact=True).models[-1]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_cohort_of_all_clients_is_full_participation(name: str) -> None:
    problem = MixedProblem(clients(), centre())
    found = [
        fl.moments(problem, ALGORITHMS[name](participation=scheme), rounds=3, start=START, exact=True)
        for scheme in (fl.Full(), fl.SchemeII(3))
    ]
    assert (found[0].deviations == found[1].deviations).all()
    sampled = fl.moments(problem, ALGORITHMS[name](participation=fl.SchemeII(2)), rounds=3, start=START, exact=True)
    assert (found[0].deviations != sampled.deviations).any()


def test_identical_losses_make_averaged_parallel_training_gradient_descent() -> None:
    loss = quadratic([[[2, 1], [1, 2]]], [[1, 0]])
    mixed = MixedProblem(loss, loss)
    algorithm = fl.ParallelTraining(STEPS, ETA, ETA, merge="average")
    assert (end(mixed, algorithm) == end(loss, fl.FedAvg(STEPS, ETA))).all()
    summed = end(mixed, fl.ParallelTraining(STEPS, ETA, ETA), rounds=1) - START
    assert (summed == 2 * (end(loss, fl.FedAvg(STEPS, ETA), rounds=1) - START)).all()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_without_dissimilarity_at_the_minimiser_there_is_no_bias(name: str) -> None:
    """G = 0: both losses have their minimum at (1, 1), with different curvatures."""
    problem = MixedProblem(quadratic([[[2, 0], [0, 1]]], [[2, 1]]), quadratic([[[1, 0], [0, 3]]], [[1, 3]]))
    assert (fl.fixed_point(problem, ALGORITHMS[name](), exact=True) == 1).all()
    moved = MixedProblem(problem.clients, quadratic([[[1, 0], [0, 3]]], [[2, 3]]))
    biased = fl.fixed_point(moved, fl.ParallelTraining(STEPS, ETA, ETA), exact=True)
    assert (biased != moved.constants.minimiser).any()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_verbs_take_mixed_algorithms(name: str) -> None:
    problem, algorithm = MixedProblem(clients(), centre()), ALGORITHMS[name]()
    run = fl.simulate(problem, algorithm, rounds=5, start=START.astype(float))
    trajectory = fl.moments(problem, algorithm, rounds=5, start=START)
    np.testing.assert_allclose(run.gap[0], trajectory.gap, rtol=1e-9, atol=1e-12)  # type: ignore[index]
    assert fl.round_map(problem, algorithm).spectral_radius() < 1
