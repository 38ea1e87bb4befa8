"""Step sizes that theorems prescribe and that are no single number."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from fltheory.algorithms.schedules import Harmonic
from fltheory.comparison.setting import GridPoint


def li(setting: GridPoint) -> Harmonic:
    """``2/(mu (gamma + t))``, ``gamma = max(8 L/mu, E)``, first step t = 1 (Theorem 1 of Li et al.)."""
    gamma = max(8 * setting.L / setting.mu, Fraction(setting.local_steps))
    return Harmonic(2 / setting.mu, gamma, first=1)


def stich_shift(setting: GridPoint) -> Fraction:
    """The shift a of Theorem 2.2 of Stich, one above ``max(16 L/mu, E)``."""
    return max(16 * setting.L / setting.mu, Fraction(setting.local_steps)) + 1


def stich(setting: GridPoint) -> Harmonic:
    """``4/(mu (a + t))``, first step t = 0 (Theorem 2.2 of Stich)."""
    return Harmonic(4 / setting.mu, stich_shift(setting), first=0)


SCHEDULES: dict[str, Callable[[GridPoint], Harmonic]] = {"2/(mu (gamma + t))": li, "4/(mu (a + t))": stich}


def rate(schedule: Harmonic) -> Callable[[int], Fraction]:
    """The step at t = 0, 1, ... of a harmonic schedule with rational numbers."""
    return lambda t: Fraction(schedule.beta) / (Fraction(schedule.gamma) + schedule.first + t)
