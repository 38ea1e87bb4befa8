"""Exact local runs on the line, for the drift of Lemma 3: E sum_k p_k |wbar_t - w^k_t|^2.

Two equally weighted clients with opposite gradients +G and -G at all their points (linear functions) attain every bound
on the drift that uses only bounded gradients: at step t of a round that began at t0 the drift is
(eta_{t0} + ... + eta_{t-1})^2 G^2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Steps:
    """A sequence of step sizes: ``head`` and then ``tail`` for ever, periodically."""

    head: tuple[Fraction, ...]
    tail: tuple[Fraction, ...]

    def __call__(self, t: int) -> Fraction:
        if t < len(self.head):
            return self.head[t]
        return self.tail[(t - len(self.head)) % len(self.tail)]

    @property
    def horizon(self) -> int:
        """Number of steps after which nothing new happens."""
        return len(self.head) + len(self.tail)

    def non_increasing(self) -> bool:
        """eta_{t+1} <= eta_t for all t."""
        return all(self(t + 1) <= self(t) for t in range(self.horizon + 1))

    def halving(self, local_steps: int, ratio: Fraction) -> bool:
        """eta_t <= ratio * eta_{t+E} for all t."""
        return all(self(t) <= ratio * self(t + local_steps) for t in range(self.horizon + local_steps))

    def __str__(self) -> str:
        return f"eta = ({', '.join(map(str, self.head))}, then repeating {', '.join(map(str, self.tail))})"


def fedavg_drift(
    gradients: Sequence[Callable[[Fraction], Fraction]],
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
    n = len(gradients)
    points = [initial] * n
    history = []
    for t in range(start, stop + 1):
        mean = sum(points, Fraction(0)) / n
        slopes = [gradient(x) for gradient, x in zip(gradients, points, strict=True)]
        history.append((t, sum(((x - mean) ** 2 for x in points), Fraction(0)) / n, [slope**2 for slope in slopes]))
        points = [x - steps(t) * slope for x, slope in zip(points, slopes, strict=True)]
        if (t + 1) % local_steps == 0:
            points = [sum(points, Fraction(0)) / n] * n
    return history


def opposite_linear(size: Fraction = Fraction(1)) -> list[Callable[[Fraction], Fraction]]:
    """Gradients of F_1 = G w and F_2 = -G w."""
    return [lambda w: size, lambda w: -size]
