"""What is to be shown of a statement about matrices, relation by relation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy.polys.domains import QQ

from fltheory.evidence.expression_size import parsed
from fltheory.evidence.matrix_text import TAKEN, Where
from fltheory.evidence.matrix_values import Arithmetic, as_rows, is_semidefinite, shape, transposed
from fltheory.evidence.matrix_words import NUMBER, Products, Words
from fltheory.evidence.relation_text import Triple, letters_of
from fltheory.evidence.relations import Relations

if TYPE_CHECKING:
    from fltheory.evidence.matrices import Matrices

#: Letters of which entries may be rational functions.
_FUNCTIONS_OF = 8


def compared(value: Any, sign: str) -> bool:
    """Whether a number stands in this relation to zero."""
    return bool(
        {"<=": value <= 0, "<": value < 0, ">=": value >= 0, ">": value > 0, "=": value == 0}.get(sign, value != 0)
    )


def fits(where: Where, known: Mapping[str, Any]) -> bool:
    """Whether values have the shapes of the matrices and numbers that they stand for."""
    if any(isinstance(known.get(name), tuple) for name in (*where.numbers, *where.ranges)):
        return False
    sizes: dict[str, set[int]] = {}
    for name, texts in where.things.items():
        if name not in known or (name in where.symmetric and transposed(known[name]) != known[name]):
            return False
        for text, size in zip(texts, shape(known[name]), strict=True):
            sizes.setdefault(text, {int(text)} if text.isdigit() else set()).add(size)
    return all(len(found) == 1 for found in sizes.values())


class Reader:
    """The letters of a statement with their values, and what is to be shown of numbers."""

    def __init__(self, stated: Matrices) -> None:
        self.stated, where = stated, stated.conditions
        letters = {name for side in stated.sides for name in letters_of(side)}
        plain = sorted({*where.ranges, *where.numbers})
        strange = sorted(letters - {*plain, *where.things, *where.defined, *TAKEN})
        if strange:
            raise ValueError(f"{strange[0]} has no range, definition or shape in {stated.text[:200]!r}")
        if len(plain) > _FUNCTIONS_OF:
            raise ValueError(f"{len(plain)} numbers are letters: {', '.join(plain)}; at most {_FUNCTIONS_OF} may be")
        field_of = QQ.frac_field(*map(sp.Symbol, plain)).field if plain else None
        self.entries = Arithmetic(field_of, len(plain)) if field_of else Arithmetic()
        self.products = Products(self.entries, frozenset(where.symmetric)) if where.things else None
        self.known: dict[str, Any] = dict(zip(plain, field_of.gens if field_of else (), strict=True))
        if self.products:
            self.known = {name: Words(NUMBER, {(): value}) for name, value in self.known.items()}
            self.known |= {name: Words(size, {(name,): self.entries.number(1)}) for name, size in where.things.items()}
        for name, text in where.defined.items():
            self.known[name] = self.read(text)

    def read(self, text: str) -> Any:
        """The value of an expression."""
        return (self.products or self.entries).value(parsed(text), self.known)

    def shown(self, value: Any, sign: str) -> bool:
        """Whether a number stands in this relation to zero on the ranges."""
        if not self.entries.functions:
            return compared(value, sign)
        return Relations(f"{value.as_expr()} {sign} 0 for {'; '.join(self.stated.conditions.ranges.values())}").proof[0]

    def divided(self) -> str:
        """What is divided by and not shown to vanish nowhere; empty if there is nothing."""
        bad = next((one for one in dict.fromkeys(self.entries.divisors) if not self.shown(one, "!=")), None)
        return "" if bad is None else f"{bad}, which is divided by, is not shown to vanish nowhere"[:300]

    def untrue(self, claim: Triple) -> str:
        """Why a relation of named matrices is not proved; empty if it is."""
        left, sign, right = claim
        one, two = self.read(left), self.read(right)
        rest = self.entries.plus(one, self.entries.times(self.entries.number(-1), two))
        if sign in ("=", "!="):
            entries = [entry for row in as_rows(rest) for entry in row]
            good = not any(entries) if sign == "=" else any(entry and self.shown(entry, "!=") for entry in entries)
        elif not isinstance(rest, tuple):
            good = self.shown(rest, sign)
        elif self.entries.functions:
            raise ValueError("an inequality of matrices is decided for numbers only")
        else:
            rest = self.entries.times(self.entries.number(-1), rest) if sign in ("<=", "<") else rest
            good = is_semidefinite(rest, definite=sign in ("<", ">"))
        return "" if good else f"{left[:80]} {sign} {right[:80]} is not true there"

    def gap(self, number: int) -> str:
        """Why a relation of matrices that may be any is not proved; empty if it is."""
        left, sign, right = self.stated.claims[number]
        rest = self._less(right, left) if sign in ("<=", "<") else self._less(left, right)
        for used, first, second in self.stated.uses.get(number, ()):
            rest = self._minus(rest, self._used(used, first, second, sign))
        for weight, vector in self.stated.squares.get(number, ()):
            rest = self._minus(rest, self._weighted(weight, self._between(None, vector)))
        if sign == "!=" or (self.stated.squares.get(number) and sign == "="):
            return f"{left} {sign} {right} is proved of named matrices only, or without squares"
        words = f"{left[:80]} {sign} {right[:80]}: what is left is not "
        if sign == "=":
            return f"{words}zero" if rest.terms else ""
        good = rest.number is not None and self.shown(
            rest.number or self.entries.number(0), sign[0].replace("<", ">") + sign[1:]
        )
        return "" if good else f"{words}a number with this sign"

    def _less(self, one: str, two: str) -> Words:
        return self._minus(self.read(one), self.read(two))

    def _minus(self, one: Words, two: Words) -> Words:
        assert self.products
        return self.products.plus(one, self.products.scaled(two, -1))

    def _between(self, inside: Words | None, vector: str) -> Words:
        """``T(vector)*inside*vector``; the vector is read by itself: put into a longer text, ``x) - 2*sq(x`` would be one."""
        assert self.products
        times, value = self.products.times, self.read(vector)
        back = self.products.transposed(value)
        return times(back, value) if inside is None else times(times(back, inside), value)

    def _weighted(self, weight: str, value: Words) -> Words:
        """A number with a weight that is nonnegative on the ranges."""
        factor = self.read(weight)
        if factor.shape != NUMBER or value.shape != NUMBER or factor.number is None:
            raise ValueError(f"{weight} is no number without matrices, or what it is the weight of is no number")
        if not self.shown(factor.number or self.entries.number(0), ">="):
            raise ValueError(f"the weight {weight} is not shown nonnegative")
        assert self.products
        return self.products.times(factor, value)

    def _used(self, text: str, first: str, second: str, sign: str) -> Words:
        """A hypothesis with its factors, as what is zero or nonnegative by it."""
        assert self.products
        links = [one for name, one in self.stated.conditions.given if name == text]
        (left, relation, right), *more = links
        if more or relation == "!=":
            raise ValueError(f"{text} is no hypothesis that can be added up")
        if relation == "=":
            times = self.products.times
            return times(times(self.read(first), self._less(left, right)), self.read(second))
        if sign == "=":
            raise ValueError(f"{text} proves no equation")
        gained = self._less(right, left) if relation in ("<=", "<") else self._less(left, right)
        if (gained.shape == NUMBER and gained.number is None) or second == "1":
            return self._weighted(first, gained)
        return self._weighted(first, self._between(gained, second))
