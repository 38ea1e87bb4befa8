"""The explicit N-client formulation: its values, and symmetric certificates lifted into it."""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.algorithms import FedAvg, NormalisedUniform, Scaffold
from fltheory.algorithms.gradient_transfer import OneWayGradientTransfer
from fltheory.worstcase.certificate import statement
from fltheory.worstcase.classes import Dissimilarity, Smooth, SmoothConvex, SmoothStronglyConvex
from fltheory.worstcase.entry import build_model, solve_model
from fltheory.worstcase.explicit import _semidefinite, explicit_worst_case, lift
from fltheory.worstcase.explicit_program import Explicit

STRONG = SmoothStronglyConvex(0.1, 1)
MODELS: dict[str, Any] = {
    "one step": (FedAvg(1, 0.5), STRONG, {}),
    "local steps": (FedAvg(3, 0.25), STRONG, {}),
    "two rounds": (FedAvg(2, 0.25), STRONG, {"rounds": 2, "measure": "gap"}),
    "own minimisers": (FedAvg(2, 0.25), STRONG, {"heterogeneity": "gamma"}),
    "infima": (FedAvg(2, 0.25), SmoothConvex(1), {"heterogeneity": "gamma", "measure": "gap"}),
    "shared minimiser": (FedAvg(2, 0.25), STRONG, {"heterogeneity": "none", "measure": "gradient"}),
    "dissimilarity": (
        FedAvg(2, 0.25),
        Smooth(1),
        {"heterogeneity": Dissimilarity(2), "start": "gap", "measure": "gradient"},
    ),
    "client state": (Scaffold(2, 0.25), STRONG, {"rounds": 2}),
    "free client state": (
        Scaffold(1, 0.25),
        STRONG,
        {"free_state": True, "start": lambda a: a.distance(0) + a.square(a.leaf(1, 0)) + a.square(a.leaf(2, 0))},
    ),
    "server loss": (
        OneWayGradientTransfer(2, 0.25),
        STRONG,
        {"centre": SmoothStronglyConvex(0.2, 2), "measure": "gap"},
    ),
}
NONUNIFORM = ([Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)])
FIVE = [Fraction(k, 15) for k in range(1, 6)]


def model_of(name: str) -> Any:
    algorithm, functions, settings = MODELS[name]
    return build_model(algorithm, functions, **settings)


@pytest.mark.parametrize("name", MODELS)
def test_uniform_weights_attain_the_symmetric_value(name: str) -> None:
    model = model_of(name)
    symmetric = solve_model(model, certify=False).solver_value
    for n in (2, 3):
        assert explicit_worst_case(model, [Fraction(1, n)] * n).value == pytest.approx(symmetric, rel=2e-6)


def test_one_step_is_gradient_descent() -> None:
    model = build_model(FedAvg(1, Fraction(3, 2)), STRONG)
    for weights in ([Fraction(1)], [Fraction(1, 2)] * 2, *NONUNIFORM):
        assert explicit_worst_case(model, weights).value == pytest.approx(max(0.85**2, 0.5**2), rel=1e-6)


@pytest.mark.parametrize("name", ["local steps", "own minimisers", "client state"])
def test_other_weights_do_not_exceed_it(name: str) -> None:
    model = model_of(name)
    symmetric = solve_model(model, certify=False).solver_value
    for weights in NONUNIFORM:
        assert explicit_worst_case(model, weights).value <= symmetric * (1 + 2e-6)


def test_quantities_are_used() -> None:
    model = model_of("local steps")
    small = {"heterogeneity": Fraction(1, 100)}
    symmetric = solve_model(model, small, certify=False).solver_value
    assert explicit_worst_case(model, [Fraction(1, 2)] * 2, small).value == pytest.approx(symmetric, rel=2e-6)
    assert symmetric < solve_model(model, certify=False).solver_value


@pytest.mark.parametrize("name", MODELS)
def test_certificates_lift_to_the_same_bound(name: str) -> None:
    found = solve_model(model_of(name))
    assert found.certificate is not None and found.bound
    for weights in (*NONUNIFORM, FIVE):
        assert lift(found.certificate, weights) == dict(found.bound)


