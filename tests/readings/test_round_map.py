"""The round map against the plain run, and its fixed point, limits and series."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.algorithms import (
    FedAvg,
    Full,
    Harmonic,
    Original,
    ParallelRestartedSGD,
    Scaffold,
    SchemeI,
    SchemeII,
    TwoSidedFedAvg,
)
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.tridiagonal import li_counterexample, li_tridiagonal
from fltheory.readings import (
    fixed_point,
    limit_local_steps_to_infinity,
    moments,
    rational_functions,
    round_map,
    series,
    stability_limit,
    substitute,
    trajectory,
)

TENTH = Fraction(1, 10)
ALGORITHMS = [
    FedAvg(3, TENTH),
    TwoSidedFedAvg(2, TENTH, Fraction(3, 2)),
    Scaffold(2, TENTH, Fraction(1, 2)),
    ParallelRestartedSGD(3, TENTH),
]
entries = st.fractions(min_value=-2, max_value=2, max_denominator=5)


@st.composite
def problems(draw: st.DrawFn) -> QuadraticProblem:
    """Rational convex problems: A_k = B'B + I/4."""
    n, d = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    size = n * d * d
    factors = np.array(draw(st.lists(entries, min_size=size, max_size=size)), dtype=object).reshape(n, d, d)
    ridge = np.array([[Fraction(int(i == j), 4) for j in range(d)] for i in range(d)], dtype=object)
    vectors = np.array(draw(st.lists(entries, min_size=n * d, max_size=n * d)), dtype=object).reshape(n, d)
    parts = draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))
    weights = np.array([Fraction(part, sum(parts)) for part in parts], dtype=object)
    return QuadraticProblem(factors.swapaxes(1, 2) @ factors + ridge, vectors, weights=weights)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: type(a).__name__)
