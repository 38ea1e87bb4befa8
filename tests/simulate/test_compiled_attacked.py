"""Compiled runs, batches and maps where they once gave other answers than the loop, or none."""

from __future__ import annotations

import os
import signal
import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms import FedAvg, FedDyn, Full, Scaffold, SchemeI
from fltheory.problems import AdditiveNoise, QuadraticProblem, li_counterexample

NOISY = li_counterexample(3, 2, 0.05)
SOME: Any = 0.1
MATRICES = np.array([np.diag([1.0, 0.5]), np.diag([0.2, 2.0])])
PLAIN = QuadraticProblem(MATRICES, np.array([np.ones(2), np.zeros(2)]))


@dataclass(frozen=True)
class Stretched:
    """Gradient descent that shows a multiple of its state."""

    factor: float
    participation: Any = Full()

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        x = fed.send(w)
        return fed.average(x - 0.1 * fed.gradient(x))

    def model(self, fed: Any, w: Any) -> Any:
        return self.factor * w


def test_a_batch_shows_each_algorithms_own_first_model() -> None:
    common: dict[str, Any] = {"rounds": 3, "oracle": AdditiveNoise(SOME), "keep_models": True}
    start = np.ones(NOISY.dimension)
    algorithms = [Stretched(1.0), Stretched(2.0), Stretched(2.0)]
    batch = fl.simulate_batch(NOISY, algorithms, starts=[start] * 3, **common)
    for algorithm, run in zip(algorithms, batch, strict=True):
        alone = fl.simulate(NOISY, algorithm, start=start, **common)
        assert run.models.tobytes() == alone.models.tobytes() and run.objective.tobytes() == alone.objective.tobytes()


class Mutable:
    """Gradient descent whose step size can be changed."""

    participation = Full()

    def __init__(self, step_size: float) -> None:
        self.step_size = step_size

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        x = fed.send(w)
        return fed.average(x - self.step_size * fed.gradient(x))


@dataclass(frozen=True)
class Uncompared(Mutable):
    """The same, equal to others of its kind."""

    step_size: float = field(compare=False)


def test_maps_are_kept_for_values_only() -> None:
    changing = Mutable(0.1)
    fl.simulate(PLAIN, changing, rounds=3)
    changing.step_size = 0.2
    fl.simulate(PLAIN, Uncompared(0.1), rounds=3)
    for algorithm in (changing, Uncompared(0.2)):
        run = fl.simulate(PLAIN, algorithm, rounds=3)
        assert run.engine == "map"
        np.testing.assert_allclose(
            run.final, fl.simulate(PLAIN, algorithm, rounds=3, backend="numpy").final, rtol=1e-12
        )


@pytest.mark.parametrize("size", [1e-320, 1e-310, 1e-250, 1e250])
def test_a_map_does_not_lose_digits_to_the_length_of_its_shift(size: float) -> None:
    problem = QuadraticProblem(MATRICES, np.array([np.full(2, size), np.zeros(2)]))
    common: dict[str, Any] = {"rounds": 50, "start": np.ones(2), "reference": False, "divergence_threshold": 1e300}
    common["objective"] = np.sum
    run = fl.simulate(problem, FedAvg(3, 0.1), **common)
    slow = fl.simulate(problem, FedAvg(3, 0.1), backend="numpy", **common)
    assert run.engine == "map"
    np.testing.assert_allclose(run.final, slow.final, rtol=1e-12)


def test_the_law_of_a_round_keeps_small_noise_beside_none() -> None:
    problem = QuadraticProblem(np.array([np.eye(3)] * 2), np.zeros((2, 3)))
    noise = AdditiveNoise(np.diag([1.0, 1e-16, 0.0]))
    run = fl.simulate_law(problem, FedAvg(2, 0.1), rounds=20, runs=4000, oracle=noise)
    variance = 0.005 * sum(0.81**i for i in range(40))
    found = run.final.var(axis=0)
    # Six standard deviations of a variance that is estimated from 4000 normal numbers.
    np.testing.assert_allclose(found[:2], [variance, 1e-16 * variance], rtol=6 * np.sqrt(2 / 4000))
    assert found[2] == 0


@pytest.mark.parametrize(
    "algorithm",
    [FedDyn(2, 0.05, 0.1, SchemeI(2, "separate runs")), Scaffold(2, 0.05, participation=SchemeI(2, "separate runs"))],
    ids=["FedDyn", "SCAFFOLD"],
)
def test_state_of_a_client_that_runs_twice_is_refused(algorithm: Any) -> None:
    with pytest.raises(ValueError, match="runs twice"):
        fl.simulate(NOISY, algorithm, rounds=3, oracle=AdditiveNoise(SOME))
    with pytest.raises(ValueError, match="runs twice"):
        fl.simulate_batch(NOISY, [algorithm, algorithm], rounds=3, oracle=AdditiveNoise(SOME))


@pytest.mark.parametrize("backend", ["auto", "numpy"])
@pytest.mark.parametrize("oracle", [AdditiveNoise(SOME), None], ids=["noisy", "exact"])
def test_progress_ends_at_the_end_when_all_runs_diverge(backend: str, oracle: Any) -> None:
    told: list[tuple[int, int]] = []
    run = fl.simulate(
        NOISY,
        FedAvg(2, 50.0),
        rounds=31,
        runs=3,
        record_every=4,
        oracle=oracle,
        backend=backend,
        progress=lambda *counts: told.append(counts),
    )
    assert all(status.startswith("diverged") for status in run.status)
    assert told[-1] == (93, 93) and told == sorted(told)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_of_a_batch_keeps_records(threads: int) -> None:
    algorithms = [FedAvg(2, 0.01 * (1 + i)) for i in range(2)]
    common: dict[str, Any] = {"oracle": AdditiveNoise(SOME), "threads": threads, "record_every": 50}
    whole = fl.simulate_batch(NOISY, algorithms, rounds=50, **common)
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        runs = fl.simulate_batch(NOISY, algorithms, rounds=50_000_000, **common)
    finally:
        timer.cancel()
    for run, begin in zip(runs, whole, strict=True):
        assert run.status == ("interrupted",) and len(run.rounds) > 1
        assert run.objective[:, :2].tobytes() == begin.objective.tobytes()


def test_traces_list_the_start_where_one_step_leaves_the_range_of_floats() -> None:
    common: dict[str, Any] = {"rounds": 1000, "every": 1000, "start": np.ones(2)}
    traces, whole = (fl.moments(PLAIN, FedAvg(1, 100.0), keep=keep, **common) for keep in ("traces", "all"))
    assert traces.status == whole.status == "diverged" and traces.rounds.tolist() == whole.rounds.tolist() == [0]
    np.testing.assert_allclose(traces.gap, whole.gap, rtol=1e-12)


def test_an_expectation_of_which_rounding_leaves_no_digit_is_not_known() -> None:
    """Infinity would say that it grows beyond all floats; it is a twelfth for ever."""
    problem = fl.QuadraticProblem(np.array([[[1.0]], [[2.0]]]), np.array([[1.0], [0.0]]))
    known = fl.simulate(problem, FedAvg(50, 2.0), rounds=3).known
    assert known.gap is None and known.reason == "rounding leaves no digit of exact moments after round 0"
