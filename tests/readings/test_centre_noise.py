"""Noise of the server's own loss: exact moments against brute force, the table, hand calculation and simulation."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms import Full, Harmonic, HeavyBall, NormalisedUniform, Original, Populations, SchemeI, SchemeII
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.oracles import AdditiveNoise, Exact, FiniteSupportNoise, MiniBatch
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.samples import QuadraticSamples
from fltheory.readings import enumerate_moments, inside_rounds, moments, round_map, second_moment_of_gradients
from fltheory.readings.table import table_moments

TENTH, FIFTH, HALF = Fraction(1, 10), Fraction(1, 5), Fraction(1, 2)
#: Value of the standard normal distribution that is exceeded with probability 5e-6 on either side.
QUANTILE = 4.42


def rationals(values: Any) -> Any:
    source = np.array(values, dtype=object)
    return np.array([Fraction(entry) for entry in source.ravel()], dtype=object).reshape(source.shape)


@pytest.fixture(scope="module")
def mixed(three_clients: Any) -> MixedProblem:
    return MixedProblem(three_clients, QuadraticProblem(rationals([[[3, -1], [-1, 1]]]), rationals([[1, -2]])))


@pytest.fixture(scope="module")
def sampled_mixed(sampled: Any) -> MixedProblem:
    """Two clients with samples; three samples at the server whose Hessians differ."""
    matrices = rationals([[[2, 0], [0, 2]], [[4, 1], [1, 1]], [[1, 0], [0, 3]]])
    centre = QuadraticProblem.from_samples([QuadraticSamples(matrices, rationals([[1, 0], [3, -1], [0, 2]]))])
    return MixedProblem(sampled, centre)


@pytest.fixture(scope="module")
def coin() -> FiniteSupportNoise:
    """Two values of the server's noise."""
    return FiniteSupportNoise(rationals([["1/2", 1], [-1, -2]]), rationals(["2/3", "1/3"]))


def assert_equal(left: Any, right: Any) -> None:
    for name in ("mean", "deviations", "squared_distance", "gap"):
        a, b = getattr(left, name), getattr(right, name)
        assert a.shape == b.shape
        assert all(type(entry) is Fraction for entry in a.flat), name
        assert (a == b).all(), name


def parallel(steps: int, scheme: Any) -> Any:
    return fl.ParallelTraining(steps, TENTH, FIFTH, Fraction(3, 2), HALF, participation=scheme)


def one_way(steps: int, scheme: Any) -> Any:
    return fl.OneWayGradientTransfer(steps, TENTH, Fraction(3, 2), participation=scheme)


def two_way(steps: int, scheme: Any) -> Any:
    return fl.TwoWayGradientTransfer(steps, TENTH, FIFTH, Fraction(3, 2), HALF, participation=scheme)


METHODS = {"parallel": parallel, "1-way": one_way, "2-way": two_way}
SCHEMES = [Full(), SchemeI(2), SchemeI(2, "separate runs"), SchemeII(2), Original(2), NormalisedUniform(2)]
ROUNDS = {1: 3, 2: 2, 3: 2}


@pytest.mark.parametrize("steps", ROUNDS)
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize("method", METHODS)
def test_noise_of_the_centre_alone(mixed: Any, coin: Any, method: str, scheme: Any, steps: int) -> None:
    if method != "1-way" and steps == 3 and not isinstance(scheme, Full):
        rounds = 1
    else:
        rounds = ROUNDS[steps]
    algorithm = METHODS[method](steps, scheme)
    arguments = dict(rounds=rounds, centre_oracle=coin, start=[1, -1], exact=True)
    affine = moments(mixed, algorithm, **arguments)
    assert_equal(affine, enumerate_moments(mixed, algorithm, **arguments))
    if not scheme.separate_runs:
        assert_equal(affine, table_moments(mixed, algorithm, **arguments))
    quiet = moments(mixed, algorithm, rounds=rounds, start=[1, -1], exact=True)
    assert (affine.mean == quiet.mean).all() and (affine.variance[1:] > quiet.variance[1:]).all()


BOTH = [("parallel", 1, 2), ("parallel", 2, 1), ("1-way", 1, 2), ("1-way", 2, 1), ("2-way", 1, 2), ("2-way", 2, 1)]


