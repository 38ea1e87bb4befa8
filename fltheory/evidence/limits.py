"""Limits as sides of a witness: what tends to infinity is on no side of a claim that it stays bounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from fltheory.evidence.witness import Side, Witness
from fltheory.theory.exact_numbers import exact


def limit_of(expression: sp.Expr, symbol: sp.Symbol) -> Callable[..., sp.Expr]:
    """The value of a side: the limit of an expression for ``symbol`` to infinity, the other symbols at their values."""

    def limit(**at: Any) -> sp.Expr:
        values = {one: exact(at[one.name]) for one in expression.free_symbols - {symbol} if one.name in at}
        return sp.limit(sp.powdenest(sp.expand(expression.subs(values)), force=True), symbol, sp.oo)

    return limit


def unbounded(
    name: str, expression: sp.Expr, symbol: sp.Symbol, at: Mapping[sp.Symbol, Any] | None = None, *, setting: str = ""
) -> Witness:
    """An expression claimed to be bounded in ``symbol``: its limit is infinite, and it exceeds 10^6 at 10^24.

    Parameters
    ----------
    name : of the expression, for people.
    at : values of the other symbols; those without one are 1.
    """
    others = sorted((one.name for one in expression.free_symbols - {symbol}), key=str)
    values = dict.fromkeys(others, 1) | {one.name: value for one, value in (at or {}).items()} | {symbol.name: 10**24}
    limit = Side(f"limit for {symbol} to infinity", limit_of(expression, symbol))
    return Witness(values, Side(name, expression), "<=", 10**6, [(limit, "=", sp.oo)], setting)
