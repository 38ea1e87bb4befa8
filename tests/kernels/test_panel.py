"""The panels of softmax regression and the draws in vector registers against their twins."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from fltheory import streams
from fltheory.kernels import _panel, _places
from fltheory.kernels._random import choose
from fltheory.kernels.jit import OPTIONS


@pytest.mark.parametrize("turned", [0, 1])
@pytest.mark.parametrize("lanes", [4, 8, 12, 16, 28])
def test_panels_agree_with_their_twin(lanes: int, turned: int) -> None:
    rng = np.random.default_rng(lanes)
    left, rows = rng.normal(size=(40, 24)), rng.integers(0, 40, size=24)
    terms = 24 if turned else 21
    right, start = rng.normal(size=terms * lanes), rng.normal(size=24 * lanes)

    def product(panel, turn):
        def total(out, left, rows, right, lanes, terms, ahead):
            for first in range(0, 24, 8):
                for c in range(0, lanes, _panel.ACROSS):
                    panel(out, first, left, left.shape[1], rows, terms, right, lanes, c, turn, ahead)

        return total

    for ahead in (rows[:0], rows):
        mine, plain = start.copy(), start.copy()
        numba.njit(**OPTIONS)(product(_panel.panel, turned))(mine, left, rows, right, lanes, terms, ahead)
        product(_panel.plain_panel, turned)(plain, left, rows, right, lanes, terms, ahead)
        np.testing.assert_allclose(mine, plain, rtol=1e-13, atol=1e-13)
        assert not np.allclose(mine, start)


def test_draws_of_every_size_agree_with_the_streams() -> None:
    for count in range(1, 42):
        for size in (count, count + 1, 3 * count, 1000):
            rows = np.empty(count, dtype=np.int64)
            choose(rows, np.uint64(7), count, size, False)
            u = streams.uniforms(np.uint64(7), count, np.arange(count))
            assert rows.tolist() == streams.choose_without_replacement(u, size).tolist()


def test_eight_places_agree_with_their_twin() -> None:
    rng = np.random.default_rng(0)
    compiled = numba.njit(lambda rows, begin: _places.pass_earlier(rows, begin))
    for begin in (0, 3, 8, 19):
        mine = rng.integers(0, 20, size=begin + 8)
        plain = mine.copy()
        compiled(mine, begin)
        _places.plain_pass_earlier(plain, begin)
        assert mine.tolist() == plain.tolist()
