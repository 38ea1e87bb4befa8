"""Pieces of instances that are told by hand: sums, runs, draws, quadratics and vectors of two dimensions.

Times begin with 1; ``past[t]`` is what was drawn at time t; a noise is -1 or 2, with probabilities 2/3 and 1/3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction as Q
from typing import Any

Point = Mapping[str, Any]
At = Callable[[Point], Any]
Vector = tuple[Q, ...]
Function = tuple[Callable[[Vector, Point], Q], Callable[[Vector, Point], Vector]]


def sums(term: Callable[[int], Any], begin: Any = Q(0)) -> tuple[At, At]:
    """What has been added up before a time, and with that time."""
    before = lambda p: begin + sum((term(s) for s in range(1, p["t"])), Q(0))  # noqa: E731
    return before, lambda p: before(p) + term(p["t"])


def run(first: Any, step: Callable[[Any, int], Any]) -> tuple[At, At]:
    """A value from time to time, and the next one."""

    def at(time: int) -> Any:
        found = first
        for t in range(1, time):
            found = step(found, t)
        return found

    return lambda p: at(p["t"]), lambda p: at(p["t"] + 1)


def drawn(p: Point, axis: str = "xi") -> Q:
    """The number drawn, of this client if each has one."""
    found = p[axis]
    return Q(found[p.get("k", 0)] if isinstance(found, tuple) else found)


def parabola(centre: Vector, curvature: Q = Q(1, 2)) -> Function:
    """curvature |x - c|^2/2 and its gradient."""
    away = lambda x: tuple(a - b for a, b in zip(x, centre, strict=True))  # noqa: E731
    return (
        lambda x, p: curvature / 2 * sum((a * a for a in away(x)), Q(0)),
        lambda x, p: tuple(curvature * a for a in away(x)),
    )


def plus(*terms: Vector) -> Vector:
    return tuple(sum(one, Q(0)) for one in zip(*terms, strict=True))


def times(factor: Q, x: Vector) -> Vector:
    return tuple(factor * a for a in x)
