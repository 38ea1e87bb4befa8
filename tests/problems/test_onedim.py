"""One-dimensional problems, exact in rationals."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.problems.onedim import PiecewiseQuadratic, ScalarProblem, huber, linear, parabola

RATIONAL = st.fractions(-5, 5, max_denominator=4)
CURVATURE = st.fractions(0, 5, max_denominator=4)


@st.composite
def functions(draw, convex=True):
    breaks = sorted(set(draw(st.lists(RATIONAL, max_size=3))))
    entries = CURVATURE if convex else RATIONAL
    curvatures = draw(st.lists(entries, min_size=len(breaks) + 1, max_size=len(breaks) + 1))
    return PiecewiseQuadratic(
        np.array(breaks, dtype=object),
        np.array(curvatures, dtype=object),
        draw(RATIONAL),
        draw(RATIONAL),
        draw(RATIONAL),
    )


def points(*values):
    return np.array([Fraction(v) for v in values], dtype=object)


@given(functions(convex=False), RATIONAL)
@settings(max_examples=60, deadline=None)
def test_values_and_derivatives_are_continuous_and_consistent(f, x):
    assert f(points(f.anchor))[0] == f.value and f.derivative(points(f.anchor))[0] == f.slope
    low, high = sorted([f.anchor, x])
    knots = [low, *(t for t in f.breakpoints if low < t < high), high]
    # The derivative is piecewise linear, so trapezoids between knots integrate it exactly; so do curvatures.
    gain = sum((b - a) * sum(f.derivative(points(a, b))) / 2 for a, b in zip(knots, knots[1:], strict=False))
    assert gain == f(points(high))[0] - f(points(low))[0]
    for a, b in zip(knots, knots[1:], strict=False):
        piece = sum(1 for t in f.breakpoints if t < (a + b) / 2)
        change = f.derivative(points(b))[0] - f.derivative(points(a))[0]
        assert change == f.curvatures[piece] * (b - a)


@given(functions(convex=False), st.lists(RATIONAL, min_size=1, max_size=8))
@settings(max_examples=80, deadline=None)
def test_minimum_is_stationary_and_below_everything(f, others):
    try:
        w, value = f.minimum()
    except ValueError:
        far = points(-(10**6), 10**6)
        assert min(f(far)) < min(f(points(*others)))
        return
    assert f(points(w))[0] == value and f.derivative(points(w))[0] == 0
    assert min(f(points(*others))) >= value


@given(st.lists(functions(), min_size=1, max_size=3), st.lists(RATIONAL, min_size=3, max_size=3))
@settings(max_examples=40, deadline=None)
def test_the_mean_is_the_weighted_sum(parts, xs):
    problem = ScalarProblem(tuple(parts))
    w = points(*xs)[:, None]
    assert (problem.mean(w)[:, 0] == problem.value(w)).all()
    assert (problem.mean.derivative(w) == problem.gradient(w)).all()
    floats = problem.to_float()
    np.testing.assert_allclose(
        floats.client_values(w.astype(float)), problem.client_values(w).astype(float), rtol=1e-9, atol=1e-9
    )


def test_linear_huber_and_parabola():
    h = huber(Fraction(1, 2), 3, Fraction(1))
    assert list(h.derivative(points(-9, 1, Fraction(5, 4), 9))) == [Fraction(-3, 2), 0, Fraction(3, 4), Fraction(3, 2)]
    assert h.minimum() == (1, 0)
    f = linear(Fraction(2))
    assert list(f(points(3))) == [6] and list(f.derivative(points(-7))) == [2]
    with pytest.raises(ValueError, match=r"w -> -infinity"):
        f.minimum()
    problem = ScalarProblem((parabola(Fraction(2), 1), parabola(1, -1)), [Fraction(1, 3), Fraction(2, 3)])
    c = problem.constants
    assert (c.smoothness, c.strong_convexity) == (2, 1)
    assert list(c.minimiser) == [0] and c.minimum == Fraction(2, 3) and c.gamma == Fraction(2, 3)
    assert isinstance(problem.weights[0], Fraction)


def test_the_minimiser_of_least_absolute_value():
    flat = PiecewiseQuadratic(np.array([2.0, 5.0]), np.array([1.0, 0.0, 1.0]), anchor=3.0)
    assert flat.minimum() == (2.0, 0.0)


def test_slots():
    problem = ScalarProblem((parabola(1.0, 1.0), huber(0.5)))
    x = np.array([[[3.0], [3.0]], [[0.0], [0.25]]])
    np.testing.assert_array_equal(problem.client_gradients(x)[..., 0], [[2.0, 0.5], [-1.0, 0.25]])
    np.testing.assert_array_equal(problem.client_gradients(x, np.array([1, 0]))[..., 0], [[0.5, 2.0], [0.0, -0.75]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PiecewiseQuadratic(np.array([1.0, 1.0]), np.zeros(3)), "do not increase"),
        (lambda: PiecewiseQuadratic(np.array([1.0]), np.zeros(3)), r"expected \(m,\) and \(m \+ 1,\)"),
        (lambda: PiecewiseQuadratic(np.array([np.nan]), np.zeros(2)), "not finite"),
        (lambda: huber(0.0), "threshold=0.0"),
        (lambda: ScalarProblem(()), "N >= 1"),
        (lambda: ScalarProblem((parabola(Fraction(1)), parabola(0.5))), "mix fractions and floats"),
        (lambda: ScalarProblem((parabola(1.0),), [0.5]), "weights sum to 0.5"),
    ],
)
def test_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make()
