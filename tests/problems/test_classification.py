"""Logistic and softmax regression: derivatives, certified constants, minimisers with certificates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.problems.logistic import LogisticProblem
from fltheory.problems.newton import certified_gram_norm
from fltheory.problems.regulariser import CONVENTIONS, Regulariser
from fltheory.problems.softmax import SoftmaxProblem


def make(kind, seed, strength=0.05, convention=CONVENTIONS[0], scale=1.0):
    rng = np.random.default_rng(seed)
    sizes = (5, 8, 3)
    features = tuple(scale * rng.standard_normal((n, 3)) for n in sizes)
    regulariser = Regulariser(strength, convention)
    if kind == "logistic":
        return LogisticProblem(features, tuple(rng.choice([-1, 1], n) for n in sizes), regulariser)
    return SoftmaxProblem(features, tuple(rng.integers(0, 4, n) for n in sizes), regulariser, classes=4)


KINDS = st.sampled_from(["logistic", "softmax"])


@given(KINDS, st.integers(0, 10**6), st.sampled_from(CONVENTIONS))
@settings(max_examples=30, deadline=None)
def test_gradients_and_curvature_are_derivatives(kind, seed, convention):
    problem = make(kind, seed, convention=convention)
    rng = np.random.default_rng(seed + 1)
    w, v, h = rng.standard_normal(problem.dimension), rng.standard_normal(problem.dimension), 1e-5
    slope = (problem.value(w + h * v) - problem.value(w - h * v)) / (2 * h)
    assert slope == pytest.approx(problem.gradient(w) @ v, rel=1e-6, abs=1e-8)
    bend = (problem.gradient(w + h * v) - problem.gradient(w - h * v)) / (2 * h)
    np.testing.assert_allclose(problem.curvature_at(w)(v), bend, rtol=1e-5, atol=1e-8)
    for k in range(problem.n_clients):
        own = problem.client_gradient(k, w)
        np.testing.assert_allclose(problem.sample_gradients(k, w).mean(axis=0), own, rtol=1e-11, atol=1e-13)
        np.testing.assert_array_equal(
            problem.sample_gradients(k, w, np.array([1, 1]))[0], problem.sample_gradients(k, w)[1]
        )


@given(KINDS, st.integers(0, 10**6), st.floats(0.01, 100))
@settings(max_examples=30, deadline=None)
def test_certified_constants_enclose_the_curvature(kind, seed, scale):
    problem = make(kind, seed, scale=scale)
    rng = np.random.default_rng(seed + 2)
    # Near w = 0 logistic regression attains its bound, so the upper bound is tested where it is tight.
    for w in (np.zeros(problem.dimension), rng.standard_normal(problem.dimension) / scale):
        for k in range(problem.n_clients):
            apply, modulus = problem.loss_curvature_at(k, w), problem.regulariser.modulus
            hessian = np.stack([apply(e) + modulus * e for e in np.eye(problem.dimension)])
            eigenvalues = np.linalg.eigvalsh((hessian + hessian.T) / 2)
            slack = 1e-10 * (1 + scale**2)
            assert eigenvalues[-1] <= problem.constants.client_smoothness[k] + slack
            assert eigenvalues[0] >= problem.constants.client_strong_convexity[k] - slack
            if kind == "logistic" and not w.any():
                assert problem.constants.client_smoothness[k] == pytest.approx(eigenvalues[-1], rel=1e-9)


@pytest.mark.parametrize("kind", ["logistic", "softmax"])
def test_minima_carry_certificates(kind):
    problem = make(kind, 3)
    c = problem.constants
    assert 0 <= c.suboptimality <= 1e-11 and c.client_suboptimality.max() <= 1e-11
    mu = c.strong_convexity
    assert c.suboptimality == np.sum(problem.gradient(c.minimiser) ** 2) / (2 * mu)
    rng = np.random.default_rng(0)
    for _ in range(50):
        step = rng.standard_normal(problem.dimension)
        for length in (1e-3, 1.0):
            other = c.minimiser + length * step
            gap = problem.value(other) - c.minimum
            assert gap >= mu / 2 * np.sum((length * step) ** 2) * (1 - 1e-3) - 1e-10
    low, high = c.gamma_interval
    assert 0 < low <= c.gamma <= high
    assert high - low <= 1e-10


def test_conventions_differ_by_a_factor_two():
    full, half = make("softmax", 1, 0.1, CONVENTIONS[0]), make("softmax", 1, 0.2, CONVENTIONS[1])
    w = np.random.default_rng(0).standard_normal(full.dimension)
    assert full.value(w) == half.value(w)
    assert full.constants.strong_convexity == 0.2
    assert Regulariser(0.1, CONVENTIONS[1]).modulus == 0.1


def test_softmax_layout_bias_and_shift_invariance():
    rng = np.random.default_rng(5)
    x, y = rng.standard_normal((6, 2)), np.array([0, 1, 2, 1, 0, 2])
    problem = SoftmaxProblem((x,), (y,), 0)
    matrix, bias = rng.standard_normal((3, 2)), rng.standard_normal(3)
    w = np.hstack([matrix, bias[:, None]]).ravel()
    z = x @ matrix.T + bias
    want = np.mean([np.log(np.exp(row).sum()) - row[label] for row, label in zip(z, y, strict=True)])
    assert problem.value(w) == pytest.approx(want, rel=1e-13)
    shifted = (w.reshape(3, 3) + rng.standard_normal(3)).ravel()
    assert problem.value(shifted) == pytest.approx(want, rel=1e-12)
    assert np.isfinite(problem.value(1e4 * w)) and np.isfinite(problem.gradient(1e4 * w)).all()
    with pytest.raises(ValueError, match="needs mu > 0"):
        _ = problem.constants.minimum


def test_two_class_softmax_is_logistic_regression():
    # Without regulariser: softmax with two classes at (u, -u)/2 is the logistic loss at u.
    rng = np.random.default_rng(6)
    x, y = rng.standard_normal((7, 2)), rng.choice([-1, 1], 7)
    logistic = LogisticProblem((np.hstack([x, np.ones((7, 1))]),), (y,), 0)
    softmax = SoftmaxProblem((x,), ((y == 1).astype(int),), 0)
    u = rng.standard_normal(3)
    assert softmax.value(np.concatenate([-u / 2, u / 2])) == pytest.approx(logistic.value(u), rel=1e-13)


@pytest.mark.parametrize("kind", ["logistic", "softmax"])
def test_slots_batches_and_permutation(kind):
    problem = make(kind, 9)
    rng = np.random.default_rng(1)
    x, clients = rng.standard_normal((4, 5, problem.dimension)), rng.integers(0, 3, (4, 5))
    got = problem.client_gradients(x, clients)
    for index in np.ndindex(4, 5):
        np.testing.assert_allclose(
            got[index], problem.client_gradient(clients[index], x[index]), rtol=1e-12, atol=1e-14
        )
    order = [2, 0, 1]
    permuted = type(problem)(
        tuple(problem.features[k] for k in order), tuple(problem.labels[k] for k in order), problem.regulariser
    )
    np.testing.assert_allclose(permuted.value(x[:, 0]), problem.value(x[:, 0]), rtol=1e-13)
    assert permuted.constants.gamma == pytest.approx(problem.constants.gamma, rel=1e-9)
    with pytest.raises(IndexError, match=r"indices in 0\.\.2"):
        problem.client_gradients(x, np.full((4, 5), 3))


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 6), st.floats(1e-3, 1e3))
@settings(max_examples=40, deadline=None)
def test_gram_bound_is_above_the_exact_value_and_tight(seed, n, d, scale):
    from fractions import Fraction

    from fltheory.problems.linear_algebra import is_positive_semidefinite

    x = scale * np.random.default_rng(seed).standard_normal((n, d))
    bound = certified_gram_norm(x)
    exact = np.array([Fraction(v) for v in x.ravel()], dtype=object).reshape(n, d)
    gram = exact.T @ exact / n
    identity = np.array([[Fraction(int(i == j)) for j in range(d)] for i in range(d)], dtype=object)
    assert is_positive_semidefinite(Fraction(bound) * identity - gram)
    assert not is_positive_semidefinite(Fraction(bound * (1 - 1e-11)) * identity - gram)


@pytest.mark.parametrize(
    ("make_it", "message"),
    [
        (lambda: LogisticProblem(([[1.0]],), ([0],), 0), r"labels\[0\] contains 0"),
        (lambda: LogisticProblem(([[np.nan]],), ([1],), 0), r"features\[0\]\[0, 0\]=nan"),
        (lambda: LogisticProblem(([[1.0]], [[1.0, 2.0]]), ([1], [1]), 0), r"features\[1\] has shape \(1, 2\)"),
        (lambda: LogisticProblem(([[1.0]],), ([1, 1],), 0), r"labels\[0\] has shape \(2,\)"),
        (lambda: LogisticProblem((), (), 0), "N >= 1"),
        (lambda: LogisticProblem(([[1.0]],), ([1],), 0.1), "does not name its convention"),
        (lambda: LogisticProblem(([[1.0]],), ([1],), 0, weights=[0.9]), "weights sum to 0.9"),
        (lambda: SoftmaxProblem(([[1.0]],), ([2],), 0, classes=2), r"labels\[0\] lies in 2..2"),
        (lambda: SoftmaxProblem(([[1.0]],), ([0.5],), 0), "whole numbers"),
        (lambda: Regulariser(-1.0, CONVENTIONS[0]), "strength=-1.0"),
        (lambda: Regulariser(1.0, "half"), "convention='half' is unknown"),
        (lambda: Regulariser(float("inf"), CONVENTIONS[0]), "not finite"),
    ],
)
def test_errors(make_it, message):
    with pytest.raises(ValueError, match=message):
        make_it()


def test_from_user_arrays():
    rng = np.random.default_rng(0)
    pairs = [(rng.standard_normal((n, 2)), rng.choice([-1, 1], n)) for n in (2, 6)]
    problem = LogisticProblem.from_arrays(pairs, Regulariser(0.1, CONVENTIONS[0]))
    np.testing.assert_allclose(problem.weights, [0.25, 0.75])
    uniform = LogisticProblem.from_arrays(pairs, Regulariser(0.1, CONVENTIONS[0]), weights="uniform")
    np.testing.assert_allclose(uniform.weights, [0.5, 0.5])
