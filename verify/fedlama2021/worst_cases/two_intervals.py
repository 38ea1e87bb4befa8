"""Certified enclosures of worst cases of FedLAMA with two layers, and of FedAvg at both of its intervals."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlama import FedLAMA
from fltheory.worstcase.classes import SmoothStronglyConvex
from fltheory.worstcase.enclosed import Enclosed, enclosed
from fltheory.worstcase.equations import solve_with_equations
from fltheory.worstcase.formulation import build_model

SHORT, LAYERS, LONG = "FedAvg(tau')", "FedLAMA(tau', phi)", "FedAvg(phi tau')"


@dataclass(frozen=True)
class TwoIntervals:
    """Base interval, increase factor, rounds of ``phi tau'`` steps, step size and modulus (L = 1)."""

    base: int
    factor: int
    rounds: int
    step_size: Fraction
    modulus: Fraction

    def __str__(self) -> str:
        return f"tau' = {self.base}, phi = {self.factor}, T = {self.rounds}, L = 1, mu = {self.modulus}, eta = {self.step_size}"

    def method(self, name: str) -> tuple[FedAvg | FedLAMA, int]:
        """The algorithm of this name and its number of rounds; FedLAMA averages one of two layers at each interval."""
        long = self.base * self.factor
        if name == SHORT:
            return FedAvg(self.base, self.step_size), self.factor * self.rounds
        if name == LONG:
            return FedAvg(long, self.step_size), self.rounds
        return FedLAMA(self.base, self.factor, self.step_size, intervals=(self.base, long)), self.rounds

    def distance(self, name: str) -> Enclosed:
        """|u_T - w*|^2 for |u_0 - w*|^2 <= 1 and sum p_k |grad F_k(w*)|^2 <= 1."""
        algorithm, rounds = self.method(name)
        return enclosed(solve_with_equations(build_model(algorithm, SmoothStronglyConvex(self.modulus), rounds=rounds)))
