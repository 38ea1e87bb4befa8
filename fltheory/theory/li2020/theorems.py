"""Theorems 1, 2 and 3 of Li et al. (2020) and their sharpened forms, as symbolic bounds.

Symbols: ``L, mu`` smoothness and strong convexity; ``E`` local steps, ``T`` steps, ``K`` of ``N`` clients per round;
``V`` = sum p_k^2 sigma_k^2; ``Gamma`` heterogeneity; ``G2`` = G^2, the bound on the second moment of the stochastic
gradients; ``D1`` = E|w_1 - w*|^2.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.li2020.vocabulary import LiBound

L, mu, V, Gamma, G2, D1 = sp.symbols("L mu V Gamma G2 D1", nonnegative=True)
E, T, K, N = sp.symbols("E T K N", positive=True)

kappa = L / mu
#: gamma = max{8 kappa, E}
gamma = sp.Max(8 * kappa, E)
#: B of equation (5)
B = V + 6 * L * Gamma + 8 * (E - 1) ** 2 * G2
#: C of Theorem 2 (Scheme I)
C_scheme_i = 4 * E**2 * G2 / K
#: C of Theorem 3 (Scheme II)
C_scheme_ii = (N - K) / (N - 1) * 4 * E**2 * G2 / K

_NAMES = {"V": r"\sum_k p_k^2\sigma_k^2", "G2": "G^2", "D1": r"\mathbb{E}\|w_1-w^*\|^2", "Gamma": r"\Gamma"}
_GAP = r"\mathbb{E}F(w_T)-F^*"
_COMMON = (
    Condition("0 < mu <= L", sp.And(mu > 0, mu <= L)),
    Condition("E >= 1", sp.Ge(E, 1)),
    Condition("T >= 1", sp.Ge(T, 1)),
    Condition("every F_k is L-smooth and mu-strongly convex"),
    Condition("samples unbiased given the past and independent across devices (used by the proof, not printed)"),
    Condition("variance of client k's stochastic gradient at most sigma_k^2"),
    Condition("second moment of the stochastic gradients at most G^2 at every step taken (printed: t = 1..T-1)"),
    Condition(
        "eta_t = 2/(mu (gamma + t)) with gamma = max{8 L/mu, E}, first step t = 1, synchronisation when E divides t+1"
    ),
)


def gap_bound(constant: sp.Expr, start: sp.Expr = gamma) -> sp.Expr:
    """``kappa/(gamma+T-1) (2 constant/mu + mu start/2 D1)``: the form of (4) and (6)."""
    return kappa / (gamma + T - 1) * (2 * constant / mu + mu * start / 2 * D1)


def sharpened_gap_bound(constant: sp.Expr, first: sp.Expr) -> sp.Expr:
    """The recursion of (13) solved instead of majorised by v/(gamma+t).

    With eta_t = 2/(mu x_t), x_t = first + t - 1 and x_1 = first, the distance satisfies
    ``Delta_T <= [(x_1-1)(x_1-2) Delta_1 + (4 constant/mu^2)(T-1)] / ((x_T-1)(x_T-2))``: the start is forgotten like
    1/T^2, not 1/T.
    """
    last = first + T - 1
    start = (first - 1) * (first - 2) * D1
    return L / 2 * (start + 4 * constant / mu**2 * (T - 1)) / ((last - 1) * (last - 2))


def improved_gap_bound(sampling: sp.Expr) -> sp.Expr:
    """The bound that follows from the sharp one-step lemma (no Gamma, drift of third order in the step size).

    With eta_t = 2/(mu (gamma+t)) and g = gamma + T the squared distance is at most
    ``[gamma(gamma-1)/((g-1)(g-2))]^2 D1 + 4 V (g-1)/(3 mu^2 (g-2)^2) + 8 kappa (E-1)^2 G2/(mu^2 (g-2)^2)``, plus, for
    sampled cohorts, ``4 sampling (g+E-2)^3 / (3 E mu^2 (g-1)^2 (g-2)^2)``: the sampling variance arises once a round.
    """
    g = gamma + T
    start = (gamma * (gamma - 1) / ((g - 1) * (g - 2))) ** 2 * D1
    noise = 4 * V * (g - 1) / (3 * mu**2 * (g - 2) ** 2)
    drift = 8 * kappa * (E - 1) ** 2 * G2 / (mu**2 * (g - 2) ** 2)
    cohorts = 4 * sampling * (g + E - 2) ** 3 / (3 * E * mu**2 * (g - 1) ** 2 * (g - 2) ** 2)
    return L / 2 * (start + noise + drift + cohorts)


theorem_1 = LiBound(
    "Theorem 1 (full participation)", "Li et al. 2020, Theorem 1, (4)", _GAP, gap_bound(B), _COMMON, symbol_names=_NAMES
)
theorem_2 = LiBound(
    "Theorem 2 (Scheme I)",
    "Li et al. 2020, Theorem 2, (6)",
    _GAP,
    gap_bound(B + C_scheme_i),
    (*_COMMON, Condition("K >= 1 draws with replacement with probabilities p, plain average", sp.Ge(K, 1))),
    symbol_names=_NAMES,
)
theorem_3 = LiBound(
    "Theorem 3 (Scheme II)",
    "Li et al. 2020, Theorem 3",
    _GAP,
    gap_bound(B + C_scheme_ii),
    (
        *_COMMON,
        Condition("1 <= K <= N", sp.And(K >= 1, K <= N)),
        Condition("N >= 2", sp.Ge(N, 2)),
        Condition("uniform K-subset, p_k = 1/N"),
    ),
    symbol_names=_NAMES,
)
theorem_1_sharpened = LiBound(
    "Theorem 1, recursion solved", "sharpened", _GAP, sharpened_gap_bound(B, gamma + 1), _COMMON, symbol_names=_NAMES
)
theorem_2_sharpened = LiBound(
    "Theorem 2, recursion solved",
    "sharpened",
    _GAP,
    sharpened_gap_bound(B + C_scheme_i, gamma + 1),
    theorem_2.conditions,
    symbol_names=_NAMES,
)
theorem_3_sharpened = LiBound(
    "Theorem 3, recursion solved",
    "sharpened",
    _GAP,
    sharpened_gap_bound(B + C_scheme_ii, gamma + 1),
    theorem_3.conditions,
    symbol_names=_NAMES,
)
theorem_1_improved = LiBound(
    "Theorem 1, from the sharp one-step lemma",
    "improved",
    _GAP,
    improved_gap_bound(sp.Integer(0)),
    _COMMON,
    symbol_names=_NAMES,
)
theorem_2_improved = LiBound(
    "Theorem 2, from the sharp one-step lemma",
    "improved",
    _GAP,
    improved_gap_bound(C_scheme_i),
    theorem_2.conditions,
    symbol_names=_NAMES,
)
theorem_3_improved = LiBound(
    "Theorem 3, from the sharp one-step lemma",
    "improved",
    _GAP,
    improved_gap_bound(C_scheme_ii),
    theorem_3.conditions,
    symbol_names=_NAMES,
)
