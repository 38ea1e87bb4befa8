"""exp, log and real powers in statements of algebra: letters in their places, and the few rules that are known of them.

Every ``exp(a)``, ``log(a)`` and ``b**r`` with a letter in r becomes a letter of its own.  Sums in exponents are taken apart
first, so that ``exp(a + b) = exp(a)*exp(b)``, ``exp(-a) = 1/exp(a)``, ``b**(r + 1) = b*b**r``, ``exp(a)**r = exp(a*r)`` and
``exp(r*log(b)) = b**r`` need no rule.  exp is positive, ``b**r`` too for b > 0; for b >= 0 and r > 0 it is not negative, and other
powers are not read; log is that of positive numbers.  A proof may use these, with the text of an instance among its ``uses``:

- ``1 + a <= exp(a)``;
- ``b**r <= exp(r*(b - 1))`` and ``a**r <= b**r`` for r >= 0, a <= b;
- ``log(b) <= b - 1``, ``1 - 1/b <= log(b)`` and ``log(a) <= log(b)`` for a <= b.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from fltheory.theory.signs import Open, Range, nonnegative_on, positive_on, rational


class Letters:
    """Letters for functions of exp, in the order of their first places, with what is known of their signs."""

    def __init__(self) -> None:
        self.ranges: list[Range] = []
        self._logs: dict[sp.Symbol, sp.Expr] = {}
        self._known: dict[str, sp.Symbol] = {}
        self._done: dict[sp.Expr, sp.Expr] = {}

    def of(self, expression: sp.Expr, ranges: Sequence[Range]) -> sp.Expr:
        """The expression with letters.

        Raises
        ------
        ValueError : a logarithm or a power is not shown to be defined on the ranges.
        """
        if expression in self._done:
            return self._done[expression]
        if isinstance(expression, sp.exp) or expression == sp.E:
            found = self._power(sp.E, self.of(argument(expression), ranges), ranges)
        elif isinstance(expression, sp.log):
            found = self._log(self.of(expression.args[0], ranges), ranges)
        elif isinstance(expression, sp.Pow) and not expression.exp.is_Integer:
            exponent = self.of(expression.exp, ranges)
            base = expression.base
            if isinstance(base, sp.exp) or base == sp.E:
                found = self._power(sp.E, self.of(argument(base), ranges) * exponent, ranges)
            else:
                found = self._power(self.of(base, ranges), exponent, ranges)
        elif expression.args:
            found = expression.func(*(self.of(one, ranges) for one in expression.args))
        else:
            found = expression
        self._done[expression] = found
        return found

    def _log(self, inside: sp.Expr, ranges: Sequence[Range]) -> sp.Expr:
        every = [*self.ranges, *ranges]
        if not positive_on(inside, every):
            raise ValueError(f"log({inside}): {inside} is not shown positive")
        letter = self._letter(f"log({sp.cancel(inside)})", Open(0) if positive_on(inside - 1, every) else 0)
        if not nonnegative_on(inside - 1, every):
            self.ranges = [one for one in self.ranges if one[0] != letter]
        self._logs[letter] = inside
        return letter

    def _power(self, base: sp.Expr, exponent: sp.Expr, ranges: Sequence[Range]) -> sp.Expr:
        """The product over the terms of the exponent, and over positive factors of the base."""
        total = sp.Integer(1)
        for times, term in _terms(rational(exponent)):
            log = next((one for one in self._logs if base == sp.E and one in term.free_symbols), None)
            rest = None if log is None else sp.cancel(term / log)
            if rest is not None and log not in rest.free_symbols:
                total *= self._power(self._logs[log], times * rest, ranges)
            elif term == 1 and times.is_Integer and base != sp.E:
                total *= base**times
            elif base == sp.E:
                total *= self._letter(f"exp({sp.cancel(term / times.q)})", Open(0)) ** times.p
            else:
                for factor, count in self._factors(base, [*self.ranges, *ranges]):
                    total *= self._single(factor, term / times.q, ranges) ** (count * times.p)
        return total

    def _factors(self, base: sp.Expr, ranges: Sequence[Range]) -> list[tuple[sp.Expr, int]]:
        """A base as powers of primes and of positive polynomials; as it is where that cannot be shown."""
        found: list[tuple[sp.Expr, int]] = []
        number = sp.Integer(1)
        for part, side in zip(sp.fraction(sp.cancel(sp.together(base))), (1, -1), strict=True):
            content, factors = sp.factor_list(part)
            number *= content**side
            for factor, count in factors:
                if positive_on(factor, ranges):
                    found.append((factor, side * count))
                elif positive_on(-factor, ranges):
                    found.append((-factor, side * count))
                    number *= (-1) ** count
                else:
                    return [(base, 1)]
        if number <= 0:
            return [(base, 1)]
        return [*((sp.Integer(prime), count) for prime, count in sp.factorrat(number).items()), *found]

    def _single(self, base: sp.Expr, exponent: sp.Expr, ranges: Sequence[Range]) -> sp.Expr:
        every = [*self.ranges, *ranges]
        above = positive_on(base, every)
        if not above and not (nonnegative_on(base, every) and positive_on(exponent, every)):
            raise ValueError(f"({base})**({exponent}) is not shown to be defined")
        return self._letter(f"({sp.cancel(base)})**({sp.cancel(exponent)})", Open(0) if above else 0)

    def _letter(self, name: str, low: Any) -> sp.Symbol:
        if name not in self._known:
            self._known[name] = sp.Symbol(name)
            self.ranges.append((self._known[name], low, None))
        return self._known[name]


def _terms(exponent: sp.Expr) -> Iterator[tuple[sp.Rational, sp.Expr]]:
    """An exponent as rational numbers times products: its sum."""
    top, bottom = sp.fraction(sp.cancel(sp.together(exponent)))
    whole, rest = (top / bottom, sp.Integer(0)) if bottom.is_number else sp.div(top, bottom)
    parts = [*sp.Add.make_args(sp.expand(whole)), *(one / bottom for one in sp.Add.make_args(sp.expand(rest)))]
    for one in filter(None, parts):
        number, product = sp.cancel(one).as_coeff_Mul()
        if product.is_Add:  # the denominator is a sum: its numerical content stays with it
            number, product = sp.Integer(1), number * product
        yield number, product


def argument(expression: sp.Expr) -> sp.Expr:
    """What exp is taken of."""
    return sp.Integer(1) if expression == sp.E else expression.args[0]


def instance(sides: tuple[sp.Expr, str, sp.Expr], letters: Letters, ranges: Sequence[Range]) -> str:
    """Why a relation is an instance of no rule; empty if it is one."""
    left, sign, right = sides
    if sign in (">=", ">"):
        left, sign, right = right, {">=": "<=", ">": "<"}[sign], left

    def read(expression: sp.Expr) -> sp.Expr:
        return letters.of(expression, ranges)

    def same(one: sp.Expr, two: sp.Expr) -> bool:
        return bool(sp.cancel(sp.together(read(one) - read(two))) == 0)

    def shown(expression: sp.Expr) -> bool:
        found = read(expression)
        return nonnegative_on(found, [*letters.ranges, *ranges])

    if sign != "<=":
        return f"{left} {sign} {right} is no instance of a rule: only <= and >= are"
    ones, twos = _powers_of(left), _powers_of(right)
    good = same(right, sp.exp(left - 1))
    good = good or any(same(right, sp.exp(r * (b - 1))) and shown(r) for b, r in ones)
    if not good:
        good = any(same(r, q) and shown(r) and shown(b - a) for a, r in ones for b, q in twos)
    if not good and isinstance(left, sp.log):
        (inside,) = left.args
        good = same(right, inside - 1) or (isinstance(right, sp.log) and shown(right.args[0] - inside))
    if not good and isinstance(right, sp.log):
        good = same(left, 1 - 1 / right.args[0])
    return "" if good else f"{left} <= {right} is no hypothesis, and no instance of a rule of exp, log or powers"


def _powers_of(expression: sp.Expr) -> list[tuple[sp.Expr, sp.Expr]]:
    """Base and exponent of a power with a letter in its exponent; SymPy writes 2**(-r) for (1/2)**r."""
    if not isinstance(expression, sp.Pow) or expression.exp.is_number:
        return []
    base, exponent = expression.base, expression.exp
    return [(base, exponent), *([(1 / base, -exponent)] if base.is_Rational and base > 0 else [])]
