"""Exact real numbers: what is one, its sign, and its words.

Signs of rationals are read off, those of other numbers come from enclosures, and a zero is known by its minimal polynomial.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import reduce
from operator import add, mul
from typing import Any

import sympy as sp
from mpmath import iv

_LONG = 60
#: Bits of the enclosures, one after the other; algebraic zeros are recognised after the first, other numbers need an enclosure.
_BITS = (64, 256, 1024, 4096)


def exact(value: Any) -> sp.Expr:
    """An exact number or expression as SymPy's; a float, a truth value or a text is none."""
    number = isinstance(value, int | Fraction) and not isinstance(value, bool)
    if not number and not (isinstance(value, sp.Expr) and not value.has(sp.Float)):
        raise ValueError(
            f"{value!r} is no exact number; expected an integer, a Fraction or an expression without floats"
        )
    return sp.sympify(value)


def exact_sign(number: sp.Expr) -> int:
    """-1, 0 or 1: the sign of a real number that is given exactly.

    Raises
    ------
    ValueError : not a real number, a float in it, or a number whose sign could not be decided.
    """
    number = sp.sympify(number)
    if number.free_symbols or number.has(sp.Float, sp.nan, sp.zoo) or number.is_extended_real is False:
        raise ValueError(f"{number} is no exact real number; expected integers, fractions, roots, pi, exp, log of them")
    if number.is_Rational or number.is_infinite:
        return int(sp.sign(number))
    for bits in _BITS:
        low, high = _between(number, bits)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        if bits == _BITS[0] and number.is_algebraic:
            unknown = sp.Dummy()
            if sp.minimal_polynomial(number, unknown) == unknown:
                return 0
    raise ValueError(f"the sign of {number} was not decided with {_BITS[-1]} bits")


def short(number: sp.Expr) -> str:
    """An exact number for people: decimals where it is too long to read, and beside roots."""
    text = str(number).replace("**", "^")
    if re.fullmatch("10{4,}", text):
        return f"10^{len(text) - 1}"
    if len(text) > _LONG:
        return f"{float(number):.15g} (rounded here, compared exactly)"
    return text if number.is_Rational or number.is_infinite else f"{text} = {float(number):.6g}..."


def _between(number: sp.Expr, bits: int) -> tuple[Any, Any]:
    """Numbers between which ``number`` lies, by interval arithmetic with outward rounding."""
    before, iv.prec = iv.prec, bits
    try:
        found = _interval(number)
        return found.a, found.b
    finally:
        iv.prec = before


def _interval(number: sp.Expr) -> Any:
    if number.is_Rational:
        return iv.mpf(int(number.p)) / iv.mpf(int(number.q))
    if number in (sp.pi, sp.E):
        return iv.pi if number == sp.pi else iv.e
    if isinstance(number, sp.Add | sp.Mul):
        return reduce(add if isinstance(number, sp.Add) else mul, map(_interval, number.args))
    if isinstance(number, sp.exp | sp.log) and len(number.args) == 1:
        return (iv.exp if isinstance(number, sp.exp) else iv.log)(_interval(number.args[0]))
    if isinstance(number, sp.Pow):
        base, power = _interval(number.base), number.exp
        if power.is_Integer:
            return base ** int(power)
        if power.is_Rational and power.q == 2:
            return iv.sqrt(base) ** int(power.p)
        return iv.exp(_interval(power) * iv.log(base))
    raise ValueError(f"{number} is no sum, product, power, exp or log of exact numbers")
