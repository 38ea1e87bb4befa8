"""Displays as forms in commuting scalars (Gram reduction), and their exact values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import sympy as sp

from fltheory.theory.mixed2022.vocabulary import MixedBound
from fltheory.theory.notation import ClientSum, Inner, NormSq


def scalars(expression: sp.Expr) -> sp.Expr:
    """``|x|^2 -> x^2`` and ``<x, y> -> x y``: an identity of such forms holds for vectors of every dimension."""
    return expression.replace(NormSq, lambda x: x**2).replace(Inner, lambda x, y: x * y)


def generic(expression: sp.Expr, weight: sp.Symbol) -> sp.Expr:
    """The form of the generic client whose mean is the expression; ``weight`` is the symbol of 1/N in its sums."""
    return scalars(expression).replace(ClientSum, lambda x, *_: sp.expand(x / weight))


def sides(bound: MixedBound) -> tuple[sp.Expr, sp.Expr]:
    """Left and right side of a display as forms in scalars."""
    return scalars(bound.left), scalars(bound.expression)


def number(expression: sp.Expr, values: Mapping[sp.Symbol, Fraction | int]) -> Fraction:
    """The exact value of a rational expression.

    Raises
    ------
    ValueError : the value is not a rational number.
    """
    try:
        return _value(sp.sympify(expression), values)
    except (LookupError, ZeroDivisionError, NotImplementedError):  # rare: let sympy say what it is
        exact = {symbol: sp.Rational(Fraction(x).numerator, Fraction(x).denominator) for symbol, x in values.items()}
        value = sp.sympify(expression).xreplace(exact)
    if not isinstance(value, sp.Rational):
        raise ValueError(f"{expression} is {value} at {dict(values)}, which is not rational")
    return Fraction(int(value.p), int(value.q))


def _value(expression: sp.Basic, values: Mapping[sp.Symbol, Fraction | int]) -> Fraction:
    """Sums, products and whole powers in Python's fractions, many times faster than by substitution."""
    if isinstance(expression, sp.Symbol):
        return Fraction(values[expression])
    if isinstance(expression, sp.Rational):
        return Fraction(int(expression.p), int(expression.q))
    if isinstance(expression, sp.Pow) and isinstance(expression.exp, sp.Integer):
        return _value(expression.base, values) ** int(expression.exp)
    if isinstance(expression, sp.Add):
        return sum((_value(term, values) for term in expression.args), Fraction(0))
    if isinstance(expression, sp.Mul):
        return math.prod((_value(factor, values) for factor in expression.args), start=Fraction(1))
    raise NotImplementedError(f"{expression} is neither a sum nor a product nor a whole power")
