"""Exact values of expressions."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from fltheory.theory.values import exact_value

x, y = sp.symbols("x y", positive=True)


def test_values_are_fractions() -> None:
    assert exact_value(x / y, {x: Fraction(1, 3), y: 2}) == Fraction(1, 6)
    assert exact_value(x**2, {x: sp.sqrt(Fraction(5, 7))}) == Fraction(5, 7)
    assert exact_value((1 + sp.sqrt(2)) ** 2 - 2 * sp.sqrt(2)) == 3
    assert isinstance(exact_value(sp.Integer(2)), Fraction)


@pytest.mark.parametrize("values", [{x: 2}, {x: 2, y: sp.sqrt(3)}, {x: 2, y: 0}])
def test_what_is_not_rational_is_refused(values: dict[sp.Symbol, object]) -> None:
    with pytest.raises(ValueError, match="not rational"):
        exact_value(x / y, values)
