"""Certified minima where the minimum is known, and the certified norm where the eigenvalue is a fraction."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.problems.newton import _conjugate_gradients, certified_gram_norm, minimise


def parabola(start: float, tolerance: float, height: float = 0.0, **more: Any) -> Any:
    """Minimise ``x^2 + height``, with ``mu = 2``: the certificate ``|grad|^2/(2 mu) = x^2`` is the distance from the minimum."""
    return minimise(
        lambda w: float(w @ w) + height,
        lambda w: 2 * w,
        lambda w: lambda v: 2 * v,
        np.array([start]),
        strong_convexity=2.0,
        tolerance=tolerance,
        **more,
    )


def test_the_certificate_is_the_distance_of_a_parabola_from_its_minimum() -> None:
    found = parabola(3.0, tolerance=10.0)
    assert (found.point[0], found.value, found.suboptimality) == (3.0, 9.0, 9.0)


@pytest.mark.parametrize(
    ("start", "height", "tolerance", "stays"),
    [
        (3.0, 0.0, 1.0, True),  # 9 <= 1 * 9: equality is enough
        (3.0, 27.0, 0.25, True),  # 9 <= 0.25 * 36, relative to a large value
        (3.0, 27.0, 0.249, False),
        (3.0, -45.0, 0.25, True),  # to its size, whatever its sign
        (0.5, 0.0, 0.25, True),  # 0.25 <= 0.25 * 1: absolute for small values
        (0.5, 0.0, 0.2, False),
    ],
)
def test_the_tolerance_is_relative_to_large_values_only(
    start: float, height: float, tolerance: float, stays: bool
) -> None:
    found = parabola(start, tolerance, height)
    assert bool(found.point[0] == start) is stays
    if not stays:  # one Newton step ends in the minimum
        assert found.point[0] == pytest.approx(0, abs=1e-12) and found.value == pytest.approx(height)


def test_a_minimum_that_is_known() -> None:
    """``sum(exp(w_k) - a_k w_k)`` on ``w >= 0``, where it is 1-strongly convex: least at ``w_k = log a_k``."""
    a = np.array([2.0, 5.0, 30.0])
    found = minimise(
        lambda w: float((np.exp(w) - a * w).sum()),
        lambda w: np.exp(w) - a,
        lambda w: lambda v: np.exp(w) * v,
        np.array([4.0, 0.5, 6.0]),
        strong_convexity=1.0,
    )
    least = float((a - a * np.log(a)).sum())
    assert found.point == pytest.approx(np.log(a), abs=1e-5)
    assert found.value - found.suboptimality <= least + 1e-12 * abs(least) and found.value == pytest.approx(
        least, rel=1e-11
    )
    assert 0 <= found.suboptimality <= 1e-12 * abs(least)
    assert found.suboptimality == pytest.approx(float(((np.exp(found.point) - a) ** 2).sum()) / 2, rel=1e-12)


def test_a_step_that_is_too_long_is_shortened() -> None:
    """``sqrt(1 + x^2)`` from 3: a full Newton step goes to ``-x^3 = -27``, where the value is larger."""
    found = minimise(
        lambda w: float(np.sqrt(1 + w @ w)),
        lambda w: w / np.sqrt(1 + w @ w),
        lambda w: lambda v: v / (1 + w @ w) ** 1.5,
        np.array([3.0]),
        strong_convexity=0.03,
        tolerance=1e-9,
    )
    assert abs(found.point[0]) < 1e-4 and found.value == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("mu", [0.0, -1.0, float("nan")])
def test_no_certificate_without_strong_convexity(mu: float) -> None:
    with pytest.raises(ValueError, match="needs mu > 0"):
        minimise(lambda w: 0.0, lambda w: w, lambda w: lambda v: v, np.zeros(1), strong_convexity=mu)


def test_a_small_strong_convexity_is_one() -> None:
    found = minimise(
        lambda w: float(w @ w) / 4, lambda w: w / 2, lambda w: lambda v: v / 2, np.ones(2), strong_convexity=0.5
    )
    assert found.point == pytest.approx([0, 0], abs=1e-6)


def test_a_wrong_slope_stalls_and_too_few_steps_are_said() -> None:
    with pytest.raises(ArithmeticError, match="G: Newton's method stalls at certified suboptimality 1.000e"):
        minimise(
            lambda w: float(w @ w),
            lambda w: -2 * w,
            lambda w: lambda v: 2 * v,
            np.ones(1),
            strong_convexity=2,
            name="G",
        )
    with pytest.raises(ArithmeticError, match="F: no certified minimum after 1 Newton steps"):
        minimise(
            lambda w: float((w**4).sum() + w @ w),
            lambda w: 4 * w**3 + 2 * w,
            lambda w: lambda v: (12 * w**2 + 2) * v,
            np.ones(1),
            strong_convexity=2,
            iterations=1,
        )


def test_conjugate_gradients_solve_what_they_are_asked() -> None:
    """To the accuracy that Newton's method needs: the residual is at most ``min(1/4, |b|)`` of ``b``, here 1e-8 of it."""
    generator = np.random.default_rng(0)
    root = generator.standard_normal((6, 6))
    matrix = root @ root.T + 0.1 * np.eye(6)
    right = generator.standard_normal(6)
    right *= 1e-8 / np.linalg.norm(right)
    solution = _conjugate_gradients(lambda v: matrix @ v, right)
    assert np.linalg.norm(matrix @ solution - right) <= 1.0001e-8 * np.linalg.norm(right)


def test_conjugate_gradients_stop_when_they_may() -> None:
    """A right side of size 1 needs a quarter of accuracy only: one product with this matrix, not as many as there are rows."""
    asked: list[int] = []

    def apply(v: np.ndarray) -> np.ndarray:
        asked.append(1)
        return np.array([1.0, 1.01, 1.02]) * v

    _conjugate_gradients(apply, np.ones(3))
    assert len(asked) == 1


@pytest.mark.parametrize(("rows", "columns"), [(7, 3), (3, 7), (50, 2), (1, 1), (4, 4)])
def test_the_norm_of_a_product_is_bounded_from_above_and_tightly(rows: int, columns: int) -> None:
    """``X = c v'`` has one eigenvalue, ``|c|^2 |v|^2 / n``: a fraction, exceeded by no more than rounding."""
    c, v = np.arange(1.0, rows + 1), np.arange(2.0, columns + 2) / 3
    true = Fraction(0)
    for a in c:
        for b in v:
            true += (Fraction(float(a)) * Fraction(float(b))) ** 2
    features = np.outer(c, v)
    exact = sum((Fraction(float(x)) ** 2 for x in features.ravel()), Fraction(0)) / rows
    assert abs(exact / (true / rows) - 1) < Fraction(1, 10**14)
    bound = Fraction(certified_gram_norm(features))
    assert exact <= bound <= exact * (1 + Fraction(1, 10**11))


def test_the_norm_of_directions_that_do_not_meet() -> None:
    """Rows along axes: the largest of ``squares / n``, not their sum, and not the last one."""
    features = np.array([[3.0, 0.0, 0.0], [0.0, 5.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    assert 25 / 4 <= certified_gram_norm(features) <= 25 / 4 * (1 + 1e-12)
    assert 0 <= certified_gram_norm(np.zeros((3, 2))) <= 1e-300
