"""Elastic algorithms: where they are plain aggregation, and what equal sensitivities and zero elasticity do, in all readings."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms.sensitivities import elasticity

ETA = F(1, 10)
CLIENTS = fl.with_blocks(
    fl.QuadraticProblem([[[F(2), 1], [1, 3]], [[1, 0], [0, 3]], [[1, 0], [0, 1]]], [[F(1), 0], [0, 1], [2, 2]]),
    {"body": 1, "head": 1},
)
#: One parameter: its sensitivity is the largest.
LINE = fl.QuadraticProblem([[[F(2)]], [[3]], [[1]]], [[F(1)], [-1], [2]])
#: Two coordinates that are alike: the clients' gradients at equal coordinates are equal.
TWINS = fl.QuadraticProblem([[[F(2), 0], [0, 2]], [[3, 0], [0, 3]], [[1, 0], [0, 1]]], [[F(1)] * 2, [-1] * 2, [2] * 2])
NOISE = fl.FiniteSupportNoise([[F(1), F(-1)], [F(-1), F(1)]], [F(1, 2)] * 2)
SCHEMES = (fl.Full(), fl.SchemeII(2), fl.Original(1))


def given(*zeta: Any) -> Any:
    return fl.GivenElasticity(zeta)


#: An elastic algorithm and what it is: name -> (algorithm, another one).
SAME = {
    "FedAvgM of ones without momentum": (fl.ElasticFedAvgM(2, ETA, given(1, 1)), fl.FedAvg(2, ETA)),
    "FedAvgM of ones": (
        fl.ElasticFedAvgM(2, ETA, given(1, 1), F(1, 2), F(1, 3)),
        fl.FedOpt(2, ETA, F(1, 2) * F(2, 3), server=fl.HeavyBall(F(1, 3))),
    ),
    "FedAvgM of one number": (
        fl.ElasticFedAvgM(2, ETA, given(F(3, 4), F(3, 4)), F(1, 2)),
        fl.SimplifiedElastic(2, ETA, F(1, 2), F(3, 4)),
    ),
    "FedProx of ones": (fl.ElasticFedProx(2, ETA, F(1, 2), given(1, 1)), fl.FedProx(2, ETA, F(1, 2))),
    "FedProx of ones without penalty": (fl.ElasticFedProx(2, ETA, 0, given(1, 1)), fl.FedAvg(2, ETA)),
    "simplified, factor 1": (fl.SimplifiedElastic(2, ETA, F(1, 2), 1), fl.TwoSidedFedAvg(2, ETA, F(1, 2))),
    "simplified, factors 1": (fl.SimplifiedElastic(2, ETA), fl.FedAvg(2, ETA)),
    "simplified, their product": (fl.SimplifiedElastic(2, ETA, F(3, 2), F(3, 4)), fl.TwoSidedFedAvg(2, ETA, F(9, 8))),
}


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: type(scheme).__name__)
@pytest.mark.parametrize("name", SAME)
def test_special_cases_hold_exactly(name: str, scheme: Any) -> None:
    one, other = (replace(algorithm, participation=scheme) for algorithm in SAME[name])
    laws = [fl.moments(CLIENTS, a, rounds=3, oracle=NOISE, exact=True) for a in (one, other)]
    assert (laws[0].mean == laws[1].mean).all() and (laws[0].second == laws[1].second).all()
    changed = replace(one, step_size=F(11, 100))
    assert (fl.moments(CLIENTS, changed, rounds=3, exact=True).mean[-1] != laws[1].mean[-1]).any()
    runs = [
        fl.simulate(CLIENTS.to_float(), a, rounds=4, runs=3, oracle=fl.AdditiveNoise(0.1), seed=1).final
        for a in (one, other)
    ]
    np.testing.assert_allclose(runs[0], runs[1], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", SAME)
def test_special_cases_have_one_limit_one_law_and_one_cost(name: str) -> None:
    one, other = SAME[name]
    assert list(fl.fixed_point(CLIENTS, one, exact=True)) == list(fl.fixed_point(CLIENTS, other, exact=True))
    spread = [fl.stationary(CLIENTS, a, oracle=NOISE, exact=True).covariance for a in (one, other)]
    assert (spread[0] == spread[1]).all()
    costs = [fl.cost(CLIENTS, a, 2) for a in (one, other)]
    assert [(c.up, c.down, c.gradients) for c in costs[:1]] == [(c.up, c.down, c.gradients) for c in costs[1:]]


@pytest.mark.parametrize("problem", [LINE, TWINS], ids=["one parameter", "two alike"])
@pytest.mark.parametrize("tau", [0.25, 1.0])
@pytest.mark.parametrize("form", [{}, {"batches": 3}, {"batches": 3, "decay": 0.5}], ids=str)
def test_equal_sensitivities_multiply_the_update_by_tau(problem: Any, tau: float, form: dict[str, Any]) -> None:
    """With ``tau = 1`` this is plain aggregation; ``zeta = 1 + tau - Omega/max Omega`` with equal ``Omega`` is ``tau``."""
    measured = fl.SensitivityElasticity(tau, **form)
    for one, other in (
        (fl.ElasticFedAvgM(2, 0.1, measured), fl.SimplifiedElastic(2, 0.1, 1, tau)),
        (fl.ElasticFedProx(2, 0.1, 0.0, measured), fl.SimplifiedElastic(2, 0.1, 1, tau)),
        *([(fl.ElasticFedProx(2, 0.1, 0.5, measured), fl.FedProx(2, 0.1, 0.5))] if tau == 1 else []),
    ):
        models = [fl.trajectory(problem.to_float(), a, rounds=5).models for a in (one, other)]
        np.testing.assert_allclose(models[0], models[1], rtol=1e-12, atol=1e-13)
    assert elasticity([3.0] * problem.dimension, tau).tolist() == [tau] * problem.dimension
    unequal = fl.ElasticFedAvgM(2, 0.1, measured)
    apart = [
        fl.trajectory(CLIENTS.to_float(), a, rounds=5).models for a in (unequal, fl.SimplifiedElastic(2, 0.1, 1, tau))
    ]
    assert not np.allclose(apart[0], apart[1], rtol=1e-3)


@pytest.mark.parametrize("still", [0, 1])
def test_a_coordinate_of_zero_elasticity_stands_still(still: int) -> None:
    """``zeta = 0`` moves nothing: it is no plain aggregation, which is ``zeta = 1``."""
    zeta = given(*(0 if place == still else 1 for place in range(2)))
    start = [F(1), F(-2)]
    for one in (fl.ElasticFedAvgM(2, ETA, zeta, 1, F(1, 3)), fl.ElasticFedProx(2, ETA, F(1, 2), zeta)):
        models = fl.trajectory(CLIENTS, one, rounds=4, start=start, exact=True).models
        assert (models[:, still] == start[still]).all() and (models[1:, 1 - still] != start[1 - still]).all()
    least = fl.ElasticFedAvgM(1, 0.1, fl.SensitivityElasticity(0))
    models = fl.trajectory(CLIENTS.to_float(), least, rounds=1, start=[1.0, -2.0]).models
    gradients = np.abs(CLIENTS.to_float().client_gradients(np.array([[1.0, -2.0]] * 3))).mean(axis=0)
    assert models[1, gradients.argmax()] == models[0, gradients.argmax()]
