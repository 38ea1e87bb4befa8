"""The proof of a statement of algebra: its relations in SymPy, and why one is not proved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import sympy as sp

from fltheory.evidence.arithmetic import parse, real
from fltheory.evidence.expression_size import STATEMENT_LETTERS, parsed
from fltheory.evidence.functions_of_exp import Letters, instance
from fltheory.evidence.relation_text import Triple, chained
from fltheory.evidence.whole import is_whole
from fltheory.theory.signs import MOST_POWER, Open, Range, denominators, nonnegative_on, pole, positive_on

if TYPE_CHECKING:
    from fltheory.evidence.relations import Relations


class ProofOfRelations:
    """The statement in SymPy, with definitions in their places."""

    def __init__(self, stated: Relations) -> None:
        ranges, defined, given = stated.where_parts
        self.stated, self.divisors, self.letters = stated, list[sp.Expr](), Letters()
        self.values: dict[sp.Symbol, sp.Expr] = {}
        for name, text in defined.items():
            self.values[sp.Symbol(name)] = self._parsed(text, [])
        self._own: list[Range] = []
        for name, (low, high) in ranges:
            self._own.append((sp.Symbol(name), self._end(low), None if high is None else self._end(high)))
        for text in defined.values():  # what they divide by
            self._read(text)
        self.given = [
            (text, self._read(one[0]), one[1], self._read(one[2])) for text, one in [*given, *stated.invariants]
        ]
        self.first = {sp.Symbol(name): self.values[sp.Symbol(f"first_{name}")] for name in stated.runs}
        self.next = {sp.Symbol(name): self.values[sp.Symbol(f"next_{name}")] for name in stated.runs}
        self._moving = list(self._shown())

    def _shown(self) -> Iterator[Range]:
        """Ranges of letters that change, from relations that are stated of them in every round."""
        for x in self.first:
            ends: dict[str, Any] = {}
            for _, left, sign, right in self.given[len(self.given) - len(self.stated.invariants) :]:
                if right == x:
                    left, sign, right = right, {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}.get(sign, sign), left
                if left == x and sign in ("<=", "<", ">=", ">") and not right.free_symbols & set(self.first):
                    ends[sign[0]] = Open(right) if sign in ("<", ">") else right
            if ">" in ends:
                yield x, ends[">"], ends.get("<")

    @property
    def inside(self) -> list[Range]:
        """Ranges, and those of letters that change."""
        return [*self.ranges, *self._moving]

    @property
    def ranges(self) -> list[Range]:
        """Those of letters for functions of exp, then those of the text."""
        return [*self.letters.ranges, *self._own]

    def _parsed(self, text: str, divisors: list[sp.Expr]) -> sp.Expr:
        return self._with_values(parse(text, divisors, []))

    def _with_values(self, read: sp.Expr) -> sp.Expr:
        """With definitions in their places, which may neither make a power huge nor a number that is not real."""
        if not self.values:
            return read
        for node in sp.postorder_traversal(read):
            exponent = node.exp if isinstance(node, sp.Pow | sp.exp) else sp.Integer(0)
            if any(abs(one) > MOST_POWER for one in exponent.xreplace(self.values).atoms(sp.Rational)):
                raise ValueError(f"a power of {str(node)[:60]} is more than {MOST_POWER}")
        found = real(read.xreplace(self.values))
        parsed(str(found))
        return found

    def _read(self, text: str) -> sp.Expr:
        found: list[sp.Expr] = []
        functions: list[sp.Expr] = []
        read = self._with_values(parse(text, found, functions))
        if len(functions) > STATEMENT_LETTERS:
            raise ValueError(f"{text[:60]!r} has {len(functions)} functions and powers; at most {STATEMENT_LETTERS}")
        for one in functions:
            if any(name in self.stated.runs for name in map(str, self._with_values(one).free_symbols)):
                raise ValueError(f"{one} changes from round to round")
        for one in functions:  # each is shown to be defined, even one that is simplified away
            self.divisors += denominators(self.letters.of(self._with_values(one), self._own))
        self.divisors += [self.letters.of(self._with_values(one), self._own) for one in found]
        return self.letters.of(read, self._own)

    def _end(self, end: tuple[str, bool]) -> Any:
        return Open(self._read(end[0])) if end[1] else self._read(end[0])

    def gap(self, number: int) -> str:
        """Why a relation is not proved; empty if it is."""
        left, sign, right = self.stated.claims[number]
        one, two = self._read(left), self._read(right)
        if sign in (">=", ">"):
            one, two, sign = two, one, {">=": "<=", ">": "<"}[sign]
        words = f"{left} {self.stated.claims[number][1]} {right}: "
        # by its text: one in which all that changes cancels may be used as well, and has to hold at first
        moves = any(found == self.stated.claims[number] for _, found in self.stated.invariants)
        if moves:
            reason = self._open((two - one).xreplace(self.first), sign, self.ranges)
            if reason:
                return f"{words}at first {reason}"
        rest = (two - one).xreplace(self.next) if moves else two - one
        whole, strict = is_whole(rest, self.stated.whole), False
        uses, squares = self.stated.uses.get(number, {}), self.stated.squares.get(number, ())
        if sign in ("=", "!=") and (squares or not all(self._equation(number, text) for text in uses)):
            return f"{words}squares and inequalities prove nothing of this kind"
        for text, factor in uses.items():
            used, by = self._used(number, text, self._read(factor))
            rest, strict = rest - used, strict or by
        for weight, square in squares:
            if not nonnegative_on(self._read(weight), self.inside):
                return f"the weight {weight} is not shown nonnegative"
            rest -= self._read(weight) * self._read(square) ** 2
        for divisor in dict.fromkeys(self.divisors):  # those of the factors and weights just read as well
            at_first, after = divisor.xreplace(self.first), divisor.xreplace(self.next)
            if any(pole(1 / found, self.inside) is not None for found in dict.fromkeys((divisor, at_first, after))):
                return f"{divisor}, which is divided by, is not shown to vanish nowhere"
        if sign == "<=" and whole:
            rest, sign = rest + 1, "<"
        if sign == "<" and strict:
            sign = "<="
        reason = self._open(rest, sign, self.inside)
        return f"{words}{reason}" if reason else ""

    def _open(self, rest: sp.Expr, sign: str, ranges: Sequence[Range]) -> str:
        """Why a difference is not shown to have the sign; empty if it is."""
        rest = sp.factor(sp.together(rest))
        if sign == "=":
            return "" if rest == 0 else f"the difference {rest} does not vanish"
        if sign == "!=":
            shown = positive_on(rest, ranges) or positive_on(-rest, ranges)
            return "" if shown else f"the difference {rest} is not shown to have a sign"
        shown = (positive_on if sign == "<" else nonnegative_on)(rest, ranges)
        return "" if shown else f"{rest} is not shown {'positive' if sign == '<' else 'nonnegative'}"

    def _equation(self, number: int, text: str) -> bool:
        """Whether what may be used says equations only."""
        told = [one for named, one in self.stated.usable(number) if named == text]
        return all(sign == "=" for _, sign, _ in told or chained(text))

    def _used(self, number: int, text: str, factor: sp.Expr) -> tuple[sp.Expr, bool]:
        """What may be used, with its factor, as what is nonnegative (or zero) by it, and whether it is positive."""
        total, strict = sp.Integer(0), False
        told = [one for named, one in self.stated.usable(number) if named == text]
        given = [(self._read(left), sign, self._read(right)) for left, sign, right in told]
        for left, sign, right in given or [self._rule(one) for one in chained(text)]:
            if sign == "!=":
                raise ValueError(f"{text} is no hypothesis that can be added up")
            if sign != "=" and not nonnegative_on(factor, self.inside):
                raise ValueError(f"the factor {factor} of {text} is not shown nonnegative")
            total += factor * (left - right if sign in (">=", ">") else right - left)
            strict = strict or (sign in ("<", ">") and positive_on(factor, self.inside))
        return total, strict

    def _rule(self, one: Triple) -> tuple[sp.Expr, str, sp.Expr]:
        """An instance of a rule of exp, log or powers, as a hypothesis is used."""
        left, right = (self._parsed(side, []) for side in (one[0], one[2]))
        found = self._read(one[0]), one[1], self._read(one[2])
        reason = instance((left, one[1], right), self.letters, self._own)
        if reason:
            raise ValueError(reason)
        return found


def may_be_a_rule(text: str) -> bool:
    """Whether a text may be an instance of a rule of :mod:`fltheory.evidence.functions_of_exp`."""
    return any(sign in text for sign in ("exp(", "log(", "**"))
