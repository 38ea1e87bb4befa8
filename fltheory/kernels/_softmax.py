"""Kernels of softmax regression, mini-batches or all rows.

Inside, a model is ``(width, lanes)``: inputs down (the bias is the weight of an input that is always one), classes
across, padded to a multiple of four.  Classes are the vector lanes of the products ``rows model`` and ``rows'
residuals`` alike: no sum runs across a vector, so none is reordered to make it fast, and nothing is transposed.
Padding classes start from the score ``-inf``: their probability, and with it their gradient, is zero.  Scratch is
flat, entry ``(i, j)`` of ``(n, m)`` being ``i m + j``.

Features are padded with zeros to ``width`` doubles, a multiple of eight; client ``k`` owns the rows
``starts[k] .. starts[k+1]-1``.  All arithmetic of a run is in the run's own order.
"""

from __future__ import annotations

import math

import numpy as np

from fltheory.kernels._exp import exp_nonpositive
from fltheory.kernels._panel import panel
from fltheory.kernels._random import choose
from fltheory.kernels.jit import kernel
from fltheory.kinds import Array

#: Rows per block where all rows of a client are used.
BLOCK = 32


@kernel
def forward(
    scores: Array,
    model: Array,
    features: Array,
    picked: Array,
    count: int,
    inputs: int,
    classes: int,
    lanes: int,
    ahead: Array,
) -> None:
    """``scores[i] = features[picked[i]] model``; ``picked`` has room for whole eights.

    The rows ``ahead`` are fetched meanwhile, if there are any: as many as ``picked`` has.
    """
    eights = count + (-count) % 8
    for i in range(count, eights):
        picked[i] = picked[0]
    for i in range(eights):
        for c in range(lanes):
            scores[i * lanes + c] = 0.0 if c < classes else -np.inf
    for first in range(0, eights, 8):
        for c in range(0, lanes, 12):
            panel(scores, first, features, features.shape[1], picked, inputs, model, lanes, c, 0, ahead)


@kernel
def maxima(tops: Array, scores: Array, count: int, classes: int, lanes: int) -> None:
    """``tops[i]``, the largest score of a sample."""
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
) -> None:
    """``out += factor sum_i x_i (softmax(x_i model) - onehot(label_i))'`` over ``count`` picked rows."""
    forward(scores, model, features, picked, count, inputs, classes, lanes, picked[:0])
    residuals(factor, labels, picked, count, lanes, scores)
    backward(out, features, picked, count, scores, lanes)


@kernel
def backward(out: Array, features: Array, picked: Array, count: int, scores: Array, lanes: int) -> None:
    """``out += sum_i x_i scores_i'`` over picked rows."""
    width = features.shape[1]
    for first in range(0, width, 8):
        for c in range(0, lanes, 12):
            panel(out, first, features, width, picked, count, scores, lanes, c, 1, picked[:0])


@kernel
def spread(model: Array, w: Array, lanes: int) -> None:
    """``(classes, inputs)`` into the layout of these kernels; what is padding stays as it is."""
    for c in range(w.shape[0]):
        for f in range(w.shape[1]):
            model[f * lanes + c] = w[c, f]


@kernel
def residuals(factor: float, labels: Array, picked: Array, count: int, lanes: int, scores: Array) -> None:
    """``scores <- factor (softmax - onehot)``."""
    for i in range(count):
        begin, end = i * lanes, (i + 1) * lanes
        a, b, c, d = scores[begin], scores[begin + 1], scores[begin + 2], scores[begin + 3]
        for j in range(begin + 4, end, 4):
            a = scores[j] if scores[j] > a else a
            b = scores[j + 1] if scores[j + 1] > b else b
            c = scores[j + 2] if scores[j + 2] > c else c
            d = scores[j + 3] if scores[j + 3] > d else d
        a, c = a if a > b else b, c if c > d else d
        top = a if a > c else c
        for j in range(begin, end, 4):
            scores[j] -= top
            scores[j + 1] -= top
            scores[j + 2] -= top
            scores[j + 3] -= top
    for j in range(count * lanes):  # one long loop: short ones per sample are not vectorised
        scores[j] = exp_nonpositive(scores[j])
    for i in range(count):
        begin, end = i * lanes, (i + 1) * lanes
        total = 0.0
        for j in range(begin, end, 4):
            total += (scores[j] + scores[j + 1]) + (scores[j + 2] + scores[j + 3])
        share = factor / total
        for j in range(begin, end, 4):
            scores[j] *= share
            scores[j + 1] *= share
            scores[j + 2] *= share
            scores[j + 3] *= share
        scores[begin + labels[picked[i]]] -= factor


