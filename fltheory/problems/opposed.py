"""Two clients on a line that pull in opposite directions: the pair of lower bounds for several local steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fltheory.problems.checks import check_nonnegative, check_positive, check_sequence
from fltheory.problems.numbers import as_number
from fltheory.problems.quadratic import QuadraticProblem


def opposed_pair(mu: Any, G: Any, *, second: Any = 0, weights: Sequence[Any] | None = None) -> QuadraticProblem:
    """``f_1 = mu x^2 + G x`` and ``f_2 = (second/2) x^2 - G x``; with equal weights their mean has its minimum at 0.

    With ``second=0`` the mean is ``mu x^2/2``, with ``second=mu`` it is ``3 mu x^2/4``.  Local steps of the second client move
    away from 0 on the side x > 0, and the first one's contract to ``-G/(2 mu)``.

    ========== ======== =================================================
    argument   symbol   meaning
    ========== ======== =================================================
    ``mu``     mu       half the curvature of the first loss, positive
    ``G``      G        slope at 0, positive; the second has ``-G``
    ``second``          curvature of the second loss, not negative
    ``weights``         of the two clients, with sum 1; equal by default
    ========== ======== =================================================

    Raises
    ------
    ValueError : mu or G is not positive, ``second`` is negative, weights that do not sum to one.
    """
    mu, G, second = as_number("mu", mu), as_number("G", G), as_number("second", second)
    check_positive("mu", mu)
    check_positive("G", G)
    check_nonnegative("second", second)
    matrices: Any = [[[2 * mu]], [[second]]]
    vectors: Any = [[-G], [G]]
    shares: Any = None if weights is None else check_sequence("weights", weights, "one for each of the two clients")
    return QuadraticProblem(matrices, vectors, weights=shares)
