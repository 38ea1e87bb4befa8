"""A published bound as one symbolic expression: the single source of its LaTeX, its numbers and its conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy as sp


@dataclass(frozen=True)
class Condition:
    """A hypothesis of a theorem: a sympy relation in the bound's symbols, or words where it is not a relation."""

    words: str
    relation: Any = None

    def holds(self, values: Mapping[str, Any]) -> bool | None:
        """Truth of the relation at the given values; ``None`` for a condition that is only words."""
        if self.relation is None:
            return None
        substituted = self.relation.subs({s: values[s.name] for s in self.relation.free_symbols if s.name in values})
        if substituted in (sp.true, sp.false):
            return bool(substituted)
        missing = ", ".join(sorted(s.name for s in substituted.free_symbols))
        raise ValueError(f"condition {self.words!r} needs a value for {missing}")


@dataclass(frozen=True)
class Bound:
    """``left <= expression`` under ``conditions``; ``left`` is LaTeX, since it is a measured quantity.

    Parameters
    ----------
    name, source : what it is and where it is printed.
    left : LaTeX of the bounded quantity.
    expression : sympy expression of the right-hand side.
    relation : ``"<="``, ``"="`` or ``">="``.
    """

    name: str
    source: str
    left: str
    expression: sp.Expr
    conditions: tuple[Condition, ...] = ()
    relation: str = "<="
    symbol_names: Mapping[str, str] = field(default_factory=dict)

    def latex(self) -> str:
        """The statement in LaTeX, made from the expression that :meth:`curve` evaluates."""
        sign = {"<=": r"\le", "=": "=", ">=": r"\ge"}[self.relation]
        names = {s: self.symbol_names[s.name] for s in self.expression.free_symbols if s.name in self.symbol_names}
        return rf"{self.left} {sign} {sp.latex(self.expression, symbol_names=names)}"

    @property
    def symbols(self) -> tuple[str, ...]:
        """Names of the symbols that need values, sorted."""
        return tuple(sorted(s.name for s in self.expression.free_symbols))

    def unmet(self, **values: Any) -> list[str]:
        """The conditions that are false at these values, in words."""
        return [c.words for c in self.conditions if c.holds(values) is False]

    def exact(self, **values: Any) -> sp.Expr:
        """The right-hand side with exact values substituted (Fractions and ints stay exact)."""
        self._require(values)
        return self.expression.subs(
            {
                s: sp.Rational(str(values[s.name])) if not isinstance(values[s.name], sp.Basic) else values[s.name]
                for s in self.expression.free_symbols
            }
        )

    def curve(self, **values: Any) -> npt.NDArray[np.float64]:
        """The right-hand side in float64; any value may be an array, and the usual broadcasting applies."""
        self._require(values)
        names = self.symbols
        function = sp.lambdify([sp.Symbol(n) for n in names], self._plain(), "numpy")
        result: npt.NDArray[np.float64] = np.asarray(
            function(*(np.asarray(values[n], dtype=np.float64) for n in names)), dtype=np.float64
        )
        return result

    def _plain(self) -> sp.Expr:
        """The expression with assumption-free symbols, so that lambdify finds them by name."""
        return self.expression.subs({s: sp.Symbol(s.name) for s in self.expression.free_symbols})

    def _require(self, values: Mapping[str, Any]) -> None:
        missing = [n for n in self.symbols if n not in values]
        if missing:
            raise ValueError(f"bound {self.name} needs a value for {', '.join(missing)}")
