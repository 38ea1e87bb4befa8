"""Options of mixed FL: readings of the renewal, unequal steps, merging, server momentum, several populations."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms import GradientStep, HeavyBall, Populations
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings import cost, fixed_point, round_map, trajectory
from fltheory.readings.gram import program

F = Fraction
ETA, CENTRAL, SERVER, MERGE, BETA = F(1, 10), F(1, 15), F(3, 4), F(4, 5), F(1, 3)
COUNTS = (1, 3, 2)
START = [F(1), F(-2)]


def rationals(values: Any) -> Any:
    source = np.array(values, dtype=object)
    return np.array([F(entry) for entry in source.ravel()], dtype=object).reshape(source.shape)


CENTRE = QuadraticProblem(rationals([[[3, -1], [-1, 1]]]), rationals([[1, -2]]))
CLIENTS = QuadraticProblem(
    rationals([[[2, 1], [1, 3]], [[1, 0], [0, 3]], [[1, 0], [0, 1]]]), rationals([[1, 0], [0, 1], [2, 2]])
)
MIXED = MixedProblem(CLIENTS, CENTRE)


def descend(k: int, x: Any, steps: int, shift: Any) -> Any:
    for _ in range(steps):
        x = x - ETA * (CLIENTS.matrices[k] @ x - CLIENTS.vectors[k] + shift)
    return x


def by_hand(
    kind: str,
    rounds: int,
    *,
    weights: str = "steps",
    momentum: Any = 0,
    divisor: Fraction = ETA,
    initial: str = "zero",
    factor: Any = 1,
) -> Any:
    """Algorithms 1 and 2 with the clients' own numbers of steps, in plain loops."""
    x = rationals(START)
    zero = x * 0
    u, v, memory = zero, zero, zero
    if initial == "gradients":
        u, v = CENTRE.gradient(x), CLIENTS.gradient(x)
    p = [F(k, sum(COUNTS)) for k in COUNTS] if weights == "steps" else [F(1, 3)] * 3
    for _ in range(rounds):
        shift = CENTRE.gradient(x) if kind == "1-way" else u
        changes = [descend(i, x, COUNTS[i], shift) - x for i in range(3)]
        memory = momentum * memory + sum(w * change for w, change in zip(p, changes, strict=True))
        if kind == "1-way":
            x = x + SERVER * memory
            continue
        y = x
        for _ in range(max(COUNTS)):
            y = y - CENTRAL * (CENTRE.gradient(y) + v)
        moved = y - x
        x = x + MERGE * factor * (moved + SERVER * memory)
        if kind == "2-way":
            renewed = -moved / (divisor * max(COUNTS)) - v
            v = -sum(changes) / (ETA * sum(COUNTS)) - u
            u = renewed
    return x


OPTIONS: list[tuple[Any, dict[str, Any]]] = [
    (fl.OneWayGradientTransfer(3, ETA, SERVER, client_steps=COUNTS), dict(kind="1-way")),
    (
        fl.OneWayGradientTransfer(3, ETA, SERVER, client_steps=COUNTS, client_weights="problem"),
        dict(kind="1-way", weights="problem"),
    ),
    (
        fl.OneWayGradientTransfer(3, ETA, SERVER, client_steps=COUNTS, server=HeavyBall(BETA)),
        dict(kind="1-way", momentum=BETA),
    ),
    (
        fl.ParallelTraining(3, ETA, CENTRAL, SERVER, MERGE, client_steps=COUNTS, server=HeavyBall(BETA)),
        dict(kind="parallel", momentum=BETA),
    ),
    (
        fl.ParallelTraining(3, ETA, CENTRAL, SERVER, MERGE, client_steps=COUNTS, merge="average"),
        dict(kind="parallel", factor=F(1, 2)),
    ),
    (fl.TwoWayGradientTransfer(3, ETA, CENTRAL, SERVER, MERGE, client_steps=COUNTS), dict(kind="2-way")),
    (
        fl.TwoWayGradientTransfer(
            3, ETA, CENTRAL, SERVER, MERGE, client_steps=COUNTS, divisor="central step size", initial="gradients"
        ),
        dict(kind="2-way", divisor=CENTRAL, initial="gradients"),
    ),
    (
        fl.TwoWayGradientTransfer(
            3, ETA, CENTRAL, SERVER, MERGE, client_steps=COUNTS, client_weights="problem", merge="average"
        ),
        dict(kind="2-way", weights="problem", factor=F(1, 2)),
    ),
]


@pytest.mark.parametrize("number", range(len(OPTIONS)))
def test_options_are_the_plain_loops_in_all_readings(number: int) -> None:
    algorithm, arguments = OPTIONS[number]
    exact = trajectory(MIXED, algorithm, rounds=3, start=START, exact=True)
    wanted = [by_hand(rounds=t, **arguments) for t in range(4)]
    assert all((found == by).all() for found, by in zip(exact.models, wanted, strict=True))
    step = round_map(MIXED, algorithm, exact=True, start=START)
    assert (step.model @ step(step(step(step.start))) == wanted[-1]).all()
    run = fl.simulate(MIXED, algorithm, rounds=3, start=np.array(START, dtype=float))
    np.testing.assert_allclose(run.final[0], wanted[-1].astype(float), rtol=1e-12)
    counted = cost(MIXED, algorithm).round(0).gradients_by_client
    assert tuple(counted) == (getattr(algorithm, "client_steps", None) or (3, 3, 3))


