r"""Sharper forms of one step and of Theorem 1: a trade between the decrease of f, the drift and the noise.

One step with A = grad f(xbar), delta = A - mean_i grad f_i(x_i), u = L s:
    |A|^2 <= (c/s)(F - F') + beta |delta|^2 + (c/2) L s sigma^2/N,
    beta = c u/2 + c^2 (1-u)^2 / (4 w),   w = c - 1 - c u/2 > 0.
The note has c = 2, beta = 1; with c = 3/2 and s <= 1/(2L) all three terms of Theorem 1 are smaller than printed.
"""

import sympy as sp

from fltheory.evidence.relations import Relations
from fltheory.theory.conditions import Condition
from fltheory.theory.lecture2022 import bounds
from fltheory.theory.lecture2022.bounds import K, L, N, after, before, c, s, sigma, square_a, square_ab
from fltheory.theory.lecture2022.vocabulary import Bound

u = sp.Symbol("u", positive=True)

HALF_STEP = Condition("s <= 1/(2L)", 2 * s * L <= 1)


def weight(c: sp.Expr, u: sp.Expr) -> sp.Expr:
    """w = c - 1 - c u/2: how much of |A|^2 is left for the trade."""
    return c - 1 - c * u / 2


def trade(c: sp.Expr, u: sp.Expr) -> sp.Expr:
    """beta(c, u): the best factor of the deviation term when the decrease of f has the factor c/s."""
    return c * u / 2 + c**2 * (1 - u) ** 2 / (4 * weight(c, u))


#: beta(c, u) in a text.
BETA = "(c*u/2 + c**2*(1 - u)**2/(4*(c - 1 - c*u/2)))"
#: Two clients, f_1' = x - k and f_2' = |x| - k at 1 and -1, L = 1: their average moves from 0 to y = -s b >= 0, where f_2' = f_1'.
ATTAINED = Relations(
    f"a**2 = c/s*(f_0 - f_y) + {BETA}*(a - b)**2; y >= 0; c <= 2; {BETA.replace('c', '2')} = 1 "
    "for 0 < u < 1; 0 < w <= 1 - u; c = (2*w + 2)/(2 - u); k = c*(1 - u)/(2*w); g_1 = 1 - k; g_2 = 1 - k; b = (g_1 + g_2)/2; "
    "a_1 = 0 - k; a_2 = 0 - k; a = (a_1 + a_2)/2; s = u; y = 0 - s*b; f_0 = 0; f_y = ((y**2/2 - k*y) + (y**2/2 - k*y))/2"
)

theorem_1_traded = Bound(
    "Theorem 1 with all three constants smaller",
    "Theorem 1",
    bounds.AVERAGE_GRADIENT,
    bounds.theorem_1_expression(descent=sp.Rational(3, 2), drift=(K - 1) * (2 * K - 1) / 4, noise=sp.Rational(3, 4)),
    (HALF_STEP, bounds.MOMENTS, bounds.NOISE, bounds.FULL),
    symbol_names=bounds.NAMES,
)
one_step_traded = Bound(
    "one step for every factor of the decrease",
    "last display of the proof of Theorem 1",
    square_a,
    c / s * (before - after) + trade(c, L * s) * square_ab + c * L * s * sigma**2 / (2 * N),
    (bounds.STEP, Condition("c > 2/(2 - Ls)", c * (2 - L * s) > 2), bounds.NOISE),
    symbol_names={**bounds.one_step.symbol_names, "F_next": r"\mathbb{E}f(\bar{x}^{t})"},
)
