"""Mean-square stability against exact moments: the factor, its enclosure, the limits in the step size."""

from __future__ import annotations

import sys
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import fltheory as fl
from fltheory.problems.mixed import MixedProblem
from fltheory.readings import mean_square
from fltheory.readings.mean_square import SecondMomentMap
from fltheory.readings.numbers import FLOAT
from fltheory.readings.round_map import RoundMap
from fltheory.readings.walk import Walk

EXAMPLE = fl.QuadraticProblem(
    np.stack([np.eye(2)] * 3), np.array([[1.0, 0], [0, 0], [0, 0]]), weights=[0.98, 0.01, 0.01]
)
SQUARE = 3 * (0.98**2 + 2 * 0.01**2)  # E (sum of the cohort's weights)^2
SCHEMES = [
    fl.Full(),
    fl.SchemeI(2),
    fl.SchemeI(2, "separate runs"),
    fl.SchemeII(1),
    fl.TransformedSchemeII(1),
    fl.Original(1),
    fl.NormalisedUniform(2),
]


def sampled_one(eta: Any) -> fl.FedAvg:
    return fl.FedAvg(5, eta, fl.SchemeII(1))


def homogeneous(seed: int, n: int = 3, d: int = 2, samples: bool = False) -> fl.QuadraticProblem:
    """Convex quadratics that share the minimiser zero: differences from it are all that moves."""
    rng = np.random.default_rng(seed)
    made = []
    for size in rng.integers(2, 4, n):
        factors = rng.normal(size=(size, d, d))
        made.append(fl.QuadraticSamples(factors @ factors.swapaxes(1, 2) / d + np.eye(d) / 4, np.zeros((size, d))))
    problem = fl.QuadraticProblem.from_samples(made)
    return problem if samples else fl.QuadraticProblem(problem.matrices, problem.vectors, weights=problem.weights)


def growth(problem: Any, algorithm: Any, oracle: Any = None, rounds: int = 300) -> float:
    """The factor of E |w - w*|^2 in the last of many rounds."""
    run = fl.moments(problem, algorithm, rounds=rounds, start=[1.0, -0.7], oracle=oracle)
    assert run.status == "finished"
    return float(run.squared_distance[-1] / run.squared_distance[-2])


def test_the_sampling_example() -> None:
    """Mean and mean square part: the cohort's weights sum to 2.94 or 0.03, to one on average only."""
    rounds = fl.round_map(EXAMPLE, sampled_one(0.05))
    factor = SQUARE * 0.95**10
    assert factor == pytest.approx(1.7254, abs=1e-4)
    assert rounds.mean_square_factor() == pytest.approx(factor, rel=1e-12)
    assert rounds.mean_square.lower <= factor * (1 + 1e-14) and factor * (1 - 1e-14) <= rounds.mean_square.upper
    assert rounds.mean_square.upper - rounds.mean_square.lower < 1e-11
    run = fl.moments(EXAMPLE, sampled_one(0.05), rounds=100)
    assert run.gap[-1] / run.gap[-2] == pytest.approx(factor, rel=1e-9) and run.gap[-1] > 1e19
    with pytest.warns(fl.MeanSquareWarning, match="by the factor 1.72544 per round"):
        end = fl.fixed_point(EXAMPLE, sampled_one(0.05))
    np.testing.assert_allclose(end, [0.98, 0], atol=1e-15)
    law = fl.stationary(EXAMPLE, sampled_one(0.05))
    assert not law and law.status == "mean square grows" and law.factor == pytest.approx(factor)
    assert law.mean is None and law.covariance is None and law.gap == law.squared_distance == law.variance == np.inf
    assert "no stationary law with finite second moments: the mean square grows by the factor 1.72544" in repr(law)
    limit = fl.stability_limit(EXAMPLE, sampled_one, 2.5)
    border = 1 - SQUARE**-0.1
    assert limit.mean == pytest.approx(2, rel=1e-11)
    assert limit.mean_square == 0.0
    ((low, high),) = limit.mean_square_intervals
    assert low == pytest.approx(border, rel=1e-10) and high == pytest.approx(2 - border, rel=1e-10)
    assert "mean: stable below 2" in repr(limit)
    assert "mean square: unstable for small step sizes, stable in (0.1004327" in repr(limit)


