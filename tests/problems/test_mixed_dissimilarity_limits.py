"""Mixed gradient dissimilarity at its borders: ``B^2 = 1``, where no part of the gradient is left to excuse a difference."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.problems.mixed_dissimilarity import GradientDissimilarity

F = Fraction
HALF = F(1, 2)


def exact(values: Any) -> np.ndarray:
    array = np.array(values, dtype=object)
    return array * F(1)


def pair(federated: Any, central: Any, slope: Any, weight: Any = HALF) -> GradientDissimilarity:
    return GradientDissimilarity(exact(federated), exact(central), exact(slope), weight)


def floats(one: GradientDissimilarity) -> GradientDissimilarity:
    return GradientDissimilarity(
        one.federated.astype(float), one.central.astype(float), one.slope.astype(float), float(one.weight)
    )


#: ``H_f : H_c = w_f : w_c``: the parts' gradients differ by a constant, so that ``B^2 = 1`` will do.
PROPORTIONAL = pair([[2, 1], [1, 3]], [[4, 2], [2, 6]], [1, -2], F(1, 3))
#: ``|a|^2/(w_f w_c) = 5 / (2/9)``.
SQUARE = F(45, 2)


def test_proportional_parts_need_a_constant_only() -> None:
    assert PROPORTIONAL.least_G2 == SQUARE and PROPORTIONAL.least_G2_given(F(1)) == SQUARE
    assert PROPORTIONAL.least_B2 == 1 and isinstance(PROPORTIONAL.least_B2, Fraction)
    assert PROPORTIONAL.admits(SQUARE, F(1)) and PROPORTIONAL.admits(SQUARE, F(2))
    assert not PROPORTIONAL.admits(SQUARE - F(1, 10**12), F(1))
    assert not PROPORTIONAL.admits(SQUARE * 2, F(1) - F(1, 10**12))  # below one nothing is admissible
    assert PROPORTIONAL.least_G2_given(F(1, 2)) is None


def test_equal_parts_in_floats() -> None:
    """``w = 1/2`` and ``H_f = H_c``: ``R`` is zero in floats too, and ``|a|^2/(w_f w_c) = 20``."""
    found = floats(pair([[2, 1], [1, 3]], [[2, 1], [1, 3]], [1, -2]))
    assert found.least_G2 == pytest.approx(20) and found.least_G2_given(1.0) == pytest.approx(20)
    assert found.least_B2 == pytest.approx(1) and found.least_G2_given(0.5) is None
    assert found.admits(20.0, 1.0) and found.admits(20.5, 1.5) and not found.admits(19.9, 1.0)


def test_parts_without_curvature_have_the_exact_least_number_too() -> None:
    """Linear losses that cancel: ``H = R = 0``, so that one is the least ``B^2``, as a fraction."""
    flat = pair([[0, 0], [0, 0]], [[0, 0], [0, 0]], [1, 2])
    assert flat.least_B2 == 1 and isinstance(flat.least_B2, Fraction)
    assert flat.admits(F(20), F(1)) and not flat.admits(F(199, 10), F(1))
    assert floats(flat).least_B2 == 1.0 and floats(flat).admits(20.0, 1.0)


def test_other_parts_need_more_than_one() -> None:
    """``H_f = 1, H_c = 0, w = 1/2, a = 1``: ``R = 1/2``, so ``B^2 > 1 + (1/4)/(1/4) = 2``, and ``G^2`` falls to 4.

    At ``B^2 = 3``: ``|u/2 + 1|^2 <= (G^2 + 2 u^2)/4`` for all ``u``, that is ``u^2/4 - u + G^2/4 - 1 >= 0``: ``G^2 >= 8``.
    """
    one = pair([[1]], [[0]], [1])
    assert one.least_B2 == 2 and isinstance(one.least_B2, Fraction)
    assert one.least_G2_given(F(1)) is None and not one.admits(F(10**9), F(1))
    assert one.least_G2_given(F(2)) is None and not one.admits(F(10**9), F(2))  # the infimum is not reached: a'R != 0
    assert one.least_G2_given(F(3)) == 8 and one.admits(F(8), F(3)) and not one.admits(F(8) - F(1, 10**9), F(3))
    assert one.least_G2_given(F(10**6)) > 4 == one.least_G2
    near = floats(one)
    assert near.least_B2 == pytest.approx(2) and near.least_G2_given(3.0) == pytest.approx(8)
    assert near.least_G2_given(1.0) is None and near.admits(8.001, 3.0) and not near.admits(7.999, 3.0)


def test_both_sides_of_the_definition_at_a_point() -> None:
    """At ``u = (1, 1)``: ``grad f_f = (4, 2)``, ``grad f_c = (5, 10)``; 20 * 3 + 125 * 3/2 and 81 + 144."""
    assert PROPORTIONAL.sides(exact([1, 1])) == (F(60) + F(375, 2), F(225))
    square = PROPORTIONAL.sides(exact([1, 1]))
    assert square[0] == square[1] + SQUARE  # R = 0: the constant is all that is between them


def test_no_pair_exists_where_only_the_parts_grow() -> None:
    opposed = pair([[1, 0], [0, 1]], [[-1, 0], [0, 1]], [0, 0])
    for found in (opposed, floats(opposed)):
        with pytest.raises(ValueError, match="no \\(G, B\\) exists"):
            _ = found.least_B2


@pytest.mark.parametrize("weight", [0, 1, F(-1, 2), 2, float("nan"), True, "half"])
def test_weights_outside_the_open_interval_are_refused(weight: Any) -> None:
    with pytest.raises(ValueError, match="is not a proportion"):
        pair([[1]], [[1]], [0], weight)


def test_other_shapes_are_refused() -> None:
    one = exact([[1]])
    with pytest.raises(ValueError, match="slope has shape"):
        GradientDissimilarity(one, one, exact([[1]]), F(1, 2))
    with pytest.raises(ValueError, match="slope has shape"):
        GradientDissimilarity(one, one, exact([]), F(1, 2))
    with pytest.raises(ValueError, match="central"):
        GradientDissimilarity(one, exact([[1, 2]]), exact([1]), F(1, 2))
    with pytest.raises(ValueError, match="symmetric"):
        GradientDissimilarity(exact([[1, 2], [0, 1]]), exact([[1, 0], [0, 1]]), exact([0, 0]), F(1, 2))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_least_constant_does_not_hang_on_the_size_of_the_curvature(scale: float) -> None:
    """In turned axes ``H_f = s diag(1, 2)``, ``H_c = s diag(0, 1)``, ``w = 1/2``, ``a`` the second axis: at ``B^2 = 2`` one
    direction of the form is flat and ``a'R`` has nothing in it, so that ``G^2 = (1 + (1/4)/2)/(1/4) = 9/2`` for every ``s``."""
    turn = np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    federated, central = (scale * turn @ np.diag(d) @ turn.T for d in ([1.0, 2.0], [0.0, 1.0]))
    found = GradientDissimilarity((federated + federated.T) / 2, (central + central.T) / 2, turn @ [0.0, 1.0], 0.5)
    assert found.least_B2 == pytest.approx(2)
    assert found.least_G2_given(2.0) == pytest.approx(4.5) and found.least_G2_given(1.99) is None
    assert found.least_G2_given(3.0) == pytest.approx((1 + 0.25 / 4.25) / 0.25)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("weight", [1 / 3, 0.27, 0.5])
def test_floats_find_the_exact_number_where_only_rounding_is_left(scale: float, weight: float) -> None:
    """Parts proportional to their weights: B^2 = 1 serves, with ``G^2 = |a|^2/(w_f w_c)``."""
    total, slope = scale * np.diag([1.0, 3.0]), np.array([1.0, -2.0])
    found = GradientDissimilarity(weight * total, (1 - weight) * total, slope, weight)
    wanted = 5 / (weight * (1 - weight))
    assert found.least_G2_given(1.0) == pytest.approx(wanted)
    assert found.admits(wanted, 1.0) and not found.admits(wanted * 0.999, 1.0)
