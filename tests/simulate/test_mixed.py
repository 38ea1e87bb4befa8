"""Runs of mixed problems: two backends, the server's own draws, and the same bits however the runs are cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.kernels.dispatch import plan_for
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.oracles import AdditiveNoise, Exact, FiniteSupportNoise, MiniBatch
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.softmax import SoftmaxProblem
from fltheory.simulate import simulate

WEAK = fl.Regulariser(0.01, "lambda/2|w|^2")


def softmax(seed: int, sizes: tuple[int, ...]) -> SoftmaxProblem:
    rng = np.random.default_rng(seed)
    features = tuple(rng.normal(size=(n, 3)) for n in sizes)
    return SoftmaxProblem(features, tuple(rng.integers(0, 3, size=n) for n in sizes), WEAK, classes=3)


CLIENTS, CENTRE = softmax(1, (9, 14, 25, 33)), softmax(2, (40,))
MIXED = MixedProblem(fl.Scaled(CLIENTS, 0.75), fl.Scaled(CENTRE, 0.25))
ROOT = np.array([[[2.0, 0.3], [0.3, 1.0]], [[1.0, 0.0], [0.0, 0.5]]])
QUADRATIC = MixedProblem(
    fl.Scaled(QuadraticProblem(ROOT, np.array([[1.0, 0.0], [0.0, -1.0]])), 0.4),
    fl.Scaled(QuadraticProblem(ROOT[:1], np.array([[0.5, 2.0]])), 3.0),
)
ZEROS = QuadraticProblem(np.zeros((1, 3, 3)), np.zeros((1, 3)))
COIN = FiniteSupportNoise(np.array([[1.0, 0.5], [-2.0, -1.0]]), np.array([2 / 3, 1 / 3]))
ALGORITHMS = {
    "parallel": lambda scheme: fl.ParallelTraining(3, 0.3, 0.2, 1.2, 0.8, participation=scheme),
    "1-way": lambda scheme: fl.OneWayGradientTransfer(3, 0.3, 1.2, participation=scheme),
    "2-way": lambda scheme: fl.TwoWayGradientTransfer(3, 0.2, 0.2, 1.2, 0.5, participation=scheme),
}
BATCHES = dict(rounds=6, runs=5, seed=4, oracle=MiniBatch(4), centre_oracle=MiniBatch(7), keep_models=True)


def models(problem: Any, algorithm: Any, **arguments: Any) -> Any:
    return simulate(problem, algorithm, **arguments).models


@pytest.mark.parametrize("scheme", [fl.Full(), fl.SchemeII(2), fl.Original(2)], ids=repr)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_both_backends_agree(name: str, scheme: Any) -> None:
    algorithm = ALGORITHMS[name](scheme)
    numpy, numba = (simulate(MIXED, algorithm, backend=backend, **BATCHES) for backend in ("numpy", "numba"))
    assert (numpy.settings["backend"], numba.settings["backend"]) == ("numpy", "numba")
    np.testing.assert_allclose(numba.models, numpy.models, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(numba.objective, numpy.objective, rtol=1e-12)
    assert np.ptp(numpy.models[:, -1], axis=0).max() > 0.01  # the runs differ


@pytest.mark.parametrize("oracle", [Exact(), AdditiveNoise(0.5), AdditiveNoise(ROOT), COIN], ids=str)
def test_noise_of_scaled_quadratics_is_not_scaled(oracle: Any) -> None:
    """The oracle says what is added to the gradient of the scaled loss, in the kernels too."""
    numpy, numba = (
        models(
            QUADRATIC,
            ALGORITHMS["1-way"](fl.Full()),
            rounds=4,
            runs=3,
            oracle=oracle,
            centre_oracle=COIN,
            backend=backend,
            keep_models=True,
        )
        for backend in ("numpy", "numba")
    )
    np.testing.assert_allclose(numba, numpy, rtol=1e-12, atol=1e-14)


def test_a_run_step_by_step() -> None:
    """1-way GT on Scaled parts written out with the parts' own gradients."""
    found = models(MIXED, fl.OneWayGradientTransfer(2, 0.3), rounds=2, keep_models=True)[0]
    w = np.zeros(CLIENTS.dimension)
    for step in range(2):
        central = 0.25 * CENTRE.gradient(w)
        x = np.tile(w, (4, 1))
        for _ in range(2):
            x = x - 0.3 * (0.75 * CLIENTS.client_gradients(x) + central)
        w = CLIENTS.weights @ x
        np.testing.assert_allclose(found[step + 1], w, rtol=1e-12)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_bits_do_not_depend_on_how_runs_are_cut(name: str, backend: str) -> None:
    algorithm = ALGORITHMS[name](fl.SchemeII(2))
    whole = models(MIXED, algorithm, backend=backend, threads=1, chunk=5, **BATCHES)
    for threads, chunk in ((2, 1), (1, 2), (2, 3)):
        again = models(MIXED, algorithm, backend=backend, threads=threads, chunk=chunk, **BATCHES)
        assert (again == whole).all()
    part = models(MIXED, algorithm, backend=backend, **{**BATCHES, "runs": 2, "first_run": 3})
    assert (part == whole[3:]).all()


