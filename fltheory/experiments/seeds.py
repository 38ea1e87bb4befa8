"""Seeds of experiments: one number for each replicate of a set, and below it a seed for each place along named axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

#: The entry of a set's settings that holds the seed of its replicate 0.
FIRST = "first seed"


def seed_of(first: int, replicate: int) -> int:
    """Seed of a replicate of the set whose replicate 0 has the seed ``first``.

    Raises
    ------
    ValueError : a negative number of either kind.
    """
    for name, value in ((FIRST, first), ("replicate", replicate)):
        if value < 0:
            raise ValueError(f"{name}={value} is negative; expected 0, 1, 2, ...")
    return first + replicate


def require_apart(sets: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise ``ValueError`` where a replicate of one set has the seed of a replicate of another.

    ``sets`` are settings by name; those without a first seed are not looked at.
    """
    known = sorted(
        (int(entry[FIRST]), int(entry["replicates"]), name) for name, entry in sets.items() if FIRST in entry
    )
    for (first, count, name), (other, _, next_name) in zip(known, known[1:], strict=False):
        if first + count > other:
            raise ValueError(
                f"{FIRST}={other} of {next_name!r} is one of the {count} seeds from {first} of {name!r}; expected sets apart"
            )


@dataclass(frozen=True)
class Seeds:
    """One master seed, and below it a seed for each place along ``axes``, such as ``("replicate", "draws")``.

    The seed at places (i, j, ...) is child j of child i of the master, as ``SeedSequence.spawn`` makes them, so that seeds
    at different places are independent, and more places along an axis leave the others as they are.
    """

    master: int
    axes: tuple[str, ...]

    def at(self, **places: int) -> np.random.SeedSequence:
        """The seed at a place on each of the first axes, one or more of them.

        Raises
        ------
        ValueError : other axes than the first ones, or a negative place.
        """
        if not places or set(places) != set(self.axes[: len(places)]):
            raise ValueError(f"places={places}; expected a place on each of the first axes of {self.axes}")
        for axis, place in places.items():
            if place < 0:
                raise ValueError(f"{axis}={place} is negative; expected 0, 1, 2, ...")
        return np.random.SeedSequence(self.master, spawn_key=tuple(places[axis] for axis in self.axes[: len(places)]))
