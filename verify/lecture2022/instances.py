"""Exactly evaluated instances on which the average-gradient bounds of Theorems 1 and 3 are tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import sympy as sp

from fltheory.theory.lecture2022 import bounds
from fltheory.theory.steps import Instance
from verify.lecture2022.runs import (
    Clipped,
    Noise,
    dissimilarity,
    expectation_over,
    mean,
    mean_gradient,
    mean_value,
    minimum,
    run,
    sign_noises,
)

ONE = Fraction(1)


def rational(value: Fraction) -> sp.Rational:
    """The same number in sympy."""
    return sp.Rational(value.numerator, value.denominator)


@dataclass(frozen=True)
class InstanceOfAssumptions:
    """An instance of the assumptions, with the exact average of E|grad f(xbar^{t-1})|^2 over t = 1..T."""

    text: str
    average_gradient: Fraction
    gap: Fraction
    step_size: Fraction
    steps: int
    local_steps: int
    n_clients: int
    smoothness: Fraction
    second_moment: Fraction
    variance: Fraction
    dissimilarity: Fraction

    def evaluate(self, right: sp.Expr) -> Fraction:
        """The bound at this instance (it contains G, sigma and sigma_G only through their squares)."""
        value = right.subs(
            {
                bounds.s: rational(self.step_size),
                bounds.T: self.steps,
                bounds.K: self.local_steps,
                bounds.N: self.n_clients,
                bounds.L: rational(self.smoothness),
                bounds.gap: rational(self.gap),
                bounds.G: sp.sqrt(rational(self.second_moment)),
                bounds.sigma: sp.sqrt(rational(self.variance)),
                bounds.sigma_G: sp.sqrt(rational(self.dissimilarity)),
            }
        )
        exact = sp.Rational(value)
        return Fraction(int(exact.p), int(exact.q))

    def instance(self, right: sp.Expr) -> Instance:
        """Left and right side at this instance."""
        return Instance(self.text, self.average_gradient, self.evaluate(right))

    @property
    def short_intervals(self) -> bool:
        """K <= 1/(6 L s)."""
        return 6 * self.smoothness * self.step_size * self.local_steps <= 1


def slope() -> InstanceOfAssumptions:
    """One client, f' = clip(x, -1, 1), started so far out that all T gradients equal 1."""
    step_size, steps = Fraction(1, 100), 10_000
    start = 1 + step_size * steps
    return InstanceOfAssumptions(
        f"N=1, K=1, f'=clip(x,-1,1), s={step_size}, T={steps}, start {start}: every gradient is 1",
        ONE,
        mean_value([Clipped(ONE, Fraction(0), ONE)], start),
        step_size,
        steps,
        1,
        1,
        ONE,
        ONE,
        Fraction(0),
        Fraction(0),
    )


def pair(limit: Fraction) -> tuple[Clipped, Clipped]:
    """f_1' = clip(x, -limit, limit) and f_2' = -1 up to x = 99 (then clip(x - 100, -1, 1))."""
    return Clipped(ONE, Fraction(0), limit), Clipped(ONE, Fraction(100), ONE)


def _deterministic(
    text: str,
    code: str,
    clients: Sequence[Clipped],
    step_size: Fraction,
    local_steps: int,
    steps: int,
    start: Fraction,
    *,
    periods: int = 1,
) -> InstanceOfAssumptions:
    """A setting from a run without noise; a run that returns to its start may be repeated for ``periods``."""
    history = run(code, clients, step_size=step_size, local_steps=local_steps, steps=steps, start=start)
    if periods > 1 and history.means[-1] != start:
        raise ValueError(f"the run does not return to start={start} after {steps} steps")
    limit = max(c.limit for c in clients)
    return InstanceOfAssumptions(
        text,
        mean([mean_gradient(clients, x) ** 2 for x in history.means[:-1]]),
        mean_value(clients, start) - minimum(clients),
        step_size,
        steps * periods,
        local_steps,
        len(clients),
        max(c.curvature for c in clients),
        limit**2,
        Fraction(0),
        dissimilarity(clients),
    )