def test_equal_steps_are_the_default() -> None:
    for made in (fl.OneWayGradientTransfer, lambda *a, **k: fl.TwoWayGradientTransfer(*a, CENTRAL, **k)):
        left, right = (
            trajectory(MIXED, made(2, ETA, **extra), rounds=3, start=START, exact=True).models
            for extra in ({}, {"client_steps": (2, 2, 2)})
        )
        assert (left == right).all()


def test_no_momentum_is_the_gradient_step() -> None:
    for server in (HeavyBall(0), GradientStep()):
        found = trajectory(
            MIXED, fl.ParallelTraining(2, ETA, CENTRAL, server=server), rounds=3, start=START, exact=True
        ).models
        plain = trajectory(MIXED, fl.ParallelTraining(2, ETA, CENTRAL), rounds=3, start=START, exact=True).models
        assert (found == plain).all()


def test_momentum_keeps_the_fixed_point() -> None:
    plain, heavy = (
        fixed_point(MIXED, fl.OneWayGradientTransfer(2, ETA, server=server), exact=True)
        for server in (GradientStep(), HeavyBall(F(1, 2)))
    )
    assert (plain == heavy).all()


def test_exact_initial_gradients_are_those_of_the_start() -> None:
    step = round_map(MIXED, fl.TwoWayGradientTransfer(2, ETA, CENTRAL, initial="gradients"), exact=True, start=START)
    w = rationals(START)
    assert (step.start == np.concatenate([w, CENTRE.gradient(w), CLIENTS.gradient(w)])).all()


def test_a_centre_is_a_population() -> None:
    flat = QuadraticProblem(
        np.concatenate([CLIENTS.matrices, CENTRE.matrices]), np.concatenate([CLIENTS.vectors, CENTRE.vectors])
    )
    for transfer, made in (
        (False, fl.ParallelTraining(2, ETA, ETA, 1, MERGE)),
        (True, fl.TwoWayGradientTransfer(2, ETA, ETA, 1, MERGE)),
    ):
        wanted = trajectory(MIXED, made, rounds=4, start=START, exact=True).models
        for problem, algorithm in (
            (flat, Populations((0, 0, 0, 1), 2, ETA, MERGE, transfer)),
            (MIXED, Populations((0, 0, 0), 2, ETA, MERGE, transfer, True)),
        ):
            assert (trajectory(problem, algorithm, rounds=4, start=START, exact=True).models == wanted).all()
            step = round_map(problem, algorithm, exact=True, start=START)
            assert (step.model @ step(step(step.start)) == wanted[2]).all()


def test_populations_are_weighted_within() -> None:
    """Doubling a client in one population doubles nothing of the other."""
    two = QuadraticProblem(CLIENTS.matrices[:2], CLIENTS.vectors[:2])
    three = QuadraticProblem(CLIENTS.matrices[[0, 0, 1]], CLIENTS.vectors[[0, 0, 1]])
    left = trajectory(two, Populations((0, 1), 2, ETA, MERGE, True), rounds=3, start=START, exact=True).models
    right = trajectory(three, Populations((0, 0, 1), 2, ETA, MERGE, True), rounds=3, start=START, exact=True).models
    assert (left == right).all()


def test_refused() -> None:
    for arguments, words in (
        (dict(client_steps=(1, 2)), "maximum 2, not K=3"),
        (dict(client_steps=(0, 3)), "client_steps=0"),
        (dict(client_weights="size"), "client_weights='size'"),
    ):
        with pytest.raises(ValueError, match=words):
            fl.OneWayGradientTransfer(3, ETA, **arguments)  # type: ignore[arg-type]
    for arguments, words in (
        (dict(divisor="both"), "divisor"),
        (dict(initial="one"), "initial"),
        (dict(merge="product"), "merge"),
    ):
        with pytest.raises(ValueError, match=words):
            fl.TwoWayGradientTransfer(3, ETA, CENTRAL, **arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="central_step_size.*constant"):
        fl.TwoWayGradientTransfer(3, ETA, fl.Harmonic(1, 1), divisor="central step size")
    for momentum in (1, F(3, 2), -0.1):
        with pytest.raises(ValueError, match=f"momentum={momentum}"):
            HeavyBall(momentum)
    with pytest.raises(ValueError, match="names 2 clients; the problem has 3"):
        trajectory(CLIENTS, Populations((0, 1), 1, ETA), rounds=1)
    with pytest.raises(ValueError, match="numbers per client"):
        program(fl.OneWayGradientTransfer(3, ETA, client_steps=COUNTS), rounds=1)
    for groups in ((), (0, 2), (1, 1)):
        with pytest.raises(ValueError, match="groups"):
            Populations(groups, 1, ETA)
    with pytest.raises(ValueError, match="constant step size"):
        Populations((0, 1), 1, fl.Harmonic(1, 1))
