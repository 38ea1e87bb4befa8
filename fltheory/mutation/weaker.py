"""Whether a changed bound follows from the bound as it stands."""

from __future__ import annotations

from typing import Any

import sympy as sp

from fltheory.mutation.mutants import Mutant
from fltheory.theory.bound import Bound
from fltheory.theory.proofs import Open, nonnegative_on, positive_on
from fltheory.theory.ranges import REAL
from fltheory.theory.states import difference, implies, parts, plain

STRICT = (sp.Lt, sp.Gt)
ORDERED = (sp.Le, sp.Ge, *STRICT)
#: Step sizes and what is bounded by other constants: of such a symbol a relation gives the end of the range.
_FIRST = ("e", "eta", "s", "mu")


def is_weaker(document: str, name: str, mutant: Mutant) -> bool:
    """Whether the mutant of the bound of this name is implied by it, as far as signs on its ranges tell."""
    from fltheory.evidence.displays import bounds_of

    return implied(bounds_of(document)[name], mutant)


def implied(bound: Bound, mutant: Mutant) -> bool:
    """Whether the mutant follows from the bound."""
    changed = mutant.of(bound)
    if mutant.field == "conditions":
        return all(
            any(
                implies(part, known)
                or (
                    isinstance(known, ORDERED)
                    and _nonnegative(difference(known), [part], bound, isinstance(known, STRICT))
                )
                for part in _relations(changed)
            )
            for known in _relations(bound)
        )
    before, after = (getattr(item, mutant.field) for item in (bound, changed))
    gain = after - before if mutant.field == "expression" else before - after
    gain = -gain if bound.relation == ">=" else gain
    return bound.relation in ("<=", "<", ">=") and _nonnegative(gain, _relations(bound), bound)


def _relations(bound: Bound) -> list[Any]:
    return [part for c in bound.conditions if c.relation is not None for part in parts(c.relation)]


def _nonnegative(expression: Any, known: list[Any], bound: Bound, strict: bool = False) -> bool:
    """Shown nonnegative on the ranges of the symbols, with the relations that bound one symbol by what comes before it."""
    expression = _bare(expression)
    found = expression.free_symbols.union(
        *(_bare(difference(part)).free_symbols for part in known if isinstance(part, ORDERED))
    )
    symbols = sorted(found, key=lambda symbol: symbol.name)
    ends: dict[Any, list[Any]] = {symbol: [] for symbol in symbols}
    for relation in [*known, *(c.relation for c in bound.vocabulary.relations)]:
        if isinstance(relation, ORDERED):
            _end(_bare(difference(relation)), ends, bound)
    ranges: list[tuple[Any, Any, Any]] = []
    left = list(symbols)
    while left:
        placed = {one for one, _, _ in ranges}
        ready = [s for s in left if all(end.free_symbols <= placed for _, end in ends[s])] or left[:1]
        symbol = ready[0]
        where = bound.domain.get(symbol.name, REAL)
        if where.low == -float("inf"):
            return False
        low: Any = Open(sp.Rational(str(where.low))) if where.open_low else sp.Rational(str(where.low))
        high = [end for upper, end in ends[symbol] if upper and end.free_symbols <= placed]
        more = [end for upper, end in ends[symbol] if not upper and end.free_symbols <= placed]
        top = high[0] if high else (None if where.high == float("inf") else sp.Rational(str(where.high)))
        ranges.append((symbol, more[0] if more and where.low == 0 else low, top))
        left.remove(symbol)
    try:
        return positive_on(expression, ranges) if strict else nonnegative_on(expression, ranges)
    except (ValueError, TypeError):
        return False


def _bare(expression: Any) -> Any:
    """With symbols of which nothing is known but their names."""
    return expression.xreplace({symbol: sp.Symbol(symbol.name) for symbol in expression.free_symbols})


def _signed(slope: Any, bound: Bound) -> int:
    """1 or -1 for a product of positive symbols and a number; 0 for what may have no sign, or vanish."""
    good = all(bound.domain.get(one.name, REAL).low >= 0 for one in slope.free_symbols)
    sized = plain(slope)
    return 0 if not good else 1 if sized.is_positive else -1 if sized.is_negative else 0


def _end(difference: Any, ends: dict[Any, list[Any]], bound: Bound) -> None:
    """``difference >= 0`` as an upper or lower end of the first symbol in which it is linear."""
    for symbol in sorted(difference.free_symbols & set(ends), key=lambda one: (one.name not in _FIRST, one.name)):
        slope = sp.diff(difference, symbol)
        sign = 0 if slope.has(symbol) else _signed(slope, bound)
        if sign == 0:
            continue
        if not difference.free_symbols - {symbol} <= set(ends):
            continue
        ends[symbol].append((sign < 0, sp.simplify(-difference.subs(symbol, 0) / slope)))
        return
