"""Whole runs with ``backend="cupy"`` against plain NumPy: on the device that is none, and on a real one where there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from gpu_on_host import RawModule

from fltheory.algorithms import (
    Adam,
    FedAvg,
    FedLAMA,
    FedOpt,
    FedProx,
    FedProxExact,
    Harmonic,
    HeavyBall,
    NormalisedUniform,
    OneWayGradientTransfer,
    Original,
    ParallelTraining,
    Scaffold,
    SchemeI,
    SchemeII,
    TransformedSchemeII,
    TwoWayGradientTransfer,
)
from fltheory.gpu import plans
from fltheory.gpu.device import find_device
from fltheory.problems import (
    AdditiveNoise,
    FiniteSupportNoise,
    LogisticProblem,
    MiniBatch,
    MixedProblem,
    QuadraticProblem,
    Regulariser,
    Scaled,
    SoftmaxProblem,
    li_counterexample,
    li_tridiagonal,
    ridge_regression,
)
from fltheory.simulate import device as on_device
from fltheory.simulate import simulate

RNG = np.random.default_rng(8)
SIZES = (9, 14, 25, 33)
FEATURES = tuple(RNG.normal(size=(n, 4)) for n in SIZES)
WEAK = Regulariser(0.1, "lambda/2|w|^2")
QUADRATIC = li_counterexample(4, 2, 0.05)
BANDED = li_tridiagonal(4, 2, 0.05)
SOFTMAX = SoftmaxProblem(FEATURES, tuple(RNG.integers(0, 3, size=n) for n in SIZES), WEAK)
LOGISTIC = LogisticProblem(FEATURES, tuple(2 * RNG.integers(0, 2, size=n) - 1 for n in SIZES), WEAK)
RIDGE = ridge_regression(FEATURES, [RNG.normal(size=n) for n in SIZES], WEAK)
CENTRE = SoftmaxProblem(FEATURES[3:], (RNG.integers(0, 3, size=33),), 0)
MIXED = MixedProblem(Scaled(SOFTMAX, 0.7), Scaled(CENTRE, 0.3))
BOWL = QuadraticProblem(np.eye(QUADRATIC.dimension)[None], np.ones((1, QUADRATIC.dimension)))


@dataclass(frozen=True)
class Words:
    """An algorithm that the package does not know, with the words that the others leave out."""

    participation: Any = SchemeII(3)

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        batch, x = fed.batch(), fed.send(w)
        step = fed.gradient(x, batch) - 0.5 * fed.gradient(0.5 * x, batch)
        step = fed.compress(step, 1.5) * fed.per_client(range(1, 1 + fed.n_clients))
        x = fed.layers(fed.blocks.names[:1], x - 0.02 * step)
        return fed.scale(np.linspace(0.9, 1.1, len(fed.blocks.block_of)), fed.average(-x / -1, absent=w))


FEW = FiniteSupportNoise(np.outer([-2.0, 0.5, 1.5], np.arange(1, 1 + QUADRATIC.dimension)), np.full(3, 1 / 3))
BATCH, NOISE = {"oracle": MiniBatch(5)}, {"oracle": AdditiveNoise(0.2)}
CASES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "softmax": (SOFTMAX, FedAvg(3, 0.1, SchemeII(2)), BATCH),
    "softmax with replacement, twice a client": (
        SOFTMAX,
        FedAvg(3, Harmonic(1.0, 12.0), SchemeI(3, "separate runs")),
        {"oracle": MiniBatch(40, replacement=True)},
    ),
    "softmax on all rows": (SOFTMAX, FedAvg(3, 0.1, TransformedSchemeII(2)), {}),
    "logistic": (LOGISTIC, FedAvg(3, 0.1, Original(2)), BATCH),
    "logistic on all rows": (LOGISTIC, FedProx(2, 0.1, 0.5), {}),
    "ridge": (RIDGE, FedAvg(3, 0.05, NormalisedUniform(2)), BATCH),
    "quadratic": (QUADRATIC, FedAvg(7, 0.05), {}),
    "quadratic, sampled": (QUADRATIC, FedAvg(7, 0.05, SchemeII(2)), {}),
    "quadratic, other steps": (QUADRATIC, FedAvg(7, Harmonic(1.0, 12.0)), {}),
    "noisy quadratic": (QUADRATIC, FedAvg(7, 0.05, SchemeI(3)), NOISE),
    "noise of each client": (
        QUADRATIC,
        FedAvg(3, 0.05),
        {"oracle": AdditiveNoise(np.eye(QUADRATIC.dimension) * np.arange(1, 5)[:, None, None])},
    ),
    "noise of few values": (QUADRATIC, FedAvg(3, 0.05, SchemeII(2)), {"oracle": FEW}),
    "tridiagonal": (BANDED, FedAvg(7, 0.05, SchemeII(3)), {}),
    "SCAFFOLD of a band": (BANDED, Scaffold(7, 0.05), {}),
    "factor": (Scaled(LOGISTIC, 1.7), FedAvg(2, 0.1), BATCH),
    "SCAFFOLD": (SOFTMAX, Scaffold(3, 0.1, participation=SchemeII(2)), BATCH),
    "SCAFFOLD of quadratics": (QUADRATIC, Scaffold(3, 0.1), {}),
    "SCAFFOLD I": (RIDGE, Scaffold(3, 0.05, participation=SchemeII(2), option="I"), BATCH),
    "server momentum": (SOFTMAX, FedOpt(2, 0.1, 0.5, SchemeII(2), HeavyBall(0.9)), BATCH),
    "Adam": (SOFTMAX, FedOpt(2, 0.1, 0.1, SchemeII(2), Adam()), BATCH),
    "parallel training": (
        MIXED,
        ParallelTraining(3, 0.1, 0.1, participation=SchemeII(2)),
        {**BATCH, "centre_oracle": MiniBatch(7)},
    ),
    "one-way transfer": (MIXED, OneWayGradientTransfer(3, 0.1), {**BATCH, "centre_oracle": MiniBatch(7)}),
    "two-way transfer": (
        MixedProblem(QUADRATIC, BOWL),
        TwoWayGradientTransfer(3, 0.1, 0.1, participation=SchemeII(2)),
        {**NOISE, "centre_oracle": AdditiveNoise(0.1)},
    ),
    "layers that adapt": (SOFTMAX, FedLAMA(2, 2, 0.1), BATCH),
    "proximal steps": (QUADRATIC, FedProxExact(2, 0.5, SchemeII(2)), {}),
    "other words": (SOFTMAX, Words(), BATCH),
    "no reference": (SOFTMAX, FedAvg(3, 0.1), {**BATCH, "reference": False}),
    "an objective": (SOFTMAX, FedAvg(3, 0.1), {**BATCH, "reference": False, "objective": lambda w: float(w[0])}),
}


@pytest.mark.parametrize("name", CASES)
def test_runs_agree_with_numpy(name: str, device: Any) -> None:
    problem, algorithm, given = CASES[name]
    start = np.linspace(-0.3, 0.3, 3 * problem.dimension).reshape(3, -1)
    options = {"rounds": 6, "runs": 3, "seed": 5, "first_run": 2, "keep_models": True, "start": start, **given}
    there = simulate(problem, algorithm, backend="cupy", **options)
    here = simulate(problem, algorithm, backend="numpy", **options)
    assert there.settings["backend"] == "cupy" and there.settings["device"] == device.name
    assert there.completed and here.completed and there.models is not None and here.models is not None
    assert np.abs(there.models - here.models).max() <= 1e-10 * np.abs(here.models).max()
    for quantity in ("objective",) if here.gap is None else ("objective", "gap", "squared_distance"):
        scale = np.abs(here.values(quantity)).max()
        assert np.abs(there.values(quantity) - here.values(quantity)).max() <= 1e-10 * scale
    # The control: another seed is another run, wherever there is something to draw.
    if given.get("oracle") is not None or "sampled" in name:
        other = simulate(problem, algorithm, backend="numpy", **{**options, "seed": 6})
        assert other.models is not None
        assert np.abs(there.models - other.models).max() > 1e-6 * np.abs(here.models).max()


@pytest.mark.parametrize("name", ["softmax", "logistic", "noisy quadratic", "SCAFFOLD"])
def test_neither_chunks_nor_the_place_of_scratch_change_a_bit(
    name: str, device: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, algorithm, given = CASES[name]
    options = {"rounds": 4, "seed": 2, "keep_models": True, "backend": "cupy", **given}
    whole = simulate(problem, algorithm, runs=5, **options)
    assert (
        simulate(problem, algorithm, runs=5, chunk=2, threads=2, **options).models.tobytes() == whole.models.tobytes()
    )
    monkeypatch.setattr(plans, "SHARED_BYTES", 0)
    assert simulate(problem, algorithm, runs=5, **options).models.tobytes() == whole.models.tobytes()


def test_a_round_is_a_few_launches(pretended: Any) -> None:
    """Local steps are one launch whatever their number, an average and the watch over divergence one each."""
    for rounds in (2, 5):
        RawModule.launches.clear()
        simulate(SOFTMAX, FedAvg(20, 0.1), rounds=rounds, runs=3, backend="cupy", record_every=rounds, **BATCH)
        assert RawModule.launches.count("softmax_steps") == rounds
        assert len(RawModule.launches) == 3 * rounds + 2
    RawModule.launches.clear()
    simulate(QUADRATIC, FedAvg(20, 0.1), rounds=5, runs=3, backend="cupy")
    assert (
        RawModule.launches.count("weighted_sum") == 5 and "quadratic_steps" not in RawModule.launches
    )  # a matrix product


def test_no_vector_goes_back_to_the_host_within_a_run(pretended: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[int] = []
    asnumpy = pretended.asnumpy
    monkeypatch.setattr(pretended, "asnumpy", lambda values: fetched.append(values.size) or asnumpy(values))
    algorithm = Scaffold(3, 0.1, participation=SchemeII(2))
    for rounds in (3, 9):
        fetched.clear()
        simulate(SOFTMAX, algorithm, rounds=rounds, runs=2, backend="cupy", **BATCH)
        assert fetched == [2 * (rounds + 1) * 3, 2 * SOFTMAX.dimension, 2]  # records, last models, who diverged
    fetched.clear()
    simulate(SOFTMAX, FedOpt(2, 0.1, server=Adam()), rounds=3, runs=2, backend="cupy", **BATCH)
    assert len(fetched) > 3  # rules look at values, on the host


@pytest.mark.parametrize("step_size", [3.0, 1e200])
def test_runs_that_diverge_end_as_they_do_on_the_processor(
    step_size: float, device: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_device, "PART", 1)  # several blocks watch one run's state
    bowl = QuadraticProblem(np.array([[[1.0]], [[1.0]]]), np.zeros((2, 1)))
    start = np.array([[0.0], [1.0], [0.0]])
    options: dict[str, Any] = {"rounds": 60, "runs": 3, "start": start, "keep_models": True}
    for algorithm in (FedAvg(2, step_size), Scaffold(2, step_size)):
        there = simulate(bowl, algorithm, backend="cupy", **options)
        here = simulate(bowl, algorithm, backend="numpy", **options)
        assert there.status == here.status and "diverged" in here.status[1]
        np.testing.assert_allclose(there.models, here.models, rtol=1e-12)
        np.testing.assert_allclose(there.gap, here.gap, rtol=1e-12)
        # All have diverged: the rest is not run, and is infinite.
        alone = {**options, "runs": 1, "start": start[1]}
        assert simulate(bowl, algorithm, backend="cupy", **alone).status == here.status[1:2]


def test_an_interrupt_keeps_the_records_that_are_complete(device: Any) -> None:
    told: list[tuple[int, int]] = []

    def progress(finished: int, total: int) -> None:
        told.append((finished, total))
        if len(told) == 2:
            raise KeyboardInterrupt

    run = simulate(QUADRATIC, FedAvg(2, 0.05), rounds=100, runs=2, backend="cupy", progress=progress)
    here = simulate(QUADRATIC, FedAvg(2, 0.05), rounds=100, runs=2, backend="numpy")
    assert told == [(30, 200), (62, 200)] and run.status == ("interrupted",) * 2
    assert len(run.rounds) == 32
    np.testing.assert_allclose(run.gap, here.gap[:, :32], rtol=1e-10)


def test_what_has_no_kernels_is_refused(pretended: Any) -> None:
    with pytest.raises(
        ValueError, match="backend='cupy': no kernels for TridiagonalProblem with AdditiveNoise; expected"
    ):
        simulate(BANDED, FedAvg(2, 0.05), rounds=1, backend="cupy", **NOISE)
    with pytest.raises(ValueError, match="prox on a SoftmaxProblem: backend='cupy' makes proximal steps of quadratics"):
        simulate(SOFTMAX, FedProxExact(2, 0.5), rounds=1, backend="cupy")
    with pytest.raises(ValueError, match="backend='cupy': QuadraticProblem holds rationals"):
        simulate(QUADRATIC.to_exact(), FedAvg(2, 0.05), rounds=1, backend="cupy")
    with pytest.raises(
        ValueError, match="size=10 of MiniBatch exceeds the 9 samples of a client|size=10 exceeds the 9"
    ):
        simulate(SOFTMAX, FedAvg(2, 0.05), rounds=1, backend="cupy", oracle=MiniBatch(10))
    with pytest.raises(TypeError, match="x of watch is an array of int64; expected float64"):
        device, whole = find_device(), np.zeros(1, dtype=np.int64)
        given = {"entries": 1, "parts": 1, "bound": 0.0, "finished": 0, "diverged": device.constant(whole)}
        device.launch("watch", 1, 1, x=device.constant(whole), **given)
    with pytest.raises(TypeError, match="watch takes .*'bound'.*, got "):
        device.launch("watch", 1, 1, x=device.constant(np.zeros(1)))
