"""FedLAMA: its special cases, its rounds against a plain loop, its intervals and what it sends."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms import LayerIntervals, Showing
from fltheory.algorithms.intervals import RULES, intervals
from fltheory.readings.enumeration import enumerate_moments
from fltheory.readings.gram import program

PROBLEM = fl.layered_quadratic(
    {"a": 2, "b": 3, "c": 1},
    [[1, 2, F(1, 2)], [F(1, 2), 1, 2], [2, F(1, 3), 1]],
    [[1, 0, 2], [0, -1, 3], [2, 2, -1]],
    coupling=F(1, 4),
)
FLOATS = PROBLEM.to_float()
SIZES = PROBLEM.blocks.sizes


def plain(rounds: int, base: int, factor: int, rate: Any, *, rule: Any = None, printed: bool = False) -> Any:
    """Algorithms 1 and 2 as a loop over clients' arrays: models, intervals of each round, averagings of each layer."""
    w, waits = np.zeros(6), [base] * 3
    models, history, counts = [w], [tuple(waits)], np.zeros(3)
    place = PROBLEM.blocks.block_of
    for _ in range(rounds):
        x, unit = np.tile(w, (3, 1)), [0.0] * 3
        for step in range(1, base * factor + 1):
            x = x - rate * FLOATS.client_gradients(x)
            for layer in range(3):
                index = step - 1 if printed else step
                if index % waits[layer] == 0:
                    own = place == layer
                    mean = x[:, own].mean(axis=0)
                    unit[layer] = ((x[:, own] - mean) ** 2).sum() / 3 / (waits[layer] * SIZES[layer])
                    x[:, own] = mean
                    counts[layer] += step < base * factor
        counts += 1
        w = x.mean(axis=0)
        waits = list(intervals(unit, SIZES, base, factor, rule)) if rule else waits
        models.append(w)
        history.append(tuple(waits))
    return np.array(models), history, counts


def test_factor_one_is_fedavg() -> None:
    """Bit for bit, exactly, in worst cases and in cost, under sampling too."""
    for scheme in (fl.Full(), fl.SchemeII(2), fl.Original(1)):
        one, other = fl.FedLAMA(3, 1, 0.1, scheme), fl.FedAvg(3, 0.1, scheme)
        runs = [
            fl.simulate(FLOATS, a, rounds=4, runs=3, oracle=fl.layer_noise(PROBLEM, [1, 0, 2])) for a in (one, other)
        ]
        assert (runs[0].final == runs[1].final).all()
        assert (fl.moments(FLOATS, one, rounds=3).gap == fl.moments(FLOATS, other, rounds=3).gap).all()
        assert repr(fl.cost(PROBLEM, one, 3)) == repr(fl.cost(PROBLEM, other, 3))
    exact = [fl.round_map(PROBLEM, a(3, *n, F(1, 10)), exact=True) for a, n in ((fl.FedLAMA, (1,)), (fl.FedAvg, ()))]
    assert (exact[0].matrix == exact[1].matrix).all() and (exact[0].shift == exact[1].shift).all()
    assert program(fl.FedLAMA(2, 1, F(1, 4)), rounds=2) == program(fl.FedAvg(2, F(1, 4)), rounds=2)


@pytest.mark.parametrize(
    ("given", "steps", "rounds"), [((3, 3, 3), 3, 6), ((6, 6, 6), 6, 3), ((7, 7, 9), 6, 3), ((1, 1, 1), 1, 18)]
)
def test_equal_intervals_are_fedavg(given: tuple[int, ...], steps: int, rounds: int) -> None:
    one = fl.trajectory(PROBLEM, fl.FedLAMA(3, 2, F(1, 10), intervals=given), rounds=3, exact=True)
    other = fl.trajectory(PROBLEM, fl.FedAvg(steps, F(1, 10)), rounds=rounds, exact=True)
    assert one.models[-1].tolist() == other.models[-1].tolist()


@pytest.mark.parametrize("index", ["after the interval", "printed"])
@pytest.mark.parametrize("rule", RULES)
def test_rounds_and_intervals_are_those_of_a_plain_loop(rule: str, index: str) -> None:
    found = fl.trajectory(FLOATS, fl.FedLAMA(4, 2, 0.1, rule=rule, index=index), rounds=6)
    models, history, counts = plain(6, 4, 2, 0.1, rule=rule, printed=index == "printed")
    np.testing.assert_allclose(found.models, models, rtol=1e-12, atol=1e-12)
    first = [int(PROBLEM.blocks.indices(layer)[0]) for layer in range(3)]
    _, waits, averaged = found.state.reshape(3, 6)
    assert tuple(waits[first]) == history[-1] and averaged[first].tolist() == counts.tolist()


