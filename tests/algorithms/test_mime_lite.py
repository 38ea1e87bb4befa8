"""MimeLite against a plain loop, its special cases, what it sends, its limits and its worst case."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.readings import enumerate_moments

ETA, BETA = F(1, 10), F(1, 3)
MATRICES = np.array([[[2.0, 1.0], [1.0, 3.0]], [[1.0, 0.0], [0.0, 3.0]], [[1.0, 0.0], [0.0, 1.0]]])
VECTORS = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
CLIENTS = fl.QuadraticProblem(MATRICES, VECTORS)
EXACT = CLIENTS.to_exact()
START = np.array([1.0, -2.0])


def by_hand(rounds: int, steps: int, cohorts: Any = None) -> Any:
    """Plain loops: clients of a cohort step with the server's momentum, which then takes their gradients at the old model."""
    x, m, path = START, np.zeros(2), [START]
    eta, beta = float(ETA), float(BETA)
    for round in range(rounds):
        cohort = range(3) if cohorts is None else cohorts[round]
        ends, gradients = [], []
        for k in cohort:
            y = x
            for _ in range(steps):
                y = y - eta * ((1 - beta) * (MATRICES[k] @ y - VECTORS[k]) + beta * m)
            ends.append(y)
            gradients.append(MATRICES[k] @ x - VECTORS[k])
        m = (1 - beta) * np.mean(gradients, axis=0) + beta * m
        x = np.mean(ends, axis=0)
        path.append(x)
    return np.array(path)


def test_against_plain_loops() -> None:
    found = fl.trajectory(CLIENTS, fl.MimeLite(3, ETA, BETA), rounds=6, start=START).models
    np.testing.assert_allclose(found, by_hand(6, 3), rtol=1e-12)
    cohorts = [(0, 2), (1, 2), (0, 1)]
    found = fl.trajectory(CLIENTS, fl.MimeLite(2, ETA, BETA, fl.SchemeII(2)), rounds=3, start=START, cohorts=cohorts)
    np.testing.assert_allclose(found.models, by_hand(3, 2, cohorts), rtol=1e-12)
    assert not np.allclose(by_hand(6, 3), by_hand(6, 2))


def test_without_momentum_it_is_fedavg() -> None:
    """Bit for bit in runs with noise and cohorts, exactly in moments; what is sent stays two vectors."""
    for scheme in (fl.Full(), fl.SchemeII(2), fl.Original(1)):
        one, other = fl.MimeLite(3, 0.1, 0, scheme), fl.FedAvg(3, 0.1, scheme)
        left = fl.moments(EXACT, replace(one, step_size=ETA), rounds=3, exact=True)
        right = fl.moments(EXACT, replace(other, step_size=ETA), rounds=3, exact=True)
        assert (left.mean == right.mean).all() and (left.second == right.second).all()
        runs = [fl.simulate(CLIENTS, a, rounds=5, runs=3, start=START, seed=2).final for a in (one, other)]
        assert (runs[0] == runs[1]).all()
    assert fl.cost(CLIENTS, fl.MimeLite(3, 0.1, 0)).up == 2 * fl.cost(CLIENTS, fl.FedAvg(3, 0.1)).up


def test_one_step_of_all_clients_is_momentum_at_the_server() -> None:
    heavy = fl.FedOpt(1, (1 - BETA) * ETA, server=fl.HeavyBall(BETA))
    for one, other in ((fl.MimeLite(1, ETA, BETA), heavy), (fl.MimeLite(1, ETA, BETA, batches=3), heavy)):
        left, right = (fl.trajectory(EXACT, a, rounds=6, start=[1, -2], exact=True).models for a in (one, other))
        assert (left == right).all()
    late = fl.trajectory(EXACT, fl.MimeLite(2, ETA / 2, BETA), rounds=6, start=[1, -2], exact=True).models
    assert (late[-1] != left[-1]).any()


def test_what_is_sent_and_asked() -> None:
    found = fl.cost((10, 4), fl.MimeLite(3, 0.1, 0.5, fl.SchemeII(4), batches=2), rounds=5)
    assert (found.up, found.gradients) == (2, 3 + 2)
    # The momentum of the first round is known to be zero.
    assert [found.round(r).down for r in range(3)] == [1, 2, 2]


def test_alike_clients_end_at_the_minimiser_and_others_do_not() -> None:
    alike = fl.QuadraticProblem([[[F(2), 1], [1, 3]]] * 2, [[F(1), 0]] * 2)
    assert list(fl.fixed_point(alike, fl.MimeLite(3, ETA, BETA), exact=True)) == [F(3, 5), F(-1, 5)]
    best = EXACT.constants.minimiser
    assert list(fl.fixed_point(EXACT, fl.MimeLite(1, ETA, BETA), exact=True)) == list(best)
    limits = [fl.fixed_point(EXACT, fl.MimeLite(3, ETA, beta), exact=True) for beta in (0, BETA, F(9, 10))]
    apart = [float(((limit - best) ** 2).sum()) for limit in limits]
    assert apart == sorted(apart, reverse=True) and apart[-1] > 0


def test_more_batches_leave_less_noise_in_the_momentum() -> None:
    noise = fl.FiniteSupportNoise([[F(1), F(-1)], [F(-1), F(1)]], [F(1, 2)] * 2)
    gaps = []
    for batches in (1, 2, 3):
        one = fl.MimeLite(1, ETA, BETA, batches=batches)
        found = fl.moments(EXACT, one, rounds=2, oracle=noise, exact=True)
        gaps.append(found.gap[-1])
        if batches == 1:
            single = fl.QuadraticProblem(EXACT.matrices[:1], EXACT.vectors[:1])
            law = [
                read(single, one, rounds=2, oracle=noise, exact=True).second[-1]
                for read in (fl.moments, enumerate_moments)
            ]
            assert (law[0] == law[1]).all()
    assert gaps[0] > gaps[1] > gaps[2]


def test_the_worst_case_of_a_first_round_is_that_of_fedavg_with_shorter_steps() -> None:
    """In the first round the momentum is zero: the worst case is that of FedAvg with steps ``(1 - beta) eta``."""
    clients = fl.SmoothStronglyConvex(F(1, 10), 1)
    found = fl.worst_case(fl.MimeLite(2, ETA, BETA), clients)
    assert found.status == "certified"
    first = fl.worst_case(fl.FedAvg(2, (1 - BETA) * ETA), clients)
    assert found.upper is not None and first.lower is not None
    assert first.lower <= found.upper and found.lower is not None and found.lower <= first.upper


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: fl.MimeLite(0, 0.1, 0.5), "local_steps=0"),
        (lambda: fl.MimeLite(2, 0.1, 1), "momentum=1"),
        (lambda: fl.MimeLite(2, 0.1, -0.1), "momentum=-0.1"),
        (lambda: fl.MimeLite(2, 0.1, 0.5, batches=0), "batches=0"),
    ],
)
def test_what_is_refused(make: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()
