"""Exact moments against brute force, against the table, and against Monte Carlo."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.algorithms import (
    Constant,
    FedAvg,
    Full,
    Harmonic,
    NormalisedUniform,
    Original,
    ParallelRestartedSGD,
    Scaffold,
    SchemeI,
    SchemeII,
    TransformedSchemeII,
    TwoSidedFedAvg,
)
from fltheory.problems.oracles import AdditiveNoise, Exact, MiniBatch
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.samples import QuadraticSamples
from fltheory.readings import enumerate_moments, inside_rounds, moments, round_map, second_moment_of_gradients
from fltheory.readings.arrays import ArrayFederation, OracleCall
from fltheory.readings.draws import StreamDraws
from fltheory.readings.numbers import convert_values
from fltheory.readings.table import table_moments
from fltheory.readings.warned import PrecisionWarning

TENTH = Fraction(1, 10)
NOISY = [
    (FedAvg(1, TENTH, SchemeI(2)), 2),
    (FedAvg(2, TENTH, SchemeI(2)), 1),
    (FedAvg(2, TENTH, SchemeI(2, "separate runs")), 1),
    (FedAvg(1, TENTH, SchemeI(2, "separate runs")), 2),
    (FedAvg(1, TENTH, SchemeII(2)), 2),
    (FedAvg(1, TENTH, Original(2)), 2),
    (FedAvg(1, TENTH, TransformedSchemeII(2)), 2),
    (FedAvg(1, TENTH, NormalisedUniform(2)), 2),
    (FedAvg(2, Harmonic(1, 5), SchemeII(1)), 2),
    (TwoSidedFedAvg(2, TENTH, Fraction(7, 10), SchemeII(1)), 2),
    (Scaffold(1, TENTH, 1, Original(1)), 2),
    (Scaffold(2, TENTH, Fraction(1, 2), SchemeII(2)), 1),
    (Scaffold(1, TENTH), 2),
    (ParallelRestartedSGD(2, TENTH), 1),
    (ParallelRestartedSGD(1, TENTH), 2),
]
BATCHES = [
    (FedAvg(2, TENTH), MiniBatch(2), 1),
    (FedAvg(1, TENTH), MiniBatch(1), 3),
    (FedAvg(2, TENTH), MiniBatch(2, replacement=True), 1),
    (FedAvg(2, TENTH, SchemeI(2, "separate runs")), MiniBatch(1), 1),
    (FedAvg(2, TENTH, SchemeI(2)), MiniBatch(1), 1),
    (FedAvg(2, TENTH, Original(1)), MiniBatch(2), 2),
    (Scaffold(2, TENTH, 1, Original(1)), MiniBatch(1), 2),
    (ParallelRestartedSGD(2, TENTH), MiniBatch(1), 2),
]


def assert_equal(left: Any, right: Any) -> None:
    for name in ("mean", "deviations", "squared_distance", "gap"):
        a, b = getattr(left, name), getattr(right, name)
        assert a.shape == b.shape
        assert all(type(entry) is Fraction for entry in a.flat), name
        assert (a == b).all(), name


def label(value: Any) -> str | None:
    return f"{type(value).__name__}-{value.participation!r}" if hasattr(value, "local_steps") else None


@pytest.mark.parametrize(("algorithm", "rounds"), NOISY, ids=label)
def test_additive_noise_equals_enumeration(three_clients: Any, noise: Any, algorithm: Any, rounds: int) -> None:
    arguments = dict(rounds=rounds, oracle=noise, exact=True, start=[1, -1])
    brute = enumerate_moments(three_clients, algorithm, **arguments)
    assert_equal(moments(three_clients, algorithm, **arguments), brute)


@pytest.mark.parametrize(("algorithm", "oracle", "rounds"), BATCHES, ids=label)
def test_mini_batches_equal_enumeration(sampled: Any, algorithm: Any, oracle: Any, rounds: int) -> None:
    arguments = dict(rounds=rounds, oracle=oracle, exact=True, start=[1, -1])
    assert_equal(moments(sampled, algorithm, **arguments), enumerate_moments(sampled, algorithm, **arguments))


@pytest.mark.parametrize(
    "algorithm",
    [
        FedAvg(2, TENTH, SchemeI(2)),
        FedAvg(2, TENTH, SchemeII(2)),
        FedAvg(2, TENTH, Original(1)),
        FedAvg(2, TENTH, TransformedSchemeII(2)),
        FedAvg(2, Harmonic(1, 5), NormalisedUniform(2)),
        TwoSidedFedAvg(2, TENTH, Fraction(3, 2), SchemeII(2)),
        Scaffold(2, TENTH, 1, SchemeII(2)),
        ParallelRestartedSGD(3, TENTH),
    ],
    ids=label,
)
def test_affine_equals_table(three_clients: Any, sampled: Any, noise: Any, algorithm: Any) -> None:
    arguments = dict(rounds=3, oracle=noise, exact=True, start=[1, -1])
    assert_equal(moments(three_clients, algorithm, **arguments), table_moments(three_clients, algorithm, **arguments))
    arguments["oracle"] = MiniBatch(2)
    assert_equal(moments(sampled, algorithm, **arguments), table_moments(sampled, algorithm, **arguments))


@pytest.mark.parametrize("algorithm", [algorithm for algorithm, _ in NOISY], ids=label)
def test_floats_follow_rationals(three_clients: Any, noise: Any, algorithm: Any) -> None:
    exact = moments(three_clients, algorithm, rounds=4, oracle=noise, exact=True)
    floats = moments(three_clients, algorithm, rounds=4, oracle=noise)
    np.testing.assert_allclose(floats.squared_distance, exact.squared_distance.astype(float), rtol=1e-12)
    np.testing.assert_allclose(floats.mean, exact.mean.astype(float), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("algorithm", "oracle", "rounds"), BATCHES, ids=label)
def test_float_batches_follow_rationals(sampled: Any, algorithm: Any, oracle: Any, rounds: int) -> None:
    """Also where the sum over the samples is done once (n_k >= d) and where it is not."""
    exact = moments(sampled, algorithm, rounds=3, oracle=oracle, exact=True)
    floats = moments(sampled, algorithm, rounds=3, oracle=oracle)
    np.testing.assert_allclose(floats.deviations, exact.deviations.astype(float), rtol=1e-12, atol=1e-14)
    one = QuadraticSamples(np.eye(2, dtype=int)[None].astype(object), np.ones((1, 2), dtype=int).astype(object))
    few = QuadraticProblem.from_samples([sampled.samples[0], one])
    if oracle.size == 1 or oracle.replacement:
        again = moments(few, algorithm, rounds=3, oracle=oracle)
        expected = moments(few, algorithm, rounds=3, oracle=oracle, exact=True)
        np.testing.assert_allclose(again.deviations, expected.deviations.astype(float), rtol=1e-12, atol=1e-14)


def simulate(problem: Any, algorithm: Any, oracle: Any, rounds: int, runs: int, log: Any = None) -> Any:
    fed = ArrayFederation(problem, algorithm.participation, StreamDraws(problem, oracle, 7, np.arange(runs)), log=log)
    state = algorithm.start(fed, fed.vector(np.ones(problem.dimension)))
    for round in range(rounds):
        fed.begin(round)
        state = algorithm.round(fed, state)
    return (state[0] if isinstance(state, tuple) else state).payload


def assert_within_confidence(samples: Any, expected: Any) -> None:
    """Mean of ``samples`` (first axis) within five standard errors of the expectation, and these are small."""
    error = samples.std(axis=0, ddof=1) / np.sqrt(len(samples))
    assert np.all(np.abs(samples.mean(axis=0) - expected) <= 5 * error + 1e-12)
    assert np.all(error <= 0.03 * np.abs(expected) + 1e-12)


@pytest.mark.parametrize(
    ("participation", "oracle"),
    [
        (Full(), AdditiveNoise(0.5)),
        (SchemeI(2), AdditiveNoise(0.5)),
        (SchemeI(2, "separate runs"), AdditiveNoise(0.5)),
        (SchemeI(3, "separate runs"), MiniBatch(1)),
        (SchemeII(1), MiniBatch(2)),
        (Original(1), MiniBatch(2, replacement=True)),
    ],
)
def test_monte_carlo(sampled: Any, participation: Any, oracle: Any) -> None:
    problem = sampled.to_float()
    algorithm = FedAvg(3, 0.2, participation)
    expected = moments(problem, algorithm, rounds=3, oracle=oracle, start=[1, 1])
    models = simulate(problem, algorithm, oracle, 3, 20_000)
    assert_within_confidence(((models - expected.minimiser) ** 2).sum(axis=1), expected.squared_distance[-1])
    assert_within_confidence(problem.value(models) - problem.constants.minimum, expected.gap[-1])


def test_the_two_readings_of_a_repeated_draw_differ(three_clients: Any, noise: Any) -> None:
    one = moments(three_clients, FedAvg(1, TENTH, SchemeI(2)), rounds=1, oracle=noise, exact=True)
    two = moments(three_clients, FedAvg(1, TENTH, SchemeI(2, "separate runs")), rounds=1, oracle=noise, exact=True)
    assert (one.mean == two.mean).all()
    trace = Fraction(4, 3)
    p = three_clients.weights
    expected = sum((p_k * p_k for p_k in p), Fraction(0)) * trace * TENTH**2 / 2
    assert one.squared_distance[1] - two.squared_distance[1] == expected


def test_inside_a_round_by_hand(three_clients: Any, two_values: Any) -> None:
    """E=2: the second gradient of client k is A_k x - b_k + xi' with x = w - eta (A_k w - b_k + xi)."""
    inside = inside_rounds(three_clients, FedAvg(2, TENTH), rounds=1, oracle=two_values, exact=True)
    law = list(zip(two_values.probabilities, two_values.support, strict=True))
    variance = sum(p * (s * s).sum() for p, s in law)
    points = []
    for k in range(3):
        matrix, vector = three_clients.matrices[k], three_clients.vectors[k]
        assert inside.gradient[0, 0, k] == (vector * vector).sum() + variance
        expected = Fraction(0)
        points.append([(p, -TENTH * (s - vector)) for p, s in law])
        for p, x in points[-1]:
            gradient = matrix @ x - vector
            expected += p * (gradient * gradient).sum()
        assert inside.gradient[0, 1, k] == expected + variance
    drift, weights = Fraction(0), three_clients.weights
    for p0, x0 in points[0]:
        for p1, x1 in points[1]:
            for p2, x2 in points[2]:
                middle = weights[0] * x0 + weights[1] * x1 + weights[2] * x2
                apart = [x - middle for x in (x0, x1, x2)]
                drift += p0 * p1 * p2 * sum(w * (a * a).sum() for w, a in zip(weights, apart, strict=True))
    assert inside.drift[0, 0] == 0
    assert inside.drift[0, 1] == drift
    assert inside.G2 == max(inside.gradient.ravel())


