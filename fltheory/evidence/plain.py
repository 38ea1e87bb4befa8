"""Arguments of trusted functions in plain symbols, so that they can be written down and read back.

Every symbol gets a name that is an identifier and that no other symbol has; that one is positive stands in its range.  In
an identity whatever is not rational (a power with a symbol above, a logarithm, a function) becomes a symbol of its own: what
vanishes for all its values vanishes for the one that it stands for.  Roots stay: a certificate can hold them.
"""

from __future__ import annotations

import keyword
import re
from typing import Any

import sympy as sp

from fltheory.theory.signs import Open, Range, Ranges

#: What a certificate reads as something else than a symbol.
_TAKEN = ("sqrt", "pi", "move_", "True", "False", "None")
_ONLY_POWERS = dict.fromkeys(("power_base", "mul", "multinomial", "log", "basic"), False)


class Plain:
    """One renaming for all parts of a certificate."""

    def __init__(self) -> None:
        self._symbols: dict[sp.Symbol, sp.Symbol] = {}
        self._names = set(_TAKEN)
        self._parts: dict[sp.Basic, sp.Dummy] = {}

    @property
    def where(self) -> dict[str, str]:
        """What symbols stand for that are in the place of what is not rational."""
        return {self._symbols[symbol].name: str(part) for part, symbol in self._parts.items()}

    def rational(self, expression: Any) -> sp.Expr:
        """A rational expression in plain symbols; what else it contains stays as it is."""
        found = sp.sympify(expression)
        ordered = sorted(found.free_symbols, key=lambda symbol: (str(symbol), symbol.sort_key()))
        return found.xreplace({symbol: self._symbol(symbol) for symbol in ordered})

    def opened(self, expression: Any) -> sp.Expr:
        """Any expression in plain symbols, rational but for roots."""
        found = sp.sympify(expression)
        if any(map(_strange, sp.preorder_traversal(found))):
            found = self._open(sp.expand(found, power_exp=True, **_ONLY_POWERS))
        return self.rational(found)

    def ranges(self, ranges: Ranges) -> list[Range]:
        """Ranges in plain symbols: one from 0 of a symbol that is positive has an open end."""

        def end(value: Any) -> Any:
            if value is None:
                return None
            return Open(self.rational(value.end)) if isinstance(value, Open) else self.rational(value)

        return [
            (self._symbol(symbol), Open(sp.Integer(0)) if symbol.is_positive and low == 0 else end(low), end(high))
            for symbol, low, high in ranges
        ]

    def _symbol(self, symbol: sp.Symbol) -> sp.Symbol:
        if symbol not in self._symbols:
            name = re.sub(r"\W+", "_", str(symbol)).strip("_") or "x"
            name = f"x_{name}" if not name.isidentifier() else f"{name}_" if keyword.iskeyword(name) else name
            fresh, count = name, 1
            while fresh in self._names:
                count += 1
                fresh = f"{name}_{count}"
            self._names.add(fresh)
            self._symbols[symbol] = sp.Symbol(fresh)
        return self._symbols[symbol]

    def _open(self, node: Any) -> Any:
        """The largest parts that are not rational, as symbols."""
        if _strange(node):
            return self._parts.setdefault(node, sp.Dummy("part"))
        return node.func(*map(self._open, node.args)) if node.args else node


def _strange(node: sp.Basic) -> bool:
    if isinstance(node, sp.Pow):
        return not node.exp.is_Rational
    return not isinstance(node, sp.Add | sp.Mul | sp.Symbol | sp.Rational) and node is not sp.pi
