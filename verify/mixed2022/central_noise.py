r"""What one round makes of the server's gradient noise, on quadratics (Augenstein et al., 2022, Section 4.2).

1-way GT uses one draw in all K local steps, Parallel Training takes K independent ones.  In units of the step ``eta`` and with
``x = eta lambda`` the model ends at the draws' noise times

======  ==================================  =============================================
symbol  meaning                             recursion over the local steps, from 0
======  ==================================  =============================================
s       sum of (1 - x)^i over i < K         s <- (1 - x) s + 1       (1-way GT, one draw)
n       sum of (1 - x)^(2i) over i < K      n <- (1 - x)^2 n + 1     (K draws, squared)
k       local steps so far                  k <- k + 1
======  ==================================  =============================================

so that the variances are ``(eta s)^2 sigma_c^2`` and ``eta^2 n sigma_c^2``.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

import fltheory as fl
from fltheory.theory.steps import Step, identity, inequality, sign
from verify.mixed2022 import updates
from verify.mixed2022.closed_forms import change_is_linear, lc, lf
from verify.mixed2022.updates import A, eta, eta_c, eta_m, eta_s, h, traced

s, n, k, x, r, t = sp.symbols("s n k x r t")
#: Powers of K are tried in tenths: K = t^10 makes them polynomials in t.
TENTHS = 10


def added(kind: str, steps: int) -> Any:
    """Variance that a round adds in units of sigma_c^2, read off the package's round with symbolic rates.

    ``kind`` is ``"1-way"`` or ``"parallel"``; every call of the server's oracle is a draw of its own.
    """
    if kind == "1-way":
        (model,) = traced(lambda e, ec, se, m: fl.OneWayGradientTransfer(steps, e, se), (updates.x,))
    else:
        (model,) = traced(lambda e, ec, se, m: fl.ParallelTraining(steps, e, ec, se, m), (updates.x,))
    draws: dict[Any, sp.Symbol] = {}

    def noisy(point: Any) -> Any:
        return lc * point + draws.setdefault(point, sp.Symbol(f"xi_{len(draws)}"))

    bare = model.replace(A, lambda inner: inner)
    while bare.atoms(sp.core.function.AppliedUndef):
        calls = [
            f for f in bare.atoms(sp.core.function.AppliedUndef) if not f.args[0].atoms(sp.core.function.AppliedUndef)
        ]
        inner = {f: noisy(f.args[0]) if isinstance(f, h) else lf * f.args[0] for f in calls}
        bare = sp.expand(bare.xreplace(inner))
    return sp.expand(sum((sp.diff(bare, xi) ** 2 for xi in draws.values()), sp.Integer(0)))


def recursed(steps: int, curvature: Any, rate: Any) -> tuple[Any, Any]:
    """``(rate s)^2`` and ``rate^2 n`` after so many steps of the recursions."""
    one, many = sp.Integer(0), sp.Integer(0)
    for _ in range(steps):
        one, many = (1 - rate * curvature) * one + 1, (1 - rate * curvature) ** 2 * many + 1
    return (rate * one) ** 2, rate**2 * many


def of_the_round(counts: tuple[int, ...] = (1, 2, 3)) -> list[Step]:
    """The package's rounds against the recursions, for symbolic rates and curvatures."""
    found = []
    for steps in counts:
        one, many = recursed(steps, lf, eta)[0], recursed(steps, lc, eta_c)[1]
        found.append(identity(f"noise of a round of 1-way GT, K={steps}", added("1-way", steps), eta_s**2 * one))
        found.append(identity(f"noise of a round of PT, K={steps}", added("parallel", steps), eta_m**2 * many))
    return [*change_is_linear(), *found]


def cauchy_schwarz() -> list[Step]:
    """s^2 <= k n for every k and real r = 1 - x: equality at k = 1, and k -> k + 1 by a sum of squares."""

    def more(name: str, factor: Any) -> Step:
        return inequality(
            name,
            (factor * s + 1) ** 2,
            (k + 1) * (factor**2 * n + 1),
            premises={"s^2 <= k n": (factor**2 * (1 + 1 / k), k * n - s**2)},
            squares=[(1 / k, factor * s - k)],
            ranges=((k, 1, None), (r, 0, None)),
        )

    first = {s: 0, n: 0}
    return [
        identity("one step: s^2 = n", ((r * s + 1) ** 2).subs(first), (r**2 * n + 1).subs(first)),
        more("one more step, 1 - x >= 0", r),
        more("one more step, 1 - x <= 0", -r),
    ]


def below(k_: Any) -> Any:
    """Lower bound on s for 0 <= x <= 1."""
    return k_ - k_ * (k_ - 1) * x / 2


def squeezed() -> list[Step]:
    """For 0 <= x <= 1, by induction over k: k - k(k-1)x/2 <= s and n <= k, so that s^2/n >= k (1 - (k-1)x/2)^2 for small x."""
    ranges = ((x, 0, 1), (k, 1, None))
    return [
        identity("one step: s", below(sp.Integer(1)), 1),
        sign("one more step: s from below", (1 - x) * below(k) + 1 - below(k + 1), ranges),
        sign("one more step: n from above", k + 1 - ((1 - x) ** 2 * k + 1), ranges),
        sign("n falls with its predecessor", (1 - x) ** 2 * (k - n), ((x, 0, 1), (k, 1, None), (n, 0, k))),
        identity("the lower bound on s^2/n", below(k) ** 2 / k, k * (1 - (k - 1) * x / 2) ** 2),
    ]


def power_of(exponent: Any) -> Any:
    """``K^exponent`` as a polynomial in t, K = t^10.

    Raises
    ------
    ValueError : ``10 exponent`` is no whole number.
    """
    tenths = TENTHS * sp.Rational(exponent)
    if not tenths.is_integer:
        raise ValueError(f"exponent={exponent}: expected a multiple of 1/10")
    return t**tenths


def at_most(exponent: Any) -> Step:
    """The bound of :func:`cauchy_schwarz` is at most ``K^exponent``."""
    return sign("K is at most the factor claimed", power_of(exponent) - t**TENTHS, ((t, 1, None),))


def at_least(exponent: Any) -> Step:
    """The bound of :func:`squeezed` at x = 0 is at least ``K^exponent``."""
    reached = (below(k) ** 2 / k).subs(x, 0).subs(k, t**TENTHS)
    return sign("the lower bound reaches the factor claimed as x -> 0", reached - power_of(exponent), ((t, 1, None),))
