"""A performance estimation problem in exact rationals: a program, its classes, assumptions and a measure.

The worst case is the largest value of the measure over Gram blocks (positive semidefinite) and function values that
obey the interpolation inequalities of the classes and the assumptions.  For one class of functions with curvature in
``[mu, L]``, a generic client and queries ``(x_i, g_i, f_i)``, with ``h = g - mu x``::

    f_i - f_j - mu/2 (|x_i|^2 - |x_j|^2) - <h_j, x_i - x_j> - |h_i - h_j|^2 / (2 (L - mu)) >= 0

averaged over the clients (Taylor, Hendrickx, Glineur 2017; symmetry of averaging networks: Colla, Hendrickx 2024).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from fltheory.readings.gram import Instruction
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.functional import Assumption, Functional
from fltheory.worstcase.space import Coordinates, Shares, Space

Form = dict[tuple[str, int, int], Fraction]


@dataclass(frozen=True)
class Query:
    """A point and the gradient there; ``value`` is the register that names the function value, ``None`` at the minimiser."""

    point: Coordinates
    gradient: Coordinates
    value: int | None
    register: int


@dataclass(frozen=True)
class Group:
    """Queries of one class of functions: ``"clients"`` or ``"centre"``."""

    name: str
    functions: FunctionClass
    queries: tuple[Query, ...]


@dataclass(frozen=True)
class Carried:
    """A measure that says after ``rounds`` rounds what ``quantity`` bounds before them."""

    quantity: str
    rounds: int
    measure: Functional


@dataclass(frozen=True)
class Model:
    """A program with classes, assumptions and a measure; see the module.

    ``carried`` names the start of the same measure; ``models`` are the registers of the server's model after each
    round, where they are known: only what is told of the model speaks of them.
    """

    instructions: tuple[Instruction, ...]
    method_length: int
    clients: FunctionClass
    centre: FunctionClass | None
    shares: Shares
    assumptions: tuple[Assumption, ...]
    measure: Functional
    carried: Carried | None = None
    models: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.space.has_centre and self.centre is None:
            raise ValueError("the method asks for the server's own loss: name its class, centre=...")

    @cached_property
    def space(self) -> Space:
        """Coordinates of the registers."""
        return Space(self.instructions, self.shares)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The classes with their queries."""
        found = [Group("clients", self.clients, self._queries("gradient", "minimiser"))]
        if self.centre is not None and self.space.has_centre:
            found.append(Group("centre", self.centre, self._queries("centre")))
        return tuple(found)

    def _queries(self, *operations: str) -> tuple[Query, ...]:
        found = []
        for place, item in enumerate(self.instructions):
            if item[0] in operations:
                gradient = {} if item[0] == "minimiser" else self.space.coordinates[place]
                at_optimum = item[0] != "minimiser" and self.instructions[item[1]][0] == "optimum"
                found.append(Query(self.space.points[place], gradient, None if at_optimum else place, place))
        return tuple(found)

    @cached_property
    def values(self) -> tuple[int, ...]:
        """Registers whose function values are unknowns, in order."""
        found = [query.value for group in self.groups for query in group.queries if query.value is not None]
        found += [place for place, item in enumerate(self.instructions) if item[0] == "infimum"]
        return tuple(found)

    def form(self, functional: Functional) -> tuple[Form, dict[int, Fraction]]:
        """A functional as a linear form in Gram entries (``i <= j``; off-diagonal entries count once) and values."""
        gram: Form = {}
        for factor, a, b in functional.inner:
            for key, entry in self.space.product(self.space.coordinates[a], self.space.coordinates[b]).items():
                gram[key] = gram.get(key, Fraction(0)) + factor * entry
        values: dict[int, Fraction] = {}
        for factor, register in functional.values:
            if register in self.values:
                values[register] = values.get(register, Fraction(0)) + factor
            elif self.instructions[register][0] not in ("gradient", "centre"):
                raise ValueError(f"register {register} is no gradient: no function value belongs to it")
        return gram, values

    @property
    def bound_names(self) -> tuple[str, ...]:
        """Quantities on the right-hand sides of the assumptions, in order."""
        return tuple(dict.fromkeys(item.bound for item in self.assumptions if item.bound is not None))


def dense(coordinates: Sequence[Coordinates], part: str, size: int) -> list[list[Fraction]]:
    """One part of some vectors as rows."""
    rows = [[Fraction(0)] * size for _ in coordinates]
    for row, vector in zip(rows, coordinates, strict=True):
        for (name, basis), entry in vector.items():
            if name == part:
                row[basis] = entry
    return rows
