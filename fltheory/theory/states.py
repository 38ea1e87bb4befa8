"""Whether what was proved is what a bound states: the step that ties a check to the object that is printed and exported.

A check that types a formula again proves that formula, whatever the bound says.  One of its steps is therefore

    states(LEMMA_D10, right=right, under=CONVEX_STEP)

where ``right`` is the very expression that the other steps are about, and ``under`` what they suppose.  A check that is given
its numbers as arguments, and must refute them changed, is tied to the bound where it is declared (:func:`proves`):

    @claim("MX-LEMD10", statement=LEMMA_D10, proves=proves(LEMMA_D10, distance, under=CONVEX_STEP), printed=...)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from fltheory.theory.bound import Bound
from fltheory.theory.conditions import Condition
from fltheory.theory.proofs import is_zero
from fltheory.theory.ranges import REAL
from fltheory.theory.signs import Open
from fltheory.theory.steps import Step


def states(
    bound: Bound,
    *,
    right: Any = None,
    left: Any = None,
    relation: str = "<=",
    under: Iterable[Any] = (),
    read: Callable[[sp.Expr], sp.Expr] = lambda side: side,
) -> Step:
    """The step "the bound states what was proved": its sides are those given, and it supposes what was used.

    Parameters
    ----------
    right, left : the sides that were proved, compared exactly where they are given; symbols are known by their names.
    relation : between them.
    under : what the proof supposes: relations, or ranges ``(symbol, low, high)``.  Each must follow from a condition of the
        bound or from the range of a symbol by itself; ranges of symbols that the bound does not have are the proof's own.
        A :class:`Condition` says more than its relation, so that it must be one of the bound's own.
    read : how the bound's sides are written where the proof has other symbols.
    """
    name = f"the statement {bound.name} is what is proved"
    if relation != bound.relation:
        return Step(name, False, f"{relation} is proved, {bound.relation} stated")
    for side, proved, stated in (("left", left, bound.left), ("right", right, bound.expression)):
        if proved is None:
            continue
        if isinstance(stated, str):
            if proved != stated:
                return Step(name, False, f"its left side is measured: {stated}")
        elif not same(proved, read(stated)):
            return Step(name, False, f"its {side} side is {stated}, and proved is {proved}")
    missing = unstated(bound, under)
    return Step(
        name, not missing, f"the proof supposes {'; '.join(missing)}, which it does not state" if missing else ""
    )


@dataclass(frozen=True)
class Link:
    """Made by :func:`proves`: from the arguments of a check to the step of :func:`states`."""

    bound: Bound
    form: Callable[..., Any] | None
    more: Mapping[str, Any]

    def __call__(self, **printed: Any) -> Step:
        if self.form is None:
            return states(self.bound, **self.more)
        symbols = {name: sp.Symbol(name) for name in self.bound.arguments}
        given = {name: printed[name] for name in inspect.signature(self.form).parameters}
        numbers = {n: sp.sympify(x, locals=symbols) if isinstance(x, str) else x for n, x in given.items()}
        return states(self.bound, right=self.form(**numbers), **self.more)


def proves(bound: Bound, form: Callable[..., Any] | None = None, **more: Any) -> Link:
    """For a claim: the step of :func:`states`, from the arguments with which the check is the claim as printed.

    Parameters
    ----------
    form : the right side that the check proves, as a function of those of the arguments that it names; texts are read as
        numbers or expressions in the bound's symbols.  Without it ``more`` says all.
    more : as in :func:`states`.
    """
    return Link(bound, form, more)


def same(first: Any, second: Any) -> bool:
    """Whether two expressions are one function of positive numbers, exactly; symbols of one name are one."""
    one, other = plain(first), plain(second)
    if one == other:
        return True
    if _apart(one, other):
        return False
    try:
        if is_zero(one - other):
            return True
        split = sp.powdenest(sp.expand_power_base(sp.factor_terms(one - other), force=True), force=True)
        return is_zero(sp.expand(split))
    except (TypeError, ValueError):  # what is no number has no other form
        return False


def _apart(one: sp.Basic, other: sp.Basic) -> bool:
    """Whether two expressions have plainly different values where each symbol has another number; exact forms take longer."""
    symbols = sorted(one.free_symbols | other.free_symbols, key=str)
    numbers = {symbol: sp.Rational(7 * place + 16, 2 * place + 5) for place, symbol in enumerate(symbols)}
    try:
        first, second = (sp.N(side.xreplace(numbers), 30) for side in (one, other))
        return bool(abs(first - second) > sp.Float("1e-12") * (abs(first) + abs(second)))
    except (TypeError, ValueError):  # no numbers
        return False


def unstated(bound: Bound, under: Iterable[Any]) -> list[str]:
    """Those of the hypotheses that neither a condition of the bound nor the range of a symbol says, in words."""
    conditions = [*bound.conditions, *bound.vocabulary.relations]
    known = [part for c in conditions if c.relation is not None for part in parts(c.relation)]
    domain = bound.domain
    every = list(under)
    missing = [part.words for part in every if isinstance(part, Condition) and part not in bound.conditions]
    for relation, of_a_range in _relations(part for part in every if not isinstance(part, Condition)):
        if of_a_range and not {symbol.name for symbol in relation.free_symbols} & set(domain):
            continue
        if not (_in_domain(bound, relation) or any(implies(part, relation) for part in known)):
            missing.append(str(relation))
    return missing


def plain(expression: Any) -> sp.Basic:
    """With one positive symbol for each name of a number."""
    found = sp.sympify(expression)
    numbers = [symbol for symbol in found.free_symbols if symbol.is_commutative]
    return found.xreplace({symbol: sp.Symbol(symbol.name, positive=True) for symbol in numbers})


def _relations(under: Iterable[Any]) -> list[tuple[Any, bool]]:
    """Ranges and relations as relations ``low <= symbol`` and ``symbol <= high``, and whether it was a range."""
    found: list[Any] = []
    for part in under:
        if isinstance(part, Sequence):
            symbol, low, high = part
            for end, place in ((low, sp.Le), (high, sp.Ge)):
                if end is not None:
                    strict = {sp.Le: sp.Lt, sp.Ge: sp.Gt}[place] if isinstance(end, Open) else place
                    end = end.end if isinstance(end, Open) else end
                    found.append((strict(sp.sympify(end), symbol, evaluate=False), True))
        else:
            found.extend((one, False) for one in parts(part))
    return found


def parts(relation: Any) -> list[Any]:
    """The relations whose conjunction it is; one that is no relation says nothing."""
    if isinstance(relation, sp.And):
        return [part for argument in relation.args for part in parts(argument)]
    return [relation] if isinstance(relation, Relational | sp.Or) else []


def difference(relation: Any) -> sp.Expr:
    """What the relation says is nonnegative (positive, zero)."""
    if isinstance(relation, sp.Le | sp.Lt):
        return relation.rhs - relation.lhs
    return relation.lhs - relation.rhs


def implies(stated: Any, used: Any) -> bool:
    """Whether two relations are one, up to a factor that is positive for positive numbers."""
    if stated == used:
        return True
    if not (isinstance(stated, Relational) and isinstance(used, Relational)):
        return False
    strict = isinstance(used, sp.Lt | sp.Gt) and not isinstance(stated, sp.Lt | sp.Gt)
    if strict or isinstance(used, sp.Eq) != isinstance(stated, sp.Eq):
        return False
    quotient = sp.cancel(sp.together(plain(difference(used)) / plain(difference(stated))))
    if quotient.has(sp.Add):  # a positive quotient of two sums says nothing beside the positive numbers
        return False
    return bool(quotient.is_positive or (isinstance(used, sp.Eq) and quotient.is_nonzero))


def _in_domain(bound: Bound, relation: Any) -> bool:
    """Whether the relation bounds one symbol by a number and its range says the same or more."""
    symbols = relation.free_symbols
    if len(symbols) != 1 or isinstance(relation, sp.Eq | sp.Ne):
        return False
    (symbol,) = symbols
    slope = sp.diff(difference(relation), symbol)
    where = bound.domain.get(symbol.name, REAL)
    if not slope.is_number:
        return False
    end = -(difference(relation) - slope * symbol) / slope
    strict = isinstance(relation, sp.Lt | sp.Gt)
    if slope > 0:
        return bool(where.low > end or (where.low == end and (where.open_low or not strict)))
    return bool(where.high < end or (where.high == end and (where.open_high or not strict)))
