"""Exact instances of a statement of algebra: points that meet its conditions, and one that breaks it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import sympy as sp

from fltheory.evidence.arithmetic import evaluate, parse
from fltheory.evidence.relation_points import choices, is_true, value_of
from fltheory.evidence.relation_text import Triple, letters_of
from fltheory.evidence.witness import Witness

if TYPE_CHECKING:
    from fltheory.evidence.relations import Relations

#: Points at which an instance that breaks a statement is looked for.
_POINTS = 4000
#: Rounds of a run in which it is looked for.
_ROUNDS = 6


class Instances:
    """Those of one statement."""

    def __init__(self, stated: Relations) -> None:
        self.stated = stated

    def broken(self) -> Witness | None:
        """An exact instance that meets ranges and hypotheses and breaks a relation; ``None`` if none was found."""
        for known in self.found():
            for rounds, now in enumerate(self._rounds(known)):
                for one in self.stated.claims:
                    try:
                        if not is_true(one, now):
                            return self._witness(known, one, rounds)
                    except ArithmeticError:  # it says nothing there, and is not proved
                        continue
        return None

    def _rounds(self, known: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The values in the first rounds."""
        now = self._all(known | {name: known[f"first_{name}"] for name in self.stated.runs})
        yield now
        for _ in range(_ROUNDS if self.stated.runs else 0):
            if not all(f"next_{name}" in now for name in self.stated.runs):
                return
            now = self._all(known | {name: now[f"next_{name}"] for name in self.stated.runs})
            yield now

    def found(self) -> Iterator[dict[str, Any]]:
        """Points at which ranges and hypotheses hold: the one that was given, then those that are found."""
        given = [self._all({name: Fraction(value) for name, value in self.stated.at.items()})] if self.stated.at else []
        for known in islice(chain(given, self._points()), _POINTS):
            try:
                whole = all(sp.sympify(known[name]).is_integer for name in self.stated.whole)
                if whole and all(is_true(one, known) for one in self._conditions):
                    yield known
            except ArithmeticError:
                continue

    def _all(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a point with those of what is defined by them."""
        known = dict(point)
        for name, text in self.stated.where_parts[1].items():
            if letters_of(text) <= set(known):
                known[name] = evaluate(text, known)
        return known

    def _witness(self, known: Mapping[str, Any], false: Triple, rounds: int) -> Witness:
        """The instance, with the values of what changes in every round up to the one that is told."""
        every = [(parse(left, None, []), sign, parse(right, None, [])) for left, sign, right in self._conditions]
        moving, left, right = self.stated.moving(self.stated.runs), parse(false[0], None, []), parse(false[2], None, [])
        said: dict[sp.Symbol, sp.Expr] = {}
        for name in (name for name in self.stated.where_parts[1] if name in moving):
            said[sp.Symbol(name)] = parse(self.stated.where_parts[1][name], None, []).xreplace(said)
        at, here = dict(known), dict[sp.Symbol, sp.Expr]()
        for number, now in zip(range(rounds + 1 if self.stated.runs else 0), self._rounds(dict(known)), strict=False):
            before, here = here, {sp.Symbol(name): sp.Symbol(f"{name}_at_{number}") for name in self.stated.runs}
            at |= {here[sp.Symbol(name)].name: now[name] for name in self.stated.runs}
            for name in self.stated.runs:
                value = said[sp.Symbol(f"next_{name}")].xreplace(before) if number else sp.Symbol(f"first_{name}")
                every.append((here[sp.Symbol(name)], "=", value))
        left, right = (side.xreplace(said).xreplace(here) for side in (left, right))
        return Witness(at, left, false[1], right, every)

    @cached_property
    def _conditions(self) -> list[Triple]:
        """Ranges, definitions and hypotheses as relations."""
        ranges, defined, given = self.stated.where_parts
        ends = [(name, ">" if low[1] else ">=", low[0]) for name, (low, _) in ranges]
        ends += [(name, "<" if high[1] else "<=", high[0]) for name, (_, high) in ranges if high]
        moving = self.stated.moving(self.stated.runs)
        fixed = ((name, "=", text) for name, text in defined.items() if name not in moving)
        return [*ends, *fixed, *(one for _, one in given)]

    def _points(self) -> Iterator[dict[str, Any]]:
        """Points of the ranges, plain ones first."""
        ranges = dict(self.stated.where_parts[0])
        for choice in choices(len(self.stated.letters), 7):
            try:
                known = self._all({})
                for name, index in zip(self.stated.letters, choice, strict=True):
                    known[name] = value_of(ranges.get(name), index, known)
                    known = self._all(known)
                yield known
            except (IndexError, ArithmeticError):
                continue
