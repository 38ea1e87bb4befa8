"""Vectors of the ball reading: a value and its derivatives along directions, each with a radius that holds the truth.

A :class:`Ball` stands for all pairs of a vector ``v`` and a matrix ``T`` of its derivatives along ``D`` directions with
``|v - mid[0]| <= value`` and ``|T - mid[1:]| <= slope`` (Frobenius).  Both radii pass through ``x - eta g(x)`` without growing
where the step contracts: of ``a x + b g(x) + r`` with a gradient asked at ``x`` they are at most ``|a I + b H|`` times those of
``x``, plus those of ``r``, for Hessians ``lower <= H <= upper``.  Therefore a ball remembers ``x``, ``a`` and ``b``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fltheory.kinds import Array, Floats

#: Bounds are computed in floats themselves: this covers a million roundings of them.
SAFE = 1 + 1e-9


@dataclass(frozen=True, eq=False)
class AskedAt:
    """A place at which gradients were asked: the ``serial``-th, with bounds of the Hessians, ``(N,)`` or at the server ``()``."""

    serial: int
    lower: Floats
    upper: Floats


@dataclass(eq=False)
class Ball:
    """One server vector, ``mid`` ``(1 + D, d)``, or one per client, ``(1 + D, N, d)``; radii are ``()`` or ``(N,)``.

    ``anchor``, ``a``, ``b``, ``rest_value`` and ``rest_slope`` write it as ``a x + b g(x) + r``, where there is such an ``x``.
    """

    mid: Floats
    value: Floats
    slope: Floats
    anchor: Ball | None = None
    a: Floats | float = 0.0
    b: Floats | float = 0.0
    rest_value: Floats | float = 0.0
    rest_slope: Floats | float = 0.0
    asked: AskedAt | None = None


def sizes(mid: Array) -> tuple[Floats, Floats]:
    """``|mid[0]|`` and the Frobenius norms of ``mid[1:]``, one per client or one."""
    value = np.linalg.norm(mid[0], axis=-1)
    if len(mid) == 1:
        return value, np.zeros_like(value)
    rest = mid[1:]
    letters = "tnd,tnd->n" if mid.ndim == 3 else "td,td->"
    return value, np.asarray(np.sqrt(np.einsum(letters, rest, rest)))


def anchored(
    mid: Floats, anchor: Ball, a: Floats | float, b: Floats | float, rest: tuple[Floats | float, Floats | float]
) -> Ball:
    """``a x + b g(x) + r`` with ``x = anchor`` and the radii ``rest`` of ``r``."""
    assert anchor.asked is not None  # who made it an anchor asked there
    factor = _norm(a, b, anchor.asked)
    with np.errstate(invalid="ignore"):
        value, slope = (
            np.where(radius == 0, 0.0, factor * radius) + more
            for radius, more in ((anchor.value, rest[0]), (anchor.slope, rest[1]))
        )
    return Ball(mid, value, slope, anchor, a, b, *rest)


def combined(mid: Floats, left: Ball, right: Ball, sign: int, eps: float) -> Ball:
    """``left + sign right`` whose middle is ``mid``; ``eps`` is the rounding of one operation."""
    rounded = tuple(eps * size for size in sizes(mid)) if eps else (0.0, 0.0)
    anchor = _latest(left, right)
    if anchor is None:
        return Ball(mid, left.value + right.value + rounded[0], left.slope + right.slope + rounded[1])
    first, second = _about(left, anchor), _about(right, anchor)
    rest = (first[2] + second[2] + rounded[0], first[3] + second[3] + rounded[1])
    return anchored(mid, anchor, first[0] + sign * second[0], first[1] + sign * second[1], rest)


def multiplied(mid: Floats, ball: Ball, factor: Floats | float, eps: float) -> Ball:
    """``factor`` (a number, or one per client) times a ball; ``mid`` is its middle."""
    size = np.abs(factor)
    # Twice: a factor may be a fraction that is rounded itself.
    rounded = tuple(2 * eps * part for part in sizes(mid)) if eps else (0.0, 0.0)
    anchor = ball if ball.asked is not None else ball.anchor
    if anchor is None:
        return Ball(mid, size * ball.value + rounded[0], size * ball.slope + rounded[1])
    a, b, value, slope = _about(ball, anchor)
    return anchored(mid, anchor, factor * a, factor * b, (size * value + rounded[0], size * slope + rounded[1]))


def _norm(a: Floats | float, b: Floats | float, asked: AskedAt) -> Floats:
    """The largest ``|a + b h|`` for ``lower <= h <= upper``."""
    with np.errstate(invalid="ignore"):
        ends = np.maximum(np.abs(a + b * asked.lower), np.abs(a + b * asked.upper))
    return np.asarray(np.where(np.asarray(b) == 0, np.abs(a), ends) * SAFE)


def _latest(left: Ball, right: Ball) -> Ball | None:
    """The place asked last among those that the two are written about."""
    found = [ball for side in (left, right) for ball in (side if side.asked else None, side.anchor) if ball is not None]
    return max(found, key=lambda ball: ball.asked.serial if ball.asked else -1, default=None)


def _about(ball: Ball, anchor: Ball) -> tuple[Floats | float, Floats | float, Floats | float, Floats | float]:
    """``a``, ``b`` and the radii of the rest of a ball, written about ``anchor``."""
    if ball is anchor:
        return 1.0, 0.0, 0.0, 0.0
    if ball.anchor is anchor:
        return ball.a, ball.b, ball.rest_value, ball.rest_slope
    return 0.0, 0.0, ball.value, ball.slope
