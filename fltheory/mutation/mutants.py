"""The mutants of a bound: every constant, exponent and index less one, plus one and halved, and every relation dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.conditions import Condition

#: What happens to a number.
CHANGES: dict[str, Callable[[Any], Any]] = {"-1": lambda x: x - 1, "+1": lambda x: x + 1, "-50 %": lambda x: x / 2}


@dataclass(frozen=True)
class Mutant:
    """One field of a bound with another value, and what was changed, in words."""

    field: str
    value: Any
    words: str

    def of(self, bound: Bound) -> Bound:
        """The bound with the change."""
        changed: dict[str, Any] = {self.field: self.value}
        return replace(bound, **changed)


def mutants_of(bound: Bound) -> list[Mutant]:
    """All mutants of a bound, in a fixed order; those that change nothing or give no finite number are left out."""
    found: dict[tuple[str, str], Mutant] = {}
    for mutant in [*_of_sides(bound), *_of_conditions(bound)]:
        found.setdefault(
            (mutant.field, sp.srepr(mutant.value) if mutant.field != "conditions" else mutant.words), mutant
        )
    return list(found.values())


def _of_sides(bound: Bound) -> Iterator[Mutant]:
    for field, side in (("expression", bound.expression), ("left", bound.left)):
        if not isinstance(side, str):
            for changed, words in changed_numbers(side):
                yield Mutant(field, changed, f"{'right' if field == 'expression' else 'left'} side: {words}")


def _of_conditions(bound: Bound) -> Iterator[Mutant]:
    for place, condition in enumerate(bound.conditions):
        if condition.relation is None or condition.relation in (sp.true, sp.false):
            continue
        others = (bound.conditions[:place], bound.conditions[place + 1 :])
        yield Mutant("conditions", (*others[0], *others[1]), f"without {condition.words}")
        for changed, words in changed_numbers(condition.relation):
            if changed not in (sp.true, sp.false):
                new = Condition(condition.words, changed)
                yield Mutant("conditions", (*others[0], new, *others[1]), f"{condition.words}: {words}")


def changed_numbers(expression: Any) -> Iterator[tuple[Any, str]]:
    """The expression with one of its numbers changed, and the change in words."""
    for path, number, around in _numbers(expression):
        for name, change in CHANGES.items():
            changed = _replaced(expression, path, change(number))
            if changed is None or changed == expression or changed.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
                continue
            yield changed, f"{number} -> {change(number)} in {around} ({name})"


def _numbers(expression: Any, path: tuple[int, ...] = (), around: Any = None) -> Iterator[tuple[Any, Any, Any]]:
    if isinstance(expression, sp.Rational):
        yield path, expression, expression if around is None else around
        return
    for place, argument in enumerate(expression.args):
        yield from _numbers(argument, (*path, place), expression)


def _replaced(expression: Any, path: tuple[int, ...], value: Any) -> Any:
    if not path:
        return value
    first, *rest = path
    inner = _replaced(expression.args[first], tuple(rest), value)
    if inner is None:
        return None
    try:
        return expression.func(*expression.args[:first], inner, *expression.args[first + 1 :])
    except (TypeError, ValueError):  # a head that takes no such argument
        return None
