"""fl.plan: its prediction against simulated grids, units, a theorem far from the best, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import fltheory as fl
from fltheory.questions.predictions import predictor

README = fl.li_counterexample(n_clients=5, block=4, ridge=2e-4)


def test_the_problem_of_the_readme_within_five_per_cent_of_the_simulated_optimum() -> None:
    counts = (1, 5, 10)
    found = fl.plan(README, fl.FedAvg, rounds=200, local_steps_grid=counts, theorems=False)
    seen = {}
    for row in found.rows:
        steps = row.step_size * np.geomspace(0.5, 2, 25)
        with np.errstate(over="ignore", invalid="ignore"):
            ends = [fl.simulate(README, fl.FedAvg(row.local_steps, eta), rounds=200).gap[0, -1] for eta in steps]
        seen[row.local_steps] = float(np.nanmin(ends))
        assert row.gap == pytest.approx(seen[row.local_steps], rel=0.05)
    assert found.best.local_steps == min(counts, key=lambda count: seen[count])
    assert "exact moments" in repr(found) and "best" in str(found)


def test_with_mini_batches() -> None:
    rng = np.random.default_rng(0)
    rows = [rng.normal(size=(8, 3)) for _ in range(3)]
    answers = [x @ rng.normal(size=3) + 0.3 * rng.normal(size=8) for x in rows]
    problem = fl.ridge_regression(rows, answers, fl.Regulariser(0.1, "lambda/2|w|^2"))
    batch = fl.MiniBatch(2)
    found = fl.plan(problem, fl.FedAvg, local_steps=40, oracle=batch, local_steps_grid=(1, 4, 10), theorems=False)
    assert {row.local_steps * row.rounds for row in found.rows} == {40}
    seen = {}
    for row in found.rows:
        for eta in row.step_size * np.geomspace(0.6, 1.6, 5):
            run = fl.simulate(
                problem, fl.FedAvg(row.local_steps, eta), rounds=row.rounds, oracle=batch, runs=4000, seed=0
            )
            seen[row.local_steps, eta] = float(run.gap[:, -1].mean())
        least = min(gap for (count, _), gap in seen.items() if count == row.local_steps)
        assert row.gap == pytest.approx(least, rel=0.05)
    assert found.best.gap == pytest.approx(min(seen.values()), rel=0.05)


def test_a_budget_at_which_a_theorem_is_far_from_the_best() -> None:
    """A plan that took its step from theorems would show their gap as its own."""
    found = fl.plan(README, fl.FedAvg, rounds=200, local_steps_grid=(1,))
    li = next(row for row in found.theorems if row.theorem.key == "li2020.theorem_1")
    assert li.gap > 50 * found.best.gap and li.bound > li.gap
    assert li.gap == pytest.approx(
        fl.simulate(README, fl.FedAvg(li.local_steps, li.step_size), rounds=200).gap[0, -1], rel=1e-9
    )


def test_units() -> None:
    """3 F at a third of the step size: the same rounds, and three times the gap."""
    problem = fl.li_counterexample(3, 2, 0.1)
    plain, scaled = (
        fl.plan(one, fl.FedAvg, rounds=20, local_steps_grid=(1, 4), theorems=False)
        for one in (problem, fl.problems.Scaled(problem, 3.0))
    )
    for a, b in zip(plain.rows, scaled.rows, strict=True):
        assert a.local_steps == b.local_steps
        assert b.step_size == pytest.approx(a.step_size / 3, rel=1e-6) and b.gap == pytest.approx(3 * a.gap, rel=1e-9)


def _parabolas(*clients: tuple[float, float]) -> fl.QuadraticProblem:
    """One client for each curvature and minimiser."""
    curvatures, places = (np.array(column, dtype=float) for column in zip(*clients, strict=True))
    return fl.QuadraticProblem(curvatures[:, None, None], (curvatures * places)[:, None])


@pytest.mark.parametrize("clients", [((1, 1), (10, 0)), ((1, 1), (2, 0)), ((1, 1e6), (2, 0)), ((1, 1e6), (2, 1e6 + 1))])
def test_predicted_gaps_are_those_of_runs(clients: tuple[tuple[float, float], ...]) -> None:
    """Also where the second client's local steps, beyond stability, begin at its minimiser: those of floats do not stay there."""
    problem = _parabolas(*clients)
    found = fl.plan(problem, fl.FedAvg, rounds=10, local_steps_grid=(1, 2, 20, 50), theorems=False)
    for row in found.rows:
        run = fl.simulate(problem, row.algorithm, rounds=row.rounds)
        assert run.status == ("completed",)
        assert run.gap[0, -1] == pytest.approx(row.gap, rel=1e-5, abs=1e-25 * run.gap[0, 0])


