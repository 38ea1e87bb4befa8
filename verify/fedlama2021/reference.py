"""FedLAMA on few numbers in exact arithmetic, written from the text: Algorithm 1 as Section 4 describes it, step by step.

The clients' models are lists of rationals, a layer is a list of coordinates; ``gradient(i, x)`` is that of client ``i`` at ``x``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fltheory.algorithms.intervals import DEFAULT, intervals

Point = list[Fraction]
Gradient = Callable[[int, Point], Point]
Layers = Sequence[Sequence[int]]


@dataclass(frozen=True)
class LamaRun:
    """What a run leaves behind.

    before : discrepancy of each layer at the end of every round, before the common synchronisation.
    intervals : those that each round used.
    metric : the unit discrepancies with which it ended.
    models : the synchronised model after each round.
    """

    before: list[list[Fraction]]
    intervals: list[tuple[int, ...]]
    metric: list[list[Fraction]]
    models: list[Point]


def mean_of(models: Sequence[Point]) -> Point:
    """The average of the clients' models."""
    return [sum(values, Fraction(0)) / len(models) for values in zip(*models, strict=True)]


def discrepancy(models: Sequence[Point], layer: Sequence[int]) -> Fraction:
    """``(1/m) sum_i |u_l - x_l^i|^2``."""
    centre = mean_of(models)
    return sum(((x[c] - centre[c]) ** 2 for x in models for c in layer), Fraction(0)) / len(models)


def fedlama(
    gradient: Gradient,
    clients: int,
    start: Point,
    layers: Layers,
    *,
    base: int,
    factor: int,
    step: Fraction,
    rounds: int,
    rule: str | None = DEFAULT,
    first: Sequence[int] = (),
) -> LamaRun:
    """Steps j = 1..phi tau'; after step j the layers with ``j mod tau_l = 0`` are averaged and measured; then "
    "Algorithm 2.

    Without a rule the intervals stay as they are; the first ones are ``tau'`` unless they are given.
    """
    models = [list(start) for _ in range(clients)]
    every = tuple(first) or (base,) * len(layers)
    run = LamaRun([], [], [], [])
    for _ in range(rounds):
        metric = [Fraction(0)] * len(layers)
        run.intervals.append(every)
        for j in range(1, factor * base + 1):
            models = [[a - step * g for a, g in zip(x, gradient(i, x), strict=True)] for i, x in enumerate(models)]
            if j == factor * base:
                run.before.append([discrepancy(models, layer) for layer in layers])
            centre = mean_of(models)
            for number, layer in enumerate(layers):
                if j % every[number] == 0:
                    metric[number] = discrepancy(models, layer) / (every[number] * len(layer))
                    for x, c in ((x, c) for x in models for c in layer):
                        x[c] = centre[c]
        run.metric.append(metric)
        run.models.append(mean_of(models))
        if rule is not None:
            every = intervals(metric, [len(layer) for layer in layers], base, factor, rule)
    return run


def opposed(slopes: Sequence[Fraction]) -> Gradient:
    """Two clients with linear losses, slopes and their negatives."""
    return lambda i, x: [Fraction(s) * (1 - 2 * i) for s in slopes]


def quadratics(curvatures: Sequence[Fraction], minimisers: Sequence[Fraction]) -> Gradient:
    """Clients with losses ``h_i (x - c_i)^2/2`` of one number."""
    return lambda i, x: [Fraction(curvatures[i]) * (x[0] - Fraction(minimisers[i]))]
