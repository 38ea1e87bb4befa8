"""Second moments by classes of labels: the numbers of the sum over all pairs of labels, for every scheme, or no classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms import Original
from fltheory.readings import class_rows
from fltheory.readings.class_rows import ClassRows
from fltheory.readings.numbers import FLOAT
from fltheory.readings.walk import Walk

SCHEMES = (
    fl.SchemeI(2),
    fl.SchemeII(3),
    Original(2),
    fl.NormalisedUniform(2),
    fl.TransformedSchemeII(2),
)


def problem(weights: list[float], d: int = 2) -> fl.QuadraticProblem:
    rng = np.random.default_rng(len(weights))
    n = len(weights)
    roots = rng.normal(size=(n, d, d))
    matrices = roots @ roots.swapaxes(1, 2) / d + 0.2 * np.eye(d)
    return fl.QuadraticProblem(matrices, rng.normal(size=(n, d)), weights=weights)


GROUPS = {"equal": [0.125] * 8, "two groups": [0.25, 0.25] + [0.125] * 4, "one apart": [0.5] + [0.125] * 4}


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize("weights", GROUPS)
def test_the_moments_of_all_pairs(monkeypatch: pytest.MonkeyPatch, scheme: Any, weights: str) -> None:
    given = problem(GROUPS[weights])
    for algorithm in (fl.Scaffold(2, 0.1, 0.8, scheme), fl.FedDyn(2, 0.1, 0.5, scheme)):
        plain = fl.moments(given, algorithm, rounds=4, oracle=fl.AdditiveNoise(0.3)).deviations
        with monkeypatch.context() as patch:
            patch.setattr(class_rows, "LEAST_ENTRIES", 0)
            walk = Walk(given, algorithm, None, None, None, FLOAT)
            rows = walk.form(0)._label_rows
            if weights == "equal" or isinstance(
                scheme, (fl.SchemeI, fl.SchemeII)
            ):  # else last bits may differ in a class
                assert isinstance(rows, ClassRows)
            found = fl.moments(given, algorithm, rounds=4, oracle=fl.AdditiveNoise(0.3)).deviations
        np.testing.assert_allclose(found, plain, rtol=1e-12, atol=1e-15)


def test_noise_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    given = fl.MixedProblem(fl.Scaled(problem(GROUPS["equal"]), 0.75), fl.Scaled(problem([1.0]), 0.25))
    algorithm = fl.TwoWayGradientTransfer(2, 0.1, 0.05, participation=fl.SchemeII(3))
    noise: dict[str, Any] = {"oracle": fl.AdditiveNoise(0.2), "centre_oracle": fl.AdditiveNoise(0.4), "rounds": 3}
    plain = fl.moments(given, algorithm, **noise).deviations
    monkeypatch.setattr(class_rows, "LEAST_ENTRIES", 0)
    monkeypatch.setattr(class_rows, "MOST_FULL", 1.0)
    np.testing.assert_allclose(fl.moments(given, algorithm, **noise).deviations, plain, rtol=1e-12, atol=1e-15)


def test_clients_of_different_weights_have_no_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_rows, "LEAST_ENTRIES", 0)
    given = problem([1 / 16, 3 / 16, 5 / 16, 7 / 16])
    walk = Walk(given, fl.Scaffold(2, 0.1, participation=fl.SchemeI(2)), None, None, None, FLOAT)
    assert not isinstance(walk.form(0)._label_rows, ClassRows)


def test_a_joint_moment_out_of_its_class_is_noticed() -> None:
    rng = np.random.default_rng(0)
    n, size = 4, 150
    labels, first = list(range(2 * n + 2)), np.array([1.0, *[0.25] * n, 0.0, *[0.5] * n])
    second = np.multiply.outer(first, first)
    maps = np.zeros((len(labels), size, size))
    for k, one in enumerate(maps):
        one[10 * k : 10 * k + 10] = rng.normal(size=(10, size))
    moment = rng.normal(size=(size, size))
    for pair in (None, (1, n + 2), (2, 2)):  # none, or one of one client
        joint = second.copy()
        if pair is not None:
            joint[pair] = joint[pair[::-1]] = 0.9
        rows = class_rows.class_rows(maps, labels, first, joint, n)
        assert isinstance(rows, ClassRows)
        whole = np.einsum("lm,lij,jk,mnk->in", joint, maps, moment, maps, optimize=True)
        np.testing.assert_allclose(rows.advance(moment), whole, rtol=1e-10, atol=1e-9)
    joint = second.copy()
    joint[1, n + 3] = joint[n + 3, 1] = 0.9 + 2.0**-52  # of two clients
    assert class_rows.class_rows(maps, labels, first, joint, n) is None


def test_terms_of_the_clients_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_rows, "LEAST_ENTRIES", 0)
    given, algorithm = problem(GROUPS["equal"]), fl.Scaffold(2, 0.1, participation=fl.SchemeII(3))
    right = fl.moments(given, algorithm, rounds=3).deviations
    before = class_rows.class_rows

    def without(*arguments: Any) -> Any:
        found = before(*arguments)
        return None if found is None else ClassRows(found.sums, found.others, found.own[:-1])

    monkeypatch.setattr("fltheory.readings.forms.class_rows", without)
    assert not np.allclose(fl.moments(given, algorithm, rounds=3).deviations, right, rtol=1e-6)
