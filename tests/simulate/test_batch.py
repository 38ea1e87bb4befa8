"""Many configurations in one call: bit for bit what one call for each gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms import FedAvg, FedOpt, FedProx, Harmonic, Original, Scaffold, SchemeI, SchemeII
from fltheory.problems import AdditiveNoise, MiniBatch, Regulariser, SoftmaxProblem, li_counterexample
from fltheory.simulate import loop, simulate

RNG = np.random.default_rng(3)
SIZES = (9, 14, 25, 33)
SOFTMAX = SoftmaxProblem(
    tuple(RNG.normal(size=(n, 4)) for n in SIZES),
    tuple(RNG.integers(0, 3, size=n) for n in SIZES),
    Regulariser(0.01, "lambda/2|w|^2"),
)
GRID: list[Any] = [
    *(
        FedAvg(steps, eta, scheme)
        for steps in (1, 3)
        for eta in (0.01, 0.1, 1e6)
        for scheme in (SchemeII(2), Original(2))
    ),
    *(Scaffold(2, eta, rate, SchemeI(2)) for eta in (0.1, 0.2) for rate in (1, 0.5)),
    *(FedProx(2, 0.1, weight) for weight in (0, 0.1, 1)),
    *(FedAvg(2, Harmonic(beta, 10.0)) for beta in (1.0, 2.0)),
    *(FedOpt(2, 0.1, server=fl.Adam(decay)) for decay in (0.5, 0.9)),
]


def bits(run: Any) -> list[Any]:
    numbers = (run.models, run.objective, run.gap, run.squared_distance, run.final, run.run_ids)
    return [part.tobytes() for part in numbers] + [run.status, run.algorithm, run.settings]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("problem", "oracle"), [(SOFTMAX, MiniBatch(4)), (li_counterexample(4, 2, 0.05), AdditiveNoise(0.2))]
)
def test_a_batch_is_a_loop_over_simulate(problem: Any, oracle: Any, threads: int, monkeypatch: Any) -> None:
    starts = [None if i % 3 else np.full(problem.dimension, 0.01 * i) for i in range(len(GRID))]
    options: dict[str, Any] = {
        "rounds": 6,
        "runs": 3,
        "seed": 5,
        "oracle": oracle,
        "keep_models": True,
        "threads": threads,
    }
    together = fl.simulate_batch(problem, GRID, starts=starts, first_run=2, **options)
    assert sum(run.engine == "compiled" for run in together) == len(GRID) - 2
    monkeypatch.setattr(loop, "COMPILED", False)
    for run, algorithm, start in zip(together, GRID, starts, strict=True):
        assert bits(run) == bits(simulate(problem, algorithm, start=start, first_run=2, **options))


def test_configurations_share_one_kernel_call(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    from fltheory.simulate.compiled import CompiledBatch

    run = CompiledBatch.run
    monkeypatch.setattr(CompiledBatch, "run", lambda self: (calls.append(len(self.counts)), run(self))[1])
    fl.simulate_batch(SOFTMAX, [FedAvg(2, eta) for eta in (0.1, 0.2, 0.3)], rounds=3, oracle=MiniBatch(4), threads=1)
    assert calls == [3]


def test_starts_are_one_for_each() -> None:
    with pytest.raises(ValueError, match="2 entries for 1 algorithms"):
        fl.simulate_batch(SOFTMAX, [FedAvg(1, 0.1)], rounds=1, starts=[None, None])
    with pytest.raises(ValueError, match="start"):
        fl.simulate_batch(SOFTMAX, [FedAvg(1, 0.1)] * 2, rounds=1, starts=[None, np.zeros(3)])


def test_records_of_all_algorithms_must_fit() -> None:
    many: list[Any] = [FedAvg(1, 0.1)] * 10**5
    with pytest.raises(ValueError, match=r"100000 algorithms, rounds=10000 with runs=100.*too large a request"):
        fl.simulate_batch(SOFTMAX, many, rounds=10**4, runs=100, oracle=MiniBatch(4))
    simulate(SOFTMAX, FedAvg(1, 0.1), rounds=1, runs=100, oracle=MiniBatch(4))  # one of them fits


def test_whole_runs_by_one_map_read_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from fltheory.simulate import affine_rounds

    problem, read, calls = li_counterexample(4, 2, 0.05), affine_rounds._read, []

    def counted(job: Any) -> Any:
        calls.append(job.algorithm)
        return read(job)

    monkeypatch.setattr(affine_rounds, "_read", counted)
    monkeypatch.setattr(affine_rounds, "MOST_KNOWN", 2)
    grid: list[Any] = [FedAvg(steps, eta) for steps in (1, 3) for eta in (0.01, 0.02, 0.03, 1e200)]
    starts = [np.full(problem.dimension, 0.1 * i) for i in range(len(grid))]
    together = fl.simulate_batch(problem, grid, starts=starts, rounds=5, runs=3, keep_models=True)
    assert all(calls.count(FedAvg(steps, eta)) == 1 for steps in (1, 3) for eta in (0.01, 0.02, 0.03))
    for run, algorithm, start in zip(together, grid, starts, strict=True):
        alone = simulate(problem, algorithm, start=start, rounds=5, runs=3, keep_models=True)
        assert bits(run) == bits(alone) and run.engine == alone.engine
    assert together[0].engine == "map"


def test_an_algorithm_that_is_too_large_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"local_steps=10{15}"):
        fl.simulate_batch(li_counterexample(4, 2, 0.05), [FedAvg(2, 0.1), FedAvg(10**15, 0.1)], rounds=2)
