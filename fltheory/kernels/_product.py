"""A product of matrices whose sums stay in registers, and rows turned into columns: the inner loops of softmax regression.

Columns are the vector lanes, so that no sum runs across a vector and each has its own order.  Both have a plain twin.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fltheory.kernels._panel import wide_registers
from fltheory.kinds import Array

#: Numbers in a vector and in a line of the cache; rows of a tile; vectors across a tile, as many as the registers hold.
LINE, DOWN, ACROSS = 8, 5, 4 if wide_registers() else 1


def plain_product(
    out: Array,
    height: int,
    columns: int,
    source: Array,
    kept: float,
    left: Array,
    stride: int,
    right: Array,
    rows: Array,
    terms: int,
    turned: int,
    ahead: Array,
) -> None:
    """``out[r] = sum_t left[r, t] right[t]``, or ``kept source[r] + sum_t left[r, t] right[rows[t]]`` if turned.

    Sums in the order of ``t``; ``out``, ``source`` and ``right`` have ``columns`` columns, whole eights, ``left`` has ``stride``.
    ``source`` may be ``out``.  Twin of :func:`_product`, which also asks the memory for the rows ``ahead`` of ``right``, if there
    are any and it is turned.
    """
    out, source, left, flat = out.reshape(-1), source.reshape(-1), left.reshape(-1), right.reshape(-1)
    for r in range(height):
        for j in range(columns):
            total = kept * source[r * columns + j] if turned else 0.0
            for t in range(terms):
                row = rows[t] if turned else t
                total += left[r * stride + t] * flat[row * columns + j]
            out[r * columns + j] = total


def plain_columns(out: Array, features: Array, width: int, rows: Array, count: int) -> None:
    """``out[f, i] = features[rows[i], f]`` for ``count`` rows, whole eights, of ``width`` numbers.  Twin of :func:`_columns`."""
    flat = features.reshape(-1)
    for i in range(count):
        for f in range(width):
            out[f * count + i] = flat[rows[i] * width + f]


def _product(
    typing: Any,
    out: Any,
    height: Any,
    columns: Any,
    source: Any,
    kept: Any,
    left: Any,
    stride: Any,
    right: Any,
    rows: Any,
    terms: Any,
    turned: Any,
    ahead: Any,
) -> Any:
    """Tiles of five rows, and single rows, by up to ``ACROSS`` vectors, whose sums are kept in registers: loops alone do not."""
    ir, core = import_module("llvmlite.ir"), import_module("numba.core")
    i32, number, double = ir.IntType(32), core.types.intp, ir.DoubleType()
    byte, vector = ir.IntType(8).as_pointer(), ir.VectorType(double, LINE)
    types = (out, number, number, source, core.types.float64, left, number, right, rows, number, turned, ahead)
    arrays_at = (0, 3, 5, 7, 8, 11)
    for_range = core.cgutils.for_range_slice

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        arrays = {i: context.make_array(types[i])(context, builder, values[i]) for i in arrays_at}
        out_at, source_at, left_at, right_at, rows_at, coming_at = (arrays[i].data for i in arrays_at)
        _, height, columns, _, kept, _, stride, _, _, terms, _, _ = values
        integer = height.type
        coming = builder.icmp_signed(">", builder.extract_value(arrays[11].shape, 0), integer(0))
        of_vectors = ir.FunctionType(vector, [vector] * 3)
        add_product = core.cgutils.get_or_insert_function(builder.module, of_vectors, "llvm.fmuladd.v8f64")
        signature_of = ir.FunctionType(ir.VoidType(), [byte, i32, i32, i32])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", (byte,), signature_of)

        def line(base: Any, row: Any, column: Any, offset: int) -> Any:
            at = builder.add(builder.mul(row, columns), builder.add(column, integer(LINE * offset)))
            return builder.bitcast(builder.gep(base, [at]), vector.as_pointer())

        def spread(factor: Any) -> Any:
            one = builder.insert_element(ir.Constant(vector, ir.Undefined), factor, i32(0))
            return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(i32, LINE), [0] * LINE))

        def tile(first: Any, column: Any, down: int, across: int) -> None:
            below = [builder.add(first, integer(r)) for r in range(down)]
            places = [(r, g) for r in range(down) for g in range(across)]

            def start(r: int, g: int) -> Any:
                if not turned.literal_value:
                    return ir.Constant(vector, [0.0] * LINE)
                return builder.fmul(spread(kept), builder.load(line(source_at, below[r], column, g), align=8))

            sums = {at: core.cgutils.alloca_once_value(builder, start(*at)) for at in places}
            along = [builder.mul(r, stride) for r in below]
            fetching = builder.and_(coming, builder.icmp_signed("==", first, integer(0)))
            with for_range(builder, integer(0), terms, integer(1), intp=integer) as (t, _):
                row = t
                if turned.literal_value:
                    with builder.if_then(fetching):
                        next_row = builder.load(builder.gep(coming_at, [t]))
                        for g in range(across):
                            place = builder.bitcast(line(right_at, next_row, column, g), byte)
                            builder.call(prefetch, [place, i32(0), i32(3), i32(1)])
                    row = builder.load(builder.gep(rows_at, [t]))
                others = [builder.load(line(right_at, row, column, g), align=8) for g in range(across)]
                for r in range(down):
                    factor = spread(builder.load(builder.gep(left_at, [builder.add(along[r], t)])))
                    for g in range(across):
                        total = sums[r, g]
                        builder.store(builder.call(add_product, [factor, others[g], builder.load(total)]), total)
            for r, g in places:
                builder.store(builder.load(sums[r, g]), line(out_at, below[r], column, g), align=8)

        def strip(column: Any, across: int) -> None:
            whole = builder.sub(height, builder.srem(height, integer(DOWN)))
            with for_range(builder, integer(0), whole, integer(DOWN), intp=integer) as (first, _):
                tile(first, column, DOWN, across)
            with for_range(builder, whole, height, integer(1), intp=integer) as (first, _):
                tile(first, column, 1, across)

        step = integer(LINE * ACROSS)
        rest = builder.srem(columns, step)
        whole = builder.sub(columns, rest)
        with for_range(builder, integer(0), whole, step, intp=integer) as (column, _):
            strip(column, ACROSS)
        for across in range(1, ACROSS):
            with builder.if_then(builder.icmp_signed("==", rest, integer(LINE * across))):
                strip(whole, across)
        return context.get_dummy_value()

    return core.types.void(*types), generate


def _columns(typing: Any, out: Any, features: Any, width: Any, rows: Any, count: Any) -> Any:
    """Blocks of eight rows by eight numbers, turned by three exchanges between registers."""
    ir, core = import_module("llvmlite.ir"), import_module("numba.core")
    i32, vector, number = ir.IntType(32), ir.VectorType(ir.DoubleType(), LINE), core.types.intp
    types = (out, features, number, rows, number)
    for_range = core.cgutils.for_range_slice

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        out_at, from_at, rows_at = (context.make_array(types[i])(context, builder, values[i]).data for i in (0, 1, 3))
        width, count = values[2], values[4]
        integer = width.type

        def place(base: Any, at: Any) -> Any:
            return builder.bitcast(builder.gep(base, [at]), vector.as_pointer())

        def exchange(lines: list[Any], apart: int, pick: tuple[list[int], list[int]]) -> list[Any]:
            found = list(lines)
            masks = [ir.Constant(ir.VectorType(i32, LINE), mask) for mask in pick]
            for r in range(LINE):
                if r & apart == 0:
                    for to, mask in zip((r, r + apart), masks, strict=True):
                        found[to] = builder.shuffle_vector(lines[r], lines[r + apart], mask)
            return found

        with for_range(builder, integer(0), count, integer(LINE), intp=integer) as (first, _):
            picked = [builder.load(builder.gep(rows_at, [builder.add(first, integer(r))])) for r in range(LINE)]
            begins = [builder.mul(row, width) for row in picked]
            with for_range(builder, integer(0), width, integer(LINE), intp=integer) as (f, _):
                lines = [builder.load(place(from_at, builder.add(begin, f)), align=8) for begin in begins]
                for apart in (1, 2, 4):
                    # Line ``r`` takes the entries of both whose place lacks the bit, line ``r + apart`` those that have it.
                    low = [e if e & apart == 0 else LINE + (e ^ apart) for e in range(LINE)]
                    high = [e ^ apart if e & apart == 0 else LINE + e for e in range(LINE)]
                    lines = exchange(lines, apart, (low, high))
                for j in range(LINE):
                    at = builder.add(builder.mul(builder.add(f, integer(j)), count), first)
                    builder.store(lines[j], place(out_at, at), align=8)
        return context.get_dummy_value()

    return core.types.void(*types), generate


_NUMBA, _EXTENDING = import_module("numba"), import_module("numba.extending")
_PLAIN = _NUMBA.config.DISABLE_JIT
product = plain_product if _PLAIN else _EXTENDING.intrinsic(prefer_literal=True)(_product)
columns = plain_columns if _PLAIN else _EXTENDING.intrinsic(_columns)
