"""The scalars of Augenstein et al. (2022): where each one lies, and what always holds between them.

What stands for vectors and for values of functions is any real number; differences of values of functions (``gain``) too.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory import bound, ranges
from fltheory.theory.conditions import Condition

mu, beta = sp.symbols("mu beta")

RANGES = ranges.among(
    constants=(ranges.POSITIVE, "beta eps h"),
    step_sizes=(ranges.POSITIVE, "e eta eta_c eta_d eta_m eta_s"),
    squares=(
        ranges.NONNEGATIVE,
        "mu V C F G G2 Gd_sq D_sq D0 F0 d_0 c w2 move near drift drift_a gap nu s start_error Phi Phi_after Psi Psi_after",
    ),
    dissimilarity=(ranges.AT_LEAST_ONE, "B"),
    counts=(ranges.COUNT, "K J S R tau"),
    times=(ranges.WHOLE, "T"),
    proportions=(ranges.Range(0, 1, open_low=True, open_high=True), "wf"),
    vectors=(ranges.REAL, "Fs X Xi a b g gc gcs gs gx gy gain hy hz m p u v w x xi y z"),
)
RELATIONS = (Condition("mu <= beta", sp.Le(mu, beta)),)


class MixedBound(bound.Bound):
    """A bound or display in the symbols of Augenstein et al."""

    vocabulary = ranges.Vocabulary(RANGES, RELATIONS)


#: What the document's own files call it.
Bound = MixedBound