def two_clients(code: str, local_steps: int, step_size: Fraction) -> InstanceOfAssumptions:
    """A curved and a linear client, no noise: the drift keeps the average away from the minimiser.

    Rounds of FedAvg are started in their fixed point and repeated 10^6 times; the printed code is run 400 steps.
    """
    if code == "FedAvg":
        point = step_size * local_steps / (1 - (1 - step_size) ** local_steps)
        text = f"f_1'=x (clipped at its start), f_2'=-1, s={step_size}, K={local_steps}, start in the fixed point"
        return _deterministic(
            text, code, pair(max(point, ONE)), step_size, local_steps, local_steps, point, periods=10**6
        )
    text = f"f_1'=x (clipped), f_2'=-1, s={step_size}, K={local_steps}, start 1+s, T=400"
    return _deterministic(text, code, pair(1 + 2 * step_size * local_steps), step_size, local_steps, 400, 1 + step_size)


def common_noise(n_clients: int = 100) -> InstanceOfAssumptions:
    """Identical clients f' = clip(x,-1,1), one noise +-1 shared by all of them: averaging does not reduce it."""
    step_size, steps = Fraction(1, 64), 300
    return InstanceOfAssumptions(
        f"{n_clients} equal clients f'=clip(x,-1,1) with one shared noise +-1, s={step_size}, K=1, T={steps}, start 0",
        _chain(step_size, steps),
        Fraction(0),
        step_size,
        steps,
        1,
        n_clients,
        ONE,
        Fraction(2),
        ONE,
        Fraction(0),
    )


def drawn(cohort: int) -> InstanceOfAssumptions:
    """f_1' = x-1, f_2' = x+1 (clipped at 2), ``cohort`` of the two drawn per step: with one, a noise sigma misses."""
    step_size, steps = Fraction(1, 64), 300
    shifts = [mean(chosen) for chosen in combinations((ONE, -ONE), cohort)]
    return InstanceOfAssumptions(
        f"f_1'=x-1, f_2'=x+1 clipped at 2, no noise, {cohort} of 2 clients drawn per step, s={step_size}, K=1, "
        f"T={steps}, start 0",
        _chain(step_size, steps, mean([shift**2 for shift in shifts])),
        Fraction(0),
        step_size,
        steps,
        1,
        2,
        ONE,
        Fraction(4),
        Fraction(0),
        ONE,
    )


def _chain(step_size: Fraction, steps: int, variance: Fraction = ONE) -> Fraction:
    """Average of E x_t^2, t < steps, for x <- (1-s) x - s n with E n = 0, |n| <= 1, started in 0 (stays in [-1, 1])."""
    moment, total = Fraction(0), Fraction(0)
    for _ in range(steps):
        total += moment
        moment = (1 - step_size) ** 2 * moment + step_size**2 * variance
    return total / steps


def noisy_pair(code: str, local_steps: int) -> InstanceOfAssumptions:
    """Two different clients with independent noises +-1 over three steps, all 64 outcomes enumerated."""
    clients = (Clipped(ONE, Fraction(0), ONE), Clipped(ONE / 2, Fraction(2), ONE))
    step_size, steps, start = Fraction(1, 8), 3, Fraction(-1)

    def average(noise: Noise) -> Fraction:
        history = run(
            code, clients, step_size=step_size, local_steps=local_steps, steps=steps, start=start, noise=noise
        )
        return mean([mean_gradient(clients, x) ** 2 for x in history.means[:-1]])

    return InstanceOfAssumptions(
        f"f_1'=clip(x,-1,1), f_2'=clip((x-2)/2,-1,1), noises +-1, s={step_size}, K={local_steps}, T={steps}, start -1",
        expectation_over(list(sign_noises(2, steps, ONE)), average),
        mean_value(clients, start) - minimum(clients),
        step_size,
        steps,
        local_steps,
        2,
        ONE,
        Fraction(2),
        ONE,
        dissimilarity(clients),
    )


def settings(code: str, *, shared_noise: bool = False) -> list[InstanceOfAssumptions]:
    """The instances for one code; the one with shared noise only when independence is not assumed."""
    several = [slope(), noisy_pair(code, 1), noisy_pair(code, 2)]
    if code == "printed":
        several += [two_clients(code, 1, Fraction(1, 16)), two_clients(code, 3, Fraction(1, 32))]
    else:
        several += [two_clients(code, 2, Fraction(1, 16)), two_clients(code, 64, Fraction(1, 512))]
    return several + ([common_noise()] if shared_noise else [])
