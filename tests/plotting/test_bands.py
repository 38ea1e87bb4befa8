"""Bands of means over replicates."""

from __future__ import annotations

import numpy as np
import pytest

from fltheory.plotting.bands import band


def test_a_band_is_the_mean_with_students_quantile() -> None:
    mean, low, high = band(np.array([[1.0, 2.0], [3.0, 2.0]]))
    half = 12.706204736 * np.sqrt(2.0) / np.sqrt(2.0)  # t(0.975, 1), standard deviation sqrt(2), two replicates
    assert mean == pytest.approx([2.0, 2.0])
    assert (low, high) == (pytest.approx([2 - half, 2.0]), pytest.approx([2 + half, 2.0]))


def test_one_replicate_has_no_width() -> None:
    mean, low, high = band(np.array([[1.0, 2.0]]))
    assert (mean == low).all() and (mean == high).all()
