"""A published bound as one symbolic expression: the single source of its LaTeX, its numbers and its conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy as sp
from sympy.core.relational import Relational

from fltheory.theory.evaluation import evaluate
from fltheory.theory.notation import has_notation, to_latex

#: How a relation is printed between the two sides; orders are printed around the right side.
RELATIONS = {"<=": r"\le", "=": "=", ">=": r"\ge", "<": "<", "!=": r"\ne", "->": r"\to", "~": r"\propto"}
ORDERS = {"O": r"\mathcal{O}", "Omega": r"\Omega"}
#: Floats that differ by at most this share of themselves count as equal in a condition.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Condition:
    """A hypothesis of a theorem: a sympy relation in the bound's symbols, or words where it is not a relation."""

    words: str
    relation: Any = None

    def holds(self, values: Mapping[str, Any]) -> bool | None:
        """Truth of the relation at the given values; ``None`` for a condition that is only words.

        Between floats ``=``, ``<=`` and ``>=`` also hold when both sides agree to 1e-12: 0.1 * 3 counts as 0.3.
        """
        if self.relation is None:
            return None
        known = {s: values[s.name] for s in self.relation.free_symbols if s.name in values}
        parts = {part: _decided(part, known) for part in self.relation.atoms(Relational)}
        substituted = self.relation.xreplace(parts)
        if substituted in (sp.true, sp.false):
            return bool(substituted)
        missing = ", ".join(sorted(s.name for s in substituted.free_symbols))
        raise ValueError(f"condition {self.words!r} needs a value for {missing}")


@dataclass(frozen=True)
class Bound:
    """A displayed relation ``left <= expression`` (or ``=``, ``>=``, an order ...) under ``conditions``.

    Parameters
    ----------
    name, source : what it is and where it is printed.
    left : LaTeX of a measured quantity, or an expression, which is evaluated as the right-hand side is.
    expression : sympy expression of the right-hand side; a matrix or vector where the display is one.
    relation : a key of :data:`RELATIONS` or :data:`ORDERS`.
    ids : claims and ledger rows that speak of this display.
    repaired_by : ledger row with the repaired statement, where the display is wrong as printed.
    """

    name: str
    source: str
    left: str | sp.Basic
    expression: sp.Expr
    conditions: tuple[Condition, ...] = ()
    relation: str = "<="
    symbol_names: Mapping[str, str] = field(default_factory=dict)
    ids: tuple[str, ...] = ()
    repaired_by: str = ""

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS and self.relation not in ORDERS:
            raise ValueError(f"relation={self.relation!r} is none of {', '.join([*RELATIONS, *ORDERS])}")

    def latex(self) -> str:
        """The statement in LaTeX, made from the expressions that are evaluated."""
        left = self.left if isinstance(self.left, str) else self._print(self.left)
        right = self._print(self.expression)
        if self.relation in ORDERS:
            return rf"{left} = {ORDERS[self.relation]}\left({right}\right)"
        return rf"{left} {RELATIONS[self.relation]} {right}"

    @property
    def symbols(self) -> tuple[str, ...]:
        """Names of the symbols of the right-hand side, which need values, sorted."""
        return _names(self.expression)

    def unmet(self, **values: Any) -> list[str]:
        """The conditions that are false at these values, in words."""
        return [c.words for c in self.conditions if c.holds(values) is False]

    def exact(self, **values: Any) -> sp.Expr:
        """The right-hand side with exact values substituted (Fractions and ints stay exact).

        Raises
        ------
        ValueError : a value is missing, or the expression is one of vectors or matrices.
        """
        self._require(self.expression, values)
        if has_notation(self.expression):
            raise ValueError(f"{self.name} is an expression of vectors or matrices; use curve")
        return self.expression.subs(
            {
                s: sp.Rational(str(values[s.name])) if not isinstance(values[s.name], sp.Basic) else values[s.name]
                for s in self.expression.free_symbols
            }
        )

    def curve(self, **values: Any) -> npt.NDArray[np.float64]:
        """The right-hand side in float64; any value may be an array, and the usual broadcasting applies.

        Expressions of vectors, clients and matrices take arrays with the axes of :mod:`fltheory.theory.notation`.
        """
        return self._number(self.expression, values)

    def left_curve(self, **values: Any) -> npt.NDArray[np.float64]:
        """The left-hand side in float64.

        Raises
        ------
        ValueError : the left-hand side is a measured quantity.
        """
        if isinstance(self.left, str):
            raise ValueError(f"the left side of {self.name} is measured, not computed")
        return self._number(self.left, values)

    def slack(self, **values: Any) -> npt.NDArray[np.float64]:
        """By how much the relation holds: right - left for ``<=``, left - right for ``>=``, -|left - right| for ``=``.

        Raises
        ------
        ValueError : the left-hand side is measured, or the relation is an order.
        """
        if not isinstance(self.left, str) and (has_notation(self.left) or has_notation(self.expression)):
            self._require(self.left, values)
            self._require(self.expression, values)
            left, right = evaluate(self.left, values), evaluate(self.expression, values)
        else:
            left, right = self.left_curve(**values), self.curve(**values)
        signs = {"<=": right - left, "<": right - left, ">=": left - right, "=": -np.abs(left - right)}
        if self.relation not in signs:
            raise ValueError(f"{self.name} states no relation between two numbers")
        return np.asarray(np.squeeze(signs[self.relation]), dtype=np.float64)

    def _print(self, expression: sp.Basic) -> str:
        names = {s: self.symbol_names[s.name] for s in expression.free_symbols if s.name in self.symbol_names}
        return to_latex(expression, names)

    def _number(self, expression: sp.Basic, values: Mapping[str, Any]) -> npt.NDArray[np.float64]:
        self._require(expression, values)
        if has_notation(expression):
            return np.asarray(np.squeeze(evaluate(expression, values)), dtype=np.float64)
        names = _names(expression)
        # assumption-free symbols, so that lambdify finds them by name
        plain = sp.sympify(expression).subs({s: sp.Symbol(s.name) for s in expression.free_symbols})
        function = sp.lambdify([sp.Symbol(n) for n in names], plain, "numpy")
        arrays = (np.asarray(values[n], dtype=np.float64) for n in names)
        result: npt.NDArray[np.float64] = np.asarray(function(*arrays), dtype=np.float64)
        return result

    def _require(self, expression: sp.Basic, values: Mapping[str, Any]) -> None:
        missing = [n for n in _names(expression) if n not in values]
        if missing:
            raise ValueError(f"bound {self.name} needs a value for {', '.join(missing)}")


def _decided(part: sp.Basic, known: Mapping[sp.Symbol, Any]) -> sp.Basic:
    """A relation at the given values: true, false, or what is left of it where a value is missing."""
    left, right = (side.subs(known) for side in part.args)
    numbers = left.is_number and right.is_number and (left.has(sp.Float) or right.has(sp.Float))
    if numbers and isinstance(part, (sp.Eq, sp.Le, sp.Ge)) and left.is_finite and right.is_finite:
        difference, size = abs(float(left) - float(right)), max(abs(float(left)), abs(float(right)))
        if difference <= ROUNDING * size:
            return sp.true
    return part.subs(known)


def _names(expression: sp.Basic) -> tuple[str, ...]:
    return tuple(sorted({s.name for s in expression.free_symbols}))
