"""Stationary laws against long exact moments, by hand, and where there is none."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.mixed import MixedProblem
from fltheory.readings import fixed_point, moments, stationary

SCHEMES = [
    fl.Full(),
    fl.SchemeI(2),
    fl.SchemeI(2, "separate runs"),
    fl.SchemeII(1),
    fl.SchemeII(2),
    fl.TransformedSchemeII(2),
    fl.Original(1),
    fl.Original(2),
    fl.NormalisedUniform(2),
]
TENTH = Fraction(1, 10)


def random_case(seed: int) -> tuple[Any, Any, dict[str, Any]]:
    """A problem, an algorithm and oracles: all schemes, and additive noise, mini-batches, none, in turn."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    samples = []
    for size in rng.integers(2, 5, n):
        factors = rng.normal(size=(size, d, d))
        matrices = factors @ factors.swapaxes(1, 2) / d + np.eye(d) / 2
        samples.append(fl.QuadraticSamples(matrices, rng.normal(size=(size, d))))
    scheme = SCHEMES[seed % len(SCHEMES)]
    uneven = not isinstance(scheme, (fl.SchemeII, fl.TransformedSchemeII)) and seed % 2
    weights = rng.dirichlet(np.full(n, 5.0)) if uneven else np.full(n, 1 / n)
    problem = fl.QuadraticProblem.from_samples(samples, weights=weights)
    step_size = 0.25 / float(np.linalg.eigvalsh(np.concatenate([s.matrices() for s in samples])).max())
    steps = int(rng.integers(1, 4))
    oracles = (None, fl.AdditiveNoise(0.3), fl.MiniBatch(1), fl.MiniBatch(2, replacement=True))
    noise = {"oracle": oracles[3 if isinstance(scheme, fl.Full) and seed % 4 == 0 else seed % 4]}  # something is random
    kind = seed % 5
    if kind == 0 and not scheme.separate_runs:
        return problem, fl.Scaffold(steps, step_size, 1, scheme), noise
    if kind == 1:
        return problem, fl.TwoSidedFedAvg(steps, step_size, 0.8, scheme), noise
    if kind == 2:
        mixed = MixedProblem(problem, fl.QuadraticProblem(np.eye(d)[None], rng.normal(size=(1, d))))
        made = fl.OneWayGradientTransfer if seed % 2 else fl.TwoWayGradientTransfer
        rates = (step_size / 2,) if seed % 2 else (step_size / 2, step_size / 2)
        return mixed, made(steps, *rates, participation=scheme), noise | {"centre_oracle": fl.AdditiveNoise(0.2)}
    return problem, fl.FedAvg(steps, step_size, scheme), noise


@pytest.mark.parametrize("seed", range(30))
def test_the_law_is_where_exact_moments_end(seed: int) -> None:
    problem, algorithm, noise = random_case(seed)
    law = stationary(problem, algorithm, **noise)
    assert law.exists and law.status == "stationary" and law.mean is not None and law.covariance is not None
    slowest = max(fl.round_map(problem, algorithm).contraction(), law.factor)
    rounds = int(np.ceil(np.log(1e-13) / np.log(slowest)))
    assert rounds < 20_000
    run = moments(problem, algorithm, rounds=rounds, every=rounds, **noise)
    assert law.gap == pytest.approx(run.gap[-1], rel=1e-10)
    assert law.squared_distance == pytest.approx(run.squared_distance[-1], rel=1e-10)
    assert law.variance == pytest.approx(run.variance[-1], rel=1e-10, abs=1e-13 * law.squared_distance)
    np.testing.assert_allclose(law.mean, run.mean[-1], rtol=1e-10, atol=1e-12)
    size = float(np.abs(run.deviations[-1]).max())
    np.testing.assert_allclose(law.covariance, run.covariance[-1], rtol=1e-10, atol=1e-11 * size)
    apart = float(np.linalg.norm(law.covariance - run.covariance[-1], 2))
    assert apart <= law.error + 1e-11 * size and law.error < 1e-7 * size


@pytest.mark.parametrize(
    "algorithm",
    [
        *(fl.FedAvg(2, TENTH, scheme) for scheme in (fl.Full(), fl.SchemeI(2), fl.SchemeII(2), fl.Original(1))),
        fl.Scaffold(2, TENTH, 1, fl.SchemeII(1)),
    ],
    ids=lambda a: f"{type(a).__name__}-{a.participation!r}",
)
def test_rationals_and_floats(three_clients: Any, sampled: Any, noise: Any, algorithm: Any) -> None:
    clients = fl.QuadraticProblem(three_clients.matrices[:2], three_clients.vectors[:2])
    cases = [(clients, noise), (sampled, fl.MiniBatch(1))]
    for problem, oracle in cases if isinstance(algorithm, fl.FedAvg) else cases[:1]:
        exact = stationary(problem, algorithm, oracle=oracle, exact=True)
        floats = stationary(problem, algorithm, oracle=oracle)
        assert exact.covariance is not None and floats.covariance is not None and exact.error == 0
        assert all(type(entry) is Fraction for entry in (*exact.covariance.flat, *exact.mean, exact.gap))  # type: ignore[misc]
        np.testing.assert_allclose(floats.covariance, exact.covariance.astype(float), rtol=1e-11, atol=1e-14)
        assert floats.gap == pytest.approx(float(exact.gap), rel=1e-11)


