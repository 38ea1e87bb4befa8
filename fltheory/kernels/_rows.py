"""Words on rows of vectors of the processor, at places in flat arrays: loops would check for overlaps, and slices count owners."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fltheory.kinds import Array

#: Entries of a vector of the processor.
VECTOR = 8
#: ``out <- x``, ``out <- number x``, ``out <- out + number x``, ``out <- out - x``.
PUT, MULTIPLY, GATHER, SUBTRACT = range(4)


def plain_row(code: int, out: Array, at: int, x: Array, come: int, number: float, lanes: int) -> None:
    """One word on ``out[at : at + lanes]`` and ``x[come : come + lanes]``, entry by entry; ``lanes`` is a multiple of eight."""
    for i in range(lanes):
        if code == PUT:
            out[at + i] = x[come + i]
        elif code == MULTIPLY:
            out[at + i] = x[come + i] * number
        elif code == GATHER:
            out[at + i] += number * x[come + i]
        else:
            out[at + i] -= x[come + i]


def _row(typing: Any, code: Any, out: Any, at: Any, x: Any, come: Any, number: Any, lanes: Any) -> Any:
    ir, core = import_module("llvmlite.ir"), import_module("numba.core")
    vector, i32, places, verb = (
        ir.VectorType(ir.DoubleType(), VECTOR),
        ir.IntType(32),
        core.types.intp,
        code.literal_value,
    )
    types = (code, out, places, x, places, core.types.float64, places)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        target, source = (context.make_array(types[i])(context, builder, values[i]).data for i in (1, 3))
        _, _, at, _, come, number, lanes = values
        one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, i32(0))
        factor = builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(i32, VECTOR), [0] * VECTOR))

        def pointer(base: Any, begin: Any, index: Any) -> Any:
            return builder.bitcast(builder.gep(base, [builder.add(begin, index)]), vector.as_pointer())

        with core.cgutils.for_range_slice(builder, at.type(0), lanes, at.type(VECTOR), at.type) as (index, _):
            goal = pointer(target, at, index)
            found = builder.load(pointer(source, come, index), align=8)
            if verb in (MULTIPLY, GATHER):
                found = builder.fmul(found, factor)
            if verb == GATHER:
                found = builder.fadd(builder.load(goal, align=8), found)
            elif verb == SUBTRACT:
                found = builder.fsub(builder.load(goal, align=8), found)
            builder.store(found, goal, align=8)
        return context.get_dummy_value()

    return core.types.void(*types), generate


_NUMBA, _EXTENDING = import_module("numba"), import_module("numba.extending")
row = plain_row if _NUMBA.config.DISABLE_JIT else _EXTENDING.intrinsic(prefer_literal=True)(_row)
