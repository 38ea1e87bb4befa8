r"""Theorem 1 of Li et al. (2020) without Assumption 4: heterogeneity at the minimiser instead of bounded gradients.

``zeta^2 = sum_k p_k |grad F_k(w*)|^2 <= 2 L Gamma`` takes the place of ``G^2``.  Steps are ``eta_t = 2/(mu x)``, ``x = gamma + t``,
t = 1, 2, ..., clients synchronise when E divides t + 1, and n is the number of local steps since the last synchronisation.

First theorem (every ``gamma >= kappa``).  Run the clients from w and from w* with the same steps.  Each client's
step shrinks the distance between both runs by ``1 - eta mu``, so that only the drift of the run that starts in w* is left, and
that is at most ``sum eta_i |grad F_k(w*)|``:

    ``U_next = (1 - eta mu) U + eta (L-mu)/2 (sum eta_i) zeta`` bounds ``|wbar - w*|``.

Noise: next to the exact runs from the start of a round the average has a part M of conditional mean zero, with
``|M_next|^2 <= (1 - eta mu)^2 |M|^2 + eta^2 V``, and a rest r with ``|r_next| <= s |r| + eta (L-mu)/2 sigma sqrt(sum eta_i^2)``; M
is orthogonal to what is known at the start of the round, so that ``sqrt(E|wbar - w*|^2) <= U + sqrt(noise)``.

Second theorem (``gamma >= c kappa E``).  Gradients of a local run also do not shrink fast:
``|g_i| <= |g_t| / prod (1 - eta L)``.  So the drift V at step t is bounded by the gradients at step t itself, whose difference
from those at w* is what the one-step inequality leaves unused:

    ``|wbar_next - w*|^2 <= B^2 m^2 - (2 eta s/(L-mu)) H + 2 eta B sqrt(V H)``,   ``H = sum p_k |h_k|^2``,
    ``h_k = grad F_k(w_k) - grad F_k(w*) - mu (w_k - w*)``,   ``sqrt(V) <= rho' (sqrt(H) + mu m + zeta + sigma)``.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.li2020 import theorems as th
from fltheory.theory.li2020.vocabulary import LiBound

gamma, c, zeta, sigma = sp.symbols("gamma c zeta sigma", nonnegative=True)


def distance_bound(
    kappa: sp.Expr, E: sp.Expr, T: sp.Expr, gamma: sp.Expr, start: sp.Expr, heterogeneity: sp.Expr
) -> sp.Expr:
    """``|w_T - w*|`` from ``start = |w_1 - w*|`` and ``heterogeneity = zeta/mu``."""
    last = gamma + T
    drift = (kappa - 1) * (E - 1) * (1 + (E - 2) / gamma) * sp.Max(T - 2, 0)
    return (gamma * (gamma - 1) * start + drift * heterogeneity) / ((last - 1) * (last - 2))


def noise_square(T: sp.Expr, gamma: sp.Expr, noise: sp.Expr) -> sp.Expr:
    """The square of what ``noise = V/mu^2`` adds to :func:`distance_bound`."""
    return 4 * noise * (gamma + T - 1) / (3 * (gamma + T - 2) ** 2)


def drift_factor(c: sp.Expr) -> sp.Expr:
    """The constant of the drift in :func:`square_bound`; 1/3 as c grows."""
    return c**2 * (c - 4) / (3 * (c - 5) ** 2 * (c - 6))


def square_bound(
    kappa: sp.Expr, E: sp.Expr, T: sp.Expr, gamma: sp.Expr, c: sp.Expr, start: sp.Expr, noise: sp.Expr, drift: sp.Expr
) -> sp.Expr:
    """``E|w_T - w*|^2`` from ``start = E|w_1 - w*|^2``, ``noise = V/mu^2`` and ``drift = (zeta + sigma)^2/mu^2``."""
    last = gamma + T
    y = (last - 1) * (last - 2)
    kept = (c - 4) / (c - 5) * (start * (gamma * (gamma - 1) / y) ** 2 + noise * 4 * (last - 1) / (3 * (last - 2) ** 2))
    return kept + drift_factor(c) * (kappa - 1) * (E - 1) * (2 * E - 1) * T * (2 * gamma + T + E - 2) * drift / y**2


_COMMON = (
    Condition("0 < mu <= L", sp.And(th.mu > 0, th.mu <= th.L)),
    Condition("E >= 1", sp.Ge(th.E, 1)),
    Condition("T >= 1", sp.Ge(th.T, 1)),
    Condition("every F_k is L-smooth and mu-strongly convex"),
    Condition("full participation, w_T = sum_k p_k w_T^k at every T, synchronised or not"),
    Condition("eta_t = 2/(mu (gamma + t)), first step t = 1, synchronisation when E divides t+1"),
    Condition("zeta^2 = sum_k p_k |grad F_k(w*)|^2 (at most 2 L Gamma)"),
)

_NOISE = (
    Condition("samples unbiased given the past and independent across devices"),
    Condition("variance of client k's stochastic gradient at most sigma_k^2; sigma^2 = sum_k p_k sigma_k^2"),
)

THEOREM_DISTANCE = LiBound(
    "Theorem 1 without bounded gradients, exact gradients",
    "not in the paper",
    r"\|w_T-w^*\|",
    distance_bound(th.kappa, th.E, th.T, gamma, sp.sqrt(th.D1), zeta / th.mu),
    (
        *_COMMON,
        Condition("exact gradients"),
        Condition(
            "gamma >= L/mu and gamma > 1; the printed gamma = max{8 L/mu, E} is one",
            sp.And(sp.Ge(gamma, th.kappa), sp.Gt(gamma, 1)),
        ),
    ),
    symbol_names={"D1": r"\|w_1-w^*\|^2", "zeta": r"\zeta", "gamma": r"\gamma"},
    ids=("LI-THM1-S5",),
)

THEOREM_NOISE = LiBound(
    "Theorem 1 without bounded gradients, with noise",
    "not in the paper",
    r"\sqrt{\mathbb{E}\|w_T-w^*\|^2}",
    (
        gamma * (gamma - 1) * sp.sqrt(th.D1)
        + (th.kappa - 1)
        * (1 + (th.E - 2) / gamma)
        * sp.Max(th.T - 2, 0)
        * ((th.E - 1) * zeta + sp.sqrt(2 * (th.E - 1)) * sigma)
        / th.mu
    )
    / ((gamma + th.T - 1) * (gamma + th.T - 2))
    + sp.sqrt(noise_square(th.T, gamma, th.V / th.mu**2)),
    (*_COMMON, *_NOISE, THEOREM_DISTANCE.conditions[-1]),
    symbol_names={
        "V": r"\sum_k p_k^2\sigma_k^2",
        "D1": r"\mathbb{E}\|w_1-w^*\|^2",
        "zeta": r"\zeta",
        "sigma": r"\sigma",
        "gamma": r"\gamma",
    },
    ids=("LI-THM1-S6",),
)

THEOREM_SQUARE = LiBound(
    "Theorem 1 without bounded gradients, smaller steps",
    "not in the paper",
    r"\mathbb{E}\|w_T-w^*\|^2",
    square_bound(th.kappa, th.E, th.T, gamma, c, th.D1, th.V / th.mu**2, (zeta + sigma) ** 2 / th.mu**2),
    (
        *_COMMON,
        *_NOISE,
        Condition("c > 6", sp.Gt(c, 6)),
        Condition("gamma >= c (L/mu) E", sp.Ge(gamma, c * th.kappa * th.E)),
        Condition(
            "w_1 may be the model w_r of any synchronised step r, with gamma + r - 1 for gamma and T - r + 1 for T"
        ),
    ),
    symbol_names={
        "V": r"\sum_k p_k^2\sigma_k^2",
        "D1": r"\mathbb{E}\|w_1-w^*\|^2",
        "zeta": r"\zeta",
        "sigma": r"\sigma",
        "gamma": r"\gamma",
    },
    ids=("LI-THM1-S7",),
)
