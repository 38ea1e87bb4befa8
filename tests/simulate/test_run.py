"""A run is saved whole or not at all, comes back the same, and gives honest bands."""

from __future__ import annotations

import sys
from dataclasses import fields, replace

import numpy as np
import pytest

from fltheory.algorithms import FedAvg, SchemeI, SchemeII
from fltheory.problems import (
    AdditiveNoise,
    MiniBatch,
    QuadraticProblem,
    Regulariser,
    SoftmaxProblem,
    li_counterexample,
)
from fltheory.simulate import Run, gradient_second_moment, simulate
from fltheory.simulate.statistics import bernstein_band, normal_band

PROBLEM = li_counterexample(3, 2, 0.1)


def make(**options):
    defaults = {"rounds": 6, "runs": 3, "oracle": AdditiveNoise(0.1), "record_every": 2}
    return simulate(PROBLEM, FedAvg(3, 0.1, SchemeI(2)), **defaults | options)


@pytest.mark.parametrize("keep_models", [True, False])
@pytest.mark.parametrize("reference", [True, False])
def test_saved_runs_come_back_the_same(tmp_path, keep_models, reference):
    run = make(keep_models=keep_models, reference=reference)
    path = run.save(tmp_path / "run")
    assert path.name == "run.npz" and list(tmp_path.iterdir()) == [path]
    again = Run.load(tmp_path / "run")
    for field in fields(Run):
        if field.name == "expectation":
            continue
        before, after = getattr(run, field.name), getattr(again, field.name)
        if isinstance(before, np.ndarray):
            assert before.dtype == after.dtype and before.tobytes() == after.tobytes()
        else:
            assert before == after and type(before) is type(after)
    assert run.known.reason == again.known.reason
    np.testing.assert_array_equal(run.known.gap, again.known.gap)
    np.testing.assert_array_equal(run.known.squared_distance, again.known.squared_distance)


