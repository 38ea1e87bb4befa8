"""The perceptron: derivatives away from kinks, layers as blocks, batches, starts, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fltheory as fl
from fltheory.problems.data.federated import FederatedData

SIZES = (5, 8, 6)
RIDGE = fl.Regulariser(0.05, "lambda/2|w|^2")


def make(seed, hidden=(4, 3), regulariser=RIDGE, classes=3):
    rng = np.random.default_rng(seed)
    features = tuple(rng.standard_normal((n, 3)) for n in SIZES)
    labels = tuple(rng.integers(0, classes, n) for n in SIZES)
    return fl.PerceptronProblem(features, labels, regulariser, hidden=hidden, classes=classes)


def point(problem, seed, *shape):
    return np.random.default_rng(seed).standard_normal((*shape, problem.dimension))


def signs(problem, w):
    """Which hidden units are above zero, for all examples."""
    found = []
    for x in problem.features:
        for matrix, shift in problem.layers(w)[:-1]:
            x = np.maximum(x @ matrix + shift, 0)
            found.append(x > 0)
    return np.concatenate([one.ravel() for one in found])


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_gradient_is_the_derivative_away_from_kinks(seed):
    problem = make(seed)
    w, v, h = point(problem, seed + 1), point(problem, seed + 2), 1e-6
    if (signs(problem, w + 2 * h * v) != signs(problem, w - 2 * h * v)).any():
        return
    slope = (problem.value(w + h * v) - problem.value(w - h * v)) / (2 * h)
    assert slope == pytest.approx(problem.gradient(w) @ v, rel=1e-6, abs=1e-7)
    values = (problem.client_values(w + h * v) - problem.client_values(w - h * v)) / (2 * h)
    own = problem.client_gradients(np.broadcast_to(w, (3, problem.dimension))) @ v
    np.testing.assert_allclose(values, own, rtol=1e-6, atol=1e-7)
    x, above = problem.features[1], np.random.default_rng(seed).standard_normal((SIZES[1], 3))
    change = (problem.scores(x, w + h * v) - problem.scores(x, w - h * v)) / (2 * h)
    assert problem.score_gradient(x, w, above) @ v == pytest.approx((change * above).sum(), rel=1e-6, abs=1e-6)


def test_at_a_kink_the_derivative_is_zero():
    problem = fl.PerceptronProblem(([[1.0]],), ([0],), 0, hidden=(1,), classes=2)
    w = np.array([0.0, 0.0, 1.0, -1.0, 0.0, 0.0])  # the unit gets 0, and 1 from it would change the scores
    np.testing.assert_array_equal(problem.gradient(w), [0, 0, 0, 0, -0.5, 0.5])


def test_the_value_is_that_of_the_formula():
    problem = make(3, hidden=(2,), regulariser=0)
    w = point(problem, 4)
    first, b, second, c = w[:6].reshape(3, 2), w[6:8], w[8:14].reshape(2, 3), w[14:]
    losses = []
    for x, y in zip(problem.features, problem.labels, strict=True):
        scores = np.array([np.maximum(row @ first + b, 0) @ second + c for row in x])
        np.testing.assert_allclose(problem.scores(x, w), scores)
        losses.append(np.mean([np.log(np.exp(s).sum()) - s[label] for s, label in zip(scores, y, strict=True)]))
    np.testing.assert_allclose(problem.client_values(w), losses)
    ridge = make(3, hidden=(2,))
    assert ridge.value(w) == pytest.approx(problem.value(w) + 0.025 * w @ w)


def test_units_that_hand_on_their_inputs_are_a_softmax_regression():
    rng = np.random.default_rng(5)
    features, labels = tuple(rng.uniform(0, 1, (2, 7, 3))), tuple(rng.integers(0, 4, (2, 7)))
    plain = fl.SoftmaxProblem(features, labels, 0, classes=4)
    layered = fl.PerceptronProblem(features, labels, 0, hidden=(3,), classes=4)
    matrix = rng.normal(size=(4, 4))  # the bias is the last column
    w = np.concatenate([np.eye(3).ravel(), np.zeros(3), matrix[:, :3].T.ravel(), matrix[:, 3]])
    np.testing.assert_allclose(layered.client_values(w), plain.client_values(matrix.ravel()))
    weights, shift = layered.layers(layered.gradient(w))[1]
    expected = plain.gradient(matrix.ravel()).reshape(4, 4)
    np.testing.assert_allclose(weights, expected[:, :3].T, atol=1e-15)
    np.testing.assert_allclose(shift[0], expected[:, 3], atol=1e-15)


def test_the_layers_are_the_blocks():
    problem = make(1, hidden=(4, 2), classes=5)
    assert problem.units == (3, 4, 2, 5) and problem.blocks.sizes == (16, 10, 15) and problem.dimension == 41
    assert problem.blocks.names == ("layer 1", "layer 2", "layer 3")
    numbers = problem.blocks.block_of.astype(float)
    for place, (matrix, shift) in enumerate(problem.layers(numbers)):
        assert (matrix == place).all() and (shift == place).all()


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_samples_average_to_the_client_and_batches_are_means_of_samples(seed):
    problem = make(seed)
    w = point(problem, seed, 2)
    for k in range(problem.n_clients):
        every = problem.sample_gradients(k, w)
        assert every.shape == (2, SIZES[k], problem.dimension)
        np.testing.assert_allclose(every.mean(axis=-2), problem.client_gradient(k, w), rtol=1e-11, atol=1e-13)
    rng = np.random.default_rng(seed)
    clients, rows = rng.integers(0, 3, (4, 3)), rng.integers(0, 5, (4, 3, 6))
    x = point(problem, seed, 4, 3)
    together = problem.batch_gradients(clients, x, rows)
    for run, slot in np.ndindex(4, 3):
        alone = problem.sample_gradients(int(clients[run, slot]), x[run, slot], rows[run, slot]).mean(axis=0)
        np.testing.assert_allclose(together[run, slot], alone, rtol=1e-11, atol=1e-13)
        own = (slice(run, run + 1), slice(slot, slot + 1))
        np.testing.assert_array_equal(
            problem.batch_gradients(clients[own], x[own], rows[own])[0, 0], together[run, slot]
        )


def test_the_start_is_that_of_its_seed():
    start = fl.perceptron_start(200, (30, 20), 10, seed=3)
    assert start.shape == (201 * 30 + 31 * 20 + 21 * 10,)
    np.testing.assert_array_equal(start, fl.perceptron_start(200, (30, 20), 10, seed=np.random.SeedSequence(3)))
    assert (start != fl.perceptron_start(200, (30, 20), 10, seed=4)).any()
    assert start[:6000].std() == pytest.approx(np.sqrt(2 / 200), rel=0.05)
    assert not start[6000:6030].any() and not start[6630:6650].any() and not start[-10:].any()


def test_constants_do_not_exist():
    problem = make(1)
    for name in ("minimiser", "minimum", "smoothness", "strong_convexity", "client_minima", "gamma"):
        with pytest.raises(ValueError, match="not convex"):
            getattr(problem.constants, name)
    for call in (lambda: problem.loss_curvature, lambda: problem.loss_curvature_at(0, point(problem, 0))):
        with pytest.raises(ValueError, match="of a perceptron does not exist: the loss is not convex"):
            call()
    run = fl.simulate(problem, fl.FedAvg(2, 0.1), rounds=2, start=point(problem, 2))
    assert run.gap is None and "not convex" in run.reference and np.isfinite(run.objective).all()


def test_exact_readings_refuse_it():
    with pytest.raises(ValueError, match="PerceptronProblem"):
        fl.round_map(make(1), fl.FedAvg(2, 0.1))


def test_data_make_perceptrons():
    problem = make(2)
    data = FederatedData(problem.features, problem.labels, 4)
    built = data.perceptron((4, 3), RIDGE, weights="uniform")
    assert built.units == (3, 4, 3, 4) and (built.weights == 1 / 3).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(hidden=()), r"hidden=\(\) has no layer"),
        (dict(hidden=(3, 0)), r"hidden\[1\]=0"),
        (dict(hidden=4), "hidden=4 is no sequence"),
        (dict(hidden=(2.5,)), r"hidden\[0\]=2.5"),
        (dict(classes=2), r"labels\[0\] lies in 0..2; expected 0..1"),
        (dict(classes=1), "classes=1"),
        (dict(labels=(np.array([0, -1]), np.array([1]))), r"labels\[0\] lies in -1..0"),
        (dict(weights=(0.5, 0.6)), "weights sum"),
    ],
)
def test_what_is_refused(change, message):
    given_ = dict(features=(np.ones((2, 3)), np.ones((1, 3))), labels=(np.array([0, 2]), np.array([1])), regulariser=0)
    with pytest.raises(ValueError, match=message):
        fl.PerceptronProblem(**{**given_, **change})
    good = fl.PerceptronProblem(**given_)
    for call in (lambda: good.scores(good.features[0], np.zeros(4)), lambda: good.gradient(np.zeros(4))):
        with pytest.raises(ValueError, match="w has shape|last axes"):
            call()
