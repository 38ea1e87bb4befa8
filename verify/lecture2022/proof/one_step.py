"""Exact expectations of everything that one step of the proof of Theorem 1 mentions, on small instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from fltheory.theory.lecture2022 import bounds
from fltheory.theory.steps import Instance
from verify.lecture2022.runs import Clipped, expectation_over, mean, mean_gradient, mean_value, run, sign_noises


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
        names = {
            bounds.before: self.before,
            bounds.after: self.after,
            bounds.square_a: self.at_mean,
            bounds.square_b: self.at_clients,
            bounds.square_ab: self.difference,
            bounds.s: self.step_size,
            bounds.L: self.smoothness,
        }
        values = {symbol: sp.Rational(v.numerator, v.denominator) for symbol, v in names.items()}
        values |= {bounds.K: sp.Integer(self.local_steps), bounds.N: sp.Integer(self.n_clients)}
        for symbol, square in ((bounds.G, self.second_moment), (bounds.sigma, self.variance)):
            values[symbol] = sp.sqrt(sp.Rational(square.numerator, square.denominator))
        exact = sp.Rational(sp.sympify(expression).subs(values))
        return Fraction(int(exact.p), int(exact.q))

    def instance(self, left: sp.Expr, right: sp.Expr) -> Instance:
        """``left <= right`` at this instance."""
        return Instance(self.text, self.evaluate(left), self.evaluate(right))


def one_step(
    text: str,
    code: str,
    clients: Sequence[Clipped],
    *,
    step_size: Fraction,
    local_steps: int,
    step: int,
    start: Fraction,
    noise: Fraction = Fraction(0),
    shared: bool = False,
) -> OneStep:
    """Enumerate all signs of the noise (+-noise per client and step) up to the given step."""
    tables = list(sign_noises(len(clients), step, noise, shared=shared)) if noise else [lambda t, i: Fraction(0)]
    histories = [
        run(code, clients, step_size=step_size, local_steps=local_steps, steps=step, start=start, noise=table)
        for table in tables
    ]

    def average(quantity: object) -> Fraction:
        return expectation_over(histories, quantity)  # type: ignore[arg-type]

    def at_clients(history: object) -> Fraction:
        points = history.points[-1]  # type: ignore[attr-defined]
        return mean([c.gradient(x) for c, x in zip(clients, points, strict=True)])

    limit = max(c.limit for c in clients)
    return OneStep(
        text,
        average(lambda h: mean_value(clients, h.means[-2])),
        average(lambda h: mean_value(clients, h.means[-1])),
        average(lambda h: mean_gradient(clients, h.means[-2]) ** 2),
        average(lambda h: at_clients(h) ** 2),
        average(lambda h: (mean_gradient(clients, h.means[-2]) - at_clients(h)) ** 2),
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
    single, flat, other = line(0, 4), line(0, 0), line(2, 1, "1/2")
    half, small = Fraction(1, 2), Fraction(1, 64)
    return [
        one_step(
            "one client f'=clip(x,-4,4), x=0, noise +-2, s=1/2",
            "FedAvg",
            [single],
            step_size=half,
            local_steps=1,
            step=1,
            start=Fraction(0),
            noise=Fraction(2),
        ),
        one_step(
            "one client f'=clip(x,-1/8,1/8), x=0, noise +-1, s=1/8",
            "FedAvg",
            [line(0, "1/8")],
            step_size=Fraction(1, 8),
            local_steps=1,
            step=1,
            start=Fraction(0),
            noise=Fraction(1),
        ),
        one_step(
            "f_1'=clip(x,-1,1), f_2'=0, s=1/64, K=1, printed code, start 1, second step",
            "printed",
            [line(0, 1), flat],
            step_size=small,
            local_steps=1,
            step=2,
            start=Fraction(1),
        ),
        one_step(
            "f_1'=clip(x,-5/4,5/4), f_2'=clip(x-3,-1,1), s=1/8, K=1, printed code, start 9/8, second step",
            "printed",
            [line(0, "5/4"), line(3, 1)],
            step_size=Fraction(1, 8),
            local_steps=1,
            step=2,
            start=Fraction(9, 8),
        ),
        one_step(
            "f_1'=clip(x,-1,1), f_2'=0, s=1/256, K=2, average first, start 1, second step",
            "FedAvg",
            [line(0, 1), flat],
            step_size=Fraction(1, 256),
            local_steps=2,
            step=2,
            start=Fraction(1),
        ),
        *(
            one_step(
                f"f_1'=clip(x,-4,4), f_2'=clip((x-2)/2,-1,1), noises +-1, s=1/2, K={k}, {code}, start -1, step 3",
                code,
                [single, other],
                step_size=half,
                local_steps=k,
                step=3,
                start=Fraction(-1),
                noise=Fraction(1),
            )
            for k in (1, 2)
            for code in ("printed", "FedAvg")
        ),
    ]
