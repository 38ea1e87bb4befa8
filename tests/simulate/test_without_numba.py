"""Where numba is not installed, runs are made by plain NumPy with the same meaning, and whoever asks for kernels is told."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import fltheory as fl
from fltheory import kernels
from fltheory.readings.draws import StreamDraws
from fltheory.simulate.backends import choose_draws, choose_plan
from fltheory.simulate.draws import CompiledDraws


@pytest.fixture
def no_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if numba were not there: its import fails, and what was made with it is not loaded yet."""
    for name in [name for name in sys.modules if name.startswith("fltheory.kernels.")]:
        monkeypatch.delitem(sys.modules, name)
        monkeypatch.delattr(kernels, name.rpartition(".")[2], raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)


def quadratic() -> fl.QuadraticProblem:
    return fl.QuadraticProblem(
        np.array([[[2.0, 1.0], [1.0, 3.0]], [[1.0, 0.0], [0.0, 5.0]]]), np.array([[1.0, 0], [0, 2]])
    )


def logistic() -> fl.LogisticProblem:
    points = [
        np.array([[1.0, 2.0], [0.5, -1.0], [2.0, 0.0]]),
        np.array([[0.0, 1.0], [1.0, 1.0], [-1.0, 2.0], [3.0, 1.0]]),
    ]
    labels = [np.array([1, -1, 1]), np.array([1, -1, 1, -1])]
    return fl.LogisticProblem(points, labels, fl.Regulariser(0.1, "lambda/2|w|^2"))


@pytest.mark.usefixtures("no_numba")
@pytest.mark.parametrize("oracle", [fl.AdditiveNoise(0.5), None])
def test_quadratics_run_in_plain_numpy(oracle: fl.AdditiveNoise | None) -> None:
    more = {} if oracle is None else {"oracle": oracle}
    chosen, plain = (
        fl.simulate(quadratic(), fl.FedAvg(2, 0.1), rounds=3, runs=4, seed=5, backend=backend, **more)
        for backend in ("auto", "numpy")
    )
    np.testing.assert_array_equal(chosen.models, plain.models)


@pytest.mark.usefixtures("no_numba")
def test_batches_are_drawn_in_plain_numpy() -> None:
    runs = [
        fl.simulate(logistic(), fl.FedAvg(2, 0.1), rounds=3, runs=4, seed=5, backend=backend, oracle=fl.MiniBatch(2))
        for backend in ("auto", "numpy")
    ]
    np.testing.assert_array_equal(runs[0].models, runs[1].models)
    assert choose_draws("auto") is StreamDraws and choose_draws("numba") is StreamDraws


def test_with_numba_batches_are_compiled_unless_plain_ones_are_asked_for() -> None:
    assert choose_draws("auto") is CompiledDraws and choose_draws("numba") is CompiledDraws
    assert choose_draws("numpy") is StreamDraws


@pytest.mark.usefixtures("no_numba")
def test_kernels_that_were_asked_for_are_missed() -> None:
    oracle = fl.AdditiveNoise(1.0)
    with pytest.raises(ValueError, match="backend='numba': .*numba.*; expected an installed numba, or backend='numpy'"):
        choose_plan("numba", quadratic(), oracle, fl.FedAvg(2, 0.1))
    assert choose_plan("auto", quadratic(), oracle, fl.FedAvg(2, 0.1)) is None
    assert choose_plan("numpy", quadratic(), oracle, fl.FedAvg(2, 0.1)) is None


def test_kernels_are_taken_where_they_exist() -> None:
    """Plain NumPy only where it is asked for."""
    oracle, algorithm = fl.AdditiveNoise(1.0), fl.FedAvg(2, 0.1)
    for backend in ("auto", "numba"):
        assert choose_plan(backend, quadratic(), oracle, algorithm) is not None
    assert choose_plan("numpy", quadratic(), oracle, algorithm) is None


def test_a_schedule_that_changes_is_told_to_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of a round may be put together only if every round takes the same."""
    told: list[bool] = []
    monkeypatch.setattr(
        "fltheory.simulate.backends.plan_for",
        lambda problem, oracle, *, constant_steps=None: told.append(constant_steps),
    )
    constant = fl.FedAvg(2, 0.1)
    changing = replace(constant, step_size=fl.Harmonic(1.0, 10.0))
    for algorithm in (constant, changing):
        assert choose_plan("auto", quadratic(), fl.AdditiveNoise(1.0), algorithm) is None
    assert told == [True, False]
