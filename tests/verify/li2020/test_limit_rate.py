"""The limits of T^2 gap and T gap against long exact recursions in three dimensions, full covariances included."""

from __future__ import annotations

import numpy as np
import pytest

D, N = 3, 4
RNG = np.random.default_rng(np.random.SeedSequence(5))


def _spd(shift: float) -> np.ndarray:
    root = RNG.normal(size=(D, D))
    return shift * np.eye(D) + root @ root.T / 3


A = np.array([_spd(1.0) for _ in range(N)])
C = np.array([_spd(0.0) for _ in range(N)])
P = RNG.dirichlet(np.ones(N))
MINIMISERS = RNG.normal(size=(N, D))
MU, L = min(np.linalg.eigvalsh(a)[0] for a in A), max(np.linalg.eigvalsh(a)[-1] for a in A)
MEAN = np.einsum("k,kij->ij", P, A)
OFFSETS = MINIMISERS - np.linalg.solve(MEAN, np.einsum("k,kij,kj->i", P, A, MINIMISERS))
B_K, B = 2 * A / MU, 2 * MEAN / MU
SLOPE = -np.linalg.solve(B - np.eye(D), np.einsum("k,kij,kj->i", P, B_K @ B_K, OFFSETS)) / 2
VALUES, BASIS = np.linalg.eigh(B)
NOISE = BASIS.T @ (4 / MU**2 * np.einsum("k,kij->ij", P**2, C)) @ BASIS
STATIONARY = BASIS @ (NOISE / (VALUES[:, None] + VALUES[None] - 1)) @ BASIS.T


def _gap(local_steps: int, rounds: int, noise: float) -> tuple[int, float]:
    """``T`` and the expected gap after the rounds, step by step."""
    error, covariance, x = np.ones(D), np.zeros((D, D)), max(8 * L / MU, local_steps) + 1
    for _ in range(rounds):
        maps, drawn = np.array([np.eye(D)] * N), np.zeros((N, D, D))
        for step in range(local_steps):
            one = np.eye(D) - B_K / (x + step)
            maps = one @ maps
            drawn = one @ drawn @ one + noise * 4 / MU**2 / (x + step) ** 2 * C
        mean = np.einsum("k,kij->ij", P, maps)
        covariance = mean @ covariance @ mean + np.einsum("k,kij->ij", P**2, drawn)
        error = mean @ error + np.einsum("k,kij,kj->i", P, np.eye(D) - maps, OFFSETS)
        x += local_steps
    return local_steps * rounds, float(error @ MEAN @ error + np.trace(MEAN @ covariance)) / 2


@pytest.mark.parametrize("local_steps", [2, 5])
def test_full_gradients(local_steps: int) -> None:
    time, gap = _gap(local_steps, 6000, 0.0)
    limit = (local_steps - 1) ** 2 * SLOPE @ MEAN @ SLOPE / 2
    assert time**2 * gap == pytest.approx(limit, rel=0.03)


def test_noise_with_one_step_and_with_many() -> None:
    stationary = float(np.trace(MEAN @ STATIONARY)) / 2
    time, gap = _gap(1, 10_000, 1.0)
    assert time * gap == pytest.approx(stationary, rel=0.03)
    time, gap = _gap(120, 120, 1.0)
    assert time * gap == pytest.approx(SLOPE @ MEAN @ SLOPE / 2 + stationary, rel=0.06)
