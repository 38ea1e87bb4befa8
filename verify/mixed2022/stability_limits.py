r"""Largest stable steps on scalar quadratics, from the factors and matrices of :mod:`closed_forms` (Augenstein et al., 2022).

======  =====================================================================================================
symbol  meaning
======  =====================================================================================================
gain    eta_s (1 + lambda_c/lambda_f), for 1-way GT; w = 1 - 2/gain
y, Y    1 - eta lambda_f in [0, 1) and its power y^K
v, V    w^(1/K) and its power w
within  step size over the claimed limit, below it; beyond = the same above the limit
p       eta_m eta_c (lambda_f + lambda_c), for 2-way GT with K = 1
======  =====================================================================================================
"""

from typing import Any

import sympy as sp

from fltheory.theory.steps import Step, identity, sign
from verify.mixed2022 import closed_forms
from verify.mixed2022.closed_forms import characteristic, j, lc, lf, one_way_factor, parallel_factor, qc, qf
from verify.mixed2022.updates import eta, eta_m, eta_s

gain, w, y, v, within, beyond = sp.symbols("gain w y v within beyond")
Y, V, k, t = sp.symbols("Y V k t")
p, z, first, second = sp.symbols("p z z_1 z_2")


def one_way_in_gain() -> Any:
    """The factor of 1-way GT as a function of the gain and Y."""
    return sp.simplify(one_way_factor((1 - Y) / lf).subs(lc, lf * (gain / eta_s - 1)))


def powers_are_ordered() -> list[Step]:
    """y^K - v^K has the sign of y - v for y, v >= 0: K = 1, and one more factor."""
    return [
        identity("one more factor", y * Y - v * V, y * (Y - V) + V * (y - v)),
        sign("its two weights", y + V, ((y, 0, None), (V, 0, None))),
        sign("0 <= Y <= y <= 1 for K >= 1, so that Y < 1", y - y * Y, ((y, 0, 1), (Y, 0, 1))),
    ]


def one_way_limit_steps(stretch: Any) -> list[Step]:
    """|rho| < 1 below ``stretch (1 - v)/lambda_f`` and not from there on, for 0 < eta lambda_f <= 1.

    rho + 1 = gain (Y - w) has the sign of y - v; at ``eta = s stretch (1 - v)/lambda_f`` it is y - v = (1 - v)(1 - s stretch).
    """
    rho = one_way_in_gain()
    step = stretch * (1 - v) / lf
    distance = 1 - eta * lf - v
    unit = ((v, 0, 1),)
    return [
        *powers_are_ordered(),
        sign("rho <= 1 (Y < 1: strictly)", 1 - rho, ((gain, 0, None), (Y, 0, 1))),
        identity("rho + 1 is gain (Y - w)", rho + 1, gain * (Y - (1 - 2 / gain))),
        sign("y >= v up to the limit claimed", distance.subs(eta, within * step), (*unit, (within, 0, 1))),
        sign("y <= v from the limit claimed on", -distance.subs(eta, beyond * step), (*unit, (beyond, 1, None))),
        sign("w < 0, gain <= 2: rho >= -1 (strictly for gain < 2)", rho + 1, ((gain, 0, 2), (Y, 0, 1))),
    ]


def falls_like_one_over_k() -> list[Step]:
    """(1 - w)/K <= 1 - v <= (1 - w)/(w K), by Bernoulli's inequality for v and for 1/v; 1 - w^(1/K) falls with K."""
    bernoulli = t * Y - 1 - (k + 1) * (t - 1)
    return [
        identity("Bernoulli, one more factor", bernoulli, t * (Y - 1 - k * (t - 1)) + k * (t - 1) ** 2),
        sign("v with K + 1 is at least v with K: r^(K+1) <= r^K, w = r^(K(K+1))", Y - y * Y, ((y, 0, 1), (Y, 0, 1))),
    ]


def quadratic_in(share: Any) -> Any:
    """z^2 - (1 - share) z + share."""
    return z**2 - (1 - share) * z + share


def quadratic_is_inside() -> list[Step]:
    """The conditions of Jury for this quadratic, from its roots: real ones beyond +-1 do not occur for 0 <= p <= 1, and pairs.

    A root u + iv with v != 0 has u = (1 - p)/2 from the imaginary part, and then the real part says |z|^2 = p.
    """
    real, imaginary, radius = sp.symbols("u v radius")
    at = sp.Matrix([[real, -imaginary], [imaginary, real]])  # u + iv as a matrix: its columns hold both parts
    parts = at**2 - (1 - p) * at + p * sp.eye(2)
    ranges = ((p, 0, 1), (radius, 1, None))
    half = (1 - p) / 2
    return [
        identity("imaginary part", parts[1, 0], imaginary * (2 * real - (1 - p))),
        identity("real part there", parts[0, 0].subs(real, half), p - (half**2 + imaginary**2)),
        sign("no real root from 1 on: at least 2p", quadratic_in(p).subs(z, radius) - 2 * p, ranges),
        sign("no real root up to -1: at least 2", quadratic_in(p).subs(z, -radius) - 2, ranges),
    ]


def one_step_limit_steps(bound: Any, parallel: Any) -> list[Step]:
    """K = 1, eta_c = eta eta_s, j = eta_c: 2-way GT is stable if and only if p < ``bound``, PT if and only if p < ``parallel``.

    Below: the steps of :func:`quadratic_is_inside` need p <= 1 (p < 1 for |z| < 1).  From there on the product of the roots, p, is
    at least one, and the product of two numbers inside the unit circle is not.
    """
    rates = {qf: eta, qc: eta * eta_s, closed_forms.k: eta, j: eta * eta_s}
    coefficients = characteristic(closed_forms.two_way_matrix().subs(rates))
    step = eta_m * eta * eta_s * (lf + lc)
    polynomial = sum((factor * z ** (3 - i) for i, factor in enumerate(coefficients)), sp.Integer(0))
    one_step = parallel_factor(eta, eta * eta_s)
    factor = sp.simplify(one_step.subs(lc, p / (eta_m * eta * eta_s) - lf))
    below, above = ((within, 0, 1),), ((beyond, 1, None),)
    unit = ((first, 0, 1), (second, 0, 1))
    return [
        identity("characteristic polynomial", polynomial, z * quadratic_in(step)),
        *quadratic_is_inside(),
        sign("p <= 1 up to the limit claimed", 1 - within * bound, below),
        identity("p is the product of the roots", quadratic_in(p).subs(z, 0), p),
        sign("a product of moduli up to 1 is at most 1 (strictly inside)", 1 - first * second, unit),
        sign("p >= 1 from the limit claimed on", beyond * bound - 1, above),
        sign("Parallel Training: factor at most 1", 1 - factor, ((p, 0, None),)),
        sign("factor >= -1 up to the limit claimed", (1 + factor).subs(p, within * parallel), below),
        sign("factor <= -1 from the limit claimed on", -(1 + factor).subs(p, beyond * parallel), above),
    ]
