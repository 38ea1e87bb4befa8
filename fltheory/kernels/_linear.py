"""Kernels of linear models on samples: least squares and binary logistic regression, mini-batches or all rows.

The gradient is ``scale_k mean_i phi(x_i'w, y_i) x_i + modulus_k w`` with ``phi = z - y`` (squares) or
``phi = -y/(1 + exp(y z))`` (logistic).  Rows of all clients lie below one another; client ``k`` owns the rows
``starts[k] .. starts[k+1]-1``.  Sums run over features, then over rows, in fixed order.
"""

from __future__ import annotations

import math

import numpy as np

from fltheory.kernels._random import choose
from fltheory.kernels.jit import kernel
from fltheory.kinds import Array

SQUARES, LOGISTIC = 0, 1


@kernel
def slope(score: float, target: float, link: int) -> float:
    """``phi``, without overflow."""
    if link == SQUARES:
        return score - target
    margin = target * score
    if margin >= 0.0:
        small = math.exp(-margin)
        return -target * small / (1.0 + small)
    return -target / (1.0 + math.exp(margin))


@kernel
def gradient(
    out: Array,
    x: Array,
    features: Array,
    targets: Array,
    rows: Array,
    begin: int,
    count: int,
    link: int,
    scale: float,
    modulus: float,
) -> None:
    """Over the rows ``begin + rows`` of a batch, or over ``count`` rows from ``begin`` where ``rows`` is empty."""
    d = x.shape[0]
    for f in range(d):
        out[f] = 0.0
    batch = rows.shape[0] > 0
    total = rows.shape[0] if batch else count
    for i in range(total):
        row = begin + (rows[i] if batch else i)
        score = 0.0
        for f in range(d):
            score += features[row, f] * x[f]
        factor = slope(score, targets[row], link)
        for f in range(d):
            out[f] += factor * features[row, f]
    for f in range(d):
        out[f] = scale * (out[f] / total) + modulus * x[f]


@kernel
def gradients(
    out: Array,
    x: Array,
    clients: Array,
    keys: Array,
    step: int,
    scales: Array,
    features: Array,
    targets: Array,
    starts: Array,
    link: int,
    inner: Array,
    moduli: Array,
    size: int,
    replacement: bool,
) -> None:
    """One gradient per run and slot, from a batch of ``size`` rows (0: all rows)."""
    runs, slots, d = x.shape
    rows = np.empty(size, dtype=np.int64)
    for run in range(runs):
        for slot in range(slots):
            k = clients[run, slot]
            begin, count = starts[k], starts[k + 1] - starts[k]
            if size > 0:
                choose(rows, keys[run, slot], step, count, replacement)
            gradient(out[run, slot], x[run, slot], features, targets, rows, begin, count, link, inner[k], moduli[k])
            for f in range(d):
                out[run, slot, f] *= scales[k]


@kernel
def local_sgd(
    x: Array,
    clients: Array,
    keys: Array,
    first: int,
    rates: Array,
    shift: Array,
    scales: Array,
    features: Array,
    targets: Array,
    starts: Array,
    link: int,
    inner: Array,
    moduli: Array,
    size: int,
    replacement: bool,
) -> None:
    """In place: ``x <- x - rates[i] (g(x) + shift)``, draws numbered from ``first``; an empty shift is zero."""
    runs, slots, d = x.shape
    rows = np.empty(size, dtype=np.int64)
    out = np.empty(d)
    shifted = shift.shape[0] > 0
    for run in range(runs):
        for slot in range(slots):
            k = clients[run, slot]
            begin, count = starts[k], starts[k + 1] - starts[k]
            point = x[run, slot]
            for step in range(rates.shape[0]):
                if size > 0:
                    choose(rows, keys[run, slot], first + step, count, replacement)
                gradient(out, point, features, targets, rows, begin, count, link, inner[k], moduli[k])
                for f in range(d):
                    direction = scales[k] * out[f]
                    if shifted:
                        direction += shift[run, slot, f]
                    point[f] -= rates[step] * direction


@kernel
def logistic_values(
    out: Array, w: Array, features: Array, targets: Array, starts: Array, weights: Array, modulus: float
) -> None:
    """``F(w) = sum_k p_k mean_i log(1 + exp(-y_i x_i'w)) + modulus |w|^2/2`` for every run."""
    runs, d = w.shape
    for run in range(runs):
        value = 0.0
        for k in range(weights.shape[0]):
            loss = 0.0
            for row in range(starts[k], starts[k + 1]):
                score = 0.0
                for f in range(d):
                    score += features[row, f] * w[run, f]
                margin = targets[row] * score
                loss += math.log1p(math.exp(-abs(margin))) + max(-margin, 0.0)
            value += weights[k] * (loss / (starts[k + 1] - starts[k]))
        square = 0.0
        for f in range(d):
            square += w[run, f] * w[run, f]
        out[run] = value + 0.5 * modulus * square
