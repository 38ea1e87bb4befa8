"""General lemmas of the mixed-learning paper: displays on vectors, laws against brute force, sequences against runs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from fltheory.evidence.displays import bounds_of
from fltheory.theory.mixed2022 import convex, vectors
from verify.mixed2022 import kinked, laws, recursion_steps
from verify.mixed2022.kinked import KinkedParabola

ONE, HALF = Fraction(1), Fraction(1, 2)


def random(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(np.random.SeedSequence(seed)).normal(size=shape)


@pytest.mark.parametrize("a", [0.3, 1.0, 7.0])
def test_lemma_d2_on_vectors(a: float) -> None:
    u, v = random(1, 50, 1, 1, 4, 1), random(2, 50, 1, 1, 4, 1)
    assert np.min(vectors.LEMMA_D2_1.slack(u=u, v=v, a=a)) > 0
    np.testing.assert_allclose(vectors.LEMMA_D2_1.slack(u=u, v=a * u, a=a), 0, atol=1e-10)
    np.testing.assert_allclose(vectors.IDENTITY_D2_REPAIRED.slack(u=u, v=v, a=a), 0, atol=1e-10)
    assert np.max(vectors.IDENTITY_D2.slack(u=u, v=v, a=a)) < -0.01


def test_sums_over_the_list() -> None:
    w = random(3, 6, 1, 4, 1)
    assert vectors.LEMMA_D2_2.slack(w=w, tau=6) > 0
    np.testing.assert_allclose(vectors.LEMMA_D2_2.slack(w=np.broadcast_to(w[:1], w.shape), tau=6), 0, atol=1e-10)


def test_conditional_means_against_brute_force() -> None:
    law = laws.walk(3, HALF)
    for (_, values), centre in zip(law.outcomes, law.conditional_means(), strict=True):
        for i in range(law.size):
            same = [(p, x) for p, x in law.outcomes if x[:i] == values[:i]]
            assert centre[i] == sum(p * x[i] for p, x in same) / sum(p for p, _ in same)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_both_walks_have_the_same_moments_up_to_scale(size: int) -> None:
    plain, long = laws.walk(size, ONE).moments(conditional=True), laws.long_walk(size, ONE).moments(conditional=True)
    assert plain.variance == 1 and long.variance == 2
    assert long.total == 2 * plain.total == 2 * (4 * size - 3)
    assert long.centre == 2 * plain.centre and long.noise == long.single == 2 * size


def test_probabilities_must_sum_to_one() -> None:
    with pytest.raises(ValueError, match="sum to 1/2"):
        laws.Law("half", ((HALF, (ONE,)),))


@pytest.mark.parametrize("mu", [0.0, 0.2, 1.0])
def test_lemmas_d7_and_d8_on_random_quadratics(mu: float) -> None:
    basis, _ = np.linalg.qr(random(4, 3, 3))
    matrix = basis @ np.diag([mu, (mu + 1) / 2, 1.0]) @ basis.T
    x, y, z = (random(seed, 40, 1, 1, 3, 1) for seed in (5, 6, 7))

    def value(p: np.ndarray) -> np.ndarray:
        return 0.5 * np.sum(p * (matrix @ p), axis=(-1, -2), keepdims=True)

    at = dict(x=x, y=y, z=z, gx=matrix @ x, gy=matrix @ y, hx=value(x), hy=value(y), hz=value(z), mu=mu, beta=1.0)
    for bound in (convex.LEMMA_D7, convex.LEMMA_D7_PROOF):
        assert np.min(bound.slack(**bound.select(at))) >= -1e-12
    if mu > 0:
        assert np.min(convex.LEMMA_D7_SHARP.slack(**convex.LEMMA_D7_SHARP.select({**at, "m": 0.9 * mu}))) >= -1e-12
    for bound, step in ((convex.LEMMA_D8, 1.0), (convex.LEMMA_D8_SHARP, 2 / (1 + mu)), (convex.LEMMA_D8_LONG, 2 - mu)):
        assert np.min(bound.slack(**bound.select({**at, "eta": step}))) >= -1e-12


def test_kinked_functions_are_in_their_class() -> None:
    h = KinkedParabola(HALF, Fraction(2), Fraction(-3))
    grid = [Fraction(i, 3) for i in range(-6, 7)]
    for a, b in product(grid, grid):
        linear = h.value(a) + h.gradient(a) * (b - a)
        assert linear + HALF / 2 * (b - a) ** 2 <= h.value(b) <= linear + (b - a) ** 2


def test_stationary_point_of_the_mixtures() -> None:
    zero = Fraction(0)
    for s in kinked.mixtures():
        assert sum((h.gradient(zero) for h in s.clients), start=zero) / len(s.clients) + s.central.gradient(zero) == 0


@pytest.mark.parametrize("top", [HALF, ONE, Fraction(100)])
def test_best_step_size_against_a_grid(top: Fraction) -> None:
    best = recursion_steps.best_value(Fraction(2), Fraction(3), top)
    values = [Fraction(4) / step + 9 * step for step in (top * Fraction(i, 300) for i in range(1, 301))]
    assert best <= min(values) <= best * Fraction(101, 100)


@pytest.mark.parametrize("rounds", [1, 2, 7])
def test_first_term_is_the_weighted_mean_of_the_extremal_sequence(rounds: int) -> None:
    step, noise, start = Fraction(1, 5), Fraction(3), Fraction(7)  # mu = 1
    mean = start * recursion_steps.first_term(step, rounds) + noise * step
    value, total, weights = start, Fraction(0), Fraction(0)
    for r in range(1, rounds + 2):
        value = (1 - step) * value + noise * step**2 - step * mean
        assert value >= 0
        total, weights = total + (1 - step) ** (1 - r) * mean, weights + (1 - step) ** (1 - r)
    assert value == 0 and total / weights == mean


@pytest.mark.parametrize("schedule", ["constant", "halves", "tail", "small"])
def test_no_schedule_keeps_the_exponent(schedule: str) -> None:
    # K = 1 of the lower bound, everything in units of rho = (1 - h)^R, with the best weights for the schedule
    X = 73
    R, h = 2 * X**2, 1 / (2 * X)
    log_rho = R * np.log1p(-h)
    rounds = np.arange(R + 1)
    steps = {
        "constant": np.full(R + 1, h),
        "halves": np.where(rounds < R / 2, h, 2 / (2 / h + np.maximum(rounds - R / 2, 0))),
        "tail": np.where(rounds < R - 2 * X, h, 6 / R),
        "small": np.full(R + 1, 1 / R),
    }[schedule]
    bound = np.exp(-X - log_rho) + 1
    allowed = np.minimum(bound * steps * np.exp(log_rho - np.cumsum(np.log1p(-steps))), 1.0)
    order = np.argsort(steps, kind="stable")
    weights = np.diff(np.minimum(np.cumsum(allowed[order]), 1.0), prepend=0.0)
    assert weights.sum() < 1 or R * np.sum(weights * steps[order]) > bound


def test_every_display_names_its_claims() -> None:
    found = {
        name: b
        for name, b in bounds_of("mixed2022").items()
        if name.split(".")[0] in ("vectors", "convex", "recursions")
    }
    assert len(found) >= 24
    assert all(bound.ids and bound.latex() for bound in found.values())