def test_an_exact_law_is_left_where_it_is(sampled: Any) -> None:
    """One exact round from the law's mean and covariance: a state of the model alone, two starts mixed."""
    algorithm = fl.FedAvg(2, TENTH, fl.SchemeII(1))
    law = stationary(sampled, algorithm, oracle=fl.MiniBatch(1), exact=True)
    assert law.mean is not None and law.covariance is not None
    (a, b), (_, c) = law.covariance
    spread = [np.array([a, b]), np.array([Fraction(0), Fraction(1)])]  # Cov = s1 s1'/a + (c - b^2/a) s2 s2'
    after = [
        moments(sampled, algorithm, rounds=1, oracle=fl.MiniBatch(1), start=law.mean + sign * part, exact=True).second[
            -1
        ]
        for part in (spread[0], spread[1], np.array([Fraction(0), Fraction(0)]))
        for sign in (1, -1)
    ]
    centre = after[4]
    first, second = ((after[i] + after[i + 1]) / 2 - centre for i in (0, 2))
    found = centre + first / a + second * (c - b * b / a)
    assert (found - law.mean[:, None] * law.mean[None, :] == law.covariance).all()


def test_by_hand() -> None:
    """w+ = (1 - eta) w - eta xi: variance eta v/(2 - eta); and with a fair factor 1 +- 1/2: eta^2 v/(1 - E A^2)."""
    problem = fl.QuadraticProblem(np.array([[[1.0]]]), np.array([[0.0]]))
    law = stationary(problem, fl.FedAvg(1, TENTH), oracle=fl.AdditiveNoise(Fraction(3)), exact=True)
    assert law.variance == Fraction(3, 19) and law.gap == Fraction(3, 38)
    samples = [fl.QuadraticSamples(np.array([[[0.5]], [[1.5]]]), np.array([[1.0], [1.0]]))]
    batches = stationary(
        fl.QuadraticProblem.from_samples(samples), fl.FedAvg(1, Fraction(1, 2)), oracle=fl.MiniBatch(1), exact=True
    )
    # A = 3/4 or 1/4, b = 1/2: mean 1, E A^2 = 5/16, deviation (A - 1) + 1/2 = +-1/4
    assert (
        batches.mean is not None
        and batches.mean[0] == 1
        and batches.variance == Fraction(1, 16) / (1 - Fraction(5, 16))
    )


def test_quantities_that_are_conserved_keep_their_start() -> None:
    matrices = np.array([[[1.0, 0.0], [0.0, 0.0]], [[2.0, 0.0], [0.0, 0.0]]])
    problem = fl.QuadraticProblem(matrices, np.array([[1.0, 0.0], [4.0, 0.0]]))
    algorithm = fl.FedAvg(2, 0.25, fl.SchemeI(1))
    flat = fl.AdditiveNoise(np.diag([1.0, 0.0]))
    for exact in (False, True):
        law = stationary(problem, algorithm, oracle=flat, start=[0, 7], exact=exact)
        run = moments(problem, algorithm, oracle=flat, start=[0, 7], rounds=200, every=200)
        assert law.mean is not None and float(law.mean[1]) == pytest.approx(7, rel=1e-14)
        assert float(law.variance) == pytest.approx(run.variance[-1], rel=1e-12)
        walk = stationary(problem, algorithm, oracle=fl.AdditiveNoise(1.0), exact=exact)
        assert not walk and walk.status == "random walk" and walk.factor == 1 and walk.gap == np.inf
        assert "variance grows without end" in repr(walk)
        tilted = fl.QuadraticProblem(matrices, np.array([[1.0, 1.0], [4.0, -1.0]]))
        end = stationary(tilted, fl.FedAvg(2, 0.25, fl.SchemeI(1)), exact=exact)
        assert not end and end.mean is None
    growing = moments(problem, algorithm, oracle=fl.AdditiveNoise(1.0), rounds=400).variance
    assert growing[-1] - growing[-2] == pytest.approx(growing[-2] - growing[-3]) and growing[-1] - growing[-2] > 0.1


