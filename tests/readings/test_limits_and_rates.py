"""The limit of many local steps against a hand-made example, and a round that ends at the minimiser."""

from __future__ import annotations

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.numbers import decimal_fraction


def test_many_local_steps_average_the_clients_minimisers() -> None:
    """Clients x^2 - 2x and (x^2 + 4x)/2 with minimisers 1 and -2: every round ends in their weighted mean."""
    problem = fl.QuadraticProblem(
        np.array([[[2.0]], [[1.0]]]), np.array([[2.0], [-2.0]]), weights=np.array([0.75, 0.25])
    )
    found = fl.limit_local_steps_to_infinity(problem, 0.1)
    assert found.matrix[0, 0] == pytest.approx(0.0, abs=1e-15)
    assert found.shift[0] == pytest.approx(0.75 * 1 + 0.25 * -2)


def test_a_round_that_ends_at_the_minimiser_has_the_factor_zero() -> None:
    problem = fl.QuadraticProblem(np.array([[[1.0]]]), np.array([[2.0]]))
    factor = fl.round_map(problem, fl.FedAvg(1, 1.0)).mean_square_factor()
    assert factor == 0.0


def test_series_of_a_problem_with_samples_are_those_of_its_means() -> None:
    features = [np.array([[1.0, 0.5], [0.25, -1.0]]), np.array([[2.0, 1.0], [0.0, 1.0], [1.0, -1.0]])]
    targets = [np.array([1.0, 2.0]), np.array([0.5, 0.0, -1.0])]
    problem = fl.ridge_regression(features, targets, fl.Regulariser(0.1, "lambda/2|w|^2"))
    exact = problem.to_exact(decimal_fraction)
    plain = fl.QuadraticProblem(exact.matrices, exact.vectors, weights=exact.weights)

    def found(of: fl.QuadraticProblem, steps: int) -> object:
        return fl.series(of, lambda eta: fl.FedAvg(steps, eta), 2)

    assert found(problem, 2) == found(plain, 2)
    assert found(problem, 2) != found(plain, 3)
