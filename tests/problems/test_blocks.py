"""Layers of problems: sizes, coordinates, and that conversions keep them."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems import Scaled, SoftmaxProblem, blocks_of
from fltheory.problems.blocks import Blocks
from fltheory.problems.on_clients import OnClients
from fltheory.problems.spreadout import Shape
from fltheory.readings.entry import dense, enter
from fltheory.readings.numbers import FLOAT, RATIONAL, convert_problem, rational_functions

NAMED = Blocks.of({"first": 1, "second": 2})
QUADRATIC = fl.with_blocks(fl.QuadraticProblem(np.stack([np.eye(3), 2 * np.eye(3)]), np.ones((2, 3))), NAMED)


def test_sizes_offsets_and_coordinates() -> None:
    assert len(NAMED) == 2 and NAMED.dimension == 3 and NAMED.offsets == (0, 1)
    assert NAMED.indices("second").tolist() == NAMED.indices(1).tolist() == [1, 2]
    assert NAMED.chosen(["second"]) == NAMED.chosen([1]) == NAMED.chosen({1}) == NAMED.chosen((False, True))
    assert NAMED.chosen(()) == (False, False)
    assert NAMED.coordinates(["second"]).tolist() == [False, True, True]
    assert NAMED.spread([5, 6]) == [5, 6, 6] and NAMED.spread([1, 2, 3]) == [1, 2, 3]
    assert NAMED.sums(np.array([[1.0, 2.0, 3.0]])).tolist() == [[1.0, 5.0]]
    mixed = Blocks(("even", "odd"), (2, 1), (0, 1, 0))
    assert mixed.indices("even").tolist() == [0, 2] and mixed.spread([5, 6]) == [5, 6, 5]
    with pytest.raises(ValueError, match="do not lie one after the other"):
        _ = mixed.offsets
    assert Blocks.of([2, 3]).names == ("layer 1", "layer 2")


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Blocks.of({}), "expected at least one block"),
        (lambda: Blocks(("a", "a"), (1, 1)), "no name twice"),
        (lambda: Blocks.of([0]), "size of a block=0"),
        (lambda: Blocks.of(3), "are no sizes of blocks"),  # type: ignore[arg-type]
        (lambda: Blocks(("a", "b"), (1, 1), (0, 0)), "do not fit the sizes"),
        (lambda: fl.with_blocks(QUADRATIC, [1, 1]), "expected d=3"),
        (lambda: NAMED.chosen(["third"]), "block 'third' is unknown"),
        (lambda: NAMED.chosen([2]), "block 2 is unknown"),
        (lambda: NAMED.chosen([True]), "one for each of 2 blocks"),
        (lambda: NAMED.chosen("first"), "is no choice of blocks"),
        (lambda: NAMED.spread([1, 2, 3, 4]), "expected one per coordinate"),
    ],
)
def test_what_is_refused(make: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()


def test_every_family_has_layers() -> None:
    x, y = [np.ones((4, 3))] * 2, [np.array([0, 1, 2, 1])] * 2
    softmax = SoftmaxProblem(tuple(x), tuple(y), fl.Regulariser(0.1, "lambda/2|w|^2"))
    assert softmax.blocks.names == ("weights", "bias") and softmax.blocks.sizes == (9, 3)
    matrix = softmax.matrix(softmax.blocks.block_of.astype(float))
    assert (matrix[:, -1] == 1).all() and (matrix[:, :-1] == 0).all()
    signs = [np.array([1, -1, 1, -1])] * 2
    network = fl.NetworkProblem(tuple(x), tuple(signs), fl.Regulariser(0.1, "lambda/2|w|^2"), hidden=5)
    assert network.blocks == Blocks(("hidden", "output"), (20, 6))
    perceptron = fl.PerceptronProblem(tuple(x), tuple(y), fl.Regulariser(0.1, "lambda/2|w|^2"), hidden=(5, 2))
    assert perceptron.blocks == Blocks(("layer 1", "layer 2", "layer 3"), (20, 12, 9))
    parts = network.parts(network.blocks.block_of)
    assert [set(np.ravel(part).tolist()) for part in parts] == [{0}, {0}, {1}, {1}]
    logistic = fl.LogisticProblem(tuple(x), tuple(signs), regulariser=fl.Regulariser(0.1, "lambda/2|w|^2"))
    for problem in (logistic, fl.li_counterexample(2, 2, 0.1), fl.ScalarProblem((fl.parabola(1, 0),))):
        assert problem.blocks == Blocks.one(problem.dimension)
    encoder = Shape(items=4, width=2)
    assert encoder.blocks.sizes == (8, 6) and encoder.blocks.dimension == encoder.size


def test_a_problem_that_names_none_has_one() -> None:
    class Own:
        n_clients, dimension, weights = 1, 4, np.ones(1)

    assert blocks_of(Own()) == Blocks.one(4)


@pytest.mark.parametrize(
    "problem",
    [
        QUADRATIC,
        Scaled(QUADRATIC, 0.5),
        fl.with_blocks(Scaled(fl.QuadraticProblem(np.eye(3)[None], np.ones((1, 3))), 2.0), NAMED),
        fl.MixedProblem(QUADRATIC, fl.QuadraticProblem(np.eye(3)[None], np.ones((1, 3)))),
        fl.with_blocks(fl.li_tridiagonal(2, 1, 0.1), NAMED),
    ],
)
def test_conversions_keep_the_layers(problem: Any) -> None:
    field = rational_functions("eta")[0]
    kept = [problem, copy.copy(problem), pickle.loads(pickle.dumps(problem)), dense(problem)]
    kept += [convert_problem(problem, numbers) for numbers in (FLOAT, RATIONAL, field)]
    kept += [enter(dense(problem), fl.FedAvg(1, 0.1), exact=True).problem] if not hasattr(problem, "centre") else []
    if hasattr(problem, "to_exact"):
        kept += [problem.to_exact(), problem.to_exact().to_float(), problem.to_dense()]
    assert all(blocks_of(one) == NAMED for one in kept)
    if hasattr(problem, "centre"):
        assert OnClients(problem).blocks == NAMED


def test_layers_leave_the_problem_alone() -> None:
    plain = fl.QuadraticProblem(np.eye(3)[None], np.ones((1, 3)))
    named = fl.with_blocks(plain, NAMED)
    assert plain.blocks == Blocks.one(3) and named.blocks == NAMED and named.matrices is plain.matrices


def test_layered_quadratics() -> None:
    """Gradients from the sum that they stand for; noise by layer."""
    sizes, h, c = {"a": 2, "b": 1}, [[1, 3], [F(1, 2), 2]], [[1, -1], [0, 4]]
    problem = fl.layered_quadratic(sizes, h, c, coupling=F(1, 4), weights=[F(1, 3), F(2, 3)])
    assert problem.blocks == Blocks.of(sizes) and problem.exact
    x = np.array([F(1), F(2), F(5)], dtype=object)
    tie = (x[1] - x[2]) ** 2 / 8
    values = [sum(h[k][layer] * (x[i] - c[k][layer]) ** 2 / 2 for i, layer in enumerate((0, 0, 1))) for k in (0, 1)]
    assert problem.client_values(x).tolist() == [value + tie for value in values]
    whole = fl.layered_quadratic([2, 1], [1.0, 2.0], [[1.0, 2.0, 3.0]])
    assert whole.client_gradients(np.zeros((1, 3))).tolist() == [[-1.0, -2.0, -6.0]]
    noise = fl.layer_noise(problem, [[F(1), F(2)], [F(0), F(3)]])
    assert np.diag(noise.covariances(problem)[0]).tolist() == [1, 1, 2]
    assert fl.layer_noise(whole, [0.5, 0.25]).variance(whole, np.zeros(3)).tolist() == [1.25]
    with pytest.raises(ValueError, match="centres has shape"):
        fl.layered_quadratic(sizes, [1, 2], [[1, 2, 3, 4]])
    with pytest.raises(ValueError, match="curvatures has shape"):
        fl.layered_quadratic(sizes, [1, 2, 3], [[1, 2]])
    with pytest.raises(ValueError, match="variances has shape"):
        fl.layer_noise(problem, [1.0])
