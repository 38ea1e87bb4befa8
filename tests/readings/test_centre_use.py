"""Mixed problems for algorithms that never ask for the server's loss: refused, and only those."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms.populations import Populations
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings.centre_use import ROUNDS, asks_centre
from fltheory.readings.enumeration import enumerate_moments
from fltheory.readings.table import table_moments


def parabolas(*rows: tuple[int, int]) -> QuadraticProblem:
    """``a (w - m)^2/2`` for each pair."""
    pairs = [(Fraction(a), Fraction(m)) for a, m in rows]
    return QuadraticProblem(
        np.array([[[a]] for a, _ in pairs], dtype=object), np.array([[a * m] for a, m in pairs], dtype=object)
    )


CLIENTS, CENTRE = parabolas((1, 2), (2, -1)), parabolas((3, 4))
MIXED = MixedProblem(CLIENTS, CENTRE)
TENTH = Fraction(1, 10)
WITHOUT = {
    "FedAvg": fl.FedAvg(2, TENTH),
    "changing steps": fl.FedAvg(2, fl.Harmonic(1, 10)),
    "cohorts": fl.FedAvg(2, TENTH, fl.SchemeII(1)),
    "Scaffold": fl.Scaffold(2, TENTH),
    "FedProx": fl.FedProx(2, TENTH, 1),
    "Populations": Populations((0, 1), 2, TENTH, 1, True),
}
WITH = {
    "parallel": fl.ParallelTraining(2, TENTH, TENTH),
    "1-way": fl.OneWayGradientTransfer(2, TENTH),
    "2-way": fl.TwoWayGradientTransfer(2, TENTH, TENTH, participation=fl.SchemeII(1)),
    "Populations": Populations((0, 1), 2, TENTH / 4, TENTH, True, centre=True),
}
VERBS = {
    "fixed_point": lambda problem, algorithm: fl.fixed_point(problem, algorithm, exact=True),
    "round_map": lambda problem, algorithm: fl.round_map(problem, algorithm, round=0),
    "moments": lambda problem, algorithm: fl.moments(problem, algorithm, rounds=1),
    "table": lambda problem, algorithm: table_moments(problem, algorithm, rounds=1),
    "enumeration": lambda problem, algorithm: enumerate_moments(problem, algorithm, rounds=1),
    "trajectory": lambda problem, algorithm: fl.trajectory(problem, algorithm, rounds=1),
    "simulate": lambda problem, algorithm: fl.simulate(problem, algorithm, rounds=1),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", WITHOUT)
def test_algorithms_that_would_minimise_the_clients_part(name: str, verb: str) -> None:
    algorithm = WITHOUT[name]
    expected = f"algorithm={type(algorithm).__name__} never asks for the server's own loss of a MixedProblem"
    with pytest.raises(ValueError, match=expected):
        VERBS[verb](MIXED, algorithm)
    with pytest.raises(ValueError, match="on problem.clients"):
        VERBS[verb](MIXED.map_parts(lambda part: fl.Scaled(part, 2)), algorithm)


@pytest.mark.parametrize("name", WITHOUT)
def test_the_same_on_the_clients_alone(name: str) -> None:
    for verb in ("moments", "simulate"):
        VERBS[verb](MIXED.clients, WITHOUT[name])


@pytest.mark.parametrize("verb", ["fixed_point", "moments", "enumeration", "simulate"])
@pytest.mark.parametrize("name", WITH)
def test_algorithms_that_ask_are_let_pass(name: str, verb: str) -> None:
    VERBS[verb](MIXED, WITH[name])
    assert asks_centre(WITH[name], 2)


def test_meta_clients_are_a_plain_problem() -> None:
    """SCAFFOLD between two meta-clients, the clients' mean and the server, ends at the minimiser of the sum."""
    mean = QuadraticProblem(CLIENTS.mean_matrix[None], CLIENTS.mean_vector[None])
    both = QuadraticProblem(
        np.concatenate([2 * mean.matrices, 2 * CENTRE.matrices]), np.concatenate([2 * mean.vectors, 2 * CENTRE.vectors])
    )
    assert fl.fixed_point(both, fl.Scaffold(2, TENTH), exact=True) == MIXED.constants.minimiser


@dataclass(frozen=True)
class Late:
    """Gradient descent on the clients' part with one step on the server's in round ``when`` (-1: in ``start``)."""

    when: int

    def start(self, fed: Any, w: Any) -> Any:
        return w - TENTH * fed.centre.gradient(w) if self.when < 0 else w

    def round(self, fed: Any, w: Any) -> Any:
        y = w - TENTH * fed.average(fed.gradient(fed.send(w)))
        return y - TENTH * fed.centre.gradient(y) if fed.round == self.when else y


@pytest.mark.parametrize("when", [-1, 0, 7, ROUNDS - 1])
def test_one_call_in_one_round_is_enough(when: int) -> None:
    assert asks_centre(Late(when), 2)
    assert len(fl.trajectory(MIXED, Late(when), rounds=2).models) == 3


def test_a_first_call_after_the_rounds_that_are_followed() -> None:
    with pytest.raises(ValueError, match=f"algorithm=Late never asks .*nothing in its start and {ROUNDS} rounds"):
        fl.trajectory(MIXED, Late(ROUNDS), rounds=2)
    assert len(fl.trajectory(CLIENTS, Late(ROUNDS), rounds=2).models) == 3


@dataclass(frozen=True)
class Broken:
    """A round that fails before it asks for anything."""

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        raise RuntimeError("a mistake of the round")


def test_mistakes_show_in_their_own_words() -> None:
    with pytest.raises(RuntimeError, match="a mistake of the round"):
        fl.trajectory(MIXED, Broken(), rounds=1)
