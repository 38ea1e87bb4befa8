"""Instructions of a straight-line program in the making; the language stands in :mod:`fltheory.readings.gram`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

Instruction = tuple[Any, ...]
Terms = Mapping[int, Fraction]

#: Programs with more gradients than these are not even written down: points are combinations of all gradients before them.
MOST_GRADIENTS = 1000


class Recorder:
    """Instructions in the making: equal instructions share a register, so that no point is queried twice."""

    def __init__(self, instructions: tuple[Instruction, ...] = ()) -> None:
        self.instructions: list[Instruction] = []
        self.degrees: list[Fraction] = []
        self.gradients = 0
        self._places: dict[Instruction, int] = {}
        for item in instructions:
            self.put(item)

    def put(self, item: Instruction) -> int:
        """The register of an instruction; each given vector is a new one.

        Raises
        ------
        ValueError : a gradient at something that is no point; more than :data:`MOST_GRADIENTS` gradients.
        """
        if item[0] != "given" and item in self._places:
            return self._places[item]
        if item[0] in ("gradient", "centre") and (known := self._at_proximal_point(item)) is not None:
            return known
        self.degrees.append(self._degree(item))
        self.gradients += item[0] in ("gradient", "centre")
        if self.gradients > MOST_GRADIENTS:
            raise ValueError(
                f"a program of more than {MOST_GRADIENTS} gradients is too large a request, and far beyond what a certificate can "
                "be found for; take fewer rounds or local steps, or chain certified rounds"
            )
        self.instructions.append(item)
        self._places[item] = len(self.instructions) - 1
        return len(self.instructions) - 1

    def proximal_point(self, register: int) -> dict[int, Fraction]:
        """The point ``r - c g`` of a proximal step, as a combination of registers that are none themselves."""
        name, base, factor = self.instructions[register]
        made = self.instructions[base]
        terms = {place: share for share, place in made[1]} if made[0] == "combine" else {base: Fraction(1)}
        return {**terms, register: terms.get(register, Fraction(0)) - factor}

    def _at_proximal_point(self, item: Instruction) -> int | None:
        """The gradient at the point of a proximal step is known: no point is queried twice."""
        point = self.instructions[item[1]]
        if point[0] != "combine":
            return None
        terms = {place: factor for factor, place in point[1]}
        made = [r for r in terms if self.instructions[r][0] == {"gradient": "prox", "centre": "centre prox"}[item[0]]]
        return next((r for r in made if self.proximal_point(r) == terms), None)

    def _degree(self, item: Instruction) -> Fraction:
        name = item[0]
        if name == "given":
            return Fraction(item[2])
        if name == "combine":
            return sum((factor * self.degrees[place] for factor, place in item[1]), Fraction(0))
        if name in ("average", "mean"):
            return self.degrees[item[1]]
        if name == "cohort":
            new, old = (self.degrees[place] for place in item[1:])
            if new != old:
                raise ValueError(f"only_cohort between vectors of degrees {new} and {old}: a point and a direction")
            return new
        if name in ("gradient", "centre", "prox", "centre prox") and self.degrees[item[1]] != 1:
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
