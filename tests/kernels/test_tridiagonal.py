"""The kernels of tridiagonal quadratics: sizes that fill vectors and that do not, any number of steps, the same bits always."""

from __future__ import annotations

import numpy as np
import pytest

from fltheory.kernels import _tridiagonal as family
from fltheory.kernels._sweep import LANES, plain_sweep, sweep
from fltheory.kernels.jit import kernel


def client_data(d, clients=2):
    rng = np.random.default_rng(d)
    return 2 + rng.random((clients, d)), -rng.random((clients, d - 1)), rng.normal(size=(clients, d))


def stepped(x, clients, rates, shift, scales, data):
    """Step by step with whole matrices."""
    diagonals, offs, vectors = data
    x = x.copy()
    for run, slot in np.ndindex(clients.shape):
        k = clients[run, slot]
        a = np.diag(diagonals[k]) + np.diag(offs[k], 1) + np.diag(offs[k], -1)
        for rate in rates:
            g = scales[k] * (a @ x[run, slot] - vectors[k])
            x[run, slot] -= rate * (g + (shift[run, slot] if len(shift) else 0.0))
    return x


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("steps", [1, 2, 3, 8])
@pytest.mark.parametrize("d", [1, 2, 7, 8, 9, 16, 41])
def test_any_size_and_number_of_steps(d, steps, shifted):
    rng, data = np.random.default_rng(steps), client_data(d)
    clients = np.array([[0, 1, 1], [1, 0, 1]])
    x, rates, scales = rng.normal(size=(2, 3, d)), 0.1 + rng.random(steps) / 5, np.array([1.0, 0.7])
    shift = rng.normal(size=x.shape) if shifted else np.empty((0, 0, 0))
    keys, found, tables = np.zeros((2, 3), dtype=np.uint64), x.copy(), family.tables_of(*data)
    family.local_sgd(found, clients, keys, 0, rates, shift, scales, tables)
    wanted = stepped(x, clients, rates, shift, scales, data)
    assert np.abs(found - wanted).max() <= 1e-13 * np.abs(wanted).max()
    # The same bits one step after the other, from gradients, and for a run alone.
    single, out = x.copy(), np.empty_like(x)
    for step in range(steps):
        family.gradients(out, single, clients, keys, 0, scales, tables)
        family.local_sgd(single, clients, keys, 0, rates[step : step + 1], shift, scales, tables)
    np.testing.assert_array_equal(single, found)
    alone = x[1:].copy()
    family.local_sgd(alone, clients[1:], keys[1:], 0, rates, shift[1:], scales, tables)
    np.testing.assert_array_equal(alone[0], found[1])


@kernel
def two(x, coefficients, shift, blocks, scale, rates):
    sweep(x, coefficients, shift, blocks, scale, rates, 0, 2, 1)


def test_the_sweep_and_its_twin():
    d, blocks = 21, 3
    diagonals, offs, vectors = client_data(d)
    coefficients, shift = family.tables_of(diagonals, offs, vectors)[0], np.zeros(LANES * (blocks + 2))
    shift[:d] = vectors[1]
    x, rates = np.zeros(LANES * (blocks + 2)), np.array([0.3, 0.2])
    x[:d] = np.arange(d) / d
    plain = x.copy()
    two(x, coefficients, shift, blocks, 0.7, rates)
    plain_sweep(plain, coefficients, shift, blocks, 0.7, rates, 0, 2, 1)
    assert np.abs(x - plain).max() <= 1e-14 and not x[d:].any()
    plain[:d] = np.arange(d) / d
    plain_sweep(plain, coefficients, shift, blocks, 0.7, rates, 0, 2, 0)
    assert np.abs(x - plain).max() > 1e-3  # without the shift
