"""Exact runs of the note's algorithms on one-dimensional clients, in rational numbers.

Everything here is an instance that a reader can repeat by hand.  A client's gradient is a line clipped at two
levels, so it is smooth, has bounded gradients everywhere and is bounded below: all assumptions of the theorems hold.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

Noise = Callable[[int, int], Fraction]
Point = tuple[Fraction, ...]

#: The three codes: as printed (gradient at the local point, then averaging inside the same step), the same with
#: the average taken before the gradient, and rounds of K local steps followed by averaging.
CODES = ("printed", "average first", "FedAvg")


@dataclass(frozen=True)
class Clipped:
    """f'(x) = curvature (x - centre), clipped to [-limit, limit]; smallest value 0 at the centre; convex."""

    curvature: Fraction
    centre: Fraction
    limit: Fraction

    def gradient(self, x: Fraction) -> Fraction:
        """Clipped line."""
        return max(-self.limit, min(self.limit, self.curvature * (x - self.centre)))

    def value(self, x: Fraction) -> Fraction:
        """Antiderivative of the clipped line that vanishes at the centre (Huber's function)."""
        distance = abs(x - self.centre)
        if self.curvature * distance <= self.limit:
            return self.curvature * distance**2 / 2
        return self.limit * distance - self.limit**2 / (2 * self.curvature)

    @property
    def breakpoints(self) -> tuple[Fraction, Fraction]:
        """Where clipping starts."""
        return self.centre - self.limit / self.curvature, self.centre + self.limit / self.curvature


def line(centre: int | str, limit: int | str, curvature: int | str = 1) -> Clipped:
    """Clipped line from small numbers."""
    return Clipped(Fraction(curvature), Fraction(centre), Fraction(limit))


#: Two clients of different curvature, whose clipping is far from where short runs go.
DIFFERENT = (line(0, 100), line(100, 1))


def told(
    code: str,
    clients: Sequence[Clipped],
    *,
    step_size: Fraction,
    local_steps: int,
    steps: int,
    start: Fraction = Fraction(0),
    noise: Fraction = Fraction(0),
) -> str:
    """A run in words."""
    each = [f"f_{i}'=clip({c.curvature}(x-{c.centre}),-{c.limit},{c.limit})" for i, c in enumerate(clients, start=1)]
    heard = f", noises +-{noise}" if noise else ""
    return f"{'; '.join(each)}{heard}, s={step_size}, K={local_steps}, {code}, start {start}, {steps} steps"


def mean(values: Sequence[Fraction]) -> Fraction:
    """Arithmetic mean."""
    return sum(values, Fraction(0)) / len(values)


def mean_gradient(clients: Sequence[Clipped], x: Fraction) -> Fraction:
    """f'(x) for f = average of the clients."""
    return mean([c.gradient(x) for c in clients])


def mean_value(clients: Sequence[Clipped], x: Fraction) -> Fraction:
    """f(x) for f = average of the clients."""
    return mean([c.value(x) for c in clients])


def minimum(clients: Sequence[Clipped]) -> Fraction:
    """Smallest value of f: its gradient is nondecreasing and piecewise linear between the breakpoints."""
    knots = sorted({b for c in clients for b in c.breakpoints})
    for low, high in zip(knots, knots[1:], strict=False):
        left, right = mean_gradient(clients, low), mean_gradient(clients, high)
        if left <= 0 <= right:
            root = low if right == left else low - left * (high - low) / (right - left)
            return mean_value(clients, root)
    raise ValueError("the average of the clients has no stationary point between its breakpoints")


def dissimilarity(clients: Sequence[Clipped]) -> Fraction:
    """Largest mean squared distance of client gradients to their mean; convex between breakpoints, so at one."""
    knots = [b for c in clients for b in c.breakpoints]
    return max(mean([(c.gradient(x) - mean_gradient(clients, x)) ** 2 for c in clients]) for x in knots)


def no_noise(step: int, client: int) -> Fraction:
    """Exact gradients."""
    return Fraction(0)


def synchronises(code: str, step: int, local_steps: int) -> bool:
    """Whether the clients' average is taken in this step (steps count from 1)."""
    if code not in CODES:
        raise ValueError(f"code={code!r} is none of {', '.join(CODES)}")
    return (step - 1 if code == "FedAvg" else step) % local_steps == 0


@dataclass(frozen=True)
class RunOfCode:
    """iterates[t] = x_i^t for t = 0..T; points[t-1], gradients[t-1]: where and what step t evaluates; anchors: y."""

    iterates: tuple[Point, ...]
    points: tuple[Point, ...]
    gradients: tuple[Point, ...]
    anchors: tuple[int, ...]

    @cached_property
    def means(self) -> tuple[Fraction, ...]:
        """The averaged iterates."""
        return tuple(mean(x) for x in self.iterates)


def run(
    code: str,
    clients: Sequence[Clipped],
    *,
    step_size: Fraction,
    local_steps: int = 1,
    steps: int,
    start: Fraction = Fraction(0),
    noise: Noise = no_noise,
) -> RunOfCode:
    """Run one of :data:`CODES`; ``anchors[t]`` is the index t0 of the average that the clients restarted from.

    ``noise`` is added to a client's gradient.
    """
    x: Point = tuple(start for _ in clients)
    iterates, points, gradients, anchors = [x], [], [], [0]
    for step in range(1, steps + 1):
        together = synchronises(code, step, local_steps)
        base = (mean(x),) * len(clients) if together else x
        at = x if code == "printed" else base
        g = tuple(c.gradient(p) + noise(step, i) for i, (c, p) in enumerate(zip(clients, at, strict=True)))
        x = tuple(b - step_size * q for b, q in zip(base, g, strict=True))
        iterates.append(x)
        points.append(at)
        gradients.append(g)
        anchors.append(step - 1 if together else anchors[-1])
    return RunOfCode(tuple(iterates), tuple(points), tuple(gradients), tuple(anchors))


def outcomes(code: str, clients: Sequence[Clipped], *, noise: Fraction, steps: int, **words: Any) -> list[RunOfCode]:
    """The equally likely runs with noises +-``noise``, independent over steps and clients; one run if there is none."""
    count = len(clients)
    tables = product((noise, -noise), repeat=steps * count) if noise else [(noise,) * steps * count]
    return [
        run(
            code,
            clients,
            steps=steps,
            noise=lambda step, client, table=table: table[(step - 1) * count + client],
            **words,
        )
        for table in tables
    ]
