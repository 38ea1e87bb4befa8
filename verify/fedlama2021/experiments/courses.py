"""Runs of FedAvg and FedLAMA on the analogue with equal iteration budgets: accuracies, averagings by layers, cost by (8).

All methods that are compared have rounds of ``phi tau'`` steps, so that they see the same splits, starts, cohorts and batches
(these are keyed by seed, round, client and step); FedAvg is the schedule whose layers all have the same interval.  Of (6, 2)
and (6, 4) splits and starts are the same, and batches are not.  Cohorts are drawn anew for every round.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.algorithms.fedlama import FedLAMA
from fltheory.algorithms.participation import Full
from fltheory.algorithms.subsets import SchemeII
from fltheory.kinds import Array, Floats
from fltheory.problems.oracles.minibatch import MiniBatch
from fltheory.simulate.loop import simulate
from verify.fedlama2021.experiments.task import LayerTask, start_of

BATCH, BASE, STEP = 16, 6, 0.1
#: Iterations of a budget, and with a quarter more.
BUDGET, LONGER = 288, 360
RULES = ("through crossing", "before crossing", "printed")
STEPS = (0.05, 0.1, 0.2)


@dataclass(frozen=True)
class Contender:
    """``FedLAMA(tau', phi)`` by a rule, or with ``every`` FedAvg with this interval in rounds of ``phi tau'`` steps.

    ``narrowing`` takes the network whose largest layer is at the inputs; of the clients one in ``share`` takes part in a round.
    """

    factor: int
    rule: str = ""
    every: int = 0
    step_size: float = STEP
    narrowing: bool = False
    share: int = 1

    @property
    def label(self) -> str:
        """In result files."""
        method = (
            f"FedAvg({self.every}) in rounds of {BASE * self.factor}" if self.every else f"FedLAMA(6,{self.factor})"
        )
        marks = {
            self.rule: bool(self.rule),
            f"step size {self.step_size}": self.step_size != STEP,
            "largest layer first": self.narrowing,
            f"one client in {self.share}": self.share > 1,
        }
        return ", ".join([method, *(words for words, there in marks.items() if there)])

    def units(self, task: LayerTask) -> tuple[int, ...]:
        """Widths of the network."""
        return task.narrowing if self.narrowing else task.units

    def algorithm(self, n_clients: int, layers: int) -> FedLAMA:
        """On so many clients and layers."""
        who = Full() if self.share == 1 else SchemeII(n_clients // self.share)
        given = dict(intervals=(self.every,) * layers) if self.every else dict(rule=self.rule)
        return FedLAMA(BASE, self.factor, self.step_size, who, **given)  # type: ignore[arg-type]

    def rounds(self, iterations: int) -> int:
        """Rounds of so many iterations."""
        return iterations // (BASE * self.factor)

    @property
    def iterations(self) -> int:
        """The longer budget for the method of which LA-TXT-BUDGET asks it."""
        return LONGER if self == Contender(4, RULES[0]) else BUDGET


#: All that the rows and figures ask of.
CONTENDERS = (
    *(Contender(factor, rule) for factor in (2, 4) for rule in RULES),
    *(Contender(factor, every=every) for factor, every in ((2, 6), (2, 12), (4, 6), (4, 12), (4, 24))),
    *(Contender(4, every=every, step_size=step) for every in (12, 24) for step in STEPS if step != STEP),
    *(Contender(4, RULES[0], step_size=step) for step in STEPS if step != STEP),
    Contender(2, RULES[0], narrowing=True),
)
#: The three methods where half of the clients take part.
HALF = tuple(
    method
    for factor in (2, 4)
    for method in (
        Contender(factor, RULES[0], share=2),
        Contender(factor, every=BASE, share=2),
        Contender(factor, every=BASE * factor, share=2),
    )
)


@dataclass(frozen=True)
class LamaCourse:
    """Of every round: the test accuracy after it, and how often each layer has been averaged by then; the layers' sizes."""

    method: Contender
    accuracy: tuple[float, ...]
    averaged: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]

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
        return tuple(count * size for count, size in zip(counts, self.sizes, strict=True))

    def cost(self, iterations: int = BUDGET) -> Fraction:
        """(8) as a share of that of FedAvg(6) with the budget."""
        return Fraction(sum(self.sent(iterations)), sum(self.sizes) * (BUDGET // BASE))


@dataclass(frozen=True)
class WatchedCourse:
    """An algorithm; the averagings that its state counts are noted after every round."""

    algorithm: FedLAMA
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


def measured(task: LayerTask, method: Contender, seed: int) -> dict[str, Array]:
    """One run: ``hits``, images of the test that are right after every round, and ``averaged`` ``(rounds, layers)`` by then."""
    units = method.units(task)
    problem, test, answers = task.problem(units, seed)
    watched = WatchedCourse(method.algorithm(problem.n_clients, len(units) - 1))
    rounds = method.rounds(method.iterations)

    def hits(w: Array) -> int:
        return int((problem.scores(test, w).argmax(axis=-1) == answers).sum())

    found = simulate(
        problem,
        watched,
        rounds=rounds,
        seed=seed,
        oracle=MiniBatch(BATCH, replacement=True),
        start=start_of(units, seed),
        objective=hits,
        reference=False,
        threads=1,
    )
    firsts = problem.blocks.offsets
    if method.every:
        each = method.factor * BASE // method.every
        counts = each * np.arange(1, rounds + 1)[:, None] * np.ones(len(firsts))
    else:
        counts = np.array(watched.notes)[-rounds:, firsts]
    return {"hits": found.objective[0, 1:].astype(np.int16), "averaged": counts.astype(np.int16)}
