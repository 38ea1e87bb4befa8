"""The round in matrices of FLINT equals its twins in Fractions: for every algorithm, all clients and cohorts; and its parts."""

from __future__ import annotations

import time
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems import rational_matrices
from fltheory.problems.linear_algebra import is_positive_semidefinite, solve_exact
from fltheory.readings.linear import coordinates, range_basis, solve, stable_range
from fltheory.readings.numbers import RATIONAL
from fltheory.readings.rational_round import mean_round

ETA, BETA = F(1, 10), F(1, 3)
CLIENTS = fl.with_blocks(
    fl.QuadraticProblem(
        [[[F(2), 1], [1, 3]], [[1, 0], [0, 3]], [[1, 0], [0, 1]]],
        [[F(1), 0], [0, 1], [2, 2]],
        weights=[F(1, 2), F(1, 3), F(1, 6)],
    ),
    {"body": 1, "head": 1},
)
MIXED = fl.MixedProblem(CLIENTS, fl.QuadraticProblem([[[F(3), -1], [-1, 1]]], [[F(1), -2]]))
ZETA = fl.GivenElasticity((F(3, 4), F(5, 4)))
ALGORITHMS: list[Any] = [
    fl.FedAvg(2, ETA),
    fl.FedAvg(9, ETA),
    fl.FedAvg((1, 5, 2), ETA),
    fl.FedProx(6, ETA, F(1, 2)),
    fl.FedProxExact(2, F(1, 2)),
    fl.Scaffold(5, ETA, F(3, 2), option="I"),
    fl.Scaffold(6, ETA, F(3, 2)),
    fl.GradientCorrected(4, ETA),
    fl.ParallelTraining(5, ETA, F(1, 15), F(3, 4), F(5, 4)),
    fl.TwoWayGradientTransfer(5, ETA, F(1, 15), F(3, 4), F(5, 4)),
    fl.Populations((0, 1, 0), 4, ETA),
    fl.FedOpt(5, ETA, F(3, 4), server=fl.HeavyBall(BETA)),
    fl.ElasticFedAvgM(4, ETA, ZETA, F(3, 4), BETA),
    fl.FedLAMA(1, 2, ETA, intervals=(1, 2)),
    fl.MimeLite(4, ETA, BETA),
]
SCHEMES = (fl.SchemeII(2), fl.SchemeI(2), fl.SchemeI(2, "separate runs"), fl.Original(1), fl.TransformedSchemeII(2))


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a function gives where python-flint is missing."""

    def run(function: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(rational_matrices, "library", lambda: None)
            return function()

    return run


flint = pytest.mark.skipif(rational_matrices.library() is None, reason="python-flint is not installed")


def read(algorithm: Any, mixed: bool) -> Any:
    """The map of one round, or the refusal."""
    try:
        found = fl.round_map(MIXED if mixed else CLIENTS, algorithm, exact=True, round=0)
    except (TypeError, ValueError) as error:
        return str(error)
    return found.matrix.tolist(), found.shift.tolist()


@flint
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda one: type(one).__name__)
def test_equals_the_twin(algorithm: Any, without: Any) -> None:
    mixed = type(algorithm).__name__ in ("ParallelTraining", "TwoWayGradientTransfer")
    everyone = fl.round_map(MIXED if mixed else CLIENTS, algorithm, exact=True, round=0).source
    assert everyone is not None and mean_round(everyone.entry, everyone.opening, 0) is not None
    sampled = [field.name for field in fields(algorithm)] if is_dataclass(algorithm) else []
    variants = [algorithm]
    for scheme in SCHEMES if "participation" in sampled else ():
        try:
            variants.append(replace(algorithm, participation=scheme))
        except ValueError:
            continue
    for variant in variants:
        found = read(variant, mixed)
        assert found == without(lambda variant=variant: read(variant, mixed))
        if not isinstance(found, str):
            assert all(type(entry) is F for row in found[0] for entry in row)


@flint
def test_it_is_used_and_one_changed_number_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a wrong product in the library changes the map, so that the comparison above is not of the twin to itself."""
    algorithm = fl.FedAvg(9, ETA, participation=fl.SchemeII(2))
    right = fl.round_map(CLIENTS, algorithm, exact=True)
    monkeypatch.setattr(
        "fltheory.readings.rational_round.RationalFederation._power", lambda self, base, steps: (base, self._one)
    )
    assert (fl.round_map(CLIENTS, algorithm, exact=True).matrix != right.matrix).any()
    assert right.source is not None and mean_round(right.source.entry, right.source.opening, 0) is not None


@flint
def test_fixed_points_in_time_and_equal_to_elimination(without: Any) -> None:
    algorithm = fl.FedAvg(local_steps=10, step_size=0.05)
    small = fl.li_counterexample(n_clients=3, block=3, ridge=2e-4)
    found = fl.fixed_point(small, algorithm, exact=True)
    assert (found == without(lambda: fl.fixed_point(small, algorithm, exact=True))).all()
    began = time.process_time()
    end = fl.fixed_point(fl.li_counterexample(n_clients=5, block=8, ridge=2e-4), algorithm, exact=True)
    assert time.process_time() - began < 1.5  # 0.05 s on a quiet core; entry by entry it is more than 10 s
    assert len(end) == 41 and all(type(entry) is F for entry in end)


@flint
def test_linear_algebra_equals_its_twin(without: Any) -> None:
    rng = np.random.default_rng(np.random.SeedSequence(5))
    for rows, columns, rank in ((5, 5, 5), (6, 6, 4), (4, 7, 3), (7, 4, 4), (5, 5, 0)):
        left, right = rng.integers(-4, 5, (rows, rank)), rng.integers(-4, 5, (rank, columns))
        matrix = RATIONAL.array(left @ right) * F(2, 3)
        for vector in (matrix[:, 0], RATIONAL.array(rng.integers(-3, 4, rows))):
            found, twin = solve_exact(matrix, vector), without(lambda m=matrix, v=vector: solve_exact(m, v))
            assert (found is None) == (twin is None)
            if found is not None:
                assert all((a == b).all() for a, b in zip(found, twin, strict=True))
        gram = rational_matrices.product(matrix.T, matrix)
        assert (gram == matrix.T @ matrix).all()
        assert is_positive_semidefinite(gram)
        if rank:
            assert not is_positive_semidefinite(-gram)
            spanned = range_basis(gram, RATIONAL)
            assert (spanned == without(lambda g=gram: range_basis(g, RATIONAL))).all()
            assert (stable_range(gram, RATIONAL) == without(lambda g=gram: stable_range(g, RATIONAL))).all()
            inside = coordinates(spanned, gram, RATIONAL)
            assert (inside == without(lambda s=spanned, g=gram: coordinates(s, g, RATIONAL))).all()
        answer, twin = (solve(gram, gram[:, :2], RATIONAL), without(lambda g=gram: solve(g, g[:, :2], RATIONAL)))
        assert (answer is None) == (twin is None) == (rank < columns)
        assert answer is None or (answer == twin).all()


@flint
def test_products_of_stacks() -> None:
    rng = np.random.default_rng(np.random.SeedSequence(6))
    first = RATIONAL.array(rng.integers(-9, 10, (3, 1, 4, 5))) / 7
    second = RATIONAL.array(rng.integers(-9, 10, (2, 5, 6))) / 3
    assert (rational_matrices.product(first, second) == first @ second).all()
    assert (rational_matrices.product(first[0, 0], second[0, :, 0]) == first[0, 0] @ second[0, :, 0]).all()
    assert not rational_matrices.packable(np.array([[0.5, F(1, 2)]], dtype=object), work=1000)
