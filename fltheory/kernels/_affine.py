"""Kernels of rounds that are one affine map ``s <- T s + c`` of the state, for batches of runs.

Four runs share what is loaded of ``T``; the sums of a tile of four runs and up to 32 entries stay in registers.  Every sum
starts at ``c`` and runs over the columns of ``T`` in their order, so that its bits do not depend on who computes beside it.
States are padded with zeros to ``lanes`` entries, a multiple of eight; ``columns[t * lanes + i]`` is ``T[i, t]``.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

from fltheory.kernels._random import fold, normals
from fltheory.kernels.jit import kernel
from fltheory.kinds import Array

#: Entries of a vector of the processor, and vectors of a tile.
VECTOR, ACROSS = 8, 4


def plain_tile(
    out: Array, left: Array, first: int, terms: int, right: Array, lanes: int, c: int, across: int, runs: int
) -> None:
    """``out[r, j] += sum_t left[r, t] right[t, j]`` in the order of ``t``, for ``runs`` runs from ``first`` on.

    All arrays are flat with rows of ``lanes`` entries; ``j`` are ``across`` vectors of eight entries from ``c`` on.
    """
    for r in range(first, first + runs):
        for j in range(c, c + VECTOR * across):
            for t in range(terms):
                out[r * lanes + j] += left[r * lanes + t] * right[t * lanes + j]


def _tile(
    typing: Any,
    out: Any,
    left: Any,
    first: Any,
    terms: Any,
    right: Any,
    lanes: Any,
    c: Any,
    across: Any,
    runs: Any,
) -> Any:
    """Code that keeps the sums of :func:`plain_tile` in registers: loops alone do not."""
    ir, core = import_module("llvmlite.ir"), import_module("numba.core")
    vector, i32, number = ir.VectorType(ir.DoubleType(), VECTOR), ir.IntType(32), core.types.intp
    types = (out, left, number, number, right, number, number, number, runs)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        out_at, left_at, right_at = (context.make_array(types[i])(context, builder, values[i]).data for i in (0, 1, 4))
        _, _, first, terms, _, lanes, c, across, _ = values
        rows = [builder.mul(builder.add(first, first.type(r)), lanes) for r in range(runs.literal_value)]

        def vectors(base: Any, row: Any, count: int) -> list[Any]:
            begin = builder.add(row, c)
            places = [builder.gep(base, [builder.add(begin, begin.type(VECTOR * g))]) for g in range(count)]
            return [builder.bitcast(place, vector.as_pointer()) for place in places]

        def emit(count: int) -> None:
            targets = [place for row in rows for place in vectors(out_at, row, count)]
            sums = [core.cgutils.alloca_once_value(builder, builder.load(place, align=8)) for place in targets]
            with core.cgutils.for_range(builder, terms, intp=first.type) as loop:
                others = vectors(right_at, builder.mul(loop.index, lanes), count)
                loaded = [builder.load(place, align=8) for place in others]
                for r, row in enumerate(rows):
                    factor = builder.load(builder.gep(left_at, [builder.add(row, loop.index)]))
                    one = builder.insert_element(ir.Constant(vector, ir.Undefined), factor, i32(0))
                    mask = ir.Constant(ir.VectorType(i32, VECTOR), [0] * VECTOR)
                    factors = builder.shuffle_vector(one, one, mask)
                    for total, other in zip(sums[r * count : (r + 1) * count], loaded, strict=True):
                        builder.store(builder.fadd(builder.load(total), builder.fmul(factors, other)), total)
            for total, place in zip(sums, targets, strict=True):
                builder.store(builder.load(total), place, align=8)

        for count in range(1, ACROSS + 1):
            with builder.if_then(builder.icmp_signed("==", across, across.type(count))):
                emit(count)
        return context.get_dummy_value()

    return core.types.void(*types), generate


_NUMBA, _EXTENDING = import_module("numba"), import_module("numba.extending")
tile = plain_tile if _NUMBA.config.DISABLE_JIT else _EXTENDING.intrinsic(prefer_literal=True)(_tile)


@kernel
def squares(x: Array, begin: int, count: int) -> float:
    """``sum_i x[begin + i]**2``, as eight sums side by side."""
    a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    i = begin
    while i + VECTOR <= begin + count:
        a += x[i] * x[i]
        b += x[i + 1] * x[i + 1]
        c += x[i + 2] * x[i + 2]
        d += x[i + 3] * x[i + 3]
        e += x[i + 4] * x[i + 4]
        f += x[i + 5] * x[i + 5]
        g += x[i + 6] * x[i + 6]
        h += x[i + 7] * x[i + 7]
        i += VECTOR
    while i < begin + count:
        a += x[i] * x[i]
        i += 1
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@kernel
def advance(
    state: Array,
    work: Array,
    kept: Array,
    ended: Array,
    columns: Array,
    shift: Array,
    root: Array,
    draws: Array,
    keys: Array,
    drawn_by: int,
    size: int,
    lanes: int,
    begin: int,
    model: int,
    threshold: float,
    due: Array,
) -> None:
    """Rounds ``begin .. due[-1]`` of all runs, in place; the state after round ``due[i]`` goes to ``kept[i]``.

    ``state`` and ``work`` are flat, ``runs * lanes``, ``kept`` is ``(records, runs, size)``.  A run whose model, the first
    ``model`` entries, is longer than ``threshold``, or whose state is not finite, has ended: the number of rounds made goes to
    ``ended``, and from then on its state is zero.

    Where ``root`` is not empty, ``R z`` is added with standard normals ``z`` of the stream (run's key, round, ``drawn_by``);
    ``root`` lies as ``columns`` do, and ``draws``, like ``work``, is room for the kernel.
    """
    runs = ended.shape[0]
    noisy = root.shape[0] > 0
    first = 0
    while first < runs:
        group = 4 if runs - first >= 4 else 1
        record = 0
        for round in range(begin, due[due.shape[0] - 1]):
            for r in range(first, first + group):
                for i in range(lanes):
                    work[r * lanes + i] = shift[i]
            if noisy:
                for r in range(first, first + group):
                    key = fold(fold(keys[r], round), drawn_by)
                    normals(draws[r * lanes : r * lanes + size], key, 0)
            c = 0
            while c < lanes:
                left = (lanes - c) // VECTOR
                parts = (left + ACROSS - 1) // ACROSS
                across = (left + parts - 1) // parts
                if group == 4:
                    tile(work, state, first, size, columns, lanes, c, across, 4)
                    if noisy:
                        tile(work, draws, first, size, root, lanes, c, across, 4)
                else:
                    tile(work, state, first, size, columns, lanes, c, across, 1)
                    if noisy:
                        tile(work, draws, first, size, root, lanes, c, across, 1)
                c += VECTOR * across
            for r in range(first, first + group):
                begin_of = r * lanes
                square = squares(work, begin_of, model)
                rest = 0.0 if model == size else squares(work, begin_of + model, size - model)
                healthy = ended[r] < 0 and math.sqrt(square) <= threshold and rest * 0.0 == 0.0
                if not healthy and ended[r] < 0:
                    ended[r] = round + 1
                for i in range(lanes):
                    state[begin_of + i] = work[begin_of + i] if healthy else 0.0
            if round + 1 == due[record]:
                for r in range(first, first + group):
                    for i in range(size):
                        kept[record, r, i] = state[r * lanes + i]
                record += 1
        first += group
