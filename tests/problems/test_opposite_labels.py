"""Data whose two labels lie on two sides."""

import numpy as np
import pytest

from fltheory.problems.data import LabelledData, load_digits
from fltheory.problems.data.opposite_labels import halved, opposite_labels, with_ones
from fltheory.problems.network import NetworkProblem

ODD = (1, 3, 5, 7, 9)


def rows_of(source):
    return np.concatenate([*(x for x, _ in source.clients), source.centre[0], source.evaluation[0]])


def test_every_example_is_used_once_and_labels_are_apart():
    data = load_digits()
    source = opposite_labels(data, ODD, seed=1)
    assert all((y == 1).all() for _, y in source.clients) and (source.centre[1] == -1).all()
    assert {len(y) for _, y in source.clients} <= {31, 32} and len(source.evaluation[1]) == 359
    np.testing.assert_array_equal(source.side, source.evaluation[1] == 1)
    mine, theirs = rows_of(source), data.features
    np.testing.assert_array_equal(mine[np.lexsort(mine.T)], theirs[np.lexsort(theirs.T)])
    again, other = opposite_labels(data, ODD, seed=1), opposite_labels(data, ODD, seed=2)
    np.testing.assert_array_equal(again.centre[0], source.centre[0])
    assert other.centre[0].shape != source.centre[0].shape or (other.centre[0] != source.centre[0]).any()


def test_shuffled_and_by_classes():
    data = load_digits()
    source, plain = opposite_labels(data, ODD, seed=1, shuffled=True), opposite_labels(data, ODD, seed=1)
    assert len(source.clients) == len(plain.clients) and len(source.centre[1]) == len(plain.centre[1])
    np.testing.assert_array_equal(source.evaluation[1], plain.evaluation[1])
    assert 0.4 < (source.centre[1] == 1).mean() < 0.6
    classes = opposite_labels(data, ODD, seed=1, federated=(5, 6, 7, 8, 9))
    assert 0.3 < (classes.centre[1] == 1).mean() < 0.7 and 0.4 < classes.side.mean() < 0.6


def test_the_mixed_problem_weighs_the_two_sides():
    source = opposite_labels(load_digits(), ODD, seed=3)
    for model, dimension in (("network", 64 * 66 + 1), ("logistic", 65)):
        w = 0.1 * np.random.default_rng(0).standard_normal(dimension)
        mixed = source.mixed(model, federated_weight=0.25)
        expected = 0.25 * source.federated(model).value(w) + 0.75 * source.central(model).value(w)
        assert mixed.value(w) == pytest.approx(float(expected))
        np.testing.assert_allclose(mixed.weights, 1 / len(source.clients))
        sizes = sum(len(y) for _, y in source.clients) + len(source.centre[1])
        assert source.pooled(model).sample_sizes.tolist() == [sizes]
    assert isinstance(source.pooled("network"), NetworkProblem)
    with pytest.raises(ValueError, match="model='tree'"):
        source.mixed("tree")


def test_halved_images_and_ones():
    data = LabelledData(np.arange(32.0).reshape(2, 16) / 32, np.array([0, 1]), 2)
    np.testing.assert_allclose(halved(data).features[0], np.array([2.5, 4.5, 10.5, 12.5]) / 32)
    with pytest.raises(ValueError, match="square images"):
        halved(LabelledData(np.ones((2, 9)), np.array([0, 1]), 2))
    np.testing.assert_array_equal(with_ones(np.zeros((2, 1)))[:, 1], [1, 1])


def test_errors():
    data = load_digits()
    with pytest.raises(ValueError, match="evaluation=1"):
        opposite_labels(data, ODD, seed=1, evaluation=1.0)
    with pytest.raises(ValueError, match="client_size=5000"):
        opposite_labels(data, ODD, seed=1, client_size=5000)
    with pytest.raises(ValueError, match="client_size=0"):
        opposite_labels(data, ODD, seed=1, client_size=0)