def test_where_the_example_is_stable_all_agree() -> None:
    """The control: at eta = 0.2 the same code finds a law, and exact moments end there."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fl.fixed_point(EXAMPLE, sampled_one(0.2))
    law = fl.stationary(EXAMPLE, sampled_one(0.2))
    run = fl.moments(EXAMPLE, sampled_one(0.2), rounds=300, every=300)
    assert law and law.gap == pytest.approx(run.gap[-1], rel=1e-12)
    assert law.squared_distance == pytest.approx(run.squared_distance[-1], rel=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_the_limit_is_the_border_of_exact_moments(scheme: Any) -> None:
    problem = homogeneous(11)
    limit = fl.stability_limit(problem, lambda eta: fl.FedAvg(2, eta, scheme), 3.0, points=24)
    assert limit.mean is not None and limit.mean_square is not None and limit.mean_square <= limit.mean
    border = brentq(
        lambda eta: np.log(growth(problem, fl.FedAvg(2, eta, scheme))), 0.8 * limit.mean_square, 1.1 * limit.mean_square
    )
    assert limit.mean_square == pytest.approx(border, rel=1e-8)
    if not isinstance(scheme, fl.Full):
        assert limit.mean_square < limit.mean


@pytest.mark.parametrize("name", ["mini-batches", "SCAFFOLD", "1-way GT", "2-way GT"])
def test_the_limit_of_noise_in_the_matrices(name: str) -> None:
    clients = homogeneous(5, samples=True)
    problem: Any = clients if name in ("mini-batches", "SCAFFOLD") else MixedProblem(clients, homogeneous(6, n=1))
    oracle = fl.MiniBatch(1) if name in ("mini-batches", "1-way GT") else None
    make: Any = {
        "mini-batches": lambda eta: fl.FedAvg(2, eta),
        "SCAFFOLD": lambda eta: fl.Scaffold(1, eta, participation=fl.SchemeII(1)),
        "1-way GT": lambda eta: fl.OneWayGradientTransfer(2, eta, participation=fl.SchemeI(2)),
        "2-way GT": lambda eta: fl.TwoWayGradientTransfer(2, eta, eta, participation=fl.SchemeII(1)),
    }[name]
    limit = fl.stability_limit(problem, make, 2.0, points=16, oracle=oracle)
    rounds = 1500 if name == "2-way GT" else 250  # its two largest factors are close
    assert limit.mean_square is not None and limit.mean is not None and 0 < limit.mean_square < limit.mean
    border = brentq(
        lambda eta: np.log(growth(problem, make(eta), oracle, rounds)), 0.8 * limit.mean_square, 1.1 * limit.mean_square
    )
    assert limit.mean_square == pytest.approx(border, rel=1e-8)


def test_without_randomness_in_the_matrix_the_factor_is_a_square() -> None:
    problem = homogeneous(3)
    for algorithm in (fl.FedAvg(3, 0.1), fl.Scaffold(2, 0.1), fl.TwoSidedFedAvg(2, 0.1, 1.5)):
        rounds = fl.round_map(problem, algorithm, oracle=fl.AdditiveNoise(1.0))
        assert rounds.sure and rounds.mean_square_factor() == pytest.approx(rounds.contraction() ** 2, rel=1e-13)
        assert rounds.mean_square.lower <= rounds.contraction() ** 2 <= rounds.mean_square.upper
    assert not fl.round_map(homogeneous(3, samples=True), fl.FedAvg(3, 0.1), oracle=fl.MiniBatch(1)).sure


def test_conserved_quantities_do_not_count() -> None:
    """F_k flat along the second axis, which every round keeps; under Scheme II a cohort scales it, and it counts."""
    problem = fl.QuadraticProblem(
        np.stack([np.diag([1.0, 0.0]), np.diag([2.0, 0.0])]), np.array([[1.0, 0.0], [4.0, 0.0]])
    )
    for scheme in (fl.Full(), fl.SchemeI(1), fl.SchemeI(2)):
        rounds = fl.round_map(problem, fl.FedAvg(2, 0.25, scheme))
        assert rounds.spectral_radius() == pytest.approx(1) and rounds.mean_square_factor() < 0.5
    uneven = fl.QuadraticProblem(problem.matrices, problem.vectors, weights=[0.7, 0.3])
    rounds = fl.round_map(uneven, fl.FedAvg(2, 0.25, fl.SchemeII(1)))
    assert rounds.contraction() < 1 < rounds.mean_square_factor() == pytest.approx((1.4**2 + 0.6**2) / 2)


def test_large_and_small_paths_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Krylov path, of states too large for elimination, on one that is not."""
    problem, algorithm = homogeneous(8, n=4, d=3), fl.Scaffold(2, 0.1, participation=fl.SchemeII(2))
    samples, batches = homogeneous(9, n=2, d=3, samples=True), fl.MiniBatch(1)

    def read() -> list[Any]:
        shifted = fl.QuadraticProblem(problem.matrices, np.arange(12.0).reshape(4, 3))
        noisy = fl.stationary(shifted, algorithm, oracle=fl.AdditiveNoise(0.5))
        assert noisy.covariance is not None and noisy.error < 1e-10
        return [
            fl.round_map(problem, algorithm).mean_square_factor(),
            fl.round_map(samples, fl.FedAvg(3, 0.2), oracle=batches).mean_square_factor(),
            noisy.covariance,
            noisy.gap,
        ]

    dense = read()
    monkeypatch.setattr(mean_square, "MOST_DENSE", 0)
    monkeypatch.setattr(mean_square, "MOST_EIGENVALUES", 0)
    for one, other in zip(dense, read(), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-10, atol=1e-12)
    unstable = fl.round_map(EXAMPLE, sampled_one(0.05))
    assert unstable.mean_square_factor() == pytest.approx(SQUARE * 0.95**10, rel=1e-9)
    assert not fl.stationary(EXAMPLE, sampled_one(0.05))


