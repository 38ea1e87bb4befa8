"""Exact local steps of all clients as maps, at the speed of a matrix product: the tiles of :mod:`fltheory.kernels._affine`.

Every sum runs in the order of :func:`fltheory.kernels._quadratic.power_maps` and :func:`fltheory.kernels._quadratic.apply_maps`,
which are their twins: same bits, several times faster in large dimensions.
"""

from __future__ import annotations

import numpy as np

from fltheory.kernels._affine import ACROSS, VECTOR, tile
from fltheory.kernels._dense import by_client
from fltheory.kernels._quadratic import local_sgd
from fltheory.kernels.jit import kernel
from fltheory.kinds import Array


@kernel
def multiply(out: Array, left: Array, right: Array, rows: int, lanes: int) -> None:
    """``out <- left right`` for flat matrices of ``rows`` rows and columns, each row padded to ``lanes`` entries."""
    for i in range(rows * lanes):
        out[i] = 0.0
    c = 0
    while c < lanes:
        left_over = (lanes - c) // VECTOR
        parts = (left_over + ACROSS - 1) // ACROSS
        across = (left_over + parts - 1) // parts
        first = 0
        while first < rows:
            if rows - first >= 4:
                tile(out, left, first, rows, right, lanes, c, across, 4)
                first += 4
            else:
                tile(out, left, first, rows, right, lanes, c, across, 1)
                first += 1
        c += VECTOR * across


@kernel
def power_maps(
    maps: Array, sums: Array, offsets: Array, columns: Array, vectors: Array, scales: Array, rate: float, steps: int
) -> None:
    """``steps`` exact steps of every client as one map ``x -> P x + S (scale b - shift)``, by repeated squaring."""
    n, d = vectors.shape
    lanes = (d + VECTOR - 1) // VECTOR * VECTOR
    one, power = np.zeros(d * lanes), np.zeros(d * lanes)
    total, work = np.zeros(d * lanes), np.zeros(d * lanes)
    for k in range(n):
        for i in range(d):
            for j in range(d):
                one[i * lanes + j] = (1.0 if i == j else 0.0) - rate * scales[k] * columns[k, i, j]
                power[i * lanes + j] = one[i * lanes + j]
                total[i * lanes + j] = rate if i == j else 0.0
        bit = 1
        while 2 * bit <= steps:
            bit *= 2
        bit //= 2
        while bit > 0:
            multiply(work, power, total, d, lanes)
            for i in range(d * lanes):
                total[i] += work[i]
            multiply(work, power, power, d, lanes)
            for i in range(d * lanes):
                power[i] = work[i]
            if steps & bit:
                multiply(work, one, total, d, lanes)
                for i in range(d):
                    for j in range(d):
                        total[i * lanes + j] = work[i * lanes + j] + (rate if i == j else 0.0)
                multiply(work, one, power, d, lanes)
                for i in range(d * lanes):
                    power[i] = work[i]
            bit //= 2
        for i in range(d):
            offsets[k, i] = 0.0
            for j in range(d):
                maps[k, i, j] = power[i * lanes + j]
                sums[k, i, j] = total[i * lanes + j]
        for j in range(d):
            factor = scales[k] * vectors[k, j]
            for i in range(d):
                offsets[k, i] += sums[k, j, i] * factor


@kernel
def apply_shared(out: Array, x: Array, clients: Array, maps: Array, offsets: Array) -> None:
    """``out <- P x + S scale b`` where all runs have the client ``clients[slot]`` in a slot; ``maps`` is ``(N, d, lanes)``.

    Twin: :func:`fltheory.kernels._quadratic.apply_maps`.
    """
    runs, slots, d = x.shape
    lanes = maps.shape[2]
    points, images = np.zeros(runs * lanes), np.zeros(runs * lanes)
    for slot in range(slots):
        k = clients[slot]
        right = maps[k].reshape(d * lanes)
        for run in range(runs):
            for i in range(d):
                points[run * lanes + i] = x[run, slot, i]
                images[run * lanes + i] = offsets[k, i]
        c = 0
        while c < lanes:
            left_over = (lanes - c) // VECTOR
            parts = (left_over + ACROSS - 1) // ACROSS
            across = (left_over + parts - 1) // parts
            first = 0
            while first < runs:
                if runs - first >= 4:
                    tile(images, points, first, d, right, lanes, c, across, 4)
                    first += 4
                else:
                    tile(images, points, first, d, right, lanes, c, across, 1)
                    first += 1
            c += VECTOR * across
        for run in range(runs):
            for i in range(d):
                out[run, slot, i] = images[run * lanes + i]


