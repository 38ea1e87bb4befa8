"""A bound that somebody states, as a number, a text, a SymPy expression, a ``Bound`` or a function: read into one expression.

Its names are those of the bounded quantities (``distance``, ``heterogeneity``, ...) and of what is put into the question:
fields of the method that are numbers (``step_size``, ``local_steps``), ``mu`` and ``L`` of the class, ``rounds``.
"""

from __future__ import annotations

import inspect
import numbers
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.evidence.arithmetic import parse
from fltheory.problems.numbers import decimal_fraction, fraction_of_text
from fltheory.theory.bound import Bound
from fltheory.theory.exact_numbers import exact
from fltheory.theory.notation import has_notation

_DECIMAL = re.compile(r"(?<![\w.])\d*\.\d+(?![\w.])")


@dataclass(frozen=True)
class StatedBound:
    """The right-hand side of ``measure <= ...``.

    Attributes
    ----------
    text : as it was stated.
    names : the names in it, and in the conditions of a ``Bound``.
    right : from their values (exact numbers, or symbols of quantities) to the expression.
    unmet : from their values to the conditions that are false there, in words.
    assumes : conditions that are words, which nothing here checks.
    """

    text: str
    names: tuple[str, ...]
    right: Callable[[Mapping[str, sp.Expr]], sp.Expr]
    unmet: Callable[[Mapping[str, sp.Expr]], list[str]]
    assumes: tuple[str, ...] = ()


def read(statement: object) -> StatedBound:
    """A statement of any kind.

    Raises
    ------
    ValueError : a ``Bound`` that is no upper bound, or one of vectors; a text that is no arithmetic; floats in an expression,
        which would not be compared exactly; anything else.
    """
    if isinstance(statement, Bound):
        return _of_bound(statement)
    if isinstance(statement, str):
        try:
            return _of_expression(sp.Rational(fraction_of_text(statement)), statement)
        except ValueError:
            return _of_expression(_parsed(statement), statement)
    if isinstance(statement, sp.Expr):
        return _of_expression(exact(statement), str(statement))
    if isinstance(statement, numbers.Real) and not isinstance(statement, bool):
        return _of_expression(sp.Rational(decimal_fraction(statement)), str(statement))
    if callable(statement) and not inspect.isclass(statement):
        return _of_function(statement)
    raise ValueError(
        f"statement={statement!r} is no bound; expected a number, a text such as '(1 - mu)*distance', a SymPy expression, "
        f"a Bound, or a function of named quantities"
    )


def _parsed(text: str) -> sp.Expr:
    """Plain arithmetic in named quantities, decimals read as the fractions that they are."""
    try:
        return parse(_DECIMAL.sub(lambda found: f"({Fraction(found[0])})", text))
    except (ValueError, SyntaxError) as error:
        raise ValueError(
            f"statement={text!r} is no arithmetic in named quantities, such as '(1 - mu)*distance'"
        ) from error


def _of_expression(expression: sp.Expr, text: str) -> StatedBound:
    names = sorted(symbol.name for symbol in expression.free_symbols)
    return StatedBound(text, tuple(names), lambda values: _put(expression, values), lambda values: [])


def _put(expression: sp.Expr, values: Mapping[str, sp.Expr]) -> sp.Expr:
    return exact(expression.subs({symbol: values[symbol.name] for symbol in expression.free_symbols}))


def _of_bound(bound: Bound) -> StatedBound:
    if bound.relation != "<=":
        raise ValueError(f"{bound.name} states {bound.relation!r}; expected an upper bound, '<='")
    if has_notation(bound.expression):
        raise ValueError(f"{bound.name} is an expression of vectors or matrices; expected one of numbers")

    def unmet(values: Mapping[str, sp.Expr]) -> list[str]:
        numbers_only = {name: value for name, value in values.items() if not value.free_symbols}
        ranges = {name: where for name, where in bound.domain.items() if name in numbers_only}
        found = [where.words(name) for name, where in ranges.items() if not where.holds(numbers_only[name])]
        for condition in bound.conditions:
            if condition.relation is not None and not condition.holds(numbers_only):
                found.append(condition.words)
        return found

    right = _of_expression(exact(bound.expression), "").right
    inside = {name for condition in bound.conditions if condition.relation is not None for name in condition.symbols}
    return StatedBound(bound.latex(), tuple(sorted({*bound.symbols, *inside})), right, unmet, bound.premises)


def _of_function(function: Callable[..., Any]) -> StatedBound:
    try:
        names = tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        raise ValueError(f"statement={function!r} does not tell the names of its arguments") from None

    def right(values: Mapping[str, sp.Expr]) -> sp.Expr:
        try:
            found = function(**{name: values[name] for name in names})
        except TypeError as error:
            raise ValueError(
                f"the statement cannot be called with {', '.join(names)} ({error}); it gets exact numbers, and symbols for "
                "quantities that have no values here"
            ) from None
        if isinstance(found, float):
            raise ValueError(
                f"the statement returned the float {found!r}; expected an exact number, made of its arguments"
            )
        return exact(found)

    return StatedBound(getattr(function, "__name__", "a function"), names, right, lambda values: [])


def rename(stated: StatedBound, names: Mapping[str, object] | None) -> dict[str, object]:
    """What each name of the statement stands for: itself, another name of the question, or a number.

    Raises
    ------
    ValueError : ``names`` renames what the statement does not have.
    """
    for name in names or {}:
        if name not in stated.names:
            raise ValueError(f"names: the statement has no {name!r}; its names are {', '.join(stated.names) or 'none'}")
    return {name: (names or {}).get(name, name) for name in stated.names}


def resolved(
    meaning: Mapping[str, object], known: Mapping[str, sp.Expr], quantities: tuple[str, ...]
) -> dict[str, sp.Expr]:
    """The value of every name of the statement.

    Raises
    ------
    ValueError : a name that the question does not have.
    """
    found = {}
    for name, target in meaning.items():
        if isinstance(target, str) and target in known:
            found[name] = known[target]
        elif not isinstance(target, str) or target[:1].isdigit() or target[:1] in "-.":
            found[name] = sp.Rational(rational(name, target))
        else:
            near = get_close_matches(target, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            words = ", ".join(dict.fromkeys([*quantities, *known]))
            raise ValueError(
                f"{name!r} of the statement has no value{hint}; known here: {words}; say others by names={{'{name}': ...}}"
            )
    return found


def rational(name: str, value: object) -> Fraction:
    """An exact number from an integer, a fraction, a decimal or a text."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return fraction_of_text(value) if isinstance(value, str) else decimal_fraction(value)
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise ValueError(f"{name}={value!r} is no rational number") from None
