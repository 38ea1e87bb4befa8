"""The theorems without bounded gradients against random clients: exact gradients, and noise with all outcomes listed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import sympy as sp

from fltheory.theory.li2020.no_bounded_gradients import THEOREM_DISTANCE, THEOREM_NOISE, THEOREM_SQUARE, square_bound
from verify.li2020.no_bounded_gradients.linear_proof import linear_proof
from verify.li2020.no_bounded_gradients.proof import noisy_proof
from verify.li2020.no_bounded_gradients.runs import KinkedClients, SlopedParabolas, float_runs, opposite, root

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Clients:
    """Clients on R^d with w* = 0 and mu = 1; ``gradients`` maps (..., N, d) to (..., N, d)."""

    gradients: Callable[[Array], Array]
    weights: Array
    kappa: float
    zeta: float


def random_clients(rng: np.random.Generator, kappa: float, clients: int, dimension: int, kind: str) -> Clients:
    """Parabolas, log-cosh along one direction, or a kink (curvature L on one side); slopes add up to zero."""
    weights = rng.dirichlet(np.full(clients, rng.choice([0.3, 1.0, 5.0])))
    bases = np.array([np.linalg.qr(rng.normal(size=(dimension, dimension)))[0] for _ in range(clients)])
    slopes = rng.normal(size=(clients, dimension)) * 10 ** rng.uniform(-2, 1)
    slopes -= weights @ slopes
    direction, scale, shift = bases[:, :, 0], 10 ** rng.uniform(-1, 2, size=clients), rng.normal(size=clients)
    spectrum = np.where(
        rng.random((clients, dimension)) < 0.5, kappa, 1 + (kappa - 1) * rng.random((clients, dimension))
    )
    matrices = np.einsum("kij,kj,klj->kil", bases, spectrum, bases)

    def plain(w: Array) -> Any:
        along = np.einsum("ki,...ki->...k", direction, w)
        if kind == "parabolas":
            return np.einsum("kij,...kj->...ki", matrices, w)
        if kind == "log-cosh":
            bent = (np.tanh(scale * along - shift) + np.tanh(shift)) / scale
        else:
            bent = np.maximum(along, 0.0)
        return w + (kappa - 1) * bent[..., None] * direction

    zeta = float(np.sqrt(weights @ np.sum(slopes**2, axis=1)))
    return Clients(lambda w: plain(w) + slopes, weights, kappa, zeta)


def first_bound(c: Clients, E: int, T: int, gamma: float, start: float, sigma: float = 0.0, V: float = 0.0) -> float:
    """LI-THM1-S5, and with noise LI-THM1-S6, in floats."""
    drift = (c.kappa - 1) * (1 + (E - 2) / gamma) * max(T - 2, 0) * ((E - 1) * c.zeta + np.sqrt(2 * (E - 1)) * sigma)
    last = gamma + T
    return float(
        (gamma * (gamma - 1) * start + drift) / ((last - 1) * (last - 2)) + np.sqrt(4 * V * (last - 1) / 3) / (last - 2)
    )


def second_bound(
    c: Clients, E: int, T: int, gamma: float, free: float, start: float, sigma: float = 0.0, V: float = 0.0
) -> float:
    """The root of LI-THM1-S7 in floats."""
    return float(square_bound(c.kappa, E, T, gamma, free, start**2, V, (c.zeta + sigma) ** 2) ** 0.5)


def distances(c: Clients, E: int, gamma: float, start: Array, horizon: int) -> list[float]:
    """|w_T - w*| for T = 1, ..., horizon."""
    local, found = np.tile(start, (len(c.weights), 1)), []
    for t in range(1, horizon + 1):
        mean = c.weights @ local
        found.append(float(np.linalg.norm(mean)))
        if t % E == 0:
            local = np.tile(mean, (len(c.weights), 1))
        local = local - 2 / (gamma + t) * c.gradients(local)
    return found


@pytest.mark.parametrize("kind", ["parabolas", "log-cosh", "kink"])
@pytest.mark.parametrize("kappa", [1.5, 5.0, 100.0])
def test_exact_gradients(kind: str, kappa: float) -> None:
    rng = np.random.default_rng(np.random.SeedSequence([int(kappa), len(kind)]))
    for _ in range(12):
        E, free, dimension = (
            int(rng.choice([1, 2, 3, 5, 20])),
            float(rng.choice([6.5, 8.0, 30.0])),
            int(rng.integers(1, 4)),
        )
        c = random_clients(rng, kappa, int(rng.integers(2, 6)), dimension, kind)
        start = rng.normal(size=dimension) * rng.choice([0.0, 1e-2, 1.0, 10.0])
        size, small = float(np.linalg.norm(start)), free * kappa * E
        for gamma in (max(8 * kappa, E), kappa):
            for T, found in enumerate(distances(c, E, gamma, start, 80), 1):
                assert found <= first_bound(c, E, T, gamma, size) * (1 + 1e-9) + 1e-12
        for T, found in enumerate(distances(c, E, small, start, 80), 1):
            assert found <= second_bound(c, E, T, small, free, size) * (1 + 1e-9) + 1e-12


def test_linear_constant_from_a_synchronised_step_on() -> None:
    rng = np.random.default_rng(np.random.SeedSequence(3))
    for E in (2, 5):
        c = random_clients(rng, 3.0, 3, 2, "log-cosh")
        found = distances(c, E, 24.0, rng.normal(size=2), 400)
        r = -(-(7 * 3 * E + 1 - 24) // E) * E
        assert r % E == 0 and 24 + r - 1 >= 7 * 3 * E
        for T in range(r, 400):
            assert found[T - 1] <= second_bound(c, E, T - r + 1, 24 + r - 1, 7.0, found[r - 1]) * (1 + 1e-9)


def noisy_distances(c: Clients, E: int, gamma: float, start: float, sigma: float, horizon: int) -> list[float]:
    """Roots of E|w_T|^2 for N = 2 clients on the line with noise +sigma or -sigma, all outcomes listed."""
    local, found = np.full((1, 2, 1), start), []
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=2)))[:, :, None]
    for t in range(1, horizon + 1):
        mean = np.einsum("k,...kd->...d", c.weights, local)
        found.append(float(np.sqrt(np.mean(mean**2))))
        if t % E == 0:
            local = np.repeat(mean[:, None, :], 2, axis=1)
        if t < horizon:
            moved = local[None] - 2 / (gamma + t) * (c.gradients(local)[None] + sigma * signs[:, None])
            local = moved.reshape(-1, 2, 1)
    return found


@pytest.mark.parametrize("kind", ["parabolas", "log-cosh", "kink"])
def test_noise(kind: str) -> None:
    rng = np.random.default_rng(np.random.SeedSequence([7, len(kind)]))
    for _ in range(20):
        kappa, E, free = (
            float(rng.choice([2.0, 10.0, 100.0])),
            int(rng.choice([1, 2, 3, 7])),
            float(rng.choice([6.5, 30.0])),
        )
        c = random_clients(rng, kappa, 2, 1, kind)
        start, sigma = float(rng.choice([0.0, 0.1, 1.0])), float(10 ** rng.uniform(-2, 1))
        V = float(c.weights @ c.weights) * sigma**2
        for gamma in (max(8 * kappa, E), kappa):
            for T, found in enumerate(noisy_distances(c, E, gamma, start, sigma, 8), 1):
                assert found <= first_bound(c, E, T, gamma, start, sigma, V) * (1 + 1e-9)
        small = free * kappa * E
        for T, found in enumerate(noisy_distances(c, E, small, start, sigma, 8), 1):
            assert found <= second_bound(c, E, T, small, free, start, sigma, V) * (1 + 1e-9)


def test_statements_are_what_is_compared() -> None:
    c = Clients(lambda w: w, np.array([1.0]), 10.0, 0.3)
    plain = dict(L=10, mu=1, E=5, T=50, gamma=80, D1=4, zeta=0.3)
    assert float(THEOREM_DISTANCE.exact(**plain)) == pytest.approx(first_bound(c, 5, 50, 80, 2.0))
    noisy = dict(plain, sigma=0.7, V=0.1)
    assert float(THEOREM_NOISE.exact(**noisy)) == pytest.approx(first_bound(c, 5, 50, 80, 2.0, 0.7, 0.1))
    square = float(THEOREM_SQUARE.exact(**{**noisy, "gamma": 400, "c": 8}))
    assert square == pytest.approx(second_bound(c, 5, 50, 400, 8.0, 2.0, 0.7, 0.1) ** 2)
    assert "gamma >= c (L/mu) E" in THEOREM_SQUARE.unmet(**{**noisy, "c": 8})


def test_a_wrong_step_fails() -> None:
    steps = noisy_proof() | linear_proof()
    assert steps.failed() == []
    name, (expression, ranges) = next(iter(steps.signs.items()))
    assert (type(steps)({}, {"one is zero": sp.Integer(1)}, {name: (expression - 10**6, ranges)})).failed() == [
        "one is zero",
        name,
    ]


def test_runs() -> None:
    clients = opposite(Fraction(10), Fraction(1, 5), 2, Fraction(80), start=1)
    assert clients.zeta == Fraction(2, 5)
    expected = clients.slopes[0] ** 2 / 5 + clients.slopes[1] ** 2 * 4 / 5
    assert clients.zeta_square == expected
    moments = {T: mean for T, mean, _ in clients.moments((3, 50))}
    for T, run in float_runs(clients, (3, 50)).items():
        assert run.gap == pytest.approx((10 / 5 + 4 / 5) / 2 * float(moments[T]) ** 2)
    assert KinkedClients(Fraction(3), Fraction(24), 5).mean() == 2 * Fraction(2, 26) * Fraction(2, 27) / 2
    assert root(Fraction(2), up=False) ** 2 < 2 < root(Fraction(2), up=True) ** 2
    with pytest.raises(ValueError, match="mean slopes"):
        SlopedParabolas((Fraction(1),), (Fraction(1),), (Fraction(1),), Fraction(2), 1, Fraction(8))
    with pytest.raises(ValueError, match="curvatures"):
        SlopedParabolas((Fraction(1),), (Fraction(3),), (Fraction(0),), Fraction(2), 1, Fraction(8))
