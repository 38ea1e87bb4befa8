"""The vectorised recursions of mixed FL on two parabolas against the package's exact moments and round maps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.oracles import AdditiveNoise
from fltheory.problems.quadratic import QuadraticProblem
from verify.mixed2022 import scalar_moments
from verify.mixed2022.scalar_moments import (
    ALGORITHMS,
    ClientRates,
    Scalar,
    contraction,
    largest_step,
    margin,
    rounds_to,
)

CASE = Scalar(federated=1.0, central=0.4, slope=0.7, steps=3, clients=2, variance=0.5, central_variance=0.25)
ETA = np.array([0.05, 0.11, 0.2])


def problem(case: Scalar) -> MixedProblem:
    clients = QuadraticProblem(np.full((case.clients, 1, 1), case.federated), np.full((case.clients, 1), -case.slope))
    return MixedProblem(clients, QuadraticProblem(np.full((1, 1, 1), case.central), np.full((1, 1), case.slope)))


def algorithm(name: str, case: Scalar, eta: float, central: float, server: float, merge: float) -> Any:
    if name == "1-way GT":
        return fl.OneWayGradientTransfer(case.steps, eta, server)
    made = fl.ParallelTraining if name == "Parallel Training" else fl.TwoWayGradientTransfer
    return made(case.steps, eta, central * eta, server, merge)


def noises(case: Scalar) -> dict[str, Any]:
    return dict(
        oracle=AdditiveNoise(np.array(case.variance)), centre_oracle=AdditiveNoise(np.array(case.central_variance))
    )


@pytest.mark.parametrize("central", [1.0, 0.6])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_second_moments(name: str, central: float) -> None:
    rates = ClientRates(ETA, central, 1.2, 0.5)
    for place, eta in enumerate(ETA):
        made = algorithm(name, CASE, float(eta), central, 1.2, 0.5)
        exact = fl.moments(problem(CASE), made, rounds=7, start=[2.0], **noises(CASE))
        found = [scalar_moments.squared_distance(name, CASE, rates, r, 2.0)[place] for r in range(8)]
        np.testing.assert_allclose(found, exact.squared_distance, rtol=1e-12)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_limits(name: str) -> None:
    rates = ClientRates(ETA, 1.0, 1.0, 0.5)
    mean, variance = scalar_moments.stationary(name, CASE, rates)
    for place, eta in enumerate(ETA):
        made = algorithm(name, CASE, float(eta), 1.0, 1.0, 0.5)
        assert mean[place] == pytest.approx(fl.fixed_point(problem(CASE), made)[0], abs=1e-13)
        exact = fl.moments(problem(CASE), made, rounds=1500, every=1500, **noises(CASE))
        assert variance[place] == pytest.approx(exact.variance[-1], rel=1e-10)
        law = fl.stationary(problem(CASE), made, **noises(CASE))
        assert law.variance == pytest.approx(variance[place], rel=1e-12)
        assert law.mean is not None and law.mean[0] == pytest.approx(mean[place], abs=1e-13)
    assert (np.abs(mean) > 0.01).all() if name == "Parallel Training" else np.allclose(mean, 0, atol=1e-14)
    too_long = ClientRates(np.array([50.0]))
    assert np.isinf(scalar_moments.stationary(name, CASE, too_long)).all()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_rounds_to_an_accuracy(name: str) -> None:
    case = CASE.but(variance=1e-3, central_variance=1e-3, slope=0.01)
    found = rounds_to(name, [case], ClientRates(ETA, 1.0, 1.0, 0.5), 1e-3, 1.0)
    for place, eta in enumerate(ETA):
        made = algorithm(name, case, float(eta), 1.0, 1.0, 0.5)
        gap = fl.moments(problem(case), made, rounds=300, start=[1.0], **noises(case)).gap
        reached = np.flatnonzero(gap <= 1e-3)
        assert found[place] == (reached[0] if len(reached) else np.inf)
    assert np.isfinite(found).any()
    assert rounds_to(name, [case], ClientRates(ETA), 10.0, 1.0).tolist() == [0.0] * 3
    assert np.isinf(rounds_to(name, [case.but(variance=1.0)], ClientRates(ETA), 1e-9, 1.0)).all()
    assert np.isinf(rounds_to(name, [case], ClientRates(np.array([50.0])), 1e-3, 1.0)).all()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_largest_steps(name: str) -> None:
    for case, server, merge in ((CASE, 1.0, 1.0), (CASE.but(central=2.0, steps=2), 1.0, 0.5), (CASE, 2.0, 1.0)):
        found = largest_step(name, case, upper=2.0, server=server, merge=merge)
        read_off = fl.stability_limit(
            problem(case), lambda eta, c=case, s=server, m=merge: algorithm(name, c, eta, 1.0, s, m), 2.0, points=400
        )  # type: ignore[misc]
        assert found == pytest.approx(read_off.mean, rel=1e-8)
        assert read_off.mean_square == read_off.mean
    assert largest_step(name, CASE, upper=0.01) == np.inf
    with pytest.raises(ValueError, match="the rounds do not contract at eta=10"):
        largest_step(name, CASE, upper=1e6)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_margins_are_those_of_the_eigenvalues(name: str) -> None:
    rates = ClientRates(np.geomspace(1e-3, 3.0, 60), 0.7, 1.3, 0.8)
    np.testing.assert_allclose(margin(name, CASE, rates), 1 - contraction(name, CASE, rates), rtol=1e-9, atol=1e-13)


def test_margins_keep_what_is_lost_beside_one() -> None:
    """K = 64: the factor -1 + (1 - eta)^64 + (1 - 0.8 eta)^64 of Parallel Training at eta = 1.1 rounds to -1."""
    rates = ClientRates(np.array([1.1]))
    case = Scalar(central=0.8, steps=64)
    assert contraction("Parallel Training", case, rates)[0] == 1
    assert margin("Parallel Training", case, rates)[0] == pytest.approx(0.1**64 + 0.12**64, rel=1e-10)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_rounds_of_two_coordinates(name: str) -> None:
    """A separable quadratic in the plane, both coordinates in one run of the package."""
    cases = [CASE.but(variance=1e-3, central_variance=2e-3, slope=0.02), Scalar(0.2, 0.1, steps=3, clients=2)]
    diagonals = [np.diag([getattr(case, side) for case in cases]) for side in ("federated", "central")]
    slopes = np.array([case.slope for case in cases])
    clients = QuadraticProblem(np.stack([diagonals[0]] * 2), np.stack([-slopes] * 2))
    both = MixedProblem(clients, QuadraticProblem(diagonals[1][None], slopes[None]))
    noise = dict(
        oracle=AdditiveNoise(np.diag([1e-3, 0.0])),
        centre_oracle=AdditiveNoise(np.diag([2e-3, 0.0])),
        start=[1.0, 1.0],
        rounds=300,
    )
    found = rounds_to(name, cases, ClientRates(ETA, 1.0, 1.0, 0.5), 2e-3, 1.0)
    for place, eta in enumerate(ETA):
        gap = fl.moments(both, algorithm(name, cases[0], float(eta), 1.0, 1.0, 0.5), **noise).gap
        reached = np.flatnonzero(gap <= 2e-3)
        assert found[place] == (reached[0] if len(reached) else np.inf)
    assert np.isfinite(found).any()


def test_unknown_algorithms_are_refused() -> None:
    with pytest.raises(ValueError, match="algorithm='FedAvg' is unknown"):
        scalar_moments.round_of("FedAvg", CASE, ClientRates(ETA))
