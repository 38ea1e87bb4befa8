"""Instructions of a straight-line program in the making; the language stands in :mod:`fltheory.readings.gram`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

Instruction = tuple[Any, ...]
Terms = Mapping[int, Fraction]


class Recorder:
    """Instructions in the making: equal instructions share a register, so that no point is queried twice."""

    def __init__(self, instructions: tuple[Instruction, ...] = ()) -> None:
        self.instructions: list[Instruction] = []
        self.degrees: list[Fraction] = []
        self._places: dict[Instruction, int] = {}
        for item in instructions:
            self.put(item)

    def put(self, item: Instruction) -> int:
        """The register of an instruction; each given vector is a new one.

        Raises
        ------
        ValueError : a gradient at something that is no point.
        """
        if item[0] != "given" and item in self._places:
            return self._places[item]
        self.degrees.append(self._degree(item))
        self.instructions.append(item)
        self._places[item] = len(self.instructions) - 1
        return len(self.instructions) - 1

    def _degree(self, item: Instruction) -> Fraction:
        name = item[0]
        if name == "given":
            return Fraction(item[2])
        if name == "combine":
            return sum((factor * self.degrees[place] for factor, place in item[1]), Fraction(0))
        if name in ("average", "mean"):
            return self.degrees[item[1]]
        if name in ("gradient", "centre") and self.degrees[item[1]] != 1:
            raise ValueError(
                f"a gradient at a vector of degree {self.degrees[item[1]]}: the method does not commute with translations, "
                "so that its worst case has no model with the minimiser at the origin"
            )
        return Fraction(int(name in ("optimum", "minimiser")))

    def combine(self, terms: Terms) -> int:
        """The register of a linear combination; one register times one is that register."""
        listed = tuple(sorted((place, factor) for place, factor in terms.items() if factor != 0))
        if len(listed) == 1 and listed[0][1] == 1:
            return listed[0][0]
        return self.put(("combine", tuple((factor, place) for place, factor in listed)))
