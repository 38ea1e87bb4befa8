"""Derivations that end in a bound: its own expression is the text of the last line, so that what is shown is what is proved."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass

import sympy as sp

from fltheory.derivation.replay import RationalFunction, Underivable
from fltheory.derivation.script import Derivation
from fltheory.kinds import JSON


def text_of(expression: sp.Expr, names: Mapping[sp.Basic, str] | None = None) -> str:
    """A rational expression as text of a derivation; ``names`` replaces symbols or whole sub-expressions.

    Raises
    ------
    ValueError : something is left that no derivation can read.
    """
    named = {old: sp.Symbol(new) for old, new in (names or {}).items()}
    found = sp.sympify(expression)
    found = found.subs([(old, new) for old, new in named.items() if not isinstance(old, sp.Symbol)])
    found = found.xreplace({old: new for old, new in named.items() if isinstance(old, sp.Symbol)})
    strange = [node for node in found.atoms(sp.Function, sp.Max, sp.Min, sp.Float)]
    strange += [node for node in found.atoms(sp.Pow) if not node.exp.is_Integer]
    if strange:
        raise ValueError(f"{strange[0]} in {expression} is no rational function")
    return str(found)


def with_coefficients(expression: sp.Expr, changes: Mapping[sp.Basic, sp.Expr | None]) -> sp.Expr:
    """The expression of a bound with the coefficients of some terms changed; ``None`` leaves what the bound says."""
    whole = sp.expand(expression)
    return expression + sum((new - whole.coeff(term)) * term for term, new in changes.items() if new is not None)


def stands_for_the_largest(d: Derivation, parameter: str, largest: sp.Max, names: Mapping[sp.Basic, str]) -> None:
    """Require that a parameter may be the maximum of some numbers: nothing is supposed of it but that it is at least each.

    Raises
    ------
    Underivable : a range says more.
    """
    state, allowed = d.state, [d.state.rational(text_of(item, names)) for item in largest.args]
    needed = []
    for name, p in state.parameters.items():
        if name == parameter:
            needed += [p.low] * (p.low is not None)
            bad = p.high is not None or p.low_open
        elif p.high is not None and parameter in p.high.names():
            needed.append(state.rational(name))
            bad = bool(p.high - state.rational(parameter)) or p.high_open
        else:
            bad = False
        bad = bad or (name != parameter and p.low is not None and parameter in p.low.names())
        if bad:
            raise Underivable(f"the range of {name} says more of {parameter} than that it is large")
    for form, *_ in state.hypotheses.values():
        if parameter in re.findall(r"\w+", form):
            found = state.read(form)
            if not isinstance(found, RationalFunction) or parameter in (state.rational(parameter) - found).names():
                raise Underivable(f"the hypothesis {form} says more of {parameter} than that it is large")
            needed.append(state.rational(parameter) - found)
    for end in needed:
        if all(end - item for item in allowed):
            raise Underivable(f"{parameter} is supposed to be at least another number than those in {largest}")


def derived(script: Callable[[], Mapping[str, JSON]]) -> tuple[tuple[bool, str], Mapping[str, JSON] | None]:
    """Run a script of a derivation: whether its conclusion follows, why not, and the derivation as a certificate."""
    try:
        return (True, ""), script()
    except Underivable as error:
        return (False, str(error)), None


@dataclass(frozen=True)
class Derived:
    """What :func:`ending` found: the derivation as a certificate and what its conclusions use, or why it stops."""

    certificate: Mapping[str, JSON] | None
    uses: tuple[str, ...] = ()
    length: int = 0
    reason: str = ""


def ending(begun: Callable[[], Derivation], last: Callable[[Derivation], object], *conclusions: str) -> Derived:
    """End a derivation that is kept, and stays as it is, by the lines of one statement."""
    try:
        d = deepcopy(begun())
        last(d)
        uses = {one for name in conclusions for one in d.state.known(name).uses}
        return Derived(d.concluding(*conclusions), tuple(sorted(uses)), len(d.lines))
    except Underivable as error:
        return Derived(None, reason=str(error))
