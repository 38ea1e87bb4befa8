"""The sums of a labelled affine round against loops over their printed formulas, on matrices that do not commute.

Integers in rationals: every equality is exact, and a product in the wrong order or a transposed factor shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fltheory.readings.forms import CentralPoint, Point, RoundForm, sources
from fltheory.readings.numbers import FLOAT, RATIONAL

N, D, CALLS, WIDTH = 2, 2, 3, 3
Array = np.ndarray


def integers(seed: int, *shape: int) -> Array:
    return RATIONAL.array(np.random.default_rng(seed).integers(-5, 6, size=shape))


def symmetric(seed: int, *shape: int) -> Array:
    half = integers(seed, *shape)
    return half + half.swapaxes(-1, -2)


def form(**more: Any) -> RoundForm:
    labels = (0, 1, 2)
    given: dict[str, Any] = {
        "maps": integers(1, len(labels), D + 1, WIDTH),
        "labels": labels,
        "first": integers(2, len(labels)),
        "second": symmetric(3, len(labels), len(labels)),
        "noise": (),
        "points": (),
        "n_calls": CALLS,
        "n_clients": N,
        "numbers": RATIONAL,
        **more,
    }
    return RoundForm(**given)


def same(found: Any, expected: Any) -> bool:
    return np.shape(found) == np.shape(expected) and bool(np.all(np.asarray(found) == np.asarray(expected)))


def test_the_matrices_here_do_not_commute() -> None:
    first, second = form().maps[0], form().maps[1]
    assert not same(first @ second, second @ first) and not same(first, first.T)


def test_second_moments_advance_by_the_sum_over_pairs_of_labels() -> None:
    """``sum E[theta_l theta_m] P_l M P_m'`` with a ``M`` that is not symmetric either, so that its order shows."""
    made, moment = form(), integers(4, WIDTH, WIDTH)
    expected = sum(
        made.second[i, j] * (made.maps[i].dot(moment).dot(made.maps[j].T)) for i in range(3) for j in range(3)
    )
    assert same(made.advance(moment, None), expected)
    noise = symmetric(5, D, D)
    with_noise = np.array(expected)
    with_noise[:D, :D] = with_noise[:D, :D] + noise
    assert same(made.advance(moment, noise), with_noise)


def test_floats_are_made_symmetric() -> None:
    made = form(maps=form().maps.astype(float), second=form().second.astype(float), numbers=FLOAT)
    moment = symmetric(4, WIDTH, WIDTH).astype(float)
    found = made.advance(moment, None)
    assert same(found, found.T)
    np.testing.assert_allclose(found, form().advance(symmetric(4, WIDTH, WIDTH), None).astype(float), rtol=1e-12)


def test_the_mean_map_weighs_the_labels() -> None:
    made = form()
    whole = sum(made.first[place] * made.maps[place] for place in range(3))
    matrix, shift = made.mean_map()
    assert same(matrix, whole[:D, :D]) and same(shift, whole[:D, -1])


def test_noise_adds_rows_covariance_rows_for_each_client_and_call() -> None:
    rows, others = integers(6, N, D, CALLS, D), integers(7, N, D, CALLS, D)
    weights, covariances = integers(8, N), symmetric(9, CALLS, N, D, D)

    def pairs(left: Array, right: Array) -> Array:
        return sum(
            weights[k] * left[k, :, c].dot(covariances[c, k]).dot(right[k, :, c].T)
            for k in range(N)
            for c in range(CALLS)
        )

    assert same(form(noise=((rows, rows, weights),)).noise_moment(covariances), pairs(rows, rows))
    both = form(noise=((rows, rows, weights), (rows, others, weights))).noise_moment(covariances)
    cross = pairs(rows, others)
    assert same(both, pairs(rows, rows) + cross + cross.T) and not same(cross, cross.T)
    assert same(form().noise_moment(covariances), np.zeros((D, D)))


def point(shared: Array | None) -> Point:
    return Point(integers(10, N, D, WIDTH), integers(11, N, D, CALLS, D), shared, 0, None)


def test_moments_of_points_leave_the_noise_out() -> None:
    moment = integers(12, WIDTH, WIDTH)
    found = form().point_moments(moment, point(None))
    for k in range(N):
        extended = np.vstack([point(None).state[k], RATIONAL.array([[0, 0, 1]])])
        assert same(found[k], extended.dot(moment).dot(extended.T))


def test_noise_of_points_is_each_client_s_own() -> None:
    covariances = symmetric(13, CALLS + 1, N, D, D)  # of more calls than the point knows
    call = point(None)
    found = form().point_noise(covariances, call)
    for k in range(N):
        expected = sum(call.own[k, :, c].dot(covariances[c, k]).dot(call.own[k, :, c].T) for c in range(CALLS))
        assert same(found[k], expected)


