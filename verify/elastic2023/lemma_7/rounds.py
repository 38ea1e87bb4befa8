"""Rounds of elastic aggregation on the line with two-point noise: every quantity of Lemmas 7 and 8, exactly.

Losses f_i have a common part and slopes that sum to zero, or they are multiples of a common part, so that A1 holds everywhere with
the constants that are told; the minimiser of f is 0.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Protocol

import sympy as sp

from fltheory.theory.mixed2022.scalars import number
from fltheory.theory.steps import Instance
from verify.elastic2023.lemma_7 import displays as letters
from verify.elastic2023.smooth import KinkedLine

Q = Fraction
ZERO, ONE = Q(0), Q(1)


class LineLoss(Protocol):
    """A function on the line."""

    @property
    def text(self) -> str: ...

    def value(self, t: Fraction) -> Fraction: ...

    def gradient(self, t: Fraction) -> Fraction: ...


@dataclass(frozen=True)
class HuberLine:
    """``h(t) = t^2/2`` for |t| <= 1 and |t| - 1/2 beyond: convex, 1-smooth, with slopes of at most 1."""

    text: str = "h(t) = t^2/2 for |t| <= 1, |t| - 1/2 beyond"

    def value(self, t: Fraction) -> Fraction:
        """h(t)."""
        return t * t / 2 if abs(t) <= 1 else abs(t) - Q(1, 2)

    def gradient(self, t: Fraction) -> Fraction:
        """h'(t)."""
        return max(-ONE, min(ONE, t))


def opposed(curvature: Fraction, slope: Fraction, left: Fraction | None = None) -> tuple[KinkedLine, KinkedLine]:
    """A common parabola (with another curvature for t < 0) and two slopes that cancel: A1 with G = |slope|, B = 1."""
    below = curvature if left is None else left
    return KinkedLine(below, curvature, slope), KinkedLine(below, curvature, -slope)


@dataclass(frozen=True)
class CohortRound:
    """``noise``: each gradient has an error of this size, of either sign with probability 1/2, independently.

    ``shared``: all clients have the same errors.  ``G2``, ``B2`` are those of A1, ``server`` is phi eta_g.
    """

    losses: tuple[LineLoss, ...]
    point: Fraction
    steps: int
    cohort: int
    effective: Fraction
    server: Fraction = ONE
    noise: Fraction = ZERO
    shared: bool = False
    G2: Fraction = ZERO
    B2: Fraction = ONE
    smoothness: Fraction = ONE
    modulus: Fraction = ZERO

    @property
    def eta(self) -> Fraction:
        """The local step size."""
        return self.effective / (self.steps * self.server)

    def __str__(self) -> str:
        text = f"f_i: {'; '.join(loss.text for loss in self.losses)}; x = {self.point}, x* = 0, K = {self.steps}, "
        text += f"S = {self.cohort}, N = {len(self.losses)}, phi eta_g = {self.server}, eta_l = {self.eta}, "
        text += f"beta = {self.smoothness}, mu = {self.modulus}, G^2 = {self.G2}, B^2 = {self.B2}"
        return text + (f", noise +-{self.noise}" if self.noise else "") + (" (the same for all)" if self.shared else "")

    def path(self, loss: LineLoss, errors: Iterable[Fraction]) -> list[Fraction]:
        """The points of a client."""
        points = [self.point]
        for error in errors:
            points.append(points[-1] - self.eta * (loss.gradient(points[-1]) + error))
        return points

    def errors(self) -> list[tuple[Fraction, ...]]:
        """The errors of a client's steps, all equally likely."""
        return list(product((self.noise, -self.noise) if self.noise else (ZERO,), repeat=self.steps))

    def cohort_moments(self, form: Callable[[LineLoss, list[Fraction]], Fraction]) -> tuple[Fraction, Fraction]:
        """Mean and second moment of the cohort's average of a form of a client's points, over cohorts and errors."""
        table = [[form(loss, self.path(loss, one)) for one in self.errors()] for loss in self.losses]
        cohorts = list(combinations(range(len(table)), self.cohort))
        first = second = ZERO
        for chosen in cohorts:
            if self.shared:
                values = [sum(table[i][w] for i in chosen) / self.cohort for w in range(len(table[0]))]
                mean, square = mean_of(values), mean_of(v * v for v in values)
            else:
                means = [mean_of(table[i]) for i in chosen]
                variances = (mean_of(v * v for v in table[i]) - mean_of(table[i]) ** 2 for i in chosen)
                mean = sum(means) / self.cohort
                square = mean**2 + sum(variances) / self.cohort**2
            first, second = first + mean / len(cohorts), second + square / len(cohorts)
        return first, second

    def average(self, form: Callable[[LineLoss, list[Fraction]], Fraction]) -> Fraction:
        """The mean of a form of a client's points over all clients and errors."""
        return mean_of(form(loss, self.path(loss, one)) for loss in self.losses for one in self.errors())

    def moved(self) -> tuple[Fraction, Fraction]:
        """Mean and second moment of x^r - x^{r-1}."""
        first, second = self.cohort_moments(lambda _, points: (points[-1] - self.point) * self.server)
        return first, second

    def values(self) -> dict[sp.Symbol, Fraction]:
        """Every letter of the displays but G and B, of which only squares occur."""
        return dict(_values(self))

    def at(self, expression: sp.Expr, more: Mapping[sp.Symbol, Fraction] | None = None) -> Fraction:
        """The value of an expression in the letters."""
        return number(_rooted(expression, self.G2, self.B2), {**_values(self), **(more or {})})

    def sides(self, right: sp.Expr, left: Fraction, more: Mapping[sp.Symbol, Fraction] | None = None) -> Instance:
        """``left`` against an expression in the letters."""
        return Instance(str(self), left, self.at(right, more))

    def distance_after(self) -> Fraction:
        """E|x^r - x*|^2."""
        first, second = self.moved()
        return self.point**2 + 2 * self.point * first + second


