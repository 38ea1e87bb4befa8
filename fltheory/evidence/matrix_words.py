"""Products of matrices that may be any: sums of words in letters that do not commute, with rational functions before them.

Dimensions are texts, ``("n", "1")`` those of a vector.  Two sums are the same for all matrices where they are the same words
with the same factors; a word of a number may be read backwards, transposed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fltheory.evidence.expression_size import MATRIX_TERMS
from fltheory.evidence.matrix_values import Arithmetic, identity_in, whole_number

Word = tuple[str, ...]
NUMBER = ("1", "1")


@dataclass(frozen=True)
class Words:
    """A sum of words of one shape; the empty word is the identity, or 1."""

    shape: tuple[str, str]
    terms: Mapping[Word, Any]

    @property
    def number(self) -> Any:
        """The factor of the empty word where there is no other; else ``None``."""
        return self.terms.get((), 0) if set(self.terms) <= {()} else None


@dataclass
class Products:
    """Arithmetic with sums of words; ``symmetric`` letters are their own transposes."""

    entries: Arithmetic
    symmetric: frozenset[str] = frozenset()

    def value(self, node: ast.expr, known: Mapping[str, Words]) -> Words:
        """The sum of words of an expression.

        Raises
        ------
        ValueError : it has none, its shapes do not fit, or it has too many terms.
        """
        match node:
            case ast.Constant(value=int() as whole) if not isinstance(whole, bool):
                return Words(NUMBER, self._clean({(): self.entries.number(whole)}))
            case ast.Name(id="I"):
                return Words(NUMBER, {(): self.entries.number(1)})
            case ast.Name(id=name) if name in known:
                return known[name]
            case ast.UnaryOp(op=ast.USub(), operand=inside):
                return self.scaled(self.value(inside, known), -1)
            case ast.BinOp(left=left, op=ast.Pow(), right=exponent):
                return self._power(self.value(left, known), whole_number(exponent))
            case ast.BinOp(left=left, op=op, right=right):
                one, two = self.value(left, known), self.value(right, known)
                if isinstance(op, ast.Add | ast.Sub):
                    return self.plus(one, two if isinstance(op, ast.Add) else self.scaled(two, -1))
                if isinstance(op, ast.Mult):
                    return self.times(one, two)
                if isinstance(op, ast.Div):
                    return self.times(one, self._power(two, -1))
            case ast.Call(func=ast.Name(id="T"), args=[inside], keywords=[]):
                return self.transposed(self.value(inside, known))
            case ast.Call(func=ast.Name(id="sq"), args=[inside], keywords=[]):
                vector = self.value(inside, known)
                if vector.shape[1] == "1" and not (vector.shape == NUMBER and identity_in(inside)):
                    return self.times(self.transposed(vector), vector)
        raise ValueError(f"{ast.unparse(node)[:60]!r} is no sum of products of matrices here")

    def scaled(self, one: Words, factor: int) -> Words:
        """A multiple."""
        return Words(one.shape, {word: self.entries.number(factor) * times for word, times in one.terms.items()})

    def plus(self, one: Words, two: Words) -> Words:
        """A sum; of a number and a square matrix with that multiple of the identity."""
        shape = two.shape if one.shape == NUMBER and one.number is not None else one.shape
        for part in (one, two):
            if part.shape != shape and (part.shape != NUMBER or part.number is None or shape[0] != shape[1]):
                raise ValueError(f"a sum of the shapes {' x '.join(one.shape)} and {' x '.join(two.shape)}")
        terms = dict(one.terms)
        for word, times in two.terms.items():
            terms[word] = self.entries.kept(terms[word] + times) if word in terms else times
        return Words(shape, self._clean(terms, shape == NUMBER))

    def times(self, one: Words, two: Words) -> Words:
        """A product."""
        scalar = NUMBER in (one.shape, two.shape)
        if not scalar and one.shape[1] != two.shape[0]:
            raise ValueError(f"a product of the shapes {' x '.join(one.shape)} and {' x '.join(two.shape)}")
        shape = (two.shape if one.shape == NUMBER else one.shape) if scalar else (one.shape[0], two.shape[1])
        if len(one.terms) * len(two.terms) > MATRIX_TERMS:
            raise ValueError(f"a product of matrices has more than {MATRIX_TERMS} terms")
        terms: dict[Word, Any] = {}
        for first, factor in one.terms.items():
            for second, other in two.terms.items():
                word = first + second
                terms[word] = terms.get(word, self.entries.number(0)) + self.entries.times(factor, other)
        return Words(shape, self._clean(terms, shape == NUMBER))

    def transposed(self, one: Words) -> Words:
        """The transpose."""
        return Words(one.shape[::-1], {self._backwards(word): times for word, times in one.terms.items()})

    def _backwards(self, word: Word) -> Word:
        return tuple(
            name if name in self.symmetric else name[:-1] if name.endswith("'") else f"{name}'"
            for name in reversed(word)
        )

    def _power(self, base: Words, exponent: int) -> Words:
        if exponent < 0:
            if base.shape != NUMBER or base.number is None:
                raise ValueError("an inverse of any matrix is written as a letter with a hypothesis, K*A = I")
            if not base.number:
                raise ZeroDivisionError("a division by zero")
            return Words(NUMBER, {(): self.entries.power(base.number, exponent)})
        if base.shape[0] != base.shape[1] or exponent > MATRIX_TERMS:
            raise ValueError(f"the power {exponent} of a matrix of the shape {' x '.join(base.shape)}")
        found = Words(NUMBER, {(): self.entries.number(1)})
        for _ in range(exponent):
            found = self.times(found, base)
        return Words(base.shape, found.terms)

    def _clean(self, terms: Mapping[Word, Any], number: bool = False) -> dict[Word, Any]:
        """Without zeros; a word of a number in the earlier of its two readings."""
        found: dict[Word, Any] = {}
        for word, times in terms.items():
            if len(word) > MATRIX_TERMS // 10:
                raise ValueError(f"a product of more than {MATRIX_TERMS // 10} matrices")
            key = min(word, self._backwards(word)) if number else word
            found[key] = found[key] + times if key in found else times
        return {word: self.entries.kept(times) for word, times in found.items() if times}
