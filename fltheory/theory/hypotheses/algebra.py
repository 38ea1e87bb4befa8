"""Hypotheses that are relations between numbers, in the names of the vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from fltheory.theory.conditions import Condition, in_floats
from fltheory.theory.hypotheses.decisions import (
    Decision,
    Hypothesis,
    KnownNumber,
    NotKnown,
    WhatIsKnown,
    fails,
    holds,
    unknown,
    without,
)
from fltheory.theory.hypotheses.quantities import QUANTITIES


@dataclass(frozen=True)
class Inequality(Hypothesis):
    """A SymPy relation in the names of the vocabulary, with the words that a bound prints for it.

    Where a number is only a bound on its safe side (a certified L), a relation that fails with it is *unknown*: the true number
    may satisfy it.
    """

    said: str
    relation: Any
    kind: ClassVar[str] = "relation"

    @property
    def words(self) -> str:
        return self.said

    @property
    def latex(self) -> str:
        names = {s: QUANTITIES[s.name].latex for s in self.relation.free_symbols if s.name in QUANTITIES}
        found: str = sp.latex(self.relation, symbol_names=names)
        return found

    def decide(self, setting: WhatIsKnown) -> Decision:
        if self.relation in (sp.true, sp.false):
            return holds("always") if self.relation == sp.true else fails(f"wants {self.said}, which is never so here")
        numbers: dict[str, KnownNumber] = {}
        for symbol in sorted(self.relation.free_symbols, key=str):
            found = setting.know(symbol.name)
            if isinstance(found, NotKnown):
                return without(found, f"{self.said}: {found.reason}")
            numbers[symbol.name] = found
        arrays = {name: np.asarray(number.value, dtype=np.float64) for name, number in numbers.items()}
        if bool(Condition(self.said, self.relation).holds_at(arrays)):
            return holds(", ".join(f"{name} = {number.value:.6g}" for name, number in numbers.items()))
        said = f"wants {self.said}; here {'; '.join(_false_parts(self.relation, arrays))}"
        return (
            fails(said) if all(number.exact for number in numbers.values()) else unknown(f"{said} (bounds, not exact)")
        )


def _false_parts(relation: Any, arrays: dict[str, Any]) -> list[str]:
    """The relations that are false, each with both sides as numbers."""
    found = []
    for part in sorted(relation.atoms(Relational), key=str):
        if not bool(Condition("", part).holds_at({s.name: arrays[s.name] for s in part.free_symbols})):
            left, right = (_side(side, arrays) for side in part.args)
            found.append(f"{left} {_OPPOSITE[type(part)]} {right}")
    return found


#: What is true where a relation is false.
_OPPOSITE = {sp.Le: ">", sp.Lt: ">=", sp.Ge: "<", sp.Gt: "<=", sp.Eq: "!=", sp.Ne: "="}


def _side(side: Any, arrays: dict[str, Any]) -> str:
    """An expression with its value; a number alone."""
    value = f"{float(in_floats(side, arrays)):.6g}"
    return value if side.is_number else f"{value} ({side})"
