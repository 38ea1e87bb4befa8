"""The counterexample of Appendix C.1: its printed matrices, closed forms, and the banded twin."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.problems.tridiagonal import (
    TridiagonalProblem,
    li_counterexample,
    li_minimiser,
    li_minimum,
    li_smoothness,
    li_tridiagonal,
)

SIZES = st.tuples(st.integers(2, 5), st.integers(1, 4))


@given(SIZES)
@settings(max_examples=15, deadline=None)
def test_matrices_are_as_printed(size):
    n, p = size
    problem = li_counterexample(n, p, exact=True)
    d = n * p + 1
    want = [[2 if i == j else -1 if abs(i - j) == 1 else 0 for j in range(d)] for i in range(d)]
    assert problem.dimension == d
    assert problem.matrices.sum(axis=0).tolist() == want
    for k in range(1, n + 1):  # equation (29) with the paper's indices from one
        first, last = (k - 1) * p + 1, k * p + 1
        for i in range(1, d + 1):
            for j in range(1, d + 1):
                inside = first <= i <= last and first <= j <= last
                entry = -1 if inside and abs(i - j) == 1 else 0
                if i == j and inside:
                    entry = 1 if i in (first, last) else 2
                entry += (k == 1 and i == j == 1) + (k == n and i == j == d)
                assert problem.matrices[k - 1, i - 1, j - 1] == entry
    assert problem.vectors.sum() == problem.vectors[0, 0] == 1
    assert set(problem.weights) == {Fraction(1, n)}


@given(SIZES)
@settings(max_examples=15, deadline=None)
def test_closed_forms(size):
    n, p = size
    constants = li_counterexample(n, p, exact=True).constants
    assert tuple(constants.minimiser) == li_minimiser(n, p)
    assert constants.minimum == li_minimum(n, p)
    np.testing.assert_allclose(constants.client_smoothness, li_smoothness(n, p), rtol=1e-13)
    first = constants.client_minimisers[0]
    assert list(first) == [1] * (p + 1) + [0] * ((n - 1) * p)
    assert list(constants.client_minima) == [Fraction(-1, 2)] + [0] * (n - 1)


@pytest.mark.parametrize("ridge", [Fraction(0), Fraction(1, 5000)])
def test_banded_and_dense_agree_exactly(ridge):
    banded, dense = li_tridiagonal(4, 3, ridge, exact=True), li_counterexample(4, 3, ridge, exact=True)
    rng = np.random.default_rng(0)
    x = np.array([Fraction(int(v), 7) for v in rng.integers(-9, 9, 4 * 13)], dtype=object).reshape(4, 13)
    assert (banded.client_gradients(x) == dense.client_gradients(x)).all()
    assert (banded.client_values(x) == dense.client_values(x)).all()
    assert (banded.gradient(x) == dense.gradient(x)).all()
    order = np.array([[2], [0]])
    assert (banded.client_gradients(x[:2, None], order) == dense.client_gradients(x[:2, None], order)).all()
    for name in ("minimiser", "minimum", "client_minimisers", "client_minima", "gamma"):
        assert np.all(getattr(banded.constants, name) == getattr(dense.constants, name)), name
    floats = banded.to_float()
    np.testing.assert_allclose(floats.constants.minimiser, dense.constants.minimiser.astype(float), rtol=1e-12)
    np.testing.assert_allclose(
        floats.constants.client_minimisers, dense.constants.client_minimisers.astype(float), rtol=1e-10, atol=1e-13
    )
    np.testing.assert_allclose(floats.constants.client_smoothness, dense.constants.client_smoothness, rtol=1e-13)
    assert (floats.to_exact().diagonals == floats.diagonals).all()


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_random_banded_problems(d, seed):
    rng = np.random.default_rng(seed)
    diagonals, off = rng.uniform(2.1, 4, (2, d)), rng.uniform(-1, 1, (2, d - 1)) * rng.integers(0, 2, (2, d - 1))
    banded = TridiagonalProblem(diagonals, off, rng.standard_normal((2, d)))
    dense = banded.to_dense()
    np.testing.assert_allclose(banded.constants.minimiser, dense.constants.minimiser, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(banded.constants.client_strong_convexity, dense.constants.client_strong_convexity)
    exact = banded.to_exact()
    assert all(entry == 0 for entry in exact.gradient(exact.constants.minimiser))


def test_float_ridge_counts_as_its_decimal():
    problem = li_counterexample(2, 1, 2e-4, exact=True)
    assert problem.matrices[0, 2, 2] == Fraction(1, 5000)
    assert li_counterexample(2, 1, 2e-4).matrices[0, 2, 2] == 2e-4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 4), "n_clients=1"),
        ((5, 0), "block=0"),
        ((2.5, 1), "n_clients=2.5"),
        ((5, 4, -1.0), "ridge=-1.0 is negative"),
        ((5, 4, float("nan")), "ridge=nan"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        li_counterexample(*arguments)


def test_unbounded_banded_problem():
    flat = TridiagonalProblem([[1.0, 1.0]], [[-1.0]], [[1.0, 1.0]])
    with pytest.raises(ValueError, match="zero curvature"):
        _ = flat.constants.minimum
    saddle = TridiagonalProblem([[1.0, 1.0]], [[-2.0]], [[0.0, 0.0]])
    with pytest.raises(ValueError, match="unbounded below"):
        _ = saddle.constants.minimum
