"""A performance estimation problem in exact rationals: a program, its classes, assumptions and a measure.

The worst case is the largest value of the measure over Gram blocks (positive semidefinite) and function values that
obey the interpolation inequalities of the classes and the assumptions.  For one class of functions with curvature in
``[mu, L]``, a generic client and queries ``(x_i, g_i, f_i)``, with ``h = g - mu x``::

    f_i - f_j - mu/2 (|x_i|^2 - |x_j|^2) - <h_j, x_i - x_j> - |h_i - h_j|^2 / (2 (L - mu)) >= 0

averaged over the clients (Taylor, Hendrickx, Glineur 2017; symmetry of averaging networks: Colla, Hendrickx 2024).  Of several
classes of clients each has its own generic client: instructions on clients end with the number of their class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from fltheory.readings.gram import Instruction
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.client_classes import ClientClasses, group_name, named_classes
from fltheory.worstcase.functional import Assumption, Functional
from fltheory.worstcase.space import Coordinates, Shares, Space, kind_of

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
    """Queries of one class of functions: ``"clients"`` (``"clients 1"``, ... where there are several) or ``"centre"``."""

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
    round, where they are known, and ``label`` is what the method is called: only what is told of the model speaks of them.
    """

    instructions: tuple[Instruction, ...]
    method_length: int
    clients: FunctionClass | ClientClasses
    centre: FunctionClass | None
    shares: Shares
    assumptions: tuple[Assumption, ...]
    measure: Functional
    carried: Carried | None = None
    models: tuple[int, ...] = ()
    label: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.shares.classes != (self.clients.shares if isinstance(self.clients, ClientClasses) else ()):
            raise ValueError(f"shares {self.shares.classes} of classes, where the clients are {self.clients!r}")
        if self.space.has_centre and self.centre is None:
            raise ValueError("the method asks for the server's own loss: name its class, centre=...")
        self.require_proximal_points()
        self.require_own_compressors()

    @cached_property
    def space(self) -> Space:
        """Coordinates of the registers."""
        return Space(self.instructions, self.shares)

    @cached_property
    def claim(self) -> dict[str, Any]:
        """What a certificate of this model claims, by name."""
        from fltheory.worstcase.claims import claim_of

        return claim_of(self)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The classes with their queries."""
        found = [
            Group(name, functions, self._queries(name, "gradient", "minimiser", "prox"))
            for name, functions in named_classes(self.clients).items()
        ]
        if self.centre is not None and self.space.has_centre:
            found.append(Group("centre", self.centre, self._queries("centre", "centre", "centre prox")))
        return tuple(found)

    def require_own_compressors(self) -> None:
        """What a client compresses depends on no other client's noise, so that its own noise does not either.

        Raises
        ------
        ValueError : noise relative to a vector that is made of a random average.
        """
        for item in self.assumptions:
            inner = item.functional.inner
            if item.bound is None and any(self.instructions[a][0] == "noise" for _, a, _ in inner):
                kinds = {kind_of(part) for _, a, b in inner for r in (a, b) for part, _ in self.space.coordinates[r]}
                if kinds & {"averaged", "sampled"}:
                    raise ValueError(
                        "compress of a vector that depends on a noisy or sampled average of this round: its noise would depend on "
                        "the noise of other clients, which has no model"
                    )

    def require_proximal_points(self) -> None:
        """Every proximal step has one end.

        Raises
        ------
        ValueError : a proximal step of size ``c`` on a class with ``1 + c mu <= 0``; one of clients of several classes.
        """
        for item in self.instructions:
            if item[0] in ("prox", "centre prox"):
                if item[0] == "prox" and self.several:
                    raise ValueError(
                        f"a proximal step of the clients of several classes has no model: {self.clients!r}"
                    )
                functions = self.clients if item[0] == "prox" else self.centre
                if functions is not None and 1 + item[2] * functions.mu <= 0:
                    raise ValueError(
                        f"{item[0]} of step_size={item[2]} on losses with mu={functions.mu}: 1 + step_size mu = "
                        f"{1 + item[2] * functions.mu}, so that nothing need be least; expected 1 + step_size mu > 0"
                    )

    @property
    def several(self) -> bool:
        """Whether there are several classes of clients."""
        return isinstance(self.clients, ClientClasses)

    def group_of(self, register: int) -> str:
        """The name of the class whose losses a register speaks of: a gradient, a minimiser or an infimum."""
        item = self.instructions[register]
        return "centre" if item[0] in ("centre", "centre prox") else group_name(item[-1] if self.several else 0)

    def functions(self, name: str) -> FunctionClass:
        """A class by the name of its group."""
        return next(group.functions for group in self.groups if group.name == name)

    def _queries(self, name: str, *operations: str) -> tuple[Query, ...]:
        found = []
        for place, item in enumerate(self.instructions):
            if item[0] in operations and self.group_of(place) == name:
                gradient = {} if item[0] == "minimiser" else self.space.coordinates[place]
                at_optimum = item[0] in ("gradient", "centre") and self.instructions[item[1]][0] == "optimum"
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
            elif self.instructions[register][0] not in ("gradient", "centre", "prox", "centre prox"):
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
