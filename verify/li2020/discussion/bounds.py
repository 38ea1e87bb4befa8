"""The displays (1), (7), (8) of Li et al. (2020) and the bound they come from, as symbolic expressions.

``bound`` is the right side of (6) after ``E|w_1-w*|^2 <= 4 G^2/mu^2``; ``kappa`` stays a symbol of its own.
"""

import sympy as sp

from fltheory.theory.li2020 import theorems
from fltheory.theory.li2020.vocabulary import Bound

kappa, E, K, T, mu, L, N, eps = sp.symbols("kappa E K T mu L N epsilon", positive=True)
V, Gamma, G2, D1 = sp.symbols("V Gamma G2 D1", nonnegative=True)
gamma = sp.Symbol("gamma", positive=True)
#: LaTeX of the letters in statements.
NAMES = {"V": r"\sum_k p_k^2\sigma_k^2", "G2": "G^2", "epsilon": r"\epsilon", "D1": r"\mathbb{E}\|w_1-w^*\|^2"}

B = V + 6 * L * Gamma + 8 * (E - 1) ** 2 * G2
C = 4 * E**2 * G2 / K
#: right side of (6) with the distance of the start replaced by 4 G^2/mu^2
bound = kappa / (gamma + T - 1) * (2 * (B + C) / mu + mu * gamma / 2 * 4 * G2 / mu**2)

dominating_term = Bound(
    "(7)",
    "Li et al. 2020, (7)",
    r"\text{dominating term of (6)}",
    (V + L * Gamma + (1 + 1 / K) * E**2 * G2 + gamma * G2) / (mu * T),
    symbol_names=NAMES,
)
rounds_to_accuracy = Bound(
    "(8)",
    "Li et al. 2020, (8)",
    r"T_\epsilon/E",
    (1 + 1 / K) * E * G2 + (V + L * Gamma + kappa * G2) / E + G2,
    symbol_names=NAMES,
)
rounds_introduction = Bound(
    "(1)", "Li et al. 2020, (1)", r"T/E", ((1 + 1 / K) * E * G2 + (V + Gamma + G2) / E + G2) / eps, symbol_names=NAMES
)


def text(expression: sp.Expr) -> str:
    """A bound for a statement of algebra, with the letter gamma for max{8 kappa, E}."""
    return str(expression.xreplace({theorems.gamma: gamma}))