def test_a_save_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = make().save(tmp_path / "run.npz")
    before = path.read_bytes()

    def half(file, **arrays):
        file.write(b"half of it")
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez_compressed", half)
    with pytest.raises(OSError, match="no space left"):
        make(seed=1).save(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_settings_that_cannot_be_written_leave_nothing(tmp_path):
    with pytest.raises(TypeError):
        replace(make(), settings={"seed": object()}).save(tmp_path / "run.npz")
    assert not list(tmp_path.iterdir())


def test_other_files_are_refused(tmp_path):
    np.savez(tmp_path / "other.npz", rounds=np.arange(3))
    (tmp_path / "text.npz").write_text("not an archive")
    with open(tmp_path / "array.npz", "wb") as file:
        np.save(file, np.arange(3))
    whole = make().save(tmp_path / "whole").read_bytes()
    (tmp_path / "half.npz").write_bytes(whole[: len(whole) // 2])
    for name in ("other", "text", "array", "half"):
        with pytest.raises(ValueError, match=f"{name}.npz' is not a saved run"):
            Run.load(tmp_path / f"{name}.npz")


def test_records_and_data_frame():
    run = make()
    records = run.records()
    assert len(records) == 3 * 4
    assert records[5] == {
        "run": 1,
        "round": 2,
        "objective": run.objective[1, 1],
        "gap": run.gap[1, 1],
        "squared_distance": run.squared_distance[1, 1],
        "status": "completed",
    }
    import pandas

    frame = run.to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and frame.shape == (12, 6)
    np.testing.assert_allclose(frame.groupby("round")["gap"].mean(), run.mean(), rtol=1e-14)


def test_without_pandas_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="needs pandas"):
        make().to_dataframe()


def test_unknown_quantities_are_refused():
    with pytest.raises(ValueError, match="quantity='loss' is unknown"):
        make().mean("loss")


def test_the_normal_band_is_the_textbook_one():
    values = np.array([[1.0], [2.0], [4.0], [5.0]])
    band = normal_band(values, level=0.95)
    assert band.mean[0] == 3.0
    # Student's 97.5 % point of three degrees of freedom, from tables
    assert band.high[0] - 3 == pytest.approx(3.182446305 * np.sqrt(10 / 3) / 2, rel=1e-9)
    assert band.low[0] == pytest.approx(6 - band.high[0])


def test_bands_cover_as_often_as_they_say():
    """Means of 30 fair coins, 4,000 times: exact coverage of one side is at least the level for Bernstein."""
    coins = np.random.default_rng(0).integers(0, 2, size=(30, 4000)).astype(float)
    normal, bernstein = normal_band(coins, level=0.9), bernstein_band(coins, 1.0, level=0.9)
    covered = ((normal.low <= 0.5) & (normal.high >= 0.5)).mean()
    assert 0.85 < covered < 0.95
    assert ((bernstein.low <= 0.5) & (bernstein.high >= 0.5)).mean() >= 0.9
    assert (bernstein.high - bernstein.low > normal.high - normal.low).all()


def test_bands_refuse_what_they_cannot_hold():
    with pytest.raises(ValueError, match="bound=1"):
        bernstein_band(np.array([[0.5], [1.5]]), 1.0)
    with pytest.raises(ValueError, match="level=1.0"):
        normal_band(np.zeros((2, 1)), level=1.0)
    with pytest.raises(ValueError, match="runs=1"):
        make(runs=1).band()


def test_second_moments_along_gradient_descent():
    """Exact gradients: the largest squared gradient is that of the start, client by client."""
    moments = gradient_second_moment(PROBLEM, FedAvg(1, 0.05), rounds=5)
    first = (PROBLEM.client_gradients(np.zeros((3, 7))) ** 2).sum(axis=-1).max()
    assert moments.by_round[0] == pytest.approx(first, rel=1e-14)
    assert moments.largest == moments.largest_draw == moments.by_round.max()


def test_second_moments_of_noisy_gradients():
    """``E|g|^2 = |grad|^2 + tr Cov`` at the start; ``|g|^2 - |grad|^2`` averages to d s^2 over runs."""
    problem, runs = QuadraticProblem([np.eye(3)], [np.ones(3)]), 4000
    moments = gradient_second_moment(problem, FedAvg(1, 0.5), rounds=1, runs=runs, oracle=AdditiveNoise(0.5))
    spread = np.sqrt((2 * 3 * 0.5**2 + 4 * 0.5 * 3) / runs)
    assert abs(moments.largest - (3 + 1.5)) < 5 * spread
    assert moments.largest_draw > moments.largest


def test_second_moments_refuse_divergence():
    with pytest.raises(ValueError, match="not finite"):
        gradient_second_moment(PROBLEM, FedAvg(50, 1e6), rounds=3)


def test_the_words_for_a_run_are_what_was_asked_and_measured():
    """What can be worked out of it holds the whole problem with its moments: nothing to print."""
    run = make()
    text = repr(run)
    assert (
        text.startswith("Run(FedAvg on QuadraticProblem(N=")
        and "3 runs of" in text
        and len(text) <= 160
        and "\n" not in text
    )
    told = run._repr_html_()
    assert all(word in told for word in (run.algorithm, "3 completed", "mean gap", run.engine))


@pytest.mark.parametrize("oracle", [None, MiniBatch(2)])
def test_compiled_second_moments_are_the_plain_ones_and_are_kept(oracle):
    rng = np.random.default_rng(3)
    data = [(rng.standard_normal((6, 2)), np.arange(6) % 3) for _ in range(4)]
    problem = SoftmaxProblem.from_arrays(data, Regulariser(0.1, "lambda|w|^2"))
    algorithm, asked = FedAvg(3, 0.2, SchemeII(3)), {"rounds": 5, "runs": 4, "oracle": oracle, "seed": 7}
    compiled = gradient_second_moment(problem, algorithm, **asked)
    plain = gradient_second_moment(problem, algorithm, backend="numpy", **asked)
    np.testing.assert_allclose(compiled.by_round, plain.by_round, rtol=1e-12)
    assert compiled.largest_draw == pytest.approx(plain.largest_draw, rel=1e-12)
    assert gradient_second_moment(problem, algorithm, **asked) is compiled
    other = gradient_second_moment(problem, algorithm, **{**asked, "seed": 8})
    assert other is not compiled and other.largest_draw != compiled.largest_draw
