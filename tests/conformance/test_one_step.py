"""The K = 1 test of mixed FL: the package's own algorithms pass, and implementations with typical slips fail."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fltheory.conformance.one_step import CASES, one_step_check
from fltheory.readings.trajectory import trajectory


def package(algorithm: Any, problem: Any, start: Any, rounds: int) -> Any:
    return trajectory(problem, algorithm, rounds=rounds, start=start).models


def plain(algorithm: Any, problem: Any, start: Any, rounds: int) -> Any:
    """An implementation that shares no code with the package's rounds."""
    name = type(algorithm).__name__
    eta = algorithm.step_size.value
    x, u, v = start, problem.centre_gradient(start), problem.client_gradients(np.tile(start, (3, 1))).mean(axis=0)
    path = [x]
    for _ in range(rounds):
        clients = problem.client_gradients(np.tile(x, (3, 1)))
        central = problem.centre_gradient(x)
        server = algorithm.server_step_size.value
        if name == "OneWayGradientTransfer":
            x = x - server * eta * (clients + central).mean(axis=0)
        else:
            shared = (u, v) if name == "TwoWayGradientTransfer" else (0 * u, 0 * v)
            of_centre = -algorithm.central_step_size.value * (central + shared[1])
            of_clients = -eta * (clients + shared[0]).mean(axis=0)
            x = x + algorithm.merge_step_size.value * (of_centre + server * of_clients)
            u, v = -of_centre / eta - shared[1], -of_clients / eta - shared[0]
        path.append(x)
    return np.array(path)


@pytest.mark.parametrize("run", [package, plain])
def test_right_implementations_pass(run: Any) -> None:
    report = one_step_check(run)
    assert report.passed and set(report.deviations) == set(CASES) and max(report.deviations.values()) < 1e-12


def slipped(**changes: Any) -> Any:
    def run(algorithm: Any, problem: Any, start: Any, rounds: int) -> Any:
        known = {name: value for name, value in changes.items() if hasattr(algorithm, name)}
        return package(replace(algorithm, **known), problem, start, rounds)

    return run


@pytest.mark.parametrize(
    ("changes", "failures"),
    [
        ({"central_step_size": 0.1001}, {"parallel", "2-way"}),
        ({"server_step_size": 1}, {"parallel", "1-way"}),
        ({"merge_step_size": 1}, {"2-way"}),
        ({"initial": "zero"}, {"2-way"}),
        ({"local_steps": 2}, {"parallel", "1-way", "2-way"}),
        ({"merge": "average"}, {"parallel", "2-way"}),
    ],
)
def test_slips_are_found(changes: dict[str, Any], failures: set[str]) -> None:
    report = one_step_check(slipped(**changes))
    assert set(report.failures) == set(report.named) == failures
    if "merge_step_size" in changes:
        assert report.named["2-way"].endswith("the merging rate has no effect")


def test_a_run_that_is_not_finite_fails_and_refused_arguments() -> None:
    assert not one_step_check(lambda algorithm, problem, start, rounds: np.full((rounds + 1, 2), np.nan)).passed
    with pytest.raises(ValueError, match="rounds=1"):
        one_step_check(package, rounds=1)
    with pytest.raises(ValueError, match="has shape"):
        one_step_check(lambda algorithm, problem, start, rounds: np.zeros((rounds, 2)))
    with pytest.raises(ValueError, match="parallel: run.* raised SystemExit: 0"):
        one_step_check(lambda algorithm, problem, start, rounds: sys.exit(0))
