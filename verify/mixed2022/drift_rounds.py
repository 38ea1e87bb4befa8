r"""The best number of rounds T(eps) on scalar quadratics (Augenstein et al., 2022, Table 1): two-sided bounds.

T is the least number of rounds over all constant step sizes after which the error is below eps.

======  ====================================================================================================
symbol  meaning
======  ====================================================================================================
h       eta = eta_c of Parallel Training on curvatures (1, 1/2), slope g, K = 2, eta_m = eta_s = 1
tol     distance to the minimiser at which the error is eps, tol^2 = 4 eps/3
c, w    step size and variance of SGD on curvature 1; P = (1 - c)^(2K) after K steps
d       accuracy of E x^2
======  ====================================================================================================

Without noise x_T is a convex combination of the start and the fixed point, with noise E x_T^2 one of the start and the
stationary value, so that the step size must make that point accurate; the number of rounds follows from the factor.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.steps import Step, identity, sign
from verify.mixed2022.closed_forms import moved

R = sp.Rational
c, w, d, P, g, tol, h, s = sp.symbols("c w d P g tol h s", positive=True)


#: eta_m, if it is not 1.
merge = sp.Symbol("eta_m", positive=True)


def drift_steps(eta_m: sp.Expr = sp.S.One) -> list[Step]:
    """(lambda_f, lambda_c) = (1, 1/2), slope g, K = 2, eta_s = 1, eta_c = eta = h: fixed point b and factor rho; eta_m >= 1.

    That rho is at least 1 - 3h needs eta_m = 1.
    """
    q_f, q_c = moved(sp.Integer(1), h, 2), moved(R(1, 2), h, 2)
    rho, b = 1 - eta_m * (q_f + q_c / 2), (q_c - q_f) * g / (q_f + q_c / 2)
    small = ((h, 0, R(1, 48)), (g, 0, None), (tol, 0, None), (merge, 1, None))
    return [
        identity("b = 2 h g/(12 - 5 h)", b, 2 * h * g / (12 - 5 * h)),
        identity("rho = 1 - eta_m (3h - 5h^2/4)", rho, 1 - eta_m * (3 * h - R(5, 4) * h**2)),
        sign("b >= h g/6, so that b < tol needs h < 6 tol/g", b - h * g / 6, small),
        sign("rho >= 1 - 3h", rho - 1 + 3 * h, small),
        sign("b <= h g/5: at h = 2 tol/g at most tol/2", h * g / 5 - b, small),
        sign("rho <= 1 - 2h", 1 - 2 * h - rho, small),
    ]


def limit_over(bound: sp.Expr, power: sp.Expr, logarithm: sp.Expr, variable: sp.Symbol) -> sp.Expr:
    """Limit of bound/(power logarithm) as the variable tends to 0 from above, term by term: powers and logarithms apart."""
    total = sp.Integer(0)
    for term in sp.Add.make_args(bound):
        factors = sp.Mul.make_args(term)
        logs = sp.Mul(*(x for x in factors if x.has(sp.log)))
        size = sp.limit(sp.expand_power_base(term / logs / power), variable, 0, "+")
        if logs != 1:
            total += size * sp.limit(logs / logarithm, variable, 0, "+")
        elif not size.is_finite:
            total += size
    return total


#: The bounds of :func:`drift_rounds` for tol <= g/96, in tol.
DRIFT_LOW = sp.log(1 / tol) * (g / (18 * tol) - 1)
DRIFT_HIGH = 1 + sp.log(2 / tol) * g / (4 * tol)


def drift_rounds(slope: float, accuracy: float) -> tuple[float, float]:
    """Lower and upper bound on T(eps) from 1: log(1/tol)(g/(18 tol) - 1), 1 + log(2/tol) max(g/(4 tol), 24); tol^2 = 4 eps/3."""
    t = (4 * accuracy / 3) ** 0.5
    low, high = DRIFT_LOW.subs({g: slope, tol: t}), DRIFT_HIGH.subs({g: max(slope, 96 * t), tol: t})
    return float(low), float(high)


def noise_steps() -> list[Step]:
    """K steps of size c on curvature 1 with variance w each: E x^2 tends to phi = c w/(2 - c) with factor P = (1 - c)^(2K)."""
    per_round = c**2 * w * (1 - P) / (1 - (1 - c) ** 2)
    phi = c * w / (2 - c)
    return [
        identity("stationary", phi, P * phi + per_round),
        identity("phi = d at c = 2d/(w + d)", phi.subs(c, 2 * d / (w + d)), d),
        identity("phi = d/2 at c = 2d/(2w + d)", phi.subs(c, 2 * d / (2 * w + d)), d / 2),
        identity("(1 - c)/c there", ((1 - c) / c).subs(c, 2 * d / (w + d)), (w - d) / (2 * d)),
        sign("phi grows with c", sp.diff(phi, c) * (2 - c) ** 2, ((c, 0, 1), (w, 0, None))),
    ]


#: The bounds of :func:`noise_rounds`; ``many`` steps a round, each with variance w.
many = sp.Symbol("many", positive=True)
NOISE_LOW = sp.log(1 / d) * (w - d) / (4 * many * d)
NOISE_HIGH = 1 + sp.log(2 / d) * (2 * w + d) / (4 * many * d)


def noise_rounds(steps: float, variance: float, delta: float) -> tuple[float, float]:
    """log(1/d)(w - d)/(4 K d) <= T <= 1 + log(2/d)(2 w + d)/(4 K d), from c/(1-c) >= -log(1-c) >= c; start 1."""
    at = {many: steps, w: variance, d: delta}
    return float(NOISE_LOW.subs(at)), float(NOISE_HIGH.subs(at))
