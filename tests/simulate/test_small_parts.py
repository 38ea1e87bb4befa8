"""Small parts of a run: what its text leaves out, addresses of noise, a device that is not there, work that is called off."""

from __future__ import annotations

import sys
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms.optimisers import Remembering
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.oracles import AdditiveNoise
from fltheory.simulate import simulate

PROBLEM = fl.QuadraticProblem(np.array([[[2.0]], [[1.0]]]), np.array([[1.0], [0.0]]))


def test_the_text_of_a_run_says_nothing_of_how_its_expectation_is_found() -> None:
    assert "expectation" not in repr(simulate(PROBLEM, fl.FedAvg(1, 0.1), rounds=2))


def test_the_model_of_a_state_is_its_first_vector() -> None:
    model, memory = SimpleNamespace(), SimpleNamespace()
    assert Remembering(model, memory).model is model  # type: ignore[arg-type]


def test_a_device_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def count() -> int:
        raise RuntimeError("no driver")

    cupy = SimpleNamespace(cuda=SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=count)))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    with pytest.raises(ValueError, match=r"no usable device \(no driver\)"):
        simulate(PROBLEM, fl.FedAvg(1, 0.1), rounds=1, backend="cupy")


def test_exact_expectations_have_the_noise_of_the_centre() -> None:
    centre = fl.QuadraticProblem(np.array([[[1.0]]]), np.array([[0.5]]))
    mixed = MixedProblem(fl.Scaled(PROBLEM, 0.5), fl.Scaled(centre, 0.5))
    algorithm = fl.OneWayGradientTransfer(1, 0.1, 1.0)
    settings: dict[str, Any] = dict(rounds=3, runs=2, oracle=AdditiveNoise(0.0))
    quiet = simulate(mixed, algorithm, centre_oracle=AdditiveNoise(0.0), **settings).known.squared_distance
    loud = simulate(mixed, algorithm, centre_oracle=AdditiveNoise(2.0), **settings).known.squared_distance
    assert quiet is not None and loud is not None
    assert loud[-1] > quiet[-1] + 0.01


def test_work_that_waits_is_called_off_when_one_part_fails() -> None:
    started: list[int] = []

    def fail(done: int, total: int) -> None:
        started.append(done)
        time.sleep(0.02)
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        simulate(PROBLEM, fl.FedAvg(1, 0.1), rounds=3, runs=200, threads=2, chunk=1, progress=fail)
    assert len(started) < 20