@pytest.mark.parametrize("oracle", [AdditiveNoise(0.3), MiniBatch(1)])
@pytest.mark.parametrize("algorithm", [FedAvg(3, 0.2), ParallelRestartedSGD(3, 0.2)], ids=label)
def test_inside_rounds_monte_carlo(sampled: Any, oracle: Any, algorithm: Any) -> None:
    problem = sampled.to_float()
    inside = inside_rounds(problem, algorithm, rounds=2, oracle=oracle, start=[1, 1])
    log: list[OracleCall] = []
    simulate(problem, algorithm, oracle, 2, 20_000, log)
    assert len(log) == inside.gradient[..., 0].size
    for place, call in enumerate(log):
        here = divmod(place, 3)
        assert_within_confidence((call.gradients**2).sum(axis=2), inside.gradient[here])
        middle = (call.points * problem.weights[:, None]).sum(axis=1, keepdims=True)
        drift = (((call.points - middle) ** 2).sum(axis=2) * problem.weights).sum(axis=1)
        assert_within_confidence(drift, inside.drift[here])
        away = ((middle[:, 0] - problem.constants.minimiser) ** 2).sum(axis=1)
        assert_within_confidence(away, inside.distance[here])
    gradients = second_moment_of_gradients(problem, algorithm, 2, oracle, start=[1, 1])
    assert (gradients == inside.gradient).all()


