"""Kernels of tridiagonal quadratics with exact gradients: one fused sweep per step, all steps of a client in a row."""

from __future__ import annotations

import numpy as np

from fltheory.kernels.jit import kernel
from fltheory.kinds import Array


@kernel
def gradient(out: Array, x: Array, diagonal: Array, off: Array, vector: Array, scale: float) -> None:
    """``out <- scale * (A x - b)`` with symmetric tridiagonal ``A``."""
    d = x.shape[0]
    for i in range(d):
        out[i] = diagonal[i] * x[i] - vector[i]
    for i in range(d - 1):
        out[i] += off[i] * x[i + 1]
    for i in range(d - 1):
        out[i + 1] += off[i] * x[i]
    for i in range(d):
        out[i] *= scale


@kernel
def gradients(
    out: Array,
    x: Array,
    clients: Array,
    keys: Array,
    step: int,
    scales: Array,
    diagonals: Array,
    offs: Array,
    vectors: Array,
) -> None:
    """One gradient per run and slot; keys and step are not used."""
    for run in range(x.shape[0]):
        for slot in range(x.shape[1]):
            k = clients[run, slot]
            gradient(out[run, slot], x[run, slot], diagonals[k], offs[k], vectors[k], scales[k])


@kernel
def local_sgd(
    x: Array,
    clients: Array,
    keys: Array,
    first: int,
    rates: Array,
    shift: Array,
    scales: Array,
    diagonals: Array,
    offs: Array,
    vectors: Array,
) -> None:
    """In place: ``x <- x - rates[i] (g(x) + shift)``; an empty shift is zero."""
    runs, slots, d = x.shape
    out = np.empty(d)
    shifted = shift.shape[0] > 0
    for run in range(runs):
        for slot in range(slots):
            k = clients[run, slot]
            point = x[run, slot]
            for step in range(rates.shape[0]):
                gradient(out, point, diagonals[k], offs[k], vectors[k], scales[k])
                if shifted:
                    for i in range(d):
                        out[i] += shift[run, slot, i]
                for i in range(d):
                    point[i] -= rates[step] * out[i]


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
