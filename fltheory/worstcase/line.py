"""Instances on a line in rationals: all clients have one loss with two curvatures, steep near the minimiser and flat beyond.

    f(x) = mu x^2/2 + (L - mu) h(x),    h(x) = x^2/2 for |x| <= tau, else tau |x| - tau^2/2.

It is in the class for every ``tau``.  Gradient descent has its worst gap there (Drori and Teboulle 2014), as long as it does not
step past the bend; then every register is linear in ``tau`` and every measure quadratic, so that the best ``tau`` is rational
where one length is bounded at the start.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.worstcase.functional import Functional
from fltheory.worstcase.model import Model

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Bend:
    """The loss, with curvature ``steep`` up to ``tau`` and ``flat`` beyond; ``far`` takes every point for one beyond.

    Numbers are rationals, or with ``far`` elements of any field.
    """

    flat: Any
    steep: Any
    tau: Any
    far: bool = False

    def gradient(self, x: Any) -> Any:
        """``f'(x)``."""
        pull = self.tau if self.far else max(-self.tau, min(x, self.tau))
        return self.flat * x + (self.steep - self.flat) * pull

    def value(self, x: Any) -> Any:
        """``f(x)``."""
        inside = not self.far and abs(x) <= self.tau
        rise = x * x / 2 if inside else self.tau * (x if self.far else abs(x)) - self.tau * self.tau / 2
        return self.flat * x * x / 2 + (self.steep - self.flat) * rise


@dataclass(frozen=True)
class LineRun:
    """A program run on a line: registers as numbers, and function values."""

    model: Model
    registers: tuple[Any, ...]
    values: Mapping[int, Any]

    def mean(self) -> list[Any]:
        """The coordinates of the block of means."""
        found: list[Any] = [ZERO] * self.model.space.sizes["mean"]
        for register, item in enumerate(self.model.instructions):
            if item[0] in ("given", "gradient", "centre", "minimiser"):
                for (block, place), factor in self.model.space.coordinates[register].items():
                    if block == "mean":
                        found[place] = self.registers[register] / factor
        return found

    def evaluate(self, functional: Functional) -> Any:
        """A functional's value."""
        vector, (gram, single) = self.mean(), self.model.form(functional)
        total: Any = ZERO
        for (block, i, j), entry in gram.items():
            if block == "mean":
                total = total + entry * vector[i] * vector[j]
        for register, entry in single.items():
            total = total + entry * self.values[register]
        return total

    def instance(self, factor: Any) -> tuple[dict[str, list[list[Any]]], dict[int, Any]]:
        """Gram blocks and function values, times ``factor``."""
        blocks = {name: [[ZERO] * size for _ in range(size)] for name, size in self.model.space.sizes.items()}
        vector = self.mean()
        blocks["mean"] = [[factor * x * y for y in vector] for x in vector]
        return blocks, {register: factor * self.values[register] for register in self.model.values}


def walk(model: Model, loss: Bend) -> LineRun | None:
    """The program from ``x_0 = 1`` on one loss for all, without noise; ``None`` with a loss of the server's own."""
    registers: list[Any] = []
    values: dict[int, Any] = {}
    for place, item in enumerate(model.instructions):
        if item[0] == "given":
            registers.append(ONE if item[2] == 1 else ZERO)
        elif item[0] == "combine":
            registers.append(sum((factor * registers[r] for factor, r in item[1]), ZERO))
        elif item[0] == "gradient":
            origin = model.instructions[item[1]][0] == "optimum"
            registers.append(ZERO if origin else loss.gradient(registers[item[1]]))
            values[place] = ZERO if origin else loss.value(registers[item[1]])
        elif item[0] in ("average", "mean"):
            registers.append(registers[item[1]])
        elif item[0] in ("optimum", "minimiser", "infimum"):
            registers.append(ZERO)
            values[place] = ZERO
        else:
            return None
    return LineRun(model, tuple(registers), values)


def bends(model: Model) -> Iterator[LineRun]:
    """The runs on bent losses whose ``tau`` is the best one of those that the method does not step past, or the largest.

    At the largest the method ends, or stops for a gradient, just at the bend.
    """
    if model.space.has_centre:
        return
    mu, smooth = model.clients.exact
    tried = [walk(model, Bend(mu, smooth, tau, far=True)) for tau in (ZERO, Fraction(1, 2), ONE)]
    trials = [trial for trial in tried if trial is not None]
    if len(trials) < 3:
        return
    above = _quadratic([run.evaluate(model.measure) for run in trials])
    found = []
    for item in model.assumptions:
        if item.bound is not None:
            found += stationary(above, _quadratic([run.evaluate(item.functional) for run in trials]))
    for query in model.groups[0].queries[::-1]:
        point = model.instructions[query.register][1]
        start, end = (trials[k].registers[point] for k in (0, 2))
        found += [start / (1 + start - end)] if 1 + start != end else []
    for tau in dict.fromkeys(tau for tau in found if 0 < tau < 1):
        bent = walk(model, Bend(mu, smooth, tau))
        if bent is not None:
            yield bent


def _quadratic(values: list[Fraction]) -> tuple[Fraction, Fraction, Fraction]:
    """``(a, b, c)`` of ``a t^2 + b t + c`` from its values at 0, 1/2 and 1."""
    start, middle, end = values
    return 2 * (start + end - 2 * middle), 4 * middle - 3 * start - end, start


def stationary(
    above: tuple[Fraction, Fraction, Fraction], below: tuple[Fraction, Fraction, Fraction]
) -> list[Fraction]:
    """The rational points where the quotient of two quadratics is stationary."""
    (a, b, c), (d, e, f) = above, below
    # (2 a t + b)(d t^2 + e t + f) - (2 d t + e)(a t^2 + b t + c)
    p, q, r = a * e - b * d, 2 * (a * f - c * d), b * f - c * e
    if p == 0:
        return [-r / q] if q else []
    inside = q * q - 4 * p * r
    if inside < 0:
        return []
    root = Fraction(math.isqrt(inside.numerator), math.isqrt(inside.denominator))
    return [(-q + sign * root) / (2 * p) for sign in (1, -1)] if root**2 == inside else []
