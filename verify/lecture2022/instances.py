"""Exactly evaluated instances on which the average-gradient bounds of Theorems 1 and 3 are tried."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

import sympy as sp

from fltheory.theory.lecture2022 import bounds
from fltheory.theory.lecture2022.vocabulary import LectureBound
from fltheory.theory.steps import Instance
from fltheory.theory.values import exact_value
from verify.lecture2022.runs import Clipped, dissimilarity, mean, mean_gradient, mean_value, minimum, run, sign_noises

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


def slope() -> InstanceOfAssumptions:
    """One client, f' = clip(x, -1, 1), started so far out that all T gradients equal 1."""
    step_size, steps = Fraction(1, 100), 10_000
    start = 1 + step_size * steps
    return InstanceOfAssumptions(
        f"N=1, K=1, f'=clip(x,-1,1), s={step_size}, T={steps}, start {start}: every gradient is 1",
        ONE,
        mean_value([Clipped(ONE, ZERO, ONE)], start),
        step_size,
        steps,
        n_clients=1,
    )


def on_a_clipped_line(
    text: str, step_size: Fraction, steps: int, start: Fraction, n_clients: int = 1
) -> InstanceOfAssumptions:
    """Equal clients f' = clip(x, -1, 1) without noise, K = 1."""
    client = Clipped(ONE, ZERO, ONE)
    path = run("FedAvg", [client] * n_clients, step_size=step_size, steps=steps, start=start).means[:-1]
    average = mean([client.gradient(x) ** 2 for x in path])
    return InstanceOfAssumptions(text, average, client.value(start), step_size, steps, n_clients=n_clients)


def pair(limit: Fraction) -> tuple[Clipped, Clipped]:
    """f_1' = clip(x, -limit, limit) and f_2' = -1 up to x = 99 (then clip(x - 100, -1, 1))."""
    return Clipped(ONE, ZERO, limit), Clipped(ONE, Fraction(100), ONE)


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
        second_moment=limit**2,
        dissimilarity=dissimilarity(clients),
    )


def two_clients(code: str, local_steps: int, step_size: Fraction) -> InstanceOfAssumptions:
    """A curved and a linear client, no noise: the drift keeps the average away from the minimiser.

    Rounds of FedAvg are started in their fixed point and repeated 10^6 times; the printed code is run 400 steps.
    """
    if code == "FedAvg":
        point = step_size * local_steps / (1 - (1 - step_size) ** local_steps)
        text = f"f_1'=x (clipped at its start), f_2'=-1, s={step_size}, K={local_steps}, start in the fixed point"
        clients = pair(max(point, ONE))
        return _deterministic(text, code, clients, step_size, local_steps, local_steps, point, periods=10**6)
    text = f"f_1'=x (clipped), f_2'=-1, s={step_size}, K={local_steps}, start 1+s, T=400"
    return _deterministic(text, code, pair(1 + 2 * step_size * local_steps), step_size, local_steps, 400, 1 + step_size)


def common_noise(n_clients: int = 100) -> InstanceOfAssumptions:
    """Identical clients f' = clip(x,-1,1), one noise +-1 shared by all of them: averaging does not reduce it."""
    step_size, steps = Fraction(1, 64), 300
    return InstanceOfAssumptions(
        f"{n_clients} equal clients f'=clip(x,-1,1) with one shared noise +-1, s={step_size}, K=1, T={steps}, start 0",
        _chain(step_size, steps),
        ZERO,
        step_size,
        steps,
        n_clients=n_clients,
        second_moment=Fraction(2),
        variance=ONE,
    )


def drawn(cohort: int) -> InstanceOfAssumptions:
    """f_1' = x-1, f_2' = x+1 (clipped at 2), ``cohort`` of the two drawn per step: with one, a noise sigma misses."""
    step_size, steps = Fraction(1, 64), 300
    shifts = [mean(chosen) for chosen in combinations((ONE, -ONE), cohort)]
    return InstanceOfAssumptions(
        f"f_1'=x-1, f_2'=x+1 clipped at 2, no noise, {cohort} of 2 clients drawn per step, s={step_size}, K=1, "
        f"T={steps}, start 0",
        _chain(step_size, steps, mean([shift**2 for shift in shifts])),
        ZERO,
        step_size,
        steps,
        second_moment=Fraction(4),
        dissimilarity=ONE,
    )


def _chain(step_size: Fraction, steps: int, variance: Fraction = ONE) -> Fraction:
    """Average of E x_t^2, t < steps, for x <- (1-s) x - s n with E n = 0, |n| <= 1, started in 0 (stays in [-1, 1])."""
    moment, total = ZERO, ZERO
    for _ in range(steps):
        total += moment
        moment = (1 - step_size) ** 2 * moment + step_size**2 * variance
    return total / steps


def noisy_pair(code: str, local_steps: int) -> InstanceOfAssumptions:
    """Two different clients with independent noises +-1 over three steps, all 64 outcomes enumerated."""
    clients = (Clipped(ONE, ZERO, ONE), Clipped(ONE / 2, Fraction(2), ONE))
    step_size, steps, start = Fraction(1, 8), 3, -ONE
    words = dict(step_size=step_size, local_steps=local_steps, steps=steps, start=start)
    paths = [run(code, clients, noise=noise, **words).means[:-1] for noise in sign_noises(2, steps, ONE)]
    return InstanceOfAssumptions(
        f"f_1'=clip(x,-1,1), f_2'=clip((x-2)/2,-1,1), noises +-1, s={step_size}, K={local_steps}, T={steps}, start -1",
        mean([mean_gradient(clients, x) ** 2 for path in paths for x in path]),
        mean_value(clients, start) - minimum(clients),
        step_size,
        steps,
        local_steps,
        second_moment=Fraction(2),
        variance=ONE,
        dissimilarity=dissimilarity(clients),
    )


def settings(code: str, *, shared_noise: bool = False) -> list[InstanceOfAssumptions]:
    """The instances for one code; the one with shared noise only when independence is not assumed."""
    several = [slope(), noisy_pair(code, 1), noisy_pair(code, 2)]
    if code == "printed":
        several += [two_clients(code, 1, Fraction(1, 16)), two_clients(code, 3, Fraction(1, 32))]
    else:
        several += [two_clients(code, 2, Fraction(1, 16)), two_clients(code, 64, Fraction(1, 512))]
    return several + ([common_noise()] if shared_noise else [])
