"""A refutation as data: named exact values at which the hypotheses hold and the relation that was claimed is false.

The words of a counterexample are made from what was evaluated; nobody writes them.  :func:`fltheory.evidence.ends.by_witness`
turns witnesses into evidence; one whose values and sides are plain arithmetic is kept as a certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import sympy as sp

from fltheory.theory.exact_numbers import exact, exact_sign, short

#: A relation, and the one that is true where it is false.
OPPOSITE: Mapping[str, str] = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "=": "!=", "!=": "="}


@dataclass(frozen=True)
class Side:
    """One side of a relation with a name for people.

    ``value`` is an exact number, an expression in the names of the values, or a function of all of them by name.
    """

    text: str
    value: Any


#: What may stand on a side: a :class:`Side`, or its value alone.
Valued: TypeAlias = Side | sp.Expr | int | Fraction | Callable[..., Any]
Relation: TypeAlias = tuple[Valued, str, Valued]


@dataclass(frozen=True)
class Witness:
    """The claim ``left relation right``, and an instance that is to break it.

    Parameters
    ----------
    at : exact values by name (or by symbol); sequences of them for functions.
    left, relation, right : what is claimed, with one of ``<=, <, >=, >, =, !=``.
    given : hypotheses of the claim: triples like it, or SymPy's relationals; every one must be true at the values.
    setting : what the values belong to, in words.

    Raises
    ------
    ValueError : an unknown relation, no values; when it is evaluated: a name without a value, a float, an undefined side.
    """

    at: Mapping[Any, Any]
    left: Valued
    relation: str
    right: Valued
    given: Sequence[Any] = ()
    setting: str = ""

    def __post_init__(self) -> None:
        if not self.at:
            raise ValueError("at is empty: a witness is made of named values")
        object.__setattr__(self, "at", {getattr(name, "name", name): value for name, value in self.at.items()})
        for _, relation, _ in self.relations:
            if relation not in OPPOSITE:
                raise ValueError(f"relation={relation!r} is none of {', '.join(OPPOSITE)}")

    @property
    def relations(self) -> list[Relation]:
        """The claim, then its hypotheses."""
        return [(self.left, self.relation, self.right), *map(_triple, self.given)]

    def value(self, side: Valued) -> sp.Expr:
        """A side at the values, exactly."""
        inside: Any = side.value if isinstance(side, Side) else side
        found = exact(inside(**self.at) if callable(inside) and not isinstance(inside, sp.Basic) else inside)
        missing = sorted(symbol.name for symbol in found.free_symbols if symbol.name not in self.at)
        if missing:
            raise ValueError(f"{', '.join(missing)} of {_name(side)} has no value; values: {', '.join(self.at)}")
        found = sp.sympify(found.subs({symbol: exact(self.at[symbol.name]) for symbol in found.free_symbols}))
        if found.has(sp.nan, sp.zoo):
            raise ValueError(f"{_name(side)} has no value at {_values(self.at)}")
        return found

    def true(self, left: Valued, relation: str, right: Valued) -> bool:
        """Whether a relation holds at the values."""
        one, two = self.value(left), self.value(right)
        sign = 0 if one == two else exact_sign(one - two)
        return {"<=": sign <= 0, "<": sign < 0, ">=": sign >= 0, ">": sign > 0, "=": sign == 0, "!=": sign != 0}[
            relation
        ]

    @property
    def failing(self) -> str:
        """The first hypothesis that is false at the values, in words; empty if all hold."""
        return next((self._told(*one) for one in self.relations[1:] if not self.true(*one)), "")

    @property
    def refutes(self) -> bool:
        """Whether all hypotheses hold and the claim is false."""
        return not self.failing and not self.true(*self.relations[0])

    @property
    def margin(self) -> float:
        """Distance of the sides over the larger one as a negative number: how far the claim is from true."""
        one, two = self.value(self.left), self.value(self.right)
        largest = sp.Max(abs(one), abs(two))
        return 0.0 if one == two else -1.0 if largest.is_infinite else -float(abs(one - two) / largest)

    @property
    def text(self) -> str:
        """Values, hypotheses and both sides with their numbers; of every relation what is true is told."""
        claim, *hypotheses = (self._told(*one) for one in self.relations)
        return f"{'; '.join(filter(None, [self.setting, _values(self.at), *hypotheses]))}: {claim}"

    def _told(self, left: Valued, relation: str, right: Valued) -> str:
        sign = relation if self.true(left, relation, right) else OPPOSITE[relation]
        names, values = [_name(left), _name(right)], [short(self.value(left)), short(self.value(right))]
        if sign == "=":
            return " = ".join(dict.fromkeys([*names, values[0]]))
        plain = [name == value or name in self.at for name, value in zip(names, values, strict=True)]
        return f" {sign} ".join(n if bare else f"{n} = {v}" for n, v, bare in zip(names, values, plain, strict=True))


def _triple(given: Any) -> Relation:
    if isinstance(given, sp.core.relational.Relational):
        return given.lhs, given.rel_op.replace("==", "="), given.rhs
    if isinstance(given, tuple) and len(given) == 3:
        return given
    raise ValueError(f"given={given!r} is no hypothesis; expected (left, relation, right) or a SymPy relational")


def _name(side: Valued) -> str:
    """The name of a side; a number has none but itself."""
    bare = exact(side) if isinstance(side, int | Fraction | sp.Expr) else None
    if bare is not None and not bare.free_symbols:
        return short(bare)
    return (side.text if isinstance(side, Side) else str(side)).replace("**", "^")


def _values(at: Mapping[str, Any]) -> str:
    """``a = b = 1, c = 2``: names of equal values together."""
    names: dict[str, list[str]] = {}
    for name, value in at.items():
        shown = f"({', '.join(map(str, value))})" if isinstance(value, tuple | list) else short(exact(value))
        names.setdefault(shown, []).append(name)
    return ", ".join(f"{' = '.join(each)} = {value}" for value, each in names.items())
