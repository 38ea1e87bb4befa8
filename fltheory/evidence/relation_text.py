"""Relations as text: the sides and the signs between them, and sums as they are printed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

import sympy as sp

from fltheory.evidence.expression_size import parsed

_SIGNS = {ast.LtE: "<=", ast.Lt: "<", ast.GtE: ">=", ast.Gt: ">", ast.Eq: "=", ast.NotEq: "!="}
#: How relations are printed.
LATEX = {"<=": r"\le", "<": "<", ">=": r"\ge", ">": ">", "=": "=", "!=": r"\ne"}
#: From here on SymPy prints ``(-a b) c d`` as ``c d - a b``.
_DEEP = 2
#: Texts of the two sides and the sign between them.
Triple = tuple[str, str, str]


def chained(text: str, *, plain: bool = True) -> list[Triple]:
    """``a < b <= c`` as its relations; ``plain``: between expressions of arithmetic, which are small enough to be expanded.

    Raises
    ------
    ValueError : it is no relation of arithmetic.
    """
    return list(_chained(text, plain))


@lru_cache(maxsize=1 << 12)
def _chained(text: str, plain: bool) -> tuple[Triple, ...]:
    if "#" in text:
        raise ValueError(f"{text!r} holds a comment, which nothing reads")
    try:
        tree = ast.parse(_python(text), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(f"{text!r} is no relation") from None
    if not isinstance(tree, ast.Compare) or any(type(sign) not in _SIGNS for sign in tree.ops):
        raise ValueError(f"{text!r} is no relation between two sides; expected one of {', '.join(_SIGNS.values())}")
    sides = [ast.unparse(side) for side in (tree.left, *tree.comparators)]
    for side in sides if plain else ():
        parsed(side)
    return tuple((sides[i], _SIGNS[type(sign)], sides[i + 1]) for i, sign in enumerate(tree.ops))


def _python(text: str) -> str:
    """The text with ``==`` for ``=``."""
    signs = {"<=": "\0", ">=": "\1", "!=": "\2", "==": "\3"}
    for sign, mark in signs.items():
        text = text.replace(sign, mark)
    text = text.replace("=", "==")
    for sign, mark in signs.items():
        text = text.replace(mark, sign)
    return text


def real_letters(text: str) -> list[str]:
    """The letters of ``a, b real``, which may be any real numbers; none of any other text."""
    found = re.fullmatch(r"(\w+(?:, \w+)*) real", text)
    return found[1].split(", ") if found else []


def letters_of(text: str) -> set[str]:
    """Names in an expression that are not those of functions."""
    return set(_letters_of(text))


@lru_cache(maxsize=1 << 12)
def _letters_of(text: str) -> frozenset[str]:
    nodes = list(ast.walk(ast.parse(text, mode="eval")))
    functions = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in functions)


def flat(node: sp.Expr) -> sp.Expr:
    """Sums of sums without brackets, and a sign that is deep in a product before it: SymPy would lose its brackets."""
    if isinstance(node, sp.Mul):
        depths = list(_factors(node))
        negative = next((one for one, depth in depths if depth >= _DEEP and one.is_Rational and one.is_negative), None)
        if negative is not None:
            factors = [one for one, _ in depths]
            factors[factors.index(negative)] = -negative
            positive = [one for one in factors if one != 1]
            return sp.Mul(sp.S.NegativeOne, flat(sp.Mul(*positive, evaluate=False)), evaluate=False)
    parts = [flat(one) for one in node.args]
    if isinstance(node, sp.Add):
        parts = [inner for one in parts for inner in (one.args if isinstance(one, sp.Add) else (one,))]
    return node.func(*parts, evaluate=False) if parts and node.func in (sp.Add, sp.Mul, sp.Pow) else node


def _factors(node: sp.Expr, depth: int = 0) -> Iterator[tuple[sp.Expr, int]]:
    """Factors with the number of products around them within ``node``."""
    for one in node.args:
        if isinstance(one, sp.Mul):
            yield from _factors(one, depth + 1)
        else:
            yield one, depth