@pytest.mark.parametrize("scheme", [Full(), SchemeI(2, "separate runs"), Original(1)], ids=repr)
@pytest.mark.parametrize(("method", "steps", "rounds"), BOTH)
def test_noise_on_both_sides(
    mixed: Any, two_values: Any, coin: Any, method: str, steps: int, rounds: int, scheme: Any
) -> None:
    algorithm = METHODS[method](steps, scheme)
    arguments = dict(rounds=rounds, oracle=two_values, centre_oracle=coin, start=[1, -1], exact=True)
    affine = moments(mixed, algorithm, **arguments)
    assert_equal(affine, enumerate_moments(mixed, algorithm, **arguments))
    if not scheme.separate_runs:
        assert_equal(affine, table_moments(mixed, algorithm, **arguments))


BATCHES = [
    ("parallel", 2, Full(), Exact(), MiniBatch(1), 2),
    ("parallel", 1, Original(1), MiniBatch(1), MiniBatch(2), 2),
    ("parallel", 2, SchemeI(2, "separate runs"), MiniBatch(2), MiniBatch(2, replacement=True), 1),
    ("1-way", 1, Full(), MiniBatch(1), MiniBatch(1), 2),
    ("1-way", 3, SchemeII(1), Exact(), MiniBatch(1), 3),
    ("1-way", 2, Full(), MiniBatch(1), MiniBatch(2, replacement=True), 1),
    ("2-way", 1, Full(), MiniBatch(2), MiniBatch(1), 2),
    ("2-way", 2, SchemeII(1), MiniBatch(1), MiniBatch(2), 1),
    ("2-way", 1, Original(1), MiniBatch(1), MiniBatch(1), 2),
]


@pytest.mark.parametrize(("method", "steps", "scheme", "oracle", "central", "rounds"), BATCHES)
def test_mini_batches(
    sampled_mixed: Any, method: str, steps: int, scheme: Any, oracle: Any, central: Any, rounds: int
) -> None:
    algorithm = METHODS[method](steps, scheme)
    arguments = dict(rounds=rounds, oracle=oracle, centre_oracle=central, start=[1, -1], exact=True)
    affine = moments(sampled_mixed, algorithm, **arguments)
    assert_equal(affine, enumerate_moments(sampled_mixed, algorithm, **arguments))
    if not scheme.separate_runs:
        assert_equal(affine, table_moments(sampled_mixed, algorithm, **arguments))


@dataclass(frozen=True)
class ClientsFirst:
    """Clients step with shared central noise, are averaged, and the server asks its loss twice: before and at the average."""

    participation: Any = Full()

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        begin = fed.send(w)
        x = begin - (fed.gradient(begin) + fed.send(fed.centre.gradient(w))) / 10
        middle = fed.average(x - fed.gradient(x) / 10)
        return middle - fed.centre.gradient(middle) / 5


@pytest.mark.parametrize(
    ("oracle", "central"),
    [(MiniBatch(1), MiniBatch(1)), (Exact(), MiniBatch(2)), (MiniBatch(2), "coin"), ("clients' coin", MiniBatch(1))],
)
def test_central_and_clients_calls_that_depend_on_each_other(
    sampled_mixed: Any, coin: Any, two_values: Any, oracle: Any, central: Any
) -> None:
    """The clients' noise is in the server's second point, the server's first noise in the clients' second points."""
    named = {"coin": coin, "clients' coin": two_values}
    arguments = dict(
        rounds=1,
        oracle=named.get(oracle, oracle) if isinstance(oracle, str) else oracle,
        centre_oracle=named.get(central, central) if isinstance(central, str) else central,
        start=[1, -1],
        exact=True,
    )
    affine = moments(sampled_mixed, ClientsFirst(), **arguments)
    assert_equal(affine, enumerate_moments(sampled_mixed, ClientsFirst(), **arguments))
    assert_equal(affine, table_moments(sampled_mixed, ClientsFirst(), **arguments))


