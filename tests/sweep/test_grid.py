"""The grid, its plan in batches and shards, and the table that comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.processes import FORKS
from fltheory.sweep.plan import plan, shard_of
from fltheory.sweep.progress import Reporter
from fltheory.sweep.seeds import seed_numbers, stretches

PROBLEMS = {"small": fl.li_counterexample(2, 2, 0.1), "large": fl.li_counterexample(4, 2, 0.1)}
GRID: dict[str, Any] = {
    "problems": PROBLEMS,
    "algorithms": {"FedAvg": fl.FedAvg, "FedProx": fl.FedProx},
    "parameters": {"local_steps": [1, 3], "step_size": [0.05, 0.1, 0.2], "mu": [0.5, 1.0]},
    "oracle": fl.AdditiveNoise(0.1),
    "seeds": 6,
    "rounds": 4,
}


def proximal() -> str:
    """The field of FedProx that FedAvg has not."""
    from dataclasses import fields

    return next(
        each.name for each in fields(fl.FedProx) if each.name not in ("local_steps", "step_size", "participation")
    )


@pytest.fixture(scope="module")
def sweep() -> fl.Sweep:
    parameters = {**GRID["parameters"], proximal(): GRID["parameters"]["mu"]}
    del parameters["mu"]
    return fl.Sweep(**{**GRID, "parameters": parameters})


def test_an_algorithm_takes_the_parameters_that_it_has(sweep: fl.Sweep) -> None:
    assert len(sweep.cells) == 2 * (6 + 12) and sweep.size == 6 * 36
    coordinates = [cell.coordinates for cell in sweep.cells]
    assert coordinates[0] == {"problem": "small", "algorithm": "FedAvg", "local_steps": 1, "step_size": 0.05}
    assert sum(proximal() in each for each in coordinates) == 24


def test_batches_hold_what_differs_in_numbers_only(sweep: fl.Sweep) -> None:
    wanted = {cell.key: list(range(6)) for cell in sweep.cells}
    batches = plan(sweep.cells, wanted)
    assert len(batches) == 2 * 2 * 2  # problem, algorithm, local steps
    for batch in batches:
        one = {
            (cell.coordinates["problem"], cell.coordinates["algorithm"], cell.algorithm.local_steps)
            for cell in batch.cells
        }
        assert len(one) == 1 and (batch.first, batch.count) == (0, 6)
    assert max(len(batch.cells) for batch in batches) == 6
    for most, jobs in ((1, 1), (5, 1), (7, 1), (None, 3)):
        cut = plan(sweep.cells, wanted, most=most, jobs=jobs)
        runs = [(cell.key, b.first + r) for b in cut for cell in b.cells for r in range(b.count)]
        assert len(runs) == len(set(runs)) == sweep.size
        assert most is None or max(batch.size for batch in cut) <= most
    wanted[sweep.cells[0].key] = [0, 3, 4]
    assert sum(batch.size for batch in plan(sweep.cells, wanted)) == sweep.size - 3


def test_shards_share_the_work(sweep: fl.Sweep) -> None:
    parts = [shard_of(sweep.cells, range(6), number, 5) for number in range(1, 6)]
    runs = [(key, run) for part in parts for key, found in part.items() for run in found]
    assert len(runs) == len(set(runs)) == sweep.size
    cells = {cell.key: cell.work for cell in sweep.cells}
    work = [sum(cells[key] * len(found) for key, found in part.items()) for part in parts]
    assert max(work) < 1.2 * min(work)
    assert all(len(found) == found[-1] - found[0] + 1 for part in parts for found in part.values())


@pytest.mark.parametrize("how", [{}, {"batch": 4}, {"jobs": 2}])
def test_bits_are_those_of_simulate(sweep: fl.Sweep, how: dict[str, Any]) -> None:
    if "jobs" in how and not FORKS:
        pytest.skip("no forks on this system")
    result = sweep.run(**how)
    assert result.complete and len(result) == sweep.size
    for cell in sweep.cells[::7]:
        run = fl.simulate(cell.problem, cell.algorithm, rounds=4, record_every=4, runs=6, oracle=GRID["oracle"])
        found = result.select(**cell.coordinates)
        assert run.gap is not None and found.values("gap").tobytes() == run.gap.tobytes()


def test_the_table() -> None:
    starts = {"near": [0.1] * 5, "far": [1.0] * 5}
    problem = PROBLEMS["small"]
    assert problem.dimension == 5
    measures = ["gap", "squared_distance", "final"]
    result = fl.sweep(
        problem, fl.FedAvg(1, 0.1), parameters={"step_size": [0.1, 50.0]}, start=starts, seeds=[1, 4], rounds=40, record_every=20,
        measure=measures,
    )  # fmt: skip
    frame = result.to_frame()
    assert list(frame.columns) == ["problem", "algorithm", "step_size", "start", "seed", "round", *measures, "status"]
    assert len(frame) == 2 * 2 * 2 * 3 and set(frame["round"]) == {0, 20, 40} and set(frame["seed"]) == {1, 4}
    assert set(frame[frame.step_size == 50.0].status.str[:8]) == {"diverged"}
    chosen = result.select(step_size=0.1, start=["far"], seed=4)
    assert len(chosen) == 1 and chosen.values("gap").shape == (1, 3) and chosen.values("final").shape == (1, 5)
    start = problem.value(np.ones(5)) - problem.constants.minimum
    assert chosen.values("gap")[0, 0] == pytest.approx(start)
    with pytest.raises(ValueError, match="no axis 'eta'; expected some of problem, algorithm, step_size, start, seed"):
        result.select(eta=1)
    with pytest.raises(ValueError, match="'objective' was not kept"):
        result.values("objective")


def test_other_verbs_and_functions() -> None:
    found = fl.sweep(PROBLEMS, fl.FedAvg, parameters={"local_steps": [1, 4], "step_size": [0.1]}, call=fl.fixed_point)
    for row in found.records():
        exact = fl.fixed_point(PROBLEMS[row["problem"]], fl.FedAvg(row["local_steps"], 0.1))
        assert row["value"] == exact.tolist()
    exact_gap = fl.sweep(
        PROBLEMS,
        fl.FedAvg(2, 0.1),
        parameters={"rounds": [3, 5]},
        call=fl.moments,
        measure=lambda answer: {"gap": answer.gap[-1]},
    )
    assert exact_gap.values("gap").shape == (4,)
    assert exact_gap.records()[1]["gap"] == fl.moments(PROBLEMS["small"], fl.FedAvg(2, 0.1), rounds=5).gap[-1]
    with_status = fl.sweep(PROBLEMS, fl.FedAvg(2, 0.1), call=fl.moments, rounds=3)
    assert with_status.complete and "gap" in with_status.records()[0]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rounds": None}, "expected all three"),
        ({"measure": "loss"}, "measure='loss' is unknown"),
        ({"parameters": {"stepsize": [1]}}, "'stepsize', which no algorithm takes; expected some of local_steps"),
        ({"parameters": {"step_size": []}}, "step_size is empty"),
        ({"parameters": {"step_size": [-1.0], "local_steps": [1]}}, "no algorithm at {'problem': "),
        ({"settings": {"threads": 3}}, "settings has 'threads'"),
        ({"seeds": [1, 1]}, "names one twice"),
        ({"seeds": 0}, "seeds=0"),
    ],
)
def test_refusals(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError) as caught:
        fl.Sweep(**{**GRID, "algorithms": fl.FedAvg(1, 0.1), "parameters": {}, **given}).run()
    assert words in str(caught.value)


def test_seeds() -> None:
    assert seed_numbers(3) == (0, 1, 2) and seed_numbers(range(2, 4)) == (2, 3) and seed_numbers([5, 1]) == (1, 5)
    assert stretches([1, 2, 3, 7, 9, 10]) == [(1, 3), (7, 1), (9, 2)]


def test_progress_tells_rate_and_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    silent, loud = Reporter(100, 20, None), Reporter(100, 20, True)
    loud._begin -= 10
    for reporter in (silent, loud):
        reporter.add(38, 2)
        reporter.close()
    line = capsys.readouterr().err
    assert line == "sweep: 60 of 100 configurations (60 %), 4/s, 10 s left, 2 failed\n"
