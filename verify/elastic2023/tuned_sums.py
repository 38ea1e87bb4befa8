"""The sums of Lemmas 1 and 2 of the elastic aggregation supplement by their definition, in closed form, and at their worst.

``P`` stands for ``(1-q)^R`` wherever a rational expression is proved for all R.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

from fltheory.theory.steps import Step, identity
from verify.elastic2023.enclosures import exp_between, log_between, rounded_up
from verify.elastic2023.tuning import HALF, P, c, eta, q

_HALF_ABOVE = exp_between(Fraction(-1, 2))[1]


def weighted_sum(
    d: Sequence[Fraction], *, mu: Fraction, eta: Fraction, c: Fraction, rate: Fraction = Fraction(1)
) -> Fraction:
    """Psi_R of Lemma 1 by its definition, with ``w_r = (1 - rate mu eta)^(1-r)`` and ``d = (d_0, ..., d_{R+1})``."""
    base = 1 - rate * mu * eta
    if base <= 0:
        raise ValueError(f"mu*eta={mu * eta}: the weights need 1 - mu eta > 0")
    weights = [base ** (1 - r) for r in range(1, len(d))]
    terms = [w / eta * (1 - mu * eta) * d[r] - w / eta * d[r + 1] + c * eta * w for r, w in enumerate(weights)]
    return sum(terms, Fraction(0)) / sum(weights, Fraction(0))


def weight_total(share: Fraction, rounds: int) -> Fraction:
    """W_R for ``q = share``: the closed form ``((1-q)^(-R) - (1-q))/q`` of the geometric sum."""
    return ((1 - share) ** (-rounds) - (1 - share)) / share


def largest_sum(share: Fraction, rounds: int) -> Fraction:
    """The largest ``(Psi_R - c eta)/(mu d_0)`` over all sequences: ``(1-q)P/(1-P(1-q))``, taken at (d_0, 0, ..., 0)."""
    return (1 - share) / (share * weight_total(share, rounds))


def left_by_constant_steps(base: Fraction, split: Fraction, rounds: int) -> Fraction:
    """A lower bound, for every constant step, of Psi_R in units of c/(mu R), at a = base^rounds and (d_0, 0, 0, ...).

    The first term a (1-q)P/(1-(1-q)P) >= a (1-q)^(R+1) falls with q, the second, R q, grows.
    """
    return min((base * (1 - split)) ** rounds * (1 - split), rounds * split)


def bracket_decay(base: Fraction, rounds: int, exponent: Fraction = Fraction(1)) -> Fraction:
    """At or above mu d_0 exp(-exponent mu eta_max R) in units of c/(mu R) for a = base^rounds and eta_max = 1/mu."""
    return rounded_up(exp_between(rounds * (log_between(base)[1] - exponent))[1], digits=20)


def rational_above(constant: sp.Expr) -> Fraction:
    """A rational number at or above ``constant``, a rational number or a rational multiple of ``1/(1-exp(-1/2))``.

    Raises
    ------
    ValueError : the constant is of neither form.
    """
    for value, top in ((constant, Fraction(1)), (sp.simplify(constant * (1 - HALF)), 1 / (1 - _HALF_ABOVE))):
        if value.is_Rational:
            return Fraction(int(value.p), int(value.q)) * top
    raise ValueError(f"constant={constant} is neither rational nor a rational multiple of 1/(1-exp(-1/2))")


def tangent_of_exp() -> Step:
    """``1 - x <= exp(-x)`` for all real x: the difference is 0 with its derivative at 0, and convex."""
    x = sp.Symbol("x", real=True)
    gap = sp.exp(-x) - 1 + x
    if gap.subs(x, 0) != 0 or sp.diff(gap, x).subs(x, 0) != 0:
        raise RuntimeError("exp(-x) - 1 + x has no double zero at 0")
    return identity(
        "1 - x <= exp(-x): a double zero at 0, second derivative exp(-x) > 0", sp.diff(gap, x, 2), sp.exp(-x)
    )


def telescoping_steps() -> tuple[Step, ...]:
    """``Psi_R = (w_0 d_0 - w_{R+1} d_{R+1})/(eta W_R) + c eta`` with ``w_0 = 1-q``, for every R by induction."""
    w, d, following, last = sp.symbols("w d d_next w_last", nonnegative=True)
    after, index = w / (1 - q), sp.Symbol("r", integer=True)
    summand = after / eta * (1 - q) * d - after / eta * following + c * eta * after
    return (
        identity("each summand is a difference", summand, (w * d - after * following) / eta + c * eta * after),
        identity(
            "induction: the differences add up", (last - w * d) + (w * d - after * following), last - after * following
        ),
        identity("w_0 = 1-q", ((1 - q) ** (1 - index)).subs(index, 0), 1 - q),
    )


def geometric_steps() -> tuple[Step, ...]:
    """``q W_R = (1 - (1-q) P)/P`` for every R >= 0 by induction."""
    total = (1 - (1 - q) * P) / (q * P)
    return (
        identity("W_0 = 1", total.subs(P, 1), 1),
        identity("W_{R+1} - W_R = (1-q)^{-(R+1)}", total.subs(P, P * (1 - q)) - total, 1 / (P * (1 - q))),
    )