@pytest.mark.parametrize("index", ["after the interval", "printed"])
def test_given_intervals(index: str) -> None:
    def rule(d: Any, sizes: Any, base: int, factor: int) -> tuple[int, ...]:
        return (4, 8, 4)

    one = fl.FedLAMA(4, 2, 0.1, intervals=(4, 8, 4), index=index)
    found = fl.trajectory(FLOATS, one, rounds=3)
    other = fl.trajectory(FLOATS, fl.FedLAMA(4, 2, 0.1, rule=rule, index=index), rounds=4)
    start = other.models[1]
    again = fl.trajectory(FLOATS, one, rounds=3, start=start)
    np.testing.assert_allclose(again.models, other.models[1:], rtol=1e-12)
    assert found.models.shape == (4, 6)


def test_every_reading_takes_given_intervals() -> None:
    one = fl.FedLAMA(2, 2, F(1, 10), intervals=(2, 4, 2))
    run = fl.trajectory(PROBLEM, one, rounds=2, exact=True)
    matrix = fl.round_map(PROBLEM, one, exact=True)
    assert matrix(matrix(matrix.start)).tolist() == run.models[-1].tolist()
    noise = fl.layer_noise(PROBLEM, [F(1), F(2), F(0)])
    law = fl.moments(PROBLEM, one, rounds=40, oracle=noise)
    stationary = fl.stationary(PROBLEM, one, oracle=noise)
    np.testing.assert_allclose(law.covariance[-1], stationary.covariance, rtol=1e-9, atol=1e-12)
    limit = fl.fixed_point(PROBLEM, one, exact=True)
    assert matrix(limit).tolist() == list(limit)
    long = fl.simulate(FLOATS, fl.FedLAMA(2, 2, 0.1, intervals=(2, 4, 2)), rounds=300, runs=40, oracle=noise, seed=1)
    spread = np.sqrt(np.diag(stationary.covariance) / 40)
    assert (np.abs(long.final.mean(axis=0) - stationary.mean) < 5 * spread).all()


def test_what_adapts_looks_at_values() -> None:
    one = fl.FedLAMA(2, 2, 0.1)
    for read in (fl.moments, fl.cost):
        with pytest.raises(ValueError, match="values"):
            read(FLOATS, one, rounds=1)
    for read in (fl.round_map, fl.fixed_point, fl.stationary):
        with pytest.raises(ValueError, match="looks at values"):
            read(FLOATS, one)
    with pytest.raises(ValueError, match="its values are no rational numbers"):
        fl.trajectory(PROBLEM, one, rounds=1, exact=True)


def test_a_cohort_for_every_round() -> None:
    """Two averages of one cohort: a mixture over the cohorts, and runs agree with it."""
    one = fl.FedLAMA(2, 2, 0.1, fl.SchemeII(2), intervals=(2, 4, 2))
    with pytest.raises(ValueError, match="mix over the cohorts"):
        fl.moments(FLOATS, one, rounds=1)
    exact = enumerate_moments(FLOATS, one, rounds=2)
    run = fl.simulate(FLOATS, one, rounds=2, runs=4000, seed=3, reference=False)
    spread = np.sqrt(np.diag(exact.covariance[-1]) / 4000)
    assert (np.abs(run.final.mean(axis=0) - exact.mean[-1]) < 5 * spread).all()
    adaptive = fl.simulate(FLOATS, fl.FedLAMA(2, 2, 0.1, fl.SchemeII(2)), rounds=5, runs=3)
    assert adaptive.completed


def test_costs_by_equation_8() -> None:
    """``sum_l dim_l kappa_l`` with the averagings of each layer, up and down, for every client."""
    one = fl.FedLAMA(3, 4, 0.1, intervals=(3, 12, 6))
    assert one.intervals.counts(12) == (4, 1, 2)  # type: ignore[union-attr]
    found = fl.cost(PROBLEM, one, rounds=5)
    assert found.by_layer("up").tolist() == found.by_layer("down").tolist() == [[4, 1, 2]] * 5
    assert found.numbers_sent == 2 * 3 * 5 * (4 * 2 + 1 * 3 + 2 * 1) and found.gradients == 12
    whole = fl.cost(PROBLEM, fl.FedAvg(3, 0.1), rounds=20)
    assert whole.numbers_sent == 2 * 3 * 20 * 6


def test_counting_does_not_take_longer_for_many_layers() -> None:
    """Layers that are due together are counted together: rounds whose step sizes change are counted one by one."""
    sizes = fl.Blocks.of([10] * 50)
    one = fl.FedLAMA(6, 4, fl.Harmonic(1.0, 10.0), intervals=(6, 24) * 25)
    found = fl.cost((10, sizes), one, rounds=150)
    assert found.numbers_sent == 2 * 10 * 150 * 250 * (4 + 1) and found.round(149).gradients == 24


