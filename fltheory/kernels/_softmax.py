"""Kernels of softmax regression, mini-batches or all rows.

Inside, a model is ``(width, lanes)``: inputs down (the bias is the weight of an input that is always one), classes
across, padded to a multiple of four.  Classes are the vector lanes of the products ``rows model`` and ``rows'
residuals`` alike: no sum runs across a vector, so none is reordered to make it fast, and nothing is transposed.
Padding classes start from the score ``-inf``: their probability, and with it their gradient, is zero.  Scratch is
flat, entry ``(i, j)`` of ``(n, m)`` being ``i m + j``.

Features are padded with zeros to ``width`` doubles, a multiple of four; client ``k`` owns the rows
``starts[k] .. starts[k+1]-1``.  All arithmetic of a run is in the run's own order.
"""

from __future__ import annotations

import math

import numpy as np

from fltheory.kernels._exp import exp_nonpositive
from fltheory.kernels._random import choose
from fltheory.kernels._tile import tile
from fltheory.kernels.jit import kernel
from fltheory.kinds import Array

#: Rows per block where all rows of a client are used.
BLOCK = 32


@kernel
def forward(
    scores: Array,
    tops: Array,
    model: Array,
    features: Array,
    picked: Array,
    count: int,
    inputs: int,
    classes: int,
    lanes: int,
) -> None:
    """``scores[i] = features[picked[i]] model``, and ``tops[i]`` their maximum; ``picked`` has room for whole fours."""
    for i in range(count, count + (-count) % 4):
        picked[i] = picked[0]
    for i in range(count + (-count) % 4):
        for c in range(lanes):
            scores[i * lanes + c] = 0.0 if c < classes else -np.inf
    for first in range(0, count, 4):
        for c in range(0, lanes, 12):
            tile(scores, first, features, features.shape[1], picked, inputs, model, lanes, c, 0)
    for i in range(count):
        top = scores[i * lanes]
        for c in range(1, classes):
            top = max(top, scores[i * lanes + c])
        tops[i] = top


@kernel
def exponentials(scores: Array, tops: Array, count: int, lanes: int) -> None:
    """``scores <- exp(scores - top)`` per sample; ``tops <-`` the sums of these.  Padding gives zeros."""
    for i in range(count):
        top = tops[i]
        for c in range(lanes):
            scores[i * lanes + c] -= top
    for j in range(count * lanes):  # one long loop: short ones per sample are not vectorised
        scores[j] = exp_nonpositive(scores[j])
    for i in range(count):
        total = 0.0
        for j in range(i * lanes, (i + 1) * lanes, 4):
            total += (scores[j] + scores[j + 1]) + (scores[j + 2] + scores[j + 3])
        tops[i] = total


@kernel
def add_gradient(
    out: Array,
    factor: float,
    model: Array,
    features: Array,
    labels: Array,
    picked: Array,
    count: int,
    inputs: int,
    classes: int,
    lanes: int,
    scores: Array,
    tops: Array,
) -> None:
    """``out += factor sum_i x_i (softmax(x_i model) - onehot(label_i))'`` over ``count`` picked rows."""
    forward(scores, tops, model, features, picked, count, inputs, classes, lanes)
    exponentials(scores, tops, count, lanes)
    for i in range(count):
        share = factor / tops[i]
        for c in range(lanes):
            scores[i * lanes + c] *= share
        scores[i * lanes + labels[picked[i]]] -= factor
    for first in range(0, features.shape[1], 4):
        for c in range(0, lanes, 12):
            tile(out, first, features, features.shape[1], picked, count, scores, lanes, c, 1)


@kernel
def spread(model: Array, w: Array, lanes: int) -> None:
    """``(classes, inputs)`` into the layout of these kernels; what is padding stays as it is."""
    for c in range(w.shape[0]):
        for f in range(w.shape[1]):
            model[f * lanes + c] = w[c, f]


