"""Counter-based random numbers: every draw is a pure function of its address.

An address is ``(seed, run, round, client; step, index)``.  The same address gives the same bits in any order, on any
number of threads, in any chunking, and for any algorithm: two algorithms that are compared see the same cohorts and
the same batches (common random numbers).  The mixing is the finaliser of SplitMix64 applied along the address; it is
integer arithmetic modulo 2**64, so compiled kernels repeat it exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.kinds import Floats, Integers, Keys

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
#: "Client" numbers of draws that belong to the server.
COHORT_CLIENT = 0xFFFF_FFFF
#: Offset between the uniforms of a draw and those of the next kind at the same address.
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))


def mix(value: Any) -> Keys:
    """SplitMix64's finaliser, elementwise on ``uint64``."""
    z = np.array(value, dtype=np.uint64)
    # In place: arithmetic of NumPy's scalars would warn of the overflow that is meant.
    z ^= z >> _SHIFTS[0]
    z *= _MIX_1
    z ^= z >> _SHIFTS[1]
    z *= _MIX_2
    z ^= z >> _SHIFTS[2]
    return z


def fold(key: Any, part: Any) -> Keys:
    """Extend a key by one part of an address (broadcasts)."""
    odd = np.multiply(np.add(np.asarray(part, dtype=np.uint64), np.uint64(1)), _GOLDEN)
    return mix(np.bitwise_xor(np.asarray(key, dtype=np.uint64), odd))


def check_seed(seed: Any) -> int:
    """``seed`` as an int, or ``ValueError`` unless it is an integer of 64 bits."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**64:
        raise ValueError(f"seed={seed!r} is not valid; expected an integer with 0 <= seed < 2**64")
    return int(seed)


def key(seed: int, run: Any, round: Any, client: Any) -> Keys:
    """Key of one client in one round of one run; arrays broadcast.

    Raises
    ------
    ValueError : as :func:`check_seed`.
    """
    return fold(fold(fold(mix(np.uint64(check_seed(seed))), run), round), client)


def bits(key: Any, step: Any, index: Any) -> Keys:
    """64 random bits at ``(key; step, index)``; arrays broadcast."""
    return fold(fold(key, step), index)


def uniforms(key: Any, step: Any, index: Any) -> Floats:
    """Uniforms in ``(0, 1)``: the top 53 bits plus one half, divided by ``2**53``."""
    top = (bits(key, step, index) >> np.uint64(11)).astype(np.float64)
    result: Floats = (top + 0.5) * 2.0**-53
    return result


def normals(key: Any, step: Any, count: int) -> Floats:
    """Standard normals at ``(key; step, 0 .. count-1)`` on a new last axis, by Box-Muller on pairs of uniforms."""
    pairs = np.arange((count + 1) // 2)
    base = np.asarray(key, dtype=np.uint64)[..., None]
    steps = np.asarray(step)[..., None] if np.ndim(step) else step
    radius = np.sqrt(-2.0 * np.log(uniforms(base, steps, 2 * pairs)))
    angle = 2.0 * np.pi * uniforms(base, steps, 2 * pairs + 1)
    both = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    return both.reshape(*both.shape[:-2], -1)[..., :count]


def choose_with_replacement(u: Floats, size: Any) -> Integers:
    """Indices in ``0 .. size-1``, one per uniform (``size`` broadcasts against ``u``)."""
    limit = np.asarray(size)
    chosen: Integers = np.minimum((u * limit).astype(np.int64), limit - 1)
    return chosen


def choose_without_replacement(u: Floats, size: Any) -> Integers:
    """Distinct indices in ``0 .. size-1`` along the last axis of ``u``, every ordered tuple equally likely.

    The ``j``-th uniform picks the ``j``-th among the indices not yet taken; ``size`` broadcasts against ``u[..., 0]``.

    Raises
    ------
    ValueError : more draws than indices.
    """
    count = u.shape[-1]
    sizes = np.broadcast_to(np.asarray(size), u.shape[:-1])
    if count and np.any(sizes < count):
        raise ValueError(f"cannot choose {count} distinct indices out of {int(np.min(sizes))}")
    taken = np.empty(u.shape, dtype=np.int64)
    chosen = np.empty(u.shape, dtype=np.int64)
    for j in range(count):
        pick = choose_with_replacement(u[..., j], sizes - j)
        for i in range(j):
            pick = pick + (pick >= taken[..., i])
        chosen[..., j] = pick
        taken[..., : j + 1] = np.sort(chosen[..., : j + 1], axis=-1)
    return chosen
