r"""Reductions that proofs of rates share, as steps that are checked: induction over rounds, averages, expectations, convexity.

=====================================  =================================================================================
function                               what its steps prove
=====================================  =================================================================================
:func:`by_induction`                   d_t <= claim(t) for all t from a first bound and d_{t+1} <= rhs(d_t, t)
:func:`unrolled`                       d_t <= a^t d_0 + c (1 - a^t)/(1 - a) from d_{t+1} <= a d_t + c
:func:`telescoped`                     sum of gap_s over s < t <= d_0 - d_t + t c from d_{t+1} <= d_t - gap_t + c
:func:`average_of_affine`              mean of rhs(z) = rhs(mean of z): bounds of each client, or given each outcome, on average
:func:`convexity`                      f(weighted mean) <= weighted mean of f, any number of points, from two points
=====================================  =================================================================================

A power a^t is a symbol that is multiplied by a in every step, so that all identities are between rational functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from fltheory.kinds import Number
from fltheory.theory.proofs import Open, is_zero
from fltheory.theory.steps import Ranges, Step, identity, inequality, sign

POWER = sp.Symbol("power")
"""a^t in :func:`unrolled`."""


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


def unrolled(factor: Number, noise: Any, start: Any, *, ranges: Ranges) -> tuple[sp.Expr, list[Step]]:
    """The closed form of ``d_{t+1} <= factor d_t + noise``, ``d_0 <= start``, in :data:`POWER`, and its proof.

    Parameters
    ----------
    factor : expression that ``ranges`` show to be nonnegative; not identically one (then see :func:`telescoped`).
    ranges : of all symbols of the three expressions.
    """
    factor, state = sp.sympify(factor), sp.Symbol("state_")
    if sp.simplify(factor - 1) == 0:
        raise ValueError("factor=1: the sum of the noise is telescoped, it has no geometric closed form")
    closed = POWER * start + noise * (1 - POWER) / (1 - factor)
    steps = by_induction(
        closed,
        factor * state + noise,
        state=state,
        first=start,
        initial={POWER: 1},
        advance={POWER: factor * POWER},
        ranges=(*ranges, (POWER, 0, None)),
        name="unrolling",
    )
    return closed, steps


def telescoped(noise: Any, *, ranges: Ranges = ()) -> list[Step]:
    """Sums of gaps: ``d_{t+1} <= d_t - gap_t + noise`` gives ``sum_{s<t} gap_s <= d_0 - d_t + t noise``.

    The gaps may carry any common factor; ``ranges`` of the symbols of ``noise``, which may have any sign.
    """
    total, gap, begin, now, after, t = sp.symbols("total_ gap_ begin_ now_ after_ t_")
    before = begin - now + t * noise - total
    return [
        identity("telescoping: begin", before.subs({total: 0, t: 0, now: begin}), 0),
        inequality(
            "telescoping: one more round",
            total + gap,
            begin - after + (t + 1) * noise,
            premises={"before": (sp.Integer(1), before), "recursion": (sp.Integer(1), now - gap + noise - after)},
            ranges=ranges,
        ),
    ]


def average_of_affine(rhs: sp.Expr, quantities: Sequence[sp.Symbol], *, name: str = "affine") -> Step:
    """``rhs`` of the averages is the average of ``rhs``: mixtures of two, any number of outcomes by induction.

    So a bound ``value <= rhs`` of every client, or given every outcome, holds for weighted averages over clients, or
    in expectation (tower property), with the ``quantities`` averaged; all other symbols do not depend on the outcome.
    """
    weight = sp.Symbol("weight_")
    one = {q: sp.Symbol(f"{q.name}_1") for q in quantities}
    two = {q: sp.Symbol(f"{q.name}_2") for q in quantities}
    mixed = {q: weight * one[q] + (1 - weight) * two[q] for q in quantities}
    left = weight * rhs.subs(one, simultaneous=True) + (1 - weight) * rhs.subs(two, simultaneous=True)
    return identity(name, left, rhs.subs(mixed, simultaneous=True))


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
