"""Equation (7) of Mixed FL from sampled cohorts and batches: against the run itself, and its mean by enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms.step_weighted import StepWeighted
from fltheory.problems.oracles import FiniteSupportNoise
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.samples import QuadraticSamples
from fltheory.theory.mixed2022 import metrics

F = Fraction
EQUAL = [F(1, 3)] * 3
UNEQUAL = [F(1, 2), F(1, 3), F(1, 6)]
MODELS = np.array([[F(1), F(-2)], [F(0), F(3, 2)]], dtype=object)


def rationals(values: Any) -> Any:
    source = np.array(values, dtype=object)
    return np.array([F(entry) for entry in source.ravel()], dtype=object).reshape(source.shape)


def samples(shift: int, size: int) -> QuadraticSamples:
    """Sample losses ``w'A_i w/2 - b_i'w`` with diagonal ``A_i``."""
    matrices = rationals([[[1 + i + shift, 0], [0, 2 + i * shift]] for i in range(size)])
    return QuadraticSamples(matrices, rationals([[i - shift, shift * i * i] for i in range(size)]))


def mixed(weights: list[Fraction]) -> fl.MixedProblem:
    clients = QuadraticProblem.from_samples(
        tuple(samples(k, 3) for k in range(3)), weights=np.array(weights, dtype=object)
    )
    return fl.MixedProblem(clients, QuadraticProblem.from_samples((samples(4, 2),)))


def batch_gradients(part: Any, client: int, x: Any, size: int) -> list[Any]:
    """The mean gradients of all batches, each as likely as the others."""
    rows = part.sample_gradients(client, x)
    return [sum(rows[i] for i in batch) / size for batch in combinations(range(len(rows)), size)]


def square(a: Any, b: Any, w: Fraction) -> Any:
    """Gt^2 as printed."""
    return (a * a).sum() / w + (b * b).sum() / (1 - w) - ((a + b) * (a + b)).sum()


@pytest.mark.parametrize("weights", [EQUAL, UNEQUAL], ids=["equal", "unequal"])
@pytest.mark.parametrize("w", [F(1, 2), F(73, 100)])
def test_expectation_without_replacement_is_the_mean_over_all_cohorts_and_batches(
    weights: list[Fraction], w: Fraction
) -> None:
    problem = mixed(weights)
    found = metrics.expected_along_run(
        problem,
        MODELS,
        participation=fl.SchemeII(2),
        oracle=fl.MiniBatch(2),
        centre_oracle=fl.MiniBatch(1),
        federated_weight=w,
    )
    for place, x in enumerate(MODELS):
        squares, means = [], []
        answers = [batch_gradients(problem.clients, k, x, 2) for k in range(3)]
        for i, j in combinations(range(3), 2):
            for left, right in product(answers[i], answers[j]):
                means.append(F(3, 2) * (weights[i] * left + weights[j] * right))
                squares += [square(means[-1], b, w) for b in batch_gradients(problem.centre, 0, x, 1)]
        assert found.mean[place] == sum(squares) / len(squares)
        centre = sum(means) / len(means)
        assert found.federated_variance[place] == sum(((m - centre) ** 2).sum() for m in means) / len(means)
        assert found.federated_variance[place] > 0 < found.central_variance[place]
    assert (found.of_means == metrics.along_run(problem, MODELS, federated_weight=w).G2).all()


def test_expectation_of_equal_clients_without_replacement_in_closed_form() -> None:
    """``(N-S)/(S(N-1))`` times the spread of the clients, and one ``S``-th of the mean variance of a batch."""
    problem, n = mixed(EQUAL), 3
    for size in (1, 2, 3):
        found = metrics.expected_along_run(problem, MODELS, participation=fl.SchemeII(size), oracle=fl.MiniBatch(1))
        for place, x in enumerate(MODELS):
            gradients = [problem.clients.matrices[k] @ x - problem.clients.vectors[k] for k in range(n)]
            mean = sum(gradients) / n
            between = sum(((g - mean) ** 2).sum() for g in gradients) / n
            within = sum(
                ((row - g) ** 2).sum()
                for k, g in enumerate(gradients)
                for row in problem.clients.sample_gradients(k, x)
            ) / (3 * n)
            assert found.federated_variance[place] == F(n - size, size * (n - 1)) * between + within / size


SCHEMES = [fl.SchemeI(2), fl.SchemeI(2, "separate runs"), fl.NormalisedUniform(2), fl.TransformedSchemeII(2)]


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_expectation_of_other_schemes_by_enumeration(scheme: Any) -> None:
    problem, x, w = mixed(UNEQUAL), MODELS[0], F(1, 4)
    noise = FiniteSupportNoise(
        rationals([[[1, 0], [-1, 0]], [[0, 2], [0, -2]], [[1, 1], [-1, -1]]]), rationals([F(1, 2)] * 2)
    )
    found = metrics.expected_along_run(problem, x, participation=scheme, oracle=noise, federated_weight=w)
    exact = [problem.clients.matrices[k] @ x - problem.clients.vectors[k] for k in range(3)]
    factors = [3 * p for p in UNEQUAL] if isinstance(scheme, fl.TransformedSchemeII) else [1] * 3
    mean = F(0)
    for outcome in scheme.outcomes(UNEQUAL):
        once = not scheme.separate_runs
        keys = [(k, 0 if once else slot) for slot, k in enumerate(outcome.clients)]
        drawn = list(dict.fromkeys(keys))
        for values in product(range(2), repeat=len(drawn)):
            pick = dict(zip(drawn, values, strict=True))
            a = sum(
                c * factors[key[0]] * (exact[key[0]] + noise.support[key[0], pick[key]])
                for c, key in zip(outcome.coefficients, keys, strict=True)
            )
            mean += outcome.probability / 2 ** len(drawn) * square(a, problem.centre.gradient(x), w)
    assert found.mean == mean
    assert found.central_variance == 0


RUN: dict[str, Any] = dict(oracle=fl.MiniBatch(2), centre_oracle=fl.MiniBatch(1), seed=7)
SCHEME = fl.SchemeII(2)


def test_the_draws_are_those_of_the_run() -> None:
    """With one step on both sides and equal rates the round moves by ``-eta (a + b)``, and ``Gt^2/(Bt^2-1) = |a + b|^2``."""
    problem, eta = mixed(EQUAL), 0.05
    run = fl.simulate(
        problem,
        fl.ParallelTraining(1, eta, eta, participation=SCHEME),
        rounds=8,
        runs=5,
        first_run=2,
        keep_models=True,
        start=np.array([1.0, -2.0]),
        **RUN,
    )
    models = run.models
    assert models is not None
    found = metrics.along_cohorts(problem, models[:, :-1], participation=SCHEME, first_run=2, **RUN)
    moved = ((models[:, 1:] - models[:, :-1]) ** 2).sum(axis=-1) / eta**2
    np.testing.assert_allclose(found.G2 / (found.B2 - 1), moved, rtol=1e-9)
    some = metrics.along_cohorts(problem, models[:, [3, 6]], participation=SCHEME, first_run=2, rounds=[3, 6], **RUN)
    assert np.array_equal(some.G2, found.G2[:, [3, 6]]) and np.array_equal(some.B2, found.B2[:, [3, 6]])


def test_bits_do_not_depend_on_chunks() -> None:
    problem = mixed(UNEQUAL)
    points = np.random.default_rng(np.random.SeedSequence(0)).normal(size=(7, 4, 2))
    whole = metrics.along_cohorts(problem, points, participation=SCHEME, **RUN)
    assert whole.G2.shape == whole.B2.shape == (7, 4)
    for chunk in (1, 3):
        parts = metrics.along_cohorts(problem, points, participation=SCHEME, chunk=chunk, **RUN)
        assert np.array_equal(whole.G2, parts.G2) and np.array_equal(whole.B2, parts.B2)
    alone = metrics.along_cohorts(problem, points[4], participation=SCHEME, first_run=4, **RUN)
    assert np.array_equal(alone.G2, whole.G2[4])
    other = metrics.along_cohorts(problem, points, participation=SCHEME, **{**RUN, "seed": 8})
    assert not np.array_equal(whole.G2, other.G2)


def test_sampled_mean_is_the_expected_one() -> None:
    problem, x = mixed(EQUAL), MODELS.astype(float)
    found = metrics.along_cohorts(problem, x, participation=SCHEME, runs=4000, **RUN).G2
    wanted = metrics.expected_along_run(
        problem, MODELS, participation=SCHEME, oracle=RUN["oracle"], centre_oracle=RUN["centre_oracle"]
    )
    assert found.shape == (4000, 2)
    assert (abs(found.mean(axis=0) - wanted.mean.astype(float)) < 5 * found.std(axis=0) / np.sqrt(4000)).all()
    assert (wanted.bias.astype(float) > 20 * found.std(axis=0) / np.sqrt(4000)).all()


def test_everybody_without_noise_is_the_exact_metric() -> None:
    problem, x = mixed(UNEQUAL), MODELS.astype(float)
    exact = metrics.along_run(problem, MODELS)
    for scheme in (fl.Full(), fl.SchemeII(3), StepWeighted(fl.SchemeII(3), (1, 2, 3))):
        found = metrics.along_cohorts(problem, x, participation=scheme)
        np.testing.assert_allclose(found.G2, exact.G2.astype(float), rtol=1e-12)
        wanted = metrics.expected_along_run(problem, MODELS, participation=scheme)
        assert (wanted.mean == exact.G2).all() and (wanted.bias == 0).all()


def test_float_expectation_is_the_exact_one() -> None:
    problem = mixed(UNEQUAL)
    floats = fl.MixedProblem(problem.clients.to_float(), problem.centre.to_float())
    options: Any = dict(participation=SCHEME, oracle=fl.MiniBatch(2), centre_oracle=fl.AdditiveNoise(np.array(0.25)))
    exact, found = (
        metrics.expected_along_run(p, x, **options) for p, x in ((problem, MODELS), (floats, MODELS.astype(float)))
    )
    np.testing.assert_allclose(found.mean, exact.mean.astype(float), rtol=1e-12)
    assert (exact.central_variance == F(1, 2)).all()


def test_refused() -> None:
    problem, x = mixed(EQUAL), MODELS.astype(float)
    for function in (metrics.along_run, metrics.along_cohorts, metrics.expected_along_run):
        with pytest.raises(ValueError, match="problem=QuadraticProblem has no central loss"):
            function(problem.clients, x)
        with pytest.raises(ValueError, match="models"):
            function(problem, x[:, :1])
    with pytest.raises(ValueError, match="models"):
        metrics.along_cohorts(problem, np.zeros((3, 4, 2)), runs=2)
    with pytest.raises(ValueError, match="models"):
        metrics.along_cohorts(problem, x, rounds=[1, 2, 3])
    for function in (metrics.along_cohorts, metrics.expected_along_run):
        with pytest.raises(ValueError, match="absent"):
            function(problem, x, participation=fl.Original(2))
        with pytest.raises(ValueError, match="size=5"):
            function(problem, x, oracle=fl.MiniBatch(5))
        with pytest.raises(ValueError, match="K=4"):
            function(problem, x, participation=fl.SchemeII(4))
        with pytest.raises(ValueError, match="w_f=0"):
            function(problem, x, federated_weight=0)