@given(problem=problems())
def test_map_is_the_run(algorithm: Any, problem: QuadraticProblem) -> None:
    rounds = round_map(problem, algorithm, exact=True, start=[1] * problem.dimension)
    state = rounds.start
    for _ in range(2):
        state = rounds(state)
    run = trajectory(problem, algorithm, rounds=2, start=[1] * problem.dimension, exact=True)
    assert (state == run.state).all()
    assert (rounds.model @ state == run.models[-1]).all()
    floats = round_map(problem, algorithm)
    np.testing.assert_allclose(floats.matrix, rounds.matrix.astype(float), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(floats.shift, rounds.shift.astype(float), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("participation", [SchemeI(2), SchemeI(2, "separate runs"), SchemeII(2), Original(1)])
@pytest.mark.parametrize("make", [FedAvg, Scaffold], ids=lambda m: m.__name__)
def test_mean_map_is_the_mixture_of_runs(three_clients: Any, make: Any, participation: Any) -> None:
    algorithm = make(2, TENTH, participation=participation)
    if make is Scaffold and participation.separate_runs:
        with pytest.raises(ValueError, match="runs twice"):
            round_map(three_clients, algorithm, exact=True)
        return
    rounds = round_map(three_clients, algorithm, exact=True, start=[1, 2])
    assert rounds.mean
    mixed = sum(
        outcome.probability
        * trajectory(three_clients, algorithm, rounds=1, start=[1, 2], exact=True, cohorts=[outcome]).state
        for outcome in participation.outcomes(list(three_clients.weights))
    )
    assert (rounds(rounds.start) == mixed).all()


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: type(a).__name__)
def test_fixed_point_is_where_the_run_ends(three_clients: Any, algorithm: Any) -> None:
    exact = fixed_point(three_clients, algorithm, exact=True)
    assert all(type(entry) is Fraction for entry in exact)
    run = trajectory(three_clients.to_float(), algorithm, rounds=600)
    np.testing.assert_allclose(run.models[-1], exact.astype(float), rtol=1e-11)
    np.testing.assert_allclose(fixed_point(three_clients, algorithm), exact.astype(float), rtol=1e-12)


def test_scaffold_ends_at_the_minimiser_from_its_own_start(three_clients: Any) -> None:
    algorithm = Scaffold(3, TENTH, 1, SchemeII(2))
    assert (fixed_point(three_clients, algorithm, exact=True) == three_clients.constants.minimiser).all()


def test_conserved_quantities_need_a_start() -> None:
    """F_k flat along the second axis: it is conserved, and the end depends on the start."""
    matrices = np.array([[[1.0, 0.0], [0.0, 0.0]], [[2.0, 0.0], [0.0, 0.0]]])
    problem = QuadraticProblem(matrices, np.array([[1.0, 0.0], [4.0, 0.0]]))
    algorithm = FedAvg(2, 0.25)
    rounds = round_map(problem, algorithm, exact=True)
    assert rounds.spectral_radius() == pytest.approx(1.0, abs=1e-15)
    assert rounds.contraction() < 0.5
    for exact in (True, False):
        end = fixed_point(problem, algorithm, exact=exact, start=[0, 7])
        far = trajectory(problem, algorithm, rounds=200, start=[0, 7]).models[-1]
        np.testing.assert_allclose(end.astype(float), far, rtol=1e-13)
        assert end[1] == 7 or end[1] == pytest.approx(7, rel=1e-14)
    tilted = QuadraticProblem(matrices, np.array([[1.0, 1.0], [4.0, 0.0]]))
    for exact in (True, False):
        with pytest.raises(ValueError, match="moves without end"):
            fixed_point(tilted, algorithm, exact=exact)


def test_tridiagonal_and_dense_agree_exactly() -> None:
    algorithm = FedAvg(3, 0.05)
    dense = fixed_point(li_counterexample(3, 2, 0.01), algorithm, exact=True)
    banded = fixed_point(li_tridiagonal(3, 2, 0.01), algorithm, exact=True)
    assert (dense == banded).all()


def test_rational_function_passes_through_the_rational_points() -> None:
    problem = li_counterexample(2, 2)
    numbers, (eta,) = rational_functions("eta")
    closed = fixed_point(problem, FedAvg(3, eta), numbers=numbers)
    for value in (Fraction(1, 7), Fraction(1, 20), Fraction(2, 5)):
        expected = fixed_point(problem, FedAvg(3, value), exact=True)
        found = [substitute(entry, value) for entry in closed]
        assert found == expected.tolist()


def test_series_is_the_taylor_expansion() -> None:
    problem = li_counterexample(2, 2)
    coefficients = series(problem, lambda eta: FedAvg(3, eta), 3)
    assert list(coefficients[0]) == problem.to_exact().constants.minimiser.tolist()
    errors = []
    for value in (Fraction(1, 1000), Fraction(1, 2000)):
        exact = fixed_point(problem, FedAvg(3, value), exact=True)
        partial = [sum(c[i] * value**j for j, c in enumerate(coefficients)) for i in range(problem.dimension)]
        errors.append(max(abs(a - b) for a, b in zip(exact, partial, strict=True)))
    assert float(errors[0] / errors[1]) == pytest.approx(16, rel=0.02)
    with pytest.raises(ValueError, match="order=-1"):
        series(problem, lambda eta: FedAvg(3, eta), -1)


def test_one_local_step_is_gradient_descent(three_clients: Any) -> None:
    rounds = round_map(three_clients, FedAvg(1, TENTH), exact=True)
    eye = np.array([[Fraction(int(i == j)) for j in range(2)] for i in range(2)], dtype=object)
    assert (rounds.matrix == eye - TENTH * three_clients.mean_matrix).all()
    assert (rounds.shift == TENTH * three_clients.mean_vector).all()
    limit = stability_limit(three_clients.to_float(), lambda eta: FedAvg(1, eta), 2.0)
    assert limit.mean == pytest.approx(2 / three_clients.constants.global_smoothness, rel=1e-11)


def test_stability_limit_ends() -> None:
    problem = QuadraticProblem(np.array([[[1.0]]]), np.array([[1.0]]))
    none = stability_limit(problem, lambda eta: FedAvg(2, eta), 1.5)
    assert none.mean is None and none.mean_square is None
    assert none.mean_intervals == none.mean_square_intervals == ((0.0, 1.5),)
    assert "no unstable step size found" in repr(none) and "64 step sizes up to 1.5 tried" in repr(none)
    with pytest.raises(ValueError, match="do not contract"):
        stability_limit(problem, lambda eta: FedAvg(2, eta), 6400.0)
    with pytest.raises(ValueError, match="upper=0"):
        stability_limit(problem, lambda eta: FedAvg(2, eta), 0)


def test_many_local_steps(three_clients: Any) -> None:
    for problem in (three_clients, li_counterexample(3, 2), li_counterexample(3, 2, 0.5)):
        limit = limit_local_steps_to_infinity(problem, 0.2, exact=True)
        many = round_map(problem, FedAvg(3000, 0.2))
        np.testing.assert_allclose(many.matrix, limit.matrix.astype(float), atol=1e-11)
        np.testing.assert_allclose(many.shift, limit.shift.astype(float), atol=1e-11)
        floats = limit_local_steps_to_infinity(problem, 0.2)
        np.testing.assert_allclose(floats.matrix, limit.matrix.astype(float), atol=1e-13)
        end = fixed_point(problem, FedAvg(6000, 0.2))
        np.testing.assert_allclose(end, limit.fixed_point().astype(float), atol=1e-10)


@pytest.mark.parametrize("exact", [True, False])
def test_many_local_steps_refuses_unstable_steps(three_clients: Any, exact: bool) -> None:
    with pytest.raises(ValueError, match="not below 2/L=0.552786 of client 0"):
        limit_local_steps_to_infinity(three_clients, 0.6, exact=exact)
    flat = QuadraticProblem(np.array([[[0.0]]]), np.array([[1.0]]))
    with pytest.raises(ValueError, match="unbounded below"):
        limit_local_steps_to_infinity(flat, 0.1, exact=exact)


def test_changing_schedules_are_refused(three_clients: Any) -> None:
    algorithm = FedAvg(2, Harmonic(1, 5))
    for read in (round_map, fixed_point):
        with pytest.raises(ValueError, match="step_size=Harmonic.*changes from round to round"):
            read(three_clients, algorithm)
    first, second = (round_map(three_clients, algorithm, round=r, exact=True) for r in (0, 1))
    assert (second(first(first.start)) == trajectory(three_clients, algorithm, rounds=2, exact=True).state).all()


def test_fixed_point_says_when_rounds_diverge(three_clients: Any) -> None:
    with pytest.raises(ValueError, match="the rounds diverge: their contraction factor"):
        fixed_point(three_clients, FedAvg(2, 3))


def test_mean_of_moments_follows_the_mean_map(three_clients: Any) -> None:
    algorithm = FedAvg(2, TENTH, SchemeI(2))
    rounds = round_map(three_clients, algorithm, exact=True)
    run = moments(three_clients, algorithm, rounds=3, exact=True)
    state = rounds.start
    for mean in run.mean:
        assert (mean == state).all()
        state = rounds(state)


@given(problem=problems(), seed=st.integers(0, 5))
def test_clients_may_be_permuted_and_split(problem: QuadraticProblem, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(problem.n_clients)
    permuted = QuadraticProblem(
        problem.matrices[order], problem.vectors[order], problem.offsets[order], problem.weights[order]
    )
    twice = np.repeat(np.arange(problem.n_clients), [2] + [1] * (problem.n_clients - 1))
    weights = problem.weights[twice]
    weights[:2] = weights[:2] / 2
    split = QuadraticProblem(problem.matrices[twice], problem.vectors[twice], problem.offsets[twice], weights)
    algorithm = FedAvg(3, TENTH, Full())
    one, two, three = (round_map(p, algorithm, exact=True) for p in (problem, permuted, split))
    assert (one.matrix == two.matrix).all() and (one.shift == two.shift).all()
    assert (one.matrix == three.matrix).all() and (one.shift == three.shift).all()
    sampled = FedAvg(2, TENTH, SchemeI(2))
    first, second = (moments(p, sampled, rounds=2, exact=True) for p in (problem, split))
    assert (first.squared_distance == second.squared_distance).all()


@given(problem=problems())
def test_identical_clients_are_centralised(problem: QuadraticProblem) -> None:
    same = np.zeros(problem.n_clients, dtype=int)
    copies = QuadraticProblem(problem.matrices[same], problem.vectors[same], problem.offsets[same], problem.weights)
    alone = QuadraticProblem(problem.matrices[:1], problem.vectors[:1], problem.offsets[:1])
    for participation in (Full(), SchemeI(2), Original(1)):
        one = moments(copies, FedAvg(2, TENTH, participation), rounds=2, exact=True)
        two = moments(alone, FedAvg(4, TENTH), rounds=1, exact=True)
        if not isinstance(participation, Original):
            assert (one.deviations[-1] == two.deviations[-1]).all()
    everyone = moments(copies, FedAvg(2, TENTH, Original(problem.n_clients)), rounds=2, exact=True)
    assert (everyone.deviations[-1] == two.deviations[-1]).all()


def test_units_may_change(three_clients: Any) -> None:
    """F times c and eta over c: the same models."""
    scaled = QuadraticProblem(
        7 * three_clients.matrices, 7 * three_clients.vectors, 7 * three_clients.offsets, three_clients.weights
    )
    one = moments(three_clients, FedAvg(3, TENTH, SchemeII(2)), rounds=3, exact=True)
    two = moments(scaled, FedAvg(3, TENTH / 7, SchemeII(2)), rounds=3, exact=True)
    assert (one.squared_distance == two.squared_distance).all()
    assert (7 * one.gap == two.gap).all()
