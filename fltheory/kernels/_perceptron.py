"""Kernels of networks with ReLU layers, mini-batches or all rows: softmax outputs, or one output and binary cross-entropy.

The products of the layers are in :mod:`fltheory.kernels._layers`.
The twins are ``batch_gradients`` of :class:`fltheory.problems.perceptron.PerceptronProblem` and of
:class:`fltheory.problems.network.NetworkProblem`.  All arithmetic of a run is in the run's own order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fltheory.kernels._layers import add_gradient, exponentials, forward, gather, spread, table
from fltheory.kernels._random import choose
from fltheory.kernels._softmax import BLOCK
from fltheory.kernels.jit import kernel
from fltheory.kinds import Array


@kernel
def draw(rows: Array, size: int, k: int, key: Any, step: int, starts: Array, replacement: bool) -> None:
    """The rows of a batch of client ``k``, whole eights of them: the last eight is filled up with its first row."""
    choose(rows[:size], key, step, starts[k + 1] - starts[k], replacement)
    for i in range(size):
        rows[i] += starts[k]
    for i in range(size, rows.shape[0]):
        rows[i] = rows[0]


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
    units: Array,
    modulus: float,
    size: int,
    replacement: bool,
) -> None:
    """``out`` after ``x <- keep x - rates[i] (g(x) + shift)``, batches of ``size`` rows (0: all rows).

    The next batch is drawn while the present one is worked on, that of the next slot at a slot's last step, and fetched from
    memory.
    """
    runs, slots, _ = x.shape
    rows = features.reshape(features.size)
    layers = units.shape[0] - 1
    shape = table(units)
    length = shape[2, layers]
    block = size if size > 0 else BLOCK
    block += (-block) % 8
    picked, ahead = np.zeros(block, dtype=np.int64), np.zeros(block, dtype=np.int64)
    order, tops = np.arange(block), np.empty(block)
    outs, backs = np.zeros(block * shape[3, layers]), np.zeros(block * shape[3, layers])
    turned = np.empty(shape[0, layers] * shape[0, layers])
    model, moved = np.zeros(length), np.zeros(length)
    extra = np.zeros(length if shift.shape[0] > 0 else 0)
    for run in range(runs):
        if size > 0:
            draw(ahead, size, clients[run, 0], keys[run, 0], first, starts, replacement)
        for slot in range(slots):
            k = clients[run, slot]
            begin, count = starts[k], starts[k + 1] - starts[k]
            terms = size if size > 0 else count
            spread(model, x[run, slot], units, shape)
            if shift.shape[0] > 0:
                spread(extra, shift[run, slot], units, shape)
            for step in range(rates.shape[0]):
                rate = rates[step]
                kept, factor = keep - rate * scales[k] * modulus, -rate * scales[k] / terms
                for j in range(length):
                    moved[j] = kept * model[j]
                for j in range(extra.shape[0]):
                    moved[j] -= rate * extra[j]
                coming = ahead[:0]
                if size > 0:
                    picked, ahead = ahead, picked
                    last = step == rates.shape[0] - 1
                    if not (last and slot == slots - 1):
                        s, number = (slot + 1, first) if last else (slot, first + step + 1)
                        draw(ahead, size, clients[run, s], keys[run, s], number, starts, replacement)
                        coming = ahead
                for base in range(0, terms, block):
                    part = min(block, terms - base)
                    if size == 0:
                        for i in range(part):
                            picked[i] = begin + base + i
                    add_gradient(
                        moved,
                        factor,
                        model,
                        rows,
                        labels,
                        picked,
                        order,
                        part,
                        block,
                        units,
                        shape,
                        outs,
                        backs,
                        turned,
                        tops,
                        coming,
                    )
                model, moved = moved, model
            gather(out[run, slot], model, units, shape)


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
    units: Array,
    modulus: float,
    size: int,
    replacement: bool,
) -> None:
    """One gradient per run and slot, a step of length -1 from nowhere; ``out, x`` are ``(runs, slots, d)``."""
    walk(
        out,
        x,
        0.0,
        clients,
        keys,
        step,
        np.full(1, -1.0),
        np.empty((0, 0, 0)),
        scales,
        features,
        labels,
        starts,
        units,
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
    units: Array,
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
        units,
        modulus,
        size,
        replacement,
    )


@kernel
def values(
    out: Array, w: Array, features: Array, labels: Array, starts: Array, units: Array, weights: Array, modulus: float
) -> None:
    """``F(w) = sum_k p_k mean_i (log sum exp - own score) + modulus |w|^2/2``; ``w`` is ``(runs, d)``."""
    layers = units.shape[0] - 1
    shape = table(units)
    rows = features.reshape(features.size)
    lanes, base = shape[1, layers - 1], BLOCK * shape[3, layers - 1]
    picked, order, tops = np.empty(BLOCK, dtype=np.int64), np.arange(BLOCK), np.empty(BLOCK)
    outs, model = np.zeros(BLOCK * shape[3, layers]), np.zeros(shape[2, layers])
    for run in range(w.shape[0]):
        spread(model, w[run], units, shape)
        value = 0.0
        for k in range(weights.shape[0]):
            loss = 0.0
            for begin in range(starts[k], starts[k + 1], BLOCK):
                count = min(BLOCK, starts[k + 1] - begin)
                for i in range(count):
                    picked[i] = begin + i
                forward(outs, tops, model, rows, picked, order, count, BLOCK, units, shape, picked[:0])
                if units[layers] == 1:
                    for i in range(count):
                        margin = labels[begin + i] * tops[i]
                        loss += math.log1p(math.exp(-abs(margin))) + max(-margin, 0.0)
                    continue
                for i in range(count):
                    loss += tops[i] - outs[base + i * lanes + labels[begin + i]]
                exponentials(outs[base:], tops, count, lanes)
                for i in range(count):
                    loss += math.log(tops[i])
            value += weights[k] * (loss / (starts[k + 1] - starts[k]))
        square = 0.0
        for j in range(model.shape[0]):
            square += model[j] * model[j]
        out[run] = value + 0.5 * modulus * square