@pytest.mark.parametrize("common", [True, False])
@pytest.mark.parametrize("calls", [2, 3, 4])
def test_shared_noise_of_points_comes_from_all_clients(common: bool, calls: int) -> None:
    """One sum for all clients, or one each; of fewer, as many or more calls than the client's own noise."""
    shared = integers(14, 1 if common else N, D, calls, N, D)
    covariances = symmetric(15, 4, N, D, D)
    call = point(shared)
    found = form().point_noise(covariances, call)
    for k in range(N):
        expected: Any = 0
        for c in range(max(CALLS, calls)):
            for j in range(N):
                part = RATIONAL.array(np.zeros((D, D), dtype=int))
                if c < calls:
                    part = part + shared[0 if common else k, :, c, j]
                if j == k and c < CALLS:
                    part = part + call.own[k, :, c]
                expected = expected + part.dot(covariances[c, j]).dot(part.T)
        assert same(found[k], expected)


def test_points_without_noise_add_none() -> None:
    bare = Point(integers(16, N, D, WIDTH), integers(17, N, D, 0, D), None, None, None)
    assert sources(bare) is None
    assert same(form().point_noise(symmetric(18, CALLS, N, D, D), bare), np.zeros((N, D, D)))


def test_central_points_know_the_state_and_the_clients_noise() -> None:
    state, shared, moment = integers(19, D, WIDTH), integers(20, D, 2, N, D), integers(21, WIDTH, WIDTH)
    covariances = symmetric(22, CALLS, N, D, D)
    extended = np.vstack([state, RATIONAL.array([[0, 0, 1]])])
    plain = extended.dot(moment).dot(extended.T)
    assert same(form().central_moment(moment, covariances, CentralPoint(state, None, 0)), plain)
    assert same(form().central_moment(moment, None, CentralPoint(state, shared, 2)), plain)
    expected = np.array(plain)
    for c in range(2):
        for k in range(N):
            expected[:D, :D] = expected[:D, :D] + shared[:, c, k].dot(covariances[c, k]).dot(shared[:, c, k].T)
    assert same(form().central_moment(moment, covariances, CentralPoint(state, shared, 2)), expected)


def test_moments_are_widened_by_zeros_between_state_and_constant() -> None:
    wide = form(maps=integers(23, 3, D + 1, WIDTH + 2))
    moment = integers(24, D + 1, D + 1)
    found = wide.widened(moment)
    keep = [0, 1, 4]
    assert (
        same(found[np.ix_(keep, keep)], moment)
        and same(found[2:4], np.zeros((2, 5)))
        and same(found[:, 2:4], np.zeros((5, 2)))
    )
    assert same(form().widened(moment), moment)


def test_a_moved_round_is_the_same_round() -> None:
    """``s - r`` after the round is the map of ``s - r`` before it: for the mean, and for points seen from an origin."""
    reference, origin = integers(25, D), integers(26, D)
    made = form(
        points=(point(None),), central=(CentralPoint(integers(27, D, WIDTH), None, 0),), first=RATIONAL.array([1, 2, 3])
    )
    moved = made.moved(reference, origin)
    (matrix, shift), (matrix_2, shift_2) = made.mean_map(), moved.mean_map()
    assert same(matrix, matrix_2) and same(shift_2, shift + matrix.dot(reference) - reference)
    before, after = made.points[0].state, moved.points[0].state
    for k in range(N):
        assert same(after[k, :, :-1], before[k, :, :-1])
        assert same(after[k, :, -1], before[k, :, -1] + before[k, :, :D].dot(reference) - origin)
    old, new = made.central[0].state, moved.central[0].state
    assert same(new[:, -1], old[:, -1] + old[:, :D].dot(reference) - origin)


def test_averages_lose_the_reference_in_each_part() -> None:
    """Labels ``a_1 + a_2 = 1`` surely and rows without a sure part: each client's map loses the reference, none the label 0.

    The round ``s+ = a_1 A s + a_2 B s`` keeps its exact meaning, ``a_1 (A s - r) + a_2 (B s - r)``.
    """
    maps = integers(28, 3, D + 1, WIDTH)
    maps[0, :D] = maps[0, :D] * 0
    second = RATIONAL.array([[1, 0, 1], [0, 0, 0], [1, 0, 1]])
    made = form(maps=maps, first=RATIONAL.array([1, 0, 1]), second=second)
    reference = integers(29, D)
    moved = made.moved(reference, integers(30, D))
    assert same(moved.maps[0, :D], maps[0, :D])
    for place in (1, 2):
        assert same(moved.maps[place, :D, -1], maps[place, :D, -1] + maps[place, :D, :D].dot(reference) - reference)
    unsure = form(maps=maps, first=RATIONAL.array([1, 0, 1]), second=second + RATIONAL.array(np.diag([0, 1, 0])))
    lost = unsure.moved(reference, integers(30, D))
    assert same(lost.maps[0, :D, -1], -reference)
