"""Blocks of a tridiagonal matrix do not know each other, however unlike their sizes are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from fltheory.problems.banded import minimise_tridiagonal


@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e20])
@pytest.mark.parametrize("first", [True, False])
def test_a_block_beside_a_larger_or_smaller_one(scale: float, first: bool) -> None:
    """``[[2, -1], [-1, 2]] w = (1, 0)`` has the solution ``(2, 1)/3``, whatever stands in the other block."""
    small, other = ([2.0, 2.0], [-1.0], [1.0, 0.0]), ([2 * scale] * 2, [-scale], [scale, scale])
    blocks = [small, other] if first else [other, small]
    diagonal = np.array(blocks[0][0] + blocks[1][0])
    off_diagonal = np.array([*blocks[0][1], 0.0, *blocks[1][1]])
    found = minimise_tridiagonal(diagonal, off_diagonal, np.array(blocks[0][2] + blocks[1][2]))
    expected = [[2 / 3, 1 / 3], [1.0, 1.0]] if first else [[1.0, 1.0], [2 / 3, 1 / 3]]
    assert found == pytest.approx(np.concatenate(expected), rel=1e-12)


def test_the_same_in_fractions() -> None:
    one = Fraction(1)
    diagonal, off_diagonal = np.array([2 * one, 2 * one, one], dtype=object), np.array([-one, 0 * one], dtype=object)
    found = minimise_tridiagonal(diagonal, off_diagonal, np.array([one, 0 * one, 3 * one], dtype=object))
    assert found.tolist() == [Fraction(2, 3), Fraction(1, 3), 3]
