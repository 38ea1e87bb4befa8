"""Runs by the round's one affine map: the same numbers as step by step, the same bits however they are cut up."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.kernels import _affine
from fltheory.simulate import affine_rounds as module

RNG = np.random.default_rng(5)
N, D = 6, 11


def _problem(scale: float = 1.0) -> fl.QuadraticProblem:
    rng = np.random.default_rng(3)
    factors = rng.standard_normal((N, D, D)) / np.sqrt(D)
    matrices = factors @ factors.swapaxes(1, 2) + 0.1 * np.eye(D)
    return fl.QuadraticProblem(matrices, scale * rng.standard_normal((N, D)), weights=np.arange(1, N + 1) / 21)


def _mixed() -> fl.MixedProblem:
    whole = _problem()
    centre = fl.QuadraticProblem(whole.matrices[:1], whole.vectors[1:2])
    return fl.MixedProblem(fl.QuadraticProblem(whole.matrices[1:], whole.vectors[1:]), centre)


ALGORITHMS: dict[str, tuple[Any, Any]] = {
    "one step": (_problem(), fl.FedAvg(1, 0.2)),
    "many steps": (_problem(), fl.FedAvg(9, 0.2)),
    "unequal steps": (_problem(), fl.FedAvg((1, 2, 3, 4, 5, 6), 0.2)),
    "large units": (_problem(1e9), fl.FedAvg(4, 0.2)),
    "prox": (_problem(), fl.FedProx(4, 0.2, 0.5)),
    "momentum": (_problem(), fl.FedOpt(4, 0.2, 0.5, server=fl.HeavyBall(0.5))),
    "control variates": (_problem(), fl.Scaffold(4, 0.1)),
    "parallel": (_mixed(), fl.ParallelTraining(3, 0.1, 0.1)),
    "two-way transfer": (_mixed(), fl.TwoWayGradientTransfer(3, 0.1, 0.1)),
}


def _watch(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Which jobs were run by one map."""
    seen: list[Any] = []
    run = module.run_affine

    def watched(job: Any, piece: Any, rounds: Any) -> None:
        seen.append(rounds)
        run(job, piece, rounds)

    monkeypatch.setattr(module, "run_affine", watched)
    return seen