def sampled(every: Iterable[CohortRound], stride: int) -> list[CohortRound]:
    """Every ``stride``-th of some rounds."""
    return list(every)[::stride]


def mean_of(numbers: Iterable[Fraction]) -> Fraction:
    """Their average."""
    every = list(numbers)
    return sum(every, ZERO) / len(every)


@cache
def _rooted(expression: sp.Expr, G2: Fraction, B2: Fraction) -> sp.Expr:
    """An expression in G^2 and B^2 with their values."""
    roots = {letters.G: sp.sqrt(sp.Rational(G2)), letters.B: sp.sqrt(sp.Rational(B2))}
    return sp.sympify(expression).xreplace(roots)


@cache
def _values(item: CohortRound) -> Mapping[sp.Symbol, Fraction]:
    x = item.point
    away = lambda points: sum(((y - x) ** 2 for y in points), ZERO) / item.steps  # noqa: E731
    gradients = [loss.gradient(x) for loss in item.losses]
    return {
        letters.beta: item.smoothness,
        letters.mu: item.modulus,
        letters.e: item.effective,
        letters.r: item.server,
        letters.eta: item.eta,
        letters.K: Q(item.steps),
        letters.S: Q(item.cohort),
        letters.N: Q(len(item.losses)),
        letters.sigma: item.noise,
        letters.P: x**2,
        letters.D: mean_of(loss.value(x) - loss.value(ZERO) for loss in item.losses),
        letters.E: item.average(lambda _, points: away(points[1:])),
        letters.E_taken: item.average(lambda _, points: away(points[:-1])),
        letters.squared_gradient: mean_of(gradients) ** 2,
        letters.mean_square: mean_of(g * g for g in gradients),
    }


def families(
    *, convex: bool = True
) -> list[tuple[tuple[LineLoss, ...], Fraction, Fraction, Fraction, tuple[Fraction, ...]]]:
    """(losses, G^2, B^2, mu, points) with beta = 1, simplest first."""
    parabola, flat = KinkedLine(ONE, ONE), KinkedLine(ZERO, ZERO)
    found: list[tuple[tuple[LineLoss, ...], Fraction, Fraction, Fraction, tuple[Fraction, ...]]] = [
        (opposed(ZERO, ONE), ONE, ONE, ZERO, (ONE,)),
        ((parabola, parabola), ZERO, ONE, ONE, (ZERO, ONE)),
        ((parabola,), ZERO, ONE, ONE, (ZERO, ONE)),
        (opposed(ONE, ONE), ONE, ONE, ONE, (ZERO, ONE)),
        ((parabola, flat), ZERO, Q(2), ZERO, (ONE,)),
        (opposed(ONE, ONE, ZERO), ONE, ONE, ZERO, (Q(1, 8), -ONE)),
        ((HuberLine(), HuberLine()), ZERO, ONE, ZERO, (Q(40),)),
        ((*opposed(ZERO, ONE), flat), Q(2, 3), ONE, ZERO, (ONE,)),
    ]
    if not convex:
        down = KinkedLine(-ONE, -ONE)
        found.append(((down, down), ZERO, ONE, ZERO, (ZERO, ONE)))
    return found


def rounds(
    *,
    servers: Iterable[Fraction] = (ONE, Q(16)),
    shares: Iterable[Fraction] = (ONE, Q(1, 8)),
    convex: bool = True,
    shared: bool = False,
    steps: Iterable[int] = (1, 2, 3),
) -> Iterator[CohortRound]:
    """Rounds with these shares of the largest effective step, with and without noise, for cohorts of one and of all clients."""
    for losses, G2, B2, mu, points in families(convex=convex):
        for K, share, server, size in product(steps, shares, servers, sorted({1, len(losses)})):
            effective = share / (8 * (1 + B2))
            for point, noise in product(points, (ZERO, ONE)):
                yield CohortRound(losses, point, K, size, effective, server, noise, shared, G2, B2, ONE, mu)
