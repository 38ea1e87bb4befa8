"""Compiled runs of exact quadratics, whose local steps are one map: the same bits as the loop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms import (
    FedAvg,
    FedProx,
    Original,
    Scaffold,
    SchemeI,
    SchemeII,
    TransformedSchemeII,
    TwoSidedFedAvg,
    TwoWayGradientTransfer,
)
from fltheory.algorithms.vocabulary import local_sgd
from fltheory.kernels import maps
from fltheory.problems import QuadraticProblem, li_counterexample
from fltheory.problems.mixed import MixedProblem
from fltheory.simulate import loop, simulate

RNG = np.random.default_rng(4)


def dense(clients: int, dimension: int) -> QuadraticProblem:
    roots = RNG.normal(size=(clients, dimension, dimension))
    matrices = roots @ roots.swapaxes(1, 2) / dimension + 0.1 * np.eye(dimension)
    return QuadraticProblem(matrices, RNG.normal(size=(clients, dimension)))


PROBLEMS = {
    "li": li_counterexample(4, 2, 0.05),
    "wide": dense(4, 37),
    "scaled": fl.Scaled(dense(4, 5), 0.7),
    "many clients": dense(70, 3),
}
ALGORITHMS = {
    "II": lambda e, eta: FedAvg(e, eta, SchemeII(2)),
    "I": lambda e, eta: FedAvg(e, eta, SchemeI(3, "separate runs")),
    "absent": lambda e, eta: FedAvg(e, eta, Original(2)),
    "unbiased": lambda e, eta: TwoSidedFedAvg(e, eta, 1.3, TransformedSchemeII(2)),
    "SCAFFOLD": lambda e, eta: Scaffold(e, eta, participation=SchemeII(2)),
}
OPTIONS: dict[str, Any] = {"rounds": 6, "runs": 9, "seed": 5, "keep_models": True, "threads": 1}


@contextmanager
def uncompiled() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "COMPILED", False)
        yield


def bits(run: Any) -> list[Any]:
    numbers = (run.models, run.objective, run.gap, run.squared_distance, run.final)
    return [None if part is None else part.tobytes() for part in numbers] + [run.status]


def same(problem: Any, algorithm: Any, **options: Any) -> Any:
    fast = simulate(problem, algorithm, **{**OPTIONS, **options})
    assert fast.engine == "compiled"
    with uncompiled():
        slow = simulate(problem, algorithm, **{**OPTIONS, **options})
    assert slow.engine == "loop" and bits(fast) == bits(slow)
    return fast


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_bits_of_the_loop(name: str, algorithm: str) -> None:
    make: Any = ALGORITHMS[algorithm]
    for steps, runs in ((1, 2), (2, 1), (5, 30)):
        same(PROBLEMS[name], make(steps, 0.05), runs=runs)


def test_a_centre_and_state_that_is_too_large_for_one_map() -> None:
    mixed = MixedProblem(dense(4, 6), dense(1, 6))
    same(mixed, TwoWayGradientTransfer(3, 0.05, 0.04, participation=SchemeII(2)))
    same(dense(40, 10), Scaffold(3, 0.05))  # all clients: 410 entries


def test_chunks_leave_the_bits_alone() -> None:
    algorithm = Scaffold(4, 0.05, participation=SchemeI(3))
    whole = bits(simulate(PROBLEMS["wide"], algorithm, **{**OPTIONS, "runs": 11}))
    assert bits(simulate(PROBLEMS["wide"], algorithm, **{**OPTIONS, "runs": 11, "chunk": 3})) == whole
    assert bits(simulate(PROBLEMS["wide"], algorithm, **{**OPTIONS, "runs": 11, "chunk": 1, "threads": 2})) == whole


class TwoRates:
    """Equal steps of one rate, then of another, then unequal ones: two maps and none."""

    participation = SchemeII(2)

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        x = local_sgd(fed, fed.send(w), 3, lambda step: 0.05)
        x = local_sgd(fed, x, 2, lambda step: 0.1, shift=0.1 * fed.send(w))
        x = local_sgd(fed, x, 2, lambda step: 0.05)
        return fed.average(local_sgd(fed, x, 3, lambda step: 0.1 / (1 + step)))


class Alternating:
    """Another rate in every round, whatever the text asks of the index."""

    participation = SchemeII(2)

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        return fed.average(local_sgd(fed, fed.send(w), 3, lambda step: 0.1 / (1 + fed.round)))


@pytest.mark.parametrize("algorithm", [TwoRates(), Alternating()])
def test_several_rates(algorithm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    same(PROBLEMS["li"], algorithm)
    monkeypatch.setattr(maps, "TABLE_NUMBERS", 1)
    refused = simulate(PROBLEMS["li"], algorithm, **OPTIONS)
    assert "not kept side by side" in refused.engine
    with uncompiled():
        assert bits(refused) == bits(simulate(PROBLEMS["li"], algorithm, **OPTIONS))


def test_runs_diverge_in_the_same_round() -> None:
    found = set()
    for eta, threshold in ((0.5, 1.0), (3.0, 5.0), (3.0, 1e12), (1e30, 1e12), (1e200, 1e12)):
        for algorithm in (FedAvg(3, eta, SchemeII(2)), Scaffold(3, eta, participation=SchemeII(2))):
            found.update(same(PROBLEMS["li"], algorithm, rounds=40, divergence_threshold=threshold).status)
    assert len(found) > 3


@pytest.mark.parametrize("beside", [1, 2, 1000])
@pytest.mark.parametrize("name", ["li", "scaled"])
def test_step_sizes_in_one_batch(name: str, beside: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maps.MappedPlan, "beside", beside)
    rates = (0.1, 0.05, 1e200, 0.02, 0.05)
    grid: list[Any] = [Scaffold(4, eta, participation=SchemeII(2)) for eta in rates]
    grid += [FedAvg(steps, eta, SchemeI(2)) for eta in rates for steps in (1, 2, 3)]
    grid += [FedProx(2, 0.1, weight, SchemeII(2)) for weight in (0, 0.1, 1)]
    together = fl.simulate_batch(PROBLEMS[name], grid, **OPTIONS)
    assert {run.engine for run in together} == {"compiled"}
    with uncompiled():
        for run, algorithm in zip(together, grid, strict=True):
            assert bits(run) == bits(simulate(PROBLEMS[name], algorithm, **OPTIONS))


def test_the_map_of_another_rate_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    algorithm = FedAvg(3, 0.05, SchemeII(2))
    right = bits(simulate(PROBLEMS["li"], algorithm, **OPTIONS))
    fill: Any = maps.MappedPlan._fill

    def other(plan: Any, rate: float, *rest: Any) -> Any:
        return fill(plan, 0.051, *rest)

    monkeypatch.setattr(maps.MappedPlan, "_fill", other)
    wrong = simulate(PROBLEMS["li"], algorithm, **OPTIONS)
    assert wrong.engine == "compiled" and bits(wrong) != right
