"""Products of one matrix with many vectors, and of a symmetric matrix with one: sums in registers, and the twins.

``columns[j]`` is column ``j`` of the matrix.  An entry of a product is one sum over the columns in their order, whoever computes
it, so that its bits do not depend on how many vectors are served side by side.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fltheory.kernels._panel import wide_registers
from fltheory.kinds import Array

#: Whether registers hold eight numbers, or four; vectors of a tile; numbers that a tile takes of a column.
WIDE = wide_registers()
ENTRIES, ACROSS = 8 if WIDE else 4, 3
BLOCK = ENTRIES * ACROSS
#: Vectors ``x`` of a tile; columns and rows of a step of :func:`mirror`.
BESIDE, STRIP, LANES = 8 if WIDE else 4, 16, 8


def plain_rank(
    out: Array, x: Array, columns: Array, first: int, begin: int, end: int, m: int, many: int, ahead: int
) -> None:
    """``out[m, i] += sum_j columns[j, i] x[m, j]`` over ``begin <= j < end``, for ``many`` rows from ``m`` on.

    ``i`` runs over ``BLOCK`` entries from ``first`` on, or what there is of them; rows of ``out`` are padded to whole eights.
    Twin of :func:`_rank`, which also asks the memory for the entries ``ahead`` of these.
    """
    for r in range(m, m + many):
        for i in range(first, min(first + BLOCK, columns.shape[1])):
            for j in range(begin, end):
                out[r, i] += columns[j, i] * x[r, j]


def _rank(
    typing: Any,
    out: Any,
    x: Any,
    columns: Any,
    first: Any,
    begin: Any,
    end: Any,
    m: Any,
    many: Any,
    ahead: Any,
) -> Any:
    """Code that keeps the sums of a tile in registers; loops alone do not."""
    ir, core = import_module("llvmlite.ir"), import_module("numba.core")
    number, i32, byte = core.types.intp, ir.IntType(32), ir.IntType(8).as_pointer()
    types = (out, x, columns, number, number, number, number, many, number)
    vector, flags = ir.VectorType(ir.DoubleType(), ENTRIES), ir.VectorType(ir.IntType(1), ENTRIES)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        arrays = [context.make_array(types[i])(context, builder, values[i]) for i in range(3)]
        out_at, x_at, columns_at = (array.data for array in arrays)
        out_width, x_width, d = (builder.extract_value(array.shape, 1) for array in arrays)
        _, _, _, first, begin, end, m, _, ahead = values
        integer, rows = d.type, range(many.literal_value)
        masked_load = core.cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(vector, [vector.as_pointer(), i32, flags, vector]),
            f"llvm.masked.load.v{ENTRIES}f64.p0",
        )
        prefetch = builder.module.declare_intrinsic(
            "llvm.prefetch", (byte,), ir.FunctionType(ir.VoidType(), [byte, i32, i32, i32])
        )
        rest = builder.sub(d, first)

        def spread(value: Any, kind: Any) -> Any:
            one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, i32(0))
            return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(i32, ENTRIES), [0] * ENTRIES))

        def moved(place: Any, by: int) -> Any:
            return builder.add(place, integer(by))

        def at(base: Any, place: Any) -> Any:
            return builder.bitcast(builder.gep(base, [place]), vector.as_pointer())

        def emit(across: int, part: bool) -> None:
            """``across`` vectors of entries, the last of which may be there in part."""
            mask = None
            if part:
                kind = ir.VectorType(integer, ENTRIES)
                left = spread(moved(rest, -ENTRIES * (across - 1)), kind)
                mask = builder.icmp_signed("<", ir.Constant(kind, list(range(ENTRIES))), left)
            sources = [builder.mul(moved(m, r), x_width) for r in rows]
            starts = [builder.add(builder.mul(moved(m, r), out_width), first) for r in rows]
            targets = [[at(out_at, moved(start, ENTRIES * v)) for v in range(across)] for start in starts]
            sums = [[core.cgutils.alloca_once_value(builder, builder.load(t, align=8)) for t in row] for row in targets]
            with core.cgutils.for_range_slice(builder, begin, end, integer(1), intp=integer) as (j, _):
                base = builder.add(builder.mul(j, d), first)
                own = [at(columns_at, moved(base, ENTRIES * v)) for v in range(across)]
                entries = [builder.load(place, align=8) for place in own[: across - part]]
                if part:
                    nothing = ir.Constant(vector, [0.0] * ENTRIES)
                    entries.append(builder.call(masked_load, [own[-1], i32(8), mask, nothing]))
                for v in range(across):
                    coming = builder.gep(columns_at, [builder.add(moved(base, ENTRIES * v), ahead)])
                    builder.call(prefetch, [builder.bitcast(coming, byte), i32(0), i32(3), i32(1)])
                for source, row in zip(sources, sums, strict=True):
                    factor = spread(builder.load(builder.gep(x_at, [builder.add(source, j)])), vector)
                    for total, other in zip(row, entries, strict=True):
                        builder.store(builder.fadd(builder.load(total), builder.fmul(factor, other)), total)
            for row, places in zip(sums, targets, strict=True):
                for total, place in zip(row, places, strict=True):
                    builder.store(builder.load(total), place, align=8)

        for across in range(1, ACROSS + 1):
            whole = builder.icmp_signed("==" if across < ACROSS else ">=", rest, integer(ENTRIES * across))
            with builder.if_then(whole):
                emit(across, False)
            below = builder.icmp_signed("<", rest, integer(ENTRIES * across))
            above = builder.icmp_signed(">", rest, integer(ENTRIES * (across - 1)))
            with builder.if_then(builder.and_(below, above)):
                emit(across, True)
        return context.get_dummy_value()

    return core.types.void(*types), generate


def plain_mirror(out: Array, x: Array, columns: Array, first: int, begin: int, end: int, coming: Array, c: int) -> None:
    """Both products with the rows ``begin .. end - 1`` of sixteen columns from ``first`` on, of a symmetric matrix.

    ``out[i] += sum_j columns[j, i] x[j]`` and ``out[j] += sum_i columns[j, i] x[i]`` for ``i`` of the rows, whose number is a
    multiple of eight, and ``j`` of the columns.  Twin of :func:`_mirror`, which also asks the memory for two columns of these,
    ``c`` and the next, of the matrix that is coming, if there is one.
    """
    for i in range(begin, end):
        for j in range(first, first + STRIP):
            out[i] += columns[j, i] * x[j]
    for j in range(first, first + STRIP):
        for i in range(begin, end):
            out[j] += columns[j, i] * x[i]


def _mirror(typing: Any, out: Any, x: Any, columns: Any, first: Any, begin: Any, end: Any, coming: Any, c: Any) -> Any:
    """Code that turns blocks of eight by eight in registers: each number is loaded once and used twice."""
    ir, core = import_module("llvmlite.ir"), import_module("numba.core")
    number, i32, byte = core.types.intp, ir.IntType(32), ir.IntType(8).as_pointer()
    types = (out, x, columns, number, number, number, coming, number)
    vector = ir.VectorType(ir.DoubleType(), LANES)
    low, high = [0, 1, 4, 5, 8, 9, 12, 13], [2, 3, 6, 7, 10, 11, 14, 15]
    even, odd = [0, 8, 2, 10, 4, 12, 6, 14], [1, 9, 3, 11, 5, 13, 7, 15]

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        arrays = {i: context.make_array(types[i])(context, builder, values[i]) for i in (0, 1, 2, 6)}
        out_at, x_at, columns_at, coming_at = (array.data for array in arrays.values())
        d, has = (builder.extract_value(arrays[2].shape, 1), builder.extract_value(arrays[6].shape, 0))
        _, _, _, first, begin, end, _, c = values
        integer, add = d.type, builder.add
        prefetch = builder.module.declare_intrinsic(
            "llvm.prefetch", (byte,), ir.FunctionType(ir.VoidType(), [byte, i32, i32, i32])
        )

        def at(base: Any, place: Any) -> Any:
            return builder.bitcast(builder.gep(base, [place]), vector.as_pointer())

        def joined(left: Any, right: Any, places: list[int]) -> Any:
            return builder.shuffle_vector(left, right, ir.Constant(ir.VectorType(i32, LANES), places))

        def factor(place: Any) -> Any:
            one = builder.insert_element(
                ir.Constant(vector, ir.Undefined), builder.load(builder.gep(x_at, [place])), i32(0)
            )
            return joined(one, one, [0] * LANES)

        def turned(block: list[Any]) -> list[Any]:
            """Rows of a block from its columns."""
            found: list[Any] = [None] * LANES
            for p, places in enumerate((even, odd)):
                pairs = [joined(block[k], block[k + 1], places) for k in range(0, LANES, 2)]
                for q, half in enumerate((low, high)):
                    left, right = joined(pairs[0], pairs[1], half), joined(pairs[2], pairs[3], half)
                    found[2 * q + p], found[2 * q + p + 4] = joined(left, right, low), joined(left, right, high)
            return found

        def term(total: Any, factors: Any, others: Any) -> Any:
            return builder.fadd(total, builder.fmul(factors, others))

        places = [builder.mul(add(first, integer(j)), d) for j in range(STRIP)]
        groups = range(0, STRIP, LANES)
        own_at = [at(out_at, add(first, integer(g))) for g in groups]
        sums = [core.cgutils.alloca_once_value(builder, builder.load(place, align=8)) for place in own_at]
        with core.cgutils.for_range_slice(builder, begin, end, integer(LANES), intp=integer) as (i, _):
            block = [builder.load(at(columns_at, add(place, i)), align=8) for place in places]
            with builder.if_then(builder.icmp_signed(">", has, integer(0)), likely=True):
                for j in range(2):
                    place = builder.gep(coming_at, [add(builder.mul(add(add(first, c), integer(j)), d), i)])
                    builder.call(prefetch, [builder.bitcast(place, byte), i32(0), i32(2), i32(1)])
            row = builder.load(at(out_at, i), align=8)
            for j in range(STRIP):
                row = term(row, factor(add(first, integer(j))), block[j])
            builder.store(row, at(out_at, i), align=8)
            rows = [turned(block[g : g + LANES]) for g in groups]
            for r in range(LANES):
                along = factor(add(i, integer(r)))
                for total, own in zip(sums, rows, strict=True):
                    builder.store(term(builder.load(total), along, own[r]), total)
        for place, total in zip(own_at, sums, strict=True):
            builder.store(builder.load(total), place, align=8)
        return context.get_dummy_value()

    return core.types.void(*types), generate


_NUMBA, _EXTENDING = import_module("numba"), import_module("numba.extending")
rank = plain_rank if _NUMBA.config.DISABLE_JIT else _EXTENDING.intrinsic(prefer_literal=True)(_rank)
mirror = plain_mirror if _NUMBA.config.DISABLE_JIT else _EXTENDING.intrinsic(prefer_literal=True)(_mirror)
