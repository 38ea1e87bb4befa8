"""Kernels of softmax regression, mini-batches or all rows.

A model is ``(classes, inputs)``, the bias being the weight of an input that is always one.  Rows are padded with zeros
to ``width`` doubles (a multiple of four) and worked off in blocks: samples are the vector lanes of the forward
product, inputs those of the backward product, so no sum is reordered to make it fast.  Client ``k`` owns the rows
``starts[k] .. starts[k+1]-1``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fltheory.kernels._random import choose
from fltheory.kernels.jit import kernel

Array = Any

#: Rows per block where all rows of a client are used.
BLOCK = 32


@kernel
def forward(scores: Array, lanes: Array, model: Array, features: Array, rows: Array) -> None:
    """``scores[c, i] = sum_f model[c, f] features[rows[i], f]``; ``lanes`` is scratch ``(width, block)``.

    Four inputs per sweep, in their order: fewer loads and stores, and the same sum.
    """
    count, width = rows.shape[0], features.shape[1]
    for i in range(count):
        row = features[rows[i]]
        for f in range(width):
            lanes[f, i] = row[f]
    for c in range(model.shape[0]):
        target = scores[c]
        for i in range(count):
            target[i] = 0.0
        for f in range(0, width, 4):
            w0, w1, w2, w3 = model[c, f], model[c, f + 1], model[c, f + 2], model[c, f + 3]
            x0, x1, x2, x3 = lanes[f], lanes[f + 1], lanes[f + 2], lanes[f + 3]
            for i in range(count):
                total = target[i] + w0 * x0[i]
                total += w1 * x1[i]
                total += w2 * x2[i]
                total += w3 * x3[i]
                target[i] = total


@kernel
def normalise(scores: Array, labels: Array, rows: Array, top: Array, total: Array) -> None:
    """``scores <- softmax(scores) - onehot(label)`` per sample, without overflow."""
    classes, count = scores.shape[0], rows.shape[0]
    for i in range(count):
        top[i] = scores[0, i]
        total[i] = 0.0
    for c in range(1, classes):
        for i in range(count):
            top[i] = max(top[i], scores[c, i])
    for c in range(classes):
        for i in range(count):
            scores[c, i] = math.exp(scores[c, i] - top[i])
        for i in range(count):
            total[i] += scores[c, i]
    for i in range(count):
        total[i] = 1.0 / total[i]
    for c in range(classes):
        for i in range(count):
            scores[c, i] *= total[i]
    for i in range(count):
        scores[labels[rows[i]], i] -= 1.0


@kernel
def backward(out: Array, scores: Array, features: Array, rows: Array) -> None:
    """``out[c, f] += sum_i scores[c, i] features[rows[i], f]``, four samples per sweep, in their order."""
    count, width = rows.shape[0], out.shape[1]
    whole = count - count % 4
    for c in range(out.shape[0]):
        target = out[c]
        for i in range(0, whole, 4):
            s0, s1, s2, s3 = scores[c, i], scores[c, i + 1], scores[c, i + 2], scores[c, i + 3]
            x0, x1 = features[rows[i]], features[rows[i + 1]]
            x2, x3 = features[rows[i + 2]], features[rows[i + 3]]
            for f in range(width):
                total = target[f] + s0 * x0[f]
                total += s1 * x1[f]
                total += s2 * x2[f]
                total += s3 * x3[f]
                target[f] = total
        for i in range(whole, count):
            factor, row = scores[c, i], features[rows[i]]
            for f in range(width):
                target[f] += factor * row[f]


@kernel
def gradient(
    out: Array, model: Array, features: Array, labels: Array, begin: int, count: int, key: Any, step: int,
    size: int, replacement: bool, modulus: float,
    rows: Array, taken: Array, lanes: Array, scores: Array, top: Array, total: Array,
) -> None:  # fmt: skip
    """``out <- mean (softmax - onehot) x' + modulus model`` over a batch of ``size`` rows (0: all rows)."""
    classes, width = model.shape
    for c in range(classes):
        for f in range(width):
            out[c, f] = 0.0
    if size > 0:
        choose(rows, taken, key, step, count, replacement)
        for i in range(size):
            rows[i] += begin
        forward(scores, lanes, model, features, rows)
        normalise(scores, labels, rows, top, total)
        backward(out, scores, features, rows)
        divisor = 1.0 / size
    else:
        for base in range(0, count, BLOCK):
            block = min(BLOCK, count - base)
            part = rows[:block]
            for i in range(block):
                part[i] = begin + base + i
            forward(scores, lanes, model, features, part)
            normalise(scores, labels, part, top, total)
            backward(out, scores, features, part)
        divisor = 1.0 / count
    for c in range(classes):
        for f in range(width):
            out[c, f] = divisor * out[c, f] + modulus * model[c, f]


