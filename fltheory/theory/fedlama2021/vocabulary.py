"""The scalars of the FedLAMA paper: where each one lies, and what always holds between them.

``L`` is the smoothness constant, ``m`` the number of clients, ``tau`` the number of local steps of a round, ``beta_sq``
and ``kappa_sq`` the constants of the bounded dissimilarity (Assumption 4); ``S`` a sum of squared distances of the clients from
the start of their round, and ``decrease`` a difference of two values of the objective.
"""

from __future__ import annotations

from fltheory.theory import bound, ranges

RANGES = ranges.among(
    constants=(ranges.POSITIVE, "L eta"),
    squares=(ranges.NONNEGATIVE, "sigma kappa_sq A D_0 S"),
    counts=(ranges.COUNT, "m tau T j"),
    reals=(ranges.REAL, "decrease"),
)


class LamaBound(bound.Bound):
    """A bound or display in the symbols of the FedLAMA paper."""

    vocabulary = ranges.Vocabulary(RANGES, ())


#: What the document's own files call it.
Bound = LamaBound
