"""Rounds that average local steps by maps: the bits of the interpreter and of the loop, in a kernel of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms.vocabulary import local_sgd
from fltheory.kernels import _averaged, _rows
from fltheory.simulate import averaged, compiled
from fltheory.simulate.evaluate import Evaluator
from fltheory.simulate.loop import prepare

RNG = np.random.default_rng(11)
LI = fl.li_counterexample(5, 4, 2e-4)


def dense(clients: int, dimension: int) -> fl.QuadraticProblem:
    roots = RNG.normal(size=(clients, dimension, dimension))
    matrices = roots @ roots.swapaxes(1, 2) / dimension + 0.1 * np.eye(dimension)
    return fl.QuadraticProblem(matrices, RNG.normal(size=(clients, dimension)))


PROBLEMS = {"d=21": LI, "d=3": dense(6, 3), "d=41": dense(3, 41), "d=128": dense(3, 128), "N=60": dense(60, 9)}


def bits(run: fl.Run) -> list[Any]:
    parts = (run.models, run.objective, run.gap, run.squared_distance, run.final)
    return [None if part is None else part.tobytes() for part in parts] + [run.status]


@contextmanager
def through(*ways: str) -> Iterator[list[str]]:
    """Notes which batches went through the kernel of averages, or, without ``ways``, keeps them out of it."""
    noted: list[str] = []

    def spy(*arguments: Any) -> bool:
        done = bool(ways) and averaged.run_averaged(*arguments)
        noted.append("averaged" if done else "interpreted")
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "run_averaged", spy)
        yield noted


def same(problem: Any, algorithms: list[Any], **options: Any) -> list[fl.Run]:
    settings = {"rounds": 12, "runs": 7, "seed": 3, "threads": 1} | options
    with through("averaged") as noted:
        fast = fl.simulate_batch(problem, algorithms, **settings)
    assert set(noted) == {"averaged"}
    with through() as noted:
        slow = fl.simulate_batch(problem, algorithms, **settings)
    assert set(noted) == {"interpreted"}
    assert [bits(run) for run in fast] == [bits(run) for run in slow]
    assert [run.engine for run in fast] == [run.engine for run in slow]
    return fast


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("scheme", [fl.SchemeI(3), fl.SchemeII(2), fl.Original(2), fl.SchemeI(3, "separate runs")])
def test_the_bits_of_the_interpreter(name: str, scheme: Any) -> None:
    for steps in (1, 2, 5):
        methods = [fl.FedAvg(steps, eta, scheme) for eta in (0.01, 0.05, 0.02)]
        same(PROBLEMS[name], methods)
        same(PROBLEMS[name], methods, record_every=5, keep_models=True, start=np.ones(PROBLEMS[name].dimension))


def test_the_bits_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    [fast, _] = same(LI, [fl.FedAvg(5, eta, fl.SchemeI(2)) for eta in (0.03, 0.05)], record_every=3)
    monkeypatch.setattr("fltheory.simulate.loop.COMPILED", False)
    slow = fl.simulate(LI, fl.FedAvg(5, 0.03, fl.SchemeI(2)), rounds=12, runs=7, seed=3, record_every=3)
    assert slow.engine == "loop" and bits(fast) == bits(slow)


def test_chunks_threads_and_blocks_leave_the_bits_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    methods = [fl.FedAvg(4, eta, fl.SchemeI(2)) for eta in (0.01, 0.05, 0.02, 0.04, 0.03)]
    settings: dict[str, Any] = {"rounds": 30, "runs": 40, "seed": 9}
    whole = [bits(run) for run in fl.simulate_batch(LI, methods, **settings, threads=1)]
    assert [bits(run) for run in fl.simulate_batch(LI, methods, **settings, threads=3)] == whole
    single = fl.simulate(LI, methods[1], **settings, chunk=7, threads=2)
    assert bits(single) == whole[1]
    monkeypatch.setattr(compiled, "GROUP_SLOTS", 6)
    monkeypatch.setattr(averaged, "BLOCK_NUMBERS", 200)
    monkeypatch.setattr(averaged, "CALL", 0.0)
    assert [bits(run) for run in fl.simulate_batch(LI, methods, **settings, threads=1)] == whole


def test_runs_diverge_in_the_same_round() -> None:
    found: set[str] = set()
    for etas, threshold in (((0.5, 0.6), 1.0), ((3.0, 2.0), 5.0), ((3.0, 1e30), 1e12), ((3.0, 9.0), 1e300)):
        for steps in (1, 3):
            for every in (1, 7):
                methods = [fl.FedAvg(steps, eta, fl.SchemeII(2)) for eta in etas]
                runs = same(LI, methods, rounds=60, divergence_threshold=threshold, record_every=every)
                found.update(status for run in runs for status in run.status)
    assert len(found) > 8 and "completed" in found


class Twice:
    """Two averages in a round: another text."""

    participation = fl.SchemeII(2)

    def __init__(self, eta: float) -> None:
        self.eta = eta

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        once = fed.average(local_sgd(fed, fed.send(w), 3, lambda step: self.eta))
        return 0.5 * (once + w)


@pytest.mark.parametrize(
    "algorithm, settings",
    [
        (Twice(0.05), {}),
        (fl.Scaffold(3, 0.05, participation=fl.SchemeII(2)), {}),
        (fl.FedAvg(3, fl.li_appendix(0.1, 4.0, 3), fl.SchemeII(2)), {}),
        (fl.FedAvg(3, 1e200, fl.SchemeII(2)), {}),
        (fl.FedAvg(3, 0.05, fl.SchemeII(2)), {"reference": False}),
        (fl.FedAvg(3, 0.05, fl.SchemeII(2)), {"oracle": fl.AdditiveNoise(0.1)}),
    ],
)
def test_other_rounds_are_left_to_the_interpreter(algorithm: Any, settings: dict[str, Any]) -> None:
    with through("averaged") as noted:
        fl.simulate(LI, algorithm, rounds=3, **settings)
    assert noted == ["interpreted"]


@pytest.mark.parametrize("name", PROBLEMS)
def test_models_are_measured_as_in_numpy(name: str) -> None:
    problem = PROBLEMS[name]
    evaluator = prepare(problem, fl.FedAvg(2, 0.1, fl.SchemeI(2)), rounds=1).job.evaluator
    plain = Evaluator(problem, evaluator.reference, evaluator.plan)
    plain.__dict__["quadratic"] = None  # as if there were no kernel
    assert evaluator.quadratic is not None
    models = RNG.normal(size=(150, problem.dimension)) * 10.0 ** RNG.integers(-9, 9, size=(150, 1))
    models[3], models[5], models[7, 0], models[149] = 1e200, np.inf, np.nan, evaluator.reference.minimiser
    with np.errstate(over="ignore", invalid="ignore"):
        wanted = plain(models)
    for rows in (models, models[:1], models[10:73], models[::2]):
        with np.errstate(over="ignore", invalid="ignore"):
            assert np.array_equal(evaluator(rows), plain(rows), equal_nan=True)
    # The control: other models, other numbers.
    assert not np.array_equal(evaluator(models + 1e-9)[:, 1], wanted[:, 1], equal_nan=True)


@pytest.mark.parametrize("d", [1, 3, 7, 8, 9, 21, 64, 127, 128])
def test_squares_are_added_up_as_numpy_does(d: int) -> None:
    x = RNG.normal(size=(30, d)) * 10.0 ** RNG.integers(-8, 8, size=(30, d))
    found = [_averaged.squared_length(x.ravel(), run * d, d) for run in range(30)]
    assert found == np.ascontiguousarray(x * x).sum(axis=1).tolist()
    # The control: from a run over eight side by side on, adding from left to right has other bits.
    if d > 20:
        assert found != [float(np.cumsum(row)[-1]) for row in x * x]


@pytest.mark.parametrize("code", [_rows.PUT, _rows.MULTIPLY, _rows.GATHER, _rows.SUBTRACT])
def test_rows_are_their_plain_twins(code: int) -> None:
    import numba

    @numba.njit
    def say(out: Any, x: Any) -> None:
        if code == 0:
            _rows.row(0, out, 8, x, 3, 1.3, 16)
        elif code == 1:
            _rows.row(1, out, 8, x, 3, 1.3, 16)
        elif code == 2:
            _rows.row(2, out, 8, x, 3, 1.3, 16)
        else:
            _rows.row(3, out, 8, x, 3, 1.3, 16)

    x = RNG.normal(size=40)
    fast, plain = np.ones(40), np.ones(40)
    say(fast, x)
    _rows.plain_row(code, plain, 8, x, 3, 1.3, 16)
    assert fast.tobytes() == plain.tobytes()


def test_the_last_models_are_those_of_the_last_record() -> None:
    [run, _] = same(LI, [fl.FedAvg(3, eta, fl.SchemeII(2)) for eta in (0.01, 0.02)], rounds=11, record_every=4)
    error = run.final - LI.constants.minimiser
    assert np.allclose((error * error).sum(axis=1), run.squared_distance[:, -1], rtol=1e-12)