@kernel
def gradients(
    out: Array, x: Array, clients: Array, keys: Array, step: int, scales: Array,
    features: Array, labels: Array, starts: Array, inputs: int, modulus: float, size: int, replacement: bool,
) -> None:  # fmt: skip
    """One gradient per run and slot; ``out, x`` are ``(runs, slots, classes, inputs)``."""
    runs, slots, classes, _ = x.shape
    width = features.shape[1]
    block = size if size > 0 else BLOCK
    rows, taken = np.empty(block, dtype=np.int64), np.empty(block, dtype=np.int64)
    lanes, scores = np.empty((width, block)), np.empty((classes, block))
    top, total = np.empty(block), np.empty(block)
    model, answer = np.zeros((classes, width)), np.empty((classes, width))
    for run in range(runs):
        for slot in range(slots):
            k = clients[run, slot]
            for c in range(classes):
                for f in range(inputs):
                    model[c, f] = x[run, slot, c, f]
            gradient(
                answer, model, features, labels, starts[k], starts[k + 1] - starts[k], keys[run, slot], step,
                size, replacement, modulus, rows, taken, lanes, scores, top, total,
            )  # fmt: skip
            for c in range(classes):
                for f in range(inputs):
                    out[run, slot, c, f] = scales[k] * answer[c, f]


@kernel
def local_sgd(
    x: Array, clients: Array, keys: Array, first: int, rates: Array, shift: Array, scales: Array,
    features: Array, labels: Array, starts: Array, inputs: int, modulus: float, size: int, replacement: bool,
) -> None:  # fmt: skip
    """In place: ``x <- x - rates[i] (g(x) + shift)``, draws numbered from ``first``; an empty shift is zero."""
    runs, slots, classes, _ = x.shape
    width = features.shape[1]
    block = size if size > 0 else BLOCK
    rows, taken = np.empty(block, dtype=np.int64), np.empty(block, dtype=np.int64)
    lanes, scores = np.empty((width, block)), np.empty((classes, block))
    top, total = np.empty(block), np.empty(block)
    model, answer, extra = np.zeros((classes, width)), np.empty((classes, width)), np.zeros((classes, width))
    shifted = shift.shape[0] > 0
    for run in range(runs):
        for slot in range(slots):
            k = clients[run, slot]
            for c in range(classes):
                for f in range(inputs):
                    model[c, f] = x[run, slot, c, f]
                    if shifted:
                        extra[c, f] = shift[run, slot, c, f]
            for step in range(rates.shape[0]):
                gradient(
                    answer, model, features, labels, starts[k], starts[k + 1] - starts[k], keys[run, slot],
                    first + step, size, replacement, modulus, rows, taken, lanes, scores, top, total,
                )  # fmt: skip
                for c in range(classes):
                    for f in range(width):
                        model[c, f] -= rates[step] * (scales[k] * answer[c, f] + extra[c, f])
            for c in range(classes):
                for f in range(inputs):
                    x[run, slot, c, f] = model[c, f]


@kernel
def values(
    out: Array, w: Array, features: Array, labels: Array, starts: Array, inputs: int, weights: Array, modulus: float
) -> None:
    """``F(w) = sum_k p_k mean_i (log sum exp - own score) + modulus |w|^2/2``; ``w`` is ``(runs, classes, inputs)``."""
    runs, classes, _ = w.shape
    width = features.shape[1]
    lanes, scores = np.empty((width, BLOCK)), np.empty((classes, BLOCK))
    buffer, model = np.empty(BLOCK, dtype=np.int64), np.zeros((classes, width))
    for run in range(runs):
        value = 0.0
        for c in range(classes):
            for f in range(inputs):
                model[c, f] = w[run, c, f]
        for k in range(weights.shape[0]):
            loss = 0.0
            for base in range(starts[k], starts[k + 1], BLOCK):
                rows = buffer[: min(BLOCK, starts[k + 1] - base)]
                for i in range(rows.shape[0]):
                    rows[i] = base + i
                forward(scores, lanes, model, features, rows)
                for i in range(rows.shape[0]):
                    top = scores[0, i]
                    for c in range(1, classes):
                        top = max(top, scores[c, i])
                    total = 0.0
                    for c in range(classes):
                        total += math.exp(scores[c, i] - top)
                    loss += math.log(total) + top - scores[labels[rows[i]], i]
            value += weights[k] * (loss / (starts[k + 1] - starts[k]))
        square = 0.0
        for c in range(classes):
            for f in range(inputs):
                square += w[run, c, f] * w[run, c, f]
        out[run] = value + 0.5 * modulus * square
