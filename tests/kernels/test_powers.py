"""Maps of local steps by tiles: the bits of their twins."""

from __future__ import annotations

import numpy as np
import pytest

from fltheory.kernels import _powers, _quadratic


@pytest.mark.parametrize("d", [1, 5, 8, 37])
@pytest.mark.parametrize("steps", [1, 2, 7, 12])
def test_maps_by_tiles_are_the_twins(d: int, steps: int) -> None:
    rng = np.random.default_rng(d)
    n, lanes = 3, -(-d // 8) * 8
    columns = rng.standard_normal((n, d, d))
    columns = columns @ columns.swapaxes(1, 2) / d
    vectors, scales = rng.standard_normal((n, d)), np.array([1.0, 0.5, 2.0])
    twin = np.empty((n, d, d)), np.empty((n, d, d)), np.empty((n, d))
    fast = np.zeros((n, d, lanes)), np.zeros((n, d, lanes)), np.empty((n, d))
    _quadratic.power_maps(*twin, columns, vectors, scales, 0.1, steps)
    _powers.power_maps(*fast, columns, vectors, scales, 0.1, steps)
    for one, other in zip(fast, twin, strict=True):
        np.testing.assert_array_equal(one[..., :d] if one.ndim == 3 else one, other)
    other_steps = np.zeros((n, d, lanes)), np.zeros((n, d, lanes)), np.empty((n, d))  # control
    _powers.power_maps(*other_steps, columns, vectors, scales, 0.1, steps + 1)
    assert np.abs(other_steps[0] - fast[0]).max() > 1e-3

    for runs in (1, 4, 6):
        clients, x = np.array([2, 0]), rng.standard_normal((runs, 2, d))
        out, plain = np.empty_like(x), np.empty_like(x)
        _powers.apply_shared(out, x, clients, fast[0], fast[2])
        both = np.broadcast_to(clients, (runs, 2)).copy()
        _quadratic.apply_maps(plain, x, both, np.empty((0, 0, 0)), *twin)
        np.testing.assert_array_equal(out, plain)
