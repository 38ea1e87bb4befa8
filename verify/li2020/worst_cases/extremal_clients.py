"""The extremal clients of a round with exact gradients: two quadratics of curvature mu with opposite gradients.

Started at 0, the clients ``F = mu w^2/2 -+ G w`` move apart by ``2 (1 - prod_j (1 - eta_j mu)) G/mu``: no two clients with
gradients bounded by G at the start of the round move further (LI-LEM3-S2).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from verify.li2020.lemma_3.local_drift import fedavg_drift


@dataclass(frozen=True)
class LocalRun:
    """F_k = mu w^2/2 -+ G w in equal numbers, from 0, where the gradients are -+G; ``slope`` is G."""

    mu: Fraction
    steps: tuple[Fraction, ...]
    slope: Fraction = Fraction(1)

    def spread(self) -> Fraction:
        """sum p|x_k - xbar|^2 after the steps, by running them."""
        gradients = [lambda w: self.mu * w - self.slope, lambda w: self.mu * w + self.slope]
        count = len(self.steps)
        history = fedavg_drift(gradients, lambda t: self.steps[min(t, count - 1)], count + 1, stop=count)
        return history[count][1]

    def distance(self, curvature: Fraction) -> Fraction:
        """(1 - prod (1 - eta_j curvature)) G/curvature; with curvature = mu, how far each client gets."""
        kept = Fraction(1)
        for step in self.steps:
            kept *= 1 - step * curvature
        return (1 - kept) / curvature * self.slope

    def claimed(self, curvature: Fraction) -> Fraction:
        """((1 - prod (1 - eta_j curvature))/curvature)^2 G^2."""
        return self.distance(curvature) ** 2

    def __str__(self) -> str:
        return (
            f"F_1 = ({self.mu}) w^2/2 - w, F_2 = ({self.mu}) w^2/2 + w, p = 1/2, L = 1, w_0 = 0, G^2 = 1, eta = "
            + ", ".join(map(str, self.steps))
        )


def local_runs() -> list[LocalRun]:
    """Constant and falling steps within 1/(4L), several condition numbers."""
    quarter = Fraction(1, 4)
    steps = [(quarter,) * n for n in (1, 4, 9)] + [(quarter, quarter / 2, quarter / 3)]
    return [LocalRun(Fraction(1, k), s) for k in (2, 10, 100) for s in steps]


def next_distance_residual() -> sp.Expr:
    """:meth:`LocalRun.distance` after one more step h of the clients themselves: x + h (G - mu x); vanishes identically.

    ``P`` stands for the product of all earlier ``1 - eta_j mu``.
    """
    P, h, mu, G = sp.symbols("P h mu G")
    x = (1 - P) / mu * G
    return x + h * (G - mu * x) - (1 - P * (1 - h * mu)) / mu * G
