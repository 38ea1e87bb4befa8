"""Rounds of 1-way Gradient Transfer on the line with clients that differ, cohorts and two-point noise, exactly.

The minimiser of the sum of all losses is the origin.  ``sigma_f^2``, the largest mean square distance of the clients'
gradients from their mean, is that of the losses used here on the whole line, by construction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import sympy as sp

from fltheory.evidence.mixed_one_round import AFTER
from fltheory.theory.mixed2022 import one_round as o
from fltheory.theory.mixed2022.convex import Kinked
from fltheory.theory.mixed2022.heterogeneous import SPREAD

ZERO, ONE, HALF, QUARTER = Fraction(0), Fraction(1), Fraction(1, 2), Fraction(1, 4)


@dataclass(frozen=True)
class Leaning:
    """``base(x) + lean psi(x)`` with ``psi' = 1/4 + clip(x/2, -1/4, 1/4)``: psi has slopes in [0, 1/2], curvature 0 or 1/2."""

    base: Kinked
    lean: Fraction

    def value(self, x: Fraction) -> Fraction:
        near = max(-HALF, min(HALF, x))
        return self.base.value(x) + self.lean * (x / 4 + near**2 / 4 + near * (x - near) / 2)

    def gradient(self, x: Fraction) -> Fraction:
        return self.base.gradient(x) + self.lean * (QUARTER + max(-QUARTER, min(QUARTER, x / 2)))

    def __str__(self) -> str:
        return f"{self.base} {'+' if self.lean >= 0 else '-'} {abs(self.lean)} psi, psi' = 1/4 + clip(x/2, -1/4, 1/4)"


@dataclass(frozen=True)
class Population:
    """Losses of ``N`` clients with beta, mu and sigma_f^2."""

    losses: tuple[Any, ...]
    smoothness: Fraction
    modulus: Fraction
    spread: Fraction


def shifted(left: Fraction, right: Fraction, *slopes: Fraction) -> Population:
    """One kinked loss with several slopes, of mean zero: the clients' gradients keep their distances everywhere."""
    square = sum((s * s for s in slopes), start=ZERO) / len(slopes)
    losses = tuple(Kinked(left, right, slope) for slope in slopes)
    return Population(losses, max(abs(left), abs(right)), min(left, right), square)


def leaning(curvature: Fraction, copies: int = 1) -> Population:
    """``copies`` of each of ``curvature x^2/2 +- psi``: gradients up to 1/2 from their mean."""
    pair = (Leaning(Kinked(curvature, curvature), ONE), Leaning(Kinked(curvature, curvature), -ONE))
    return Population(pair * copies, curvature + HALF, curvature - HALF, QUARTER)


@dataclass(frozen=True)
class ClientsRound:
    """One round; ``client`` and ``centre`` are the sizes of the noises, of either sign with probability 1/2."""

    population: Population
    central: Kinked
    point: Fraction
    eta: Fraction
    server: Fraction = ONE
    steps: int = 1
    cohort: int = 1
    client: Fraction = ZERO
    centre: Fraction = ZERO
    repeated: int = 1

    def __post_init__(self) -> None:
        if self.repeated > 1 and (self.cohort != len(self.population.losses) * self.repeated or self.client):
            raise ValueError(f"repeated={self.repeated}: copies of clients need full participation and exact gradients")

    def __str__(self) -> str:
        names = "; ".join(str(loss) for loss in self.population.losses)
        text = f"clients {names}" + (f", each {self.repeated} times" if self.repeated > 1 else "")
        text += f", f_c = {self.central}, x = {self.point}, K = {self.steps}, S = {self.cohort}, eta = {self.eta}, "
        text += f"eta_s = {self.server}, sigma_f^2 = {self.population.spread}"
        text += f", client noise +-{self.client}" if self.client else ""
        return text + (f", central noise +-{self.centre}" if self.centre else "")

    def loss(self, x: Fraction) -> Fraction:
        mean = sum((loss.value(x) for loss in self.population.losses), start=ZERO) / len(self.population.losses)
        return mean + self.central.value(x)

    def path(self, client: int, central: Fraction, noise: Sequence[int]) -> list[Fraction]:
        """The points x^0..x^K of a client."""
        points = [self.point]
        for sign in noise:
            g = self.population.losses[client].gradient(points[-1]) + sign * self.client
            points.append(points[-1] - self.eta * (g + central))
        return points

    def ends(self) -> Iterator[tuple[Fraction, Fraction]]:
        """(probability, next model) over central noise, cohorts and client noise."""
        many, sides = len(self.population.losses), (-1, 1) if self.centre else (0,)
        size = many if self.repeated > 1 else self.cohort
        cohorts = list(combinations(range(many), size))
        for side in sides:
            central = self.central.gradient(self.point) + side * self.centre
            ways = {k: [self.path(k, central, noise)[-1] for noise in self._noises()] for k in range(many)}
            for members in cohorts:
                outcomes = list(product(*(ways[k] for k in members)))
                for last in outcomes:
                    moved = sum(last, start=ZERO) / size - self.point
                    yield Fraction(1, len(sides) * len(cohorts) * len(outcomes)), self.point + self.server * moved

    def _noises(self) -> list[tuple[int, ...]]:
        return list(product((-1, 1) if self.client else (0,), repeat=self.steps))

    def values(self) -> dict[sp.Symbol, Fraction]:
        """Every symbol of the displays, see :mod:`fltheory.theory.mixed2022.one_round`."""
        return dict(_values(self))

    def computed(self) -> dict[sp.Symbol, Fraction]:
        x, clients = self.point, self.population.losses
        found = dict.fromkeys((o.drift, AFTER, o.move, o.near, o.gain), ZERO)
        for p, after in self.ends():
            found[o.move] += p * (after - x) ** 2
            found[o.near] += p * after**2
            found[o.gain] += p * (self.loss(after) - self.loss(x))
        sides = (-1, 1) if self.centre else (0,)
        every = [(k, side, noise) for k in range(len(clients)) for side in sides for noise in self._noises()]
        for k, side, noise in every:
            squares = [(y - x) ** 2 for y in self.path(k, self.central.gradient(x) + side * self.centre, noise)]
            found[o.drift] += sum(squares[:-1], start=ZERO) / (self.steps * len(every))
            found[AFTER] += sum(squares[1:], start=ZERO) / (self.steps * len(every))
        gradient = sum((loss.gradient(x) for loss in clients), start=ZERO) / len(clients) + self.central.gradient(x)
        beta = max(self.population.smoothness, abs(self.central.left), abs(self.central.right))
        mu = max(ZERO, min(self.population.modulus, self.central.left, self.central.right))
        return found | {
            o.e: self.steps * self.eta * self.server,
            o.eta: self.eta,
            o.eta_s: self.server,
            o.K: Fraction(self.steps),
            o.S: Fraction(self.cohort),
            o.beta: beta,
            o.mu: mu,
            o.G2: gradient**2,
            o.w2: x**2,
            o.gap: self.loss(x) - self.loss(ZERO),
            o.V: self.client**2,
            o.C: self.centre**2,
            SPREAD: self.population.spread,
        }


@cache
def _values(item: ClientsRound) -> dict[sp.Symbol, Fraction]:
    return item.computed()
