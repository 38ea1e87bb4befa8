r"""Reductions that proofs of rates share, as steps that are checked: induction over rounds, convexity.

=====================================  =================================================================================
function                               what its steps prove
=====================================  =================================================================================
:func:`by_induction`                   d_t <= claim(t) for all t from a first bound and d_{t+1} <= rhs(d_t, t)
:func:`convexity`                      f(weighted mean) <= weighted mean of f, any number of points, from two points
=====================================  =================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from fltheory.theory.proofs import Open, is_zero
from fltheory.theory.steps import Ranges, Step, identity, inequality, sign


def by_induction(
    claim: sp.Expr,
    rhs: sp.Expr,
    *,
    state: sp.Symbol,
    first: Any,
    initial: Mapping[sp.Symbol, Any],
    advance: Mapping[sp.Symbol, Any],
    ranges: Ranges,
    name: str = "induction",
) -> list[Step]:
    """``d_t <= claim`` for all t, from ``d_0 <= first`` and ``d_{t+1} <= rhs`` at ``state = d_t``.

    Parameters
    ----------
    claim : the bound, in the index and in symbols that change with it.
    rhs : affine in ``state``; that it does not decrease with ``state`` is one of the steps.
    initial, advance : what these symbols are at t = 0, and at t + 1 in terms of their values at t.
    ranges : of all symbols but ``state``.

    Raises
    ------
    ValueError : ``rhs`` is not affine in ``state``.
    """
    slope = sp.diff(sp.sympify(rhs), state)
    if sp.simplify(sp.diff(slope, state)) != 0:
        raise ValueError(f"rhs={rhs} is not affine in {state}")
    claim = sp.sympify(claim)
    after = claim.subs(dict(advance), simultaneous=True)
    return [
        _not_negative(f"{name}: begin", claim.subs(dict(initial), simultaneous=True) - first, ranges),
        _not_negative(f"{name}: the next bound does not fall with d_t", slope, ranges),
        _not_negative(f"{name}: one more step", after - sp.sympify(rhs).subs(state, claim), ranges),
    ]


def _not_negative(name: str, difference: sp.Expr, ranges: Ranges) -> Step:
    """Equality first, which needs no ranges."""
    return identity(name, difference, 0) if is_zero(difference) else sign(name, difference, ranges)


def convexity(name: str = "convexity") -> list[Step]:
    """Jensen's inequality for a convex function and nonnegative weights w_1, w_2, ... with w_1 > 0; one point is its mean.

    With W the sum of the weights so far, ``mean`` = W f(weighted mean) and ``sums`` = the sum of w_i f(x_i): the next mean
    lies between the last one and the new point, where the two-point inequality gives
    (W + w) f(new mean) <= W f(mean) + w f(x).
    """
    mean, sums, following, value, w, W = sp.symbols("mean_ sums_ following_ value_ w_ W_")
    ranges = ((W, Open(0), None), (w, 0, None))
    two_points = W / (W + w) * mean / W + w / (W + w) * value - following
    return [
        identity(f"{name}: the weights of the two points sum to one", W / (W + w) + w / (W + w), 1),
        inequality(
            f"{name}: one more point",
            (W + w) * following,
            sums + w * value,
            premises={"before": (sp.Integer(1), sums - mean), "two points": (W + w, two_points)},
            ranges=ranges,
        ),
    ]
