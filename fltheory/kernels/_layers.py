"""The layers of a network inside kernels: their layout, forwards and backwards through ReLU layers and a softmax.

A network with one output has binary cross-entropy instead, ``log(1 + exp(-y s))`` with ``y`` in ``{-1, 1}``.

All layers lie in one flat array, padded to multiples of eight, the outputs to one of four: layer ``l`` is ``(rows, lanes)``,
inputs down and units across, and one more row for the bias.  Outside a model is ``(d,)``: ``W_l`` ``(inputs, outputs)`` row by
row, then ``b_l``, for one layer after the other; with one output ``W_l`` is ``(outputs, inputs)``, as in
:class:`fltheory.problems.network.NetworkProblem`.  The features of all clients are flat, too, padded as the first layer's inputs.
What the layers receive and send back for the rows of a block is flat, too, that of layer ``l`` being ``(block, lanes)`` from
``block * shape[3, l]`` on.

Units are the vector lanes of all products, so that no sum runs across a vector and none is reordered to make it fast.  Padding
units have weights zero and stay zero; padding classes start from the score ``-inf``,.
"""

from __future__ import annotations

import numpy as np

from fltheory.kernels._exp import exp_nonpositive
from fltheory.kernels._linear import LOGISTIC, slope
from fltheory.kernels._panel import ACROSS, panel
from fltheory.kernels.jit import kernel
from fltheory.kinds import Array


@kernel
def table(units: Array) -> Array:
    """``(4, L + 1)``: inputs padded, units padded, where a layer begins in the model and in a row of outputs, for each layer.

    The last column holds the whole lengths; its first entry is the most padded units of a layer.
    """
    layers = units.shape[0] - 1
    shape = np.zeros((4, layers + 1), dtype=np.int64)
    for layer in range(layers):
        multiple = 4 if layer == layers - 1 else 8
        m, n = units[layer] + (-units[layer]) % 8, units[layer + 1] + (-units[layer + 1]) % multiple
        shape[0, layer], shape[1, layer] = m, n
        shape[2, layer + 1] = shape[2, layer] + (m + 1) * n
        shape[3, layer + 1] = shape[3, layer] + n
        shape[0, layers] = max(shape[0, layers], n)
    return shape


@kernel
def spread(model: Array, w: Array, units: Array, shape: Array) -> None:
    """``(d,)`` into the layout of these kernels; what is padding stays as it is."""
    place = 0
    for layer in range(units.shape[0] - 1):
        rows, lanes, begin = shape[0, layer], shape[1, layer], shape[2, layer]
        inputs, outputs = units[layer], units[layer + 1]
        if units[units.shape[0] - 1] == 1:
            for c in range(outputs):
                for f in range(inputs):
                    at = begin + f * lanes + c
                    model[at] = w[place]
                    place += 1
        else:
            for f in range(inputs):
                for c in range(outputs):
                    at = begin + f * lanes + c
                    model[at] = w[place]
                    place += 1
        for c in range(outputs):
            at = begin + rows * lanes + c
            model[at] = w[place]
            place += 1


@kernel
def gather(w: Array, model: Array, units: Array, shape: Array) -> None:
    """The opposite of ``spread``."""
    place = 0
    for layer in range(units.shape[0] - 1):
        rows, lanes, begin = shape[0, layer], shape[1, layer], shape[2, layer]
        inputs, outputs = units[layer], units[layer + 1]
        if units[units.shape[0] - 1] == 1:
            for c in range(outputs):
                for f in range(inputs):
                    at = begin + f * lanes + c
                    w[place] = model[at]
                    place += 1
        else:
            for f in range(inputs):
                for c in range(outputs):
                    at = begin + f * lanes + c
                    w[place] = model[at]
                    place += 1
        for c in range(outputs):
            at = begin + rows * lanes + c
            w[place] = model[at]
            place += 1


