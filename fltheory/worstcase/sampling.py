"""What averages under a participation scheme keep of deviations and of noise (see :mod:`fltheory.worstcase.space`)."""

from __future__ import annotations

from fractions import Fraction

from fltheory.algorithms.participation import Full, Participation, SchemeI
from fltheory.algorithms.subsets import NormalisedUniform, SchemeII, TransformedSchemeII
from fltheory.problems.base import check_count
from fltheory.worstcase.space import Shares


def shares(participation: Participation, n_clients: int | None, *, noisy: bool) -> Shares:
    """The shares of one round with ``n_clients`` clients of equal weight.

    ============================ ======================== =====================================
    scheme                       deviation                noise
    ============================ ======================== =====================================
    full                         0                        1/N
    Scheme I, separate runs      1/K                      1/K
    Scheme I, one run            1/K                      1/K + (1 - 1/K)/N
    uniform K of N               (N-K)/(K(N-1))           1/K
    ============================ ======================== =====================================

    Without noise, full participation and the deviation of Scheme I hold for any N and any weights.

    Raises
    ------
    ValueError : a scheme whose coefficients do not sum to one; N not given where the shares depend on it; K > N.
    """
    if isinstance(participation, Full):
        n = _count(n_clients, "noise") if noisy else None
        return Shares(None, Fraction(1, n or 1), "full", n)
    if isinstance(participation, SchemeI):
        k = participation.clients
        if participation.separate_runs:
            return Shares(Fraction(1, k), Fraction(1, k), "with replacement, separate runs", None, k)
        n = _count(n_clients, "noise") if noisy else None
        return Shares(Fraction(1, k), Fraction(1, k) + (1 - Fraction(1, k)) / (n or 1), "with replacement", n, k)
    if isinstance(participation, (NormalisedUniform, SchemeII, TransformedSchemeII)):
        n, k = _count(n_clients, "sampling"), participation.clients
        if k > n:
            raise ValueError(f"K={k} exceeds N={n}: a cohort without repetition needs K <= N")
        deviation = Fraction(n - k, k * (n - 1)) if n > 1 else Fraction(0)
        return Shares(deviation, Fraction(1, k), "without replacement", n, k)
    raise ValueError(f"participation={participation!r} has no symmetric model: its coefficients do not sum to one")


def _count(n_clients: int | None, what: str) -> int:
    if n_clients is None:
        raise ValueError(f"n_clients is missing: the share of the {what} depends on the number of clients")
    return check_count("n_clients", n_clients)
