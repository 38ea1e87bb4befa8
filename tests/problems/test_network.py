"""The network of one hidden layer: derivatives, batches, starts, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.algorithms import FedAvg, OneWayGradientTransfer, SchemeII
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.network import NetworkProblem, network_start
from fltheory.problems.oracles import MiniBatch
from fltheory.problems.regulariser import CONVENTIONS, Regulariser
from fltheory.problems.scaled import Scaled
from fltheory.simulate import simulate

SIZES = (5, 8, 6)


def make(seed, hidden=4, strength=0.05, sizes=SIZES):
    rng = np.random.default_rng(seed)
    features = tuple(rng.standard_normal((n, 3)) for n in sizes)
    labels = tuple(rng.choice([-1, 1], n) for n in sizes)
    return NetworkProblem(features, labels, Regulariser(strength, CONVENTIONS[1]), hidden=hidden)


def point(problem, seed, *shape):
    return np.random.default_rng(seed).standard_normal((*shape, problem.dimension))


def distance_to_kinks(problem, w):
    matrix, shift, _, _ = problem.parts(w)
    return min(float(np.abs(x @ matrix.T + shift).min()) for x in problem.features)


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_gradient_is_the_derivative_away_from_kinks(seed):
    problem = make(seed)
    w, v, h = point(problem, seed + 1), point(problem, seed + 2), 1e-6
    reach = h * max(float(np.abs(v).max()) * (np.abs(x).sum(axis=1).max() + 1) for x in problem.features)
    if distance_to_kinks(problem, w) <= reach:
        return
    slope = (problem.value(w + h * v) - problem.value(w - h * v)) / (2 * h)
    assert slope == pytest.approx(problem.gradient(w) @ v, rel=1e-6, abs=1e-7)
    values = (problem.client_values(w + h * v) - problem.client_values(w - h * v)) / (2 * h)
    own = problem.client_gradients(np.broadcast_to(w, (3, problem.dimension))) @ v
    np.testing.assert_allclose(values, own, rtol=1e-6, atol=1e-7)


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_samples_average_to_the_client(seed):
    problem = make(seed)
    w = point(problem, seed, 2)
    for k in range(problem.n_clients):
        every = problem.sample_gradients(k, w)
        assert every.shape == (2, SIZES[k], problem.dimension)
        np.testing.assert_allclose(every.mean(axis=-2), problem.client_gradient(k, w), rtol=1e-11, atol=1e-13)
        some = problem.sample_gradients(k, w, np.array([1, 1]))
        np.testing.assert_allclose(some[:, 0], every[:, 1], rtol=1e-12, atol=1e-14)


def test_the_value_is_that_of_the_formula():
    problem = make(3, hidden=2, strength=0.0)
    w = point(problem, 4)
    matrix, shift, output, constant = w[:6].reshape(2, 3), w[6:8], w[8:10], w[10]
    losses = []
    for x, y in zip(problem.features, problem.labels, strict=True):
        scores = [output @ np.maximum(matrix @ row + shift, 0) + constant for row in x]
        np.testing.assert_allclose(problem.scores(x, w), scores)
        losses.append(np.mean([np.log1p(np.exp(-label * score)) for label, score in zip(y, scores, strict=True)]))
    np.testing.assert_allclose(problem.client_values(w), losses)


def test_batches_are_means_of_samples_and_do_not_see_their_neighbours():
    problem = make(5)
    rng = np.random.default_rng(6)
    clients = rng.integers(0, 3, (4, 7))
    rows = rng.integers(0, 5, (4, 7, 3))
    x = point(problem, 7, 4, 7)
    together = problem.batch_gradients(clients, x, rows)
    for run, slot in np.ndindex(4, 7):
        alone = problem.sample_gradients(int(clients[run, slot]), x[run, slot], rows[run, slot]).mean(axis=0)
        np.testing.assert_allclose(together[run, slot], alone, rtol=1e-11, atol=1e-13)
        one = problem.batch_gradients(
            clients[run : run + 1, slot : slot + 1],
            x[run : run + 1, slot : slot + 1],
            rows[run : run + 1, slot : slot + 1],
        )
        np.testing.assert_array_equal(one[0, 0], together[run, slot])


def test_bits_of_a_run_do_not_depend_on_its_company():
    problem = make(8, sizes=(20, 20, 20, 20))
    mixed = MixedProblem(Scaled(problem, 0.5), Scaled(make(9, sizes=(30,)), 0.5))
    start = network_start(3, 4, seed=1)
    options = dict(
        rounds=5,
        seed=2,
        oracle=MiniBatch(3),
        centre_oracle=MiniBatch(6, replacement=True),
        start=start,
        reference=False,
        keep_models=True,
    )
    algorithm = OneWayGradientTransfer(2, 0.3, participation=SchemeII(2))
    # SchemeII needs p_k = 1/N for an average of the cohort: all sizes are equal here.
    company = simulate(mixed, algorithm, runs=3, **options)
    alone = simulate(mixed, algorithm, runs=1, first_run=1, **options)
    chunks = simulate(mixed, algorithm, runs=3, chunk=2, **options)
    np.testing.assert_array_equal(company.models[1], alone.models[0])
    np.testing.assert_array_equal(company.models, chunks.models)
    assert company.completed and company.objective[0, -1] < company.objective[0, 0]


def test_the_start_is_that_of_its_seed():
    start = network_start(10, 6, seed=3)
    assert start.shape == (6 * 12 + 1,)
    np.testing.assert_array_equal(start, network_start(10, 6, seed=np.random.SeedSequence(3)))
    assert (start != network_start(10, 6, seed=4)).any()
    assert np.abs(start[:60]).max() <= np.sqrt(6 / 16) < 1.2 * np.abs(start[:60]).max()
    assert not start[60:66].any() and start[66:72].all() and start[72] == 0


def test_constants_do_not_exist():
    problem = make(1)
    for name in (
        "minimiser",
        "minimum",
        "smoothness",
        "strong_convexity",
        "client_minima",
        "client_minimisers",
        "gamma",
    ):
        with pytest.raises(ValueError, match="not convex"):
            getattr(problem.constants, name)
    with pytest.raises(ValueError, match="not convex"):
        problem.loss_curvature_at(0, point(problem, 0))
    run = simulate(problem, FedAvg(2, 0.1), rounds=2, start=point(problem, 2))
    assert run.gap is None and "not convex" in run.reference and np.isfinite(run.objective).all()
    mixed = MixedProblem(problem, make(2, sizes=(4,)))
    run = simulate(mixed, OneWayGradientTransfer(2, 0.1), rounds=2, start=point(problem, 2))
    assert run.gap is None and run.reference


def test_errors():
    x, y = (np.ones((2, 3)),), (np.array([1, -1]),)
    with pytest.raises(ValueError, match="labels -1 and 1"):
        NetworkProblem(x, (np.array([0, 1]),), 0)
    with pytest.raises(ValueError, match="hidden=0"):
        NetworkProblem(x, y, 0, hidden=0)
    with pytest.raises(ValueError, match="last axes"):
        NetworkProblem(x, y, 0).scores(x[0], np.zeros(3))
    with pytest.raises(ValueError, match="features=0"):
        network_start(0, seed=1)
