"""Whether a derivation supposes no more of a bound's symbols than the bound says: its ranges are read off what is kept of it.

A derivation that needs ``K >= 2`` is no proof of a bound that does not say so, or says ``K >= 1``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sympy as sp

from fltheory.derivation.replay import Underivable
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.states import plain, unstated


def ranges_of(certificate: Mapping[str, JSON]) -> Iterator[tuple[str, Any]]:
    """Each parameter with an end of its range, ``name >= low`` or ``name <= high``, strict where that is open."""
    lines: Any = certificate["lines"]
    parameters = [(name, more) for kind, name, more in lines if kind == "parameter"]
    symbols = {name: sp.Symbol(name) for name, _ in parameters}
    for name, more in parameters:
        for side, open_end, order in (
            ("low", "low_open", (sp.Ge, sp.Gt)),
            ("high", "high_open", (sp.Le, sp.Lt)),
        ):
            if more.get(side) is not None:
                end = sp.sympify(str(more[side]), locals=symbols)
                yield name, order[bool(more.get(open_end))](*_without_divisor(symbols[name], end), evaluate=False)


def _without_divisor(name: sp.Symbol, end: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Both sides times the divisor of the end, where it is positive for positive numbers."""
    top, divisor = sp.fraction(sp.together(end))
    return (name * divisor, top) if plain(divisor).is_positive else (name, end)


def supposing_no_more(
    bound: Bound,
    certificate: Mapping[str, JSON],
    *,
    cases: Sequence[str] = (),
    also: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
) -> Mapping[str, JSON]:
    """The derivation as it is kept, if each range of a symbol of the bound is stated by the bound.

    Parameters
    ----------
    cases : letters of which this is one case among others, or whose range belongs to a condition in words (B >= 1 in A1).
    also : symbols that only conditions have, so that a bound without them has to be told of the range all the same.
    names : symbols of the bound by the letters that stand for them in the derivation.

    Raises
    ------
    Underivable : a range that no condition of the bound and no range of its symbols says.
    """
    known = {*bound.arguments, *also}
    letters = {sp.Symbol(letter): sp.Symbol(name) for letter, name in (names or {}).items()}
    used = []
    for letter, relation in ranges_of(certificate):
        one = relation.xreplace(letters)
        if letter not in cases and {symbol.name for symbol in one.free_symbols} <= known:
            used.append(one)
    missing = unstated(bound, used)
    if missing:
        raise Underivable(f"the derivation supposes {'; '.join(missing)}, which {bound.name} does not state")
    return certificate