@kernel
def forward(
    outs: Array,
    tops: Array,
    model: Array,
    features: Array,
    picked: Array,
    order: Array,
    count: int,
    block: int,
    units: Array,
    shape: Array,
    ahead: Array,
) -> None:
    """Outputs of every layer on the picked rows, and ``tops``, the largest scores; ``picked`` has room for whole eights.

    The rows ``ahead`` are fetched meanwhile, if there are any: as many as ``picked`` has.
    """
    last, nothing = units.shape[0] - 2, ahead[:0]
    padded = count + (-count) % 8
    for i in range(count, padded):
        picked[i] = picked[0]
    for layer in range(last + 1):
        rows, lanes, begin = shape[0, layer], shape[1, layer], shape[2, layer]
        out = outs[block * shape[3, layer] : block * shape[3, layer + 1]]
        for i in range(padded):
            for c in range(lanes):
                out[i * lanes + c] = model[begin + rows * lanes + c]
            if layer == last and units[layer + 1] > 1:
                for c in range(units[layer + 1], lanes):
                    out[i * lanes + c] = -np.inf
        right = model[begin : begin + rows * lanes]
        if layer == 0:
            left, chosen = features, picked
        else:
            left, chosen = outs[block * shape[3, layer - 1] : block * shape[3, layer]], order
        coming = ahead if layer == 0 else nothing
        for first in range(0, padded, 8):
            for c in range(0, lanes, ACROSS):
                panel(out, first, left, rows, chosen, units[layer], right, lanes, c, 0, coming)
        if layer < last:
            for j in range(padded * lanes):
                out[j] = 0.0 if out[j] < 0.0 else out[j]  # NaN stays
    lanes = shape[1, last]
    base = block * shape[3, last]
    for i in range(count):
        top = outs[base + i * lanes]
        for c in range(1, units[last + 1]):
            top = max(top, outs[base + i * lanes + c])
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
    moved: Array,
    factor: float,
    model: Array,
    features: Array,
    labels: Array,
    picked: Array,
    order: Array,
    count: int,
    block: int,
    units: Array,
    shape: Array,
    outs: Array,
    backs: Array,
    turned: Array,
    tops: Array,
    ahead: Array,
) -> None:
    """``moved += factor`` times the sum of the gradients of the picked rows' losses."""
    last, nothing = units.shape[0] - 2, ahead[:0]
    padded = count + (-count) % 8
    forward(outs, tops, model, features, picked, order, count, block, units, shape, ahead)
    lanes = shape[1, last]
    above = outs[block * shape[3, last] : block * shape[3, last + 1]]
    if units[last + 1] == 1:
        for i in range(count):
            tops[i] *= labels[picked[i]]
        for i in range(count):
            tops[i] = slope(tops[i], 1.0, LOGISTIC)
        for i in range(count):
            above[i * lanes] = factor * (tops[i] * labels[picked[i]])
            for c in range(1, lanes):
                above[i * lanes + c] = 0.0
    else:
        exponentials(above, tops, count, lanes)
        for i in range(count):
            share = factor / tops[i]
            for c in range(lanes):
                above[i * lanes + c] *= share
            above[i * lanes + labels[picked[i]]] -= factor
    for layer in range(last, -1, -1):
        rows, lanes, begin = shape[0, layer], shape[1, layer], shape[2, layer]
        into = moved[begin : begin + rows * lanes]
        if layer == 0:
            left, chosen = features, picked
        else:
            left, chosen = outs[block * shape[3, layer - 1] : block * shape[3, layer]], order
        for first in range(0, rows, 8):
            for c in range(0, lanes, ACROSS):
                panel(into, first, left, rows, chosen, count, above, lanes, c, 1, nothing)
        for i in range(count):
            for c in range(lanes):
                moved[begin + rows * lanes + c] += above[i * lanes + c]
        if layer > 0:
            for f in range(rows):
                for c in range(lanes):
                    turned[c * rows + f] = model[begin + f * lanes + c]
            below = backs[block * shape[3, layer - 1] : block * shape[3, layer]]
            for j in range(padded * rows):
                below[j] = 0.0
            right = turned[: rows * lanes]
            for first in range(0, padded, 8):
                for c in range(0, rows, ACROSS):
                    panel(below, first, above, lanes, order, units[layer + 1], right, rows, c, 0, nothing)
            flat = outs[block * shape[3, layer - 1] : block * shape[3, layer]]
            for j in range(padded * rows):
                below[j] = below[j] if flat[j] > 0.0 else 0.0
            above = below