@pytest.mark.parametrize("exact", [False, True])
def test_there_is_none_beyond_the_limit(three_clients: Any, exact: bool) -> None:
    """The same code on either side of the mean-square limit, where the mean contracts on both."""
    make: Any = lambda eta: fl.FedAvg(2, eta, fl.Original(1))  # noqa: E731
    limit = fl.stability_limit(three_clients, make, 1.5)
    assert limit.mean is not None and limit.mean_square is not None and limit.mean_square < 0.999 * limit.mean
    inside = stationary(three_clients, make(Fraction(limit.mean_square * 0.999).limit_denominator(10**6)), exact=exact)
    outside = stationary(
        three_clients, make(Fraction(limit.mean_square * 1.0005).limit_denominator(10**6)), exact=exact
    )
    assert inside and np.isfinite(float(inside.gap)) and inside.factor < 1
    assert not outside and outside.gap == outside.squared_distance == np.inf and outside.factor > 1
    with pytest.warns(fl.MeanSquareWarning):
        fixed_point(three_clients, make(limit.mean_square * 1.0005), exact=exact)


def test_the_border_is_decided_in_rationals_and_refused_in_floats() -> None:
    """w+ = (1 - eta) w - eta xi with eta = 2 +- 1e-17: floats cannot tell, rationals can."""
    problem, noise = fl.QuadraticProblem(np.array([[[1.0]]]), np.array([[0.0]])), fl.AdditiveNoise(Fraction(1))
    small = Fraction(1, 10**17)
    inside = stationary(problem, fl.FedAvg(1, 2 - small), oracle=noise, exact=True)
    assert inside and inside.variance == (2 - small) / small
    assert not stationary(problem, fl.FedAvg(1, Fraction(2)), oracle=noise, exact=True)
    with pytest.raises(ValueError, match="floats cannot tell whether a stationary law exists; exact=True decides"):
        stationary(problem, fl.FedAvg(1, 2 - small), oracle=noise)


def test_what_is_refused(three_clients: Any) -> None:
    with pytest.raises(ValueError, match="changes from round to round: a stationary law has a meaning"):
        stationary(three_clients, fl.FedAvg(2, fl.Harmonic(1, 5)))
    with pytest.raises(ValueError, match="per-sample data"):
        stationary(three_clients, fl.FedAvg(2, 0.1), oracle=fl.MiniBatch(1))
    with pytest.raises(ValueError, match="exact second moments; expected at most 300"):
        stationary(fl.li_counterexample(3, 8, 0.1), fl.FedAvg(1, 0.1), exact=True)


@pytest.mark.parametrize("option", ["I", "II"])
@pytest.mark.parametrize("steps", [1, 2])
def test_defective_zeros_of_a_sure_round_do_not_hide_the_law(option: str, steps: int) -> None:
    """SCAFFOLD's control variates forget in one round or two: eigenvalue zero without a full set of eigenvectors."""
    problem = fl.QuadraticProblem([[[1.0]], [[3.0]]], [[1.0], [-2.0]], weights=[0.3, 0.7])
    algorithm = fl.Scaffold(steps, 0.1, 0.9, option=option)
    rounds = fl.round_map(problem, algorithm)
    found = rounds.mean_square
    assert found.upper < rounds.contraction() ** 2 * (1 + 1e-6)
    assert found.lower <= rounds.contraction() ** 2 <= found.upper
    law = stationary(problem, algorithm, oracle=fl.AdditiveNoise(0.5))
    exact = stationary(problem, algorithm, oracle=fl.AdditiveNoise(0.5), exact=True)
    assert law.exists and law.gap == pytest.approx(float(exact.gap), rel=1e-12)


@pytest.mark.parametrize("scheme", [fl.SchemeII(2), fl.NormalisedUniform(2), fl.Full()])
def test_the_error_counts_what_cancels(scheme: Any) -> None:
    """Where the cohort is everyone nothing is random; the floats leave some rounding of it, within the error."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        problem = fl.QuadraticProblem(
            rng.uniform(0.2, 3, (2, 1, 1)), rng.normal(size=(2, 1)), weights=rng.dirichlet([2, 2])
        )
        algorithm = fl.FedAvg(2, 0.2, scheme)
        law, exact = stationary(problem, algorithm), stationary(problem, algorithm, exact=True)
        assert law.covariance is not None and exact.covariance is not None
        assert np.linalg.norm(law.covariance - exact.covariance.astype(float)) <= law.error < 1e-10


@pytest.mark.parametrize("step_size", [1e-17, 1e-20, 1e-320])
def test_steps_that_floats_do_not_resolve_have_no_end_by_floats(step_size: float) -> None:
    """The matrix of the rounds is the identity in floats: the start is neither where they end nor a stationary law."""
    problem = fl.QuadraticProblem(np.ones((2, 1, 1)), np.array([[1.0], [2.0]]))
    for verb in (fl.fixed_point, fl.stationary):
        with pytest.raises(ValueError, match="less than floats resolve"):
            verb(problem, fl.FedAvg(1, step_size))
    assert fl.fixed_point(problem, fl.FedAvg(1, step_size), exact=True).tolist() == [Fraction(3, 2)]


def test_a_factor_below_one_is_not_printed_as_one() -> None:
    problem = fl.QuadraticProblem(np.ones((2, 1, 1)), np.array([[1.0], [2.0]]))
    assert "mean-square factor 0.9999999998 per round" in repr(fl.stationary(problem, fl.FedAvg(1, 1e-10)))
