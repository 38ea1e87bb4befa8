"""Heavy tails against closed values of the statistic, its table against squared normals drawn anew, and missed means by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fltheory.simulate.heavy_tails import LIMITS, SIZES, any_heavy, heavy, missed, tail_limit, tail_statistic


def test_the_statistic_by_hand() -> None:
    """Of 1, 2, 3, 5 the median is 2.5 and the excesses are 0.5 and 2.5: ``3.25 / 1.5^2``; of five values the upper two count."""
    assert tail_statistic(np.array([5.0, 1.0, 3.0, 2.0])) == pytest.approx(3.25 / 2.25)
    assert tail_statistic(np.array([0.0, 0.0, 1.0, 2.0, 4.0])) == pytest.approx(
        5 / 4
    )  # excesses 1 and 3 over the median 1
    assert tail_statistic(np.full(6, 2.0)) == 1
    both = tail_statistic(np.array([[5.0, 2.0], [1.0, 2.0], [3.0, 2.0], [2.0, 2.0]]))
    assert both == pytest.approx([3.25 / 2.25, 1])


@pytest.mark.parametrize("place", range(9))
def test_the_table_is_what_one_squared_normal_sample_in_a_thousand_exceeds(place: int) -> None:
    """By samples drawn here: of 20,000 (of 10,000 large ones) 20 (10) are expected beyond the limit, with chances above 0.999."""
    n = SIZES[place]
    count = 20_000 if n <= 100 else 10_000
    rng = np.random.default_rng([7, place])
    beyond = sum(
        int((tail_statistic(rng.standard_normal((n, part)) ** 2) > LIMITS[place]).sum()) for part in [count // 20] * 20
    )
    low, high = (6, 42) if n <= 100 else (1, 26)
    assert low <= beyond <= high
    assert tail_limit(n) == pytest.approx(LIMITS[place])


def test_limits_between_the_table_s_sizes_are_interpolated_in_the_logarithm() -> None:
    assert tail_limit(141) == pytest.approx(4.34 + (3.671 - 4.34) * math.log2(1.41), abs=1e-12)
    assert tail_limit(10) == 4.348 and tail_limit(11) > 4.348
    assert tail_limit(10**6) == LIMITS[-1] and len(SIZES) == len(LIMITS)
    assert all(above > below for above, below in zip(LIMITS[3:], LIMITS[4:], strict=False))


def test_few_values_and_rounding_are_no_tails() -> None:
    spike = np.zeros((20, 1))
    spike[-1] = 1.0  # one excess among ten: 10 > 5.401
    assert heavy(spike).tolist() == [True] and heavy(spike[-9:]).tolist() == [False]
    assert heavy(spike[-10:]).tolist() == [True]  # five: 5 > 4.348
    assert heavy(1 + 1e-13 * spike).tolist() == [False] and heavy(1 + 1e-9 * spike).tolist() == [True]
    assert heavy(1e13 + spike).tolist() == [False]


@pytest.mark.parametrize(("heavy_ones", "expected"), [(0, False), (2, False), (3, True)])
def test_more_than_a_fiftieth_of_the_records_counts(heavy_ones: int, expected: bool) -> None:
    values = np.tile(np.arange(20.0)[:, None], (1, 100))
    values[-1, :heavy_ones] = 1e6
    assert any_heavy(values) is expected


def test_means_are_missed_beyond_student_s_limit() -> None:
    """Of two values, ``m`` and one to each side: the limit at the level 5e-4 is ``cot(pi 5e-4) = 636.6`` standard errors."""
    limit = 1 / math.tan(math.pi * 5e-4)  # of the standard error, which is 1
    values = np.array([[2000.0], [2002.0]])
    for distance, expected in ((0.999 * limit, False), (1.01 * limit, True)):
        assert missed(values, np.array([2001.0 - distance])).tolist() == [expected]
    # The level is shared among records: of two, 2.5e-4 each, twice the distance.
    both = np.array([[2000.0, 1.0], [2002.0, 1.0]])
    assert missed(both, np.array([2001.0 - 1.01 * limit, 1.0])).tolist() == [False, False]
    assert missed(both, np.array([2001.0 - 2.02 * limit, 1.0])).tolist() == [True, False]


def test_an_infinite_mean_is_missed_and_rounding_is_not() -> None:
    same = np.full((3, 3), 1.0)
    assert missed(same, np.array([np.inf, 1.0, np.nan])).tolist() == [True, False, True]
    assert missed(same, np.array([1 + 0.9e-6, 1 + 3e-6, 1 - 3e-6])).tolist() == [False, True, True]
    # What is small beside an earlier exact mean is compared with that: 1e-12 of 1e6, not of later ones.
    late = np.array([[1e6, 0.0], [1e6, 0.0]])
    assert missed(late, np.array([1e6, 0.9e-6])).tolist() == [False, False]
    assert missed(late, np.array([1e6, 1.1e-6])).tolist() == [False, True]
    assert missed(late[:, ::-1], np.array([0.9e-6, 1e6])).tolist() == [True, False]


def test_small_means_of_skewed_values_are_judged_by_a_gamma_law() -> None:
    """Below the exact mean Student's limit is not enough: a mean of 3 squared normals is small too often."""
    rng = np.random.default_rng(11)
    calls = sum(bool(missed(rng.standard_normal((3, 1)) ** 2, np.array([1.0]))[0]) for _ in range(2000))
    assert calls <= 40  # at most 1 % are promised; 20 are expected at most
    far = np.array([[1.0], [1.01], [0.99], [1.0]])
    assert missed(far, np.array([2.0])).tolist() == [True] and missed(far, np.array([0.5])).tolist() == [True]