@pytest.fixture(scope="module")
def certificate() -> dict[str, Any]:
    found = solve_model(build_model(FedAvg(2, 0.25), STRONG))
    assert found.certificate is not None
    return found.certificate


def test_a_smaller_multiplier_is_refused(certificate: dict[str, Any]) -> None:
    changed = copy.deepcopy(certificate)
    texts = changed["upper"]["assumptions"]
    texts[0] = str(Fraction(texts[0]) * Fraction(999, 1000))
    with pytest.raises(ValueError, match="not positive semidefinite"):
        lift(changed, NONUNIFORM[0])


def test_unbalanced_values_are_refused(certificate: dict[str, Any]) -> None:
    changed = copy.deepcopy(certificate)
    entry = max(changed["upper"]["interpolation"]["clients"], key=lambda item: Fraction(item[2]))
    entry[2] = str(Fraction(entry[2]) * Fraction(999, 1000))
    with pytest.raises(ValueError, match="do not cancel"):
        lift(changed, NONUNIFORM[0])


def test_a_negative_multiplier_is_refused(certificate: dict[str, Any]) -> None:
    changed = copy.deepcopy(certificate)
    changed["upper"]["interpolation"]["clients"][0][2] = "-1/1000"
    with pytest.raises(ValueError, match="is negative"):
        lift(changed, NONUNIFORM[0])


def test_another_method_is_refused(certificate: dict[str, Any]) -> None:
    changed = copy.deepcopy(certificate)
    for item in changed["program"]:
        if item[0] == "combine":
            item[1] = [["-3/10" if factor == "-1/4" else factor, register] for factor, register in item[1]]
    assert changed["program"] != certificate["program"]
    with pytest.raises(ValueError, match="not positive semidefinite"):
        lift(changed, NONUNIFORM[0])


def test_a_certificate_without_an_upper_bound_is_refused(certificate: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no upper bound"):
        lift({**certificate, "upper": None}, NONUNIFORM[0])


@pytest.mark.parametrize(
    ("weights", "reason"),
    [([], "sum to 0"), ([Fraction(1, 2), Fraction(1, 3)], "sum to 5/6"), ([Fraction(2), Fraction(-1)], "not positive")],
)
def test_bad_weights_are_refused(certificate: dict[str, Any], weights: list[Fraction], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        lift(certificate, weights)


def test_sampling_and_noise_are_refused() -> None:
    halves = [Fraction(1, 2)] * 2
    with pytest.raises(ValueError, match="sampled cohort"):
        explicit_worst_case(build_model(FedAvg(2, 0.25, NormalisedUniform(2)), STRONG, n_clients=4), halves)
    with pytest.raises(ValueError, match="noise"):
        explicit_worst_case(build_model(FedAvg(2, 0.25), STRONG, noise=True, n_clients=2), halves)


def test_the_semidefinite_test_agrees_with_eigenvalues() -> None:
    rng = np.random.default_rng(7)
    seen = set()
    for trial in range(60):
        size, rank = int(rng.integers(1, 6)), int(rng.integers(0, 6))
        factor = rng.integers(-3, 4, size=(size, rank))
        matrix = factor @ factor.T
        if trial % 3 == 0:
            place = int(rng.integers(size))
            matrix[place, place] -= 1
        form = {
            ("gram", i, j): Fraction(int(matrix[i, j]) * (1 if i == j else 2), 7)
            for i in range(size)
            for j in range(i, size)
        }
        expected = bool(np.linalg.eigvalsh(matrix.astype(np.float64)).min() > -1e-9)
        seen.add(expected)
        assert _semidefinite(form, size) is expected
    assert seen == {True, False}


def test_values_are_those_of_gradients() -> None:
    model = model_of("local steps")
    whole = statement(model)
    read = Explicit(whole, (Fraction(1, 2), Fraction(1, 2)))
    place = next(i for i, item in enumerate(whole["program"]) if item[0] not in ("gradient", "centre"))
    with pytest.raises(ValueError, match=rf"register {place} \(.*\) has no function value"):
        read.functional({"inner": [], "values": [["1", place]]})
