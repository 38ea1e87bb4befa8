r"""Local SGD of M equal clients that take H steps between two averagings (arXiv 1909.04746, version 4).

Constants were not compared with the print word by word: :mod:`fltheory.comparison.published` says so of every row, and the
tests hold them against exact worst cases.

============  ==============================================================================================
symbol        meaning
============  ==============================================================================================
L, mu         smoothness and strong convexity of every client
s, T, H, M    step size (gamma), steps, local steps between averagings, clients
sigma_sq      bound of the variance of a stochastic gradient, clients of one law
sigma_dif_sq  mean over the clients of E|stochastic gradient at x*|^2; with exact gradients (1/M) sum |grad f_m(x*)|^2
D1            |x_0 - x*|^2
============  ==============================================================================================

``x^hat_t`` is the mean of the clients' points after t steps; ``x^bar_T`` the mean of ``x^hat_0, ..., x^hat_(T-1)``.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.conditions import Condition
from fltheory.theory.ranges import COUNT, NONNEGATIVE, POSITIVE

L, s = sp.symbols("L s", positive=True)
T, H, M = sp.symbols("T H M", positive=True)
mu, sigma_sq, sigma_dif_sq, D1 = sp.symbols("mu sigma_sq sigma_dif_sq D1", nonnegative=True)

display = Bound.displays(
    {
        "s": r"\gamma",
        "D1": r"\|x_0-x^*\|^2",
        "sigma_sq": r"\sigma^2",
        "sigma_dif_sq": r"\sigma_{\mathrm{dif}}^2",
    },
    ranges={
        **dict.fromkeys(("L", "s"), POSITIVE),
        **dict.fromkeys(("T", "H", "M"), COUNT),
        **dict.fromkeys(("mu", "sigma_sq", "sigma_dif_sq", "D1"), NONNEGATIVE),
    },
)
_CLIENTS = Condition("every f_m is convex and L-smooth, equal weights, all clients take part, at most H steps apart")
_SAME = Condition("all clients have the same loss; gradients unbiased, independent, of variance at most sigma^2")
_QUARTER = Condition("s <= 1/(4 L)", sp.Le(4 * s * L, 1))
_AVERAGE = r"\mathbb{E}f(\bar x_T)-f^*"

identical_strongly_convex = display(
    "identical data, strongly convex",
    r"\mathbb{E}\|\hat x_T-x^*\|^2",
    (1 - s * mu) ** T * D1 + s * sigma_sq / (mu * M) + 2 * L * s**2 * (H - 1) * sigma_sq / mu,
    (_CLIENTS, _SAME, _QUARTER, Condition("0 < mu <= L", sp.And(mu > 0, mu <= L))),
    source="Khaled et al. 2020, Theorem 1",
)
identical_convex = display(
    "identical data, convex",
    _AVERAGE,
    2 * D1 / (s * T) + 2 * s * sigma_sq / M + 4 * s**2 * L * sigma_sq * (H - 1),
    (_CLIENTS, _SAME, _QUARTER),
    source="Khaled et al. 2020, Theorem 2",
)
heterogeneous_convex = display(
    "heterogeneous data, convex",
    _AVERAGE,
    4 * D1 / (s * T) + 20 * s * sigma_dif_sq / M + 16 * s**2 * L * (H - 1) ** 2 * sigma_dif_sq,
    (
        _CLIENTS,
        Condition(
            "stochastic gradients are those of convex L-smooth functions (exact ones are), unbiased, independent"
        ),
        _QUARTER,
        Condition("s <= 1/(8 L (H - 1))", sp.Le(8 * s * L * (H - 1), 1)),
    ),
    source="Khaled et al. 2020, heterogeneous data, convex",
)
