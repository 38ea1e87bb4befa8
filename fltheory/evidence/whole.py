"""Whole numbers in statements of algebra: which letters are, and which expressions are with them."""

from __future__ import annotations

import re
from collections.abc import Collection

import sympy as sp

#: How it is printed that letters are whole numbers.
WHOLE = r" \in \mathbb Z"
_TEXT = re.compile(r"(\w+(?:, \w+)*) whole")


def whole_letters(text: str) -> list[str]:
    """The letters of ``m, n whole``; none of any other text."""
    found = _TEXT.fullmatch(text)
    return found[1].split(", ") if found else []


def is_whole(expression: sp.Expr, letters: Collection[str]) -> bool:
    """Whether an expression is a polynomial in whole numbers with coefficients that are whole numbers."""
    symbols = sorted(expression.free_symbols, key=str)
    if not symbols or not {symbol.name for symbol in symbols} <= {*letters}:
        return False
    found = sp.expand(expression).as_poly(*symbols)
    return found is not None and all(c.is_Integer for c in found.coeffs())