def test_transformed_scheme_scales_the_gradients_inside(three_clients: Any, noise: Any) -> None:
    inside = inside_rounds(three_clients, FedAvg(1, TENTH, TransformedSchemeII(1)), rounds=1, oracle=noise, exact=True)
    plain = inside_rounds(three_clients, FedAvg(1, TENTH, Original(1)), rounds=1, oracle=noise, exact=True)
    scale = 3 * three_clients.weights
    assert (inside.gradient == scale**2 * plain.gradient).all()


def test_divergence_is_a_status() -> None:
    problem = QuadraticProblem(np.array([[[1.0]]]), np.array([[1.0]]))
    result = moments(problem, FedAvg(1, 50.0), rounds=1000, start=[0.5])
    assert result.status == "diverged"
    assert len(result.rounds) < 1000
    assert np.all(np.isfinite(result.squared_distance))
    assert inside_rounds(problem, FedAvg(1, 50.0), rounds=1000, start=[0.5]).status == "diverged"


#: Parabolas of curvature 1 and 2 with minimisers 1 and 0, where runs from 0 begin at a fixed point of the second client.
CANCELS = (np.array([[[1.0]], [[2.0]]]), np.array([[1.0], [0.0]]))


@pytest.mark.parametrize(("curvature", "length"), [(1.0, 1.0), (1e6, 1.0), (1e-6, 1.0), (1.0, 1e6), (1.0, 1e-6)])
@pytest.mark.parametrize(
    ("steps", "rate", "rounds", "told"),
    [(50, 2.0, 1, (0, 0)), (20, 2.0, 2, (0, 1)), (1000, 1.05, 1, (0, 0)), (50, 2.524, 1, (0, 0)), (4, 2.0, 10, (4, 8))],
)
def test_moments_end_where_rounding_leaves_no_digit(
    steps: int, rate: float, rounds: int, told: tuple[int, int], curvature: float, length: float
) -> None:
    """Local steps beyond stability whose errors nearly cancel: what is listed is right as far as it says, in all units."""
    problem = QuadraticProblem(curvature * CANCELS[0], curvature * length * CANCELS[1])
    algorithm = FedAvg(steps, rate / curvature)
    exact = moments(QuadraticProblem(*CANCELS), FedAvg(steps, rate), rounds=rounds, exact=True).gap.astype(float)
    for keep, last in zip(("all", "traces"), told, strict=True):
        with pytest.warns(PrecisionWarning, match=f"no digit of these moments after round {last}"):
            found = moments(problem, algorithm, rounds=rounds, keep=keep)  # type: ignore[call-overload]
        assert found.status == "unresolved" and found.rounds.tolist() == list(range(last + 1))
        expected = exact[: last + 1] * curvature * length**2
        np.testing.assert_allclose(found.gap, expected, rtol=max(found.rounding, 1e-8))


