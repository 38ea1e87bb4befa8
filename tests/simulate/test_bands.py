"""Bands are honest: heavy tails, diverged runs and missed expectations are told, and what was not checked is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.simulate.heavy_tails import any_heavy, heavy, missed, tail_statistic
from fltheory.simulate.run import Run
from fltheory.simulate.statistics import honest_band

#: Two of three clients move the model to 0 and the third away from it: the mean square grows without limit.
SAMPLED = QuadraticProblem(
    np.stack([np.eye(3)] * 3), np.eye(3) * [[1.0], [0.0], [0.0]], weights=np.array([0.98, 0.01, 0.01])
)
ROUNDS = 100
ONE_OF_THREE = fl.FedAvg(5, 0.05, fl.SchemeII(1))


@pytest.fixture(scope="module")
def sampled() -> Run:
    return fl.simulate(SAMPLED, ONE_OF_THREE, rounds=ROUNDS, runs=100, backend="numpy")


def test_the_band_of_the_sampling_example_tells_that_the_mean_is_not_in_the_runs(sampled: Run, tmp_path: Any) -> None:
    exact = fl.moments(SAMPLED, ONE_OF_THREE, rounds=ROUNDS)
    assert exact.gap[-1] > 1e15 and sampled.gap[:, -1].max() < 1e9
    loaded = Run.load(sampled.save(tmp_path / "run"))
    for run in (sampled, loaded):
        np.testing.assert_array_equal(run.known.gap, exact.gap)
        for quantity in ("gap", "squared_distance", "objective"):
            band = run.band(quantity)
            assert band.kind == "quantiles"
            assert band.method.startswith("quantiles of the runs: the mean is not estimated, heavy tails")
            assert "at round 100 the exact expectation is" in band.method
            values = run.values(quantity)
            inside = ((values >= band.low - 1e-12) & (values <= band.high + 1e-12)).mean(axis=0)
            assert (inside >= 0.95 - 1e-9).all()
            assert ((values <= band.middle + 1e-12).mean(axis=0) >= 0.5).all()
            assert ((values >= band.middle - 1e-12).mean(axis=0) >= 0.5).all()
            with pytest.raises(ValueError, match="mean: the band holds quantiles of the runs"):
                _ = band.mean


def test_moments_that_are_given_are_used_and_compared(sampled: Run) -> None:
    calm = fl.moments(SAMPLED, fl.FedAvg(5, 0.05), rounds=ROUNDS)
    assert "the exact expectation is" in sampled.band(moments=calm).method
    with pytest.raises(ValueError, match="moments do not list round 51"):
        sampled.band(moments=fl.moments(SAMPLED, ONE_OF_THREE, rounds=50))
    with pytest.raises(ValueError, match="expected one start"):
        sampled.band(moments=fl.moments(SAMPLED, ONE_OF_THREE, rounds=ROUNDS, start=np.ones(3)))
    with pytest.raises(ValueError, match=r"bound=10000000000.0 is no bound: the exact expectation"):
        sampled.band(bound=1e10)


def test_an_expectation_beyond_the_floats_is_infinite() -> None:
    run = fl.simulate(
        SAMPLED, fl.FedAvg(5, 0.05, fl.SchemeII(1)), rounds=1200, runs=10, backend="numpy", record_every=100
    )
    assert np.isposinf(run.known.gap[-1]) and np.isfinite(run.known.gap[:3]).all()
    assert run.band().kind == "quantiles"


def test_a_tame_run_agrees_and_says_so() -> None:
    noise = fl.AdditiveNoise(0.1)
    for algorithm in (fl.FedAvg(5, 0.05), fl.FedAvg(5, 0.05, fl.NormalisedUniform(2))):
        run = fl.simulate(SAMPLED, algorithm, rounds=30, runs=200, oracle=noise, backend="numpy", record_every=7)
        band = run.band()
        assert (band.kind, band.method) == ("normal", "normal approximation; in agreement with the exact expectation")
        exact = fl.moments(SAMPLED, algorithm, rounds=30, oracle=noise)
        np.testing.assert_allclose(run.known.gap, exact.gap[run.rounds], rtol=1e-13)
        np.testing.assert_array_equal(band.mean, run.gap.mean(axis=0))


@pytest.mark.parametrize("runs", [2, 3])
def test_how_often_the_exact_mean_lies_outside_is_said(runs: int) -> None:
    """Few runs, whose normal limits are too narrow: what chance explains is no miss, but it is no hit either."""
    told = 0
    for seed in range(10):
        run = fl.simulate(
            SAMPLED, fl.FedAvg(1, 0.1), rounds=9, runs=runs, seed=seed, oracle=fl.AdditiveNoise(0.1), backend="numpy"
        )
        band, exact = run.band(), run.known.gap
        assert band.kind == "normal" and exact is not None
        inside = 1 + int(((band.low[1:] <= exact[1:]) & (exact[1:] <= band.high[1:])).sum())  # all runs start alike
        assert (f"lies in the limits at {inside} of 10 records" in band.method) == (inside < 10)
        told += inside < 10
    assert told > 0


def test_what_was_not_checked_is_said(tmp_path: Any) -> None:
    wide = QuadraticProblem(np.stack([np.eye(65)] * 2), np.ones((2, 65)))
    run = fl.simulate(wide, fl.FedAvg(1, 0.1, fl.SchemeI(1)), rounds=2, runs=12, backend="numpy")
    assert run.band().method.endswith("not checked against an exact expectation (a state of dimension 65 exceeds 64)")
    assert "dimension 65" in Run.load(run.save(tmp_path / "wide")).band().method
    starts = np.random.default_rng(0).standard_normal((12, 3))
    run = fl.simulate(SAMPLED, fl.FedAvg(1, 0.1), rounds=2, runs=12, start=starts, backend="numpy")
    assert "the runs start at different models" in run.band().method
    few = fl.simulate(SAMPLED, fl.FedAvg(1, 0.1), rounds=2, runs=3, oracle=fl.AdditiveNoise(0.1), backend="numpy")
    assert "; in agreement with the exact expectation" in few.band().method
    assert few.band().method.endswith("; 3 runs are too few to show heavy tails")
    free = fl.simulate(SAMPLED, fl.FedAvg(1, 0.1), rounds=2, runs=12, backend="numpy", reference=False)
    assert "not checked" in free.band("objective").method


def test_files_of_earlier_versions_are_not_checked(sampled: Run, tmp_path: Any) -> None:
    path = sampled.save(tmp_path / "old")
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if not name.startswith("expected_")}
    arrays["description"] = np.array(
        str(arrays["description"]).replace('"unchecked": ""', '"settings_": 0').replace(', "settings_": 0', "")
    )
    np.savez(path, **arrays)
    loaded = Run.load(path)
    assert loaded.known.gap is None and "without" in loaded.known.reason


def test_runs_that_diverged_are_counted() -> None:
    values = np.ones((20, 3)) + np.arange(20)[:, None] / 100
    values[4, 2] = values[7, 1:] = np.inf
    band = honest_band(values)
    assert band.kind == "quantiles" and "2 of 20 runs diverged" in band.method and "heavy" not in band.method
    assert (
        not np.isnan([band.low, band.middle, band.high]).any()
        and np.isposinf(band.high[2])
        and np.isfinite(band.middle).all()
    )


LAWS: dict[str, Any] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape),
    "chi-square": lambda rng, shape: rng.standard_normal(shape) ** 2,
    "Pareto 2": lambda rng, shape: rng.uniform(size=shape) ** (-1 / 2),
    "Pareto 1.5": lambda rng, shape: rng.uniform(size=shape) ** (-1 / 1.5),
    "Pareto 1": lambda rng, shape: rng.uniform(size=shape) ** (-1.0),
    "lognormal 1": lambda rng, shape: np.exp(rng.standard_normal(shape)),
    "lognormal 2": lambda rng, shape: np.exp(2 * rng.standard_normal(shape)),
    "lognormal 4": lambda rng, shape: np.exp(4 * rng.standard_normal(shape)),
}
#: As the docstring of the test has them.
RATES = {
    "normal": (0, 0, 0),
    "exponential": (0, 0, 0),
    "chi-square": (0.001, 0.001, 0.001),
    "Pareto 2": (0.05, 0.29, 1),
    "Pareto 1.5": (0.09, 0.51, 1),
    "Pareto 1": (0.18, 0.81, 1),
    "lognormal 1": (0.01, 0.06, 0.70),
    "lognormal 2": (0.14, 0.70, 1),
    "lognormal 4": (0.50, 1, 1),
}


@pytest.mark.parametrize("law", LAWS)
def test_the_rates_of_the_test_for_heavy_tails(law: str) -> None:
    for n, samples, rate in zip((20, 100, 1000), (4000, 2000, 500), RATES[law], strict=True):
        found = heavy(LAWS[law](np.random.default_rng(n), (n, samples))).mean()
        error = 4 * np.sqrt(max(rate * (1 - rate), 1e-3) / samples)
        assert abs(found - rate) <= 0.015 + error, n


@pytest.mark.parametrize("n", [10, 11, 15, 33, 333, 3000])
def test_squared_normals_are_seldom_called_heavy(n: int) -> None:
    values = np.random.default_rng(n).standard_normal((n, 3_000_000 // n // 10)) ** 2
    assert heavy(values).mean() <= 0.001 + 4 * np.sqrt(0.001 / values.shape[1])


def test_a_table_of_records_is_seldom_called_heavy() -> None:
    """Squares of 100 correlated normals: a false alarm in one record is none of the table."""
    rng, alarms = np.random.default_rng(3), 0
    for _ in range(100):
        noise = rng.standard_normal((100, 100))
        path = noise.copy()
        for step in range(1, 100):
            path[:, step] = 0.9 * path[:, step - 1] + np.sqrt(1 - 0.81) * noise[:, step]
        alarms += any_heavy(path * path)
    assert alarms <= 5


def test_the_statistic_by_hand() -> None:
    values = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [9.0]])
    assert tail_statistic(values)[0] == pytest.approx((0.25 + 2.25 + 42.25) / 3 / (8.5 / 3) ** 2)
    assert not heavy(np.ones((20, 3))).any() and not heavy(1 + 1e-15 * np.arange(20.0)[:, None] ** 9 % 2).any()


@pytest.mark.parametrize(("n", "most"), [(3, 0.012), (8, 0.006), (20, 0.004), (100, 0.003)])
def test_true_means_are_seldom_missed_and_false_ones_are(n: int, most: float) -> None:
    values = np.random.default_rng(n).standard_normal((n, 3000)) ** 2
    exact = np.ones(1)
    false = np.mean([missed(values[:, i : i + 1], exact)[0] for i in range(3000)])
    assert false <= most + 0.003
    assert missed(values[:, :1], np.array([np.inf]))[0]
    if n >= 8:
        assert np.mean([missed(values[:, i : i + 1], 100 * exact)[0] for i in range(200)]) > 0.5
    if n >= 20:
        assert np.mean([missed(values[:, i : i + 1], 100 * exact)[0] for i in range(200)]) > 0.99


def test_means_of_covered_laws_keep_the_normal_band() -> None:
    values = np.random.default_rng(5).exponential(size=(200, 40))
    band = honest_band(values, exact=np.ones(40))
    assert band.kind == "normal" and "in agreement" in band.method
    assert honest_band(values, exact=np.full(40, 1.5)).kind == "quantiles"
