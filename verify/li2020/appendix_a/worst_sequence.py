"""The recursion (13) of Li et al. (2020) run with equality, in exact arithmetic: the worst sequence that it allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Recursion:
    """Delta_{t+1} = max(0, (1 - eta_t mu) Delta_t + eta_t^2 B) from t = 1 on, with eta_t = beta/(t + gamma)."""

    beta: Fraction
    gamma: Fraction
    mu: Fraction
    B: Fraction
    Delta_1: Fraction

    def run(self, stop: int) -> Iterable[tuple[int, Fraction]]:
        """(t, Delta_t) for t = 1, ..., stop."""
        value = self.Delta_1
        for t in range(1, stop + 1):
            yield t, value
            step = self.beta / (t + self.gamma)
            value = max(Fraction(0), (1 - step * self.mu) * value + step**2 * self.B)

    def describe(self) -> str:
        """The constants."""
        constants = f"mu = {self.mu}, beta = {self.beta}, gamma = {self.gamma}, B = {self.B}, Delta_1 = {self.Delta_1}"
        return f"(13) with equality, {constants}"
