r"""Sharper forms of one step and of Theorem 1: a trade between the decrease of f, the drift and the noise.

One step with A = grad f(xbar), delta = A - mean_i grad f_i(x_i), u = L s:
    |A|^2 <= (c/s)(F - F') + beta |delta|^2 + (c/2) L s sigma^2/N,
    beta = c u/2 + c^2 (1-u)^2 / (4 w),   w = c - 1 - c u/2 > 0.
The note has c = 2, beta = 1; with c = 3/2 and s <= 1/(2L) all three terms of Theorem 1 are smaller than printed.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.lecture2022 import bounds
from fltheory.theory.lecture2022.bounds import G, K, L, N, T, after, before, gap, s, sigma, square_ab
from fltheory.theory.lecture2022.vocabulary import Bound
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Proof, Step, identity, inequality, sign
from verify.lecture2022 import descent
from verify.lecture2022.descent import F, F_next, V, a, averaged_noise, b, expected_step, v
from verify.lecture2022.drift import averaged, gradients_since_the_average, period_averages

c, u, w = sp.symbols("c u w", positive=True)
ONE = sp.Integer(1)

HALF_STEP = Condition("s <= 1/(2L)", 2 * s * L <= 1)


def weight(c: sp.Expr, u: sp.Expr) -> sp.Expr:
    """w = c - 1 - c u/2: how much of |A|^2 is left for the trade."""
    return c - 1 - c * u / 2


def trade(c: sp.Expr, u: sp.Expr) -> sp.Expr:
    """beta(c, u): the best factor of the deviation term when the decrease of f has the factor c/s."""
    return c * u / 2 + c**2 * (1 - u) ** 2 / (4 * weight(c, u))


def one_step_bound(c: sp.Expr, beta: sp.Expr) -> sp.Expr:
    """(c/s)(F - F') + beta D + (c/2) L s sigma^2/N in the symbols of one step."""
    return c / s * (before - after) + beta * square_ab + c * L * s * sigma**2 / (2 * N)


def prove_one_step(scale: sp.Expr = ONE) -> Proof:
    """|A|^2 <= one_step_bound(c, scale * beta) for every c with w > 0; w and u are free, c = (2w + 2)/(2 - u)."""
    factor = (2 * w + 2) / (2 - u)
    beta = scale * (factor * u / 2 + factor**2 * (1 - u) ** 2 / (4 * w))
    step = u / L
    to_vectors = {before: F, after: F_next, square_ab: (a - b) ** 2, s: step}
    return Proof(
        (
            identity("w is what c leaves", weight(factor, u), w),
            identity("beta(c, u)", trade(factor, u), factor * u / 2 + factor**2 * (1 - u) ** 2 / (4 * w)),
            descent.descent_lemma(),
            inequality(
                "one step",
                a**2,
                one_step_bound(factor, beta).subs(to_vectors, simultaneous=True),
                premises={
                    "descent": (factor / step, expected_step().subs(s, step) - F_next),
                    "noise": (factor * u / 2, averaged_noise() - v),
                },
                squares=[(w, a - factor * (1 - u) / (2 * w) * (a - b))],
                ranges=[(u, Open(0), 1), (L, Open(0), None), (w, Open(0), None), (N, 1, None), (sigma, 0, None)],
            ),
        )
    )


def attained() -> list[Step]:
    """Two clients (f_1' = x - k, f_2' = |x| - k at 1 and -1, deviation 1) need beta(c, u) exactly, for every c <= 2."""
    factor = (2 * w + 2) / (2 - u)
    k = factor * (1 - u) / (2 * w)
    after = u * (k - 1)
    return [
        identity("|A|^2 - (c/s)(F - F') = beta", k**2 - factor / u * (k * after - after**2 / 2), trade(factor, u)),
        identity("k - 1 = (2 - c)/(2w), so that the average moves to the right", k - 1, (2 - factor) / (2 * w)),
    ]


theorem_1_traded = Bound(
    "Theorem 1 with all three constants smaller",
    "Theorem 1",
    bounds.AVERAGE_GRADIENT,
    bounds.theorem_1_expression(descent=sp.Rational(3, 2), drift=(K - 1) * (2 * K - 1) / 4, noise=sp.Rational(3, 4)),
    (HALF_STEP, bounds.MOMENTS, bounds.NOISE, bounds.FULL),
    symbol_names=bounds.NAMES,
)


def prove_traded(right: sp.Expr) -> Proof:
    """Theorem 1 for rounds of K local steps with c = 3/2 and beta <= 3/2, from ``prove_one_step`` summed over steps."""
    factor, limit = sp.Rational(3, 2), sp.Rational(3, 2)
    total, left_over = sp.symbols("A_T r_T", nonnegative=True)
    drift = s**2 * (K - 1) * (2 * K - 1) / 6 * G**2
    ranges = [(T, 1, None), (N, 1, None), (K, 1, None), *((z, 0, None) for z in (L, s, gap, sigma, G))]
    return Proof(
        (
            *prove_one_step().steps,
            sign("w > 0 for c = 3/2", weight(factor, u) - sp.Rational(1, 8), [(u, 0, sp.Rational(1, 2))]),
            sign("beta(3/2, u) <= 3/2", limit - trade(factor, u), [(u, 0, sp.Rational(1, 2))]),
            descent.gradients_at_client_points(),
            descent.induction_over_the_steps(factor),
            *averaged(ONE).steps,
            *gradients_since_the_average("FedAvg"),
            *period_averages("FedAvg"),
            inequality(
                "final bound",
                total,
                right,
                premises={
                    "summed": (
                        ONE,
                        factor / (s * T) * (gap - left_over)
                        + limit * L**2 * V
                        + factor * L * s * sigma**2 / (2 * N)
                        - total,
                    ),
                    "drift": (limit * L**2, drift - V),
                    "last value": (factor / (s * T), left_over),
                },
                ranges=ranges,
            ),
        )
    )