class Watching:
    """A central loss that remembers what was asked of it; ``batch_gradients`` hands the rows of a batch on."""

    def __init__(self, inner: SoftmaxProblem) -> None:
        self.inner = inner
        self.rows: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def batch_gradients(self, clients: Any, x: Any, rows: Any) -> Any:
        self.rows.append(rows.copy())
        listed = [self.inner.sample_gradients(0, x[r, 0], rows[r, 0]).mean(axis=0) for r in range(len(x))]
        return np.array(listed)[:, None]


def test_the_draws_of_the_centre_do_not_depend_on_the_algorithm() -> None:
    seen = {}
    for name, of in ALGORITHMS.items():
        watched = Watching(CENTRE)
        simulate(MixedProblem(CLIENTS, watched), of(fl.SchemeII(2)), threads=1, chunk=5, **BATCHES)
        per_round = 1 if name == "1-way" else 3
        assert len(watched.rows) == 6 * per_round
        seen[name] = np.stack(watched.rows).reshape(6, per_round, 5, -1)
    assert (seen["parallel"] == seen["2-way"]).all()
    assert (seen["1-way"][:, 0] == seen["parallel"][:, 0]).all()
    assert (seen["parallel"][:, 0] != seen["parallel"][:, 1]).any()
    assert (np.sort(seen["parallel"], axis=-1)[..., 1:] > np.sort(seen["parallel"], axis=-1)[..., :-1]).all()


def test_the_draws_of_the_clients_do_not_depend_on_those_of_the_centre() -> None:
    """With a loss of the server that is zero the clients' path is that of FedAvg, noise for noise."""
    nothing = QuadraticProblem(np.zeros((1, 12, 12)), np.zeros((1, 12)))
    problem = MixedProblem(CLIENTS, nothing)
    arguments = {key: value for key, value in BATCHES.items() if key != "centre_oracle"}
    alone = models(CLIENTS, fl.FedAvg(3, 0.3), **arguments)
    np.testing.assert_allclose(models(problem, fl.OneWayGradientTransfer(3, 0.3), **arguments), alone, rtol=1e-12)
    np.testing.assert_allclose(models(problem, fl.ParallelTraining(3, 0.3, 0.1), **arguments), alone, rtol=1e-12)


def test_exact_central_gradients_are_the_default_and_the_choice_is_recorded() -> None:
    algorithm = ALGORITHMS["parallel"](fl.Full())
    plain = {key: value for key, value in BATCHES.items() if key != "centre_oracle"}
    default, exact, noisy = (
        simulate(MIXED, algorithm, **plain, **more)
        for more in ({}, {"centre_oracle": Exact()}, {"centre_oracle": MiniBatch(7)})
    )
    assert (default.models == exact.models).all() and (noisy.models != exact.models).any()
    assert default.settings["centre_oracle"] == "Exact()"
    assert noisy.settings["centre_oracle"] == "MiniBatch(size=7, replacement=False)"
    assert "centre_oracle" not in simulate(CLIENTS, fl.FedAvg(1, 0.1), rounds=1).settings
    whole = simulate(MIXED, algorithm, **{**BATCHES, "centre_oracle": MiniBatch(40)})
    np.testing.assert_allclose(whole.models, exact.models, rtol=1e-11, atol=1e-14)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="problem=SoftmaxProblem has no central loss"):
        simulate(CLIENTS, fl.FedAvg(1, 0.1), rounds=1, centre_oracle=MiniBatch(1))
    with pytest.raises(ValueError, match="problem=SoftmaxProblem has no central loss"):
        simulate(CLIENTS, fl.FedAvg(1, 0.1), rounds=1, centre_oracle=Exact())
    with pytest.raises(ValueError, match="problem=Scaled has no central loss"):
        simulate(fl.Scaled(CLIENTS, 2.0), fl.OneWayGradientTransfer(1, 0.1), rounds=1)
    with pytest.raises(ValueError, match="size=41 exceeds the 40 samples"):
        simulate(MIXED, fl.OneWayGradientTransfer(1, 0.1), rounds=1, centre_oracle=MiniBatch(41))
    with pytest.raises(ValueError, match="size=10 exceeds the 9 samples"):
        simulate(MIXED, fl.OneWayGradientTransfer(1, 0.1), rounds=1, oracle=MiniBatch(10))
    with pytest.raises(ValueError, match="has no per-sample data"):
        simulate(QUADRATIC, fl.OneWayGradientTransfer(1, 0.1), rounds=1, centre_oracle=MiniBatch(1))
    with pytest.raises(ValueError, match="unknown; expected Exact"):
        simulate(MIXED, fl.OneWayGradientTransfer(1, 0.1), rounds=1, centre_oracle="exact")  # type: ignore[arg-type]


def test_plans_of_parts() -> None:
    assert plan_for(MIXED, MiniBatch(3)) is not None
    assert plan_for(MixedProblem(fl.Scaled(fl.li_tridiagonal(2, 1, 0.1), 2.0), ZEROS), AdditiveNoise(1.0)) is None
    plan = plan_for(QUADRATIC, Exact(), constant_steps=True)
    assert plan is not None
    assert plan.values(np.zeros((1, 2))) is None and plan.excess(np.zeros((1, 2)), np.zeros(2)) is None
