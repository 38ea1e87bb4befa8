"""Numbers of all rounds at once: the bits of the rounds one after the other, and refusals of all that is not plain arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import fltheory as fl
from fltheory.readings.recorder import record, record_rounds
from fltheory.readings.round_index import RoundIndexUsed
from fltheory.readings.round_numbers import RoundNumbers

ROUNDS, CLIENTS = 40, 3


def template(algorithm):
    problem = fl.li_tridiagonal(CLIENTS, 1, 0.1)
    from fltheory.readings.arrays import ArrayFederation, participation_of
    from fltheory.readings.draws import ExactDraws
    from fltheory.readings.numbers import FLOAT

    fed = ArrayFederation(problem, participation_of(algorithm), ExactDraws(problem, FLOAT))
    return algorithm.start(fed, fed.vector(np.zeros((1, problem.dimension))))


@pytest.mark.parametrize(
    "algorithm",
    [
        fl.FedAvg(3, fl.Harmonic(2, 7)),
        fl.FedAvg(3, fl.Harmonic(2.1, 7.3, 5)),
        fl.FedAvg(2, fl.HarmonicPerRound(0.7, 1.3)),
        fl.FedAvg(2, fl.Annealed(0.2, 5, 0.3)),
        fl.FedProx(2, fl.Harmonic(2.0, 9.1), 0.3),
    ],
    ids=repr,
)
def test_the_numbers_are_those_of_the_rounds_one_by_one(algorithm):
    start, weights = template(algorithm), np.full(CLIENTS, 1 / CLIENTS)
    found = record_rounds(algorithm, start, weights, ROUNDS)
    assert found == [record(algorithm, start, weights, round) for round in range(ROUNDS)]
    assert len({one.numbers for one in found}) > 1


def test_every_operation_rounds_as_python_does():
    def formula(t):
        return -(((3 * t + 2) / 7.1 - 1.5) * (t + 0.1) / (5 - 3.3 / (t + 1)) + 1 / (t + 3) - (t - 8) * 1e-3)

    values = formula(RoundNumbers.of(500)).values
    assert values.tolist() == [formula(t) for t in range(500)]


@pytest.mark.parametrize(
    "asks",
    [
        lambda t: t**0.5,
        lambda t: t % 2,
        lambda t: t // 2,
        lambda t: t < 3,
        lambda t: 1.0 if t == 3 else 0.5,
        lambda t: [1.0] * 50 and [0.1, 0.2][t],
        lambda t: math.sqrt(t),
        lambda t: max(t, 1),
        lambda t: {0: 1.0}.get(t),
        lambda t: 1 / t,
        lambda t: t / 0,
        lambda t: t * 2**40,
        lambda t: (t * 2**30) * 2**30,
        lambda t: t * Fraction(1, 3),
        lambda t: np.sin(t),
        lambda t: float(t),
    ],
)
def test_what_is_no_plain_arithmetic_is_refused(asks):
    with pytest.raises((RoundIndexUsed, TypeError)):
        asks(RoundNumbers.of(50))


def test_a_text_that_looks_at_the_round_is_followed_round_by_round():
    algorithm = fl.FedAvg(2, fl.Annealed(0.2, 5, 0.3))

    class Looks:
        participation = fl.Full()
        start = algorithm.start

        def round(self, fed, w):
            return algorithm.round(fed, w) if fed.round > 3 else w + w

    assert record_rounds(Looks(), template(algorithm), np.full(CLIENTS, 1 / CLIENTS), ROUNDS) is None
