"""Kernels of softmax regression, mini-batches or all rows.

Inside, a model is ``(classes, width)``: the bias is the weight of an input that is always one, and features are padded with
zeros to ``width`` doubles, a multiple of eight.  Vector lanes are the rows of a batch in the products ``model rows``, for which
a batch is turned, and the features in ``residuals' rows``: no sum runs across a vector, none is reordered to make it fast, and
every lane works.  Scores are ``(classes, eights)``, rows of a batch up to whole eights.  Models are flat, entry
``(i, j)`` of ``(n, m)`` being ``i m + j``.

Client ``k`` owns the rows ``starts[k] .. starts[k+1]-1``.  All arithmetic of a run is in the run's own order.
"""

from __future__ import annotations

import math

import numpy as np

from fltheory.kernels._exp import exp_nonpositive
from fltheory.kernels._product import columns, product
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
    turned: Array,
    none: Array,
) -> None:
    """``scores[c, i] = model[c] features[picked[i]]``; ``picked`` has room for whole eights, as many as scores have columns."""
    width = features.shape[1]
    classes, eights = scores.shape
    for i in range(count, eights):
        picked[i] = picked[0]
    columns(turned, features, width, picked, eights)
    product(scores, classes, eights, model, 0.0, model, width, turned, none, inputs, 0, none)


@kernel
def maxima(tops: Array, scores: Array) -> None:
    """``tops[i]``, the largest score of a row."""
    classes, eights = scores.shape
    for i in range(eights):
        tops[i] = scores[0, i]
    for c in range(1, classes):
        for i in range(eights):
            score = scores[c, i]
            tops[i] = score if score > tops[i] else tops[i]


@kernel
def exponentials(scores: Array, tops: Array, sums: Array) -> None:
    """``scores <- exp(scores - top)``; ``sums``, the sums of these over classes, four side by side."""
    classes, eights = scores.shape
    for c in range(classes):
        for i in range(eights):
            scores[c, i] -= tops[i]
    for c in range(classes):
        for i in range(eights):
            scores[c, i] = exp_nonpositive(scores[c, i])
    for i in range(eights):
        sums[i] = 0.0
    fours = classes - classes % 4
    for c in range(0, fours, 4):
        a, b, x, y = scores[c], scores[c + 1], scores[c + 2], scores[c + 3]
        for i in range(eights):
            sums[i] += (a[i] + b[i]) + (x[i] + y[i])
    if classes > fours:
        a, b, x = scores[fours], scores[min(fours + 1, classes - 1)], scores[classes - 1]
        second, third = classes - fours > 1, classes - fours > 2
        for i in range(eights):
            low = a[i] + (b[i] if second else 0.0)
            sums[i] += low + (x[i] if third else 0.0)


@kernel
def residuals(
    factor: float,
    labels: Array,
    picked: Array,
    count: int,
    scores: Array,
    tops: Array,
    sums: Array,
) -> None:
    """``scores <- factor (softmax - onehot)``."""
    classes, eights = scores.shape
    maxima(tops, scores)
    exponentials(scores, tops, sums)
    for i in range(eights):
        sums[i] = factor / sums[i]
    for c in range(classes):
        for i in range(eights):
            scores[c, i] *= sums[i]
    for i in range(count):
        scores[labels[picked[i]], i] -= factor


@kernel
def spread(model: Array, w: Array, width: int) -> None:
    """``(classes, inputs)`` into the layout of these kernels; what is padding stays as it is."""
    for c in range(w.shape[0]):
        for f in range(w.shape[1]):
            model[c * width + f] = w[c, f]


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

    ``x``, which may be ``out``, holds the models of all slots one after another, each ``classes * width`` numbers; an empty shift
    is zero.  The next batch is drawn while the present one is worked on, that of the next slot at a slot's last step, and
    fetched from memory.
    """
    slots, steps = clients.shape[0], rates.shape[0]
    width = features.shape[1]
    length = classes * width
    block = size if size > 0 else BLOCK
    padded = block + (-block) % 8
    picked, ahead = np.empty(padded, dtype=np.int64), np.empty(padded, dtype=np.int64)
    none = picked[:0]
    scores, whole = np.empty((classes, padded)), np.empty(padded * classes)
    tops, sums, turned = np.empty(padded), np.empty(padded), np.empty(padded * width)
    moved = np.empty(length if size == 0 else 0)
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
                forward(scores, model, features, picked, size, inputs, turned, none)
                residuals(factor, labels, picked, size, scores, tops, sums)
                if extra.shape[0] > 0:
                    scaled(goal, model, kept, rate, extra)
                    model, kept = goal, 1.0
                product(goal, classes, width, model, kept, scores, padded, features, picked, size, 1, ahead)
            else:
                scaled(moved, model, kept, rate, extra)
                for base in range(0, terms, block):
                    part = min(block, terms - base)
                    for i in range(part):
                        picked[i] = begin + base + i
                    eights = part + (-part) % 8
                    some = whole[: classes * eights].reshape((classes, eights))
                    forward(some, model, features, picked, part, inputs, turned, none)
                    residuals(factor, labels, picked, part, some, tops, sums)
                    product(moved, classes, width, moved, 1.0, some, eights, features, picked, part, 1, none)
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
    width = features.shape[1]
    length = classes * width
    models = np.zeros(slots * length)
    extra = np.zeros(slots * length if shift.shape[0] > 0 else 0)
    for run in range(runs):
        for slot in range(slots):
            spread(models[slot * length : (slot + 1) * length], x[run, slot], width)
            if shift.shape[0] > 0:
                spread(extra[slot * length : (slot + 1) * length], shift[run, slot], width)
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
                    out[run, slot, c, f] = models[slot * length + c * width + f]


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
    width = features.shape[1]
    picked, model = np.empty(BLOCK, dtype=np.int64), np.zeros(classes * width)
    none = picked[:0]
    whole = np.empty(BLOCK * classes)
    tops, sums, turned = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK * width)
    for run in range(runs):
        spread(model, w[run], width)
        value = 0.0
        for k in range(weights.shape[0]):
            loss = 0.0
            for base in range(starts[k], starts[k + 1], BLOCK):
                count = min(BLOCK, starts[k + 1] - base)
                for i in range(count):
                    picked[i] = base + i
                eights = count + (-count) % 8
                scores = whole[: classes * eights].reshape((classes, eights))
                forward(scores, model, features, picked, count, inputs, turned, none)
                maxima(tops, scores)
                for i in range(count):
                    loss += tops[i] - scores[labels[base + i], i]
                exponentials(scores, tops, sums)
                for i in range(count):
                    loss += math.log(sums[i])
            value += weights[k] * (loss / (starts[k + 1] - starts[k]))
        square = 0.0
        for f in range(width):
            for c in range(classes):
                square += model[c * width + f] * model[c * width + f]
        out[run] = value + 0.5 * modulus * square
