"""The counter-based streams inside kernels: integer for integer those of :mod:`fltheory.streams` (the slow twin)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fltheory.kernels._places import pass_earlier
from fltheory.kernels.jit import kernel
from fltheory.kinds import Array

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_S11 = np.uint64(11)
_S27 = np.uint64(27)
_S30 = np.uint64(30)
_S31 = np.uint64(31)


@kernel
def fold(key: Any, part: Any) -> Any:
    """Twin: :func:`fltheory.streams.fold`."""
    z = key ^ ((np.uint64(part) + _ONE) * _GOLDEN)
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@kernel
def uniform(step_key: Any, index: Any) -> float:
    """Uniform number ``index`` of the key ``fold(key, step)``.  Twin: :func:`fltheory.streams.uniforms`."""
    return (np.float64(fold(step_key, index) >> _S11) + 0.5) * 2.0**-53


@kernel
def normals(out: Array, key: Any, step: Any) -> None:
    """Fill ``out`` with standard normals.  Twin: :func:`fltheory.streams.normals`."""
    step_key = fold(key, step)
    count = out.shape[0]
    for pair in range((count + 1) // 2):
        radius = math.sqrt(-2.0 * math.log(uniform(step_key, 2 * pair)))
        angle = 2.0 * math.pi * uniform(step_key, 2 * pair + 1)
        out[2 * pair] = radius * math.cos(angle)
        if 2 * pair + 1 < count:
            out[2 * pair + 1] = radius * math.sin(angle)


@kernel
def choose(rows: Array, key: Any, step: Any, size: int, replacement: bool) -> None:
    """Fill ``rows`` with a batch out of ``0 .. size-1``.

    Without replacement the j-th number is a place among those that are left; going back from the last draw to the
    first, each place is moved past the earlier pick.  Twins: :func:`fltheory.streams.choose_with_replacement` and
    :func:`fltheory.streams.choose_without_replacement`.
    """
    step_key = fold(key, step)
    count = rows.shape[0]
    for j in range(count):
        limit = size if replacement else size - j
        rows[j] = min(int(uniform(step_key, j) * limit), limit - 1)
    if not replacement:
        last = count
        while last >= 8:  # eight places at a time, the last eight first: they need the others as they were drawn
            last -= 8
            pass_earlier(rows, last)
        for i in range(last - 2, -1, -1):
            pick = rows[i]
            for j in range(last):
                rows[j] += (j > i) & (rows[j] >= pick)


@kernel
def batches(
    rows: Array,
    root: Any,
    run_ids: Array,
    round: int,
    first_client: int,
    clients: Array,
    occurrence: Array,
    step: int,
    sizes: Array,
    replacement: bool,
) -> None:
    """Fill ``rows`` ``(runs, slots, size)`` with the batches of all slots; ``root`` is the mixed seed.

    Twin: ``rows`` of :class:`fltheory.readings.draws.StreamDraws`.
    """
    for run in range(clients.shape[0]):
        round_key = fold(fold(root, run_ids[run]), round)
        for slot in range(clients.shape[1]):
            key = fold(round_key, first_client + clients[run, slot])
            if occurrence[run, slot] > 0:
                key = fold(key, occurrence[run, slot])
            choose(rows[run, slot], key, step, sizes[run, slot], replacement)