@pytest.mark.parametrize("name", ALGORITHMS)
def test_one_map_gives_the_numbers_of_step_by_step(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, algorithm = ALGORITHMS[name]
    seen = _watch(monkeypatch)
    starts = RNG.standard_normal((3, D))
    settings: dict[str, Any] = dict(rounds=23, runs=3, start=starts, record_every=5, keep_models=True)
    fast = fl.simulate(problem, algorithm, **settings)
    slow = fl.simulate(problem, algorithm, backend="numpy", **settings)
    assert len(seen) >= 1 and fast.status == slow.status
    size = np.abs(slow.models).max()
    assert np.abs(fast.models - slow.models).max() < 1e-13 * size
    np.testing.assert_array_equal(fast.rounds, slow.rounds)
    for field in ("gap", "squared_distance", "objective"):
        one, other = getattr(fast, field), getattr(slow, field)
        assert np.abs(one - other).max() < 1e-12 * np.abs(other).max(), field
    other = fl.simulate(problem, replace(algorithm, step_size=0.21), backend="numpy", **settings)
    assert np.abs(fast.models - other.models).max() > 1e-6 * size  # control


def test_bits_do_not_depend_on_neighbours_threads_chunks_or_records() -> None:
    problem, algorithm = _problem(), fl.FedOpt(3, 0.2, 0.7, server=fl.HeavyBall(0.3))
    starts = RNG.standard_normal((9, D))
    whole = fl.simulate(problem, algorithm, rounds=31, runs=9, start=starts, keep_models=True, threads=1, chunk=9)
    for runs in range(1, 9):
        part = fl.simulate(problem, algorithm, rounds=31, runs=runs, start=starts[:runs], keep_models=True, threads=1)
        np.testing.assert_array_equal(part.models, whole.models[:runs])
    cut = fl.simulate(problem, algorithm, rounds=31, runs=9, start=starts, threads=3, chunk=2, record_every=31)
    np.testing.assert_array_equal(cut.final, whole.final)
    np.testing.assert_array_equal(cut.gap[:, -1], whole.gap[:, -1])
    short = fl.simulate(_problem(), algorithm, rounds=12, runs=9, start=starts)  # a map read anew
    np.testing.assert_array_equal(short.final, whole.models[:, 12])


def test_bits_are_those_of_a_call_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, algorithm = _problem(), fl.FedAvg(3, 0.2)
    reports: list[tuple[int, int]] = []
    whole = fl.simulate(problem, algorithm, rounds=40, runs=2, record_every=7, keep_models=True)
    monkeypatch.setattr(module, "MOST_PRODUCTS", 1000)
    settings: dict[str, Any] = dict(rounds=40, runs=2, record_every=7, keep_models=True, threads=1)
    cut = fl.simulate(problem, algorithm, progress=lambda *done: reports.append(done), **settings)
    np.testing.assert_array_equal(cut.models, whole.models)
    assert reports[-1] == (80, 80) and len(reports) == 6


@pytest.mark.parametrize("steps", [1, 6])
def test_a_large_problem_gets_its_map_where_the_rounds_are_worth_it(
    steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    factors = RNG.standard_normal((2, 131, 131)) / 12
    problem = fl.QuadraticProblem(factors @ factors.swapaxes(1, 2) + 0.1 * np.eye(131), RNG.standard_normal((2, 131)))
    seen, algorithm = _watch(monkeypatch), fl.FedAvg(steps, 0.1)
    few = fl.simulate(problem, algorithm, rounds=5)
    assert not seen
    many = fl.simulate(problem, algorithm, rounds=150, record_every=5, keep_models=True, runs=2)
    assert seen
    assert many.models is not None
    np.testing.assert_allclose(many.models[0, 1], few.final[0], atol=1e-13)
    slow = fl.simulate(problem, algorithm, rounds=150, backend="numpy")
    np.testing.assert_allclose(many.final[0], slow.final[0], atol=1e-12)


def test_a_map_is_read_once_for_a_problem_and_an_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, seen = _problem(), _watch(monkeypatch)
    for step_size in (0.1, 0.1, 0.2):
        fl.simulate(problem, fl.FedAvg(2, step_size), rounds=2)
    assert seen[0] is seen[1] is not seen[2]
    alive = weakref.ref(problem)
    seen.clear()
    del problem
    gc.collect()
    assert alive() is None  # the maps that are kept do not keep their problem


@pytest.mark.parametrize("threshold", [1e12, 1e300])
def test_runs_diverge_in_the_round_in_which_they_do_step_by_step(threshold: float) -> None:
    problem, algorithm = _problem(), fl.FedAvg(2, 1.5)
    starts = np.vstack([problem.constants.minimiser * 0 + 10.0**e for e in (0, 3, 6, 9, 11)])
    settings: dict[str, Any] = dict(rounds=700, runs=5, start=starts, record_every=9, divergence_threshold=threshold)
    fast = fl.simulate(problem, algorithm, **settings)
    slow = fl.simulate(problem, algorithm, backend="numpy", **settings)
    assert all("diverged" in status for status in fast.status)
    assert fast.status == slow.status and len(set(fast.status)) > 1
    np.testing.assert_array_equal(np.isfinite(fast.gap), np.isfinite(slow.gap))
    stays = fl.simulate(problem, fl.FedAvg(2, 0.1), **settings)  # control
    assert set(stays.status) == {"completed"}


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        (fl.FedAvg(2, 0.1, fl.SchemeI(2)), {}),
        (fl.FedAvg(2, fl.Harmonic(1.0, 10.0)), {}),
        (fl.FedOpt(2, 0.1, server=fl.Adam()), {}),
        (fl.FedAvg(2, 0.1), {"oracle": fl.AdditiveNoise(0.1)}),
        (fl.FedAvg(2, 0.1), {"backend": "numpy"}),
    ],
    ids=["cohorts", "schedule", "decide", "noise", "numpy"],
)
def test_rounds_that_are_no_constant_map_go_step_by_step(
    algorithm: Any, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = _watch(monkeypatch)
    fl.simulate(_problem(), algorithm, rounds=2, **settings)
    assert not seen
    fl.simulate(_problem(), fl.FedAvg(2, 0.1), rounds=2)
    assert seen  # control


@pytest.mark.parametrize("runs", [1, 4, 5])
@pytest.mark.parametrize("size", [3, 8, 37, 70])
def test_a_round_of_the_kernel_is_made_of_its_plain_tiles(runs: int, size: int) -> None:
    lanes = -(-size // 8) * 8
    columns, state = np.zeros((size, lanes)), np.zeros((runs, lanes))
    columns[:, :size], state[:, :size] = RNG.standard_normal((size, size)), RNG.standard_normal((runs, size))
    shift = np.zeros(lanes)
    plain = np.zeros(runs * lanes)
    _affine.plain_tile(plain, state.ravel(), 0, size, columns.ravel(), lanes, 0, lanes // 8, runs)
    kept, ended, due = np.empty((1, runs, size)), np.full(runs, -1), np.array([1])
    flat = state.ravel().copy()
    room = (np.zeros(0), np.empty_like(flat), np.zeros(runs, dtype=np.uint64), 0)
    work = np.empty_like(flat)
    _affine.advance(flat, work, kept, ended, columns.ravel(), shift, *room, size, lanes, 0, size, 1e12, due)
    np.testing.assert_allclose(kept[0], plain.reshape(runs, lanes)[:, :size], atol=1e-13)
    np.testing.assert_allclose(kept[0], state[:, :size] @ columns[:, :size], atol=1e-13)
    assert np.abs(kept[0] - state[:, :size] @ columns[:, :size].T).max() > 1e-2  # control: columns are not rows
