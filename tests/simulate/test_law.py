"""Runs in law: each round is the affine map plus a root times the normals of its stream, with the exact law of ``moments``.

Every statistic below is chi-squared if the law is right; a test errs with probability ``ERROR``, ten in all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

import fltheory as fl
from fltheory import streams
from fltheory.simulate.noise_in_law import LAW_CLIENT, gaussian_round, root_of

N, D, ERROR = 4, 5, 1e-7
RNG = np.random.default_rng(11)


def _problem() -> fl.QuadraticProblem:
    rng = np.random.default_rng(9)
    factors = rng.standard_normal((N, D, D)) / np.sqrt(D)
    return fl.QuadraticProblem(factors @ factors.swapaxes(1, 2) + 0.1 * np.eye(D), rng.standard_normal((N, D)))


PROBLEM, ALGORITHM = _problem(), fl.FedAvg(3, 0.3)
SKEW = np.cov(RNG.standard_normal((D, 9)))
NOISE = fl.AdditiveNoise(SKEW * np.arange(1.0, N + 1)[:, None, None])


def _plausible(statistic: float, freedom: int) -> bool:
    return bool(chi2.ppf(ERROR / 2, freedom) < statistic < chi2.isf(ERROR / 2, freedom))


@pytest.mark.parametrize("momentum", [False, True])
@pytest.mark.parametrize("rounds", [1, 7])
def test_the_law_is_that_of_exact_moments(momentum: bool, rounds: int) -> None:
    algorithm: Any = fl.FedOpt(3, 0.3, server=fl.HeavyBall(0.4)) if momentum else ALGORITHM
    settings: dict[str, Any] = dict(rounds=rounds, start=np.arange(D) / 2.0)
    run = fl.simulate_law(PROBLEM, algorithm, oracle=NOISE, runs=4000, seed=2, **settings)
    exact = fl.moments(PROBLEM, algorithm, oracle=NOISE, **settings)
    whitened = np.linalg.solve(np.linalg.cholesky(exact.covariance[-1]), (run.final - exact.mean[-1]).T)
    assert _plausible((whitened**2).sum(), 4000 * D)
    assert _plausible(4000 * (whitened.mean(axis=1) ** 2).sum(), D)
    turned = RNG.standard_normal(D)
    assert _plausible((turned @ whitened) @ (turned @ whitened) / (turned @ turned), 4000)
    # Controls: a tenth more noise, a mean that is off by a fifth of a deviation, another shape of covariance.
    assert not _plausible(1.1 * (whitened**2).sum(), 4000 * D)
    assert not _plausible(4000 * ((whitened.mean(axis=1) + 0.2) ** 2).sum(), D)
    other = fl.moments(PROBLEM, algorithm, oracle=fl.AdditiveNoise(np.trace(SKEW) / D), **settings).covariance[-1]
    wrong = np.linalg.solve(np.linalg.cholesky(other), (run.final - exact.mean[-1]).T)
    assert not _plausible((wrong**2).sum(), 4000 * D)


def test_rounds_are_independent_of_each_other() -> None:
    run = fl.simulate_law(PROBLEM, ALGORITHM, oracle=NOISE, runs=300, rounds=20, seed=3, keep_models=True)
    _, matrix, shift, root = gaussian_round(PROBLEM, ALGORITHM, NOISE, fl.Exact())
    models = run.models
    assert models is not None
    draws = np.linalg.solve(root, (models[:, 1:] - models[:, :-1] @ matrix.T - shift).reshape(-1, D).T)
    shaped = draws.reshape(D, 300, 20)
    assert _plausible((draws**2).sum(), 300 * 20 * D)
    products = (shaped[:, :, 1:] * shaped[:, :, :-1]).sum(axis=0)
    assert abs(products.sum()) < 5.5 * np.sqrt(300 * 19 * D)  # normal, five deviations and a half: 4e-8
    same = (shaped[:, :, 1:] * shaped[:, :, 1:]).sum()  # control
    assert same > 5.5 * np.sqrt(300 * 19 * D)


def test_a_round_is_the_map_and_the_normals_of_its_stream() -> None:
    run = fl.simulate_law(PROBLEM, ALGORITHM, oracle=NOISE, runs=3, first_run=4, rounds=6, seed=5, keep_models=True)
    _, matrix, shift, root = gaussian_round(PROBLEM, ALGORITHM, NOISE, fl.Exact())
    state = np.zeros((3, D))
    assert run.models is not None
    for round in range(6):
        normals = streams.normals(streams.key(5, np.arange(4, 7), round, LAW_CLIENT), 0, D)
        state = state @ matrix.T + shift + normals @ root.T
        np.testing.assert_allclose(run.models[:, round + 1], state, atol=1e-13)
    assert "NoiseInLaw" in run.oracle and run.completed
    stepwise = fl.simulate(PROBLEM, ALGORITHM, oracle=NOISE, runs=3, first_run=4, rounds=6, seed=5)
    assert np.abs(stepwise.final - run.final).min() > 1e-6  # other draws


def test_bits_do_not_depend_on_neighbours_threads_or_chunks() -> None:
    settings: dict[str, Any] = dict(oracle=0.3, rounds=9, seed=1)
    whole = fl.simulate_law(PROBLEM, ALGORITHM, runs=9, **settings)
    cut = fl.simulate_law(PROBLEM, ALGORITHM, runs=9, threads=3, chunk=2, **settings)
    np.testing.assert_array_equal(whole.final, cut.final)
    for first in (0, 3, 8):
        alone = fl.simulate_law(PROBLEM, ALGORITHM, runs=1, first_run=first, **settings)
        np.testing.assert_array_equal(alone.final[0], whole.final[first])


def test_a_singular_covariance_has_a_root() -> None:
    thin = RNG.standard_normal((D, 2))
    root = root_of(thin @ thin.T)
    np.testing.assert_allclose(root @ root.T, thin @ thin.T, atol=1e-14)
    run = fl.simulate_law(PROBLEM, fl.FedAvg(1, 0.1), oracle=fl.AdditiveNoise(np.diag([1.0, 0, 0, 0, 0])), rounds=1)
    exact = fl.simulate(PROBLEM, fl.FedAvg(1, 0.1), rounds=1)
    np.testing.assert_allclose(run.final[0, 1:], exact.final[0, 1:], atol=1e-15)
    assert abs(run.final[0, 0] - exact.final[0, 0]) > 1e-6


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"algorithm": fl.FedAvg(2, 0.1, fl.SchemeI(2))}, "random cohort"),
        ({"algorithm": fl.FedAvg(2, fl.Harmonic(1.0, 9.0))}, "changes from round to round"),
        ({"oracle": fl.FiniteSupportNoise([[-1.0] * D, [1.0] * D], [0.5, 0.5])}, "oracle="),
        ({"oracle": "loud"}, "oracle='loud'"),
        ({"backend": "numpy"}, "numba is missing"),
        ({"algorithm": fl.FedOpt(2, 0.1, server=fl.Adam())}, "looks at values"),
    ],
    ids=["cohorts", "schedule", "finite", "text", "numpy", "decide"],
)
def test_rounds_without_such_a_law_are_refused(changes: dict[str, Any], words: str) -> None:
    settings: dict[str, Any] = {"algorithm": ALGORITHM, "oracle": NOISE, **changes}
    with pytest.raises(ValueError, match=words):
        fl.simulate_law(PROBLEM, rounds=2, **settings)
