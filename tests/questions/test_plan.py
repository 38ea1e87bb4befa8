"""fl.plan: its prediction against simulated grids, units, a theorem far from the best, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import fltheory as fl

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
