"""The round of twelve steps, run client by client in all its coordinates, and what its functions have to satisfy."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from verify.fedlama2021.fresh_noise import FreshNoise, VisitedPoint
from verify.fedlama2021.lemma_5_1_twelve_steps import TWELVE, instance

Point = tuple[Fraction, np.ndarray, np.ndarray]


def data_at(round: FreshNoise, place: VisitedPoint, client: int, signs: np.ndarray, start: bool) -> Point:
    """Value, point and gradient of the client's function, in y, z by step and client, and w by client."""
    m, unit = round.m, round.omega / round.m
    x, g = ([pair[side] for pair in place.coordinates] for side in (0, 1))
    both = []
    for one in (x, g):
        z = [one[1 + k] * unit * signs[1 + k, i] for k in range(round.tau - 1) for i in range(m)]
        w = [(one[-2] if i == client else one[-1]) * signs[0, i] for i in range(m)]
        both.append(np.array([one[0], *z, *([Fraction(0)] * m if start else w)], dtype=object))
    return place.value, both[0], both[1]


def slack(a: Point, b: Point) -> Fraction:
    (f_a, x_a, g_a), (f_b, x_b, g_b) = a, b
    dx, dg = x_a - x_b, g_a - g_b
    return f_a - f_b - g_b @ dx - (dg @ dg - dx @ dx + 2 * (dg @ dx)) / 4


def visited(round: FreshNoise, client: int, signs: np.ndarray) -> list[Point]:
    return [data_at(round, place, client, signs, j == 0) for j, place in enumerate(round.places)]


def test_the_algorithm_visits_these_points() -> None:
    small = FreshNoise(3, TWELVE.omega, TWELVE.h[:3], TWELVE.theta[:3], TWELVE.gamma[:3], TWELVE.f[:3], TWELVE.end)
    m, tau, eta, sigma = small.m, small.tau, small.eta, small.omega / small.eta
    signs = np.random.default_rng(0).choice([-1, 1], size=(tau, m)).astype(object)
    clients = [np.array([Fraction(0)] * (1 + m * tau), dtype=object) for _ in range(m)]
    layer_b = slice(0, 1 + m * (tau - 1))
    total = Fraction(0)
    for j in range(tau):
        for i in range(m):
            _, x, g = data_at(small, small.places[j], i, signs, j == 0)
            assert (clients[i] == x).all()
            total += x @ x
            noise = np.array([Fraction(0)] * len(x), dtype=object)
            noise[1 + m * (tau - 1) + i if j == 0 else 1 + m * (j - 1) + i] = -sigma * signs[j, i]
            clients[i] = clients[i] - eta * (g + noise)
        mean = sum(clients) / m
        for x in clients:
            x[layer_b] = mean[layer_b]
    assert (mean == data_at(small, small.places[-1], 0, signs, False)[1]).all()
    assert total == small.distances


def test_the_noise_can_be_a_function_of_the_point() -> None:
    heights = [place.coordinates[0][0] for place in TWELVE.places[: TWELVE.tau]]
    assert len(set(heights)) == TWELVE.tau


def test_no_pair_of_outcomes_has_less_slack() -> None:
    rng = np.random.default_rng(1)
    one, two = (rng.choice([-1, 1], size=(TWELVE.tau, TWELVE.m)).astype(object) for _ in range(2))
    for signs in (one, two, -one):
        first, second = visited(TWELVE, 0, one), visited(TWELVE, 0, signs)
        for a, b in [(i, j) for i in (0, 1, 6, 11, 12) for j in (0, 1, 5, 11, 12)]:
            assert slack(first[a], second[b]) >= 0
            if a != b:
                assert slack(first[a], second[b]) >= TWELVE.slack(TWELVE.places[a], TWELVE.places[b])


@pytest.mark.parametrize(("curvature", "smooth"), [(1, True), (-1, True), (Fraction(101, 100), False)])
def test_parabolas_satisfy_the_condition_up_to_curvature_one(curvature: Fraction, smooth: bool) -> None:
    places = [VisitedPoint(curvature * Fraction(x) ** 2 / 2, [(Fraction(x), curvature * x)]) for x in (-2, 1, 3)]
    assert (
        all(
            slack(*((p.value, *(np.array([c], dtype=object) for c in p.coordinates[0])) for p in (a, b))) >= 0
            for a in places
            for b in places
        )
        == smooth
    )


def test_half_a_percent_more_distance_or_a_tenth_less_curvature_is_no_counterexample() -> None:
    assert instance(TWELVE).refutes
    assert not instance(TWELVE, S="1005/1000").refutes
    assert not instance(replace(TWELVE, omega=TWELVE.omega * Fraction(9, 10))).refutes


def test_sequences_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="lengths"):
        replace(TWELVE, f=TWELVE.f[1:])