@kernel
def find_map(rates: Array, counts: Array, asked: Array) -> int:
    """Where the map of the steps ``asked`` stands in a table sorted by rate, or -1: one step, unequal ones, or no such map."""
    steps = asked.shape[0]
    if steps < 2:
        return -1
    for i in range(1, steps):
        if asked[i] != asked[0]:
            return -1
    low, high = 0, rates.shape[0]
    while low < high:
        middle = (low + high) // 2
        if rates[middle] < asked[0]:
            low = middle + 1
        else:
            high = middle
    while low < rates.shape[0] and rates[low] == asked[0]:
        if counts[low] == steps:
            return low
        low += 1
    return -1


@kernel
def apply_sorted(x: Array, shift: Array, clients: Array, maps: Array, sums: Array, offsets: Array) -> None:
    """In place ``x <- P x + S scale b - S shift`` for flat vectors of ``clients``, four of one client at a time.

    An empty ``shift`` is zero.  Twin: :func:`fltheory.kernels._quadratic.apply_maps`.
    """
    many, d, lanes = clients.shape[0], maps.shape[1], maps.shape[2]
    shifted = shift.shape[0] > 0
    order = np.empty(many, dtype=np.int64)
    by_client(order, clients, maps.shape[0])
    points, images, pulls = np.empty(4 * lanes), np.zeros(4 * lanes), np.empty(4 * lanes)
    at = 0
    while at < many:
        k = clients[order[at]]
        beside = 1
        if (
            at + 4 <= many
            and clients[order[at + 1]] == k
            and clients[order[at + 2]] == k
            and clients[order[at + 3]] == k
        ):
            beside = 4
        right, left = maps[k].reshape(d * lanes), sums[k].reshape(d * lanes)
        for r in range(beside):
            begin = order[at + r] * d
            for i in range(d):
                points[r * lanes + i] = x[begin + i]
                images[r * lanes + i] = offsets[k, i]
            if shifted:
                for i in range(d):
                    pulls[r * lanes + i] = -shift[begin + i]
        c = 0
        while c < lanes:
            left_over = (lanes - c) // VECTOR
            parts = (left_over + ACROSS - 1) // ACROSS
            across = (left_over + parts - 1) // parts
            if beside == 4:
                tile(images, points, 0, d, right, lanes, c, across, 4)
                if shifted:
                    tile(images, pulls, 0, d, left, lanes, c, across, 4)
            else:
                tile(images, points, 0, d, right, lanes, c, across, 1)
                if shifted:
                    tile(images, pulls, 0, d, left, lanes, c, across, 1)
            c += VECTOR * across
        for r in range(beside):
            begin = order[at + r] * d
            for i in range(d):
                x[begin + i] = images[r * lanes + i]
        at += beside


@kernel
def local_maps(
    x: Array,
    clients: Array,
    keys: Array,
    first: int,
    rates: Array,
    shift: Array,
    scales: Array,
    runs: int,
    table: Array,
    counts: Array,
    maps: Array,
    sums: Array,
    offsets: Array,
    columns: Array,
    vectors: Array,
    kind: int,
    roots: Array,
    support: Array,
    edges: Array,
    symmetric: bool,
) -> None:
    """In place: local steps of flat vectors, by their map where the table has it, else step by step.

    ``maps`` and ``sums`` are ``(maps, N, d, lanes)``, ``offsets`` ``(maps, N, d)``, of the rates ``table`` and of ``counts`` steps.
    """
    at = find_map(table, counts, rates)
    if at >= 0:
        apply_sorted(x, shift, clients, maps[at], sums[at], offsets[at])
        return
    slots, d = clients.shape[0] // runs, vectors.shape[1]
    points, members, own = x.reshape(runs, slots, d), clients.reshape(runs, slots), keys.reshape(runs, slots)
    extra = shift.reshape(runs, slots, d) if shift.shape[0] > 0 else np.empty((0, 0, d))
    data = (columns, vectors, kind, roots, support, edges, symmetric)
    local_sgd(points, members, own, first, rates, extra, scales, *data)
