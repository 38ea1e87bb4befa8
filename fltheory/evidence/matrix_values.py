"""Matrix arithmetic as text, evaluated exactly: entries are fractions, or rational functions of a few letters.

A value is an entry (everything that is 1 x 1), or the rows of a matrix; vectors are columns.  A number that is added to a square
matrix is that multiple of the identity.  Nothing is executed, and every product is paid for before it is computed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from fltheory.evidence.expression_size import MATRIX_SIZE, MATRIX_WORK
from fltheory.limits import EXPRESSION_BITS, POWER

#: Common divisors of polynomials in more letters take long.
_LETTERS_OF_AN_INVERSE = 2

Rows = tuple[tuple[Any, ...], ...]


@dataclass
class Arithmetic:
    """Exact arithmetic with entries and rows.

    Parameters
    ----------
    number : an integer as an entry.
    functions : of how many letters entries are rational functions, elements of a field of SymPy; 0 for fractions.
    divisors : what was divided by.
    spent : multiplications, weighted by the size of what is multiplied.
    """

    number: Callable[[int], Any] = Fraction
    functions: int = 0
    divisors: list[Any] = field(default_factory=list)
    spent: int = 0

    def value(self, node: ast.expr, known: Mapping[str, Any]) -> Any:
        """The value of an expression.

        Raises
        ------
        ValueError : it has none, or takes too much to compute.
        ZeroDivisionError : it divides by zero, or inverts a singular matrix.
        """
        match node:
            case ast.Constant(value=int() as whole) if not isinstance(whole, bool):
                return self.number(whole)
            case ast.Name(id="I"):
                return self.number(1)
            case ast.Name(id=name) if name in known:
                return known[name]
            case ast.UnaryOp(op=ast.USub(), operand=inside):
                return self.times(self.number(-1), self.value(inside, known))
            case ast.BinOp(left=left, op=ast.Pow(), right=exponent):
                return self.power(self.value(left, known), whole_number(exponent))
            case ast.BinOp(left=left, op=op, right=right):
                one, two = self.value(left, known), self.value(right, known)
                if isinstance(op, ast.Add | ast.Sub):
                    return self.plus(one, two if isinstance(op, ast.Add) else self.times(self.number(-1), two))
                if isinstance(op, ast.Mult):
                    return self.times(one, two)
                if isinstance(op, ast.Div) and not isinstance(two, tuple):
                    return self.times(one, self.power(two, -1))
            case ast.List(elts=items) if items:
                return self._table(items, known)
            case ast.Call(func=ast.Name(id="T"), args=[inside], keywords=[]):
                return transposed(self.value(inside, known))
            case ast.Call(func=ast.Name(id="sq"), args=[inside], keywords=[]):
                rows = as_rows(self.value(inside, known))
                if len(rows) == 1 and identity_in(inside):
                    raise ValueError("the size of I in sq(I) is not known")
                return sum((self.times(one, one) for row in rows for one in row), self.number(0))
            case ast.Subscript(value=inside, slice=place):
                places = place.elts if isinstance(place, ast.Tuple) else [place, ast.Constant(1)]
                rows, (row, column) = as_rows(self.value(inside, known)), map(whole_number, places)
                if 1 <= row <= len(rows) and 1 <= column <= len(rows[0]):
                    return rows[row - 1][column - 1]
        raise ValueError(f"{ast.unparse(node)[:60]!r} has no value here")

    def _table(self, items: list[ast.expr], known: Mapping[str, Any]) -> Any:
        rows = [one.elts if isinstance(one, ast.List) else [one] for one in items]
        if len({len(row) for row in rows}) != 1 or not rows[0] or max(len(rows), len(rows[0])) > MATRIX_SIZE:
            raise ValueError(f"a matrix has rows of different lengths, or more than {MATRIX_SIZE} rows or columns")
        table = tuple(tuple(self.value(one, known) for one in row) for row in rows)
        if any(isinstance(one, tuple) for row in table for one in row):
            raise ValueError("an entry of a matrix is no number")
        return single(table)

    def plus(self, one: Any, two: Any) -> Any:
        """A sum; of a number and a square matrix with that multiple of the identity."""
        if isinstance(two, tuple) and not isinstance(one, tuple):
            one, two = two, one
        if not isinstance(one, tuple):
            return self.kept(one + two)
        if not isinstance(two, tuple):
            square(one)
            two = tuple(tuple(two if i == j else self.number(0) for j in range(len(one))) for i in range(len(one)))
        if shape(one) != shape(two):
            raise ValueError(f"a sum of matrices of the shapes {shape(one)} and {shape(two)}")
        return tuple(tuple(self.kept(a + b) for a, b in zip(*rows, strict=True)) for rows in zip(one, two, strict=True))

    def times(self, one: Any, two: Any) -> Any:
        """A product."""
        self._pay(one, two)
        if not isinstance(one, tuple) and not isinstance(two, tuple):
            return self.kept(one * two)
        if not isinstance(one, tuple) or not isinstance(two, tuple):
            factor, rows = (two, one) if isinstance(one, tuple) else (one, two)
            return tuple(tuple(self.kept(factor * entry) for entry in row) for row in rows)
        if shape(one)[1] != shape(two)[0]:
            raise ValueError(f"a product of matrices of the shapes {shape(one)} and {shape(two)}")
        columns, zero = list(zip(*two, strict=True)), self.number(0)

        def entry(row: tuple[Any, ...], column: tuple[Any, ...]) -> Any:
            return self.kept(sum((a * b for a, b in zip(row, column, strict=True) if a and b), zero))

        return single(tuple(tuple(entry(row, column) for column in columns) for row in one))

    def power(self, base: Any, exponent: int) -> Any:
        """A whole power; a negative one of the inverse."""
        if exponent < 0:
            base, exponent = self._inverse(base), -exponent
        found = self.number(1)
        if isinstance(base, tuple):
            found = self.plus(tuple(tuple(self.number(0) for _ in base) for _ in square(base)), found)
        for bit in bin(exponent)[2:]:
            found = self.times(found, found)
            found = self.times(found, base) if bit == "1" else found
        return found

    def _inverse(self, value: Any) -> Any:
        """``1/value`` by elimination; that it is the inverse is multiplied out."""
        if not isinstance(value, tuple):
            self.divisors.append(value)
            return 1 / value
        size = len(square(value))
        if self.functions > _LETTERS_OF_AN_INVERSE:
            raise ValueError(f"a matrix with {self.functions} letters is inverted; at most {_LETTERS_OF_AN_INVERSE}")
        rows = [list(row) + [self.number(int(i == j)) for j in range(size)] for i, row in enumerate(value)]
        for at in range(size):
            pivot = next((i for i in range(at, size) if rows[i][at]), None)
            if pivot is None:
                raise ZeroDivisionError("a singular matrix is inverted")
            rows[at], rows[pivot] = rows[pivot], rows[at]
            rows[at] = [self.kept(one / rows[at][at]) for one in rows[at]]
            self._pay(tuple(map(tuple, rows)), rows[at][-1])
            for i, row in enumerate(rows):
                if i != at and row[at]:
                    rows[i] = [self.kept(a - row[at] * b) for a, b in zip(row, rows[at], strict=True)]
        found = tuple(tuple(row[size:]) for row in rows)
        if self.times(value, found) != self.power(value, 0):
            raise ValueError("an inverse is none")
        denominators = [one.field(one.denom) for row in found for one in row] if self.functions else []
        self.divisors += [one for one in dict.fromkeys(denominators) if not one.as_expr().is_number]
        return found

    def kept(self, entry: Any) -> Any:
        """An entry that is not too large."""
        many = 1 if self.functions <= _LETTERS_OF_AN_INVERSE else 4
        if _weight(entry) * 64 * many > EXPRESSION_BITS:
            raise ValueError(f"an entry takes more than {EXPRESSION_BITS} binary digits, or as many terms")
        return entry

    def _pay(self, one: Any, two: Any) -> None:
        left, right = as_rows(one), as_rows(two)
        count = len(left) * len(left[0]) * len(right) * len(right[0])
        if isinstance(one, tuple) and isinstance(two, tuple):
            count //= len(right)
        self.spent += count * _largest(left) * _largest(right)
        if self.spent > MATRIX_WORK:
            raise ValueError(f"a statement about matrices takes more than {MATRIX_WORK} multiplications")


def _weight(entry: Any) -> int:
    """How much longer than with small numbers it takes to compute with an entry."""
    if isinstance(entry, Fraction):
        return 1 + (entry.numerator.bit_length() + entry.denominator.bit_length()) // 64
    terms = [abs(one) for part in (entry.numer, entry.denom) for one in part.values()]
    bits = max((max(one.numerator.bit_length(), one.denominator.bit_length()) for one in terms), default=0)
    return 4 + len(terms) * (1 + bits // 64)


def _largest(rows: Rows) -> int:
    return max(_weight(one) for row in rows for one in row)


def whole_number(node: ast.expr) -> int:
    """The whole number of an exponent or a place.

    Raises
    ------
    ValueError : it is none, or too large.
    """
    sign, inside = (-1, node.operand) if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else (1, node)
    if isinstance(inside, ast.Constant) and type(inside.value) is int and inside.value <= POWER:
        return sign * inside.value
    raise ValueError(f"{ast.unparse(node)[:60]!r} is no whole number of at most {POWER}")


def identity_in(node: ast.expr) -> bool:
    """Whether ``I`` stands in an expression: alone it is the number 1, whatever its size."""
    return any(isinstance(one, ast.Name) and one.id == "I" for one in ast.walk(node))


def as_rows(value: Any) -> Rows:
    """A value as rows."""
    return value if isinstance(value, tuple) else ((value,),)


def shape(value: Any) -> tuple[int, int]:
    """Numbers of rows and columns."""
    rows = as_rows(value)
    return len(rows), len(rows[0])


def single(rows: Rows) -> Any:
    """Rows, or their only entry."""
    return rows[0][0] if shape(rows) == (1, 1) else rows


def transposed(value: Any) -> Any:
    """A transposed value."""
    return tuple(zip(*value, strict=True)) if isinstance(value, tuple) else value


def square(rows: Rows) -> Rows:
    """The rows of a square matrix.

    Raises
    ------
    ValueError : it is not square.
    """
    if shape(rows)[0] != shape(rows)[1]:
        raise ValueError(f"a matrix of the shape {shape(rows)} is not square")
    return rows


def is_semidefinite(rows: Rows, *, definite: bool) -> bool:
    """Whether a symmetric matrix of fractions is positive (semi)definite: no pivot of its elimination is negative.

    Raises
    ------
    ValueError : it is not symmetric.
    """
    if transposed(square(rows)) != rows:
        raise ValueError("a matrix that is not symmetric is called positive or negative")
    left = [list(row) for row in rows]
    for at in range(len(left)):
        pivot, rest = left[at][at], range(at + 1, len(left))
        if pivot < 0 or (pivot == 0 and (definite or any(left[at][i] for i in rest))):
            return False
        for i in rest if pivot else ():
            left[i] = [a - left[i][at] / pivot * b for a, b in zip(left[i], left[at], strict=True)]
    return True