def test_kernels_and_plain_arrays() -> None:
    """Layers of softmax regression with mini-batches: the draws are the same, the sums to rounding."""
    problem = fl.synthetic(1, 1, n_clients=4, seed=0, features=5, classes=3).softmax(
        fl.Regulariser(0.01, "lambda/2|w|^2")
    )
    for one in (
        fl.FedLAMA(2, 2, 0.05, intervals=(2, 4)),
        fl.FedLAMA(2, 2, 0.05),
        fl.FedLAMA(2, 2, 0.05, fl.SchemeI(2)),
    ):
        runs = [
            fl.simulate(problem, one, rounds=4, runs=2, oracle=fl.MiniBatch(3), backend=backend, reference=False)
            for backend in ("auto", "numpy")
        ]
        np.testing.assert_allclose(runs[0].final, runs[1].final, rtol=1e-10, atol=1e-12)


def test_a_run_that_overflows_ends_as_diverged() -> None:
    run = fl.simulate(FLOATS, fl.FedLAMA(2, 2, 1e100), rounds=20)
    assert "diverged" in run.status[0]


def test_schedules_of_layers() -> None:
    plan = LayerIntervals((2, 3))
    assert [step for step in range(1, 7) if plan.due(step)[0]] == [2, 4, 6]
    assert plan.steps(6) == (2, 3, 4) and plan.counts(6) == (3, 2)
    shifted = LayerIntervals((2, 3), first=1)
    assert [shifted.due(step) for step in (1, 2, 3, 4)] == [(True, True), (False, False), (True, False), (False, True)]
    assert shifted.steps(6) == (1, 3, 4, 5) and shifted.counts(6) == (4, 3)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: fl.FedLAMA(0, 2, 0.1), "base=0"),
        (lambda: fl.FedLAMA(2, 0, 0.1), "factor=0"),
        (lambda: fl.FedLAMA(2, 2, -0.1), "step_size=-0.1"),
        (lambda: fl.FedLAMA(2, 2, 0.1, rule="none"), "rule='none'"),
        (lambda: fl.FedLAMA(2, 2, 0.1, rule=3), "rule=3"),  # type: ignore[arg-type]
        (lambda: fl.FedLAMA(3, 2, 0.1, rule="accelerated"), "is no multiple of factor=2"),
        (lambda: fl.FedLAMA(2, 2, 0.1, index="before"), "index='before'"),
        (lambda: fl.FedLAMA(2, 2, 0.1, intervals=(0, 1)), "intervals=0"),
        (lambda: fl.FedLAMA(2, 2, 0.1, intervals=()), "expected one count for each layer"),
        (lambda: LayerIntervals((1,), first=0), "first=0"),
        (lambda: fl.trajectory(FLOATS, fl.FedLAMA(2, 2, 0.1, intervals=(2, 4)), rounds=1), "one for each of 3 blocks"),
    ],
)
def test_what_is_refused(make: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()


def test_what_a_run_has_sent() -> None:
    """Intervals and averagings along a run of its own draws."""
    one, noise = fl.FedLAMA(2, 3, 0.1), fl.layer_noise(PROBLEM, [1, 0, 2])

    def run(algorithm: Any) -> Any:
        return fl.simulate(FLOATS, algorithm, rounds=6, runs=2, oracle=noise, seed=5, keep_models=True, reference=False)

    waits, averaged = run(Showing(one, "intervals")).models, run(Showing(one, 2)).models
    assert (run(Showing(one, "model")).models == run(one).models).all()
    assert set(np.unique(waits)) <= {2.0, 6.0} and (waits[:, 0] == 2).all()
    assert (np.diff(averaged, axis=1) == 6 / waits[:, :-1]).all()
    with pytest.raises(ValueError, match="is no server vector of the state"):
        run(Showing(one, "momentum"))
    with pytest.raises(ValueError, match="is no algorithm"):
        Showing(3, 0)


def test_a_run_that_has_diverged_leaves_the_others_alone() -> None:
    starts = np.vstack([np.zeros(6), np.full(6, 1e11)])
    run = fl.simulate(FLOATS, fl.FedLAMA(2, 2, 0.1), rounds=5, runs=2, start=starts, divergence_threshold=1e10)
    alone = fl.simulate(FLOATS, fl.FedLAMA(2, 2, 0.1), rounds=5)
    assert (run.final[0] == alone.final[0]).all() and "diverged" in run.status[1]
