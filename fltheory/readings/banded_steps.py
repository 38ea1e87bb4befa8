"""Local steps on tridiagonal clients, for many states at once: client by client in the processor's cache.

A coordinate that a client's matrix couples to no other takes all its steps by one factor.  The clients of the counterexample of
Li et al. couple a block of coordinates each, so that their steps together cost as much as those of one client.
"""

from __future__ import annotations

import numpy as np

from fltheory.kinds import Floats
from fltheory.problems.tridiagonal import TridiagonalProblem

#: Numbers of a block of states that is kept in a core's own cache.
BLOCK_NUMBERS = 2**15


def banded_steps(
    problem: TridiagonalProblem, points: Floats, clients: list[int], steps: int, rate: float, shift: Floats | None
) -> Floats:
    """The points ``(runs, slots, d)`` after the steps ``x <- x - rate (A x - b + shift)`` of each slot's client."""
    out = np.empty(points.shape)
    for slot, client in enumerate(clients):
        diagonal, off = problem.diagonals[client], problem.off_diagonals[client]
        target: Floats = problem.vectors[client]
        if shift is not None:
            target = target - shift[:, slot]
        coupled = np.nonzero(off)[0]
        first, last = (int(coupled[0]), int(coupled[-1]) + 2) if len(coupled) else (0, 0)
        for part in (slice(0, first), slice(last, len(diagonal))):
            power, total = _scalar_steps(diagonal[part], rate, steps)
            out[:, slot, part] = power * points[:, slot, part] + total * target[..., part]
        if last:
            inside = slice(first, last)
            moved, pull = points[:, slot, inside], rate * target[..., inside]
            out[:, slot, inside] = _steps(moved, diagonal[inside], off[first : last - 1], pull, rate, steps)
    return out


def _scalar_steps(curvature: Floats, rate: float, steps: int) -> tuple[Floats, Floats]:
    """``(1 - rate a)^E`` and ``rate sum_{i<E} (1 - rate a)^i``, by doubling."""
    one = 1.0 - rate * curvature
    power, total = one, np.full(len(curvature), rate)
    for bit in bin(steps)[3:]:
        total = total + power * total
        power = power * power
        if bit == "1":
            total = one * total + rate
            power = one * power
    return power, total


def _steps(points: Floats, diagonal: Floats, off: Floats, pull: Floats, rate: float, steps: int) -> Floats:
    """``x <- (I - rate A) x + pull`` for states ``(runs, m)``; ``pull`` is ``(m,)`` or ``(runs, m)``."""
    own, beside = 1.0 - rate * diagonal, -rate * off
    out = np.empty(points.shape)
    per = max(1, BLOCK_NUMBERS // len(diagonal))
    for a in range(0, len(points), per):
        here = np.array(points[a : a + per])
        after, product = np.empty_like(here), np.empty_like(here[:, 1:])
        added = pull if pull.ndim == 1 else pull[a : a + per]
        for _ in range(steps):
            np.multiply(own, here, out=after)
            np.multiply(beside, here[:, 1:], out=product)
            after[:, :-1] += product
            np.multiply(beside, here[:, :-1], out=product)
            after[:, 1:] += product
            after += added
            here, after = after, here
        out[a : a + per] = here
    return out
