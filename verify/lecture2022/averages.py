"""Mean and deviation over the clients, which make their number and the dimension disappear: :mod:`fltheory.theory.averages`."""

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from fltheory.theory.averages import Averages
from fltheory.theory.steps import Ranges, Step, inequality


def client_average(
    form: sp.Expr, clients: Mapping[sp.Symbol, tuple[sp.Expr, sp.Expr]], *, common: Sequence[sp.Symbol] = ()
) -> sp.Expr:
    """Average over the clients (or over any finite index set) of a form that is quadratic in ``clients`` and ``common``.

    ``clients`` are vector symbol -> (its mean, its deviation), ``common`` vectors that are the same for every client.
    """
    return Averages(clients, common_vectors=tuple(common)).of(form)


#: A vector of the generic client, its mean and its deviation.
z, z_mean, z_dev = sp.symbols("z z_mean z_dev", real=True)
#: The average of ``|z|^2``.
MEAN_SQUARE = client_average(z**2, {z: (z_mean, z_dev)})


def jensen(name: str, right: sp.Expr, given: str, *, times: Any = 1, ranges: Ranges = ()) -> Step:
    """``times |mean of z|^2 <= right`` since, by ``given``, ``times`` the average of ``|z|^2`` is at most ``right``."""
    premise = right - times * MEAN_SQUARE
    return inequality(
        name, times * z_mean**2, right, premises={given: (1, premise)}, squares=[(times, z_dev)], ranges=ranges
    )


def second_moment_of_mean(variance: sp.Expr, covariance: sp.Expr, count: sp.Expr) -> sp.Expr:
    """E abs((1/N) sum_i n_i)^2 = (1/N^2) (N variance + N (N-1) covariance).

    ``variance`` is the average of E|n_i|^2 and ``covariance`` the average of E<n_i, n_j> over pairs i != j; no
    exchangeability is needed, since only the two averages enter.
    """
    return (count * variance + count * (count - 1) * covariance) / count**2
