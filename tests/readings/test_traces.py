"""Traces of moments: equal to the moments themselves, by eigenvalues where that is possible and round by round elsewhere."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.readings import traces as module

N, D = 4, 7


def _problem(spread: float = 1.0) -> fl.QuadraticProblem:
    rng = np.random.default_rng(7)
    factors = rng.standard_normal((N, D, D)) / np.sqrt(D)
    return fl.QuadraticProblem(
        factors @ factors.swapaxes(1, 2) + 0.05 * np.eye(D), spread * rng.standard_normal((N, D))
    )


NOISE = fl.AdditiveNoise(np.diag(np.arange(1.0, D + 1)) / 10)
#: Problem, algorithm, oracle, and whether eigenvalues serve.
CASES: dict[str, tuple[Any, Any, Any, bool]] = {
    "exact": (_problem(), fl.FedAvg(3, 0.3), None, True),
    "noise": (_problem(), fl.FedAvg(3, 0.3), NOISE, True),
    "noise only": (_problem(0.0), fl.FedAvg(3, 0.3), NOISE, True),
    "negative eigenvalues": (_problem(), fl.FedAvg(1, 0.9), NOISE, True),
    "prox": (_problem(), fl.FedProx(3, 0.2, 0.4), NOISE, True),
    "tiny steps": (_problem(), fl.FedAvg(2, 1e-9), NOISE, True),
    "diverging": (_problem(), fl.FedAvg(2, 30.0), NOISE, True),
    "momentum": (_problem(), fl.FedOpt(3, 0.2, server=fl.HeavyBall(0.4)), NOISE, False),
    "cohorts": (_problem(), fl.FedAvg(3, 0.2, fl.SchemeI(2)), NOISE, False),
    "schedule": (_problem(), fl.FedAvg(2, fl.Harmonic(1.0, 9.0)), NOISE, False),
}


@pytest.mark.parametrize("every", [1, 6])
@pytest.mark.parametrize("name", CASES)
def test_traces_are_those_of_the_moments(name: str, every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, algorithm, oracle, by_eigenvalues = CASES[name]
    monkeypatch.setattr(module, "BLOCK", 32)
    served: list[bool] = []
    spectrum = module.spectrum
    monkeypatch.setattr(module, "spectrum", lambda walk: served.append((found := spectrum(walk)) is not None) or found)
    start = np.linspace(-1, 2, D)
    settings: dict[str, Any] = dict(rounds=200, oracle=oracle, start=start, every=every)
    whole = fl.moments(problem, algorithm, **settings)
    found = fl.moments(problem, algorithm, keep="traces", **settings)
    assert served == [by_eigenvalues]
    assert found.status == whole.status
    count = min(len(found.rounds), len(whole.rounds))
    assert count >= 5 and abs(len(found.rounds) - len(whole.rounds)) <= 1
    np.testing.assert_array_equal(found.rounds[:count], whole.rounds[:count])
    np.testing.assert_allclose(found.squared_distance[:count], whole.squared_distance[:count], rtol=1e-10)
    np.testing.assert_allclose(found.gap[:count], whole.gap[:count], rtol=1e-10)
    if oracle is not None and name != "tiny steps":  # control: another noise is another curve
        other = fl.moments(problem, algorithm, keep="traces", **{**settings, "oracle": fl.AdditiveNoise(0.11)})
        assert np.abs(other.squared_distance[1:count] / whole.squared_distance[1:count] - 1).max() > 1e-10


def test_runs_from_the_minimiser_keep_their_digits() -> None:
    problem, algorithm = _problem(), fl.FedAvg(3, 0.01)
    settings: dict[str, Any] = dict(rounds=50, start=problem.constants.minimiser)
    whole, found = fl.moments(problem, algorithm, **settings), fl.moments(problem, algorithm, keep="traces", **settings)
    assert whole.squared_distance[1] < 1e-4
    np.testing.assert_allclose(found.squared_distance[1:], whole.squared_distance[1:], rtol=1e-10)


def test_a_hundred_thousand_rounds_take_no_matrices() -> None:
    problem, algorithm = _problem(), fl.FedAvg(3, 0.3)
    tracemalloc.start()
    found = fl.moments(problem, algorithm, rounds=10**5, oracle=NOISE, keep="traces")
    assert len(found.gap) == 10**5 + 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6  # the matrices alone would take 4e7
    limit = fl.stationary(problem, algorithm, oracle=NOISE)
    assert found.squared_distance[-1] == pytest.approx(
        np.trace(limit.covariance) + ((limit.mean - found.minimiser) ** 2).sum()
    )


def test_exact_numbers_are_followed_and_other_words_refused() -> None:
    problem = fl.li_counterexample(2, 1, exact=True)
    found = fl.moments(problem, fl.FedAvg(2, 0.1), rounds=4, exact=True, keep="traces")
    whole = fl.moments(problem, fl.FedAvg(2, 0.1), rounds=4, exact=True)
    assert found.squared_distance.tolist() == whole.squared_distance.tolist()
    assert found.gap.tolist() == whole.gap.tolist()
    with pytest.raises(ValueError, match="keep='mean'"):
        fl.moments(problem, fl.FedAvg(2, 0.1), rounds=4, keep="mean")  # type: ignore[call-overload]
