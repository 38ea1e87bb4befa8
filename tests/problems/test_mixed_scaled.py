"""Weights ``w_f`` and ``w_c`` of quadratic parts: every verb takes ``Scaled`` for the quadratic problem that it is."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.numbers import map_array
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.tridiagonal import TridiagonalProblem
from fltheory.readings.enumeration import enumerate_moments
from fltheory.readings.limits import limit_local_steps_to_infinity, series
from fltheory.readings.table import table_moments

MATRICES = [[["0.1", "0.3"], ["0.3", "1.7"]], [["2", "0"], ["0", "0.7"]], [["1.1", "-0.2"], ["-0.2", "0.9"]]]
VECTORS = [["0.1", "-2"], ["1.3", "0.7"], ["-0.1", "1"]]
OFFSETS = ["0.7", "-0.1", "0"]
CENTRAL, AT = [[["0.7", "0.1"], ["0.1", "3"]]], [["-0.7", "2.1"]]
W_F, W_C = Fraction(73, 100), Fraction(27, 100)
RATE = 0.07
ALGORITHMS = {
    "parallel": lambda scheme: fl.ParallelTraining(3, RATE, 0.03, 1.2, 0.8, participation=scheme),
    "1-way": lambda scheme: fl.OneWayGradientTransfer(3, RATE, 1.2, participation=scheme),
    "2-way": lambda scheme: fl.TwoWayGradientTransfer(3, RATE, 0.03, participation=scheme),
}
GAUSSIAN, COIN = (
    fl.AdditiveNoise(0.3),
    fl.FiniteSupportNoise(np.array([[1.0, 0.5], [-2.0, -1.0]]), np.array([2 / 3, 1 / 3])),
)


def rationals(data: Any, factor: Fraction = Fraction(1)) -> Any:
    """Decimals as exact numbers, times a factor."""
    return map_array(lambda text: factor * Fraction(text), np.array(data, dtype=object))


def written_out() -> MixedProblem:
    """``0.73 f~_f + 0.27 f~_c`` by hand, exact."""
    clients = QuadraticProblem(rationals(MATRICES, W_F), rationals(VECTORS, W_F), rationals(OFFSETS, W_F))
    return MixedProblem(clients, QuadraticProblem(rationals(CENTRAL, W_C), rationals(AT, W_C)))


def parts(*, exact: bool) -> tuple[QuadraticProblem, QuadraticProblem]:
    """``f~_f`` and ``f~_c``."""
    made = (
        QuadraticProblem(*map(rationals, (MATRICES, VECTORS, OFFSETS))),
        QuadraticProblem(*map(rationals, (CENTRAL, AT))),
    )
    return made if exact else (made[0].to_float(), made[1].to_float())


def weighted(*, exact: bool) -> MixedProblem:
    """The same by ``Scaled``: in fractions, or all in floats."""
    clients, centre = parts(exact=exact)
    factors: Any = (W_F, W_C) if exact else (0.73, 0.27)
    return MixedProblem(fl.Scaled(clients, factors[0]), fl.Scaled(centre, factors[1]))


def sampled() -> tuple[QuadraticProblem, QuadraticProblem]:
    """Parts with samples, of both kinds, in floats."""
    rng = np.random.default_rng(np.random.SeedSequence(3))
    roots, vectors = rng.normal(size=(3, 4, 2, 2)), rng.normal(size=(3, 4, 2))
    general = [fl.QuadraticSamples(a @ a.swapaxes(1, 2), b) for a, b in zip(roots, vectors, strict=True)]
    rows = fl.RegressionSamples(rng.normal(size=(5, 2)), rng.normal(size=5), 2.0, 0.1)
    return QuadraticProblem.from_samples(general), QuadraticProblem.from_samples([rows])


@pytest.mark.parametrize("scheme", [fl.Full(), fl.SchemeII(2)], ids=repr)
@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("exact", [True, False], ids=["fractions", "floats"])
def test_exact_verbs_are_those_of_the_products(exact: bool, name: str, scheme: Any) -> None:
    """Floats are read as decimals before they are multiplied: the product of floats would be another number."""
    assert Fraction(repr(0.27 * 0.1)) != W_C / 10 and Fraction(repr(0.73 * 0.1)) == W_F / 10
    algorithm, given, wanted = ALGORITHMS[name](scheme), weighted(exact=exact), written_out()
    found, true = fl.round_map(given, algorithm, exact=True), fl.round_map(wanted, algorithm, exact=True)
    assert (found.matrix == true.matrix).all() and (found.shift == true.shift).all()
    assert (fl.fixed_point(given, algorithm, exact=True) == fl.fixed_point(wanted, algorithm, exact=True)).all()
    noise: dict[str, Any] = dict(rounds=2, oracle=GAUSSIAN, centre_oracle=COIN, exact=True)
    ours, theirs = fl.moments(given, algorithm, **noise), fl.moments(wanted, algorithm, **noise)
    assert (ours.gap == theirs.gap).all() and (ours.second == theirs.second).all()
    table = table_moments(given, algorithm, rounds=2, oracle=GAUSSIAN, centre_oracle=COIN, exact=True)
    assert (table.second == ours.second).all()


@pytest.mark.parametrize("exact", [True, False], ids=["fractions", "floats"])
def test_floating_verbs(exact: bool) -> None:
    algorithm, given, wanted = ALGORITHMS["2-way"](fl.Full()), weighted(exact=exact), written_out()
    np.testing.assert_allclose(fl.fixed_point(given, algorithm), fl.fixed_point(wanted, algorithm), rtol=1e-12)
    arguments: dict[str, Any] = dict(rounds=5, oracle=COIN, centre_oracle=GAUSSIAN)
    ours, theirs = (fl.moments(problem, algorithm, **arguments) for problem in (given, wanted))
    np.testing.assert_allclose(ours.gap, theirs.gap, rtol=1e-12)
    runs = [fl.simulate(problem, algorithm, runs=3, keep_models=True, **arguments) for problem in (given, wanted)]
    np.testing.assert_allclose(runs[0].models, runs[1].models, rtol=1e-12, atol=1e-14)
    assert runs[0].gap is not None and runs[1].gap is not None
    np.testing.assert_allclose(runs[0].gap, runs[1].gap, rtol=1e-11, atol=1e-14)


def test_enumeration_and_series() -> None:
    given, wanted, algorithm = weighted(exact=False), written_out(), fl.OneWayGradientTransfer(1, RATE)
    arguments: dict[str, Any] = dict(rounds=1, oracle=COIN, centre_oracle=COIN, exact=True)
    assert (
        enumerate_moments(given, algorithm, **arguments).gap == fl.moments(wanted, algorithm, **arguments).gap
    ).all()
    parallel = [series(problem, lambda eta: fl.ParallelTraining(2, eta, eta), 1) for problem in (given, wanted)]
    assert parallel[0] == parallel[1] and any(parallel[0][1])


@pytest.mark.parametrize("name", ALGORITHMS)
def test_noise_is_added_to_the_gradients_of_the_product(name: str) -> None:
    """Exact second moments and simulated draws, against the products written out; the wrong convention is far away."""
    algorithm, given = ALGORITHMS[name](fl.Full()), weighted(exact=False)
    products = given.map_parts(lambda part: part.to_dense())
    noise: dict[str, Any] = dict(rounds=6, oracle=COIN, centre_oracle=COIN)
    for backend in ("numpy", "numba"):
        ours, theirs = (
            fl.simulate(problem, algorithm, runs=4, keep_models=True, backend=backend, **noise)
            for problem in (given, products)
        )
        assert (ours.models == theirs.models).all() and np.ptp(ours.final, axis=0).max() > 0.01
    exact = fl.moments(given, algorithm, **noise)
    assert (exact.second == fl.moments(products, algorithm, **noise).second).all()
    many = fl.simulate(given, algorithm, runs=8_000, seed=2, **noise).final
    spread = many.var(axis=0).sum() / exact.variance[-1]
    assert spread == pytest.approx(1, abs=0.07)
    shrunk = [fl.FiniteSupportNoise(w * COIN.support, COIN.probabilities) for w in (0.73, 0.27)]
    wrong = fl.moments(given, algorithm, rounds=6, oracle=shrunk[0], centre_oracle=shrunk[1]).variance[-1]
    assert wrong < 0.7 * exact.variance[-1]


def test_one_noisy_step_by_hand() -> None:
    clients = parts(exact=True)[0]
    found = fl.moments(
        fl.Scaled(clients, 5), fl.FedAvg(1, Fraction(1, 10)), rounds=1, oracle=fl.AdditiveNoise(2), exact=True
    )
    assert found.variance[-1] == Fraction(1, 100) * 2 * 2 / 3  # eta^2 d sigma^2/N, whatever the factor


@pytest.mark.parametrize("name", ALGORITHMS)
def test_batches_scale_with_the_samples(name: str) -> None:
    clients, centre = sampled()
    given = MixedProblem(fl.Scaled(clients, 0.73), fl.Scaled(centre, 0.27))
    samples = tuple(fl.QuadraticSamples(0.73 * s.matrices(), 0.73 * s.vectors()) for s in clients.samples or ())
    rows: Any = (centre.samples or ())[0]
    alone = fl.RegressionSamples(rows.features, rows.targets, 0.27 * rows.scale, 0.27 * rows.modulus)
    wanted = MixedProblem(QuadraticProblem.from_samples(samples), QuadraticProblem.from_samples([alone]))
    algorithm = ALGORITHMS[name](fl.Full())
    batches: dict[str, Any] = dict(rounds=3, oracle=fl.MiniBatch(2), centre_oracle=fl.MiniBatch(3))
    ours, theirs = (fl.moments(problem, algorithm, **batches) for problem in (given, wanted))
    np.testing.assert_allclose(ours.second, theirs.second, rtol=1e-12, atol=1e-15)
    assert ours.variance[-1] > 1e-6
    runs = [fl.simulate(problem, algorithm, runs=2, keep_models=True, **batches).models for problem in (given, wanted)]
    np.testing.assert_allclose(runs[0], runs[1], rtol=1e-12, atol=1e-14)


def test_exact_batches_of_scaled_samples() -> None:
    rows = fl.RegressionSamples(
        rationals([["1", "0.5"], ["-0.2", "1"]]), rationals(["1", "-1"]), Fraction(1), Fraction(1, 10)
    )
    one, three = QuadraticProblem.from_samples([rows]), Fraction(3)
    triple = fl.RegressionSamples(rows.features, rows.targets, three, Fraction(3, 10))
    batches: dict[str, Any] = dict(rounds=2, oracle=fl.MiniBatch(1), exact=True)
    method = fl.FedAvg(2, Fraction(1, 10))
    ours, theirs = (
        fl.moments(p, method, **batches) for p in (fl.Scaled(one, 3), QuadraticProblem.from_samples([triple]))
    )
    assert (ours.second == theirs.second).all() and (ours.gap == theirs.gap).all() and ours.variance[-1] > 0
    assert fl.Scaled(one, 3).offsets.tolist() == QuadraticProblem.from_samples([triple]).offsets.tolist()


def test_constants_and_dissimilarity() -> None:
    given, wanted = weighted(exact=True), written_out()
    ours, theirs = given.constants, wanted.constants
    assert (ours.minimiser == theirs.minimiser).all() and ours.minimum == theirs.minimum and ours.gamma == theirs.gamma
    assert (given.gradient(ours.minimiser) == 0).all() and ours.suboptimality == 0
    left, right = ours.dissimilarity(W_F), theirs.dissimilarity(W_F)
    assert left.least_G2 == right.least_G2 and left.least_G2_given(40) == right.least_G2_given(40) is not None
    floats = weighted(exact=False).constants
    np.testing.assert_allclose(floats.minimiser, theirs.minimiser.astype(float), rtol=1e-12)
    assert floats.dissimilarity(0.73).least_B2 == pytest.approx(float(right.least_B2), rel=1e-12)
    assert (
        (given.matrices == wanted.matrices).all() and (given.vectors == wanted.vectors).all() and given.samples is None
    )
    equal = QuadraticProblem(np.full((2, 1, 1), 2.0), np.array([[1.0], [-1.0]]))
    scalar = MixedProblem(fl.Scaled(equal, 3.0), QuadraticProblem(np.ones((1, 1, 1)), np.zeros((1, 1)))).constants
    coin = fl.FiniteSupportNoise(np.array([[1.0], [-1.0]]), np.array([0.5, 0.5]))
    assert scalar.client_spread == 9 and scalar.gradient_variances(GAUSSIAN, coin) == (0.3, 1.0)


def test_alone_and_nested_and_banded() -> None:
    clients, algorithm = parts(exact=False)[0], fl.FedAvg(2, 0.05)
    double = QuadraticProblem(rationals(MATRICES, Fraction(2)), rationals(VECTORS, Fraction(2)))
    wanted = fl.fixed_point(double, algorithm, exact=True)
    for problem in (fl.Scaled(clients, 2), fl.Scaled(fl.Scaled(clients, 0.4), 5)):
        assert (fl.fixed_point(problem, algorithm, exact=True) == wanted).all()
        np.testing.assert_allclose(fl.fixed_point(problem, algorithm), wanted.astype(float), rtol=1e-12)
    assert (fl.fixed_point(clients, algorithm, exact=True) != wanted).any()
    banded = fl.li_tridiagonal(3, 2, 0.1)
    scaled = fl.Scaled(banded, 0.3)
    assert isinstance(scaled.multiplied(), TridiagonalProblem)
    assert (scaled.matrices == 0.3 * banded.to_dense().matrices).all() and scaled.samples is None
    exactly = fl.li_tridiagonal(3, 2, Fraction(1, 10), exact=True).to_dense()
    by_hand = QuadraticProblem(exactly.matrices * Fraction(3, 10), exactly.vectors * Fraction(3, 10))
    assert (fl.fixed_point(scaled, algorithm, exact=True) == fl.fixed_point(by_hand, algorithm, exact=True)).all()
    limits = [limit_local_steps_to_infinity(problem, 0.1, exact=True) for problem in (scaled, by_hand)]
    assert (limits[0].matrix == limits[1].matrix).all() and (limits[0].shift == limits[1].shift).all()
    run = fl.simulate(scaled, algorithm, rounds=3)
    assert run.gap is not None and run.gap[0, 0] == pytest.approx(-0.3 * banded.constants.minimum, rel=1e-12)


def test_other_problems_are_refused_by_name() -> None:
    rows, regulariser = np.array([[1.0, 0.0], [0.0, 1.0]]), fl.Regulariser(0.1, "lambda/2|w|^2")
    logistic = fl.Scaled(fl.LogisticProblem((rows,), (np.array([1, -1]),), regulariser=regulariser), 0.73)
    with pytest.raises(ValueError, match=r"problem=Scaled\(LogisticProblem\): the round map needs affine gradients"):
        fl.round_map(logistic, fl.FedAvg(1, 0.1))
    with pytest.raises(ValueError, match=r"problem=Scaled\(LogisticProblem\): exact moments needs? affine"):
        fl.moments(MixedProblem(logistic, parts(exact=False)[1]), fl.OneWayGradientTransfer(1, 0.1), rounds=1)
    with pytest.raises(ValueError, match=r"problem=Scaled\(LogisticProblem\): exact numbers need a quadratic problem"):
        fl.trajectory(fl.Scaled(logistic, 2), fl.FedAvg(1, 0.1), rounds=1, exact=True)
    for name in ("matrices", "vectors", "offsets", "samples", "mean_matrix", "mean_vector"):
        with pytest.raises(ValueError, match=r"Scaled\(LogisticProblem\) is not quadratic"):
            getattr(logistic, name)
    for ask in (logistic.multiplied, logistic.to_dense, logistic.to_exact):
        with pytest.raises(ValueError, match=r"Scaled\(LogisticProblem\) is not quadratic"):
            ask()
    mixed = MixedProblem(logistic, parts(exact=False)[1])
    with pytest.raises(ValueError, match=r"Scaled\(LogisticProblem\) is not quadratic"):
        mixed.constants.dissimilarity()
    with pytest.raises(ValueError, match=r"Scaled\(LogisticProblem\) is not quadratic"):
        mixed.constants.gradient_variances(fl.MiniBatch(1), fl.Exact())