def test_the_map_is_that_of_differences_of_moments(three_clients: Any, noise: Any) -> None:
    """Phi on one matrix against two exact runs with different starts: E e e' - E f f' for equal means."""
    problem, algorithm = three_clients.to_float(), fl.FedAvg(2, 0.1, fl.SchemeII(2))
    moments = SecondMomentMap.of(Walk(problem, algorithm, None, None, None, FLOAT))
    center = problem.constants.minimiser
    ends = [
        sum(
            fl.moments(problem, algorithm, rounds=1, start=center + sign * np.array(v)).deviations[-1]
            for sign in (1, -1)
        )
        for v in ([1.0, 0.5], [0.0, 0.0])
    ]
    step = np.outer([1.0, 0.5], [1.0, 0.5])
    np.testing.assert_allclose(moments(step), (ends[0] - ends[1]) / 2, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(moments.matrix @ moments._pack(step), moments._pack(moments(step)), rtol=1e-13)


def test_what_is_refused() -> None:
    problem = homogeneous(1)
    for bad in (-1, 1.5, True):
        with pytest.raises(ValueError, match=f"round={bad!r} is not valid; expected an integer >= 0"):
            fl.round_map(problem, fl.FedAvg(2, fl.Harmonic(1, 5)), round=bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="per-sample data"):
        fl.round_map(problem, fl.FedAvg(2, 0.1), oracle=fl.MiniBatch(1))
    with pytest.raises(ValueError, match="no central loss"):
        fl.round_map(problem, fl.FedAvg(2, 0.1), centre_oracle=fl.AdditiveNoise(1.0))
    with pytest.raises(ValueError, match="tolerance=0 is not positive"):
        fl.stability_limit(problem, lambda eta: fl.FedAvg(2, eta), 1.0, tolerance=0)
    numbers, (eta,) = fl.rational_functions("eta")
    with pytest.raises(ValueError, match="the mean-square factor needs numbers"):
        fl.round_map(problem, fl.FedAvg(2, eta), numbers=numbers).mean_square_factor()


def test_a_round_that_goes_to_and_fro_has_no_end() -> None:
    """w+ = 2 - w: the fixed point 1 is no limit."""
    problem = fl.QuadraticProblem(np.array([[[1.0]]]), np.array([[1.0]]))
    for exact in (False, True):
        with pytest.raises(ValueError, match="the rounds do not converge: their contraction factor is 1;"):
            fl.fixed_point(problem, fl.FedAvg(1, 2), exact=exact)
    close = Fraction(2) - Fraction(1, 10**13)
    assert fl.fixed_point(problem, fl.FedAvg(1, close), exact=True)[0] == 1


@pytest.mark.parametrize(("blocks", "steps"), [(2, 2), (4, 2), (2, 6)])
@pytest.mark.parametrize("scheme", [fl.Full(), fl.SchemeI(2)], ids=repr)
def test_fixed_points_in_floats_keep_their_digits(blocks: int, steps: int, scheme: Any) -> None:
    """1 - rho = 8e-6 at p = 4: plain elimination loses five digits."""
    problem, algorithm = fl.li_counterexample(3, blocks, 0.0), fl.FedAvg(steps, 1e-3, scheme)
    rounds = fl.round_map(problem, algorithm)
    exact = fl.fixed_point(problem, algorithm, exact=True).astype(float)
    size = float(np.linalg.norm(exact))
    error = float(np.linalg.norm(fl.fixed_point(problem, algorithm) - exact))
    assert error <= 2e-15 * size
    assert error <= rounds.fixed_point_error() <= 1e-14 * size
    plain = np.linalg.solve(np.eye(len(rounds.shift)) - rounds.matrix, rounds.shift)
    if blocks == 4:
        assert float(np.linalg.norm(plain - exact)) > 1e-13 * size


def test_error_bounds_hold_where_wide_numbers_are_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    from fltheory.readings import limit_state

    monkeypatch.setattr(limit_state, "MOST_WIDE", 0)
    for scheme in (fl.Full(), fl.SchemeII(2)):
        problem, algorithm = fl.li_counterexample(5, 4, 0.0), fl.FedAvg(2, 1e-3, scheme)
        rounds = fl.round_map(problem, algorithm)
        exact = fl.fixed_point(problem, algorithm, exact=True).astype(float)
        error = float(np.linalg.norm(rounds.model @ rounds.fixed_point() - exact))
        assert 0 < error <= rounds.fixed_point_error() < 1e-7
    monkeypatch.setattr(limit_state, "ROUNDING", 1e5)
    with pytest.warns(fl.PrecisionWarning, match="rounding may have moved this point"):
        fl.fixed_point(problem, algorithm)


@pytest.mark.parametrize("u", [(1.0, 0.0), (0.6, 0.8)])
def test_fixed_point_warns_of_a_random_walk(u: tuple[float, float]) -> None:
    """Opposite pulls along a flat direction: the mean stays where it is, and each cohort makes a step of a walk."""
    along = np.array(u)
    v = np.array([-u[1], u[0]])
    matrices = [np.outer(u, u).round(2), (2 * np.outer(u, u)).round(2)]  # singular as decimals too
    pulled = fl.QuadraticProblem(matrices, [along + v, -along - v])
    quiet = fl.QuadraticProblem(matrices, [along, -along])
    sampled = fl.FedAvg(1, 0.2, fl.NormalisedUniform(1))
    with pytest.warns(fl.MeanSquareWarning, match="variance grows without end"):
        fl.fixed_point(pulled, sampled)
    with pytest.warns(fl.MeanSquareWarning, match="variance grows without end"):
        fl.fixed_point(quiet, fl.FedAvg(1, 0.2), oracle=fl.AdditiveNoise(np.eye(2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fl.fixed_point(quiet, sampled)
        fl.fixed_point(pulled, fl.FedAvg(1, 0.2))
        fl.fixed_point(quiet, fl.FedAvg(1, 0.2), oracle=fl.AdditiveNoise(np.outer(u, u)))


@pytest.mark.parametrize(("local_steps", "step_size"), [(1, 0.5), (2, 0.25), (3, 0.1)])
def test_missing_eigenvectors_leave_an_enclosure(local_steps: int, step_size: float) -> None:
    """SCAFFOLD's map has a zero eigenvalue with too few eigenvectors, of which a first-order error is infinite."""
    problem = fl.QuadraticProblem(np.ones((2, 1, 1)), np.array([[1.0], [2.0]]))
    algorithm = fl.Scaffold(local_steps, step_size)
    expected = (1 - step_size) ** (2 * local_steps)
    assert fl.round_map(problem, algorithm).mean_square_factor() == pytest.approx(expected, rel=1e-9)
    assert fl.stationary(problem, algorithm).exists


def test_a_square_beyond_floats_is_refused_in_words() -> None:
    problem = fl.QuadraticProblem(np.ones((2, 1, 1)), np.array([[1.0], [2.0]]))
    with pytest.raises(ValueError, match="an entry of size 1e\\+200, too large for its eigenvalues"):
        fl.round_map(problem, fl.FedAvg(1, 1e200)).mean_square_factor()


def nearly_flat(curvature: float, d: int = 2) -> fl.QuadraticProblem:
    """Two like clients, of curvature one in the first coordinate and ``curvature`` in the others; ``w* = (3/2, ..., 3/2)``."""
    matrix = np.diag([1.0, *[curvature] * (d - 1)])
    ones = np.diag(matrix)
    return fl.QuadraticProblem([matrix, matrix], [ones, 2 * ones])


@pytest.mark.parametrize("curvature", [1e-14, 1e-18, 1e-30, 1e-200])
def test_curvature_that_floats_lose_is_not_called_conserved(curvature: float) -> None:
    problem, algorithm = nearly_flat(curvature), fl.FedAvg(1, 0.1)
    rounds = fl.round_map(problem, algorithm)
    assert rounds.resolved is False and rounds.fixed_point_error() == np.inf
    assert rounds.contraction() == 1.0 and rounds.resolved_contraction() == pytest.approx(0.9)
    assert rounds.mean_square.stable is None and rounds.mean_square_factor() == 1.0
    with pytest.warns(fl.PrecisionWarning, match="less than floats resolve"):
        assert fl.fixed_point(problem, algorithm)[0] == pytest.approx(1.5)
    with pytest.raises(ValueError, match="may or may not exist; exact=True decides"):
        fl.stationary(problem, algorithm)
    assert fl.fixed_point(problem, algorithm, exact=True).tolist() == [Fraction(3, 2)] * 2
    law = fl.stationary(problem, algorithm, exact=True)
    assert (
        law.exists and law.squared_distance == 0 and law.factor == 1.0 and "less than 1 by less than 1e-12" in repr(law)
    )
    assert fl.stability_limit(problem, lambda eta: fl.FedAvg(1, eta), 4.0).mean == pytest.approx(2, rel=1e-9)


def test_larger_states_are_decided_in_decimals(monkeypatch: pytest.MonkeyPatch) -> None:
    """SCAFFOLD conserves the sum of its control variates; a flat direction of curvature 1e-18 is told from it."""
    module = sys.modules["fltheory.readings.round_map"]
    monkeypatch.setattr(module, "MOST_RATIONAL", 0)
    for curvature, resolved in ((1e-18, False), (0.5, True), (0.0, True)):
        for algorithm in (fl.Scaffold(2, 0.1), fl.Scaffold(2, 0.1, participation=fl.NormalisedUniform(1))):
            assert fl.round_map(nearly_flat(curvature, 3), algorithm).resolved is resolved
    monkeypatch.setattr(module, "MOST_WIDE", 0)
    rounds = fl.round_map(nearly_flat(1e-18), fl.FedAvg(1, 0.1))
    assert rounds.resolved is None and rounds.fixed_point_error() == np.inf
    for ask in (rounds.contraction, rounds.mean_square_factor):
        with pytest.warns(fl.PrecisionWarning, match="too large to tell"):
            assert ask() < 1
    for verb in (fl.fixed_point, fl.stationary):
        with pytest.warns(fl.PrecisionWarning, match="too large to tell"):
            verb(nearly_flat(1e-18), fl.FedAvg(1, 0.1))
    steep = fl.QuadraticProblem([np.diag([1, 1e-18])] * 2, [[1, 1], [2, 2]])
    with pytest.raises(ValueError, match="not at all, or by less than floats resolve"):
        fl.fixed_point(steep, fl.FedAvg(1, 0.1))


def test_a_map_of_ones_own_is_decided_as_it_stands() -> None:
    for entry, resolved in ((1.0, True), (1 - 2**-52, False)):
        own = RoundMap(np.diag([0.5, entry]), np.zeros(2), np.zeros(2), np.eye(2), None, FLOAT)  # type: ignore[arg-type]
        assert own.resolved is resolved and own.contraction() == (0.5 if resolved else 1.0)


def test_no_direction_that_floats_resolve() -> None:
    tiny = fl.QuadraticProblem([1e-18 * np.eye(2)] * 2, [[1e-3, 0], [2e-3, 0]])
    rounds = fl.round_map(tiny, fl.FedAvg(1, 0.1))
    assert rounds.contraction() == 1.0 == rounds.mean_square_factor()
    steep = fl.QuadraticProblem([np.diag([1, 1e-18])] * 2, [[1, 1], [2, 2]])
    with pytest.raises(ValueError, match="their end is unknown; exact=True decides"):
        fl.fixed_point(steep, fl.FedAvg(1, 0.1))
    assert fl.fixed_point(steep, fl.FedAvg(1, 0.1), exact=True)[1] == Fraction(3, 2) * 10**18


@pytest.mark.parametrize("step_size", [1e140, 1e200, 1e308])
def test_large_step_sizes_end_in_words(step_size: float) -> None:
    problem = fl.QuadraticProblem([np.diag([1.0, 2.0])] * 2, [[1, 1], [2, 3]])
    for ask in (fl.fixed_point, fl.stationary):
        with pytest.raises(ValueError, match="diverge|overflows|too large"):
            ask(problem, fl.FedAvg(1, step_size))
