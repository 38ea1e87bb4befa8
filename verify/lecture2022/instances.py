"""Exactly evaluated instances on which the average-gradient bounds of Theorems 1 and 3 are tried."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from fltheory.theory.lecture2022 import bounds
from fltheory.theory.lecture2022.vocabulary import LectureBound
from fltheory.theory.steps import Instance
from fltheory.theory.values import exact_value
from verify.lecture2022.runs import (
    Clipped,
    dissimilarity,
    line,
    mean,
    mean_gradient,
    mean_value,
    minimum,
    outcomes,
    told,
)

ONE, ZERO = Fraction(1), Fraction(0)


@dataclass(frozen=True)
class InstanceOfAssumptions:
    """An instance of the assumptions, with the exact average of E|grad f(xbar^{t-1})|^2 over t = 1..T."""

    text: str
    average_gradient: Fraction
    gap: Fraction
    step_size: Fraction
    steps: int
    local_steps: int = 1
    n_clients: int = 2
    smoothness: Fraction = ONE
    second_moment: Fraction = ONE
    variance: Fraction = ZERO
    dissimilarity: Fraction = ZERO

    def evaluate(self, right: sp.Expr) -> Fraction:
        """The bound at this instance (it contains G, sigma and sigma_G only through their squares)."""
        numbers = {
            bounds.s: self.step_size,
            bounds.T: self.steps,
            bounds.K: self.local_steps,
            bounds.N: self.n_clients,
            bounds.L: self.smoothness,
            bounds.gap: self.gap,
        }
        squares = {bounds.G: self.second_moment, bounds.sigma: self.variance, bounds.sigma_G: self.dissimilarity}
        return exact_value(right, numbers | {symbol: sp.sqrt(square) for symbol, square in squares.items()})

    def instance(self, right: sp.Expr) -> Instance:
        """Left and right side at this instance."""
        return Instance(self.text, self.average_gradient, self.evaluate(right))

    @property
    def short_intervals(self) -> bool:
        """K <= 1/(6 L s)."""
        return 6 * self.smoothness * self.step_size * self.local_steps <= 1


def scaled(bound: LectureBound, factors: Mapping[sp.Symbol, str]) -> LectureBound:
    """The bound with other factors at what it is linear in: the gap, or the square of any other symbol."""
    values = {symbol: sp.Rational(factor) for symbol, factor in factors.items()}
    changes = {symbol: symbol * (value if symbol == bounds.gap else sp.sqrt(value)) for symbol, value in values.items()}
    return replace(bound, expression=bound.expression.subs(changes))


@cache
def on_runs(
    code: str,
    clients: Sequence[Clipped],
    step_size: Fraction,
    steps: int,
    start: Fraction,
    *,
    local_steps: int = 1,
    noise: Fraction = ZERO,
    periods: int = 1,
) -> InstanceOfAssumptions:
    """From the runs with all outcomes of the noises; a run that returns to its start may be repeated for ``periods``."""
    words: dict[str, Any] = dict(step_size=step_size, local_steps=local_steps, steps=steps, start=start)
    paths = [one.means for one in outcomes(code, clients, noise=noise, **words)]
    if periods > 1 and paths[0][-1] != start:
        raise ValueError(f"the run does not return to start={start} after {steps} steps")
    limit = max(c.limit for c in clients)
    return InstanceOfAssumptions(
        told(code, clients, noise=noise, **words | {"steps": steps * periods}),
        mean([mean_gradient(clients, x) ** 2 for path in paths for x in path[:-1]]),
        mean_value(clients, start) - minimum(clients),
        step_size,
        steps * periods,
        local_steps,
        len(clients),
        max(c.curvature for c in clients),
        limit**2 + noise**2,
        noise**2,
        dissimilarity(clients),
    )


def on_a_clipped_line(step_size: Fraction, steps: int, start: Fraction, n_clients: int = 1) -> InstanceOfAssumptions:
    """Equal clients f' = clip(x, -1, 1) without noise, K = 1."""
    return on_runs("FedAvg", (line(0, 1),) * n_clients, step_size, steps, start)


def slope() -> InstanceOfAssumptions:
    """One client, f' = clip(x, -1, 1), started so far out that all T gradients equal 1."""
    return on_a_clipped_line(Fraction(1, 100), 10_000, Fraction(101))


def two_clients(code: str, local_steps: int, step_size: Fraction) -> InstanceOfAssumptions:
    """A curved and a linear client, no noise: the drift keeps the average away from the minimiser.

    f_1' = x, clipped far out, and f_2' = -1 up to x = 99.  Rounds of FedAvg are started in their fixed point and repeated 10^6
    times; the printed code is run 400 steps.
    """
    if code == "FedAvg":
        point = step_size * local_steps / (1 - (1 - step_size) ** local_steps)
        pair, run_of = (Clipped(ONE, ZERO, max(point, ONE)), line(100, 1)), (local_steps, point)
        return on_runs(code, pair, step_size, *run_of, local_steps=local_steps, periods=10**6)
    pair = Clipped(ONE, ZERO, 1 + 2 * step_size * local_steps), line(100, 1)
    return on_runs(code, pair, step_size, 400, 1 + step_size, local_steps=local_steps)


def common_noise(n_clients: int = 100) -> InstanceOfAssumptions:
    """Identical clients f' = clip(x,-1,1), one noise +-1 shared by all of them: averaging does not reduce it.

    Started in 0 the average x <- (1-s) x - s n stays in [-1, 1].
    """
    step_size, steps, moment, total = Fraction(1, 64), 300, ZERO, ZERO
    for _ in range(steps):
        total += moment
        moment = (1 - step_size) ** 2 * moment + step_size**2
    return InstanceOfAssumptions(
        f"{n_clients} equal clients f'=clip(x,-1,1) with one shared noise +-1, s={step_size}, K=1, T={steps}, start 0",
        total / steps,
        ZERO,
        step_size,
        steps,
        n_clients=n_clients,
        second_moment=Fraction(2),
        variance=ONE,
    )


def noisy_pair(code: str, local_steps: int) -> InstanceOfAssumptions:
    """Two different clients with independent noises +-1 over three steps, all 64 outcomes enumerated."""
    pair = line(0, 1), line(2, 1, "1/2")
    return on_runs(code, pair, Fraction(1, 8), 3, -ONE, local_steps=local_steps, noise=ONE)


def settings(code: str, *, shared_noise: bool = False) -> list[InstanceOfAssumptions]:
    """The instances for one code; the one with shared noise only when independence is not assumed."""
    several = [slope(), noisy_pair(code, 1), noisy_pair(code, 2)]
    if code == "printed":
        several += [two_clients(code, 1, Fraction(1, 16)), two_clients(code, 3, Fraction(1, 32))]
    else:
        several += [two_clients(code, 2, Fraction(1, 16)), two_clients(code, 64, Fraction(1, 512))]
    return several + ([common_noise()] if shared_noise else [])