def test_lost_digits_are_warned_of_and_kept_ones_are_not() -> None:
    problem = QuadraticProblem(*CANCELS)
    exact = float(moments(problem, FedAvg(20, 1.5), rounds=1, exact=True).gap[-1])
    with pytest.warns(PrecisionWarning, match="may have changed these moments by a relative"):
        found = moments(problem, FedAvg(20, 1.5), rounds=1)
    assert found.status == "finished" and 1e-5 < abs(found.gap[-1] / exact - 1) < found.rounding < 1e-2
    assert moments(problem, FedAvg(20, 1.5), rounds=1, keep="traces").gap[-1] == pytest.approx(exact, rel=1e-8)
    away = dict(rounds=30, start=[0.3])  # divergence without cancellation loses no digit
    for keep in ("all", "traces"):
        run = moments(problem, FedAvg(4, 2.0), keep=keep, **away)  # type: ignore[call-overload]
        assert run.status == "finished" and run.rounding == 0.0 and run.gap[-1] > 1e80


def test_a_far_minimiser_counts_where_rounds_expand() -> None:
    """The minimiser is known to half a unit in the last place, which the rounds multiply as they do everything."""
    far = QuadraticProblem(CANCELS[0], CANCELS[1] + 1e9 * CANCELS[0][:, :, 0])
    for keep in ("all", "traces"):
        with pytest.warns(PrecisionWarning):
            moments(far, FedAvg(4, 2.0), rounds=1, start=[1e9], keep=keep)  # type: ignore[call-overload]
        stable = moments(far, FedAvg(4, 0.1), rounds=300, start=[1e9], keep=keep)  # type: ignore[call-overload]
        assert stable.status == "finished" and stable.rounding == 0.0


def test_overflow_within_a_round_is_a_status_without_warnings() -> None:
    problem = QuadraticProblem(np.array([[[1.0]], [[10.0]]]), np.array([[1.0], [0.0]]))
    for oracle in (None, AdditiveNoise(1.0)):
        for steps, rate in ((200, 1.0), (200, 100.0)):
            algorithm = FedAvg(steps, rate)
            assert moments(problem, algorithm, rounds=10, oracle=oracle, start=[0.3]).status == "diverged"
            traces = moments(problem, algorithm, rounds=10, oracle=oracle, start=[0.3], keep="traces")
            assert traces.status == "diverged" and len(traces.gap) == 1
            assert inside_rounds(problem, algorithm, rounds=10, oracle=oracle, start=[0.3]).status == "diverged"


