"""Invalid input, divergence, interruption: each ends with a message or a status, and never with a NaN."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from fltheory.algorithms import FedAvg, Scaffold, SchemeI, SchemeII
from fltheory.problems import (
    AdditiveNoise,
    Exact,
    FiniteSupportNoise,
    MiniBatch,
    QuadraticProblem,
    li_counterexample,
    li_tridiagonal,
    ridge_regression,
)
from fltheory.simulate import gradient_second_moment, simulate

PROBLEM = li_counterexample(3, 2, 0.1)
ALGORITHM = FedAvg(3, 0.1)
BOWL = QuadraticProblem([[[1.0]], [[1.0]]], [[0.0], [0.0]])
BACKENDS = ("numba", "numpy")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rounds": 0}, "rounds=0"),
        ({"rounds": 2.5}, "rounds=2.5"),
        ({"runs": 0}, "runs=0"),
        ({"record_every": 0}, "record_every=0"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": 2**64}, "seed=18446744073709551616"),
        ({"first_run": -1}, "first_run=-1"),
        ({"threads": 0}, "threads=0"),
        ({"chunk": 0}, "chunk=0"),
        ({"divergence_threshold": 0.0}, "divergence_threshold=0.0"),
        ({"start": np.zeros(3)}, r"start has shape \(3,\); expected \(7,\)"),
        ({"start": np.zeros((2, 7))}, r"start has shape \(2, 7\); expected \(1, 7\)"),
        ({"start": [0, 0, 0, float("nan"), 0, 0, 0]}, r"start\[3\]=nan is not finite"),
        ({"backend": "torch"}, "backend='torch' is unknown"),
        ({"oracle": MiniBatch(2)}, "samples"),
        ({"oracle": AdditiveNoise(np.eye(3))}, r"covariance has shape \(3, 3\); expected \(7, 7\)"),
        ({"oracle": FiniteSupportNoise([[1.0], [-1.0]], [0.5, 0.5])}, r"support has shape \(2, 1\); expected \(2, 7\)"),
        ({"oracle": "exact"}, "oracle='exact' is unknown"),
    ],
)
def test_bad_arguments_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        simulate(PROBLEM, ALGORITHM, **{"rounds": 2, **changes})
    if changes.keys() <= {"rounds", "runs", "seed", "start", "oracle"}:
        with pytest.raises(ValueError, match=message):
            gradient_second_moment(PROBLEM, ALGORITHM, **{"rounds": 2, **changes})


@pytest.mark.parametrize("backend", BACKENDS)
def test_batches_that_do_not_fit_are_refused_before_the_first_round(backend):
    small = ridge_regression([np.eye(2), np.ones((5, 2))], [np.ones(2), np.ones(5)], 0)
    rounds = []
    with pytest.raises(ValueError, match="size=3 exceeds the 2 samples"):
        simulate(
            small,
            FedAvg(1, 0.1, SchemeII(1)),
            rounds=1,
            oracle=MiniBatch(3),
            backend=backend,
            progress=lambda *done: rounds.append(done),
        )
    assert not rounds
    with pytest.raises(ValueError, match="TridiagonalProblem has no samples"):
        simulate(li_tridiagonal(3, 2, 0.1), ALGORITHM, rounds=1, oracle=MiniBatch(1))


def test_what_is_no_scheme_is_refused():
    with pytest.raises(ValueError, match="participation='full' is no participation scheme"):
        simulate(PROBLEM, FedAvg(1, 0.1, "full"), rounds=1)


def test_more_clients_per_round_than_clients_are_refused():
    with pytest.raises(ValueError, match="K=4 clients per round exceeds N=3"):
        simulate(PROBLEM, FedAvg(1, 0.1, SchemeII(4)), rounds=1)


def test_kernels_that_do_not_exist_are_refused_by_name():
    class Other(QuadraticProblem):
        """A user's own problem: its gradients may be anything."""

    other = Other(PROBLEM.matrices, PROBLEM.vectors)
    with pytest.raises(ValueError, match="no kernels for Other with Exact"):
        simulate(other, ALGORITHM, rounds=1, backend="numba")
    assert simulate(other, ALGORITHM, rounds=1).settings["backend"] == "numpy"


def test_a_missing_gpu_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(ValueError, match="backend='cupy': the module cupy is not installed"):
        simulate(PROBLEM, ALGORITHM, rounds=1, backend="cupy")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("step_size", [3.0, 1e200])
