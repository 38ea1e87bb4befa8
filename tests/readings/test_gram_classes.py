"""Programs of several classes of clients: with one client in each class they are the plain run, in rationals."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.readings.gram import Program
from fltheory.readings.gram_classes import class_program

ETA = F(1, 10)
WEIGHTS = (F(1, 2), F(1, 3), F(1, 6))
START = np.array([F(1), F(-2)], dtype=object)
CLIENTS = fl.QuadraticProblem(
    [[[F(2), 1], [1, 3]], [[1, 0], [0, 3]], [[1, 0], [0, 1]]], [[F(1), 0], [0, 1], [2, 2]], weights=list(WEIGHTS)
)
MIXED = fl.MixedProblem(CLIENTS, fl.QuadraticProblem([[[F(3), -1], [-1, 1]]], [[F(1), -2]]))
ALGORITHMS: dict[str, Any] = {
    "fedavg": fl.FedAvg(2, ETA),
    "own steps": fl.FedAvg((1, 3, 2), ETA),
    "schedule": fl.FedAvg((1, 3, 2), fl.Harmonic(1, 10)),
    "nova": fl.FedNova((1, 3, 2), ETA),
    "prox": fl.FedProx(2, ETA, F(1, 2)),
    "scaffold I": fl.Scaffold((3, 1, 1), ETA, F(3, 2), option="I"),
    "scaffold II": fl.Scaffold((3, 1, 2), ETA, F(3, 2)),
    "corrected": fl.GradientCorrected(2, ETA),
    "momentum": fl.FedOpt(2, ETA, F(3, 4), server=fl.HeavyBall(F(1, 3))),
    "elastic": fl.SimplifiedElastic(2, ETA, F(3, 2), F(3, 4)),
    "mime-lite": fl.MimeLite(2, ETA, F(1, 3)),
    "restarted": fl.ParallelRestartedSGD(2, ETA),
    "populations": fl.Populations((0, 1, 0), 2, ETA),
}
CENTRAL: dict[str, Any] = {
    "parallel": fl.ParallelTraining(2, ETA, F(1, 15), F(3, 4), F(5, 4)),
    "1-way": fl.OneWayGradientTransfer(2, ETA, F(3, 4)),
    "1-way, own steps": fl.OneWayGradientTransfer(3, ETA, F(3, 4), client_steps=(1, 3, 2)),
    "2-way": fl.TwoWayGradientTransfer(2, ETA, F(1, 15), F(3, 4), F(5, 4)),
}
ALL = ALGORITHMS | CENTRAL


def replayed(traced: Program, problem: Any) -> list[Any]:
    """Every instruction on rational arrays; class c is client c - 1."""
    registers: list[Any] = []
    gradients = problem.client_gradients

    def of_clients(vector: Any) -> Any:
        return np.broadcast_to(vector, (3, 2))

    for item in traced.instructions:
        if item[0] == "given":
            found = START
        elif item[0] == "combine":
            found = sum((factor * registers[r] for factor, r in item[1]), START * 0)
        elif item[0] == "gradient":
            found = gradients(of_clients(registers[item[1]]))[item[2] - 1]
        elif item[0] == "centre":
            found = problem.centre_gradient(registers[item[1]])
        else:
            assert item[0] == "mean"
            found = registers[item[1]]
        registers.append(found)
    return [registers[place] for place in traced.models]


@pytest.mark.parametrize("name", ALL)
def test_the_program_is_the_plain_run(name: str) -> None:
    problem = MIXED if name in CENTRAL else CLIENTS
    models = fl.trajectory(problem, ALL[name], rounds=2, start=list(START), exact=True).models
    found = replayed(class_program(ALL[name], rounds=2, shares=WEIGHTS), problem)
    assert all((a == b).all() for a, b in zip(found, models, strict=True))


def test_other_shares_are_another_class_program() -> None:
    models = fl.trajectory(CLIENTS, ALL["own steps"], rounds=2, start=list(START), exact=True).models
    other = replayed(class_program(ALL["own steps"], rounds=2, shares=WEIGHTS[::-1]), CLIENTS)
    assert (other[-1] != models[-1]).any()


def test_gradients_after_the_last_step_are_nobodys() -> None:
    found = class_program(fl.FedAvg((1, 4), ETA), rounds=2, shares=(F(1, 2), F(1, 2)))
    asked = [item[2] for item in found.instructions if item[0] == "gradient"]
    assert asked.count(1) == 2 and asked.count(2) == 8


def test_a_free_state_has_a_vector_for_each_class() -> None:
    found = class_program(fl.Scaffold(1, ETA), rounds=1, shares=WEIGHTS, free_state=True)
    assert [item[1:] for item in found.instructions if item[0] == "given"] == [
        ("server", 1),
        ("server", 1),
        ("server", 0),
        ("clients", 0, 1),
        ("clients", 0, 2),
        ("clients", 0, 3),
    ]
    assert len(found.states[0]) == 5


@pytest.mark.parametrize(
    ("algorithm", "words"),
    [
        (fl.FedAvg((1, 2), ETA), "2 numbers; expected one for each of 3 classes"),
        (fl.FedLAMA(1, 2, ETA, intervals=(1, 2)), "parts of vectors have a model for one class"),
        (fl.FedOpt(2, ETA, F(1, 20), server=fl.Adam()), "looks at values"),
    ],
)
def test_what_has_no_program_is_refused(algorithm: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        class_program(algorithm, rounds=2, shares=WEIGHTS)