def test_at_a_random_average(sampled_mixed: Any, coin: Any) -> None:
    """Fixed noise is kept, mini-batches there are refused (their covariance depends on the cohort)."""
    sampled_cohort = ClientsFirst(Original(1))
    arguments = dict(rounds=2, centre_oracle=coin, start=[1, 0], exact=True)
    weighted = ClientsFirst(SchemeII(1))
    assert_equal(moments(sampled_mixed, weighted, **arguments), enumerate_moments(sampled_mixed, weighted, **arguments))
    with pytest.raises(ValueError, match="at a random average of its round: its noise there depends on the cohort"):
        moments(sampled_mixed, weighted, rounds=1, centre_oracle=MiniBatch(1))
    with pytest.raises(ValueError, match="gives weight to absent clients"):
        moments(sampled_mixed, sampled_cohort, rounds=1, centre_oracle=coin)


def scalar(curvature: Any, vector: Any) -> QuadraticProblem:
    return QuadraticProblem(rationals([[[curvature]]]), rationals([[vector]]))


def test_the_round_of_one_way_gt_shares_one_draw() -> None:
    """f_i = x^2/2, f_c = 0, N = 4: w+ = (1 - q) w - q zeta with q = c (1 - (1 - eta)^K), c the sum of the coefficients."""
    clients = QuadraticProblem(rationals([[[1]]] * 4), rationals([[0]] * 4))
    problem = MixedProblem(clients, scalar(0, 0))
    for scheme, total in ((Full(), 1), (SchemeII(1), 1), (Original(2), HALF)):
        found = moments(
            problem,
            fl.OneWayGradientTransfer(3, TENTH, participation=scheme),
            rounds=2,
            exact=True,
            start=[2],
            centre_oracle=AdditiveNoise(rationals([[5]])),
        )
        q = total * (1 - Fraction(9, 10) ** 3)
        assert found.variance.tolist() == [0, 5 * q**2, 5 * q**2 * (1 + (1 - q) ** 2)]


def test_the_stationary_variance_of_parallel_training_by_hand() -> None:
    """One step each on f_f = 0 and f_c = x^2/2: a random walk that contracts, variance eta^2 s/(1 - (1-eta)^2)."""
    problem = MixedProblem(scalar(0, 0), scalar(1, 0)).map_parts(lambda part: part.to_float())
    found = moments(
        problem, fl.ParallelTraining(1, 0.3, 0.2), rounds=400, centre_oracle=AdditiveNoise(np.array([[3.0]]))
    )
    assert found.variance[-1] == pytest.approx(0.04 * 3 / (1 - 0.64), rel=1e-12)


