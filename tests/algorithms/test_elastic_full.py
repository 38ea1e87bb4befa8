"""Sensitivities, elasticity, and Algorithms 1 and 2 of elastic aggregation: readings against each other and special cases."""

from __future__ import annotations

from fractions import Fraction as Q

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms.elastic_aggregation import (
    ElasticFedAvgM,
    ElasticFedProx,
    GivenElasticity,
    SensitivityElasticity,
)
from fltheory.algorithms.elastic_full import elastic_fedavgm, elastic_fedprox
from fltheory.algorithms.sensitivities import (
    average_sensitivity,
    boosted_share,
    combined,
    elasticity,
    momentum_sensitivity,
)

ZETA = (Q(3, 4), Q(5, 4))
PROBLEM = fl.QuadraticProblem([[[1, 0], [0, 2]], [[2, 0], [0, 1]]], [[1, 0], [0, 2]])
GRADIENTS = [lambda x: np.array([1, 2]) * x - np.array([1, 0]), lambda x: np.array([2, 1]) * x - np.array([0, 2])]
START = [Q(0), Q(0)]


def test_the_exact_moments_are_the_traced_models() -> None:
    avgm = ElasticFedAvgM(2, Q(1, 4), GivenElasticity(ZETA), 1, Q(1, 2))
    traced = elastic_fedavgm(GRADIENTS, START, 4, local_steps=2, step_size=Q(1, 4), momentum=Q(1, 2), zeta=ZETA)
    assert list(fl.moments(PROBLEM, avgm, rounds=4, exact=True).mean[-1]) == list(traced[-1])
    prox = ElasticFedProx(2, Q(1, 4), Q(1, 2), GivenElasticity(ZETA))
    traced = elastic_fedprox(GRADIENTS, START, 4, local_steps=2, step_size=Q(1, 4), penalty=Q(1, 2), zeta=ZETA)
    assert list(fl.moments(PROBLEM, prox, rounds=4, exact=True).mean[-1]) == list(traced[-1])


def test_positive_elasticities_leave_fixed_points_of_full_aggregation() -> None:
    avgm = ElasticFedAvgM(2, Q(1, 4), GivenElasticity(ZETA), 1, Q(1, 2))
    assert list(fl.fixed_point(PROBLEM, avgm, exact=True)) == list(
        fl.fixed_point(PROBLEM, fl.FedAvg(2, Q(1, 4)), exact=True)
    )


def test_elasticity_one_is_plain_aggregation() -> None:
    one = GivenElasticity((1, 1))
    plain = fl.simulate(PROBLEM, fl.FedProx(3, 0.1, 0.5), rounds=5).gap
    assert np.allclose(fl.simulate(PROBLEM, ElasticFedProx(3, 0.1, 0.5, one), rounds=5).gap, plain, rtol=1e-12)
    plain = fl.simulate(PROBLEM, fl.FedAvg(3, 0.1), rounds=5).gap
    assert np.allclose(fl.simulate(PROBLEM, ElasticFedAvgM(3, 0.1, one), rounds=5).gap, plain, rtol=1e-12)


def test_sensitivities_read_off_a_round_are_those_of_the_plain_functions() -> None:
    """One round with exact gradients at 0: |grad F_k(0)| = (1, 0) and (0, 2)."""
    zeta = elasticity(combined([[1.0, 0.0], [0.0, 2.0]], [1, 1]), 0.5)
    mean = np.array([1.0, 2.0]) / 2
    after = 0.25 * zeta * mean
    gap = fl.simulate(PROBLEM, ElasticFedAvgM(1, 0.25, SensitivityElasticity(0.5, 2, 0.9)), rounds=1).gap[0, 1]
    assert gap == pytest.approx(PROBLEM.value(after) - PROBLEM.value(np.array([1 / 3, 2 / 3])), rel=1e-9)


def test_a_reported_sensitivity_costs_one_vector_more() -> None:
    for algorithm in (
        ElasticFedAvgM(2, 0.1, SensitivityElasticity(0.5)),
        ElasticFedProx(2, 0.1, 1, SensitivityElasticity(0.5)),
    ):
        cost = fl.cost((10, 4), algorithm, rounds=2)
        assert (cost.down, cost.up) == (1, 2)


def test_forms_of_sensitivity() -> None:
    gradients = [[Q(1), Q(-2)], [Q(-3), Q(0)]]
    assert list(average_sensitivity(gradients)) == [2, 1]
    assert list(momentum_sensitivity(gradients, Q(1, 2))) == [Q(7, 4), Q(1, 2)]
    assert list(combined([[Q(1)], [Q(4)]], [1, 2])) == [3]
    assert list(elasticity([Q(4), Q(1), Q(2)], Q(1, 2))) == [Q(1, 2), Q(5, 4), 1]
    assert boosted_share(elasticity([Q(4), Q(1), Q(2)], Q(1, 2))) == pytest.approx(1 / 3)
    assert list(elasticity([0, 0], Q(1, 2), without="equal")) == [Q(1, 2)] * 2


@pytest.mark.parametrize(
    "broken",
    [
        lambda: elasticity([0, 0], 1),
        lambda: elasticity([-1, 1], 1),
        lambda: elasticity([1], -1),
        lambda: elasticity([1], 1, without="guess"),
        lambda: average_sensitivity([]),
        lambda: momentum_sensitivity([], Q(1, 2)),
        lambda: momentum_sensitivity([[1]], 1),
        lambda: combined([[1]], [1, 2]),
        lambda: combined([[1]], [0]),
        lambda: combined([[1], [1, 2]], [1, 1]),
        lambda: combined([[1], [2]], [1, -1]),
        lambda: elasticity([float("nan"), 1.0], 1),
        lambda: elasticity(["a"], 1),
        lambda: boosted_share([]),
        lambda: elastic_fedavgm([lambda x: x], [1], 1, local_steps=1, step_size=1, momentum=1),
        lambda: elastic_fedavgm([lambda x: x], [1], 1, local_steps=1, step_size=1, difference="none"),
        lambda: elastic_fedprox([lambda x: x], [1], 1, local_steps=0, step_size=1, penalty=1),
        lambda: elastic_fedprox([lambda x: x], [1], 1, local_steps=1, step_size=1, penalty=1, order="none"),
        lambda: ElasticFedAvgM(1, 0.1, 1.0),  # type: ignore[arg-type]
    ],
)
def test_what_has_no_value_is_refused(broken: object) -> None:
    with pytest.raises(ValueError):
        broken()  # type: ignore[operator]


@pytest.mark.parametrize("options", [{}, {"server_sign": "minus", "difference": "global - local"}])
def test_readings_that_descend_and_one_that_climbs(options: dict[str, str]) -> None:
    common = dict(local_steps=1, step_size=Q(1, 2))
    down = elastic_fedavgm([lambda x: x], [Q(1)], 3, **common, **options)
    up = elastic_fedavgm([lambda x: x], [Q(1)], 3, **common, server_sign="minus")
    assert down[-1][0] == Q(1, 8) and up[-1][0] == Q(27, 8)
