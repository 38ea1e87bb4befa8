"""The analogue of the elastic supplement's figures: its gradients against differences, its splits, its sensitivities."""

from __future__ import annotations

import numpy as np
import pytest

from verify.elastic2023 import analogue
from verify.elastic2023.analogue import CLASSES, EPOCHS, HIDDEN, STEP, Method, course, sensitivity
from verify.elastic2023.data_splits import partition_fault

RNG = np.random.default_rng(7)
THETA = RNG.normal(0, 0.3, 64 * HIDDEN + HIDDEN + HIDDEN * CLASSES + CLASSES)
FEATURES, LABELS = RNG.uniform(0, 1, (3, 64)), np.array([0, 4, 9])
PLACES = [0, 700, 64 * HIDDEN + 3, 64 * HIDDEN + HIDDEN + 17, len(THETA) - 2]


def difference(value: object, place: int, width: float = 1e-6) -> float:
    step = np.zeros_like(THETA)
    step[place] = width
    return float(value(THETA + step) - value(THETA - step)) / (2 * width)  # type: ignore[operator]


@pytest.mark.parametrize("place", PLACES)
def test_average_sensitivity_is_the_mean_of_the_absolute_gradients(place: int) -> None:
    each = [
        abs(difference(lambda t, x=x: (analogue._forward(t, x[None])[1] ** 2).sum(), place))  # type: ignore[misc]
        for x in FEATURES
    ]
    assert sensitivity("average", THETA, FEATURES)[place] == pytest.approx(np.mean(each), rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("place", PLACES)
def test_local_steps_follow_the_gradient_of_the_cross_entropy(place: int) -> None:
    def loss(t: np.ndarray) -> float:
        outputs = analogue._forward(t, FEATURES)[1]
        return float(np.mean(np.log(np.exp(outputs).sum(axis=1)) - outputs[np.arange(3), LABELS]))

    moved = analogue._local(THETA, (FEATURES, LABELS), np.arange(3), 0.0, np.random.default_rng(0))
    assert EPOCHS == 2 and (THETA - moved)[place] / STEP == pytest.approx(
        2 * difference(loss, place), rel=0.3, abs=1e-3
    )


def test_a_run_is_that_of_its_seed() -> None:
    one = course(Method("momentum"), 0, 2)
    course.cache_clear()
    assert course(Method("momentum"), 0, 2) == one and len(one.boosted) == 2


def test_faults_of_partitions_are_told() -> None:
    assert partition_fault([np.array([0, 2]), np.array([1])], 3) == ""
    assert "two clients" in partition_fault([np.array([0, 1]), np.array([1])], 3)
    assert "no client" in partition_fault([np.array([0]), np.array([1])], 3)
