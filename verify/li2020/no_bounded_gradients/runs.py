"""Exact runs of FedAvg on parabolas with ``w* = 0`` for the theorems without bounded gradients, in rational intervals.

``F_k = a_k w^2/2 + g_k w`` with ``sum p_k g_k = 0``.  Within a round the model is affine in the model at its start; the mean is
carried on as an interval, rounded outwards to 18 digits at each synchronisation, the variance rounded down.  ``E|w_T|^2`` comes
from below, so that a violation of a bound by the rounded numbers is one by the exact numbers.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from fltheory.theory.sampling import weighted_mean
from verify.li2020.theorems.scalar_runs import DIGITS, rounded

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class SlopedParabolas:
    """Clients with weights p, curvatures a and slopes g at w* = 0; mu = 1 and ``kappa`` are the constants of the class.

    Parameters
    ----------
    local_steps, gamma, start : E, gamma of ``eta_t = 2/(gamma + t)``, and w_1.
    variance : of each client's gradient noise, the same for all.
    """

    weights: tuple[Fraction, ...]
    curvatures: tuple[Fraction, ...]
    slopes: tuple[Fraction, ...]
    kappa: Fraction
    local_steps: int
    gamma: Fraction
    start: Fraction = ZERO
    variance: Fraction = ZERO

    def __post_init__(self) -> None:
        if sum(self.weights) != 1 or weighted_mean(self.weights, self.slopes) != 0:
            raise ValueError(
                f"weights={self.weights}, slopes={self.slopes}: weights must add up to 1, mean slopes to 0"
            )
        if not all(1 <= a <= self.kappa for a in self.curvatures):
            raise ValueError(f"curvatures={self.curvatures} must lie in [1, kappa={self.kappa}]")

    @property
    def zeta_square(self) -> Fraction:
        """sum p_k g_k^2."""
        return weighted_mean(self.weights, [g**2 for g in self.slopes])

    @property
    def zeta(self) -> Fraction:
        """The root of :attr:`zeta_square`, where it is rational."""
        found = root(self.zeta_square, up=False)
        if found**2 != self.zeta_square:
            raise ValueError(f"zeta^2={self.zeta_square} has no rational root")
        return found

    @property
    def gap_at_minima(self) -> Fraction:
        """Gamma = sum p_k g_k^2/(2 a_k)."""
        return weighted_mean(self.weights, [g**2 / (2 * a) for a, g in zip(self.curvatures, self.slopes, strict=True)])

    @property
    def noise(self) -> Fraction:
        """V = sum p_k^2 sigma_k^2."""
        return sum((p**2 for p in self.weights), ZERO) * self.variance

    def __str__(self) -> str:
        clients = ", ".join(
            f"F_{k} = ({a}) w^2/2 + ({g}) w with p = {p}"
            for k, (p, a, g) in enumerate(zip(self.weights, self.curvatures, self.slopes, strict=True), 1)
        )
        noise = f", noise of variance {self.variance}" if self.variance else ""
        return (
            f"{clients}{noise}, mu = 1, L = {self.kappa}, E = {self.local_steps}, eta_t = 2/({self.gamma} + t), "
            f"w_1 = {self.start}, w* = 0"
        )

    def moments(self, horizons: tuple[int, ...]) -> Iterator[tuple[int, Fraction, Fraction]]:
        """(T, lower bound of ``|E w_T|``, lower bound of the variance) at the horizons, for the averaged model."""
        low = high = self.start
        spread, (keep, shift, drawn) = ZERO, self._fresh()
        for t in range(1, max(horizons) + 1):
            slope, moved = weighted_mean(self.weights, keep), weighted_mean(self.weights, shift)
            ends = sorted((slope * low + moved, slope * high + moved))
            variance = slope**2 * spread + weighted_mean([p**2 for p in self.weights], drawn)
            if t in horizons:
                yield t, max(ends[0], -ends[1], ZERO), variance
            if t % self.local_steps == 0:
                low, high, spread = rounded(ends[0], up=False), rounded(ends[1], up=True), rounded(variance, up=False)
                keep, shift, drawn = self._fresh()
            eta = 2 / (self.gamma + t)
            for k, (a, g) in enumerate(zip(self.curvatures, self.slopes, strict=True)):
                factor = 1 - eta * a
                keep[k], shift[k] = factor * keep[k], factor * shift[k] - eta * g
                drawn[k] = factor**2 * drawn[k] + eta**2 * self.variance

    def _fresh(self) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
        """Factor, shift and variance of each client at the start of a round."""
        count = len(self.weights)
        return [ONE] * count, [ZERO] * count, [ZERO] * count


def identical(
    kappa: Fraction, curvature: Fraction, local_steps: int, gamma: Fraction, *, start: int = 1, variance: int = 0
) -> SlopedParabolas:
    """All clients the same parabola."""
    return SlopedParabolas(
        (ONE,), (curvature,), (ZERO,), kappa, local_steps, gamma, Fraction(start), Fraction(variance)
    )


def opposite(
    kappa: Fraction, weight: Fraction, local_steps: int, gamma: Fraction, *, start: int = 0
) -> SlopedParabolas:
    """Curvatures L (with the given weight) and mu, slopes that balance: ``1 - weight`` and ``-weight``."""
    return SlopedParabolas(
        (weight, 1 - weight), (kappa, ONE), (1 - weight, -weight), kappa, local_steps, gamma, Fraction(start)
    )


@dataclass(frozen=True)
class FloatRun:
    """A run in floats with G^2 along it: for tables only."""

    gap: float
    largest_square: float


def float_runs(problem: SlopedParabolas, horizons: tuple[int, ...]) -> dict[int, FloatRun]:
    """The gap F(w_T) - F* without noise and the largest |grad F_k|^2 at a client's point up to T - 1."""
    weights, curvatures = [[float(z) for z in item] for item in (problem.weights, problem.curvatures)]
    slopes, gamma = [float(z) for z in problem.slopes], float(problem.gamma)
    points, largest, found = [float(problem.start)] * len(weights), 0.0, {}
    curvature = sum(p * a for p, a in zip(weights, curvatures, strict=True))
    for t in range(1, max(horizons) + 1):
        mean = sum(p * w for p, w in zip(weights, points, strict=True))
        if t % problem.local_steps == 0:
            points = [mean] * len(weights)
        if t in horizons:
            found[t] = FloatRun(curvature / 2 * mean**2, largest)
        gradients = [a * w + g for a, w, g in zip(curvatures, points, slopes, strict=True)]
        largest = max(largest, *(g**2 for g in gradients))
        points = [w - 2 / (gamma + t) * g for w, g in zip(points, gradients, strict=True)]
    return found


