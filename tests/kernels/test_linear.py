"""The kernels of linear models: rows side by side and one by one are the same sums, and scores of any size are safe."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fltheory.kernels import _linear as family


def plain(x, features, targets, link, scale, modulus):
    """In the order of the kernels: sums over features, then over rows."""
    out = np.zeros(len(x))
    for row, target in zip(features, targets, strict=True):
        score = math.fsum(row * x)
        if link == family.SQUARES:
            factor = score - target
        else:
            small = math.exp(-abs(target * score))
            factor = -target * (small if target * score >= 0 else 1.0) / (1.0 + small)
        out += factor * row
    return scale * (out / len(features)) + modulus * x


@pytest.mark.parametrize("link", [family.SQUARES, family.LOGISTIC])
@pytest.mark.parametrize("count", [1, 7, 8, 9, 64, 71, 130])
@pytest.mark.parametrize("d", [1, 15, 16, 17, 60])
def test_any_features_and_rows(d, count, link):
    rng = np.random.default_rng(count)
    features, targets, x = rng.normal(size=(count, d)), rng.choice([-1.0, 1.0], count), rng.normal(size=d)
    data = (features, targets, np.array([0, count]), link, np.array([0.7]), np.array([0.1]), 0, False)
    clients, keys, found = np.zeros((1, 1), dtype=np.int64), np.zeros((1, 1), dtype=np.uint64), np.empty((1, 1, d))
    family.gradients(found, x.reshape(1, 1, d), clients, keys, 0, np.ones(1), *data)
    wanted = plain(x, features, targets, link, 0.7, 0.1)
    np.testing.assert_allclose(
        found[0, 0], wanted, rtol=0, atol=1e-14 * (1 + np.abs(features).max() * np.abs(wanted).max())
    )
    turned = plain(x, features, -targets, link, 0.7, 0.1)
    assert np.abs(found[0, 0] - turned).max() > 1e-3


@pytest.mark.parametrize("link", [family.SQUARES, family.LOGISTIC])
def test_rows_side_by_side_have_the_bits_of_single_ones(link):
    """Features that are zero change nothing but the way the rows are served."""
    rng = np.random.default_rng(3)
    narrow = family.WIDE - 1
    features, x = np.zeros((30, family.WIDE)), np.zeros(family.WIDE)
    features[:, :narrow], x[:narrow] = rng.normal(size=(30, narrow)), rng.normal(size=narrow)
    found = []
    for d in (narrow, family.WIDE):
        data = (
            features[:, :d].copy(),
            np.sign(features[:, 0]),
            np.array([0, 30]),
            link,
            np.ones(1),
            np.ones(1),
            0,
            False,
        )
        clients, keys, out = np.zeros((1, 1), dtype=np.int64), np.zeros((1, 1), dtype=np.uint64), np.empty((1, 1, d))
        family.gradients(out, x[:d].reshape(1, 1, d).copy(), clients, keys, 0, np.ones(1), *data)
        found.append(out[0, 0, :narrow])
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("score", [0.0, -0.0, 1e-300, 30.0, 708.5, 1e300, np.inf])
def test_slopes_of_small_and_large_scores(score):
    for sign in (1.0, -1.0):
        wanted = -1.0 / (1.0 + math.exp(score)) if sign > 0 and score < 700 else None
        found = family.slope(sign * score, 1.0, family.LOGISTIC)
        assert np.isfinite(found) and -1.0 <= found <= 0.0
        assert family.slope(-sign * score, -1.0, family.LOGISTIC) == -found
        if wanted is not None:
            assert abs(found - wanted) <= 4e-16 * abs(wanted)
    assert np.isnan(family.slope(np.nan, 1.0, family.LOGISTIC))
