"""Rounds over fewer labels and fewer rows: the same moments as with all of them, and a control."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems import rational_matrices
from fltheory.readings import label_groups, label_rows
from fltheory.readings.numbers import FLOAT, RATIONAL
from fltheory.readings.walk import Walk


def problem(n: int, kinds: int, d: int = 2, *, exact: bool = True) -> Any:
    """``n`` clients of so many kinds."""
    matrices = [[[F(1 + (i == j) * (2 + k % kinds), 4) for j in range(d)] for i in range(d)] for k in range(n)]
    vectors = [[F((k % kinds) * i + 1, 3) for i in range(d)] for k in range(n)]
    made = fl.QuadraticProblem(matrices, vectors)
    return made if exact else made.to_float()


@pytest.mark.parametrize("scheme", [fl.SchemeI(3), fl.SchemeII(3), fl.Original(2)], ids=repr)
@pytest.mark.parametrize("kinds", [1, 3])
def test_clients_alike_have_one_map(scheme: Any, kinds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    algorithm = fl.FedAvg(2, F(1, 10), participation=scheme)
    noise = fl.AdditiveNoise(F(1, 5))
    for exact in (True, False):
        given = problem(9, kinds, exact=exact)
        apart = fl.moments(given, algorithm, rounds=3, oracle=noise, exact=exact)
        with monkeypatch.context() as patch:
            patch.setattr(label_groups, "LEAST_MERGED", 0)
            form = Walk(given, algorithm, noise, None, None, RATIONAL if exact else FLOAT).form(0)
            assert len(form.labels) == len(form.maps) == len(form.first) == 2 + kinds  # the constant and the absent
            merged = fl.moments(given, algorithm, rounds=3, oracle=noise, exact=exact)
            law = fl.stationary(given, algorithm, oracle=noise).covariance
        if exact:
            assert (merged.deviations == apart.deviations).all()
        else:
            np.testing.assert_allclose(merged.deviations, apart.deviations, rtol=1e-12)
            np.testing.assert_allclose(law, fl.stationary(given, algorithm, oracle=noise).covariance, rtol=1e-11)


def test_clients_unlike_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: one changed number in one client's data, and it has a map of its own; so has all per-client state."""
    monkeypatch.setattr(label_groups, "LEAST_MERGED", 0)
    given = problem(9, 1)
    matrices = np.array(given.matrices)
    matrices[4, 0, 0] += F(1, 1000)
    other = fl.QuadraticProblem(matrices, given.vectors)
    algorithm = fl.FedAvg(2, F(1, 10), participation=fl.SchemeII(3))
    assert [len(Walk(p, algorithm, None, None, None, RATIONAL).form(0).labels) for p in (given, other)] == [3, 4]
    kept = fl.Scaffold(2, F(1, 10), participation=fl.SchemeII(3))
    assert len(Walk(given, kept, None, None, None, RATIONAL).form(0).labels) == 20


def test_rows_that_are_not_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    algorithm = fl.Scaffold(2, F(1, 10), F(3, 4), participation=fl.SchemeII(2))
    given = problem(4, 4, d=3)
    exact = fl.moments(given, algorithm, rounds=2, exact=True, oracle=fl.AdditiveNoise(1))
    with monkeypatch.context() as patch:
        patch.setattr(rational_matrices, "library", lambda: None)
        twin = fl.moments(given, algorithm, rounds=2, exact=True, oracle=fl.AdditiveNoise(1))
    assert (exact.deviations == twin.deviations).all()
    plain = fl.moments(given.to_float(), algorithm, rounds=2, oracle=fl.AdditiveNoise(1)).deviations
    np.testing.assert_allclose(plain, exact.deviations.astype(float), rtol=1e-11, atol=1e-14)
    monkeypatch.setattr(label_rows, "LEAST_ENTRIES", 0)
    form = Walk(given.to_float(), algorithm, None, None, None, FLOAT).form(0)
    assert (
        isinstance(form._label_rows, label_rows.FloatRows) and len(form._label_rows.rows) < form.maps[..., 0].size / 2
    )
    sparse = fl.moments(given.to_float(), algorithm, rounds=2, oracle=fl.AdditiveNoise(1)).deviations
    np.testing.assert_allclose(sparse, plain, rtol=1e-12, atol=1e-15)
    monkeypatch.setattr(label_rows.FloatRows, "advance", lambda self, moment: 0 * moment)
    assert not np.allclose(fl.moments(given.to_float(), algorithm, rounds=1).deviations[-1], plain[1])
