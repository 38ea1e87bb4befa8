"""One tile of a product of matrices, whose sums stay in registers: the inner loop of softmax regression, and its twin."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fltheory.kinds import Array


def plain_tile(
    out: Array,
    first: int,
    left: Array,
    width: int,
    rows: Array,
    terms: int,
    right: Array,
    lanes: int,
    c: int,
    turned: int,
) -> None:
    """``out[r] += sum_t left[rows[r], t] right[t]``, or ``left[rows[t], r]`` if turned, in the order of ``t``.

    One tile of a product: four rows from ``first`` on, at most twelve lanes from ``c`` on.  Twin of :func:`_tile`.
    """
    for r in range(first, first + 4):
        for j in range(c, min(c + 12, lanes)):
            for t in range(terms):
                factor = left[rows[t], r] if turned else left[rows[r], t]
                out[r * lanes + j] += factor * right[t * lanes + j]


def _tile(
    typing: Any,
    out: Any,
    first: Any,
    left: Any,
    width: Any,
    rows: Any,
    terms: Any,
    right: Any,
    lanes: Any,
    c: Any,
    turned: Any,
) -> Any:
    """Code that keeps the sums of a tile in registers, four rows of at most three vectors: loops alone do not."""
    ir, core = import_module("llvmlite.ir"), import_module("numba.core")
    vector, i32, number, down = ir.VectorType(ir.DoubleType(), 4), ir.IntType(32), core.types.intp, range(4)
    types = (out, number, left, number, rows, number, right, number, number, turned)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data = [context.make_array(types[i])(context, builder, values[i]).data for i in (0, 2, 4, 6)]
        (sums_at, left_at, rows_at, right_at), (_, first, _, width, _, terms, _, lanes, c, _) = data, values

        def vectors(base: Any, row: Any, across: int) -> list[Any]:
            begin = builder.add(builder.mul(row, lanes), c)
            places = [builder.gep(base, [builder.add(begin, begin.type(4 * g))]) for g in range(across)]
            return [builder.bitcast(place, vector.as_pointer()) for place in places]

        def begin_of(index: Any) -> Any:
            return builder.mul(builder.load(builder.gep(rows_at, [index])), width)

        def emit(across: int) -> None:
            below = [builder.add(first, first.type(r)) for r in down]
            bases = below if turned.literal_value else [begin_of(r) for r in below]
            targets = [place for r in below for place in vectors(sums_at, r, across)]
            sums = [core.cgutils.alloca_once_value(builder, builder.load(place, align=8)) for place in targets]
            with core.cgutils.for_range(builder, terms, intp=first.type) as loop:
                others = [builder.load(place, align=8) for place in vectors(right_at, loop.index, across)]
                along = begin_of(loop.index) if turned.literal_value else loop.index
                for r in down:
                    factor = builder.load(builder.gep(left_at, [builder.add(bases[r], along)]))
                    one = builder.insert_element(ir.Constant(vector, ir.Undefined), factor, i32(0))
                    factors = builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(i32, 4), [0] * 4))
                    for total, other in zip(sums[r * across : (r + 1) * across], others, strict=True):
                        builder.store(builder.fadd(builder.load(total), builder.fmul(factors, other)), total)
            for total, place in zip(sums, targets, strict=True):
                builder.store(builder.load(total), place, align=8)

        rest = builder.sub(lanes, c)
        for across, sign in ((1, "=="), (2, "=="), (3, ">=")):
            with builder.if_then(builder.icmp_signed(sign, rest, rest.type(4 * across))):
                emit(across)
        return context.get_dummy_value()

    return core.types.void(*types), generate


_NUMBA, _EXTENDING = import_module("numba"), import_module("numba.extending")
tile = plain_tile if _NUMBA.config.DISABLE_JIT else _EXTENDING.intrinsic(prefer_literal=True)(_tile)
