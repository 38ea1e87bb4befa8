"""One round of V against PEPit, with two clients and the methods written by hand from arbitrary states."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

import fltheory as fl

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(importlib.util.find_spec("PEPit") is None, reason="pepit is not installed"),
]
CLIENTS = fl.SmoothStronglyConvex(0.1, 1)
STEPS, ETA = 2, 0.25


class TwoClients:
    """Two clients of equal weight whose mean has its minimiser at ``best``."""

    def __init__(self) -> None:
        from PEPit import PEP
        from PEPit.functions import SmoothStronglyConvexFunction

        self.problem = PEP()
        self.losses = [self.problem.declare_function(SmoothStronglyConvexFunction, mu=0.1, L=1.0) for _ in range(2)]
        self.total = (self.losses[0] + self.losses[1]) / 2
        self.best = self.total.stationary_point()
        self.w = self.problem.set_initial_point()

    def local(self, loss: Any, shift: Any) -> Any:
        x = self.w
        for _ in range(STEPS):
            x = x - ETA * (loss.gradient(x) + shift)
        return x

    def largest(self, before: Any, after: Any) -> float:
        """The largest ``after`` with ``before <= 1``."""
        self.problem.set_initial_condition(before <= 1)
        self.problem.set_performance_metric(after)
        return float(self.problem.solve(wrapper="cvxpy", solver="CLARABEL", verbose=0))


def test_scaffold() -> None:
    found = fl.lyapunov(fl.Scaffold(STEPS, ETA), CLIENTS)
    two = TwoClients()
    controls = [two.problem.set_initial_point() for _ in range(2)]
    common = (controls[0] + controls[1]) / 2
    ends = [two.local(f, common - c) for f, c in zip(two.losses, controls, strict=True)]
    fresh = [c - common + (two.w - x) / (STEPS * ETA) for c, x in zip(controls, ends, strict=True)]
    optimal = [f.gradient(two.best) for f in two.losses]

    def v(w: Any, own: list[Any]) -> Any:
        mean = (own[0] + own[1]) / 2
        terms = {
            "|w - w*|^2": (w - two.best) ** 2,
            "sum_k p_k |client control - control - grad f_k(w*)|^2": sum(
                (c - mean - g) ** 2 for c, g in zip(own, optimal, strict=True)
            )
            / 2,
        }
        return sum(float(weight) * terms[name] for name, weight in found.V.items())

    value = two.largest(v(two.w, controls), v((ends[0] + ends[1]) / 2, fresh))
    assert found.rho is not None and 0.99 * float(found.rho) <= value <= float(found.rho) + 1e-6


def test_momentum_with_the_gap() -> None:
    """Clients that share the minimiser: no floor."""
    method = fl.FedOpt(STEPS, ETA, server=fl.HeavyBall(0.5))
    found = fl.lyapunov(method, CLIENTS, heterogeneity="none", terms="gradient")
    two = TwoClients()
    memory = two.problem.set_initial_point()
    two.problem.add_constraint(two.losses[0].gradient(two.best) ** 2 <= 0)
    ends = [two.local(f, 0 * two.w) for f in two.losses]
    moved = 0.5 * memory + (ends[0] + ends[1]) / 2 - two.w

    def v(w: Any, m: Any) -> Any:
        slope, x = two.total.gradient(w), w - two.best
        terms = {
            "|w - w*|^2": x**2,
            "<w - w*, memory 1>": x * m,
            "<w - w*, sum_k p_k grad f_k(w)>": x * slope,
            "|memory 1|^2": m**2,
            "<memory 1, sum_k p_k grad f_k(w)>": m * slope,
            "|sum_k p_k grad f_k(w)|^2": slope**2,
            "sum_k p_k (f_k(w) - f_k(w*))": two.total(w) - two.total(two.best),
        }
        return sum(float(weight) * terms[name] for name, weight in found.V.items())

    value = two.largest(v(two.w, memory), v(two.w + moved, moved))
    assert found.rho is not None and 0.98 * float(found.rho) <= value <= float(found.rho) + 1e-5
