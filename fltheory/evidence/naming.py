"""A statement whose quantities have names: ``where={gamma: Max(8 L/mu, E)}`` prints the bound with gamma and says what it is.

The names are put into the very expression that is evaluated and proved, and are accepted only if putting the definitions
back gives that expression again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sympy as sp

#: What stands between a statement and the definitions of its names.
WHERE = r",\quad\text{where }"


def with_names(expression: sp.Expr, where: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """The expression with each definition replaced by its name, in the order given."""
    for name, definition in where.items():
        expression = expression.subs(definition, name)
    return expression


def without_names(expression: sp.Expr, where: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """The expression with each name replaced by its definition, in the opposite order."""
    for name, definition in reversed(list(where.items())):
        expression = expression.subs(name, definition)
    return expression


def named_latex(bound: Any, where: Mapping[sp.Symbol, sp.Expr]) -> str:
    """LaTeX of a bound with names, and of their definitions."""
    import sympy as sp

    named = with_names(bound.expression, where)
    for name in where:
        if name.name in bound.arguments:
            raise ValueError(f"where names {name}, which {bound.name} has as a symbol of its own")
        if name not in named.free_symbols.union(*(other.free_symbols for other in where.values())):
            raise ValueError(f"where names {name}, and {bound.name} has no {where[name]} in it")
    left = sp.simplify(without_names(named, where) - bound.expression)
    if left != 0:
        raise ValueError(f"the names {dict(where)}, put back, change {bound.name} by {left}")
    defined = (
        replace(bound, left=str(sp.latex(name)), expression=value, relation="=") for name, value in where.items()
    )
    shown: str = replace(bound, expression=named).latex()
    return shown + WHERE + r",\ ".join(each.latex() for each in defined)
