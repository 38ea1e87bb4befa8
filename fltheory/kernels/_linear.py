"""Kernels of linear models on samples: least squares and binary logistic regression, mini-batches or all rows.

The gradient is ``scale_k mean_i phi(x_i'w, y_i) x_i + modulus_k w`` with ``phi = z - y`` (squares) or
``phi = -y/(1 + exp(y z))`` (logistic).  Rows of all clients lie below one another; client ``k`` owns the rows
``starts[k] .. starts[k+1]-1``.  Sums run over features, then over rows, in fixed order.
"""

from __future__ import annotations

import math

import numpy as np

from fltheory.kernels._exp import exp_nonpositive
from fltheory.kernels._random import choose
from fltheory.kernels.jit import kernel
from fltheory.kinds import Array

SQUARES, LOGISTIC = 0, 1
#: Rows side by side; features from which on that pays; rows per block where all rows of a client are used.
ROWS, WIDE, BLOCK = 8, 16, 64


@kernel
def slope(score: float, target: float, link: int) -> float:
    """``phi``, without overflow and without branches on the score."""
    if link == SQUARES:
        return score - target
    margin = target * score
    small = exp_nonpositive(-abs(margin))
    return -target * (small if margin >= 0.0 else 1.0) / (1.0 + small)


@kernel
def add_eights(
    out: Array, x: Array, features: Array, targets: Array, picked: Array, count: int, link: int, scores: Array
) -> None:
    """``out += sum_i phi(x_i'w, y_i) x_i`` over ``count`` picked rows, a multiple of eight, which are served side by side."""
    for i in range(0, count, ROWS):
        r0, r1, r2, r3 = picked[i], picked[i + 1], picked[i + 2], picked[i + 3]
        r4, r5, r6, r7 = picked[i + 4], picked[i + 5], picked[i + 6], picked[i + 7]
        s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for f in range(x.shape[0]):
            w = x[f]
            s0 += features[r0, f] * w
            s1 += features[r1, f] * w
            s2 += features[r2, f] * w
            s3 += features[r3, f] * w
            s4 += features[r4, f] * w
            s5 += features[r5, f] * w
            s6 += features[r6, f] * w
            s7 += features[r7, f] * w
        scores[i], scores[i + 1], scores[i + 2], scores[i + 3] = s0, s1, s2, s3
        scores[i + 4], scores[i + 5], scores[i + 6], scores[i + 7] = s4, s5, s6, s7
    if link == SQUARES:
        for i in range(count):
            scores[i] -= targets[picked[i]]
    else:
        for i in range(count):
            scores[i] *= targets[picked[i]]
        for i in range(count):  # without loads by index: in vector registers
            scores[i] = slope(scores[i], 1.0, LOGISTIC)
        for i in range(count):
            scores[i] *= targets[picked[i]]
    for i in range(0, count, ROWS):
        r0, r1, r2, r3 = picked[i], picked[i + 1], picked[i + 2], picked[i + 3]
        r4, r5, r6, r7 = picked[i + 4], picked[i + 5], picked[i + 6], picked[i + 7]
        s0, s1, s2, s3 = scores[i], scores[i + 1], scores[i + 2], scores[i + 3]
        s4, s5, s6, s7 = scores[i + 4], scores[i + 5], scores[i + 6], scores[i + 7]
        for f in range(out.shape[0]):
            total = out[f] + s0 * features[r0, f]
            total += s1 * features[r1, f]
            total += s2 * features[r2, f]
            total += s3 * features[r3, f]
            total += s4 * features[r4, f]
            total += s5 * features[r5, f]
            total += s6 * features[r6, f]
            out[f] = total + s7 * features[r7, f]


@kernel
def gradient(
    out: Array,
    x: Array,
    features: Array,
    targets: Array,
    picked: Array,
    scores: Array,
    begin: int,
    count: int,
    batch: bool,
    link: int,
    scale: float,
    modulus: float,
) -> None:
    """Over the ``count`` rows ``begin + picked`` of a batch, or over ``count`` rows from ``begin``, a block at a time.

    ``picked`` is overwritten.  Each score is one sum over the features, and each entry of ``out`` one sum over the rows, in their
    own order, however many rows are served side by side.
    """
    d = x.shape[0]
    block = scores.shape[0]
    for f in range(d):
        out[f] = 0.0
    for base in range(0, count, block):
        part = min(block, count - base)
        for i in range(part):
            picked[i] = begin + (picked[i] if batch else base + i)
        whole = part - part % ROWS if d >= WIDE else 0
        if whole > 0:
            add_eights(out, x, features, targets, picked, whole, link, scores)
        for i in range(whole, part):
            row, score = picked[i], 0.0
            for f in range(d):
                score += features[row, f] * x[f]
            factor = slope(score, targets[row], link)
            for f in range(d):
                out[f] += factor * features[row, f]
    for f in range(d):
        out[f] = scale * (out[f] / count) + modulus * x[f]


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
    block = size if size > 0 else BLOCK
    picked, scores = np.empty(block, dtype=np.int64), np.empty(block)
    for run in range(runs):
        for slot in range(slots):
            k = clients[run, slot]
            begin, count = starts[k], starts[k + 1] - starts[k]
            terms = size if size > 0 else count
            if size > 0:
                choose(picked, keys[run, slot], step, count, replacement)
            gradient(
                out[run, slot],
                x[run, slot],
                features,
                targets,
                picked,
                scores,
                begin,
                terms,
                size > 0,
                link,
                inner[k],
                moduli[k],
            )
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
    block = size if size > 0 else BLOCK
    picked, scores = np.empty(block, dtype=np.int64), np.empty(block)
    out = np.empty(d)
    shifted = shift.shape[0] > 0
    for run in range(runs):
        for slot in range(slots):
            k = clients[run, slot]
            begin, count = starts[k], starts[k + 1] - starts[k]
            terms = size if size > 0 else count
            point = x[run, slot]
            for step in range(rates.shape[0]):
                if size > 0:
                    choose(picked, keys[run, slot], first + step, count, replacement)
                gradient(
                    out, point, features, targets, picked, scores, begin, terms, size > 0, link, inner[k], moduli[k]
                )
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
