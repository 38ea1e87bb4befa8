"""Lower bounds without a solver: all losses are parabolas ``c |x|^2/2`` with one curvature, run in rationals.

All quantities are squares of an instance's size, so that one run, made as large as the quantities allow, is an instance: where
rounds expand it is the worst one or near it, however large the numbers grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fltheory.worstcase.functional import Functional
from fltheory.worstcase.growth import FIRST, ZERO, Growth, Ran, parabola, run
from fltheory.worstcase.model import Model

Blocks = dict[str, list[list[Fraction]]]


@dataclass(frozen=True)
class Parabola:
    """A run on parabolas from a start of length one, ``curvature`` being that of the clients."""

    curvature: Fraction
    ran: Ran
    model: Model

    def evaluate(self, functional: Functional) -> Fraction:
        """A functional's value."""
        return self.ran.evaluate(self.model, functional)

    def factor(self, quantities: Mapping[str, Fraction]) -> Fraction:
        """By how much its squares may grow within all assumptions; zero where they forbid it, or where nothing limits it."""
        found = []
        for item in self.model.assumptions:
            entry = self.evaluate(item.functional)
            if entry > 0:
                found.append(Fraction(0) if item.bound is None else item.scale * quantities[item.bound] / entry)
        return min(found, default=Fraction(0))

    def instance(self, factor: Fraction) -> tuple[Blocks, dict[int, Fraction]]:
        """Gram blocks and function values, times ``factor``."""
        blocks: Blocks = {}
        for name, size in self.model.space.sizes.items():
            blocks[name] = [[Fraction(0)] * size for _ in range(size)]
            for i in range(size):
                for j in range(i + 1):
                    blocks[name][i][j] = blocks[name][j][i] = factor * self.ran.gram(name, i, j)
        return blocks, {register: factor * self.ran.values[register] for register in self.model.values}


def parabolas(model: Model) -> Iterator[Parabola]:
    """Those at the ends of the classes, with the minimiser of the sum at the origin."""
    centre = model.centre if model.space.has_centre else None
    for curvature in (model.clients.L, model.clients.mu):
        for own in (centre.L, centre.mu) if centre is not None else (Fraction(0),):
            if curvature + own <= 0 or any(item[0] == "infimum" for item in model.instructions) and curvature < 0:
                continue
            losses = (parabola(curvature), ZERO)
            candidate = Growth((losses, losses), (parabola(own), ZERO), FIRST, ZERO, Fraction(0))
            ran = run(model, candidate)
            if ran is not None and candidate.belongs(model.clients, centre):
                yield Parabola(curvature, ran, model)
