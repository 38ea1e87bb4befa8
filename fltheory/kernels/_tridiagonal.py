"""Kernels of tridiagonal quadratics with exact gradients: two steps per sweep, all steps of a client in a row.

A gradient is added up in the same order everywhere: diagonal and right-hand side, right neighbour, left neighbour; then it is
scaled, and the shift is added.
"""

from __future__ import annotations

import numpy as np

from fltheory.kernels._sweep import LANES, sweep
from fltheory.kernels.jit import kernel
from fltheory.kinds import Array


@kernel
def gradient(out: Array, x: Array, diagonal: Array, off: Array, vector: Array, scale: float) -> None:
    """``out <- scale * (A x - b)`` with symmetric tridiagonal ``A``."""
    last = x.shape[0] - 1
    out[0] = edge(0, x, diagonal, off, vector) * scale
    for i in range(1, last):
        row = (diagonal[i] * x[i] - vector[i]) + off[i] * x[i + 1]
        out[i] = (row + off[i - 1] * x[i - 1]) * scale
    if last > 0:
        out[last] = edge(last, x, diagonal, off, vector) * scale


@kernel
def edge(i: int, x: Array, diagonal: Array, off: Array, vector: Array) -> float:
    """``(A x - b)[i]`` for the first ``i`` or the last."""
    row: float = diagonal[i] * x[i] - vector[i]
    if i > 0:
        row += off[i - 1] * x[i - 1]
    elif i + 1 < x.shape[0]:
        row += off[i] * x[i + 1]
    return row


@kernel
def place(out: Array, numbers: Array) -> None:
    """``numbers`` into ``out``; what is padding stays as it is."""
    for i in range(numbers.shape[0]):
        out[i] = numbers[i]


def tables_of(diagonals: Array, offs: Array, vectors: Array) -> Array:
    """``(N, 4, 8 (blocks + 2))``: coefficients of all clients as :func:`fltheory.kernels._sweep.plain_sweep` wants them."""
    n, d = diagonals.shape
    lanes = LANES * (-(-d // LANES) + 2)
    raw = np.zeros(n * 4 * lanes + LANES)
    begin = (-raw.ctypes.data // 8) % LANES
    tables = raw[begin : begin + n * 4 * lanes].reshape(n, 4, lanes)
    tables[:, 0, :d], tables[:, 1, : d - 1], tables[:, 2, 1:d], tables[:, 3, :d] = diagonals, offs, offs, vectors
    return tables


@kernel
def gradients(
    out: Array,
    x: Array,
    clients: Array,
    keys: Array,
    step: int,
    scales: Array,
    tables: Array,
) -> None:
    """One gradient per run and slot; keys and step are not used."""
    for run in range(x.shape[0]):
        for slot in range(x.shape[1]):
            k = clients[run, slot]
            gradient(out[run, slot], x[run, slot], tables[k, 0], tables[k, 1], tables[k, 3], scales[k])


@kernel
def local_sgd(
    x: Array,
    clients: Array,
    keys: Array,
    first: int,
    rates: Array,
    shift: Array,
    scales: Array,
    tables: Array,
) -> None:
    """In place: ``x <- x - rates[i] (g(x) + shift)``; an empty shift is zero."""
    runs, slots, d = x.shape
    blocks, steps = -(-d // LANES), rates.shape[0]
    point, pull = np.zeros(LANES * (blocks + 2)), np.zeros(LANES * (blocks + 2))
    shifted, out = shift.shape[0] > 0, np.empty(d)
    pairs = steps - steps % 2
    for slot in range(slots):
        for run in range(runs):
            k = clients[run, slot]
            if steps == 1:  # not worth the preparation
                gradient(out, x[run, slot], tables[k, 0], tables[k, 1], tables[k, 3], scales[k])
                for i in range(d):
                    direction = out[i] + shift[run, slot, i] if shifted else out[i]
                    x[run, slot, i] -= rates[0] * direction
                continue
            if shifted:
                place(pull, shift[run, slot])
            place(point, x[run, slot])
            for step in range(0, pairs, 2):
                if shifted:
                    sweep(point, tables[k], pull, blocks, scales[k], rates, step, 2, 1)
                else:
                    sweep(point, tables[k], pull, blocks, scales[k], rates, step, 2, 0)
            if pairs < steps:
                if shifted:
                    sweep(point, tables[k], pull, blocks, scales[k], rates, pairs, 1, 1)
                else:
                    sweep(point, tables[k], pull, blocks, scales[k], rates, pairs, 1, 0)
            for i in range(d):
                x[run, slot, i] = point[i]


@kernel
def quadratic_forms(out: Array, w: Array, diagonal: Array, off: Array) -> None:
    """``out[run] <- w'Aw/2``."""
    runs, d = w.shape
    for run in range(runs):
        total = 0.0
        for i in range(d):
            total += w[run, i] * (diagonal[i] * w[run, i])
        for i in range(d - 1):
            total += 2.0 * w[run, i] * (off[i] * w[run, i + 1])
        out[run] = 0.5 * total
