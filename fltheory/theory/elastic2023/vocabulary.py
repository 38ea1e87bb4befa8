"""The scalars of the elastic aggregation supplement: where each one lies, and what always holds between them.

What stands for vectors and for values of functions is any real number.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory import bound, ranges
from fltheory.theory.conditions import Condition

mu, beta = sp.symbols("mu beta")

RANGES = ranges.among(
    constants=(ranges.POSITIVE, "beta theta a eta_max"),
    squares=(ranges.NONNEGATIVE, "mu eta G B A_star D S sigma c c_1 c_2 d_0 W e E P"),
    counts=(ranges.COUNT, "R tau K N"),
    vectors=(ranges.REAL, "g_x g_y h_x h_y h_z v_i v_j x y z"),
)
RELATIONS = (Condition("mu <= beta", sp.Le(mu, beta)),)


class ElasticBound(bound.Bound):
    """A bound or display in the symbols of the supplement."""

    vocabulary = ranges.Vocabulary(RANGES, RELATIONS)


#: What the document's own files call it.
Bound = ElasticBound
