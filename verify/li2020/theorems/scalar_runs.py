"""Exact second moments of FedAvg on one-dimensional quadratics, in rationals, with the constants of Theorems 1 to 3.

The instances on which changed constants of the theorems fail: the run starts at w_1, steps are t = 1, 2, ... with
eta_t = 2/(mu (gamma + shift + t - 1)), clients synchronise when E divides t + 1, and G^2 is the largest exact second moment of
a client's stochastic gradient up to the horizon.  The distance is carried on twice, rounded down and rounded up to 18
digits in every step; the gap comes from the lower run, G^2 from the upper one, so that a violation of the rounded numbers
is one of the exact numbers.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import sympy as sp

from fltheory.theory.li2020 import theorems

DIGITS = 10**18


def rounded(value: Fraction, *, up: bool) -> Fraction:
    """A number rounded to 18 digits towards the given side."""
    return Fraction((math.ceil if up else math.floor)(value * DIGITS), DIGITS)


@dataclass(frozen=True)
class StateOfRun:
    """State of a run at step T: ``distance`` = E|w_T - w*|^2 (from below), ``second_moment`` = G^2 (from above)."""

    horizon: int
    gap: Fraction
    distance: Fraction
    second_moment: Fraction


@dataclass(frozen=True)
class FamilyOfRuns:
    """A family of runs with its description and constants; ``variance`` is V = sum p_k^2 sigma_k^2."""

    words: str
    smoothness: Fraction
    strong_convexity: Fraction
    local_steps: int
    start: Fraction
    variance: Fraction
    points: tuple[StateOfRun, ...]


def along(bound: sp.Expr, run: FamilyOfRuns, sizes: Mapping[sp.Symbol, int]) -> Callable[[StateOfRun], Fraction]:
    """A bound of the theorems at the steps of a run, with the run's own constants and cohorts of these sizes."""
    known = {"L": run.smoothness, "mu": run.strong_convexity, "E": run.local_steps, "V": run.variance, "D1": run.start}
    rest = bound.subs({getattr(theorems, name): value for name, value in {**known, "Gamma": 0}.items()} | dict(sizes))
    parts = sp.fraction(sp.together(sp.cancel(rest)))  # polynomials with whole coefficients
    top, bottom = (sp.lambdify((theorems.T, theorems.G2), part, []) for part in parts)
    return lambda point: Fraction(top(point.horizon, point.second_moment), bottom(point.horizon, point.second_moment))


def one_curvature(
    curvature: int, smoothness: int, start: int, noise: int, *, shift: int = 1, steps: int = 300
) -> FamilyOfRuns:
    """Identical clients F = (curvature/2) w^2, mu = 1, E = 1: gradient descent, with additive noise of total variance V."""
    gamma, a = 8 * smoothness, Fraction(curvature)
    below = above = Fraction(start) ** 2
    largest, points = Fraction(0), []
    for horizon in range(1, steps):
        points.append(StateOfRun(horizon, a / 2 * below, below, largest))
        largest = max(largest, a**2 * above + noise)
        eta = Fraction(2, gamma + shift + horizon - 1)
        below, above = ((1 - eta * a) ** 2 * value + eta**2 * noise for value in (below, above))
        below, above = rounded(below, up=False), rounded(above, up=True)
    words = f"F_k = ({curvature}/2) w^2 for all k, L = {smoothness}, mu = 1, E = 1, w_1 = {start}, V = {noise}"
    large, square, variance = map(Fraction, (smoothness, start**2, noise))
    return FamilyOfRuns(words, large, Fraction(1), 1, square, variance, tuple(points))


def one_of_two(steps: int = 60) -> FamilyOfRuns:
    """F_k = (w -+ 1)^2/2, one of the two clients drawn per round, E = 1, w_1 = 0: the cohort is noise of variance one."""
    words = "N = 2, K = 1, F_k = (w -+ 1)^2/2, E = 1, w_1 = 0, exact gradients"
    return replace(one_curvature(1, 1, 0, 1, steps=steps), words=words, variance=Fraction(0))


def two_curvatures(rounds: int = 4) -> FamilyOfRuns:
    """F_1 = (w-2)^2/2, F_2 = (w+1)^2, E = 2, exact gradients, all clients, from w* = 0: only the drift moves the average."""
    curvatures, centres = (Fraction(1), Fraction(2)), (Fraction(2), Fraction(-1))
    local, largest, points = [Fraction(0)] * 2, Fraction(0), []
    for t in range(1, 2 * rounds + 1):
        if t % 2 == 0 or t == 1:
            w = sum(local, Fraction(0)) / 2
            if t > 1:
                points.append(StateOfRun(t, Fraction(3, 4) * w**2, w**2, largest))
            local = [w, w]
        gradients = [a * (x - m) for a, m, x in zip(curvatures, centres, local, strict=True)]
        largest = max(largest, *(g**2 for g in gradients))
        local = [x - Fraction(2, 16 + t) * g for x, g in zip(local, gradients, strict=True)]
    words = "N = 2, F_1 = (w-2)^2/2, F_2 = (w+1)^2, E = 2, exact gradients, all clients, w_1 = w* = 0"
    return FamilyOfRuns(words, Fraction(2), Fraction(1), 2, Fraction(0), Fraction(0), tuple(points))


def library(shift: int = 1, *, cohorts: bool = False) -> Iterator[FamilyOfRuns]:
    """Instances on which a changed theorem is tried; ``cohorts`` adds those with a random cohort."""
    for curvature, smoothness in ((1, 1), (2, 2), (1, 2)):
        yield one_curvature(curvature, smoothness, 1, 0, shift=shift, steps=30)
    yield one_curvature(1, 1, 0, 1, shift=shift, steps=1500)
    if shift == 1:
        yield two_curvatures()
        if cohorts:
            yield one_of_two()


def first_excess(
    runs: Iterable[FamilyOfRuns],
    bound: Callable[[FamilyOfRuns], Callable[[StateOfRun], Fraction]],
    *,
    sampled: Callable[[FamilyOfRuns], str] = lambda run: "",
    show: Callable[[Fraction], str],
) -> str:
    """The first exact run whose gap exceeds the bound, in words (``sampled`` says how clients are drawn), or nothing."""
    for run in runs:
        at = bound(run)
        for point in run.points:
            value = at(point)
            if point.gap > value:
                words = f"{run.words}{sampled(run)}: at T = {point.horizon}"
                return f"{words} the gap {show(point.gap)} > {show(value)}"
    return ""
