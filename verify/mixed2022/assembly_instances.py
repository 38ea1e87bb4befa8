"""Runs of 1-way Gradient Transfer with K = 1 on f = (lam/2) x^2 on the line, by their exact second moments.

With one local step x_{t+1} = (1 - e lam) x_t - e xi_t, where xi_t has mean zero and variance sigma^2/S + sigma_c^2; beta = 1 and
f_f, f_c have the curvatures lam_f, lam_c in [0, 1] with lam = lam_f + lam_c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt


@dataclass(frozen=True)
class ChainOfRounds:
    """``start`` x_0, effective ``step``, ``client`` = sigma^2 and ``centre`` = sigma_c^2, cohort of ``cohort`` clients."""

    curvatures: tuple[Fraction, Fraction]
    start: Fraction
    step: Fraction
    client: Fraction = Fraction(0)
    centre: Fraction = Fraction(0)
    cohort: int = 2

    @property
    def curvature(self) -> Fraction:
        return self.curvatures[0] + self.curvatures[1]

    @property
    def variance(self) -> Fraction:
        """Variance of the noise of one round, by the independence of the clients' and the central noise."""
        return self.client / self.cohort + self.centre

    def __str__(self) -> str:
        return (
            f"f_f = ({self.curvatures[0]}/2) x^2, f_c = ({self.curvatures[1]}/2) x^2, beta = 1, K = 1, S = {self.cohort}, "
            f"sigma^2 = "
            f"{self.client}, sigma_c^2 = {self.centre}, x^(0) = {self.start}, effective step {self.step}"
        )

    def average_gap(self, weights: Sequence[Fraction], first: int) -> Fraction:
        """E f(xbar) - f* for xbar = weighted average of x_first, x_{first+1}, ..."""
        keep, total = 1 - self.step * self.curvature, sum(weights, start=Fraction(0))
        mean = sum((w * keep ** (first + j) for j, w in enumerate(weights)), start=Fraction(0)) * self.start / total
        square = mean**2
        for s in range(first + len(weights) - 1):  # noise of round s enters x_t with -e keep^(t-1-s), t > s
            share = sum(
                (w * keep ** (first + j - 1 - s) for j, w in enumerate(weights) if first + j > s), start=Fraction(0)
            )
            square += (self.step * share / total) ** 2 * self.variance
        return self.curvature / 2 * square

    def least_gradient(self, count: int, first: int) -> Fraction:
        """min over t of E|grad f(x_t)|^2, t = first, ..., first + count - 1."""
        keep, square, found = 1 - self.step * self.curvature, self.start**2, []
        for t in range(first + count):
            if t >= first:
                found.append(self.curvature**2 * square)
            square = keep**2 * square + self.step**2 * self.variance
        return min(found)


CURVATURES = (
    (Fraction(1), Fraction(1)),
    (Fraction(0), Fraction(1)),
    (Fraction(1), Fraction(0)),
    (Fraction(1, 20), Fraction(1, 20)),
)


def root(x: Fraction) -> Fraction:
    """The square root of a rational square.

    Raises
    ------
    ValueError : x is no square.
    """
    found = Fraction(isqrt(x.numerator), isqrt(x.denominator))
    if found**2 != x:
        raise ValueError(f"x={x} is no square of a rational number")
    return found


def parameters(client: Fraction, central: Fraction) -> list[tuple[int, Fraction, Fraction, Fraction]]:
    """(T, start, sigma^2, sigma_c^2) with S = 2 for which the noise constant client sigma^2/2 + central sigma_c^2 is 0 or 1."""
    found = []
    for T, start in (
        (0, Fraction(1)),
        (3, Fraction(1)),
        (3, Fraction(1, 64)),
        (15, Fraction(1, 4)),
        (0, Fraction(1, 10**4)),
    ):
        found += [
            (T, start, Fraction(0), Fraction(0)),
            (T, start, Fraction(0), 1 / central),
            (T, start, 2 / client, Fraction(0)),
        ]
    return found


def tuned(start: Fraction, noise: Fraction, top: Fraction, T: int) -> tuple[Fraction, Fraction]:
    """Step and start/(top (T+1)) + 2 sqrt(noise start/(T+1)), noise 0 or 1."""
    size = root(noise * start / (T + 1))
    return (min(top, size / noise) if noise else top), start / (top * (T + 1)) + 2 * size


def is_square(x: Fraction) -> bool:
    """Whether a rational number is the square of one."""
    return isqrt(x.numerator) ** 2 == x.numerator and isqrt(x.denominator) ** 2 == x.denominator
