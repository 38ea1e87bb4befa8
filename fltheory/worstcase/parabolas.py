"""Lower bounds without a solver: all losses are parabolas ``c |x|^2/2`` with one curvature per class, run in rationals.

All quantities are squares of an instance's size, so that one run, made as large as the quantities allow, is an instance: where
rounds expand it is the worst one or near it, however large the numbers grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from fltheory.worstcase.client_classes import ClientClasses
from fltheory.worstcase.functional import Functional
from fltheory.worstcase.growth import FIRST, ZERO, Growth, Ran, parabola, run
from fltheory.worstcase.model import Model

#: Of so many classes all parabolas are tried that are at an end of each.
FEW = 4
Blocks = dict[str, list[list[Fraction]]]


@dataclass(frozen=True)
class Parabola:
    """A run on parabolas from a start of length one, ``curvature`` being that of the clients, or of each class of several."""

    curvature: Fraction | tuple[Fraction, ...]
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
    if isinstance(model.clients, ClientClasses):
        yield from _of_classes(model, model.clients)
        return
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


def _of_classes(model: Model, clients: ClientClasses) -> Iterator[Parabola]:
    """All of few classes; of many those where all are at the same end."""
    centre = model.centre if model.space.has_centre else None
    ends = [(each.L, each.mu) for each in clients.functions]
    choices = product(*ends) if len(ends) <= FEW else zip(*ends, strict=True)
    nothing = (parabola(Fraction(0)), ZERO)
    for curvatures in choices:
        for own in (centre.L, centre.mu) if centre is not None else (Fraction(0),):
            lowest = min(curvatures) < 0 and any(item[0] == "infimum" for item in model.instructions)
            if clients.average(curvatures) + own <= 0 or lowest:
                continue
            candidate = Growth(
                (nothing, nothing), (parabola(own), ZERO), FIRST, ZERO, Fraction(0), curvatures=tuple(curvatures)
            )
            ran = run(model, candidate)
            if ran is not None:
                yield Parabola(tuple(curvatures), ran, model)
