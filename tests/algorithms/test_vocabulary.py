"""The vocabulary is strict in every reading: mistakes that arrays would let pass are errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.algorithms import FedAvg, Full, Original, SchemeI, SchemeII
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings import cost, enumerate_moments, moments, round_map, trajectory
from fltheory.readings.table import table_moments

#: As many clients as coordinates: shapes alone would let a forgotten ``send`` pass.
PROBLEM = QuadraticProblem(np.stack([np.eye(2), 2 * np.eye(2)]), np.array([[1.0, 0.0], [0.0, 1.0]]))
READINGS: dict[str, Callable[[Any], Any]] = {
    "floats": lambda a: trajectory(PROBLEM, a, rounds=1),
    "rationals": lambda a: trajectory(PROBLEM, a, rounds=1, exact=True),
    "round map": lambda a: round_map(PROBLEM, a),
    "affine": lambda a: moments(PROBLEM, a, rounds=1),
    "table": lambda a: table_moments(PROBLEM, a, rounds=1),
    "cost": lambda a: cost(PROBLEM, a),
}


@dataclass(frozen=True)
class Written:
    """An algorithm whose round is given."""

    text: Callable[[Any, Any], Any]
    participation: Any = Full()

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        return self.text(fed, w)


def forgotten_send(fed: Any, w: Any) -> Any:
    x = fed.send(w)
    return fed.average(x - (w - fed.zero()))


def forgotten_average(fed: Any, w: Any) -> Any:
    return w - fed.gradient(fed.send(w))


def in_place(fed: Any, w: Any) -> Any:
    x = fed.send(w)
    x -= fed.gradient(x)
    return fed.average(x)


def branch(fed: Any, w: Any) -> Any:
    return w if w else fed.zero()


def compare(fed: Any, w: Any) -> Any:
    return w if w == fed.zero() else w


def loop(fed: Any, w: Any) -> Any:
    return sum(fed.send(w))


def product(fed: Any, w: Any) -> Any:
    return w * w


def quotient(fed: Any, w: Any) -> Any:
    return w / w


def array_factor(fed: Any, w: Any) -> Any:
    return np.ones(2) * w


def foreign(fed: Any, w: Any) -> Any:
    return w + 1


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(
    "text", [forgotten_send, forgotten_average, in_place, branch, compare, loop, product, quotient, foreign]
)
def test_mistakes_are_type_errors(reading: str, text: Any) -> None:
    with pytest.raises(TypeError):
        READINGS[reading](Written(text))


@pytest.mark.parametrize("reading", ["floats", "rationals", "round map", "affine", "table"])
def test_an_array_is_no_factor(reading: str) -> None:
    with pytest.raises(TypeError, match="an array is no factor"):
        READINGS[reading](Written(array_factor))


def half(fed: Any, w: Any) -> Any:
    x = fed.send(w)
    return fed.average(x - 0.5 * fed.gradient(x))


def weighted(fed: Any, w: Any) -> Any:
    return fed.average(fed.per_client([0.5, 0.5]) * fed.send(w))


def divided(fed: Any, w: Any) -> Any:
    return w / 2.0


@pytest.mark.parametrize("text", [half, weighted, divided])
def test_no_floats_in_exact_runs(text: Any) -> None:
    exact = [
        lambda a: trajectory(PROBLEM, a, rounds=1, exact=True),
        lambda a: round_map(PROBLEM, a, exact=True),
        lambda a: moments(PROBLEM, a, rounds=1, exact=True),
        lambda a: table_moments(PROBLEM, a, rounds=1, exact=True),
        lambda a: enumerate_moments(PROBLEM, a, rounds=1, exact=True),
    ]
    for read in exact:
        with pytest.raises(TypeError, match="entered an exact run"):
            read(Written(text))
    for reading in ("floats", "round map", "affine", "table"):
        READINGS[reading](Written(text))


def test_exact_runs_hold_no_floats() -> None:
    run = trajectory(PROBLEM, FedAvg(2, 0.1), rounds=2, exact=True)
    assert all(type(entry) is Fraction for entry in run.models.flat)
    exact = moments(PROBLEM, FedAvg(2, 0.1, SchemeI(2)), rounds=2, exact=True)
    for values in (exact.mean, exact.deviations, exact.squared_distance, exact.gap):
        assert all(type(entry) is Fraction for entry in values.flat)


def averages_twice(fed: Any, w: Any) -> Any:
    x = fed.send(w)
    middle = fed.average(x - fed.gradient(x) / 4)
    y = fed.send(middle)
    return fed.average(y - fed.gradient(y) / 4)


def test_two_averages_of_one_cohort_are_refused_and_can_be_mixed() -> None:
    algorithm = Written(averages_twice, SchemeI(2))
    for read in (moments, table_moments):
        with pytest.raises(ValueError, match="sent back within its round"):
            read(PROBLEM, algorithm, rounds=1)
    mixed = enumerate_moments(PROBLEM, algorithm, rounds=2, exact=True)
    assert mixed.squared_distance[-1] > 0
    full = Written(averages_twice)
    exact = moments(PROBLEM, full, rounds=2, exact=True)
    assert (exact.deviations == enumerate_moments(PROBLEM, full, rounds=2, exact=True).deviations).all()


def names_no_absent(fed: Any, w: Any) -> Any:
    return fed.average(fed.send(w))


def averages_state_of_the_cohort(fed: Any, w: Any) -> Any:
    return fed.population_average(fed.gradient(fed.send(w)))


@pytest.mark.parametrize("read", [moments, table_moments, enumerate_moments])
def test_what_random_cohorts_refuse(read: Any) -> None:
    with pytest.raises(ValueError, match="gives weight to absent clients"):
        read(PROBLEM, Written(names_no_absent, Original(1)), rounds=1)
    with pytest.raises(ValueError, match="population_average needs a vector of every client"):
        read(PROBLEM, Written(averages_state_of_the_cohort, SchemeII(1)), rounds=1)


def test_numbers_per_client() -> None:
    def scaled(fed: Any, w: Any) -> Any:
        return fed.average(fed.per_client([2, 4]) * fed.send(w))

    run = trajectory(PROBLEM, Written(scaled), rounds=1, start=[1, 2], exact=True)
    assert run.models[-1].tolist() == [3, 6]
    affine = moments(PROBLEM, Written(scaled), rounds=1, start=[1, 2], exact=True)
    assert affine.mean[-1].tolist() == [3, 6]
    table = table_moments(PROBLEM, Written(scaled), rounds=1, start=[1, 2], exact=True)
    assert table.mean[-1].tolist() == [3, 6]

    def too_many(fed: Any, w: Any) -> Any:
        return fed.average(fed.per_client([1, 2, 3]) * fed.send(w))

    with pytest.raises(ValueError, match="per_client got 3 numbers"):
        trajectory(PROBLEM, Written(too_many), rounds=1)


def test_a_named_batch_may_be_shared() -> None:
    """The difference of two gradients on one additive draw carries no noise; on one mini-batch it is refused."""
    from fltheory.problems.oracles import FiniteSupportNoise, MiniBatch
    from fltheory.problems.samples import QuadraticSamples

    def differences(fed: Any, w: Any) -> Any:
        x, draw = fed.send(w), fed.batch()
        return fed.average(x - (fed.gradient(x, draw) - fed.gradient(2 * x, draw)))

    def sums(fed: Any, w: Any) -> Any:
        x, draw = fed.send(w), fed.batch()
        return fed.average(x - (fed.gradient(x, draw) + fed.gradient(2 * x, draw)))

    noise = FiniteSupportNoise(np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([0.5, 0.5]))
    for text, variance in ((differences, 0), (sums, 2 * 2 * 2 * Fraction(1, 2))):
        for read in (moments, enumerate_moments):
            exact = read(PROBLEM, Written(text), rounds=1, oracle=noise, start=[1, 1], exact=True)
            assert exact.variance[-1] == variance
    samples = QuadraticSamples(np.stack([np.eye(2), 3 * np.eye(2)]), np.ones((2, 2)))
    with pytest.raises(ValueError, match="two gradients on one mini-batch"):
        moments(QuadraticProblem.from_samples([samples]), Written(differences), rounds=1, oracle=MiniBatch(1))
