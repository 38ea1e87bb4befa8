"""A published bound as one symbolic expression: the single source of its LaTeX, its numbers and its conditions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from fltheory.kinds import Floats, Truths
from fltheory.problems.checks import check_flag
from fltheory.tables import Shown
from fltheory.theory.conditions import Condition as Condition
from fltheory.theory.conditions import in_floats
from fltheory.theory.evaluation import evaluate
from fltheory.theory.notation import has_notation, to_latex
from fltheory.theory.ranges import REAL, Range, Vocabulary, first_index, place, short, symbol_values

#: How a relation is printed between the two sides; orders are printed around the right side.
RELATIONS = {"<=": r"\le", "=": "=", ">=": r"\ge", "<": "<", "!=": r"\ne", "->": r"\to", "~": r"\propto"}
ORDERS = {"O": r"\mathcal{O}", "Omega": r"\Omega"}


@dataclass(frozen=True)
class Breach:
    """A condition that is false at some entry: its words, its symbols, and where it holds (``holds``, an array)."""

    words: str
    symbols: tuple[str, ...]
    holds: Truths


@dataclass(frozen=True, repr=False)
class Bound(Shown):
    """A displayed relation ``left <= expression`` (or ``=``, ``>=``, an order ...) under ``conditions``.

    Evaluating it checks what can be checked: that every symbol lies in its range, and the conditions that are relations,
    entry by entry.  Conditions that are words (:attr:`premises`) are not checked: they are the caller's.

    Parameters
    ----------
    name, source : what it is and where it is printed.
    left : LaTeX of a measured quantity, or an expression, which is evaluated as the right-hand side is.
    expression : sympy expression of the right-hand side; a matrix or vector where the display is one.
    relation : a key of :data:`RELATIONS` or :data:`ORDERS`.
    ids : claims and ledger rows that speak of this display.
    repaired_by : ledger row with the repaired statement, where the display is wrong as printed.
    ranges : of symbols that mean something else here than in the rest of the document.
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
    ranges: Mapping[str, Range] = field(default_factory=dict)

    #: Ranges of the document's symbols; every document has a class of its own with them.
    vocabulary: ClassVar[Vocabulary] = Vocabulary()

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS and self.relation not in ORDERS:
            raise ValueError(f"relation={self.relation!r} is none of {', '.join([*RELATIONS, *ORDERS])}")

    @classmethod
    def displays(
        cls, names: Mapping[str, str], *, source: str = "", ranges: Mapping[str, Range] | None = None
    ) -> Callable[..., Bound]:
        """What makes bounds whose symbols print as ``names``: ``display(name, left, right, conditions, *ids, ...)``.

        One that is not told its ``source`` has the one given here, or its own name.
        """

        def display(
            name: str,
            left: str | sp.Basic,
            right: sp.Expr,
            conditions: tuple[Condition, ...],
            *ids: str,
            relation: str = "<=",
            source: str = source,
            repaired_by: str = "",
        ) -> Bound:
            return cls(name, source or name, left, right, conditions, relation, names, ids, repaired_by, ranges or {})

        return display

    def headline(self) -> str:
        said = f"{len(self.conditions)} conditions" if self.conditions else "no conditions"
        name = self.name if self.source in ("", self.name) else f"{self.name}; {self.source}"
        return f"{name}: {self.relation} of {', '.join(self.symbols) or 'numbers'}; {said}"

    def facts(self) -> list[tuple[str, str]]:
        found = [("statement", f"${self.latex()}$"), ("source", self.source)]
        found += [("condition", condition.words) for condition in self.conditions]
        return found + ([("claims", ", ".join(self.ids))] if self.ids else [])

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    def latex(self) -> str:
        """The statement in LaTeX, made from the expressions that are evaluated."""
        left = self.left if isinstance(self.left, str) else self._print(self.left)
        right = self._print(self.expression)
        if self.relation in ORDERS:
            return rf"{left} = {ORDERS[self.relation]}\left({right}\right)"
        return rf"{left} {RELATIONS[self.relation]} {right}"

    @property
    def symbols(self) -> tuple[str, ...]:
        """Names of the symbols of the right-hand side, sorted."""
        return _names(self.expression)

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """Names of all symbols, sorted: those of both sides and of the conditions."""
        return tuple(sorted({s.name for s in self._all_symbols()}))

    @property
    def premises(self) -> tuple[str, ...]:
        """The conditions that are words, which no evaluation checks."""
        return tuple(c.words for c in self.conditions if c.relation is None)

    @cached_property
    def domain(self) -> dict[str, Range]:
        """The range of every symbol by name; a matrix may have any entries."""
        found: dict[str, Range] = {}
        for symbol in sorted(self._all_symbols(), key=str):
            where = self.ranges.get(symbol.name, self.vocabulary.of(symbol))
            if found.get(symbol.name, REAL) == REAL:
                found[symbol.name] = where
        return found

    def select(self, values: Mapping[str, object]) -> dict[str, Any]:
        """Those of ``values`` that this bound takes: ``bound.curve(**bound.select(values))``."""
        return {name: values[name] for name in self.arguments if name in values}

    def breaches(self, values: Mapping[str, object]) -> list[Breach]:
        """Ranges and conditions that are false at some entry; what ``values`` has beyond the symbols is not looked at.

        Raises
        ------
        ValueError : a value is no real number, or a condition's symbol has none.
        """
        arrays = {name: self._array(name, value) for name, value in self.select(values).items()}
        exact = {name for name in arrays if isinstance(values[name], int | Fraction | sp.Rational)}
        found = [
            Breach(
                where.words(name), (name,), where.holds(sp.Rational(values[name]) if name in exact else arrays[name])
            )
            for name, where in self.domain.items()
            if name in arrays
        ]
        for condition in self._relations:
            missing = [name for name in condition.symbols if name not in arrays]
            if missing:
                raise ValueError(f"condition {condition.words!r} needs a value for {', '.join(missing)}")
            _require_one_shape(self.name, {name: arrays[name] for name in condition.symbols})
            known = exact.issuperset(condition.symbols)
            holds = np.asarray(condition.holds(values)) if known else condition.holds_at(arrays)
            found.append(Breach(condition.words, condition.symbols, holds))
        return [breach for breach in found if not np.all(breach.holds)]

    def unmet(self, **values: Any) -> list[str]:
        """The ranges and conditions that are false at these values (at some entry of arrays), in words."""
        return [breach.words for breach in self.breaches(values)]

    def exact(self, *, unchecked: bool = False, **values: Any) -> sp.Expr:
        """The right-hand side with exact values substituted (Fractions and ints stay exact).

        Raises
        ------
        ValueError : a value is missing, unknown, no real number, out of its range or against a condition; the expression is
            one of vectors or matrices, or has no finite value.  ``unchecked=True`` looks at names and vectors only.
        """
        unchecked = check_flag("unchecked", unchecked)
        self._require(self.expression, values, conditions=not unchecked)
        if has_notation(self.expression):
            raise ValueError(f"{self.name} is an expression of vectors or matrices; use curve")
        if not unchecked:
            self._require_numbers(values)
            self._require_met(values)
        found = self.expression.subs(
            {
                s: sp.Rational(str(values[s.name])) if not isinstance(values[s.name], sp.Basic) else values[s.name]
                for s in self.expression.free_symbols
            }
        )
        if not unchecked and not found.is_finite:
            raise ValueError(f"{self.name} gives {found}{_at(values, self.symbols)}, which is no finite number")
        return found

    def curve(self, *, unchecked: bool = False, **values: Any) -> Floats:
        """The right-hand side in float64; any value may be an array, and the usual broadcasting applies.

        Expressions of vectors, clients and matrices take arrays with the axes of :mod:`fltheory.theory.notation`.

        Raises
        ------
        ValueError : a value is missing, unknown, no real number, out of its range or against a condition (the first entry that
            is, with its index); a result that is not finite.  ``unchecked=True`` looks at the names and kinds of values only
            and returns what the formula gives, ``nan`` and infinities included.
        """
        return self._number(self.expression, values, unchecked=unchecked)

    def left_curve(self, *, unchecked: bool = False, **values: Any) -> Floats:
        """The left-hand side in float64.

        Raises
        ------
        ValueError : the left-hand side is a measured quantity; and as :meth:`curve`.
        """
        if isinstance(self.left, str):
            raise ValueError(f"the left side of {self.name} is measured, not computed")
        return self._number(self.left, values, unchecked=unchecked)

    def slack(self, *, unchecked: bool = False, **values: Any) -> Floats:
        """By how much the relation holds: right - left for ``<=``, left - right for ``>=``, -|left - right| for ``=``.

        Raises
        ------
        ValueError : the left-hand side is measured, or the relation is an order; and as :meth:`curve`.
        """
        if self.relation not in ("<=", "<", ">=", "="):
            raise ValueError(f"{self.name} states no relation between two numbers")
        if isinstance(self.left, str):
            raise ValueError(f"the left side of {self.name} is measured, not computed")
        left, right = (self._raw(side, values, unchecked=unchecked) for side in (self.left, self.expression))
        signs = {"<=": right - left, "<": right - left, ">=": left - right, "=": -np.abs(left - right)}
        return np.asarray(np.squeeze(signs[self.relation]), dtype=np.float64)

    def _print(self, expression: sp.Basic) -> str:
        names = {s: self.symbol_names[s.name] for s in expression.free_symbols if s.name in self.symbol_names}
        return to_latex(expression, names)

    def _all_symbols(self) -> set[sp.Symbol]:
        sides = [self.expression] if isinstance(self.left, str) else [self.left, self.expression]
        relations = [c.relation for c in self.conditions if c.relation is not None]
        found: set[sp.Symbol] = set().union(*(sp.sympify(part).free_symbols for part in [*sides, *relations]))
        return found

    @cached_property
    def _relations(self) -> list[Condition]:
        """The conditions that can be checked: its own, and the document's where it has their symbols and does not repeat them."""
        own = [c for c in self.conditions if c.relation is not None]
        said = {str(part) for c in own for part in c.relation.atoms(Relational)}
        names = set(self.arguments)
        shared = [c for c in self.vocabulary.relations if names.issuperset(c.symbols) and str(c.relation) not in said]
        return [*own, *shared]

    def _number(self, expression: sp.Basic, values: Mapping[str, object], *, unchecked: bool) -> Floats:
        found = self._raw(expression, values, unchecked=unchecked)
        return np.asarray(np.squeeze(found), dtype=np.float64) if has_notation(expression) else found

    def _raw(self, expression: sp.Basic, values: Mapping[str, object], *, unchecked: bool) -> Floats:
        """The value with all its axes."""
        unchecked = check_flag("unchecked", unchecked)
        self._require(expression, values, conditions=not unchecked)
        arrays = {name: self._array(name, value, finite=not unchecked) for name, value in values.items()}
        if not unchecked:
            self._require_met(values)
        with np.errstate(all="ignore"):
            if has_notation(expression):
                try:
                    found = np.asarray(evaluate(expression, arrays), dtype=np.float64)
                except (ValueError, IndexError) as error:
                    shapes = ", ".join(f"{name} {arrays[name].shape}" for name in _names(expression))
                    raise ValueError(f"{self.name} with arrays of shapes {shapes}: {error}") from error
            else:
                _require_one_shape(self.name, {name: arrays[name] for name in _names(expression)})
                found = in_floats(expression, arrays)
        if not unchecked and not np.all(np.isfinite(found)):
            index = first_index(~np.isfinite(found))
            where = (
                ""
                if has_notation(expression)
                else _at(_entry({n: arrays[n] for n in _names(expression)}, index), arrays)
            )
            raise ValueError(
                f"{self.name} gives {found[index]:g}{place(index)} in float64{where}, which is no finite number"
            )
        return found

    def _require(self, expression: sp.Basic, values: Mapping[str, object], *, conditions: bool) -> None:
        """Raise ``ValueError`` for names that the bound does not have, and for those that have no value."""
        for name in values:
            if name not in self.arguments:
                near = get_close_matches(name, self.arguments, n=3, cutoff=0.5)
                near = near or [known for known in self.arguments if known.lower() == name.lower()]
                hint = f"; did you mean {', '.join(near)}?" if near else ""
                raise ValueError(f"{name}={short(values[name])}: {self.name} takes {', '.join(self.arguments)}{hint}")
        needed = {*_names(expression), *(n for c in self._relations for n in c.symbols if conditions)}
        missing = sorted(name for name in needed if name not in values)
        if missing:
            asked = [c.words for c in self.conditions if set(c.symbols) & set(missing) - set(_names(expression))]
            said = f" (for the condition {'; '.join(asked)})" if asked and conditions else ""
            raise ValueError(f"bound {self.name} needs a value for {', '.join(missing)}{said}")

    def _array(self, name: str, value: object, *, finite: bool = True) -> Floats:
        return symbol_values(name, value, self.name, finite=finite)

    def _require_numbers(self, values: Mapping[str, object]) -> None:
        for name, value in values.items():
            if self._array(name, value).shape != ():
                raise ValueError(f"{name}={short(value)} is an array; exact takes single numbers, curve takes arrays")

    def _require_met(self, values: Mapping[str, object]) -> None:
        """Raise ``ValueError`` for the first range or condition that is false, with the first entry where it is."""
        breaches = self.breaches(values)
        if not breaches:
            return
        breach = breaches[0]
        index = first_index(~breach.holds)
        at = _entry({name: self._array(name, values[name]) for name in breach.symbols}, index)
        said = ", ".join(f"{name}={number:.12g}" for name, number in at.items())
        raise ValueError(f"{said}{place(index)}: {self.name} needs {breach.words}")


def _names(expression: sp.Basic) -> tuple[str, ...]:
    return tuple(sorted({s.name for s in expression.free_symbols}))


def _entry(arrays: Mapping[str, Floats], index: tuple[int, ...]) -> dict[str, float]:
    """The numbers that meet at an index of the broadcast arrays."""
    shape = np.broadcast_shapes(*(array.shape for array in arrays.values()))
    return {name: float(np.broadcast_to(array, shape)[index]) for name, array in arrays.items()}


def _at(values: Mapping[str, object], names: Any) -> str:
    said = ", ".join(f"{name}={values[name]}" for name in names if name in values)
    return f" at {said}" if said else ""


def _require_one_shape(owner: str, arrays: Mapping[str, Floats]) -> None:
    try:
        np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items() if array.shape)
        raise ValueError(f"{owner}: the arrays do not broadcast, their shapes are {shapes}") from None