@kernel
def packed(
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
    classes: int,
    modulus: float,
    size: int,
    replacement: bool,
) -> None:
    """``out`` after ``x <- keep x - rates[i] (g(x) + shift)``, batches of ``size`` rows (0: all rows).

    ``x``, which may be ``out``, holds the models of all slots one after another, each ``width * lanes`` numbers; an empty shift
    is zero.  The next batch is drawn while the present one is worked on, that of the next slot at a slot's last step, and
    fetched from memory.
    """
    slots, steps = clients.shape[0], rates.shape[0]
    width, lanes = features.shape[1], classes + (-classes) % 4
    length = width * lanes
    block = size if size > 0 else BLOCK
    padded = block + (-block) % 8
    picked, ahead = np.empty(padded, dtype=np.int64), np.empty(padded, dtype=np.int64)
    scores = np.empty(padded * lanes)
    moved = np.empty(length if size == 0 else 0)
    in_place = out.ctypes.data == x.ctypes.data
    for i in range(padded):
        picked[i], ahead[i] = 0, 0
    if size > 0:
        k = clients[0]
        choose(ahead[:size], keys[0], first, starts[k + 1] - starts[k], replacement)
        for i in range(size):
            ahead[i] += starts[k]
    for slot in range(slots):
        k = clients[slot]
        begin, count = starts[k], starts[k + 1] - starts[k]
        terms = size if size > 0 else count
        model, goal = x[slot * length : (slot + 1) * length], out[slot * length : (slot + 1) * length]
        extra = shift[slot * length : (slot + 1) * length] if shift.shape[0] > 0 else shift
        for step in range(steps):
            rate = rates[step]
            kept, factor = keep - rate * scales[k] * modulus, -rate * scales[k] / terms
            if size > 0:
                picked, ahead = ahead, picked
                last = step == steps - 1
                if not (last and slot == slots - 1):
                    after = clients[slot + 1] if last else k
                    key = keys[slot + 1] if last else keys[slot]
                    draw = first if last else first + step + 1
                    choose(ahead[:size], key, draw, starts[after + 1] - starts[after], replacement)
                    for i in range(size):
                        ahead[i] += starts[after]
                forward(scores, model, features, picked, size, inputs, classes, lanes, ahead)
                residuals(factor, labels, picked, size, lanes, scores)
                if kept != 1.0 or extra.shape[0] > 0 or (step == 0 and not in_place):
                    scaled(goal, model, kept, rate, extra)
                backward(goal, features, picked, size, scores, lanes)
            else:
                scaled(moved, model, kept, rate, extra)
                for base in range(0, terms, block):
                    part = min(block, terms - base)
                    for i in range(part):
                        picked[i] = begin + base + i
                    add_gradient(moved, factor, model, features, labels, picked, part, inputs, classes, lanes, scores)
                for j in range(length):
                    goal[j] = moved[j]
            model = goal


@kernel
def scaled(out: Array, model: Array, kept: float, rate: float, extra: Array) -> None:
    """``out <- kept model - rate extra``; ``out`` may be the model."""
    for j in range(model.shape[0]):
        out[j] = kept * model[j]
    for j in range(extra.shape[0]):
        out[j] -= rate * extra[j]


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
    """``out`` after the steps of :func:`packed`, models ``(runs, slots, classes, inputs)``."""
    runs, slots, classes, _ = x.shape
    lanes = classes + (-classes) % 4
    length = features.shape[1] * lanes
    models = np.zeros(slots * length)
    extra = np.zeros(slots * length if shift.shape[0] > 0 else 0)
    for run in range(runs):
        for slot in range(slots):
            spread(models[slot * length : (slot + 1) * length], x[run, slot], lanes)
            if shift.shape[0] > 0:
                spread(extra[slot * length : (slot + 1) * length], shift[run, slot], lanes)
        packed(
            models,
            models,
            keep,
            clients[run],
            keys[run],
            first,
            rates,
            extra,
            scales,
            features,
            labels,
            starts,
            inputs,
            classes,
            modulus,
            size,
            replacement,
        )
        for slot in range(slots):
            for c in range(classes):
                for f in range(inputs):
                    out[run, slot, c, f] = models[slot * length + f * lanes + c]


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
                forward(scores, model, features, picked, count, inputs, classes, lanes, picked[:0])
                maxima(tops, scores, count, classes, lanes)
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
