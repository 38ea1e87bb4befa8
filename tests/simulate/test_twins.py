"""Kernels against plain NumPy, and the same bits however the runs are cut and shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from fltheory.algorithms import (
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
from fltheory.algorithms.vocabulary import local_sgd
from fltheory.problems import (
    AdditiveNoise,
    Exact,
    LogisticProblem,
    MiniBatch,
    Regulariser,
    SoftmaxProblem,
    li_counterexample,
    li_tridiagonal,
    ridge_regression,
)
from fltheory.simulate import simulate


@dataclass(frozen=True)
class FedProx:
    """Local steps on ``F_k + (rho/2)|x - w|^2``: an algorithm that the package does not know."""

    local_steps: int
    step_size: float
    rho: float
    participation: Any = Full()

    def start(self, fed, w):
        return w

    def round(self, fed, w):
        begin = x = fed.send(w)
        for _ in range(self.local_steps):
            x = x - self.step_size * (fed.gradient(x) + self.rho * (x - begin))
        return fed.average(x, absent=w)


@dataclass(frozen=True)
class Drifting:
    """A shift that stays for a round, through the one word that kernels override."""

    def start(self, fed, w):
        return w

    def round(self, fed, w):
        begin = fed.send(w)
        return fed.average(local_sgd(fed, begin, 6, lambda step: 0.05 / (1 + step), shift=0.1 * begin))


RNG = np.random.default_rng(8)
SIZES = (9, 14, 25, 33)
FEATURES = tuple(RNG.normal(size=(n, 4)) for n in SIZES)
WEAK = Regulariser(0.01, "lambda/2|w|^2")
PROBLEMS = {
    "quadratic": (li_counterexample(4, 2, 0.05), Exact()),
    "noisy quadratic": (li_counterexample(4, 2, 0.05), AdditiveNoise(0.2)),
    "tridiagonal": (li_tridiagonal(4, 2, 0.05), Exact()),
    "ridge": (ridge_regression(FEATURES, [RNG.normal(size=n) for n in SIZES], WEAK), MiniBatch(5)),
    "logistic": (
        LogisticProblem(FEATURES, tuple(2 * RNG.integers(0, 2, size=n) - 1 for n in SIZES), WEAK),
        MiniBatch(3),
    ),
    "logistic on all rows": (
        LogisticProblem(FEATURES, tuple(2 * RNG.integers(0, 2, size=n) - 1 for n in SIZES), WEAK),
        Exact(),
    ),
    "softmax": (SoftmaxProblem(FEATURES, tuple(RNG.integers(0, 3, size=n) for n in SIZES), WEAK), MiniBatch(4)),
}
ALGORITHMS = [
    FedAvg(7, 0.05),
    FedAvg(3, Harmonic(1.0, 12.0), SchemeI(2, "separate runs")),
    FedAvg(3, 0.05, Original(2)),
    FedAvg(2, 0.1, NormalisedUniform(3)),
    TwoSidedFedAvg(4, 0.05, 1.5, TransformedSchemeII(2)),
    Scaffold(5, 0.05, participation=SchemeII(2)),
    ParallelRestartedSGD(4, 0.05),
    FedProx(3, 0.05, 0.5, SchemeI(3)),
    Drifting(),
]


def bits(run):
    return [run.models.tobytes(), run.objective.tobytes(), run.gap.tobytes(), run.squared_distance.tobytes()]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: f"{type(a).__name__}-{getattr(a, 'participation', '')}")
@pytest.mark.parametrize("name", PROBLEMS)
def test_kernels_agree_with_numpy(name, algorithm):
    problem, oracle = PROBLEMS[name]
    options = {
        "rounds": 8,
        "runs": 3,
        "seed": 5,
        "oracle": oracle,
        "keep_models": True,
        "start": np.full(problem.dimension, 0.3),
    }
    fast = simulate(problem, algorithm, backend="numba", **options)
    plain = simulate(problem, algorithm, backend="numpy", **options)
    assert fast.completed and plain.completed
    assert np.abs(fast.models - plain.models).max() <= 1e-12 * np.abs(plain.models).max()
    for quantity in ("objective", "gap", "squared_distance"):
        scale = np.abs(plain.values(quantity)).max()
        assert np.abs(fast.values(quantity) - plain.values(quantity)).max() <= 1e-12 * scale


@pytest.mark.parametrize("backend", ["numba", "numpy"])
@pytest.mark.parametrize("algorithm", [ALGORITHMS[1], ALGORITHMS[5], ALGORITHMS[7]], ids=lambda a: type(a).__name__)
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_same_bits_for_any_threads_chunks_and_batch(name, algorithm, backend):
    problem, oracle = PROBLEMS[name]
    options = {"rounds": 4, "seed": 2, "oracle": oracle, "keep_models": True, "backend": backend}
    whole = simulate(problem, algorithm, runs=7, threads=1, chunk=7, **options)
    for threads, chunk in ((1, 2), (2, 3), (3, 1)):
        assert bits(simulate(problem, algorithm, runs=7, threads=threads, chunk=chunk, **options)) == bits(whole)
    alone = simulate(problem, algorithm, runs=1, first_run=4, **options)
    assert alone.run_ids.tolist() == [4]
    assert (alone.models[0] == whole.models[4]).all() and (alone.gap[0] == whole.gap[4]).all()


def test_runs_differ_and_seeds_differ():
    problem, oracle = PROBLEMS["softmax"]
    one = simulate(problem, ALGORITHMS[0], rounds=2, runs=2, oracle=oracle)
    other = simulate(problem, ALGORITHMS[0], rounds=2, runs=2, oracle=oracle, seed=1)
    finals = {row.tobytes() for row in (*one.final, *other.final)}
    assert len(finals) == 4


def test_two_algorithms_see_the_same_cohorts_and_batches():
    problem, oracle = PROBLEMS["ridge"]
    scheme = SchemeII(2)
    one = simulate(problem, FedAvg(3, 0.05, scheme), rounds=6, runs=2, oracle=oracle, keep_models=True)
    two = simulate(problem, TwoSidedFedAvg(3, 0.05, 1, scheme), rounds=1, runs=2, oracle=oracle, keep_models=True)
    prox = simulate(problem, FedProx(3, 0.05, 0.0, scheme), rounds=6, runs=2, oracle=oracle, keep_models=True)
    np.testing.assert_allclose(prox.models, one.models, rtol=1e-12, atol=1e-15)
    # From zero, averaging models and averaging updates are the same; afterwards, under this scheme, they are not.
    np.testing.assert_allclose(two.models, one.models[:, :2], rtol=1e-12, atol=1e-15)
