"""Sums in levels: exact in rationals, near the exact sum in floats, and counted as they are made."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from fltheory.readings.tree_sums import FAN, FEW, in_levels, kept_sums, level_sums


@pytest.mark.parametrize("n", [1, 2, FAN, FAN + 1, FAN**2, FAN**2 + 1, 1000])
def test_the_last_level_is_the_whole_sum(n: int) -> None:
    weights = np.array([Fraction(k + 1, n) for k in range(n)], dtype=object)
    values = np.array([[[Fraction(k * k - 7, 3)]] for k in range(n)], dtype=object).swapaxes(0, 1)
    levels = level_sums(weights, values)
    assert levels[-1].shape == (1, 1, 1)
    assert levels[-1][0, 0, 0] == sum(w * x for w, x in zip(weights, values[0, :, 0], strict=True))
    assert sum(level.shape[1] for level in levels) == max(1, kept_sums(n))


def test_roundings_grow_with_the_levels_only() -> None:
    rng = np.random.default_rng(0)
    n, runs = 5000, 3
    weights, values = np.full(n, 1 / n), rng.lognormal(sigma=3.0, size=(runs, n, 4))
    found = level_sums(weights, values)[-1][:, 0]
    terms = weights[:, None] * values
    exact = np.array([[math.fsum(terms[run, :, i]) for i in range(4)] for run in range(runs)])
    levels = len(level_sums(weights, values))
    assert (np.abs(found / exact - 1) <= (FAN - 1) * levels * 2.0**-53).all()


def test_few_clients_are_added_in_a_row() -> None:
    assert not in_levels(FEW) and in_levels(FEW + 1)
