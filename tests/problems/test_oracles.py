"""Oracles: covariances against full enumeration in exact arithmetic, draws against covariances, errors."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.problems.along import second_moment_along, second_moments
from fltheory.problems.least_squares import ridge_regression
from fltheory.problems.logistic import LogisticProblem
from fltheory.problems.oracles import AdditiveNoise, Exact, FiniteSupportNoise, MiniBatch, gradient_variance
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.regulariser import Regulariser
from fltheory.problems.tridiagonal import li_counterexample


def rational(rng, *shape):
    return np.array([Fraction(int(v), 2) for v in rng.integers(-5, 6, shape).ravel()], dtype=object).reshape(shape)


def rational_ridge(seed, sizes=(4, 3), d=2):
    rng = np.random.default_rng(seed)
    xs, ys = [rational(rng, n, d) for n in sizes], [rational(rng, n) for n in sizes]
    return ridge_regression(xs, ys, Regulariser(Fraction(1, 3), "lambda/2|w|^2")), rational(rng, d)


@given(st.integers(0, 10**6), st.integers(1, 3), st.booleans(), st.integers(0, 1))
@settings(max_examples=30, deadline=None)
def test_batch_covariance_is_that_of_all_batches(seed, size, replacement, client):
    problem, w = rational_ridge(seed)
    oracle = MiniBatch(size, replacement=replacement)
    gradients = problem.sample_gradients(client, w)
    mean, second, total = 0, 0, 0
    for probability, rows in oracle.batches(len(gradients)):
        answer = gradients[list(rows)].sum(axis=0) / size
        total += probability
        mean = mean + probability * answer
        second = second + probability * np.outer(answer, answer)
    assert total == 1
    assert (mean == problem.client_gradients(w[None], np.array([client]))[0]).all()
    covariance = oracle.covariance(problem, client, w)
    assert (covariance == second - np.outer(mean, mean)).all()
    assert oracle.variance(problem, w)[client] == np.trace(covariance)


def test_full_batch_without_replacement_is_exact():
    problem, w = rational_ridge(5, sizes=(3, 3))
    assert list(MiniBatch(3).variance(problem, w)) == [0, 0]
    drawn = MiniBatch(3).draw(problem, None, np.stack([w, w]), np.random.default_rng(0))
    assert (drawn == problem.client_gradients(np.stack([w, w]))).all()
    with pytest.raises(ValueError, match="size=4 exceeds the 3 samples"):
        MiniBatch(4).variance(problem, w)
    assert MiniBatch(4, replacement=True).variance(problem, w)[0] > 0


ORACLES = [
    MiniBatch(2),
    MiniBatch(2, replacement=True),
    AdditiveNoise(0.5),
    AdditiveNoise(np.array([[[1.0, 0.5], [0.5, 2.0]], [[0.0, 0.0], [0.0, 3.0]]])),
    FiniteSupportNoise([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]], [0.25, 0.25, 0.25, 0.25]),
]


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda o: type(o).__name__)
def test_draws_have_the_stated_mean_and_covariance(oracle):
    problem, w = rational_ridge(7)
    problem, w = problem.to_float(), w.astype(float)
    runs = 20_000
    x = np.broadcast_to(w, (runs, 2, 2)).copy()
    draws = oracle.draw(problem, None, x, np.random.default_rng(3))
    for k in range(2):
        covariance = oracle.covariance(problem, k, w)
        deviations = draws[:, k] - problem.client_gradients(x[0])[k]
        standard_error = np.sqrt(np.diag(covariance) / runs)
        assert np.all(np.abs(deviations.mean(axis=0)) <= 5 * standard_error + 1e-12)
        products = deviations[:, :, None] * deviations[:, None, :]
        spread = products.std(axis=0) / np.sqrt(runs)
        assert np.all(np.abs(products.mean(axis=0) - covariance) <= 5 * spread + 1e-12)


def test_draws_are_reproducible_and_follow_the_slots():
    problem, w = rational_ridge(8)
    problem, w = problem.to_float(), w.astype(float)
    for oracle in [Exact(), *ORACLES]:
        x, clients = np.broadcast_to(w, (3, 4, 2)).copy(), np.array([1, 0, 1, 1])
        one, two = (oracle.draw(problem, clients, x, np.random.default_rng(1)) for _ in range(2))
        np.testing.assert_array_equal(one, two)
        assert one.shape == x.shape
    np.testing.assert_array_equal(
        Exact().draw(problem, clients, x, np.random.default_rng(0)), problem.client_gradients(x, clients)
    )


def test_exact_additive_covariances():
    problem = li_counterexample(2, 1, exact=True)
    assert list(gradient_variance(problem, AdditiveNoise(Fraction(1, 7)))) == [Fraction(3, 7)] * 2
    assert list(gradient_variance(problem, Exact())) == [0, 0]
    support = np.array([[Fraction(1), 0, 0], [Fraction(-1), 0, 0]], dtype=object)
    noise = FiniteSupportNoise(support, np.array([Fraction(1, 2)] * 2, dtype=object))
    assert list(gradient_variance(problem, noise)) == [1, 1]
    assert noise.covariance(problem, 0, np.zeros((4, 3))).shape == (4, 3, 3)


def test_state_dependent_variance_needs_a_point():
    problem, w = rational_ridge(1)
    with pytest.raises(ValueError, match="at=None: the variance of MiniBatch depends on the point"):
        gradient_variance(problem, MiniBatch(1))
    assert gradient_variance(problem, MiniBatch(1), at=np.stack([w, w])).shape == (2, 2)
    with pytest.raises(ValueError, match="samples=None"):
        gradient_variance(li_counterexample(2, 1), MiniBatch(1), at=np.zeros(3))


def test_second_moment_along_is_the_expected_squared_norm():
    problem, w = rational_ridge(11)
    x = np.stack([np.stack([w, 2 * w]), np.stack([3 * w, -w])])  # two steps, two clients
    oracle = MiniBatch(2)
    moments = second_moments(x, problem, oracle, layout="clients")
    for t in range(2):
        for k in range(2):
            gradients = problem.sample_gradients(k, x[t, k])
            want = 0
            for probability, rows in oracle.batches(len(gradients)):
                answer = gradients[list(rows)].sum(axis=0) / 2
                want += probability * (answer @ answer)
            assert moments[t, k] == want
    assert second_moment_along(x, problem, oracle, layout="clients") == max(moments.flat)
    mean = moments.sum(axis=0) / 2
    assert second_moment_along(x, problem, oracle, layout="clients", run_axis=0) == max(mean)
    server = second_moments(x[:, 0], problem, oracle, layout="server")
    assert server[0, 0] == moments[0, 0]
    with pytest.raises(ValueError, match="layout='neither'"):
        second_moments(x, problem, oracle, layout="neither")


def test_minibatches_of_a_logistic_problem():
    rng = np.random.default_rng(4)
    problem = LogisticProblem(
        (rng.standard_normal((4, 2)),), (np.array([1, -1, 1, 1]),), Regulariser(0.1, "lambda|w|^2")
    )
    w, oracle = rng.standard_normal(2), MiniBatch(2)
    gradients = problem.sample_gradients(0, w)
    answers = np.array([gradients[list(rows)].mean(axis=0) for _, rows in oracle.batches(4)])
    np.testing.assert_allclose(oracle.covariance(problem, 0, w), np.cov(answers.T, bias=True), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MiniBatch(0), "size=0"),
        (lambda: MiniBatch(1.5), "size=1.5"),
        (lambda: AdditiveNoise(-1.0), "not symmetric positive semidefinite"),
        (lambda: AdditiveNoise(Fraction(-1)), "not symmetric positive semidefinite"),
        (lambda: AdditiveNoise(np.array([[1.0, 2.0], [2.0, 1.0]])), "not symmetric positive semidefinite"),
        (lambda: AdditiveNoise(np.array([[1.0, 0.2], [0.0, 1.0]])), "not symmetric positive semidefinite"),
        (lambda: AdditiveNoise(np.nan), "covariance=nan"),
        (lambda: AdditiveNoise(np.ones(3)), r"covariance has shape \(3,\)"),
        (lambda: FiniteSupportNoise([[1.0], [0.0]], [0.5, 0.5]), "the noise has mean 0.5"),
        (lambda: FiniteSupportNoise([[1.0], [-1.0]], [0.5, 0.6]), "sum to 1.1"),
        (lambda: FiniteSupportNoise([[1.0], [-1.0]], [1.0]), r"probabilities has shape \(1,\)"),
        (lambda: AdditiveNoise(np.eye(2)).covariances(QuadraticProblem([[[1.0]]], [[0.0]])), r"expected \(1, 1\)"),
    ],
)
def test_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make()
