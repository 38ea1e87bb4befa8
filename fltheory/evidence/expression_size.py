"""How large an expression in a certificate becomes when it is expanded, bounded from its text before anything is computed.

Every part has at most so many terms, degrees in its symbols, and binary digits in its numbers: sums add terms, products multiply
them and add degrees, and there are no more terms than products of powers up to the degrees.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass

from fltheory.limits import EXPRESSION_BITS, EXPRESSION_CHARACTERS, EXPRESSION_TERMS, POWER

#: Terms of an expanded expression times the binary digits of its numbers (the largest that is kept has 5.3 million).
EXPRESSION_WORK = 6_000_000
#: Steps that a row keeps, and characters of one of them.  (These are no limits of files, which are in ``fltheory.limits``.)
STEPS_OF_A_ROW, STEP_CHARACTERS = 250, 20_000
#: Of a statement of algebra: characters of its text, and letters.
STATEMENT_CHARACTERS, STATEMENT_LETTERS = 20_000, 60
#: Of a statement about matrices: rows and columns, multiplications (weighted by the size of their numbers), terms of a proof by
#: products of letters.
MATRIX_SIZE, MATRIX_WORK, MATRIX_TERMS = 40, 2_000_000, 5_000


@dataclass(frozen=True)
class Size:
    """Bounds of an expanded expression."""

    terms: int
    degrees: dict[str, int]
    bits: int

    def __add__(self, other: Size) -> Size:
        degrees = {
            name: max(self.degrees.get(name, 0), other.degrees.get(name, 0)) for name in {*self.degrees, *other.degrees}
        }
        return _sized(self.terms + other.terms, degrees, max(self.bits, other.bits) + 1)

    def __mul__(self, other: Size) -> Size:
        degrees = {
            name: self.degrees.get(name, 0) + other.degrees.get(name, 0) for name in {*self.degrees, *other.degrees}
        }
        return _sized(self.terms * other.terms, degrees, self.bits + other.bits)

    def power(self, exponent: int) -> Size:
        """An exponent's size counts, not its sign: a quotient is put over a common denominator."""
        degrees = {name: degree * exponent for name, degree in self.degrees.items()}
        many = 1 if self.terms == 1 else EXPRESSION_TERMS + 1
        return _sized(many, degrees, (self.bits + self.terms.bit_length()) * exponent)


def _sized(terms: int, degrees: dict[str, int], bits: int) -> Size:
    size = Size(min(terms, math.prod(degree + 1 for degree in degrees.values())), degrees, bits)
    if size.terms > EXPRESSION_TERMS:
        raise ValueError(f"an expression of a certificate has more than {EXPRESSION_TERMS} terms when it is expanded")
    if size.bits > EXPRESSION_BITS:
        raise ValueError(f"an expression of a certificate has numbers of more than {EXPRESSION_BITS} binary digits")
    if size.terms > 1 and size.terms * size.bits > EXPRESSION_WORK:
        raise ValueError(f"an expression of a certificate has more than {EXPRESSION_WORK} digits when it is expanded")
    return size


def parsed(text: str) -> ast.expr:
    """The syntax of an expression that is small enough to be computed with.

    Raises
    ------
    ValueError : too long, too deep, too large when it is expanded, or no expression.
    """
    if not isinstance(text, str) or len(text) > EXPRESSION_CHARACTERS:
        raise ValueError(f"an expression of a certificate is no text of at most {EXPRESSION_CHARACTERS} characters")
    try:
        node = ast.parse(text, mode="eval").body
        _size(node)
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(f"expression {text[:40]!r} of a certificate is not plain arithmetic, or too deep") from None
    return node


def _size(node: ast.expr) -> Size:
    if isinstance(node, ast.Constant):
        return _sized(1, {}, int(node.value).bit_length() if isinstance(node.value, int) else 1)
    if isinstance(node, ast.Name):
        return Size(1, {node.id: 1}, 1)
    if isinstance(node, ast.UnaryOp):
        return _size(node.operand)
    if isinstance(node, ast.Call) and len(node.args) == 1:
        return _size(node.args[0])
    if not isinstance(node, ast.BinOp):
        return Size(1, {}, 1)  # refused where it is read
    left = _size(node.left)
    if isinstance(node.op, ast.Pow):
        return left.power(_exponent(node.right))
    right = _size(node.right)
    return left + right if isinstance(node.op, ast.Add | ast.Sub) else left * right


def _exponent(node: ast.expr) -> int:
    """The size of a number's exponent, rounded up; that of a symbol counts as one."""
    if isinstance(node, ast.UnaryOp):
        return _exponent(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return _exponent(node.left)
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        if node.value > POWER:
            raise ValueError(f"power {str(node.value)[:20]} in a certificate, more than {POWER}")
        return max(1, node.value)
    if isinstance(node, ast.BinOp) and not any(isinstance(one, ast.Name) for one in ast.walk(node)):
        raise ValueError(f"power {ast.unparse(node)[:40]} in a certificate is not a number")
    return 1