def test_a_run_that_diverges_ends_with_a_status_and_the_others_go_on(backend, step_size):
    start = np.array([[0.0], [1.0], [0.0]])
    run = simulate(
        BOWL, FedAvg(2, step_size), rounds=60, runs=3, start=start, backend=backend, keep_models=True, chunk=2
    )
    if step_size == 3.0:  # each step multiplies by -2: |w_r| = 4^r passes 1e12 at r = 20
        assert run.status == ("completed", "diverged at round 20", "completed")
        np.testing.assert_allclose(run.squared_distance[1, :20], 16.0 ** np.arange(20))
        assert np.isposinf(run.squared_distance[1, 20:]).all()
    else:
        assert run.status == ("completed", "diverged at round 1", "completed")
    assert (run.gap[[0, 2]] == 0).all() and (run.models[[0, 2]] == 0).all()
    assert not run.completed and np.isposinf(run.final[1]).all()
    for numbers in (run.objective, run.gap, run.squared_distance, run.models, run.final):
        assert not np.isnan(numbers).any()
    assert run.mean()[0] == pytest.approx(1 / 6) and np.isposinf(run.mean()[-1])
    band = run.band()
    assert np.isposinf(band.high[-1]) and not np.isnan(band.low).any()


@pytest.mark.parametrize("backend", BACKENDS)
def test_per_client_state_that_diverges_is_retired_too(backend):
    run = simulate(BOWL, Scaffold(3, 4.0, participation=SchemeI(1)), rounds=400, start=[1.0], backend=backend)
    assert run.status[0].startswith("diverged at round ")
    assert not np.isnan(run.objective).any()


def test_the_threshold_is_the_users():
    run = simulate(BOWL, FedAvg(1, 3.0), rounds=9, start=[1.0], divergence_threshold=5.0)
    assert run.status == ("diverged at round 3",)


class Interrupt:
    """Presses the keys after so many calls."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def __call__(self, finished: int, total: int) -> None:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt


def test_an_interrupted_run_keeps_its_records():
    run = simulate(PROBLEM, ALGORITHM, rounds=50, runs=2, progress=Interrupt(6), threads=1, chunk=2)
    whole = simulate(PROBLEM, ALGORITHM, rounds=50, runs=2)
    assert run.status == ("interrupted", "interrupted")
    assert run.rounds.tolist() == list(range(8))
    assert (run.gap == whole.gap[:, :8]).all()


def test_chunks_that_were_finished_stay_whole():
    run = simulate(PROBLEM, ALGORITHM, rounds=10, runs=6, progress=Interrupt(23), threads=1, chunk=2)
    assert run.run_ids.tolist() == [0, 1, 2, 3] and run.status == ("completed",) * 4
    assert run.settings["requested_runs"] == 6


def test_an_interrupt_reaches_all_threads():
    run = simulate(PROBLEM, ALGORITHM, rounds=2000, runs=4, progress=Interrupt(40), threads=2, chunk=2)
    assert "interrupted" in run.status
    assert 1 <= len(run.rounds) < 2001 and np.isfinite(run.gap).all()


def test_errors_inside_threads_are_raised():
    def fail(finished, total):
        raise RuntimeError("the caller's own trouble")

    with pytest.raises(RuntimeError, match="own trouble"):
        simulate(PROBLEM, ALGORITHM, rounds=3, runs=4, threads=2, chunk=1, progress=fail)


def test_progress_counts_rounds_of_runs():
    seen = []
    simulate(
        PROBLEM, ALGORITHM, rounds=10, runs=4, record_every=4, chunk=2, threads=1, progress=lambda *a: seen.append(a)
    )
    assert seen == [(8, 40), (16, 40), (20, 40), (28, 40), (36, 40), (40, 40)]


@pytest.mark.parametrize(
    "oracle",
    [Exact(), AdditiveNoise(1.0), FiniteSupportNoise(np.array([[1.0], [-1.0]]), np.array([0.5, 0.5]))],
    ids=lambda o: type(o).__name__,
)
def test_the_settings_say_how_to_repeat_a_run(oracle):
    run = simulate(BOWL, FedAvg(2, 0.5, SchemeI(1)), rounds=3, runs=2, seed=11, oracle=oracle)
    assert run.settings == {
        "seed": 11,
        "rounds": 3,
        "record_every": 1,
        "backend": "numba",
        "divergence_threshold": 1e12,
        "requested_runs": 2,
    }
    assert run.problem == "QuadraticProblem(N=2, d=1)" and "SchemeI" in run.algorithm
    assert type(oracle).__name__ in run.oracle
