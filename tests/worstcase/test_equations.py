"""Worst cases with equations: the sides are near each other, and algorithms run on the instance that the lower one shows."""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms.elastic_aggregation import ElasticFedAvgM, GivenElasticity
from fltheory.readings.trajectory import trajectory
from fltheory.worstcase import kept, verifier
from fltheory.worstcase.enclosed import enclosed
from fltheory.worstcase.equations import equations, solve_with_equations
from fltheory.worstcase.formulation import build_model
from fltheory.worstcase.layered_instance import layered_instance

CLASS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
QUARTER = Fraction(1, 4)
LAYERS = fl.FedLAMA(base=1, factor=2, step_size=QUARTER, intervals=(1, 2))
FACTORS = ElasticFedAvgM(1, QUARTER, GivenElasticity((Fraction(1, 2), Fraction(3, 2))))


@pytest.mark.parametrize("algorithm", [LAYERS, FACTORS])
def test_the_algorithm_reproduces_its_certified_instance(algorithm: Any) -> None:
    answer = solve_with_equations(build_model(algorithm, CLASS))
    assert answer.status == "certified"
    assert answer.width < 1e-5
    case = layered_instance(answer)
    found = trajectory(case.problem, algorithm, rounds=1, start=case.start).state
    model = found[0] if isinstance(found, tuple) else found
    assert float((np.asarray(model).reshape(-1)[: case.problem.dimension] ** 2).sum()) == pytest.approx(
        case.value, rel=1e-9
    )
    assert float((case.start**2).sum()) <= 1
    origin = np.zeros(case.problem.dimension)
    gradients = [f.derivative(origin) for f in case.problem.functions]
    assert np.allclose(np.mean(gradients, axis=0), 0, atol=1e-9)
    assert float(np.mean([(g**2).sum() for g in gradients])) <= 1


def test_the_long_interval_has_the_same_worst_case() -> None:
    layers, long = (enclosed(solve_with_equations(build_model(one, CLASS))) for one in (LAYERS, fl.FedAvg(2, QUARTER)))
    assert float(layers.lower) == pytest.approx(float(long.upper), rel=1e-5)
    assert layers.lower > enclosed(fl.worst_case(fl.FedAvg(1, QUARTER), CLASS, rounds=2)).upper


def test_equations_are_found_where_vectors_have_parts() -> None:
    assert equations(build_model(fl.FedAvg(2, QUARTER), CLASS)) == []
    model = build_model(LAYERS, CLASS)
    assert len(equations(model)) == sum(item.bound is None for item in model.assumptions) // 2 == 2


def test_parts_that_are_not_orthogonal_are_rejected() -> None:
    model = build_model(LAYERS, CLASS)
    data = copy.deepcopy(dict(solve_with_equations(model).certificate or {}))
    assert "lower" in verifier.verify(data)
    block, i, j = next(iter(model.form(model.assumptions[equations(model)[0]].functional)[0]))
    rows = data["lower"]["blocks"][block[0]]
    rows[i][j] = rows[j][i] = str(Fraction(rows[i][j]) + Fraction(1, 10**9))
    with pytest.raises(verifier.Rejected):
        verifier.verify(data)


def test_a_kept_certificate_answers_in_the_place_of_the_solver() -> None:
    model = build_model(LAYERS, CLASS)
    answer = solve_with_equations(model)
    with kept.replaying([dict(answer.certificate or {})]):
        again = solve_with_equations(model)
    assert (again.upper, again.lower, again.solver_status) == (answer.upper, answer.lower, "kept")


def test_an_instance_without_parts_is_refused() -> None:
    with pytest.raises(ValueError, match="0 parts"):
        layered_instance(fl.worst_case(fl.FedAvg(1, QUARTER), CLASS))


def test_one_side_is_no_enclosure() -> None:
    with pytest.raises(RuntimeError, match="both sides"):
        enclosed(fl.worst_case(fl.FedAvg(1, QUARTER), CLASS, certify=False))
