"""Plain arithmetic as text: read into SymPy, or evaluated in fractions; nothing is executed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.evidence.expression_size import parsed
from fltheory.theory.signs import MOST_POWER


def parse(text: str, divisors: list[sp.Expr] | None = None) -> sp.Expr:
    """Read an expression; every name is a plain symbol except sqrt and pi.

    Only arithmetic is admitted, so that reading a certificate executes nothing.  What the text divides by is added to
    ``divisors``: SymPy cancels ``x/x`` to 1, and nothing tells that the text means nothing at x = 0.
    """
    seen: list[sp.Expr] = [] if divisors is None else divisors

    def divide(a: sp.Expr, b: sp.Expr) -> sp.Expr:
        seen.append(b)
        return a / b

    def power(a: sp.Expr, b: sp.Expr) -> sp.Expr:
        if b.is_number and abs(b) > MOST_POWER:
            raise ValueError(f"power {b} in a certificate, more than {MOST_POWER}")
        if b.is_negative:
            seen.append(a)
        return a**b

    operations: dict[type[ast.operator], Callable[[sp.Expr, sp.Expr], sp.Expr]] = {
        ast.Add: lambda a, b: a + b,
        ast.Sub: lambda a, b: a - b,
        ast.Mult: lambda a, b: a * b,
        ast.Div: divide,
        ast.Pow: power,
    }

    def build(node: ast.expr) -> sp.Expr:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return sp.Integer(node.value)
        if isinstance(node, ast.Name):
            return sp.pi if node.id == "pi" else sp.Symbol(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -build(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in operations:
            return operations[type(node.op)](build(node.left), build(node.right))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sqrt":
            (inside,) = node.args
            return sp.sqrt(build(inside))
        raise ValueError(f"expression {text!r} of a certificate is not plain arithmetic")

    return build(parsed(text))


def evaluate(text: str, known: Mapping[str, Fraction]) -> Fraction:
    """The value of a rational expression at exact values.

    Raises
    ------
    ValueError : it is no rational expression, or a name has no value.
    ZeroDivisionError : it divides by zero there.
    """
    operations: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
        ast.Add: lambda a, b: a + b,
        ast.Sub: lambda a, b: a - b,
        ast.Mult: lambda a, b: a * b,
        ast.Div: lambda a, b: a / b,
        ast.Pow: _power,
    }

    def value(node: ast.expr) -> Fraction:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return Fraction(node.value)
        if isinstance(node, ast.Name) and node.id in known:
            return known[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in operations:
            return Fraction(operations[type(node.op)](value(node.left), value(node.right)))
        raise ValueError(f"{ast.unparse(node)!r} of {text!r} has no value at {', '.join(known)}")

    return value(parsed(text))


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > MOST_POWER:
        raise ValueError(f"power {exponent} is no whole number of at most {MOST_POWER}")
    return base ** int(exponent)