def rational(value: Fraction | int) -> sp.Rational:
    """An exact number for SymPy."""
    return sp.Rational(str(value))


def root(value: Fraction, *, up: bool) -> Fraction:
    """The square root, exact where it is rational, otherwise rounded to 18 digits towards the given side."""
    exact = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    if exact**2 == value:
        return exact
    floor = Fraction(math.isqrt(math.floor(value * DIGITS**2)), DIGITS)
    return floor + Fraction(1, DIGITS) if up else floor


@dataclass(frozen=True)
class KinkedClients:
    """N clients with one loss, ``F' = L w`` for w > 0 and ``mu w`` for w < 0, mu = 1, E = 2, w_1 = w* = 0, T = 4.

    The gradient at t = 2 carries noise +1 or -1, independent across clients, the others are exact.  All clients are in w* up to
    there; then ``|E w_4| = eta_2 eta_3 (L - mu)/2`` for every N, so that averaging over clients does not remove it.
    """

    kappa: Fraction
    gamma: Fraction
    clients: int

    def mean(self) -> Fraction:
        """|E w_4|, by listing both outcomes of a client."""
        eta_2, eta_3 = (2 / (self.gamma + t) for t in (2, 3))
        ends = [w - eta_3 * (self.kappa if w > 0 else ONE) * w for w in (-eta_2, eta_2)]
        return abs(sum(ends, ZERO) / 2)

    def __str__(self) -> str:
        return (
            f"N = {self.clients} clients of equal weight with F' = ({self.kappa}) w for w > 0 and w for w < 0, mu = 1, "
            f"L = {self.kappa}, E = 2, eta_t = 2/({self.gamma} + t), w_1 = w* = 0, noise +1 or -1 at t = 2 only"
        )
