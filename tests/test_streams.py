"""Counter-based random numbers: pure functions of their address, and random enough to be used."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory import streams


@given(st.integers(0, 2**31), st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1000))
def test_bits_do_not_depend_on_the_batch(seed: int, run: int, round: int, client: int) -> None:
    runs = np.arange(run, run + 5)
    batched = streams.uniforms(streams.key(seed, runs, round, client)[:, None], 3, np.arange(4))
    single = [
        [float(streams.uniforms(streams.key(seed, int(r), round, client), 3, index)) for index in range(4)]
        for r in runs
    ]
    assert np.array_equal(batched, np.array(single))


def test_addresses_give_different_bits() -> None:
    keys = streams.key(0, np.arange(20)[:, None, None], np.arange(20)[None, :, None], np.arange(20)[None, None, :])
    values = streams.bits(keys[..., None], 0, np.arange(5))
    assert np.unique(values).size == values.size


def test_uniforms_are_inside_the_open_interval_and_uniform() -> None:
    u = streams.uniforms(streams.key(1, 0, 0, np.arange(200)[:, None]), 0, np.arange(500))
    assert 0 < u.min() and u.max() < 1
    counts, _ = np.histogram(u, bins=64, range=(0, 1))
    chi_square = float(((counts - u.size / 64) ** 2 / (u.size / 64)).sum())
    assert chi_square < 63 + 6 * math.sqrt(2 * 63)


def test_normals_have_unit_moments() -> None:
    z = streams.normals(streams.key(2, 0, 0, np.arange(2000)), 0, 25)
    assert abs(z.mean()) < 5 / math.sqrt(z.size)
    assert abs((z**2).mean() - 1) < 5 * math.sqrt(2 / z.size)
    assert abs((z[:, 0] * z[:, 1]).mean()) < 5 / math.sqrt(len(z))


def test_without_replacement_is_distinct_and_uniform() -> None:
    u = streams.uniforms(streams.key(3, np.arange(6000), 0, 0)[:, None], 0, np.arange(3))
    chosen = streams.choose_without_replacement(u, 4)
    assert all(len(set(row)) == 3 for row in chosen.tolist())
    ordered = chosen @ np.array([16, 4, 1])
    counts = np.unique(ordered, return_counts=True)[1]
    assert len(counts) == 24
    assert float(((counts - 250) ** 2 / 250).sum()) < 23 + 6 * math.sqrt(46)


def test_too_many_draws_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot choose 3 distinct indices out of 2"):
        streams.choose_without_replacement(np.full((1, 3), 0.5), 2)


def test_negative_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="seed=-1"):
        streams.key(-1, 0, 0, 0)
