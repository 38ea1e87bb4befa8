"""The limit of many local steps against a hand-made example, and rates divided by other rates."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import fltheory as fl


def test_many_local_steps_average_the_clients_minimisers() -> None:
    """Clients x^2 - 2x and (x^2 + 4x)/2 with minimisers 1 and -2: every round ends in their weighted mean."""
    problem = fl.QuadraticProblem(
        np.array([[[2.0]], [[1.0]]]), np.array([[2.0], [-2.0]]), weights=np.array([0.75, 0.25])
    )
    found = fl.limit_local_steps_to_infinity(problem, 0.1)
    assert found.matrix[0, 0] == pytest.approx(0.0, abs=1e-15)
    assert found.shift[0] == pytest.approx(0.75 * 1 + 0.25 * -2)


def test_a_number_over_a_rate_is_its_quotient() -> None:
    """A step size 1/(2/eta) = eta/2 in a series: one step on x^2/2 goes from 1 to 1 - eta/2."""
    problem = fl.QuadraticProblem(np.array([[[1]]]), np.array([[0]]))
    halved = fl.series(problem, lambda eta: fl.FedAvg(1, 1 / (2 / eta)), 2, start=[Fraction(1)])
    plain = fl.series(problem, lambda eta: fl.FedAvg(1, eta / 2), 2, start=[Fraction(1)])
    assert halved == plain
