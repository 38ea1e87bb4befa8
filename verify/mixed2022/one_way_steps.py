"""Steps of the proofs of Lemmas D.9, D.10 and D.12: one round of 1-way GT (:mod:`fltheory.theory.mixed2022.one_round`).

The update is -e (G + c + M + n) with G = grad f(x), c the central noise, M the cohort's mean of
grad f_f(x_i^k) - grad f_f(x), n the cohort's mean client noise.  :func:`facts` is all that is used of them: E|M|^2 <= beta^2
drift (Jensen over the cohort, every client is drawn equally often, smoothness), E|n|^2 <= sigma^2/(KS) (martingale
differences in any order of the clients that follows the steps), E|c|^2 <= sigma_c^2, and E<c, G> = E<n, G> = E<n, c> = 0.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.one_round import G2, C, G, K, M, beta, c, drift, e, n
from fltheory.theory.steps import Ranges, Step, inequality


def facts(
    weight_m: sp.Expr, weight_n: sp.Expr, weight_c: sp.Expr, cross: sp.Expr
) -> dict[str, tuple[sp.Expr, sp.Expr]]:
    """What is known of M, n and c, with multipliers; ``cross`` is the multiplier of the products with mean zero."""
    return {
        "E|M|^2 <= beta^2 drift": (weight_m, beta**2 * drift - M**2),
        "E|n|^2 <= sigma^2/(KS)": (weight_n, one_round.V / (K * one_round.S) - n**2),
        "E|c|^2 <= sigma_c^2": (weight_c, C - c**2),
        "E<c, G> = E<n, G> = E<n, c> = 0": (cross, -2 * (c * G + n * G + n * c)),
    }


def split_variance(right: sp.Expr, ratio: sp.Expr, ranges: Ranges) -> Step:
    """e^2 E|M + n + c + G|^2 <= right, by (1 + 1/ratio)|M|^2 + (1 + ratio)|n + c + G|^2."""
    first, second = e**2 * (1 + 1 / ratio), e**2 * (1 + ratio)
    left = e**2 * (M + n + c + G) ** 2
    premises = facts(first, second, second, second)
    squares = [(e**2 * ratio, M / ratio - n - c - G)]
    return inequality(
        "variance of the update", left, right.subs(G2, G**2), premises=premises, squares=squares, ranges=ranges
    )


def descends(
    right: sp.Expr,
    smoothness: sp.Expr,
    ranges: Ranges,
    *,
    on_cross: sp.Expr,
    on_noise: sp.Expr,
    on_central: sp.Expr | None = None,
) -> Step:
    """E f(x+) - f(x) <= right for f smooth with constant ``smoothness``, without D.9.

    -e |G|^2 - e <G, M> + (smoothness/2) e^2 |M + n + c + G|^2 is bounded: -2 <G, M> by ``on_cross`` |G|^2 + |M|^2/``on_cross``,
    2 <M, n> by |M|^2/``on_noise`` + ``on_noise`` |n|^2, 2 <M, c> likewise; without ``on_central`` n + c is treated as one vector.
    """
    half = smoothness / 2 * e**2
    left = -e * (G**2 + G * M) + half * (M + n + c + G) ** 2
    share = (e - smoothness * e**2) / 2
    one = on_central is None
    other = sp.Integer(0) if one else 1 / on_central
    on_m = share / on_cross + half * (1 + 1 / on_noise + other)
    noises = [(half * on_noise, n + (c if one else 0) - M / on_noise)]
    noises += [] if one else [(half * on_central, c - M / on_central)]
    premises = facts(on_m, half * (1 + on_noise), half * (1 + (on_noise if one else on_central)), half)
    premises["E<n, c> = 0, once more"] = (half * on_noise if one else sp.Integer(0), -2 * n * c)
    squares, every = [(share * on_cross, G + M / on_cross), *noises], (*ranges, (G, 0, None))
    return inequality("descent", left, right.subs(G2, G**2), premises=premises, squares=squares, ranges=every)
