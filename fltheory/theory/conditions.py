"""Hypotheses of a theorem, their truth at exact numbers and entry by entry on arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from fltheory.kinds import Floats, Truths

#: Floats that differ by at most this share of themselves count as equal in a condition.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Condition:
    """A hypothesis of a theorem: a sympy relation in the bound's symbols, or words where it is not a relation."""

    words: str
    relation: Any = None

    @property
    def symbols(self) -> tuple[str, ...]:
        """Names of the symbols of the relation, sorted; none for words."""
        return () if self.relation is None else tuple(sorted({s.name for s in self.relation.free_symbols}))

    def holds(self, values: Mapping[str, object]) -> bool | None:
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

    def holds_at(self, arrays: Mapping[str, Floats]) -> Truths:
        """Truth of the relation for every entry of arrays that broadcast, by the same rule of rounding.

        Raises
        ------
        ValueError : a condition that is only words; a form of relation that this routine does not know.
        """
        if self.relation is None:
            raise ValueError(f"condition {self.words!r} is only words")
        with np.errstate(all="ignore"):
            return _truth(self.relation, arrays)


def _decided(part: sp.Basic, known: Mapping[sp.Symbol, Any]) -> sp.Basic:
    """A relation at the given values: true, false, or what is left of it where a value is missing."""
    left, right = (side.subs(known) for side in part.args)
    numbers = left.is_number and right.is_number and (left.has(sp.Float) or right.has(sp.Float))
    if numbers and isinstance(part, (sp.Eq, sp.Le, sp.Ge)) and left.is_finite and right.is_finite:
        difference, size = abs(float(left) - float(right)), max(abs(float(left)), abs(float(right)))
        if difference <= ROUNDING * size:
            return sp.true
    return part.subs(known)


def _truth(relation: object, arrays: Mapping[str, Floats]) -> Truths:
    if relation in (sp.true, sp.false):
        return np.asarray(bool(relation))
    if isinstance(relation, sp.And | sp.Or):
        join = np.logical_and if isinstance(relation, sp.And) else np.logical_or
        return np.asarray(reduce(join, (_truth(part, arrays) for part in relation.args)))
    if isinstance(relation, sp.Not):
        return np.asarray(~_truth(relation.args[0], arrays))
    if not isinstance(relation, Relational):
        raise ValueError(f"{relation} is no relation between numbers")
    left, right = (in_floats(side, arrays) for side in relation.args)
    near = np.abs(left - right) <= ROUNDING * np.maximum(np.abs(left), np.abs(right))
    near &= np.isfinite(left) & np.isfinite(right)
    rules: dict[type, Callable[[], Any]] = {
        sp.Eq: lambda: near,
        sp.Ne: lambda: ~near,
        sp.Le: lambda: near | (left <= right),
        sp.Lt: lambda: left < right,
        sp.Ge: lambda: near | (left >= right),
        sp.Gt: lambda: left > right,
    }
    if type(relation) not in rules:
        raise ValueError(f"{relation} is no relation between numbers")
    return np.asarray(rules[type(relation)](), dtype=np.bool_)


def in_floats(expression: sp.Basic, arrays: Mapping[str, Floats]) -> Floats:
    """An expression of scalars on arrays that broadcast."""
    names, function = compiled(sp.sympify(expression))
    return np.asarray(function(*(arrays[name] for name in names)), dtype=np.float64)


@lru_cache(maxsize=4096)
def compiled(expression: sp.Basic) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """Names of an expression's symbols, sorted, and the expression as a function of them on arrays."""
    names = tuple(sorted({s.name for s in expression.free_symbols}))
    # assumption-free symbols, so that lambdify finds them by name
    plain = expression.subs({s: sp.Symbol(s.name) for s in expression.free_symbols})
    return names, sp.lambdify([sp.Symbol(name) for name in names], plain, "numpy")
