"""Products ``A_k x`` of many points at once: points in the order of their clients, so that a matrix is loaded once for all.

The entry ``i`` of a product is added to in the order of the columns ``j = 0, 1, ...``, one fused multiply-add after the other,
in all of them: how many points are served side by side, and where, does not change a bit.
"""

from __future__ import annotations

import numpy as np

from fltheory.kernels._rank import BESIDE, BLOCK, LANES, STRIP, WIDE, mirror, rank
from fltheory.kernels.jit import kernel
from fltheory.kinds import Array

#: Points of one client that are served together, and columns that are gone through before the next entries.
TOGETHER, DEPTH = 32, 64
#: Dimensions from which on half of a symmetric matrix is read, where registers are wide.
MIRRORED = 256 if WIDE else 2**62
#: Steps over which the loading of the next matrix is spread, two columns of a strip in each.
LOADING = STRIP // 2


@kernel
def by_client(order: Array, clients: Array, n: int) -> None:
    """The numbers of the vectors, those of one client one after another where vectors are many for ``n`` clients."""
    many = clients.shape[0]
    if n > 8 * many:  # hardly two of one client, and nothing here should cost as much as all clients
        for i in range(many):
            order[i] = i
        return
    begin = np.zeros(n + 1, dtype=np.int64)
    for i in range(many):
        begin[clients[i] + 1] += 1
    for k in range(n):
        begin[k + 1] += begin[k]
    for i in range(many):
        order[begin[clients[i]]] = i
        begin[clients[i]] += 1


@kernel
def alike(order: Array, clients: Array, at: int) -> int:
    """How many places from ``at`` on are of one client, at most :data:`TOGETHER`."""
    end = at + 1
    while end < order.shape[0] and end - at < TOGETHER and clients[order[end]] == clients[order[at]]:
        end += 1
    return end - at


@kernel
def add_products(out: Array, columns: Array, x: Array, many: int) -> None:
    """``out[m] <- out[m] + A x[m]`` for ``many`` rows; both have rows and entries to spare, which may be overwritten."""
    d = columns.shape[0]
    for begin in range(0, d, DEPTH):
        end = min(begin + DEPTH, d)
        for first in range(0, d, BLOCK):
            m, ahead = 0, BLOCK if first + BLOCK < d else 0
            while m < many:
                left = many - m
                if BESIDE == 8 and left > 4:
                    rank(out, x, columns, first, begin, end, m, 8, ahead)
                    m += 8
                elif left > 2:
                    rank(out, x, columns, first, begin, end, m, 4, ahead)
                    m += 4
                elif left == 2:
                    rank(out, x, columns, first, begin, end, m, 2, ahead)
                    m += 2
                else:
                    rank(out, x, columns, first, begin, end, m, 1, ahead)
                    m += 1


@kernel
def add_mirrored(out: Array, columns: Array, x: Array, coming: Array, turn: int) -> None:
    """``out <- out + A x`` for a symmetric ``A``, of which the entries on and below the diagonal are loaded.

    Strip by strip of columns, from above: what a column gives to the rows below comes in the order of the columns, and what the
    rows below give to it by symmetry comes after all that, in the order of the rows.  The matrix ``coming``, if there is one, is
    asked for in the turns ``0 <= turn < LOADING``, a part in each.
    """
    d = columns.shape[0]
    whole, rows = d - d % STRIP, d - d % LANES
    c = max(2 * turn, 0)
    following = coming if 0 <= turn < LOADING else coming[:0]
    for first in range(0, whole, STRIP):
        last = first + STRIP
        for j in range(first, last):
            factor = x[j]
            for i in range(first, last):
                out[i] += columns[j, i] * factor
        mirror(out, x, columns, first, last, rows, following, c)
        for i in range(rows, d):
            factor, total = x[i], out[i]
            for j in range(first, last):
                total += columns[j, i] * x[j]
            out[i] = total
            for j in range(first, last):
                out[j] += columns[i, j] * factor
    for j in range(whole, d):
        for i in range(whole, d):
            out[i] += columns[j, i] * x[j]
