"""Exact values of symbolic expressions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp


def exact_value(expression: Any, values: Mapping[sp.Symbol, Any] | None = None) -> Fraction:
    """The rational number that an expression is at exact values of its symbols (roots may stand in it and cancel).

    Raises
    ------
    ValueError : the value is not a rational number.
    """
    found = sp.sympify(expression).subs(values or {})
    if not isinstance(found, sp.Rational):
        found = sp.simplify(found)
    if not isinstance(found, sp.Rational):
        raise ValueError(f"{expression} is {found} at {dict(values or {})}, which is not rational")
    return Fraction(int(found.p), int(found.q))
