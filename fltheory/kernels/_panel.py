"""One panel of a product of matrices: eight rows whose sums stay in registers while the next rows are fetched from memory.

The inner loop of networks, and its twin.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fltheory.kinds import Array

#: Rows of a panel, and numbers in a line of the cache.
ROWS, LINE = 8, 8


def plain_panel(
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
    ahead: Array,
) -> None:
    """``out[r] += sum_t left[rows[r], t] right[t]``, or ``left[rows[t], r]`` if turned, in the order of ``t``.

    ``left`` has ``width`` columns, one row after another in memory, whatever its shape.  Eight rows from ``first`` on, at most
    ``ACROSS`` lanes from ``c`` on.  Twin of :func:`_panel`, which also asks the memory for the rows ``ahead`` where there are any,
    in a product that is not turned.
    """
    flat = left.reshape(-1)
    for r in range(first, first + ROWS):
        for j in range(c, min(c + ACROSS, lanes)):
            for t in range(terms):
                factor = flat[rows[t] * width + r] if turned else flat[rows[r] * width + t]
                out[r * lanes + j] += factor * right[t * lanes + j]


def _panel(
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
    ahead: Any,
) -> Any:
    """Code that keeps the sums in registers, rows of at most ``ACROSS`` numbers: loops alone do not.

    Where registers hold eight numbers, eight rows are taken at once, elsewhere four; every sum has its own order either way.
    """
    ir, core = import_module("llvmlite.ir"), import_module("numba.core")
    i32, byte, number = ir.IntType(32), ir.IntType(8).as_pointer(), core.types.intp
    types = (out, number, left, number, rows, number, right, number, number, turned, ahead)
    at_once = ROWS if wide_registers() else ROWS // 2
    for_range = core.cgutils.for_range_slice

    def vector(entries: int) -> Any:
        return ir.VectorType(ir.DoubleType(), entries)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        arrays = {i: context.make_array(types[i])(context, builder, values[i]) for i in (0, 2, 4, 6, 10)}
        sums_at, left_at, rows_at, right_at, coming_at = (arrays[i].data for i in (0, 2, 4, 6, 10))
        _, first, _, width, _, terms, _, lanes, c, _, _ = values
        coming = builder.extract_value(arrays[10].shape, 0)
        integer = first.type
        signature_of = ir.FunctionType(ir.VoidType(), [byte, i32, i32, i32])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", (byte,), signature_of)

        def vectors(base: Any, row: Any, widths: tuple[int, ...]) -> list[Any]:
            begin, places, offset = builder.add(builder.mul(row, lanes), c), [], 0
            for entries in widths:
                place = builder.gep(base, [builder.add(begin, integer(offset))])
                places.append(builder.bitcast(place, vector(entries).as_pointer()))
                offset += entries
            return places

        def begin_of(place: Any, index: Any) -> Any:
            return builder.mul(builder.load(builder.gep(place, [index])), width)

        def spread(factor: Any, entries: int) -> Any:
            one = builder.insert_element(ir.Constant(vector(entries), ir.Undefined), factor, i32(0))
            return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(i32, entries), [0] * entries))

        def emit(widths: tuple[int, ...], offset: int) -> None:
            below = [builder.add(first, integer(offset + r)) for r in range(at_once)]
            bases = below if turned.literal_value else [begin_of(rows_at, r) for r in below]
            targets = [place for r in below for place in vectors(sums_at, r, widths)]
            sums = [core.cgutils.alloca_once_value(builder, builder.load(place, align=8)) for place in targets]

            def term(index: Any) -> None:
                others = [builder.load(place, align=8) for place in vectors(right_at, index, widths)]
                along = begin_of(rows_at, index) if turned.literal_value else index
                for r in range(at_once):
                    factor = builder.load(builder.gep(left_at, [builder.add(bases[r], along)]))
                    for g, entries in enumerate(widths):
                        total = sums[r * len(widths) + g]
                        product = builder.fmul(spread(factor, entries), others[g])
                        builder.store(builder.fadd(builder.load(total), product), total)

            if turned.literal_value:
                with for_range(builder, integer(0), terms, integer(1), intp=integer) as (index, _):
                    term(index)
            else:
                with for_range(builder, integer(0), terms, integer(LINE), intp=integer) as (line, _):
                    with builder.if_then(builder.icmp_signed(">", coming, integer(0))):
                        for r in below:
                            place = builder.gep(left_at, [builder.add(begin_of(coming_at, r), line)])
                            builder.call(prefetch, [builder.bitcast(place, byte), i32(0), i32(3), i32(1)])
                    end = builder.add(line, integer(LINE))
                    end = builder.select(builder.icmp_signed("<", end, terms), end, terms)
                    with for_range(builder, line, end, integer(1), intp=integer) as (index, _):
                        term(index)
            for total, place in zip(sums, targets, strict=True):
                builder.store(builder.load(total), place, align=8)

        rest = builder.sub(lanes, c)
        shapes = ((4,), (8,), (8, 4), (8, 8))[: ACROSS // 4]
        for widths in shapes:
            sign = ">=" if sum(widths) == ACROSS else "=="
            with builder.if_then(builder.icmp_signed(sign, rest, rest.type(sum(widths)))):
                for offset in range(0, ROWS, at_once):
                    emit(widths, offset)
        return context.get_dummy_value()

    return core.types.void(*types), generate


def wide_registers() -> bool:
    """Whether this processor has registers of eight numbers."""
    binding = import_module("llvmlite.binding")
    return bool(binding.get_host_cpu_features().get("avx512f", False))


#: Lanes of a panel: as many as leave room in the registers for what is multiplied.
ACROSS = 16 if wide_registers() else 12

_NUMBA, _EXTENDING = import_module("numba"), import_module("numba.extending")
panel = plain_panel if _NUMBA.config.DISABLE_JIT else _EXTENDING.intrinsic(prefer_literal=True)(_panel)
