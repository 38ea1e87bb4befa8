"""Plain arithmetic as text: read into SymPy, or evaluated exactly; nothing is executed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.evidence.expression_size import parsed
from fltheory.limits import EXPRESSION_BITS
from fltheory.theory.signs import MOST_POWER

#: Functions that a text may call, where they are admitted.
FUNCTIONS: Mapping[str, Callable[[sp.Expr], sp.Expr]] = {"exp": sp.exp, "log": sp.log, "sqrt": sp.sqrt}


def parse(text: str, divisors: list[sp.Expr] | None = None, functions: list[sp.Expr] | None = None) -> sp.Expr:
    """Read an expression; every name is a plain symbol except sqrt and pi.

    Only arithmetic is admitted, so that reading a certificate executes nothing.  What the text divides by is added to
    ``divisors``: SymPy cancels ``x/x`` to 1, and nothing tells that the text means nothing at x = 0.  With ``functions``
    exp and log are read as well; they and powers that are not whole are added to that list: SymPy cancels ``exp(log(x))``, too.
    """
    seen: list[sp.Expr] = [] if divisors is None else divisors

    def divide(a: sp.Expr, b: sp.Expr) -> sp.Expr:
        seen.append(b)
        return a / b

    def power(a: sp.Expr, b: sp.Expr) -> sp.Expr:
        if b.is_number and abs(b) > MOST_POWER:
            raise ValueError(f"power {b} in a certificate, more than {MOST_POWER}")
        if functions is None and b.free_symbols and not b.is_Symbol:
            raise ValueError(f"power {str(b)[:40]} in a certificate is not a number")
        if b.is_negative:
            seen.append(a)
        if functions is not None and not b.is_Integer:
            functions.append(a**b)
        return real(a**b)

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
            return power(build(inside), sp.Rational(1, 2))
        if functions is not None and isinstance(node, ast.Call) and _called(node) in FUNCTIONS and len(node.args) == 1:
            functions.append(_applied(_called(node), build(node.args[0])))
            return functions[-1]
        raise ValueError(f"expression {text!r} of a certificate is not plain arithmetic")

    return build(parsed(text))


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) and not node.keywords else ""


def real(found: sp.Expr) -> sp.Expr:
    """The expression, which is a real number if it is a number: exp(log(-1)) is none, although SymPy says -1.

    Raises
    ------
    ValueError : it is a number that is not real, or not shown to be.
    """
    if found.is_number and not found.is_Rational and not found.is_real:
        raise ValueError(f"{str(found)[:60]} is no real number")
    return found


def _applied(name: str, inside: sp.Expr) -> sp.Expr:
    logs = inside.atoms(sp.log) if name == "exp" else set()
    if logs:  # SymPy computes exp(10**9*log(2))
        digits = max((one.p.bit_length() for log in logs for one in log.atoms(sp.Rational)), default=0)
        times = max(
            (abs(one) for one in inside.xreplace(dict.fromkeys(logs, sp.Dummy())).atoms(sp.Rational)), default=1
        )
        if times > MOST_POWER or times * digits > EXPRESSION_BITS:
            raise ValueError(f"exp({str(inside)[:60]}) is too large")
    return real(FUNCTIONS[name](inside))


def evaluate(text: str, known: Mapping[str, Any]) -> Any:
    """The value of an expression at exact values: a fraction where it is rational, else an exact number of SymPy.

    Raises
    ------
    ValueError : it is no rational expression, or a name has no value.
    ArithmeticError : it divides by zero there, or takes a very high power.
    """
    operations: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
        ast.Add: lambda a, b: a + b,
        ast.Sub: lambda a, b: a - b,
        ast.Mult: lambda a, b: a * b,
        ast.Div: lambda a, b: a / b,
        ast.Pow: _power,
    }

    def value(node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return Fraction(node.value)
        if isinstance(node, ast.Name) and node.id in known:
            return known[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in operations:
            return operations[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.Call) and _called(node) in FUNCTIONS and len(node.args) == 1:
            return _defined(_applied, _called(node), sp.sympify(value(node.args[0])))
        raise ValueError(f"{ast.unparse(node)!r} of {text!r} has no value at {', '.join(known)}")

    return value(parsed(text))


def _power(base: Any, exponent: Any) -> Any:
    if abs(exponent) > MOST_POWER:
        raise OverflowError(f"power {exponent} is more than {MOST_POWER}")
    if isinstance(base, Fraction) and exponent == int(exponent):
        return base ** int(exponent)
    return _defined(lambda: real(sp.sympify(base) ** sp.sympify(exponent)))


def _defined(computed: Callable[..., sp.Expr], *of: Any) -> sp.Expr:
    try:
        return computed(*of)
    except ValueError as error:
        raise ArithmeticError(str(error)) from None
