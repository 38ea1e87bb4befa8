"""A new algorithm is one text: FedProx, written here, goes through every reading."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.algorithms import FedAvg, Full, Original
from fltheory.problems.oracles import AdditiveNoise, MiniBatch
from fltheory.readings import (
    cost,
    enumerate_moments,
    fixed_point,
    moments,
    rational_functions,
    round_map,
    series,
    substitute,
    trajectory,
)
from fltheory.readings.arrays import ArrayFederation
from fltheory.readings.draws import StreamDraws
from fltheory.readings.table import table_moments
from fltheory.simulate import simulate


@dataclass(frozen=True)
class FedProx:
    """Local steps on ``F_k(x) + (prox/2) |x - w|^2``."""

    local_steps: int
    step_size: Any
    prox: Any
    participation: Any = Full()

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        begin = x = fed.send(w)
        for _ in range(self.local_steps):
            x = x - self.step_size * (fed.gradient(x) + self.prox * (x - begin))
        return fed.average(x, absent=w)


ETA, PROX = Fraction(1, 10), Fraction(1, 2)


def by_hand(problem: Any, rounds: int) -> Any:
    """FedProx in plain loops."""
    w = np.array([Fraction(0)] * problem.dimension, dtype=object)
    for _ in range(rounds):
        total = w * 0
        for k in range(problem.n_clients):
            x = w
            for _ in range(3):
                x = x - ETA * (problem.matrices[k] @ x - problem.vectors[k] + PROX * (x - w))
            total = total + problem.weights[k] * x
        w = total
    return w


def test_arrays(three_clients: Any) -> None:
    run = trajectory(three_clients, FedProx(3, ETA, PROX), rounds=4, exact=True)
    assert (run.models[-1] == by_hand(three_clients, 4)).all()
    floats = trajectory(three_clients, FedProx(3, 0.1, 0.5), rounds=4)
    np.testing.assert_allclose(floats.models[-1], run.models[-1].astype(float), rtol=1e-14)


def test_batches_of_runs(sampled: Any) -> None:
    problem = sampled.to_float()
    algorithm = FedProx(3, 0.1, 0.5, Original(1))
    fed = ArrayFederation(problem, algorithm.participation, StreamDraws(problem, MiniBatch(2), 0, np.arange(20_000)))
    w = algorithm.start(fed, fed.vector(np.zeros(2)))
    for round in range(2):
        fed.begin(round)
        w = algorithm.round(fed, w)
    exact = moments(problem, algorithm, rounds=2, oracle=MiniBatch(2))
    distance = ((w.payload - exact.minimiser) ** 2).sum(axis=1)
    error = distance.std() / np.sqrt(len(distance))
    assert abs(distance.mean() - exact.squared_distance[-1]) < 5 * error


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_simulation(three_clients: Any, backend: str) -> None:
    quiet = simulate(three_clients, FedProx(3, 0.1, 0.5), rounds=4, backend=backend)
    np.testing.assert_allclose(quiet.final[0], by_hand(three_clients, 4).astype(float), rtol=1e-12)
    algorithm, noise = FedProx(3, 0.1, 0.5, Original(2)), AdditiveNoise(0.1)
    run = simulate(three_clients, algorithm, rounds=3, runs=10_000, oracle=noise, backend=backend, threads=1)
    exact = moments(three_clients, algorithm, rounds=3, oracle=noise)
    distance = run.squared_distance[:, -1]
    assert abs(distance.mean() - exact.squared_distance[-1]) < 5 * distance.std() / np.sqrt(len(distance))


def test_round_map_and_fixed_point(three_clients: Any) -> None:
    rounds = round_map(three_clients, FedProx(3, ETA, PROX), exact=True)
    assert (rounds(rounds(rounds.start)) == by_hand(three_clients, 2)).all()
    end = fixed_point(three_clients, FedProx(3, ETA, PROX), exact=True)
    assert (rounds(end) == end).all()
    free = fixed_point(three_clients, FedProx(3, ETA, 0), exact=True)
    assert (free == fixed_point(three_clients, FedAvg(3, ETA), exact=True)).all()
    assert (end != free).any()


def test_rational_functions_of_two_rates(three_clients: Any) -> None:
    numbers, (eta, prox) = rational_functions("eta", "prox")
    closed = fixed_point(three_clients, FedProx(3, eta, prox), numbers=numbers)
    end = fixed_point(three_clients, FedProx(3, ETA, PROX), exact=True)
    substituted = [substitute(entry, ETA, PROX) for entry in closed]
    assert substituted == end.tolist()
    coefficients = series(three_clients, lambda rate: FedProx(3, rate, PROX), 1)
    assert list(coefficients[0]) == three_clients.constants.minimiser.tolist()


def test_affine_and_table_and_enumeration(three_clients: Any, sampled: Any, two_values: Any) -> None:
    for participation in (Full(), Original(2)):
        algorithm = FedProx(1, ETA, PROX, participation)
        arguments = dict(rounds=2, oracle=two_values, exact=True)
        affine, table, brute = (
            read(three_clients, algorithm, **arguments) for read in (moments, table_moments, enumerate_moments)
        )
        assert (affine.deviations == table.deviations).all()
        assert (affine.deviations == brute.deviations).all()
    algorithm = FedProx(2, ETA, PROX, Original(1))
    arguments = dict(rounds=2, oracle=MiniBatch(1), exact=True)
    readings = (moments, table_moments, enumerate_moments)
    affine, table, brute = (read(sampled, algorithm, **arguments) for read in readings)
    assert (affine.deviations == table.deviations).all()
    assert (affine.deviations == brute.deviations).all()


def test_noise_needs_no_new_code(three_clients: Any) -> None:
    quiet = moments(three_clients, FedProx(3, 0.1, 0.5), rounds=5)
    loud = moments(three_clients, FedProx(3, 0.1, 0.5), rounds=5, oracle=AdditiveNoise(0.1))
    assert np.all(loud.variance[1:] > 0) and np.all(np.abs(quiet.variance) < 1e-15)


def test_cost(three_clients: Any) -> None:
    count = cost(three_clients, FedProx(3, ETA, PROX))
    assert (count.down, count.up, count.gradients) == (1, 1, 3)
