"""Eight places of a draw without replacement at once, in one vector register, and the twin."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fltheory.kinds import Array

#: Places that move together.
EIGHT = 8


def plain_pass_earlier(rows: Array, begin: int) -> None:
    """Move the eight places from ``begin`` on past the places before them, those of the eight included.

    ``rows[:begin + 8]`` are places as they were drawn; each moves up by one for every earlier place, from the last to the
    first, that does not exceed it.  Twin of :func:`_pass_earlier`.
    """
    for j in range(begin + EIGHT - 1, begin, -1):
        for i in range(j - 1, -1, -1):
            rows[j] += rows[j] >= rows[i]
    for i in range(begin - 1, -1, -1):
        rows[begin] += rows[begin] >= rows[i]


def _pass_earlier(typing: Any, rows: Any, begin: Any) -> Any:
    """All eight side by side: ``place - ((earlier - 1 - place) >> 63)`` adds one where ``place >= earlier``."""
    ir, core = import_module("llvmlite.ir"), import_module("numba.core")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data = context.make_array(rows)(context, builder, values[0]).data
        first = values[1]
        i64, i32 = ir.IntType(64), ir.IntType(32)
        vector = ir.VectorType(i64, EIGHT)
        sign, one = ir.Constant(vector, [63] * EIGHT), ir.Constant(i64, 1)
        at = builder.bitcast(builder.gep(data, [first]), vector.as_pointer())
        drawn = builder.load(at, align=8)
        places = core.cgutils.alloca_once_value(builder, drawn)

        def past(earlier: Any, mask: list[int]) -> None:
            single = builder.insert_element(ir.Constant(vector, ir.Undefined), builder.sub(earlier, one), i32(0))
            limit = builder.shuffle_vector(single, single, ir.Constant(ir.VectorType(i32, EIGHT), [0] * EIGHT))
            moved = builder.ashr(builder.sub(limit, builder.load(places)), sign)
            if not all(mask):
                moved = builder.and_(moved, ir.Constant(vector, mask))
            builder.store(builder.sub(builder.load(places), moved), places)

        for i in range(EIGHT - 2, -1, -1):
            past(builder.extract_element(drawn, i32(i)), [-1 if lane > i else 0 for lane in range(EIGHT)])
        with core.cgutils.for_range(builder, first, intp=first.type) as loop:
            index = builder.sub(builder.sub(first, loop.index), first.type(1))
            past(builder.load(builder.gep(data, [index])), [-1] * EIGHT)
        builder.store(builder.load(places), at, align=8)
        return context.get_dummy_value()

    return core.types.void(rows, core.types.intp), generate


_NUMBA, _EXTENDING = import_module("numba"), import_module("numba.extending")
pass_earlier = plain_pass_earlier if _NUMBA.config.DISABLE_JIT else _EXTENDING.intrinsic(_pass_earlier)