def test_deviations_keep_their_digits() -> None:
    """Identical clients converge linearly far below the square of the rounding error of w* itself."""
    rng = np.random.default_rng(1)
    matrix = np.diag([1.0, 0.8, 0.9])
    problem = QuadraticProblem(np.stack([matrix] * 4), np.stack([rng.normal(size=3)] * 4))
    for participation in (Full(), SchemeI(2), Original(4), NormalisedUniform(2)):
        run = moments(problem, FedAvg(3, 0.6, participation), rounds=12)
        factors = (1 - 0.6 * np.diag(matrix)) ** 36
        start = problem.constants.minimiser
        expected = ((factors * start) ** 2).sum()
        assert expected < 1e-17
        assert run.squared_distance[-1] == pytest.approx(expected, rel=1e-4)


def test_every_and_views(three_clients: Any, noise: Any) -> None:
    algorithm = FedAvg(2, TENTH, SchemeI(2))
    whole = moments(three_clients, algorithm, rounds=4, oracle=noise, exact=True)
    half = moments(three_clients, algorithm, rounds=4, oracle=noise, exact=True, every=2)
    assert half.rounds.tolist() == [0, 2, 4]
    assert (half.squared_distance == whole.squared_distance[::2]).all()
    mean, second = whole.mean[-1], whole.second[-1]
    assert (whole.covariance[-1] == second - mean[:, None] * mean[None, :]).all()
    assert whole.variance[-1] == np.trace(whole.covariance[-1])


def test_what_is_refused(three_clients: Any, sampled: Any) -> None:
    many = QuadraticProblem(np.ones((40, 1, 1)), np.ones((40, 1)))
    with pytest.raises(ValueError, match="cohorts exceed 1000000"):
        moments(many, FedAvg(1, 0.1, NormalisedUniform(20)), rounds=1)
    with pytest.raises(ValueError, match="per-sample data"):
        moments(three_clients, FedAvg(1, 0.1), rounds=1, oracle=MiniBatch(1))
    with pytest.raises(ValueError, match="rounds=-1"):
        moments(three_clients, FedAvg(1, 0.1), rounds=-1)
    with pytest.raises(ValueError, match="runs twice"):
        moments(three_clients, Scaffold(1, 0.1, 1, SchemeI(2, "separate runs")), rounds=1)
    with pytest.raises(ValueError, match="one local run per client"):
        table_moments(three_clients, FedAvg(1, 0.1, SchemeI(2, "separate runs")), rounds=1)
    with pytest.raises(ValueError, match="exceed 200000"):
        enumerate_moments(sampled, FedAvg(9, TENTH), rounds=2, oracle=MiniBatch(1))
    with pytest.raises(ValueError, match="start has shape"):
        moments(three_clients, FedAvg(1, 0.1), rounds=1, start=[1, 2, 3])


def test_exact_oracle_is_no_noise(three_clients: Any) -> None:
    algorithm = convert_values(FedAvg(2, Constant(TENTH)), Fraction)
    plain = moments(three_clients, algorithm, rounds=2, exact=True)
    silent = moments(three_clients, algorithm, rounds=2, exact=True, oracle=AdditiveNoise(Fraction(0)))
    assert_equal(plain, silent)
    assert_equal(plain, moments(three_clients, algorithm, rounds=2, exact=True, oracle=Exact()))
    assert all(entry == 0 for entry in plain.covariance.flat)


@dataclass(frozen=True)
class Halving:
    """Gradient descent whose step halves after every second round, without a schedule; ``start`` may ask the oracle."""

    ask: bool = False

    def start(self, fed: Any, w: Any) -> Any:
        return w - fed.average(fed.gradient(fed.send(w))) / 10 if self.ask else w

    def round(self, fed: Any, w: Any) -> Any:
        return w - fed.average(fed.gradient(fed.send(w))) / (10 * 2 ** (fed.round // 2))


def test_rounds_that_differ_are_noticed_without_a_schedule(three_clients: Any, two_values: Any) -> None:
    arguments = dict(rounds=3, oracle=two_values, exact=True)
    assert_equal(moments(three_clients, Halving(), **arguments), table_moments(three_clients, Halving(), **arguments))
    with pytest.raises(ValueError, match="Halving computes with fed.round"):
        round_map(three_clients, Halving())


def test_a_start_that_asks_the_oracle(three_clients: Any, two_values: Any) -> None:
    asked = moments(three_clients, Halving(ask=True), rounds=1, exact=True)
    assert (asked.mean[0] == three_clients.mean_vector / 10).all()
    for read in (moments, table_moments, enumerate_moments):
        with pytest.raises(ValueError, match="start asks for 1 gradients"):
            read(three_clients, Halving(ask=True), rounds=1, oracle=two_values)
