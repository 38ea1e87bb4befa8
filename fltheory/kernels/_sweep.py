"""One or two steps of descent on a tridiagonal quadratic in one pass over its numbers, and the twin of the pass.

``coefficients`` of a client holds, for all rows, the diagonal, the numbers right and left of it and the right-hand side.  All
are padded with zeros to blocks of eight, the vectors of a processor.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fltheory.kinds import Array

#: Numbers in a block.
LANES = 8


def plain_sweep(
    x: Array,
    coefficients: Array,
    shift: Array,
    blocks: int,
    scale: float,
    rates: Array,
    first: int,
    steps: int,
    shifted: int,
) -> None:
    """``x <- x - rates[i] (scale (A x - b) + shift)`` for the ``steps`` numbers ``i`` from ``first`` on, in place.

    ``x`` and ``shift`` are ``(8 (blocks + 2),)`` and ``coefficients`` ``(4, 8 (blocks + 2))``, all zero from ``8 blocks`` on;
    ``steps`` is 1 or 2; the shift counts if ``shifted`` is 1.  Twin of :func:`_sweep`.
    """
    diagonal, right, left, vector = coefficients
    for turn in range(first, first + steps):
        before = 0.0
        for i in range(LANES * blocks):
            row = ((diagonal[i] * x[i] - vector[i]) + right[i] * x[i + 1] + left[i] * before) * scale
            before = x[i]
            x[i] -= rates[turn] * (row + shift[i] if shifted else row)


def _sweep(
    typing: Any,
    x: Any,
    coefficients: Any,
    shift: Any,
    blocks: Any,
    scale: Any,
    rates: Any,
    first: Any,
    steps: Any,
    shifted: Any,
) -> Any:
    """Code in which the second step follows one block behind the first: both use what is in registers by then.

    A neighbour is the same vector moved by one place, put together from two blocks, so that no load straddles two lines
    of the cache.
    """
    ir, core = import_module("llvmlite.ir"), import_module("numba.core")
    vector, i32, number = ir.VectorType(ir.DoubleType(), LANES), ir.IntType(32), core.types.intp
    arguments = (x, coefficients, shift, number, core.types.float64, rates, number, steps, shifted)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        x_at, table_at, shift_at, rates_at = (
            context.make_array(arguments[i])(context, builder, values[i]).data for i in (0, 1, 2, 5)
        )
        blocks, scale, first = values[3], values[4], values[6]
        count, columns = steps.literal_value, 4 + shifted.literal_value
        wide = builder.add(blocks, blocks.type(2))
        zeros = ir.Constant(vector, [0.0] * LANES)

        def spread(value: Any) -> Any:
            one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, i32(0))
            return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(i32, LANES), [0] * LANES))

        def at(base: Any, block: Any) -> Any:
            return builder.bitcast(builder.gep(base, [builder.mul(block, block.type(LANES))]), vector.as_pointer())

        def joined(low: Any, high: Any, places: range) -> Any:
            return builder.shuffle_vector(low, high, ir.Constant(ir.VectorType(i32, LANES), list(places)))

        def kept() -> Any:
            return core.cgutils.alloca_once_value(builder, zeros)

        factors = [
            spread(builder.load(builder.gep(rates_at, [builder.add(first, first.type(s))]))) for s in range(count)
        ]
        scales = spread(scale)
        # What a step has had of its two last blocks, and the coefficients of the blocks that the steps are at.
        before, middle = [kept() for _ in range(count)], [kept() for _ in range(count)]
        tables = [[kept() for _ in range(columns)] for _ in range(count)]
        with core.cgutils.for_range(builder, builder.add(blocks, blocks.type(count)), intp=blocks.type) as loop:
            arriving = builder.load(at(x_at, loop.index), align=8)
            for s in reversed(range(1, count)):
                for kept_one, newer in zip(tables[s], tables[s - 1], strict=True):
                    builder.store(builder.load(newer), kept_one)
            # The first step is one block behind what is loaded; before its first block nothing is there.
            behind = builder.sub(loop.index, blocks.type(1))
            inside = builder.icmp_signed(">=", behind, blocks.type(0))
            column = builder.select(inside, behind, blocks.type(0))
            for c, kept_one in enumerate(tables[0]):
                place = builder.add(builder.mul(wide, wide.type(c)), column) if c < 4 else column
                builder.store(builder.load(at(table_at if c < 4 else shift_at, place), align=8), kept_one)
            for s in range(count):
                low, here = builder.load(before[s]), builder.load(middle[s])
                above = joined(here, arriving, range(1, LANES + 1))
                below = joined(low, here, range(LANES - 1, 2 * LANES - 1))
                diagonal, upper, lower, constant, *added = (builder.load(one) for one in tables[s])
                row = builder.fsub(builder.fmul(diagonal, here), constant)
                row = builder.fadd(row, builder.fmul(upper, above))
                row = builder.fadd(row, builder.fmul(lower, below))
                row = builder.fmul(row, scales)
                for shift in added:
                    # A flag of its own, which means nothing here, keeps the addition apart from the product before it.
                    row = builder.fadd(row, shift, flags=("arcp",))
                moved = builder.fsub(here, builder.fmul(factors[s], row))
                builder.store(here, before[s])
                builder.store(arriving, middle[s])
                arriving = moved
            done = builder.sub(loop.index, blocks.type(count))
            with builder.if_then(builder.icmp_signed(">=", done, blocks.type(0)), likely=True):
                builder.store(arriving, at(x_at, done), align=8)
        return context.get_dummy_value()

    return core.types.void(*arguments), generate


_NUMBA, _EXTENDING = import_module("numba"), import_module("numba.extending")
sweep = plain_sweep if _NUMBA.config.DISABLE_JIT else _EXTENDING.intrinsic(prefer_literal=True)(_sweep)
