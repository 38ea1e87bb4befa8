"""FedDyn: no bias at its fixed point, the paper's local problem in the limit of many steps, rounds over cohorts."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

import fltheory as fl
from fltheory.readings.gram import program


def clients() -> fl.QuadraticProblem:
    return fl.QuadraticProblem(
        [[[F(2), F(1, 2)], [F(1, 2), 1]], [[F(1), 0], [0, F(3)]], [[F(3, 2), F(-1, 4)], [F(-1, 4), F(2)]]],
        [[F(1), 0], [0, F(1)], [F(2), F(2)]],
        weights=[F(1, 2), F(1, 3), F(1, 6)],
    )


@pytest.mark.parametrize("steps", [1, 3])
def test_the_fixed_point_is_the_minimiser(steps: int) -> None:
    """Where FedAvg's is not."""
    problem = clients()
    limit = fl.fixed_point(problem, fl.FedDyn(steps, F(1, 10), F(1, 2)), exact=True)
    gradient = sum(
        p * (a @ limit - b) for p, a, b in zip(problem.weights, problem.matrices, problem.vectors, strict=True)
    )
    assert (gradient == 0).all()
    if steps > 1:
        assert (fl.fixed_point(problem, fl.FedAvg(steps, F(1, 10)), exact=True) != limit).any()


def test_runs_converge_and_the_gram_reading_takes_it() -> None:
    problem = clients().to_float()
    algorithm = fl.FedDyn(4, 0.1, 0.5)
    end = fl.trajectory(problem, algorithm, rounds=2000).models[-1]
    np.testing.assert_allclose(problem.gradient(end), 0, atol=1e-10)
    assert program(algorithm, rounds=2).instructions


def test_many_steps_solve_the_local_problem() -> None:
    """Then ``h_k`` is the client's gradient at its own model (equation 1 of the paper)."""
    problem = clients().to_float()
    alpha, start = 0.5, np.array([3.0, -1.0])
    models = fl.trajectory(problem, fl.FedDyn(400, 0.1, alpha), rounds=1, start=start).models
    ends = [
        np.linalg.solve(a + alpha * np.eye(2), b + alpha * start)
        for a, b in zip(problem.matrices, problem.vectors, strict=True)
    ]
    gradients = [a @ x - b for a, b, x in zip(problem.matrices, problem.vectors, ends, strict=True)]
    for gradient, x in zip(gradients, ends, strict=True):
        np.testing.assert_allclose(gradient, -alpha * (x - start), atol=1e-10)
    mean, h = problem.weights @ np.array(ends), problem.weights @ np.array(gradients)
    np.testing.assert_allclose(models[-1], mean - h / alpha, atol=1e-10)


def test_refused_arguments() -> None:
    with pytest.raises(ValueError, match="alpha"):
        fl.FedDyn(2, 0.1, 0)
    with pytest.raises(ValueError, match="local_steps"):
        fl.FedDyn(0, 0.1, 1)
