"""Signs of rational expressions on ranges of parameters, decided exactly: closed and open ends, and no pole on the range.

Ranges are ``(symbol, low, high)``, one after the other, ``high=None`` where there is no upper end; ends may use the
symbols of earlier ranges.  Ends belong to the range, unless they are written :class:`Open`:

    ((mu, 0, None), (L, Open(mu), None), (eta, 0, 1/(4*L)))        mu >= 0, L > mu, 0 <= eta <= 1/(4L)

A symbol that SymPy knows to be positive is so: its range from 0 does not contain 0.

Each range is parametrised by one variable u: ``low + u``, or ``(low + high u)/(1 + u)`` between two ends, with u >= 0 at a
closed and u > 0 at an open lower end; the upper end is u -> oo.  An expression whose numerator and denominator have
coefficients of one sign in these variables is nonnegative; it is positive if besides, wherever some of them are 0 or
oo at closed ends, a term of each remains.  Both tests are sufficient: "no" means "not shown this way", never "false".

What is decided about a rational function is true at every point of the ranges: a denominator must be shown to vanish
nowhere on them, ends included, wherever in the expression it stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import sympy as sp

from fltheory.theory.record import records

Exponents = tuple[int, ...]

#: Higher powers are refused: to expand them would take for ever.
MOST_POWER = 10_000


@dataclass(frozen=True)
class Open:
    """An end that does not belong to its range."""

    end: Any


Range = tuple[sp.Symbol, Any, Any | None]
Ranges = Sequence[Range]


def interior(ranges: Ranges) -> list[Range]:
    """The ranges without their ends."""

    def opened(end: Any) -> Any:
        return end if end is None or isinstance(end, Open) else Open(end)

    return [(symbol, opened(low), opened(high)) for symbol, low, high in ranges]


def ranges_as_text(ranges: Ranges) -> list[list[str | None]]:
    """Ranges as data; an open end begins with ``>`` or ``<``."""

    def text(end: Any, sign: str) -> str | None:
        return None if end is None else f"{sign} {end.end}" if isinstance(end, Open) else str(end)

    def lower(symbol: sp.Symbol, low: Any) -> Any:
        return Open(0) if symbol.is_positive and low == 0 else low

    return [[str(symbol), text(lower(symbol, low), ">"), text(high, "<")] for symbol, low, high in ranges]


def exact(expression: Any) -> sp.Expr:
    """The expression, if it is a finite number at some point and holds nothing inexact.

    Raises
    ------
    ValueError : it holds a float, an infinity, nan, a boolean, symbols that do not commute, or divides by what vanishes
        identically.
    """
    found = None if isinstance(expression, str | bool) else sp.sympify(expression)
    if not isinstance(found, sp.Expr) or isinstance(found, sp.MatrixExpr):
        raise ValueError(f"{expression!r} is no expression")
    bad = next((leaf for leaf in found.atoms() if isinstance(leaf, sp.Float) or leaf in _INFINITE), None)
    if bad is not None or not found.is_commutative:
        raise ValueError(f"{'what does not commute' if bad is None else bad} in {_short(found)}: no exact number")
    for base in denominators(found):
        if sp.expand(sp.fraction(sp.together(base))[0]) == 0:
            raise ValueError(f"the denominator {base} in {_short(found)} vanishes identically")
    return found


_INFINITE = (sp.oo, -sp.oo, sp.zoo, sp.nan)


def rational(expression: Any) -> sp.Expr:
    """The expression, if it is a rational function of real symbols with rational coefficients.

    Raises
    ------
    ValueError : it is not: see :func:`exact`; or roots, imaginary or other constants, functions, cases, symbols that are
        not real numbers, two symbols of one name.
    """
    found = exact(expression)
    for node in _strange(found):
        raise ValueError(f"{node} in {_short(found)}: no rational function of real symbols with rational coefficients")
    names = [symbol.name for symbol in found.free_symbols]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"symbols named {name} with different assumptions in {_short(found)}")
    return found


def _strange(expression: sp.Expr) -> Iterator[Any]:
    """Parts of an expression that are not rational: leaves first, then what is made of them."""
    for leaf in expression.atoms():
        if isinstance(leaf, sp.Symbol):
            if (
                type(leaf) not in (sp.Symbol, sp.Dummy)
                or leaf.is_real is False
                or leaf.is_zero
                or leaf.is_finite is False
            ):
                yield leaf
        elif not isinstance(leaf, sp.Rational):
            yield leaf
    for node in expression.atoms(sp.Basic):
        if isinstance(node, sp.Pow):
            if not node.exp.is_Integer or abs(node.exp) > MOST_POWER:
                yield node
        elif node.args and not isinstance(node, sp.Add | sp.Mul):
            yield node


def _short(expression: sp.Expr) -> str:
    text = str(expression)
    return text if len(text) <= 80 else f"{text[:77]}..."


def denominators(expression: sp.Expr) -> list[sp.Expr]:
    """Every expression that the given one divides by, in the order of their names."""
    return sorted({node.base for node in expression.atoms(sp.Pow) if node.exp.is_negative}, key=str)


@records("regular")
def pole(expression: sp.Expr, ranges: Ranges) -> sp.Expr | None:
    """A denominator of a rational expression that is not shown to vanish nowhere on the ranges; ``None`` if all are.

    Raises
    ------
    ValueError : the ranges or the expression are malformed, or a symbol of a denominator has no range.
    """
    box = _read(ranges)
    return next((base for base in denominators(rational(expression)) if not box.vanishes_nowhere(base)), None)


@records("nonnegative")
def nonnegative_on(expression: Any, ranges: Ranges) -> bool:
    """Whether a rational expression is shown to be defined and nonnegative at every point of the ranges.

    Raises
    ------
    ValueError : the expression is not rational, a symbol has no range, or the ranges are malformed: an end that is
        no rational expression in earlier symbols or has a pole, a range that is empty or not shown not to be,
        a symbol twice, or with assumptions that the range does not imply.
    """
    return _read(ranges).nonnegative(rational(expression))


@records("positive")
def positive_on(expression: Any, ranges: Ranges) -> bool:
    """Whether a rational expression is shown to be defined and positive at every point of the ranges; see above."""
    return _read(ranges).positive(rational(expression))


def _read(ranges: Ranges) -> _Box:
    try:
        return _box(tuple((symbol, low, high) for symbol, low, high in ranges))
    except TypeError as error:
        raise ValueError(f"ranges {ranges!r}: expected (symbol, low, high) each ({error})") from None


@lru_cache(maxsize=256)
def _box(ranges: tuple[Range, ...]) -> _Box:
    return _Box(ranges)


class _Box:
    """The ranges in their variables, and the signs of rational expressions in them."""

    def __init__(self, ranges: tuple[Range, ...]) -> None:
        self.values: dict[sp.Symbol, sp.Expr] = {}
        self.variables: list[sp.Symbol] = []
        self.ends: list[list[str | None]] = []  # where a variable may be: "zero", "infinite"
        self.known: dict[sp.Expr, bool] = {}
        for symbol, low, high in ranges:
            if not isinstance(symbol, sp.Symbol) or symbol.name in {other.name for other in self.values}:
                raise ValueError(f"range of {symbol}: expected a symbol that has no range yet")
            self._add(rational(symbol), low, high)

    def _add(self, symbol: sp.Symbol, low: Any, high: Any | None) -> None:
        ends = [end.end if isinstance(end, Open) else end for end in (low, high)]
        strict = isinstance(low, Open) or isinstance(high, Open)
        bottom, top = (None if end is None else self._end(symbol, end) for end in ends)
        if bottom is None:
            raise ValueError(f"range of {symbol}: there is no lower end")
        if top is not None and not (self.positive if strict else self.nonnegative)(top - bottom):
            raise ValueError(f"range of {symbol}: from {ends[0]} to {ends[1]} it is empty, or not shown not to be")
        variable = sp.Dummy(f"u_{len(self.variables)}")
        start = bottom.xreplace(self.values)
        value = start + variable if top is None else (start + top.xreplace(self.values) * variable) / (1 + variable)
        at: list[str | None] = [] if isinstance(low, Open) or (symbol.is_positive and bottom == 0) else ["zero"]
        at += [] if top is None or isinstance(high, Open) else ["infinite"]
        self.variables.append(variable)
        self.ends.append(at)
        self.values[symbol] = value
        signed = symbol.is_positive or symbol.is_nonnegative or symbol.is_zero is False
        wrong = symbol.is_negative or symbol.is_nonpositive
        if wrong or (signed and not self.nonnegative(symbol)):
            raise ValueError(
                f"range of {symbol}: from {ends[0]} it has values that the symbol's own assumptions exclude"
            )

    def _end(self, symbol: sp.Symbol, end: Any) -> sp.Expr:
        found = rational(end)
        later = sorted(map(str, found.free_symbols - set(self.values)))
        if later:
            raise ValueError(f"range of {symbol}: its end {found} uses {', '.join(later)}, without a range before it")
        for base in denominators(found):
            if not self.vanishes_nowhere(base):
                raise ValueError(f"range of {symbol}: its end {found} is not shown finite, since {base} may vanish")
        return found

    def nonnegative(self, expression: sp.Expr) -> bool:
        """Coefficients of one sign, and no pole: so by continuity also where numerator and denominator both vanish."""
        terms = self._terms(expression)
        return terms is not None and _one_sign([*terms[0].values(), *terms[1].values()]) and self._regular(expression)

    def positive(self, expression: sp.Expr) -> bool:
        """Nonnegative, and not zero at any point."""
        return self.nonnegative(expression) and self.vanishes_nowhere(expression)

    def vanishes_nowhere(self, expression: sp.Expr) -> bool:
        """Defined and not zero at any point: one sign above, one below, and a term left wherever variables are at ends."""
        if expression not in self.known:
            terms = self._terms(expression)
            signs = terms is not None and all(
                _one_sign(list(part.values())) and self._remains(part, terms) for part in terms
            )
            self.known[expression] = signs and self._regular(expression)
        return self.known[expression]

    def _regular(self, expression: sp.Expr) -> bool:
        return all(self.vanishes_nowhere(base) for base in denominators(expression))

    def _terms(self, expression: sp.Expr) -> tuple[dict[Exponents, Any], dict[Exponents, Any]] | None:
        """Numerator and denominator in the variables; ``None`` where the expression is defined nowhere."""
        missing = sorted(map(str, expression.free_symbols - set(self.values)))
        if missing:
            raise ValueError(f"symbols without a range: {', '.join(missing)}")
        found = sp.together(expression.xreplace(self.values))
        if found.has(*_INFINITE):  # a range of one point, where a denominator vanishes
            return None
        top, bottom = sp.fraction(found)
        if not self.variables:
            return {(): sp.expand(top)}, {(): sp.expand(bottom)}
        above, below = (sp.Poly(sp.expand(part), *self.variables).as_dict() for part in (top, bottom))
        return (above, below) if below else None

    def _remains(self, part: dict[Exponents, Any], terms: tuple[dict[Exponents, Any], ...]) -> bool:
        """Whether a term is not zero at any choice of ends.

        At u = oo numerator and denominator are divided by the larger of their powers of u: its terms remain.
        """
        count = len(self.variables)
        largest = [max((powers[i] for entry in terms for powers in entry), default=0) for i in range(count)]

        def alive(powers: Exponents, places: Sequence[str | None]) -> bool:
            need = {"zero": [0] * count, "infinite": largest}
            return all(place is None or powers[i] == need[place][i] for i, place in enumerate(places))

        free: list[str | None] = [None]
        choices = product(*(list(at) if at else free for at in self.ends))
        return all(any(c and alive(powers, places) for powers, c in part.items()) for places in choices)


def _one_sign(numbers: list[Any]) -> bool:
    return all(c >= 0 for c in numbers) or all(c <= 0 for c in numbers)
