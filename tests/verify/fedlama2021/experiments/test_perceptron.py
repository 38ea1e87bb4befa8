"""The analogue of FedLAMA's networks: gradients, splits, and what a course records."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from fltheory.algorithms.showing import Showing
from verify.fedlama2021.experiments.courses import BATCH, RULES, Contender, course, data_of
from verify.fedlama2021.experiments.perceptron import WIDENING, Perceptron, layers_of, split, start_of


@pytest.fixture
def small() -> Perceptron:
    rng = np.random.default_rng(1)
    return Perceptron((4, 5, 3), rng.normal(size=(9, 4)), np.arange(9) % 3, (np.arange(4), np.arange(4, 9)))


def test_gradients_are_those_of_the_losses(small: Perceptron) -> None:
    w = start_of(small.units, 2)
    found = small.client_gradients(np.stack([w, w]))
    steps = 1e-6 * np.eye(small.dimension)
    slopes = np.array([small.client_values(w + e) - small.client_values(w - e) for e in steps]) / 2e-6
    np.testing.assert_allclose(found, slopes.T, atol=1e-8)
    np.testing.assert_allclose(small.gradient(w), found.mean(axis=0))
    assert small.value(w) == pytest.approx(small.client_values(w).mean())


def test_a_batch_of_all_examples_is_the_gradient(small: Perceptron) -> None:
    w = start_of(small.units, 3)
    batch = small.batch_gradients(np.array([[1]]), w[None, None], np.arange(5)[None, None])
    np.testing.assert_allclose(batch[0, 0], small.client_gradients(w[None], np.array([1]))[0])
    np.testing.assert_allclose(small.sample_gradients(1, w).mean(axis=0), batch[0, 0])


def test_the_split_gives_every_example_to_one_client() -> None:
    labels = np.arange(600) % 10
    parts = split(labels, 6, 0.1, 4)
    assert sorted(np.concatenate(parts).tolist()) == list(range(600))
    assert min(map(len, parts)) >= 10


def test_layers() -> None:
    assert layers_of(WIDENING).sizes == (520, 216, 1000, 410)


def test_averagings_and_cost() -> None:
    import fltheory as fl

    method = Contender(2, RULES[1])
    found = course(method, 1)
    problem = data_of(method.units, 1)[0]
    shown = fl.simulate(
        problem,
        Showing(method.algorithm, "averaged"),
        rounds=3,
        seed=1,
        oracle=fl.MiniBatch(BATCH, replacement=True),
        start=start_of(method.units, 1),
        keep_models=True,
        reference=False,
    ).models
    for r in range(3):
        assert [int(shown[0, r + 1, first]) for first in problem.blocks.offsets] == list(found.averaged[r])
    assert course(Contender(2, every=6), 1).cost() == 1
    assert course(Contender(2, every=12), 1).cost() == Fraction(1, 2)
