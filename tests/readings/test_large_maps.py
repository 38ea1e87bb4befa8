"""Round maps of large states: as by hand, in the memory that they need themselves, or refused with a number."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import fltheory as fl
from fltheory.readings.units import powers


def _problem(n: int, d: int) -> fl.QuadraticProblem:
    rng = np.random.default_rng(1)
    factors = rng.standard_normal((n, d, d)) / np.sqrt(d)
    return fl.QuadraticProblem(factors @ factors.swapaxes(1, 2) + 0.1 * np.eye(d), rng.standard_normal((n, d)))


def _by_eigenvalues(problem: fl.QuadraticProblem, rate: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """``sum_k p_k (I - rate A_k)^E`` and the shift, from the eigenvalues of each client."""
    values, bases = np.linalg.eigh(problem.matrices)
    power = (1 - rate * values) ** steps
    matrix = (bases * power[:, None]) @ bases.swapaxes(1, 2)
    image = ((1 - power) / values) * (bases.swapaxes(1, 2) @ problem.vectors[..., None])[..., 0]
    shift = (bases @ image[..., None])[..., 0]
    return np.tensordot(problem.weights, matrix, 1), problem.weights @ shift


def test_maps_of_many_clients_are_those_of_their_eigenvalues_and_need_no_copies() -> None:
    problem = _problem(40, 60)  # 61 states: copies of the matrices would take 70 MB
    algorithm = fl.FedAvg(local_steps=7, step_size=0.1)
    tracemalloc.start()
    rounds = fl.round_map(problem, algorithm)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    matrix, shift = _by_eigenvalues(problem, 0.1, 7)
    np.testing.assert_allclose(rounds.matrix, matrix, atol=1e-14)
    np.testing.assert_allclose(rounds.shift, shift, rtol=1e-12)
    assert peak < 2e7
    np.testing.assert_allclose(
        fl.fixed_point(problem, algorithm), np.linalg.solve(np.eye(60) - matrix, shift), rtol=1e-11
    )
    other, _ = _by_eigenvalues(problem, 0.1, 6)  # control: one step less is another map
    assert np.abs(other - rounds.matrix).max() > 1e-3


@pytest.mark.parametrize(
    "algorithm",
    [
        fl.FedAvg(2, 0.1),
        fl.FedProx(5, 0.1, 0.3),
        fl.FedOpt(5, 0.1, server=fl.HeavyBall(0.5)),
        fl.FedAvg((5, 3) * 10, 0.1),
    ],
    ids=lambda algorithm: type(algorithm).__name__,
)
def test_large_and_small_maps_are_read_alike(algorithm: object, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = _problem(20, 50)
    large = fl.round_map(problem, algorithm)
    monkeypatch.setattr("fltheory.readings.draws.MOST_COPIED", 2**40)
    monkeypatch.setattr("fltheory.readings.units.MOST_COPIED", 2**40)
    small = fl.round_map(problem, algorithm)
    np.testing.assert_allclose(large.matrix, small.matrix, atol=2e-14)
    np.testing.assert_allclose(large.shift, small.shift, atol=2e-14)


def test_powers_of_steps_are_the_steps_one_by_one() -> None:
    problem = _problem(1, 12)
    matrix, vector = problem.matrices[0], problem.vectors[0]
    rng = np.random.default_rng(2)
    start, shift = rng.standard_normal((2, 12))
    for steps in (1, 2, 3, 6, 11):
        power, offset, total = powers(matrix, vector, 0.07, steps, sums=True)
        x = start
        for _ in range(steps):
            x = x - 0.07 * (matrix @ x - vector + shift)
        np.testing.assert_allclose(power @ start + offset - total @ shift, x, atol=1e-13)


def test_factors_of_a_large_map_are_those_of_any_basis() -> None:
    problem = _problem(2, 300)
    rounds = fl.round_map(problem, fl.FedAvg(3, 0.1))
    expected = np.abs(np.linalg.eigvals(rounds.matrix)).max()
    assert rounds.contraction() == pytest.approx(expected, rel=1e-12)
    matrix, _ = _by_eigenvalues(problem, 0.1, 3)
    assert rounds.contraction() == pytest.approx(np.linalg.eigvalsh(matrix).max(), rel=1e-11)


def test_a_map_that_memory_cannot_hold_is_refused_with_what_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = _problem(60, 20)
    monkeypatch.setattr("fltheory.problems.checks.memory", lambda: 5 * 10**7)
    fl.round_map(problem, fl.FedAvg(2, 0.1))
    with pytest.raises(
        ValueError, match=r"D=1240 entries with N=60, d=20 \(trajectory and simulate.*fixed_point keeps.*GB of numbers"
    ):
        fl.round_map(problem, fl.Scaffold(2, 0.1))
