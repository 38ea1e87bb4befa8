"""Fixed points of large tridiagonal problems: the same as with full matrices, as the rounds say, and in little memory."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.readings import banded_rounds as module
from fltheory.readings.banded_rounds import banded_rounds

ALGORITHMS = {
    "one step": fl.FedAvg(1, 0.3),
    "many steps": fl.FedAvg(7, 0.3),
    "unequal steps": fl.FedAvg((3, 1, 2), 0.3),
    "prox": fl.FedProx(4, 0.2, 0.5),
    "momentum": fl.FedOpt(3, 0.3, server=fl.HeavyBall(0.4)),
}


def _problem(d: int) -> fl.TridiagonalProblem:
    """Three clients without any symmetry between them, one of which leaves out coordinates."""
    rng = np.random.default_rng(4)
    off = rng.uniform(-0.4, 0.4, (3, d - 1))
    off[1, :20] = off[1, 40:] = 0.0
    return fl.TridiagonalProblem(rng.uniform(1, 2, (3, d)), off, rng.standard_normal((3, d)), np.array([0.5, 0.2, 0.3]))


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_the_band_is_the_map_and_its_end_the_fixed_point(
    name: str, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, algorithm = _problem(60), ALGORITHMS[name]
    problem = fl.TridiagonalProblem(problem.diagonals, problem.off_diagonals, scale * problem.vectors, problem.weights)
    dense = fl.round_map(problem, algorithm)
    expected = fl.fixed_point(problem, algorithm)
    monkeypatch.setattr(module, "LEAST_STATE", 2)
    banded = banded_rounds(problem, algorithm, None)
    assert banded is not None
    state = np.random.default_rng(0).standard_normal(dense.layout.size)
    many = len(dense.layout.server)
    one = (dense.matrix @ state).reshape(many, -1).T.ravel()
    other = banded.product(state.reshape(many, -1).T.ravel())
    np.testing.assert_allclose(other, one, atol=1e-14)
    np.testing.assert_allclose(fl.fixed_point(problem, algorithm), expected, rtol=1e-11, atol=1e-12 * scale)
    limit, error = banded.fixed_point()
    assert np.linalg.norm(limit.reshape(-1, many)[:, 0] - expected) <= error < 1e-10 * scale
    assert banded.inverse_norm == pytest.approx(
        np.linalg.norm(np.linalg.inv(np.eye(len(one)) - dense.matrix), 2), rel=0.05
    )
    banded.bands[banded.half] += 1e-6  # control: another map has another end
    shifted = module.BandedRounds(banded.entry, banded.opening, banded.calls, banded.bands, banded.shift)
    assert np.abs(shifted.product(limit) - banded.round(limit) + banded.shift).max() > 1e-8 * scale


def test_mixed_problems_keep_their_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, one = _problem(60), _problem(80)
    centre = fl.TridiagonalProblem(one.diagonals[:1, :60], one.off_diagonals[:1, :59], one.vectors[:1, :60])
    problem, algorithm = fl.MixedProblem(whole, centre), fl.ParallelTraining(3, 0.1, 0.1)
    expected = fl.fixed_point(problem, algorithm)
    monkeypatch.setattr(module, "LEAST_STATE", 2)
    assert banded_rounds(problem, algorithm, None) is not None
    np.testing.assert_allclose(fl.fixed_point(problem, algorithm), expected, rtol=1e-11)


def test_ten_thousand_coordinates_take_little_memory_and_stay_where_they_are() -> None:
    problem, algorithm = fl.li_tridiagonal(10, 1000, 2e-4), fl.FedAvg(10, 0.1)
    fl.fixed_point(fl.li_tridiagonal(2, 400, 0.1), algorithm)  # loads SciPy
    tracemalloc.start()
    point = fl.fixed_point(problem, algorithm)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6e7  # bytes; one full matrix would take 8e8
    after = fl.trajectory(problem, algorithm, rounds=1, start=point).models[1]
    assert np.abs(after - point).max() < 1e-15
    moved = fl.trajectory(problem, algorithm, rounds=1, start=point * (1 + 1e-9)).models[1]  # control
    assert np.abs(moved - point * (1 + 1e-9)).max() > 1e-14


@pytest.mark.parametrize("name", ["many steps", "momentum"])
@pytest.mark.parametrize(("step_size", "ends"), [(0.5, True), (1.2, False)])
def test_rounds_that_do_not_converge_are_refused(name: str, step_size: float, ends: bool) -> None:
    problem = _problem(700)
    algorithm: Any = fl.FedAvg(3, step_size)
    if name == "momentum":
        algorithm = fl.FedOpt(3, step_size, server=fl.HeavyBall(0.4))
    if ends:
        assert np.isfinite(fl.fixed_point(problem, algorithm)).all()
        return
    with pytest.raises(ValueError, match="the rounds (diverge|do not converge)"):
        fl.fixed_point(problem, algorithm)
    with pytest.raises(ValueError, match="the rounds (diverge|do not converge)"):
        fl.fixed_point(_problem(500), algorithm)  # full matrices agree


def test_what_is_not_local_or_not_sure_is_left_to_full_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAST_STATE", 2)
    problem = _problem(60)
    assert banded_rounds(problem, fl.FedAvg(2, 0.1, fl.SchemeI(2)), None) is None
    assert banded_rounds(problem, fl.FedProxExact(1, 0.5), None) is None
    assert banded_rounds(problem, fl.Scaffold(2, 0.1), None) is None
    assert banded_rounds(problem.to_dense(), fl.FedAvg(2, 0.1), None) is None
    assert banded_rounds(problem, fl.FedAvg(2, 0.1), None) is not None  # control


def test_full_matrices_that_memory_cannot_hold_are_refused_with_the_way_out() -> None:
    with pytest.raises(ValueError, match="block=50: too large a request, 20000.8 GB.*li_tridiagonal builds it"):
        fl.li_counterexample(1000, 50)
