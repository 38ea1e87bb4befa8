r"""Theorem 2.2 of Stich (2019): local SGD of K workers that share one loss, steps ``4/(mu (a + t))``.

The bound is of ``x^hat_T``, the mean of the workers' points over ``t = 0, ..., T - 1`` with weights ``w_t = (a + t)^2``.

=========  =====================================================
symbol     meaning
=========  =====================================================
L, mu      smoothness, strong convexity
a, T, H    shift of the step sizes, steps, local steps
K          workers
sigma_sq   bound of the variance of a stochastic gradient
G2         bound of its second moment
D1         |x_0 - x*|^2
=========  =====================================================
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.conditions import Condition
from fltheory.theory.ranges import COUNT, NONNEGATIVE, POSITIVE

L, mu, a = sp.symbols("L mu a", positive=True)
T, H, K = sp.symbols("T H K", positive=True)
sigma_sq, G2, D1 = sp.symbols("sigma_sq G2 D1", nonnegative=True)
#: ``w_0 + ... + w_(T-1)``.
weights = T * a**2 + a * T * (T - 1) + T * (T - 1) * (2 * T - 1) / 6

theorem_2_2 = Bound(
    "Theorem 2.2",
    "Stich 2019, Theorem 2.2",
    r"\mathbb{E}f(\hat x_T)-f^*",
    mu * a**3 / (2 * weights) * D1
    + 4 * T * (T + 2 * a) / (mu * weights) * sigma_sq / K
    + 256 * T / (mu**2 * weights) * G2 * H**2 * L,
    (
        Condition(
            "all workers have the same loss, L-smooth and mu-strongly convex; gradients unbiased and independent"
        ),
        Condition("E|stochastic gradient|^2 <= G^2 at every step taken"),
        Condition("mu <= L", sp.Le(mu, L)),
        Condition("a > 16 L/mu", sp.Gt(a * mu, 16 * L)),
        Condition("a > H", sp.Gt(a, H)),
        Condition("eta_t = 4/(mu (a + t)), first step t = 0"),
    ),
    symbol_names={"sigma_sq": r"\sigma^2", "G2": "G^2", "D1": r"\|x_0-x^*\|^2"},
    ranges={
        **dict.fromkeys(("L", "mu", "a"), POSITIVE),
        **dict.fromkeys(("T", "H", "K"), COUNT),
        **dict.fromkeys(("sigma_sq", "G2", "D1"), NONNEGATIVE),
    },
)
