"""Quadratic problems: exact arithmetic, agreement of number types, metamorphic relations, errors."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.problems.least_squares import ridge_regression
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.regulariser import Regulariser
from fltheory.problems.samples import QuadraticSamples

ENTRIES = st.integers(-4, 4)


def fractions(array):
    return np.array([Fraction(int(v)) for v in np.ravel(array)], dtype=object).reshape(np.shape(array))


@st.composite
def exact_problems(draw, *, definite=True):
    n, d = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    roots = fractions(
        draw(
            st.lists(
                st.lists(st.lists(ENTRIES, min_size=d, max_size=d), min_size=d, max_size=d), min_size=n, max_size=n
            )
        )
    )
    shift = draw(st.integers(1, 3)) if definite else 0
    matrices = np.stack([r.T @ r + shift * fractions(np.eye(d)) for r in roots])
    vectors = fractions(draw(st.lists(st.lists(ENTRIES, min_size=d, max_size=d), min_size=n, max_size=n)))
    parts = draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))
    weights = np.array([Fraction(p, sum(parts)) for p in parts], dtype=object)
    return QuadraticProblem(matrices, vectors, fractions(np.arange(n)), weights)


@st.composite
def problems_and_points(draw, slots=False):
    problem = draw(exact_problems())
    shape = (problem.n_clients, problem.dimension) if slots else (problem.dimension,)
    size = int(np.prod(shape))
    return problem, fractions(draw(st.lists(ENTRIES, min_size=size, max_size=size))).reshape(shape)


@given(exact_problems())
@settings(max_examples=40, deadline=None)
def test_minimisers_are_exactly_stationary_and_gamma_is_nonnegative(problem):
    c = problem.constants
    assert all(entry == 0 for entry in problem.gradient(c.minimiser))
    assert all(entry == 0 for entry in problem.client_gradients(c.client_minimisers).flat)
    assert c.minimum == problem.value(c.minimiser)
    assert isinstance(c.gamma, Fraction) and c.gamma >= 0
    floats = problem.to_float().constants
    np.testing.assert_allclose(floats.minimiser, c.minimiser.astype(float), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(floats.client_minima, c.client_minima.astype(float), rtol=1e-9, atol=1e-9)


@given(problems_and_points())
@settings(max_examples=40, deadline=None)
def test_gradient_is_the_derivative_exactly(pair):
    problem, w = pair
    for i in range(problem.dimension):
        step = fractions(np.eye(problem.dimension, dtype=int)[i]) * Fraction(1, 7)
        difference = (problem.value(w + step) - problem.value(w - step)) / Fraction(2, 7)
        assert difference == problem.gradient(w)[i]  # central differences are exact for quadratics
    gradients = problem.client_gradients(np.stack([w] * problem.n_clients))
    assert all(problem.gradient(w) == (problem.weights[:, None] * gradients).sum(axis=0))
    assert problem.value(w) == (problem.weights * problem.client_values(w)).sum()


@given(problems_and_points(slots=True), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_clients_select_slots_and_permuting_clients_changes_nothing(pair, random):
    problem, x = pair
    order = np.array(random.sample(range(problem.n_clients), problem.n_clients))
    assert (problem.client_gradients(x[order], order) == problem.client_gradients(x)[order]).all()
    permuted = QuadraticProblem(
        problem.matrices[order], problem.vectors[order], problem.offsets[order], problem.weights[order]
    )
    assert (permuted.constants.minimiser == problem.constants.minimiser).all()
    assert permuted.constants.gamma == problem.constants.gamma
    assert permuted.value(x[0]) == problem.value(x[0])


@given(exact_problems(), st.integers(2, 5))
@settings(max_examples=20, deadline=None)
def test_rescaling_units(problem, unit):
    # w = unit * v: A scales with unit^2, b with unit; minima stay, minimisers divide.
    scaled = QuadraticProblem(problem.matrices * unit**2, problem.vectors * unit, problem.offsets, problem.weights)
    assert (scaled.constants.minimiser * unit == problem.constants.minimiser).all()
    assert scaled.constants.minimum == problem.constants.minimum
    assert scaled.constants.gamma == problem.constants.gamma
    assert scaled.constants.smoothness == pytest.approx(unit**2 * problem.constants.smoothness, rel=1e-12)


@given(exact_problems(definite=False))
@settings(max_examples=30, deadline=None)
def test_certified_bounds_enclose_the_spectrum(problem):
    for (lower, upper), eigenvalues in zip(
        problem.constants.certified_bounds, problem.constants.client_eigenvalues, strict=True
    ):
        size = max(1.0, abs(eigenvalues).max())
        assert float(upper) == pytest.approx(eigenvalues[-1], abs=1e-8 * size)
        assert float(lower) == pytest.approx(eigenvalues[0], abs=1e-8 * size)
        # A certified enclosure must fail as soon as it is moved inside the spectrum.
        assert lower <= Fraction(eigenvalues[0]) + Fraction(1, 10**9) * Fraction(size)
        assert upper >= Fraction(eigenvalues[-1]) - Fraction(1, 10**9) * Fraction(size)


def test_certified_bounds_are_exact_for_rational_spectra():
    matrices = fractions([[[2, 1], [1, 2]]])
    problem = QuadraticProblem(matrices, fractions([[0, 0]]))
    assert problem.constants.certified_bounds == ((Fraction(1), Fraction(3)),)


def test_least_norm_minimiser_of_a_singular_client():
    matrix, vector = fractions([[[1, 1], [1, 1]]]), fractions([[2, 2]])
    for problem in (QuadraticProblem(matrix, vector), QuadraticProblem(matrix, vector).to_float()):
        np.testing.assert_allclose(problem.constants.minimiser.astype(float), [1.0, 1.0], rtol=1e-14)
        assert problem.constants.minimum == pytest.approx(-2.0)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("matrix", "vector"), [([[1, 0], [0, -1]], [0, 0]), ([[1, 0], [0, 0]], [0, 1])])
def test_unbounded_problems_have_smoothness_but_no_minimum(exact, matrix, vector):
    problem = QuadraticProblem(fractions([matrix]), fractions([vector]))
    constants = (problem if exact else problem.to_float()).constants
    assert constants.smoothness == 1.0
    with pytest.raises(ValueError, match="unbounded below"):
        _ = constants.minimum
    with pytest.raises(ValueError, match="F_0 is unbounded below"):
        _ = constants.client_minima


def test_batch_axes():
    rng = np.random.default_rng(0)
    roots = rng.standard_normal((3, 4, 4))
    problem = QuadraticProblem(roots @ roots.swapaxes(-1, -2), rng.standard_normal((3, 4)))
    x, clients = rng.standard_normal((5, 2, 4)), rng.integers(0, 3, (5, 2))
    got = problem.client_gradients(x, clients)
    for r in range(5):
        for m in range(2):
            k = clients[r, m]
            np.testing.assert_allclose(got[r, m], problem.matrices[k] @ x[r, m] - problem.vectors[k], rtol=1e-13)
    np.testing.assert_allclose(problem.gradient(x)[3, 1], problem.gradient(x[3, 1]), rtol=1e-13)
    assert problem.value(x).shape == (5, 2) and problem.client_values(x).shape == (5, 2, 3)


def test_a_field_of_rational_functions():
    field = sp.QQ.frac_field(sp.Symbol("eta"))
    eta = field.gens[0]
    exact = QuadraticProblem(fractions([[[2, 1], [1, 3]], [[1, 0], [0, 1]]]), fractions([[1, 0], [0, 1]]))
    problem = exact.map_numbers(lambda v: field(sp.QQ(v.numerator, v.denominator)))
    w = np.empty(2, dtype=object)
    w[:] = [eta, eta**2]
    for number in (Fraction(1, 3), Fraction(-2)):
        at = np.array([number, number**2], dtype=object)
        want = exact.gradient(at)
        values = [entry.as_expr().subs(sp.Symbol("eta"), sp.Rational(str(number))) for entry in problem.gradient(w)]
        got = [Fraction(str(value)) for value in values]
        assert got == list(want)
    with pytest.raises(ValueError, match="general field"):
        _ = problem.constants


def test_to_exact_keeps_binary_values_and_makes_weights_exact():
    problem = QuadraticProblem([[[0.1]], [[0.2]], [[0.3]]], [[1.0], [0.0], [0.0]], weights=[0.2, 0.3, 0.5])
    exact = problem.to_exact()
    assert exact.matrices[0, 0, 0] == Fraction(0.1)
    assert list(exact.weights) == [Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)]
    awkward = np.random.default_rng(1).dirichlet(np.ones(7))
    odd = QuadraticProblem(np.ones((7, 1, 1)), np.ones((7, 1)), weights=awkward).to_exact()
    assert sum(odd.weights) == 1


def test_ridge_conventions_and_samples():
    rng = np.random.default_rng(2)
    xs, ys = [rng.standard_normal((n, 3)) for n in (4, 6)], [rng.standard_normal(n) for n in (4, 6)]
    w = rng.standard_normal(3)
    for convention, scale in (("half", 0.5), ("full", 1.0)):
        for name, factor in (("lambda|w|^2", 1.0), ("lambda/2|w|^2", 0.5)):
            problem = ridge_regression(xs, ys, Regulariser(0.3, name), convention=convention)
            want = [scale * np.mean((x @ w - y) ** 2) + factor * 0.3 * w @ w for x, y in zip(xs, ys, strict=True)]
            np.testing.assert_allclose(problem.client_values(w), want, rtol=1e-13)
            np.testing.assert_allclose(problem.weights, [0.4, 0.6])
            per_sample = problem.sample_gradients(1, w)
            np.testing.assert_allclose(per_sample.mean(axis=0), problem.client_gradients(w[None], [1])[0], rtol=1e-12)
            matrices, vectors = problem.samples[1].matrices(), problem.samples[1].vectors()
            np.testing.assert_allclose(matrices @ w - vectors, per_sample, rtol=1e-12)
    with pytest.raises(ValueError, match="does not name its convention"):
        ridge_regression(xs, ys, 0.3)
    exact = ridge_regression(xs, ys, Regulariser(0.3, "lambda|w|^2")).to_exact()
    assert all(v == 0 for v in exact.gradient(exact.constants.minimiser))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(matrices=np.zeros((2, 2, 2)), vectors=np.zeros((3, 2))), r"matrices has shape \(2, 2, 2\)"),
        (dict(matrices=np.zeros((0, 2, 2)), vectors=np.zeros((0, 2))), "N >= 1"),
        (dict(matrices=[[[np.nan]]], vectors=[[0.0]]), r"matrices\[0, 0, 0\]=nan is not finite"),
        (dict(matrices=[[[1.0]]], vectors=[[np.inf]]), r"vectors\[0, 0\]=inf"),
        (dict(matrices=[[[1.0]]] * 2, vectors=[[0.0]] * 2, weights=[0.5, 0.6]), "weights sum to 1.1"),
        (dict(matrices=[[[1.0]]] * 2, vectors=[[0.0]] * 2, weights=[1.5, -0.5]), r"weights\[1\]=-0.5 is negative"),
        (dict(matrices=[[[1.0]]] * 2, vectors=[[0.0]] * 2, weights=[1.0]), r"weights has shape \(1,\)"),
        (dict(matrices=[[[1.0]]] * 2, vectors=[[0.0]] * 2, weights=[np.nan, 1.0]), r"weights\[0\]=nan"),
        (dict(matrices=[[[0.0, 1.0], [0.0, 0.0]]], vectors=[[0.0, 0.0]]), r"matrices\[0\] is not symmetric"),
        (dict(matrices=[[[Fraction(1)]]], vectors=[[0.5]]), "vectors contains 0.5"),
        (dict(matrices=[[[Fraction(1)]]] * 2, vectors=[[0]] * 2, weights=[Fraction(1, 3)] * 2), "weights sum to 2/3"),
        (dict(matrices=[[["a"]]], vectors=[[0.0]]), "expected real numbers"),
    ],
)
def test_errors_name_the_quantity(arguments, message):
    with pytest.raises(ValueError, match=message):
        QuadraticProblem(**arguments)


def test_wrong_points_and_inconsistent_samples():
    problem = QuadraticProblem([[[1.0]], [[2.0]]], [[0.0], [0.0]])
    with pytest.raises(ValueError, match=r"x has shape \(3, 1\)"):
        problem.client_gradients(np.zeros((3, 1)))
    with pytest.raises(ValueError, match="samples=None"):
        problem.sample_gradients(0, np.zeros(1))
    samples = QuadraticSamples(np.ones((2, 1, 1)), np.zeros((2, 1)))
    with pytest.raises(ValueError, match=r"samples\[0\] do not average"):
        QuadraticProblem([[[3.0]]], [[0.0]], samples=(samples,))
    with pytest.raises(ValueError, match="read-only"):
        problem.matrices[0] = 0
