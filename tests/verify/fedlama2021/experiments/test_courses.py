"""The analogue of FedLAMA's experiments: splits, what a run records, and what a course makes of it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from fltheory.algorithms.showing import Showing
from fltheory.problems.oracles.minibatch import MiniBatch
from fltheory.simulate.loop import simulate
from verify.fedlama2021.experiments.courses import (
    BATCH,
    CONTENDERS,
    HALF,
    RULES,
    Contender,
    LamaCourse,
    measured,
)
from verify.fedlama2021.experiments.task import NARROWING, TASKS, WIDENING, split, start_of

DIGITS = TASKS[0]


def test_the_split_gives_every_example_to_one_client() -> None:
    labels = np.arange(600) % 10
    parts = split(labels, 6, 0.1, 4)
    assert sorted(np.concatenate(parts).tolist()) == list(range(600))
    assert min(map(len, parts)) >= 10


def test_the_problem_has_the_training_images_and_the_networks_their_layers() -> None:
    problem, test, answers = DIGITS.problem(WIDENING, 3)
    assert sum(problem.sample_sizes) == DIGITS.settings()["train"] == 1397 and len(test) == len(answers) == 400
    assert (problem.weights == 0.1).all() and problem.blocks.sizes == (520, 216, 1000, 410)
    assert DIGITS.problem(NARROWING, 3)[0].blocks.sizes == (1040, 204, 156, 130)


@pytest.mark.parametrize("method", [Contender(2, RULES[1]), Contender(2, RULES[0], share=2)], ids=lambda m: m.label)
def test_averagings_are_those_of_the_algorithm(method: Contender) -> None:
    found = measured(DIGITS, method, 1)
    problem, test, answers = DIGITS.problem(method.units(DIGITS), 1)
    options = dict(seed=1, oracle=MiniBatch(BATCH, replacement=True), start=start_of(method.units(DIGITS), 1))
    algorithm = method.algorithm(10, 4)
    shown = simulate(
        problem, Showing(algorithm, "averaged"), rounds=3, keep_models=True, reference=False, **options
    ).models
    firsts = list(problem.blocks.offsets)
    np.testing.assert_array_equal(shown[0, 1:, firsts].T, found["averaged"][:3])
    model = simulate(problem, algorithm, rounds=3, reference=False, **options).final[0]
    assert found["hits"][2] == (problem.scores(test, model).argmax(axis=-1) == answers).sum()


def test_fedavg_averages_all_layers_and_costs_its_share() -> None:
    for every, cost in ((6, Fraction(1)), (12, Fraction(1, 2))):
        method = Contender(2, every=every)
        found = measured(DIGITS, method, 1)
        course = LamaCourse(method, (0.5,) * 24, tuple(map(tuple, found["averaged"].tolist())), (520, 216, 1000, 410))
        assert course.cost() == cost and course.late() == course.curve() == 0.5


def test_labels_are_names() -> None:
    labels = [method.label for method in (*CONTENDERS, *HALF)]
    assert len(set(labels)) == len(labels) and not any("/" in label for label in labels)
