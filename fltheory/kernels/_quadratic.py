"""Kernels of dense quadratics ``A_k x - b_k``, with exact gradients or noise that does not depend on the point.

All steps of a client come before those of the next, and a slot's client is served for all runs in a row, so that
``A_k`` stays in cache.  A product is a sum over columns in fixed order: its bits depend neither on threads nor on how
many runs share a call.
``columns[k, j]`` is column ``j`` of ``A_k``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.kernels._dense import LOADING, MIRRORED, TOGETHER, add_mirrored, add_products, alike, by_client
from fltheory.kernels._random import fold, normals, uniform
from fltheory.kernels.jit import kernel
from fltheory.kinds import Array

EXACT, SCALAR, GAUSSIAN, FINITE = 0, 1, 2, 3
#: Dimensions from which on eight columns are added at a time.
WIDE = 32
#: Dimensions from which on points of one client are served side by side.
TILED = 8


@kernel
def add_product(out: Array, columns: Array, x: Array, sign: float) -> None:
    """``out <- out + sign * A x``."""
    d = x.shape[0]
    whole = d - d % 8 if d >= WIDE else 0
    for j in range(0, whole, 8):
        x0, x1, x2, x3 = sign * x[j], sign * x[j + 1], sign * x[j + 2], sign * x[j + 3]
        x4, x5, x6, x7 = sign * x[j + 4], sign * x[j + 5], sign * x[j + 6], sign * x[j + 7]
        for i in range(d):
            total = out[i] + columns[j, i] * x0
            total += columns[j + 1, i] * x1
            total += columns[j + 2, i] * x2
            total += columns[j + 3, i] * x3
            total += columns[j + 4, i] * x4
            total += columns[j + 5, i] * x5
            total += columns[j + 6, i] * x6
            out[i] = total + columns[j + 7, i] * x7
    for j in range(whole, d):
        factor = sign * x[j]
        for i in range(d):
            out[i] += columns[j, i] * factor


@kernel
def add_noise(
    out: Array, scratch: Array, kind: int, roots: Array, support: Array, edges: Array, key: Any, step: int
) -> None:
    """``out <- out + xi``: a scalar times normals, a root times normals, or one of finitely many points."""
    d = out.shape[0]
    if kind == FINITE:
        u = uniform(fold(key, step), 0)
        index = 0
        while index < edges.shape[0] - 1 and u >= edges[index]:
            index += 1
        for i in range(d):
            out[i] += support[index, i]
    elif kind == GAUSSIAN:
        normals(scratch, key, step)
        add_product(out, roots, scratch, 1.0)
    elif kind == SCALAR:
        normals(scratch, key, step)
        for i in range(d):
            out[i] += roots[0, 0] * scratch[i]


@kernel
def slopes(
    out: Array,
    scratch: Array,
    x: Array,
    many: int,
    columns: Array,
    vector: Array,
    kind: int,
    roots: Array,
    support: Array,
    edges: Array,
    keys: Array,
    step: int,
    symmetric: bool,
    coming: Array,
    turn: int,
) -> None:
    """``out[m] <- A x[m] - b + xi_m`` for ``many`` rows of one client."""
    d = vector.shape[0]
    for m in range(many):
        for i in range(d):
            out[m, i] = -vector[i]
    if many > 1:
        add_products(out, columns, x, many)
    elif symmetric and d >= MIRRORED:
        add_mirrored(out[0], columns, x[0], coming, turn)
    else:
        add_product(out[0, :d], columns, x[0, :d], 1.0)
    if kind == GAUSSIAN and many > 1:
        for m in range(many):
            normals(scratch[m, :d], keys[m], step)
        add_products(out, roots, scratch, many)
    elif kind != EXACT:
        for m in range(many):
            add_noise(out[m, :d], scratch[m, :d], kind, roots, support, edges, keys[m], step)


@kernel
def gradients(
    out: Array,
    x: Array,
    clients: Array,
    keys: Array,
    step: int,
    scales: Array,
    columns: Array,
    vectors: Array,
    kind: int,
    roots: Array,
    support: Array,
    edges: Array,
    symmetric: bool,
) -> None:
    """One gradient per run and slot: ``out, x`` are ``(runs, slots, d)``, ``clients, keys`` ``(runs, slots)``."""
    several(
        out,
        x,
        clients,
        keys,
        step,
        np.empty(0),
        x[:0],
        scales,
        columns,
        vectors,
        kind,
        roots,
        support,
        edges,
        symmetric,
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
    columns: Array,
    vectors: Array,
    kind: int,
    roots: Array,
    support: Array,
    edges: Array,
    symmetric: bool,
) -> None:
    """In place: ``x <- x - rates[i] (g(x) + shift)``, draws numbered from ``first``; an empty shift is zero.

    ``symmetric`` says that the matrices are, to the last bit.
    """
    several(x, x, clients, keys, first, rates, shift, scales, columns, vectors, kind, roots, support, edges, symmetric)


@kernel
def several(
    out: Array,
    x: Array,
    clients: Array,
    keys: Array,
    first: int,
    rates: Array,
    shift: Array,
    scales: Array,
    columns: Array,
    vectors: Array,
    kind: int,
    roots: Array,
    support: Array,
    edges: Array,
    symmetric: bool,
) -> None:
    """``out <-`` the points after all steps, or, where there are no rates, gradients; points of one client side by side."""
    runs, slots, d = x.shape
    asked, steps = rates.shape[0] == 0, max(1, rates.shape[0])
    total, shifted, width = runs * slots, shift.shape[0] > 0, d + 16 - d % 8
    order, members = np.empty(total, dtype=np.int64), clients.reshape(total)
    by_client(order, members, vectors.shape[0])
    rows = min(total, TOGETHER) + 8
    points, slope, scratch = np.zeros((rows, width)), np.zeros((rows, width)), np.zeros((rows, width))
    own = np.empty(rows, dtype=np.uint64)
    at = 0
    while at < total:
        k = members[order[at]]
        many = alike(order, members, at) if d >= TILED else 1
        after = members[order[at + many]] if at + many < total else k
        coming = columns[after] if after != k else columns[k, :0]
        for m in range(many):
            run, slot = order[at + m] // slots, order[at + m] % slots
            own[m] = keys[run, slot]
            for i in range(d):
                points[m, i] = x[run, slot, i]
        late = max(steps - LOADING, 0)  # what is loaded too early does not stay in the cache
        for step in range(steps):
            data = (columns[k], vectors[k], kind, roots[k % roots.shape[0]], support[k % support.shape[0]], edges)
            slopes(slope, scratch, points, many, *data, own, first + step, symmetric, coming, step - late)
            for m in range(many):
                run, slot = order[at + m] // slots, order[at + m] % slots
                for i in range(d):
                    slope[m, i] *= scales[k]
                if asked:
                    for i in range(d):
                        out[run, slot, i] = slope[m, i]
                    continue
                if shifted:
                    for i in range(d):
                        slope[m, i] += shift[run, slot, i]
                for i in range(d):
                    points[m, i] -= rates[step] * slope[m, i]
        if not asked:
            for m in range(many):
                run, slot = order[at + m] // slots, order[at + m] % slots
                for i in range(d):
                    out[run, slot, i] = points[m, i]
        at += many


@kernel
def power_maps(
    maps: Array, sums: Array, offsets: Array, columns: Array, vectors: Array, scales: Array, rate: float, steps: int
) -> None:
    """``steps`` exact steps of every client as one map ``x -> P x + S (scale b - shift)``, by repeated squaring.

    ``P = (I - rate scale A)^steps`` and ``S = rate sum_{i<steps} (I - rate scale A)^i``; written as columns into
    ``maps`` and ``sums``, and ``S scale b`` into ``offsets``.
    """
    n, d = vectors.shape
    one, power, total, work = np.empty((d, d)), np.empty((d, d)), np.empty((d, d)), np.empty((d, d))
    for k in range(n):
        for i in range(d):
            for j in range(d):
                one[i, j] = (1.0 if i == j else 0.0) - rate * scales[k] * columns[k, i, j]
                power[i, j] = one[i, j]
                total[i, j] = rate if i == j else 0.0
        bit = 1
        while 2 * bit <= steps:
            bit *= 2
        bit //= 2
        while bit > 0:
            multiply(work, power, total)
            for i in range(d):
                for j in range(d):
                    total[i, j] += work[i, j]
            multiply(work, power, power)
            for i in range(d):
                for j in range(d):
                    power[i, j] = work[i, j]
            if steps & bit:
                multiply(work, one, total)
                for i in range(d):
                    for j in range(d):
                        total[i, j] = work[i, j] + (rate if i == j else 0.0)
                multiply(work, one, power)
                for i in range(d):
                    for j in range(d):
                        power[i, j] = work[i, j]
            bit //= 2
        for i in range(d):
            offsets[k, i] = 0.0
            for j in range(d):
                maps[k, i, j] = power[i, j]
                sums[k, i, j] = total[i, j]
        add_product(offsets[k], sums[k], vectors[k], scales[k])


@kernel
def multiply(out: Array, left: Array, right: Array) -> None:
    """``out <- left right`` in fixed order."""
    d = out.shape[0]
    for i in range(d):
        for j in range(d):
            out[i, j] = 0.0
        for m in range(d):
            factor = left[i, m]
            for j in range(d):
                out[i, j] += factor * right[m, j]


@kernel
def apply_maps(out: Array, x: Array, clients: Array, shift: Array, maps: Array, sums: Array, offsets: Array) -> None:
    """``out <- P x + S scale b - S shift`` for every run and slot."""
    runs, slots, d = x.shape
    shifted = shift.shape[0] > 0
    for slot in range(slots):
        for run in range(runs):
            k = clients[run, slot]
            for i in range(d):
                out[run, slot, i] = offsets[k, i]
            add_product(out[run, slot], maps[k], x[run, slot], 1.0)
            if shifted:
                add_product(out[run, slot], sums[k], shift[run, slot], -1.0)


@kernel
def quadratic_forms(out: Array, w: Array, columns: Array) -> None:
    """``out[run] <- w'Aw/2``."""
    runs, d = w.shape
    image = np.empty(d)
    for run in range(runs):
        for i in range(d):
            image[i] = 0.0
        add_product(image, columns, w[run], 1.0)
        total = 0.0
        for i in range(d):
            total += w[run, i] * image[i]
        out[run] = 0.5 * total