@kernel
def walk(
    out: Array,
    x: Array,
    keep: float,
    clients: Array,
    keys: Array,
    first: int,
    rates: Array,
    shift: Array,
    scales: Array,
    features: Array,
    labels: Array,
    starts: Array,
    inputs: int,
    modulus: float,
    size: int,
    replacement: bool,
) -> None:
    """``out`` after ``x <- keep x - rates[i] (g(x) + shift)``, batches of ``size`` rows (0: all rows)."""
    runs, slots, classes, _ = x.shape
    width, lanes = features.shape[1], classes + (-classes) % 4
    block = size if size > 0 else BLOCK
    padded = block + (-block) % 4
    picked = np.empty(padded, dtype=np.int64)
    scores, tops = np.empty(padded * lanes), np.empty(padded)
    model, moved = np.zeros(width * lanes), np.zeros(width * lanes)
    extra = np.zeros(width * lanes if shift.shape[0] > 0 else 0)
    for run in range(runs):
        for slot in range(slots):
            k = clients[run, slot]
            begin, count = starts[k], starts[k + 1] - starts[k]
            terms = size if size > 0 else count
            spread(model, x[run, slot], lanes)
            if shift.shape[0] > 0:
                spread(extra, shift[run, slot], lanes)
            for step in range(rates.shape[0]):
                rate = rates[step]
                kept, factor = keep - rate * scales[k] * modulus, -rate * scales[k] / terms
                for j in range(width * lanes):
                    moved[j] = kept * model[j]
                for j in range(extra.shape[0]):
                    moved[j] -= rate * extra[j]
                if size > 0:
                    choose(picked[:size], keys[run, slot], first + step, count, replacement)
                for base in range(0, terms, block):
                    part = min(block, terms - base)
                    for i in range(part):
                        picked[i] = begin + (picked[i] if size > 0 else base + i)
                    add_gradient(
                        moved, factor, model, features, labels, picked, part, inputs, classes, lanes, scores, tops
                    )
                model, moved = moved, model
            for c in range(classes):
                for f in range(inputs):
                    out[run, slot, c, f] = model[f * lanes + c]


@kernel
def gradients(
    out: Array,
    x: Array,
    clients: Array,
    keys: Array,
    step: int,
    scales: Array,
    features: Array,
    labels: Array,
    starts: Array,
    inputs: int,
    modulus: float,
    size: int,
    replacement: bool,
) -> None:
    """One gradient per run and slot, a step of length -1 from nowhere; ``out, x`` are ``(runs, slots, classes, inputs)``."""
    walk(
        out,
        x,
        0.0,
        clients,
        keys,
        step,
        np.full(1, -1.0),
        np.empty((0, 0, 0, 0)),
        scales,
        features,
        labels,
        starts,
        inputs,
        modulus,
        size,
        replacement,
    )


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
    labels: Array,
    starts: Array,
    inputs: int,
    modulus: float,
    size: int,
    replacement: bool,
) -> None:
    """In place: ``x <- x - rates[i] (g(x) + shift)``, draws numbered from ``first``; an empty shift is zero."""
    walk(
        x,
        x,
        1.0,
        clients,
        keys,
        first,
        rates,
        shift,
        scales,
        features,
        labels,
        starts,
        inputs,
        modulus,
        size,
        replacement,
    )


@kernel
def values(
    out: Array, w: Array, features: Array, labels: Array, starts: Array, inputs: int, weights: Array, modulus: float
) -> None:
    """``F(w) = sum_k p_k mean_i (log sum exp - own score) + modulus |w|^2/2``; ``w`` is ``(runs, classes, inputs)``."""
    runs, classes, _ = w.shape
    width, lanes = features.shape[1], classes + (-classes) % 4
    picked, model = np.empty(BLOCK, dtype=np.int64), np.zeros(width * lanes)
    scores, tops = np.empty(BLOCK * lanes), np.empty(BLOCK)
    for run in range(runs):
        spread(model, w[run], lanes)
        value = 0.0
        for k in range(weights.shape[0]):
            loss = 0.0
            for base in range(starts[k], starts[k + 1], BLOCK):
                count = min(BLOCK, starts[k + 1] - base)
                for i in range(count):
                    picked[i] = base + i
                forward(scores, tops, model, features, picked, count, inputs, classes, lanes)
                for i in range(count):
                    loss += tops[i] - scores[i * lanes + labels[base + i]]
                exponentials(scores, tops, count, lanes)
                for i in range(count):
                    loss += math.log(tops[i])
            value += weights[k] * (loss / (starts[k + 1] - starts[k]))
        square = 0.0
        for j in range(width * lanes):
            square += model[j] * model[j]
        out[run] = value + 0.5 * modulus * square
