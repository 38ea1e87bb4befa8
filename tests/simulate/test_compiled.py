"""Compiled runs against the loop: the same bits for every algorithm, family, chunking and number of threads."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms import (
    FedAvg,
    FedDyn,
    FedNova,
    FedOpt,
    FedProx,
    Full,
    GradientCorrected,
    Harmonic,
    HeavyBall,
    MimeLite,
    NormalisedUniform,
    OneWayGradientTransfer,
    Original,
    ParallelTraining,
    Scaffold,
    SchemeI,
    SchemeII,
    TransformedSchemeII,
    TwoSidedFedAvg,
    TwoWayGradientTransfer,
)
from fltheory.algorithms.vocabulary import local_sgd
from fltheory.kernels import program
from fltheory.problems import (
    AdditiveNoise,
    Exact,
    LogisticProblem,
    MiniBatch,
    QuadraticProblem,
    Regulariser,
    SoftmaxProblem,
    li_counterexample,
    li_tridiagonal,
    ridge_regression,
)
from fltheory.problems.mixed import MixedProblem
from fltheory.readings import tree_sums
from fltheory.simulate import loop, simulate

RNG = np.random.default_rng(8)
SIZES = (9, 14, 25, 33)
FEATURES = tuple(RNG.normal(size=(n, 4)) for n in SIZES)
WEAK = Regulariser(0.01, "lambda/2|w|^2")
SOFTMAX = SoftmaxProblem(FEATURES, tuple(RNG.integers(0, 3, size=n) for n in SIZES), WEAK)
SIGNS = tuple(2 * RNG.integers(0, 2, size=n) - 1 for n in SIZES)
CENTRE = SoftmaxProblem((RNG.normal(size=(40, 4)),), (RNG.integers(0, 3, size=40),), WEAK)
MIXED = MixedProblem(fl.Scaled(SOFTMAX, 0.75), fl.Scaled(CENTRE, 0.25))
PROBLEMS = {
    "softmax": (SOFTMAX, MiniBatch(4)),
    "softmax on all rows": (SOFTMAX, Exact()),
    "noisy quadratic": (li_counterexample(4, 2, 0.05), AdditiveNoise(0.2)),
    "tridiagonal": (li_tridiagonal(4, 2, 0.05), Exact()),
    "ridge": (ridge_regression(FEATURES, [RNG.normal(size=n) for n in SIZES], WEAK), MiniBatch(5)),
    "logistic": (fl.Scaled(LogisticProblem(FEATURES, SIGNS, WEAK), 2.0), MiniBatch(3)),
}
ALGORITHMS = {
    "FedAvg": lambda e, eta: FedAvg(e, eta, SchemeII(2)),
    "schedule": lambda e, eta: FedAvg(e, Harmonic(20 * eta, 12.0), SchemeI(3, "separate runs")),
    "absent": lambda e, eta: FedAvg(e, eta, Original(2)),
    "FedProx": lambda e, eta: FedProx(e, eta, 0.3, SchemeI(2)),
    "two-sided": lambda e, eta: TwoSidedFedAvg(e, eta, 1.3, TransformedSchemeII(2)),
    "heavy ball": lambda e, eta: FedOpt(e, eta, 0.9, Full(), HeavyBall(0.5)),
    "SCAFFOLD": lambda e, eta: Scaffold(e, eta, participation=SchemeII(2)),
    "SCAFFOLD I": lambda e, eta: Scaffold(e, eta, participation=SchemeI(3), option="I"),
    "SCAFFOLD, all": lambda e, eta: Scaffold(e, eta),
    "corrected": lambda e, eta: GradientCorrected(e, eta, 1.1, NormalisedUniform(2)),
    "MimeLite": lambda e, eta: MimeLite(e, eta, 0.5, SchemeII(2)),
    "unequal": lambda e, eta: FedNova((1, 2, e, 2), eta),
}
MIXING = {
    "parallel": lambda e, eta: ParallelTraining(e, eta, 0.04, participation=SchemeII(2)),
    "1-way": lambda e, eta: OneWayGradientTransfer(e, eta, 1.0, SchemeII(2), server=HeavyBall(0.3)),
    "2-way": lambda e, eta: TwoWayGradientTransfer(e, eta, 0.04, participation=SchemeII(2)),
    "2-way, begun": lambda e, eta: TwoWayGradientTransfer(e, eta, 0.04, initial="gradients"),
}
OPTIONS: dict[str, Any] = {"rounds": 5, "runs": 2, "seed": 5, "keep_models": True}


def bits(run: Any) -> list[Any]:
    numbers = (run.models, run.objective, run.gap, run.squared_distance, run.final)
    return [None if part is None else part.tobytes() for part in numbers] + [run.status]


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> Any:
    def call(*arguments: Any, **options: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(loop, "COMPILED", False)
            return simulate(*arguments, **options)

    return call


def same(uncompiled: Any, problem: Any, algorithm: Any, **options: Any) -> Any:
    fast = simulate(problem, algorithm, **{**OPTIONS, **options})
    assert fast.engine == "compiled"
    slow = uncompiled(problem, algorithm, **{**OPTIONS, **options})
    assert slow.engine == "loop"
    assert bits(fast) == bits(slow)
    return fast


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_bits_of_the_loop(uncompiled: Any, name: str, algorithm: str) -> None:
    problem, oracle = PROBLEMS[name]
    for steps in (1, 2, 4):
        for eta in (0.05, 0.01):
            same(uncompiled, problem, ALGORITHMS[algorithm](steps, eta), oracle=oracle)


@pytest.mark.parametrize("algorithm", MIXING)
def test_the_bits_of_the_loop_with_a_centre(uncompiled: Any, algorithm: str) -> None:
    for steps, oracle in ((1, MiniBatch(7)), (2, Exact()), (4, MiniBatch(3))):
        same(uncompiled, MIXED, MIXING[algorithm](steps, 0.05), oracle=MiniBatch(4), centre_oracle=oracle)


def test_losses_whose_models_lie_differently_are_left_to_the_loop() -> None:
    rng = np.random.default_rng(1)

    def softmax(classes: int, features: int, clients: int) -> SoftmaxProblem:
        rows = tuple(rng.normal(size=(20, features)) for _ in range(clients))
        return SoftmaxProblem(
            rows, tuple(rng.integers(0, classes, size=20) for _ in range(clients)), WEAK, classes=classes
        )

    problem = MixedProblem(softmax(3, 7, 3), softmax(4, 5, 1))
    run = simulate(problem, ParallelTraining(2, 0.05, 0.04), oracle=MiniBatch(4), **OPTIONS)
    assert "server's loss" in run.engine


class Leaves(NamedTuple):
    """Two server vectors and one of every client."""

    model: Any
    memory: Any
    own: Any


@dataclass(frozen=True)
class RandomText:
    """A round of random words, the same in every round."""

    seed: int
    step_size: float
    participation: Any

    def start(self, fed: Any, w: Any) -> Leaves:
        return Leaves(w, fed.zero(), fed.zero_clients())

    def round(self, fed: Any, state: Leaves) -> Leaves:
        pick = random.Random(self.seed)
        server, clients = [state.model, state.memory], [fed.send(state.model), fed.send(state.memory) - state.own]
        for _ in range(pick.randint(4, 14)):
            word = pick.randrange(9)
            x, y, w, v = pick.choice(clients), pick.choice(clients), pick.choice(server), pick.choice(server)
            if word == 0:
                clients.append(self.step_size * fed.gradient(x))
            elif word == 1:
                shift = pick.choice([None, y, state.own])
                clients.append(
                    local_sgd(fed, x, pick.randint(1, 3), lambda step: self.step_size / (1 + step), shift=shift)
                )
            elif word == 2:
                server.append(fed.average(x, absent=w) * 0.5)
            elif word == 3:
                clients.append(x - 0.3 * y)
            elif word == 4:
                server.append(0.4 * (w + v) - 0.1 * w)
            elif word == 5:
                clients.append((x * fed.per_client([0.5, 0.25, 1.0, 0.125]) - y) * 0.5)
            elif word == 6:
                clients.append(0.4 * (fed.send(w) / 3 + state.own))
            elif word == 7:
                clients.append(-x * 0.7)
            else:
                server.append(fed.population_average(state.own) * 0.3 + v * 0.1)
        fresh = fed.only_cohort(0.5 * pick.choice(clients), otherwise=state.own)
        mean = fed.population_average(fresh) if pick.random() < 0.5 else pick.choice(server)
        model = 0.9 * fed.average(pick.choice(clients), absent=state.model)
        return Leaves(model, pick.choice([mean, state.model, 0.5 * mean + 0.1 * model]), fresh)


@pytest.mark.parametrize("seed", range(40))
def test_random_texts(uncompiled: Any, seed: int) -> None:
    scheme = (Full(), SchemeII(2), SchemeI(3), Original(2))[seed % 4]
    same(uncompiled, SOFTMAX, RandomText(seed, 0.05, scheme), oracle=MiniBatch(4))


@pytest.mark.parametrize("name", ["softmax", "noisy quadratic"])
@pytest.mark.parametrize(
    "algorithm", [FedAvg(3, 0.05, SchemeII(2)), Scaffold(2, 0.05, participation=SchemeI(2))], ids=repr
)
def test_threads_chunks_and_other_runs_leave_the_bits_alone(name: str, algorithm: Any) -> None:
    problem, oracle = PROBLEMS[name]
    common: dict[str, Any] = {"rounds": 9, "seed": 3, "oracle": oracle, "keep_models": True}
    alone = bits(simulate(problem, algorithm, runs=7, threads=1, chunk=7, **common))
    assert bits(simulate(problem, algorithm, runs=7, threads=2, chunk=2, **common)) == alone
    assert bits(simulate(problem, algorithm, runs=7, threads=1, chunk=1, **common)) == alone
    few = simulate(problem, algorithm, runs=2, first_run=4, **common)
    assert few.models.tobytes() == simulate(problem, algorithm, runs=7, **common).models[4:6].tobytes()


@pytest.mark.parametrize("name", ["softmax", "noisy quadratic", "tridiagonal"])
@pytest.mark.parametrize("record_every", [1, 4, 100])
def test_runs_diverge_in_the_same_round(uncompiled: Any, name: str, record_every: int) -> None:
    problem, oracle = PROBLEMS[name]
    found = set()
    for eta, threshold in ((0.5, 1.0), (0.5, 1.6), (3.0, 5.0), (3.0, 1e12), (1e200, 1e12)):
        algorithm = Scaffold(2, eta, participation=SchemeII(2))
        arguments = {"oracle": oracle, "rounds": 60, "runs": 4, "record_every": record_every}
        run = same(uncompiled, problem, algorithm, divergence_threshold=threshold, **arguments)
        found.update(run.status)
    assert len(found) > 3


def test_an_interrupt_keeps_the_records(uncompiled: Any) -> None:
    def stopped(finished: int, total: int) -> None:
        if finished >= 12:
            raise KeyboardInterrupt

    arguments: dict[str, Any] = {
        "rounds": 30,
        "runs": 2,
        "oracle": MiniBatch(4),
        "record_every": 3,
        "threads": 1,
        "chunk": 2,
    }
    whole = simulate(SOFTMAX, FedAvg(2, 0.05), **arguments)
    part = simulate(SOFTMAX, FedAvg(2, 0.05), progress=stopped, **arguments)
    assert part.status == ("interrupted",) * 2 and part.rounds.tolist() == [0, 3, 6]
    assert part.objective.tobytes() == whole.objective[:, :3].tobytes()
    told: list[int] = []
    simulate(SOFTMAX, FedAvg(2, 0.05), progress=lambda done, total: told.append(done), **arguments)
    assert told == list(range(6, 61, 6))


@pytest.mark.parametrize("wrong", [("subtract", "add"), ("subtract multiple", "add multiple"), ("keep", "zero")])
def test_a_wrong_word_is_noticed(uncompiled: Any, monkeypatch: pytest.MonkeyPatch, wrong: tuple[str, str]) -> None:
    algorithm = Scaffold(2, 0.05, 0.9, SchemeII(2)) if wrong[0] != "subtract multiple" else FedProx(2, 0.05, 0.3)
    slow = uncompiled(SOFTMAX, algorithm, oracle=MiniBatch(4), **OPTIONS)
    monkeypatch.setitem(program.CODES, wrong[0], program.CODES[wrong[1]])
    fast = simulate(SOFTMAX, algorithm, oracle=MiniBatch(4), **OPTIONS)
    assert fast.engine == "compiled" and bits(fast) != bits(slow)


@dataclass(frozen=True)
class Alternating:
    """Averages in every second round only: its words change."""

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        return fed.average(fed.send(w) - 0.1 * fed.gradient(fed.send(w))) if fed.round % 2 else w * 1


@pytest.mark.parametrize(
    ("algorithm", "reason"),
    [
        (FedOpt(2, 0.05, server=fl.Adam()), "decide"),
        (Alternating(), "changes from round to round"),
    ],
)
def test_what_is_not_compiled_says_why(uncompiled: Any, algorithm: Any, reason: str) -> None:
    run = simulate(SOFTMAX, algorithm, oracle=MiniBatch(4), **OPTIONS)
    assert run.engine.startswith("loop: ") and reason in run.engine
    assert bits(run) == bits(uncompiled(SOFTMAX, algorithm, oracle=MiniBatch(4), **OPTIONS))


def test_plans_are_kept_as_long_as_the_problem() -> None:
    from fltheory.simulate.backends import _PLANS, choose_plan

    problem = SoftmaxProblem(FEATURES, tuple(RNG.integers(0, 3, size=n) for n in SIZES), WEAK)
    first, again = (choose_plan("auto", problem, MiniBatch(4), FedAvg(1, eta)) for eta in (0.1, 0.2))
    assert first is again and first is not choose_plan("auto", problem, MiniBatch(5), FedAvg(1, 0.1))
    before = len(_PLANS)
    del problem
    assert len(_PLANS) == before - 1


def test_a_schedule_of_too_many_numbers_is_left_to_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    algorithm, problem = FedAvg(3, Harmonic(1.0, 12.0), SchemeII(2)), li_tridiagonal(4, 2, 0.05)
    fast = simulate(problem, algorithm, rounds=4)
    monkeypatch.setattr("fltheory.simulate.compiled.MOST_KEPT", 11)
    slow = simulate(problem, algorithm, rounds=4)
    assert fast.engine == "compiled" and slow.engine == "loop: 4 rounds with 3 numbers of their own each are not kept"
    assert bits(fast) == bits(slow)


@pytest.mark.parametrize("seed", range(1, 40, 3))
def test_random_texts_with_sums_in_levels(uncompiled: Any, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(tree_sums, "FEW", 1)
    same(uncompiled, SOFTMAX, RandomText(seed, 0.05, SchemeI(3)), oracle=MiniBatch(4))


@dataclass(frozen=True)
class TwoMeans:
    """Asks for the mean of the old state and, after each of two writes, of the new one."""

    participation: Any = SchemeII(7)

    def start(self, fed: Any, w: Any) -> Leaves:
        return Leaves(w, fed.zero(), fed.zero_clients())

    def round(self, fed: Any, state: Leaves) -> Leaves:
        x = fed.send(state.model)
        before = fed.population_average(state.own)
        first = fed.only_cohort(state.own - 0.3 * fed.gradient(x), otherwise=state.own)
        between = fed.population_average(first)
        second = fed.only_cohort(0.5 * (fed.send(between) + first), otherwise=first)
        moved = state.model + 0.1 * between + 0.2 * fed.population_average(second) - 0.1 * before
        return Leaves(0.9 * moved, before - between, second)


def many_clients(n: int) -> QuadraticProblem:
    rng = np.random.default_rng(n)
    share = rng.uniform(0.5, 1.5, size=n)
    diagonal = [np.diag(row) for row in rng.uniform(0.5, 1.5, size=(n, 3))]
    return QuadraticProblem(diagonal, list(rng.normal(size=(n, 3))), weights=list(share / share.sum()))


@pytest.mark.parametrize("n", [tree_sums.FEW, tree_sums.FEW + 1, 700])
@pytest.mark.parametrize(
    "algorithm", [TwoMeans(), Scaffold(3, 0.3, participation=SchemeI(7)), FedDyn(2, 0.1, 0.3, SchemeII(9))], ids=repr
)
def test_means_of_a_large_population(uncompiled: Any, n: int, algorithm: Any) -> None:
    """Sums renewed above the cohort have the bits of all of them made anew, also beside a run that has diverged."""
    problem = many_clients(n)
    common: dict[str, Any] = {"oracle": AdditiveNoise(0.1), "rounds": 40}
    run = same(uncompiled, problem, algorithm, runs=3, **common)
    assert run.models is not None and np.isfinite(run.models).all()
    alone = simulate(problem, algorithm, **{**OPTIONS, **common, "runs": 1, "first_run": 2})
    assert alone.models is not None and alone.models.tobytes() == run.models[2:].tobytes()
    middle = float(np.sort(np.linalg.norm(run.models, axis=2).max(axis=1))[1])
    some = same(uncompiled, problem, algorithm, runs=3, divergence_threshold=0.999 * middle, **common)
    assert [status == "completed" for status in some.status].count(True) == 1


def test_sums_that_are_not_renewed_are_noticed(uncompiled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, algorithm = many_clients(700), Scaffold(3, 0.3, participation=SchemeII(7))
    slow = uncompiled(problem, algorithm, oracle=AdditiveNoise(0.1), **OPTIONS)
    monkeypatch.setitem(program.CODES, "renew", program.ZERO)
    fast = simulate(problem, algorithm, oracle=AdditiveNoise(0.1), **OPTIONS)
    assert fast.engine == "compiled" and bits(fast) != bits(slow)