def test_floats_and_fractions_agree(sampled_mixed: Any) -> None:
    floats = sampled_mixed.map_parts(lambda part: part.to_float())
    algorithm = fl.TwoWayGradientTransfer(2, 0.1, 0.2, participation=SchemeII(1))
    arguments = dict(rounds=6, oracle=MiniBatch(1), centre_oracle=MiniBatch(2))
    exact, near = (
        moments(problem, algorithm, exact=flag, **arguments)
        for problem, flag in ((sampled_mixed, True), (floats, False))
    )
    np.testing.assert_allclose(near.deviations, exact.deviations.astype(float), rtol=1e-11)
    table = table_moments(floats, algorithm, **arguments)
    np.testing.assert_allclose(near.deviations, table.deviations, rtol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_inside_rounds_sees_the_central_noise(mixed: Any, coin: Any, method: str) -> None:
    """Clients' second moments at the second call of 1-way GT hold the server's noise; at the first call they do not."""
    algorithm = METHODS[method](2, Full())
    arguments = dict(rounds=1, start=[1, -1], exact=True)
    quiet = inside_rounds(mixed, algorithm, **arguments)
    noisy = inside_rounds(mixed, algorithm, centre_oracle=coin, **arguments)
    assert (quiet.gradient[0, 0] == noisy.gradient[0, 0]).all()
    covariance = coin.covariances(mixed.centre)[0]
    extra = [np.trace(a @ covariance @ a) * TENTH**2 for a in mixed.matrices]
    wanted = extra if method == "1-way" else [0, 0, 0]
    assert (noisy.gradient[0, 1] - quiet.gradient[0, 1]).tolist() == wanted
    second = second_moment_of_gradients(mixed, algorithm, 1, centre_oracle=coin, start=[1, -1], exact=True)
    assert (second == noisy.gradient).all()
    shared = covariance.trace() * TENTH**2 if method == "1-way" else 0
    assert noisy.distance[0, 1] - quiet.distance[0, 1] == shared and (noisy.drift == quiet.drift).all()


def test_the_mean_is_that_of_the_round_map(sampled_mixed: Any) -> None:
    algorithm = fl.ParallelTraining(2, TENTH, FIFTH)
    found = moments(sampled_mixed, algorithm, rounds=4, centre_oracle=MiniBatch(1), exact=True)
    rounds = round_map(sampled_mixed, algorithm, exact=True)
    state = rounds.start
    for r in range(5):
        assert (found.mean[r] == rounds.model @ state).all()
        state = rounds(state)


def test_refusals(mixed: Any, three_clients: Any, coin: Any) -> None:
    for read in (moments, table_moments, enumerate_moments):
        with pytest.raises(ValueError, match="problem=QuadraticProblem has no central loss"):
            read(three_clients, fl.FedAvg(1, TENTH), rounds=1, centre_oracle=coin)
        with pytest.raises(ValueError, match="has no samples|samples=None"):
            read(mixed, one_way(1, Full()), rounds=1, centre_oracle=MiniBatch(1))
        begin = fl.TwoWayGradientTransfer(1, TENTH, TENTH, initial="gradients")
        with pytest.raises(ValueError, match="start asks for 1 gradients of the server's loss"):
            read(mixed, begin, rounds=1, centre_oracle=coin)
        assert read(mixed, begin, rounds=1, exact=True).variance[-1] == 0
    with pytest.raises(ValueError, match="has no probabilities_of.*finite support"):
        enumerate_moments(mixed, one_way(1, Full()), rounds=1, centre_oracle=AdditiveNoise(np.array(1.0)))
    with pytest.raises(ValueError, match="has no central loss"):
        inside_rounds(three_clients, fl.FedAvg(1, TENTH), rounds=1, centre_oracle=coin)


SIMULATED = [
    ("parallel", MiniBatch(1)),
    ("1-way", AdditiveNoise(np.array([[2.0, 1.0], [1.0, 1.0]]))),
    ("1-way", MiniBatch(2)),
    ("2-way", MiniBatch(1)),
]


@pytest.mark.parametrize(("method", "central"), SIMULATED)
def test_simulation(sampled_mixed: Any, method: str, central: Any) -> None:
    """Means over independent runs lie within QUANTILE standard errors of the exact expectation, at every round."""
    floats = sampled_mixed.map_parts(lambda part: part.to_float())
    algorithm = METHODS[method](2, SchemeII(1))
    arguments = dict(rounds=4, oracle=MiniBatch(1), centre_oracle=central, start=np.array([1.0, -1.0]))
    run = fl.simulate(floats, algorithm, runs=8_000, seed=11, **arguments)
    exact = moments(floats, algorithm, **arguments)
    for seen, wanted in (("squared_distance", exact.squared_distance), ("gap", exact.gap)):
        values = run.values(seen)
        error = values.std(axis=0, ddof=1) / len(values) ** 0.5
        assert (np.abs(values.mean(axis=0) - wanted)[1:] < QUANTILE * error[1:]).all()
    quiet = moments(floats, algorithm, **{**arguments, "centre_oracle": None})
    values = run.values("squared_distance")
    apart = np.abs(values.mean(axis=0) - quiet.squared_distance) * len(values) ** 0.5 / (values.std(axis=0) + 1e-300)
    assert (apart[1:] > 2 * QUANTILE).any()  # the test can tell the server's noise from none


OTHERS = {
    "populations": Populations((0, 1, 1), 2, TENTH, HALF, True, centre=True),
    "heavy ball": fl.ParallelTraining(2, TENTH, FIFTH, server=HeavyBall(HALF)),
    "unequal steps": fl.OneWayGradientTransfer(3, TENTH, client_steps=(3, 1, 2)),
    "falling steps": fl.ParallelTraining(1, Harmonic(1, 5), Harmonic(2, 7), participation=SchemeII(1)),
    "many central steps": fl.TwoWayGradientTransfer(1, TENTH, FIFTH, central_steps=3, divisor="central step size"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_algorithms(mixed: Any, coin: Any, name: str) -> None:
    arguments = dict(rounds=2, centre_oracle=coin, start=[1, -1], exact=True)
    affine = moments(mixed, OTHERS[name], **arguments)
    assert_equal(affine, enumerate_moments(mixed, OTHERS[name], **arguments))
    assert_equal(affine, table_moments(mixed, OTHERS[name], **arguments))
    assert (affine.variance[1:] > 0).all()
