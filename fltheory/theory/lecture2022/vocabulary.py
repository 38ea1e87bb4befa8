"""The scalars of the lecture note: where each one lies, and what always holds between them.

What stands for vectors and for values of functions (``x``, ``g``, ``f_i``, ...) is any real number.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory import bound, ranges
from fltheory.theory.conditions import Condition

M, N = sp.symbols("M N")

RANGES = ranges.among(
    constants=(ranges.POSITIVE, "L s s_k s_L epsilon c"),
    squares=(ranges.NONNEGATIVE, "G sigma sigma_G gap A B D C square_t b"),
    counts=(ranges.COUNT, "T K N M B_k"),
    times=(ranges.WHOLE, "R t t_0 tau count"),
    weights=(ranges.SHARE, "p"),
    vectors=(
        ranges.REAL,
        "Delta Delta_i F F_next a after before f_i f_i_star f_last f_star g g_batch g_j g_k g_mean grad grad_i h x x_at "
        "x_before x_k xbar xbar_before ybar z",
    ),
)
RELATIONS = (Condition("M <= N", sp.Le(M, N)),)


class LectureBound(bound.Bound):
    """A bound or display in the symbols of the lecture note."""

    vocabulary = ranges.Vocabulary(RANGES, RELATIONS)


#: What the document's own files call it.
Bound = LectureBound
