"""Premises of the proofs of Appendix D.1: convexity and smoothness as forms in commuting scalars.

:func:`convexity` is Definition D.4 and :func:`smoothness` the quadratic upper bound of Definition D.1; both are forms
that are nonnegative.
"""

import sympy as sp

from fltheory.theory.averages import Averages
from fltheory.theory.mixed2022 import convex
from fltheory.theory.mixed2022.convex import F, Fs, G, beta, dg, dgs, f, fc, fcs, fs, gcs, mu, x

#: Averages over the clients; at an optimum of the overall loss the mean of the gs is -gcs.
AT_OPTIMUM = Averages(
    {convex.g: (G, dg), convex.gs: (-gcs, dgs)},
    {f: F, fs: Fs},
    common_vectors=(x, convex.xs, convex.gc, gcs, G),
    common_values=(fc, fcs, F, Fs),
)


def convexity(b: sp.Expr, hb: sp.Expr, a: sp.Expr, ha: sp.Expr, ga: sp.Expr, *, modulus: sp.Expr = mu) -> sp.Expr:
    """Definition D.4 from a to b: h(b) - h(a) - <grad h(a), b - a> - (modulus/2)|b - a|^2 >= 0."""
    return hb - ha - ga * (b - a) - modulus / 2 * (b - a) ** 2


def smoothness(b: sp.Expr, hb: sp.Expr, a: sp.Expr, ha: sp.Expr, ga: sp.Expr) -> sp.Expr:
    """Quadratic upper bound of Definition D.1 from a to b: h(a) + <grad h(a), b - a> + (beta/2)|b - a|^2 - h(b) >= 0."""
    return ha + ga * (b - a) + beta / 2 * (b - a) ** 2 - hb
