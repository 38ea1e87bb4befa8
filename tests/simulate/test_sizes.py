"""What a request is counted as before anything is allocated, against what the run then holds."""

from __future__ import annotations

import numpy as np
import pytest

import fltheory as fl
from fltheory.simulate import loop, simulate


@pytest.mark.parametrize("keep_models", [True, False])
@pytest.mark.parametrize(("rounds", "record_every", "runs"), [(5, 2, 3), (7, 3, 1), (4, 9, 6)])
def test_a_request_is_counted_as_what_the_run_holds(
    monkeypatch: pytest.MonkeyPatch, rounds: int, record_every: int, runs: int, keep_models: bool
) -> None:
    """Every record, and three times the models: those to start from, those of now, those at the end.

    The last round here is never a multiple of ``record_every``, so that it is a record more.
    """
    counted: list[int] = []
    monkeypatch.setattr(loop, "check_request", lambda what, numbers: counted.append(numbers))
    problem = fl.li_counterexample(3, 2, 0.1)
    run = simulate(
        problem, fl.FedAvg(1, 0.1), rounds=rounds, runs=runs, record_every=record_every, keep_models=keep_models
    )
    held = [run.rounds, run.objective, run.gap, run.squared_distance, *([run.models] if keep_models else [])]
    assert run.final.shape == (runs, problem.dimension) and all(array is not None for array in held)
    assert counted == [sum(np.size(array) for array in held) + 3 * run.final.size]


def test_models_alone_can_be_too_large_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory for 2000 numbers: 12 are of one run's records and 363 of 40 runs', the rest holds all models three times."""
    monkeypatch.setattr("fltheory.problems.checks.memory", lambda: 2000 * 8)
    loop._check_size(1, 1, 1, 600, keep_models=False)
    with pytest.raises(ValueError, match="rounds=1 with runs=1, record_every=1: too large a request"):
        loop._check_size(1, 1, 1, 700, keep_models=False)
    loop._check_size(1, 1, 40, 12, keep_models=False)
    with pytest.raises(ValueError, match="rounds=1 with runs=40, record_every=1: too large a request"):
        loop._check_size(1, 1, 40, 14, keep_models=False)
