"""Moments of a scheme kept by their few distinct values: the entries of the mixture, sums over clients, readings, and time."""

from __future__ import annotations

import time
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms import participation
from fltheory.algorithms.joint_moments import JointMoments, distinct
from fltheory.algorithms.subsets import _FixedCoefficients

SCHEMES = [
    fl.SchemeI(3),
    fl.SchemeI(2, "separate runs"),
    fl.SchemeII(2),
    fl.TransformedSchemeII(2),
    fl.Original(2),
    fl.Full(),
]
WEIGHTS = [F(1, 12), F(1, 6), F(1, 4), F(1, 6), F(1, 3)]
N = len(WEIGHTS)
A, B, M = tuple(range(1, N + 1)), (N + 1,), tuple(range(N + 2, 2 * N + 2))


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_sums_over_clients_are_those_of_the_matrix(scheme: Any) -> None:
    rng = np.random.default_rng(np.random.SeedSequence(3))
    for weights in (WEIGHTS, [float(p) for p in WEIGHTS]):
        second = scheme.moments(weights).second
        assert isinstance(second, JointMoments) and second.shape == (2 * N + 2, 2 * N + 2)
        for labels in ((0, *A), (0, *A, *B), (0, *A, *M), (0, *A, *B, *M), M):
            x = rng.integers(-5, 6, (len(labels), 2, 2))
            x = x * F(1) if second.dtype == object else x / 3
            wanted = np.tensordot(second[np.ix_(labels, labels)], x, axes=(1, 0))
            found = second.times(labels, x)
            if second.dtype == object:
                assert (found == wanted).all()
            else:
                np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)
    with pytest.raises(ValueError, match="expected all of a kind or none"):
        second.times((0, 1), np.ones((2, 1)))


def test_indexing_is_that_of_an_array() -> None:
    second = fl.Original(2).moments(WEIGHTS).second
    whole = np.asarray(second)
    rows, columns = np.array([0, 3, N + 1]), np.array([N + 1, 3, 2 * N + 1])
    assert (second[rows, columns] == whole[rows, columns]).all()
    assert (second[1 : N + 1, N + 2 :] == whole[1 : N + 1, N + 2 :]).all()
    assert second[N + 1, N + 1] == whole[N + 1, N + 1] == second[-N - 1, -N - 1]
    assert (whole == whole.T).all()


@pytest.mark.parametrize("scheme", SCHEMES[:-1], ids=repr)
def test_readings_of_many_clients(scheme: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Moments, the factor of the mean square and the end in law, with and without the matrix; and a control."""
    problem = fl.QuadraticProblem(
        [[[1 + k, F(1, 2)], [F(1, 2), 2]] for k in range(N)], [[F(k), F(1)] for k in range(N)], weights=WEIGHTS
    )
    algorithms = [fl.FedAvg(2, F(1, 10), participation=scheme)]
    if not scheme.separate_runs and not isinstance(scheme, fl.Original):
        algorithms.append(fl.Scaffold(2, F(1, 10), F(3, 4), participation=scheme))

    def read(exact: bool) -> list[Any]:
        return [
            fl.moments(problem, one, rounds=2, exact=exact, oracle=fl.AdditiveNoise(1)).second[-1] for one in algorithms
        ] + ([] if exact else [fl.round_map(problem.to_float(), one).mean_square_factor() for one in algorithms])

    plain = {exact: read(exact) for exact in (True, False)}
    monkeypatch.setattr(participation, "MOST_LABELS", 0)
    for exact, listed in plain.items():
        for found, wanted in zip(read(exact), listed, strict=True):
            if exact:
                assert (found == wanted).all()
            else:
                np.testing.assert_allclose(found, wanted, rtol=1e-11)
    monkeypatch.setattr("fltheory.algorithms.joint_moments.Pairs.times", lambda self, x, turned=False: 0 * x)
    assert any((found != wanted).any() for found, wanted in zip(read(True), plain[True], strict=True))


def test_groups_of_equal_weights() -> None:
    groups, members = distinct(WEIGHTS)
    assert groups.tolist() == [0, 1, 2, 1, 3] and members == [0, 1, 2, 4]


@pytest.mark.parametrize("scheme", [fl.SchemeI(30), fl.SchemeII(30), fl.Original(30)], ids=repr)
def test_a_hundred_thousand_clients(scheme: Any) -> None:
    size = 100_000
    counts = np.random.default_rng(np.random.SeedSequence(4)).integers(1, 300, size)
    whole = int(counts.sum())
    for weights in ((counts / whole).tolist(), [F(count, whole) for count in counts.tolist()]):
        began = time.process_time()
        moments = scheme.moments(weights)
        assert time.process_time() - began < 3  # 0.03 s in floats and 0.2 s in rationals on a quiet core
        k, j = 5, size - 7
        if isinstance(scheme, _FixedCoefficients):
            c = [scheme.coefficient(weights, one) for one in (k, j)]
            assert moments.second[1 + k, 1 + j] == pytest.approx(c[0] * c[1] * 30 * 29 / (size * (size - 1)), rel=1e-12)
        total = moments.second.times((0, *range(1, size + 1)), np.ones((size + 1, 1)))[1:].sum()
        if isinstance(scheme, fl.SchemeI):
            assert float(total) == pytest.approx(2, rel=1e-12)  # the coefficients sum to one: E 1'a + E (1'a)^2
        with pytest.raises(ValueError, match="too many to write out"):
            np.asarray(moments.second)
