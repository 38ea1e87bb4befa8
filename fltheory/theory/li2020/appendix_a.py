r"""Li et al. (2020), Appendix A: the proof of Theorem 1 (full participation) as symbolic expressions.

Symbols of the generic client k at step t, and what they become under the p-average (:data:`CLIENTS`):

=========  ==============================  =====================================
symbol     meaning                         mean, deviation
=========  ==============================  =====================================
w          w^k_t                           wbar, dw
g          grad F_k(w^k_t)                 gbar, dg
g_bar      grad F_k(wbar_t)                Gbar = grad F(wbar_t), dg_bar
g_star     grad F_k(w*)                    0 (w* minimises F), dg_star
f          F_k(w^k_t)                      F_local
f_bar      F_k(wbar_t)                     Fbar = F(wbar_t)
f_star     F_k(w*)                         Fstar = F*
f_min      F_k* = min F_k                  Fstar - Gamma
=========  ==============================  =====================================

Premises are forms that the assumptions make nonnegative: :func:`convexity`, :func:`smoothness`, :func:`interpolation`,
:func:`gradient_bound`.  Bounds are :class:`~fltheory.theory.bound.Bound` objects in measured quantities: ``Delta`` =
E|wbar_t - w*|^2, ``S`` = sum p_k^2 sigma_k^2, ``V`` = E sum p_k |wbar_t - w^k_t|^2 (the drift), ``Gamma``, ``G``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy as sp

from fltheory.theory.averages import Averages
from fltheory.theory.closure import MOVE, Closure
from fltheory.theory.conditions import Condition
from fltheory.theory.li2020.vocabulary import Bound
from fltheory.theory.proofs import Certificate, Open

# the generic client
w, g, g_bar, g_star = sp.symbols("w g g_bar g_star")
f, f_bar, f_star, f_min = sp.symbols("f f_bar f_star f_min")
# the server and the problem
wbar, wstar, gbar, Gbar, noise = sp.symbols("wbar wstar gbar Gbar noise")
Fbar, Fstar, Gamma, F_local = sp.symbols("Fbar Fstar Gamma F_local")
eta, mu, L = sp.symbols("eta mu L")
# deviations
dw, dg, dg_bar, dg_star, dnoise = sp.symbols("dw dg dg_bar dg_star dnoise")
# measured quantities and constants of the bounds
Delta, S, V, G, E, B = sp.symbols("Delta S V G E B")
beta, gamma, t, v, Delta_1, kappa = sp.symbols("beta gamma t v Delta_1 kappa")

#: sum_k p_k (.) of forms of the generic client.
CLIENTS = Averages(
    vectors={w: (wbar, dw), g: (gbar, dg), g_bar: (Gbar, dg_bar), g_star: (sp.Integer(0), dg_star)},
    values={f: F_local, f_bar: Fbar, f_star: Fstar, f_min: Fstar - Gamma},
    common_vectors=(wbar, wstar, gbar, Gbar),
    common_values=(Fbar, Fstar, Gamma),
)

#: Conditional expectation over the samples of one step: g_t = gbar_t + noise, and the noise has mean zero.
SAMPLES = Averages(vectors={noise: (sp.Integer(0), dnoise)}, common_vectors=(wbar, wstar, gbar))

#: gamma_t of A.4 (not the gamma of the learning rate).
GAMMA_T = 2 * eta * (1 - 2 * L * eta)

#: A_1 of (14).
A1 = (wbar - wstar - eta * gbar) ** 2

#: Step sizes and constants for which the steps of the proof are claimed.
STEP_RANGE = ((mu, Open(0), None), (L, mu, None), (eta, Open(0), 1 / (4 * L)))


#: The same where a step of the proof divides by L - mu; L = mu follows by continuity (:func:`at_equal_constants`).
BESIDE_EQUAL = ((mu, Open(0), None), (L, Open(mu), None), (eta, 0, 1 / (4 * L)))

_PAIR = sp.symbols("y_ f_y_ x_ f_x_ g_x_")


def convexity(y: sp.Expr, f_y: sp.Expr, x: sp.Expr, f_x: sp.Expr, g_x: sp.Expr, *, modulus: sp.Expr = mu) -> sp.Expr:
    """A2 at the pair (y, x): f(y) - f(x) - <grad f(x), y - x> - (mu/2)|y - x|^2 >= 0."""
    return f_y - f_x - g_x * (y - x) - modulus / 2 * (y - x) ** 2


def smoothness(y: sp.Expr, f_y: sp.Expr, x: sp.Expr, f_x: sp.Expr, g_x: sp.Expr) -> sp.Expr:
    """A1 at the pair (y, x): f(x) + <grad f(x), y - x> + (L/2)|y - x|^2 - f(y) >= 0."""
    return f_x + g_x * (y - x) + L / 2 * (y - x) ** 2 - f_y


def interpolation(y: sp.Expr, f_y: sp.Expr, g_y: sp.Expr, x: sp.Expr, f_x: sp.Expr, g_x: sp.Expr) -> sp.Expr:
    """f(y) - f(x) - <g_x, y - x> - (mu/2)|y - x|^2 - |g_y - g_x - mu (y - x)|^2/(2 (L - mu)) >= 0, for L > mu.

    A consequence of A1 and A2, see :func:`interpolation_residual`.
    """
    excess = g_y - g_x - mu * (y - x)
    return convexity(y, f_y, x, f_x, g_x) - excess**2 / (2 * (L - mu))


def interpolation_residual() -> sp.Expr:
    """:func:`interpolation` less (A1 at (z, y) plus A2 at (z, x)), in which f(z) cancels; vanishes identically.

    The further point is z = y - (g_y - g_x - mu (y - x))/(L - mu).
    """
    y, x, g_y, g_x, f_y, f_x, f_z = sp.symbols("y x g_y g_x f_y f_x f_z")
    z = y - (g_y - g_x - mu * (y - x)) / (L - mu)
    sources = smoothness(z, f_z, y, f_y, g_y) + convexity(z, f_z, x, f_x, g_x)
    return interpolation(y, f_y, g_y, x, f_x, g_x) - sources


def interpolation_sources(
    y: sp.Expr, f_y: sp.Expr, g_y: sp.Expr, x: sp.Expr, f_x: sp.Expr, g_x: sp.Expr
) -> list[tuple[sp.Expr, str, dict[sp.Symbol, sp.Expr]]]:
    """:func:`interpolation` as a sum of A1 and A2 at a further point, for :class:`~fltheory.theory.closure.Closure`."""
    z, f_z = y - (g_y - g_x - mu * (y - x)) / (L - mu), sp.Symbol("f_z")
    ends = (("A1", y, f_y, g_y), ("A2", x, f_x, g_x))
    return [
        (sp.Integer(1), name, dict(zip(_PAIR, (z, f_z, point, value, gradient), strict=True)))
        for name, point, value, gradient in ends
    ]


def at_equal_constants(
    certificate: Certificate,
    sources: Mapping[str, Sequence[tuple[Any, str, Mapping[sp.Symbol, Any]]]],
    average: Callable[[sp.Expr], sp.Expr] = lambda form: form,
) -> Closure:
    """A certificate for L > mu, and by continuity for L = mu: an L-smooth function is L'-smooth for every L' > L."""
    hypotheses = {"A1": (smoothness(*_PAIR), [(MOVE / 2, _PAIR[0] - _PAIR[2])]), "A2": (convexity(*_PAIR), [])}
    return Closure(certificate, L, hypotheses, sources, lambda form: average(sp.expand(form)))


def gradient_bound(value: sp.Expr, gradient: sp.Expr) -> sp.Expr:
    """(16) at one point: 2 L (F_k - F_k*) - |grad F_k|^2 >= 0."""
    return 2 * L * (value - f_min) - gradient**2


def lemma_1_right(gamma_coefficient: object, drift_coefficient: object, *, power: int = 1) -> sp.Expr:
    """(1 - eta mu)^power |wbar - w*|^2 + c eta^2 L Gamma + d sum p_k |wbar - w^k|^2, a form of the generic client."""
    c, d = sp.sympify(gamma_coefficient), sp.sympify(drift_coefficient)
    return (1 - eta * mu) ** power * (wbar - wstar) ** 2 + c * L * eta**2 * Gamma + d * (wbar - w) ** 2


def recursion_constant(gamma_coefficient: object = 6, drift_coefficient: object = 8) -> sp.Expr:
    """B of (5): sum p_k^2 sigma_k^2 + 6 L Gamma + 8 (E - 1)^2 G^2."""
    return S + sp.sympify(gamma_coefficient) * L * Gamma + sp.sympify(drift_coefficient) * (E - 1) ** 2 * G**2


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
    "lemma_1",
    "Lemma 1",
    _NEXT,
    (1 - eta * mu) * Delta + eta**2 * _variance + 6 * L * eta**2 * Gamma + 2 * V,
    (Condition("A1, A2"), _SMALL_STEP),
    symbol_names=_NAMES,
)
LEMMA_1_SHARP = Bound(
    "lemma_1_sharp",
    "Lemma 1, sharpened",
    _NEXT,
    (1 - eta * mu) ** 2 * Delta + eta**2 * _variance + SHARP_DRIFT * V,
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
    (1 - eta * mu) * Delta + eta**2 * recursion_constant(),
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
