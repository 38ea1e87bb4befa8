"""Runs of FedAvg and FedLAMA on the analogue with equal iteration budgets: accuracies, averagings by layers, cost by (8).

All methods that are compared have rounds of ``phi tau'`` steps, so that they see the same splits, starts and batches (these
are keyed by seed, round, client and step); FedAvg is the schedule whose layers all have the same interval.  Of (6, 2) and
(6, 4) splits and starts are the same, and batches are not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

import fltheory as fl
from fltheory.kinds import Array, Floats
from fltheory.problems.data.digits import load_digits
from verify.fedlama2021.experiments.perceptron import WIDENING, Perceptron, layers_of, split, start_of

CLIENTS, BATCH, TEST, ALPHA, BASE, STEP = 10, 16, 400, 0.1, 6, 0.1
#: Iterations of a budget, and with a quarter more.
BUDGET, LONGER = 288, 360
RULES = ("through crossing", "before crossing", "printed")


@dataclass(frozen=True)
class Contender:
    """``FedLAMA(tau', phi)`` by a rule, or with ``every`` FedAvg with this interval in rounds of ``phi tau'`` steps."""

    factor: int
    rule: str = ""
    every: int = 0
    step_size: float = STEP
    units: tuple[int, ...] = WIDENING

    @property
    def algorithm(self) -> fl.FedLAMA:
        if self.every:
            return fl.FedLAMA(BASE, self.factor, self.step_size, intervals=(self.every,) * (len(self.units) - 1))
        return fl.FedLAMA(BASE, self.factor, self.step_size, rule=self.rule)

    def rounds(self, iterations: int) -> int:
        """Rounds of so many iterations."""
        return iterations // (BASE * self.factor)

    @property
    def iterations(self) -> int:
        """The longer budget for the method of which LA-TXT-BUDGET asks it."""
        return LONGER if (self.factor, self.rule, self.step_size) == (4, RULES[0], STEP) else BUDGET


@dataclass(frozen=True)
class LamaCourse:
    """Of every round: the test accuracy after it, and how often each layer has been averaged by then."""

    method: Contender
    accuracy: tuple[float, ...]
    averaged: tuple[tuple[int, ...], ...]

    def late(self, iterations: int = BUDGET) -> float:
        """Mean test accuracy after the rounds of the second half of the iterations."""
        rounds = self.method.rounds(iterations)
        return float(np.mean(self.accuracy[rounds // 2 : rounds]))

    def curve(self) -> float:
        """Mean test accuracy over the budget, at the ends of the longest rounds: high where a curve rises early."""
        each = 24 // (BASE * self.method.factor)
        return float(np.mean(self.accuracy[each - 1 : self.method.rounds(BUDGET) : each]))

    def sent(self, iterations: int = BUDGET) -> tuple[int, ...]:
        """``dim(u_l) kappa_l`` of (8), for each layer."""
        counts = self.averaged[self.method.rounds(iterations) - 1]
        return tuple(count * size for count, size in zip(counts, layers_of(self.method.units).sizes, strict=True))

    def cost(self, iterations: int = BUDGET) -> Fraction:
        """(8) as a share of that of FedAvg(6) with the budget."""
        return Fraction(sum(self.sent(iterations)), layers_of(self.method.units).dimension * (BUDGET // BASE))


@dataclass(frozen=True)
class WatchedCourse:
    """An algorithm; the averagings that its state counts are noted after every round."""

    algorithm: fl.FedLAMA
    notes: list[Floats] = field(default_factory=list)

    @property
    def participation(self) -> Any:
        return self.algorithm.participation

    def start(self, fed: Any, w: Any) -> Any:
        return self.algorithm.start(fed, w)

    def round(self, fed: Any, state: Any) -> Any:
        state = self.algorithm.round(fed, state)
        if hasattr(state, "averaged"):
            fed.decide(self._noted, state.averaged)
        return state

    def _noted(self, values: Floats) -> Floats:
        self.notes.append(values[0].copy())
        return values


@cache
def course(method: Contender, seed: int) -> LamaCourse:
    """One run."""
    problem, test, labels = data_of(method.units, seed)

    def accuracy(w: Array) -> float:
        return float((problem.outputs(test, w).argmax(axis=-1) == labels).mean())

    watched, rounds = WatchedCourse(method.algorithm), method.rounds(method.iterations)
    found = fl.simulate(
        problem,
        watched,
        rounds=rounds,
        seed=seed,
        oracle=fl.MiniBatch(BATCH, replacement=True),
        start=start_of(method.units, seed),
        objective=accuracy,
        reference=False,
        threads=1,
        backend="auto",
    )
    firsts = problem.blocks.offsets
    if method.every:
        each = method.factor * BASE // method.every
        counts = [(each * (r + 1),) * len(firsts) for r in range(rounds)]
    else:
        counts = [tuple(int(note[first]) for first in firsts) for note in watched.notes[-rounds:]]
    return LamaCourse(method, tuple(found.objective[0, 1:].tolist()), tuple(counts))


@cache
def data_of(units: tuple[int, ...], seed: int) -> tuple[Perceptron, Floats, Array]:
    digits = load_digits()
    order = np.random.default_rng(np.random.SeedSequence([seed, 0])).permutation(len(digits.labels))
    features, labels = digits.features[order], digits.labels[order]
    parts = split(labels[TEST:], CLIENTS, ALPHA, seed)
    return Perceptron(units, features[TEST:], labels[TEST:], tuple(parts)), features[:TEST], labels[:TEST]
