"""What the rows on FedLAMA's worst cases say of programs and of drifts, against the package's own algorithms."""

from __future__ import annotations

from fractions import Fraction

import pytest

import fltheory as fl
from fltheory.readings.trajectory import trajectory
from verify.fedlama2021.worst_cases.drift import drift, factor
from verify.fedlama2021.worst_cases.longest_interval import deviating


@pytest.mark.parametrize(("base", "expected"), [(1, False), (2, True)])
def test_points_of_layers_averaged_at_every_step_have_no_deviation(base: int, expected: bool) -> None:
    assert any(deviating(base, 2, 2)) is expected


def test_the_drift_ends_where_the_algorithm_does() -> None:
    curvatures, slopes, step = (Fraction(1, 2), Fraction(1)), (Fraction(1), Fraction(-2)), Fraction(1, 4)
    problem = fl.QuadraticProblem([[[h]] for h in curvatures], [[-b] for b in slopes])
    method = fl.FedAvg(2, step)
    (model,) = trajectory(problem, method, rounds=1, start=[0], exact=True).state
    due = (False, True)  # the averaged models alone are at the third point
    longer = drift(curvatures, slopes, step, (*due, False)) - drift(curvatures, slopes, step, due)
    assert longer == model**2


def test_the_factor_is_that_of_parabolas() -> None:
    step = Fraction(1, 8)
    found = drift((Fraction(-1), Fraction(-1)), (Fraction(1), Fraction(-1)), step, (False,) * 5)
    assert found == factor(1 + step, step, 5)
