r"""Lemmas 1 to 3 of Li et al. (2020), the recursion (13) and the conclusion of Appendix A.3 as symbolic bounds.

In measured quantities: ``Delta`` = E|wbar_t - w*|^2, ``S`` = sum p_k^2 sigma_k^2, ``V`` = E sum p_k |wbar_t - w^k_t|^2 (the
drift), ``Gamma``, ``G``; the symbols are those of :mod:`verify.li2020.symbols`.
"""

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.li2020.vocabulary import Bound
from verify.li2020.symbols import B, Delta, Delta_1, E, G, Gamma, L, S, V, beta, eta, gamma, mu, t


def lemma_1_expression(gamma_coefficient: object, drift_coefficient: object, *, power: int = 1) -> sp.Expr:
    """In expectation, with the noise n: (1 - eta mu)^power Delta + eta^2 n + c eta^2 L Gamma + d V."""
    c, d = sp.sympify(gamma_coefficient), sp.sympify(drift_coefficient)
    return (1 - eta * mu) ** power * Delta + eta**2 * _variance + c * L * eta**2 * Gamma + d * V


#: The sharp drift coefficient of Lemma 1 when the contraction factor is squared.
SHARP_DRIFT = eta / 2 * (1 - eta * mu) * (L - mu)

#: Hypotheses in words, the same wherever they are used.
SAMPLING = "samples unbiased given the past and independent across devices (used, not printed)"
A4_TAKEN = "A4 at every step taken"

_NAMES = {
    "Delta": r"\mathbb{E}\|\bar w_t-w^\star\|^2",
    "S": r"\sum_k p_k^2\sigma_k^2",
    "V": r"\mathbb{E}\sum_k p_k\|\bar w_t-w_t^k\|^2",
    "eta": r"\eta_t",
    "Delta_1": r"\Delta_1",
    "n": r"\mathbb{E}\|g_t-\bar g_t\|^2",
}
_NEXT = r"\mathbb{E}\|\bar v_{t+1}-w^\star\|^2"
_variance = sp.Symbol("n")
_SMALL_STEP = Condition("eta_t <= 1/(4L)", sp.Le(eta, 1 / (4 * L)))
_INDEPENDENT = Condition(f"A3, {SAMPLING}")
_NON_INCREASING = Condition(f"{A4_TAKEN}, eta_t non-increasing, eta_t <= 2 eta_{{t+E}}")

LEMMA_1 = Bound(
    "lemma_1", "Lemma 1", _NEXT, lemma_1_expression(6, 2), (Condition("A1, A2"), _SMALL_STEP), symbol_names=_NAMES
)
LEMMA_1_SHARP = Bound(
    "lemma_1_sharp",
    "Lemma 1, sharpened",
    _NEXT,
    lemma_1_expression(0, SHARP_DRIFT, power=2),
    (Condition("A1, A2"), Condition("eta_t <= 2/(L + mu)", sp.Le(eta, 2 / (L + mu)))),
    symbol_names=_NAMES,
)
LEMMA_2 = Bound("lemma_2", "Lemma 2", r"\mathbb{E}\|g_t-\bar g_t\|^2", S, (_INDEPENDENT,), symbol_names=_NAMES)
LEMMA_3 = Bound(
    "lemma_3", "Lemma 3", _NAMES["V"], 4 * eta**2 * (E - 1) ** 2 * G**2, (_NON_INCREASING,), symbol_names=_NAMES
)
RECURSION = Bound(
    "recursion",
    "eq. (13)",
    r"\Delta_{t+1}",
    (1 - eta * mu) * Delta + eta**2 * (S + 6 * L * Gamma + 8 * (E - 1) ** 2 * G**2),
    (_SMALL_STEP, Condition("A1, A2"), _INDEPENDENT, _NON_INCREASING),
    symbol_names={**_NAMES, "Delta": r"\Delta_t"},
)
RECURSION_SHARP = Bound(
    "recursion_sharp",
    "eq. (13), sharpened",
    r"\Delta_{t+1}",
    (1 - eta * mu) ** 2 * Delta + eta**2 * (S + 2 * eta * L * (E - 1) ** 2 * G**2),
    (Condition("A1, A2"), Condition("eta_t <= 2/(L + mu)", sp.Le(eta, 2 / (L + mu))), _INDEPENDENT, _NON_INCREASING),
    symbol_names={**_NAMES, "Delta": r"\Delta_t"},
)
DISTANCE = Bound(
    "distance",
    "Appendix A.3",
    r"\Delta_t",
    sp.Max(beta**2 * B / (beta * mu - 1), (gamma + 1) * Delta_1) / (gamma + t),
    (Condition("beta > 1/mu", sp.Gt(beta * mu, 1)), Condition("eta_1 <= 1/(4L)", sp.Le(4 * L * beta, gamma + 1))),
    symbol_names=_NAMES,
)
FINAL = Bound(
    "final",
    "Appendix A.3",
    r"\mathbb{E}F(\bar w_t)-F^\star",
    L / mu / (gamma + t) * (2 * B / mu + mu * (gamma + 1) / 2 * Delta_1),
    (
        Condition("beta = 2/mu"),
        Condition("gamma + 1 >= 8 L/mu", sp.Ge(gamma + 1, 8 * L / mu)),
        Condition("gamma >= E - 1", sp.Ge(gamma, E - 1)),
    ),
    symbol_names=_NAMES,
)