def test_parabolas_in_other_units() -> None:
    base = fl.plan(_parabolas((1, 1), (2, 0)), fl.FedAvg, rounds=10, local_steps_grid=(2, 20, 50), theorems=False)
    for curvature, length in ((2.0**20, 1.0), (2.0**-20, 1.0), (1.0, 2.0**20), (1.0, 2.0**-20)):
        problem = _parabolas((curvature, length), (2 * curvature, 0))
        other = fl.plan(problem, fl.FedAvg, rounds=10, local_steps_grid=(2, 20, 50), theorems=False)
        for a, b in zip(base.rows, other.rows, strict=True):
            assert a.local_steps == b.local_steps and b.step_size * curvature == pytest.approx(a.step_size, rel=1e-6)
            assert b.gap == pytest.approx(a.gap * curvature * length**2, rel=1e-6)


def test_a_run_that_diverges_has_no_finite_gap() -> None:
    """It lists its start alone, which is the minimiser here: a gap of zero."""
    problem = _parabolas((1, 1), (2, 0))
    more = dict(oracle=fl.AdditiveNoise(np.array(1.0)), start=problem.constants.minimiser)
    assert predictor(problem, more["oracle"], None, more["start"]).gap(fl.FedAvg(5, 50.0), 100) == np.inf
    found = fl.plan(problem, fl.FedAvg, rounds=100, local_steps_grid=(1, 5), theorems=False, **more)
    for row in found.rows:
        exact = fl.moments(problem, row.algorithm, rounds=row.rounds, **more)
        assert exact.status == "finished" and exact.gap[-1] == pytest.approx(row.gap, rel=1e-9) and row.gap > 0


def test_a_logistic_regression_on_digits_says_that_it_is_linearised() -> None:
    data = fl.load_digits()
    labels = np.where(data.labels % 2 == 1, 1, -1)
    rows = [rows[:30] for rows in fl.split_by_class(data.labels, 4, seed=0)]
    ridge = fl.Regulariser(0.1, "lambda/2|w|^2")
    problem = fl.LogisticProblem.from_arrays([(data.features[r], labels[r]) for r in rows], ridge)
    found = fl.plan(problem, fl.FedAvg, rounds=50, local_steps_grid=(1, 5), theorems=False)
    assert found.how == "moments linearised at the minimiser" and found.how in str(found)
    run = fl.simulate(problem, found.algorithm, rounds=found.best.rounds)
    assert 0.2 < run.gap[0, -1] / found.best.gap < 5


def test_a_mixed_problem_and_what_is_refused() -> None:
    one = np.array([[2.0, 0.0], [0.0, 1.0]])
    mixed = fl.MixedProblem(
        fl.QuadraticProblem(np.array([one] * 4), np.array([[1.0, 0.0]] * 4)),
        fl.QuadraticProblem(np.array([one[::-1, ::-1]]), np.array([[-1.0, 2.0]])),
    )
    noise = {"oracle": fl.AdditiveNoise(np.array(0.1)), "centre_oracle": fl.AdditiveNoise(np.array(0.2))}
    spent = {"gradients": 300, "local_steps_grid": (1, 5), "cohorts": (4, 2)}
    found = fl.plan(mixed, fl.OneWayGradientTransfer, **spent, **noise)
    for row in found.rows:
        counted = fl.cost(mixed, row.algorithm, rounds=row.rounds)
        assert counted.total("gradients").most + counted.total("central_gradients").most <= 300
    exact = fl.moments(mixed, found.algorithm, rounds=found.best.rounds, **noise)
    assert found.best.gap == pytest.approx(exact.gap[-1], rel=1e-9)
    frame = found.records()
    assert len(frame) == len(found.rows) + len(found.theorems)
    with pytest.raises(ValueError, match="expected exactly one of"):
        fl.plan(mixed, fl.OneWayGradientTransfer, rounds=3, gradients=300)
    with pytest.raises(ValueError, match="pays for no round"):
        fl.plan(mixed, fl.OneWayGradientTransfer, gradients=1)
    with pytest.raises(ValueError, match="no field local_steps"):
        fl.plan(mixed, fl.QuadraticProblem, rounds=3)
