"""Exact expectations of everything that one step of the proof of Theorem 1 mentions, on small instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from fltheory.theory.lecture2022 import bounds
from fltheory.theory.steps import Instance
from fltheory.theory.values import exact_value
from verify.lecture2022.runs import Clipped, mean, mean_gradient, mean_value, no_noise, run, sign_noises


@dataclass(frozen=True)
class OneStep:
    """Expectations at step t: values of f, squared gradients (A, B, D of the bounds), and the instance's constants."""

    text: str
    before: Fraction
    after: Fraction
    at_mean: Fraction
    at_clients: Fraction
    difference: Fraction
    step_size: Fraction
    local_steps: int
    n_clients: int
    smoothness: Fraction
    second_moment: Fraction
    variance: Fraction

    def evaluate(self, expression: sp.Expr) -> Fraction:
        """A bound in the symbols of :mod:`fltheory.theory.lecture2022.bounds` at this instance."""
        values = {
            bounds.before: self.before,
            bounds.after: self.after,
            bounds.square_a: self.at_mean,
            bounds.square_b: self.at_clients,
            bounds.square_ab: self.difference,
            bounds.s: self.step_size,
            bounds.L: self.smoothness,
            bounds.K: self.local_steps,
            bounds.N: self.n_clients,
        }
        roots = {bounds.G: sp.sqrt(self.second_moment), bounds.sigma: sp.sqrt(self.variance)}
        return exact_value(expression, values | roots)

    def instance(self, left: sp.Expr, right: sp.Expr) -> Instance:
        """``left <= right`` at this instance."""
        return Instance(self.text, self.evaluate(left), self.evaluate(right))


def one_step(
    text: str,
    code: str,
    clients: Sequence[Clipped],
    step_size: Fraction,
    *,
    local_steps: int = 1,
    step: int = 1,
    start: Fraction = Fraction(0),
    noise: Fraction = Fraction(0),
) -> OneStep:
    """Enumerate all signs of the noise (+-noise per client and step) up to the given step."""
    tables = list(sign_noises(len(clients), step, noise)) if noise else [no_noise]
    histories = [
        run(code, clients, step_size=step_size, local_steps=local_steps, steps=step, start=start, noise=table)
        for table in tables
    ]

    at_mean = [mean_gradient(clients, h.means[-2]) for h in histories]
    at_clients = [mean([c.gradient(x) for c, x in zip(clients, h.points[-1], strict=True)]) for h in histories]
    limit = max(c.limit for c in clients)
    return OneStep(
        text,
        mean([mean_value(clients, h.means[-2]) for h in histories]),
        mean([mean_value(clients, h.means[-1]) for h in histories]),
        mean([a**2 for a in at_mean]),
        mean([b**2 for b in at_clients]),
        mean([(a - b) ** 2 for a, b in zip(at_mean, at_clients, strict=True)]),
        step_size,
        local_steps,
        len(clients),
        max(c.curvature for c in clients),
        limit**2 + noise**2,
        noise**2,
    )


def line(centre: int | str, limit: int | str, curvature: int | str = 1) -> Clipped:
    """Clipped line from small numbers."""
    return Clipped(Fraction(curvature), Fraction(centre), Fraction(limit))


def steps_of_runs() -> list[OneStep]:
    """Steps of short runs under the assumptions: one and two clients, both codes, with and without noise."""
    single, flat, pair = line(0, 4), (line(0, 1), line(0, 0)), (line(0, 4), line(2, 1, "1/2"))
    one, half, eighth = Fraction(1), Fraction(1, 2), Fraction(1, 8)
    text = "one client f'=clip(x,-4,4), x=0, noise +-2, s=1/2"
    small = "one client f'=clip(x,-1/8,1/8), x=0, noise +-1, s=1/8"
    printed = "f_1'=clip(x,-1,1), f_2'=0, s=1/64, K=1, printed code, start 1, second step"
    curved = "f_1'=clip(x,-5/4,5/4), f_2'=clip(x-3,-1,1), s=1/8, K=1, printed code, start 9/8, second step"
    rounds = "f_1'=clip(x,-1,1), f_2'=0, s=1/256, K=2, average first, start 1, second step"
    noisy = "f_1'=clip(x,-4,4), f_2'=clip((x-2)/2,-1,1), noises +-1, s=1/2"
    last = dict(step=3, start=-one, noise=one)
    return [
        one_step(text, "FedAvg", [single], half, noise=2 * one),
        one_step(small, "FedAvg", [line(0, "1/8")], eighth, noise=one),
        one_step(printed, "printed", flat, Fraction(1, 64), step=2, start=one),
        one_step(curved, "printed", [line(0, "5/4"), line(3, 1)], eighth, step=2, start=9 * eighth),
        one_step(rounds, "FedAvg", flat, Fraction(1, 256), local_steps=2, step=2, start=one),
        *(
            one_step(f"{noisy}, K={k}, {code}, start -1, step 3", code, pair, half, local_steps=k, **last)
            for k in (1, 2)
            for code in ("printed", "FedAvg")
        ),
    ]
