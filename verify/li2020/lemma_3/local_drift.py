"""Exact local runs on the line, for the drift of Lemma 3: E sum_k p_k |wbar_t - w^k_t|^2.

Two equally weighted clients with opposite gradients +G and -G at all their points (linear functions) attain every bound
on the drift that uses only bounded gradients: at step t of a round that began at t0 the drift is
(eta_{t0} + ... + eta_{t-1})^2 G^2.

With exact gradients two quadratics of curvature mu are extremal: started at 0, the clients ``F = mu w^2/2 -+ G w`` move apart
by ``2 (1 - prod_j (1 - eta_j mu)) G/mu``; no two clients with gradients bounded by G at the start of the round move further
(LI-LEM3-S2).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean, pvariance

import sympy as sp

Gradient = Callable[[Fraction], Fraction]
#: Two functions for the reader, and their gradients; of the first two the largest gradient is the first one.
OPPOSITE_MINIMISERS: tuple[str, Sequence[Gradient]] = (
    "F_1 = (w-1)^2/2, F_2 = (w+1)^2/2",
    (lambda w: w - 1, lambda w: w + 1),
)
OPPOSITE_LINEAR: tuple[str, Sequence[Gradient]] = (
    "F_1 = w, F_2 = -w",
    (lambda w: Fraction(1), lambda w: Fraction(-1)),
)


def fedavg_drift(
    gradients: Sequence[Gradient],
    steps: Callable[[int], Fraction],
    local_steps: int,
    *,
    stop: int,
    start: int = 0,
    initial: Fraction = Fraction(0),
) -> list[tuple[int, Fraction, list[Fraction]]]:
    """Plain FedAvg with equal weights on the line: (t, drift, squared gradient of each client), start <= t <= stop.

    Synchronisation happens after step t when t + 1 is a multiple of ``local_steps``.
    """
    points = [initial] * len(gradients)
    history = []
    for t in range(start, stop + 1):
        slopes = [gradient(x) for gradient, x in zip(gradients, points, strict=True)]
        history.append((t, pvariance(points), [slope**2 for slope in slopes]))
        points = [x - steps(t) * slope for x, slope in zip(points, slopes, strict=True)]
        if (t + 1) % local_steps == 0:
            points = [mean(points)] * len(points)
    return history


def drift_and_bound(
    functions: tuple[str, Sequence[Gradient]],
    steps: Sequence[Fraction],
    local_steps: int,
    *,
    constant: Fraction = Fraction(4),
    first_bounded: int = 0,
    start: int = 0,
) -> list[tuple[str, Fraction, Fraction]]:
    """(description, drift, ``constant`` eta_t^2 (E-1)^2 G^2) at start <= t < T of a run from w_start = 0 with these T steps.

    G^2 is the largest squared gradient at ``first_bounded`` <= t < T, the least number that A4 allows if it speaks
    of these steps only.
    """
    words, gradients = functions
    history = fedavg_drift(gradients, steps.__getitem__, local_steps, start=start, stop=len(steps) - 1)
    bound = max((max(squares) for t, _, squares in history if t >= first_bounded), default=Fraction(0))
    text = (
        f"{words}, p = 1/2, w_{start} = 0, E = {local_steps}, eta = ({', '.join(map(str, steps))}), T = {len(steps)}, "
        f"G^2 = {bound} (largest squared gradient at t = {first_bounded}, ..., T - 1)"
    )
    return [
        (f"{text}, t = {t}", drift, constant * steps[t] ** 2 * (local_steps - 1) ** 2 * bound)
        for t, drift, _ in history
    ]


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
