"""A bound with another value from the moment on in which it is made: what is derived from it sees the change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any

from fltheory.mutation.mutants import Mutant
from fltheory.theory.bound import Bound


@dataclass(frozen=True)
class Key:
    """By what a bound is known, before its module is imported."""

    name: str
    source: str
    left: Any
    relation: str
    expression: Any

    @classmethod
    def of(cls, bound: Bound) -> Key:
        """The key of a bound."""
        return cls(bound.name, bound.source, bound.left, bound.relation, bound.expression)

    def opens(self, bound: Any) -> bool:
        """Whether it is a bound with this key, whatever its ids are."""
        return isinstance(bound, Bound) and Key.of(bound) == self


def collect(key: Key) -> list[Bound]:
    """A list to which every bound of this process is added that is made from now on with this key."""
    found: list[Bound] = []
    before = Bound.__post_init__

    def made(bound: Bound) -> None:
        before(bound)
        if key.opens(bound):
            found.append(bound)

    Bound.__post_init__ = made  # type: ignore[method-assign,assignment]
    return found


@contextmanager
def changed(bounds: Sequence[Bound], mutant: Mutant) -> Iterator[None]:
    """The mutant in bounds that exist, and afterwards what they were."""
    kept = [dict(vars(bound)) for bound in bounds]
    names = {item.name for item in fields(Bound)}
    try:
        for bound, values in zip(bounds, kept, strict=True):
            vars(bound).clear()
            vars(bound).update({name: value for name, value in values.items() if name in names})
            object.__setattr__(bound, mutant.field, mutant.value)
        yield
    finally:
        for bound, values in zip(bounds, kept, strict=True):
            vars(bound).clear()
            vars(bound).update(values)


def plant(key: Key, mutant: Mutant) -> None:
    """Change every bound of this process that is made from now on with this key.  For processes that end afterwards."""
    before = Bound.__post_init__

    def made(bound: Bound) -> None:
        before(bound)
        if key.opens(bound):
            object.__setattr__(bound, mutant.field, mutant.value)

    Bound.__post_init__ = made  # type: ignore[method-assign,assignment]
