"""Sums over all clients after vectors of a cohort have changed; twin: :func:`fltheory.readings.tree_sums.level_sums`."""

from __future__ import annotations

from fltheory.kernels.jit import rounded
from fltheory.kinds import Array
from fltheory.readings.tree_sums import FAN


@rounded
def renew_above(slab: Array, size: int, base: int, members: Array, first: int, n_slots: int, weights: Array) -> None:
    """The sums above ``members[first : first + n_slots]``, level by level.

    Vectors of all clients begin at ``base``, the levels behind them.
    """
    below, count, span = base, weights.shape[0], FAN
    while count > 1:
        above, last = below + count * size, -1
        for s in range(first, first + n_slots):
            node = members[s] // span
            if node == last:
                continue
            last = node
            out = above + node * size
            for j in range(node * FAN, min(node * FAN + FAN, count)):
                x, number = below + j * size, weights[j] if span == FAN else 1.0
                if j == node * FAN:
                    for i in range(size):
                        slab[out + i] = slab[x + i] * number
                else:
                    for i in range(size):
                        slab[out + i] += slab[x + i] * number
        below, count, span = above, (count + FAN - 1) // FAN, span * FAN


@rounded
def renew(
    slab: Array, size: int, places: Array, leaf: int, begin: int, end: int, members: Array, n_slots: int, weights: Array
) -> None:
    """The sums of the register ``leaf`` in the runs ``begin .. end-1`` of a group."""
    for run in range(begin, end):
        base = places[leaf, 0] + run * places[leaf, 1]
        renew_above(slab, size, base, members, (run - begin) * n_slots, n_slots, weights)
