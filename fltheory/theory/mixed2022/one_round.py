r"""Lemmas D.9, D.10 and D.12 of Augenstein et al. (2022): one round of 1-way Gradient Transfer, as displays.

========  ==========================================================================================
symbol    meaning
========  ==========================================================================================
e         effective step size K eta eta_s
drift     mean over all clients and the points where gradients are taken of E|x_i^k - x|^2
G2, gap   |grad f(x)|^2 and f(x) - f(x*) at the model x of the round
w2        |x - x*|^2
move      E|x+ - x|^2, with x+ the model after the round
near      E|x+ - x*|^2
gain      E f(x+) - f(x)
V, C      bounds sigma^2 and sigma_c^2 of the client and the central variance
========  ==========================================================================================

The update is -e (G + c + M + n): G = grad f(x), c the central noise, M the cohort's mean of grad f_f(x_i^k) - grad f_f(x), n its
mean client noise.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022.vocabulary import MixedBound
from fltheory.theory.proofs import Open

e, eta, eta_s, K, S, beta, mu = sp.symbols("e eta eta_s K S beta mu")
drift, G2, gap, w2, move, near, gain, V, C = sp.symbols("drift G2 gap w2 move near gain V C")
M, n, c, G, b = sp.symbols("M n c G b")
fall_c, product, product_c = sp.symbols("fall_c product product_c")

NAMES = {
    "e": r"\tilde\eta",
    "eta": r"\eta",
    "eta_s": r"\eta_s",
    "beta": r"\beta",
    "mu": r"\mu",
    "drift": r"\mathcal{E}^{(t)}",
    "G2": r"\|\nabla f(x^{(t)})\|^2",
    "gap": r"(f(x^{(t)})-f(x^*))",
    "w2": r"\|x^{(t)}-x^*\|^2",
    "move": r"\mathbb{E}_{|t}\|x^{(t+1)}-x^{(t)}\|^2",
    "near": r"\mathbb{E}_{|t}\|x^{(t+1)}-x^*\|^2",
    "gain": r"\mathbb{E}_{|t}f(x^{(t+1)})-f(x^{(t)})",
    "V": r"\sigma^2",
    "C": r"\sigma_c^2",
}
HOMOGENEOUS = Condition("Assumption 4.1, E g_c = grad f_c, variance of g_c at most sigma_c^2")
SMOOTH = Condition("f_f, f_c beta-smooth")
CONVEX = Condition("f_f, f_c mu-convex, mu >= 0")
SHORT = Condition("effective step at most 1/(8 beta)", 8 * beta * e <= 1)
SHORTER = Condition("effective step at most 1/(18 beta)", 18 * beta * e <= 1)

#: Everything that is nonnegative, in an order in which the ends of later ranges may use earlier symbols.
AMOUNTS = (
    (beta, Open(0), None),
    (mu, 0, beta),
    (K, 1, None),
    (S, 1, None),
    (V, 0, None),
    (C, 0, None),
    (drift, 0, None),
)
ANY_STEP = (*AMOUNTS, (e, 0, None))
CONVEX_STEP = (*AMOUNTS, (e, 0, 1 / (8 * beta)))
SMOOTH_STEP = (*AMOUNTS, (e, 0, 1 / (18 * beta)))


#: A display of Appendix D.2 in the symbols of this module.
display = MixedBound.displays(NAMES)


def noise(client: sp.Expr, central: sp.Expr) -> sp.Expr:
    """client sigma^2/(KS) + central sigma_c^2."""
    return client * V / (K * S) + central * C


def variance(on_drift: sp.Expr, client: sp.Expr, central: sp.Expr, on_gradient: sp.Expr) -> sp.Expr:
    """Right side of Lemma D.9 with the given coefficients."""
    return e**2 * (on_drift * beta**2 * drift + noise(client, central) + on_gradient * G2)


def distance(decrease: sp.Expr, on_drift: sp.Expr, client: sp.Expr, central: sp.Expr, contraction: sp.Expr) -> sp.Expr:
    """Right side of Lemma D.10."""
    return (1 - contraction * mu * e) * w2 - decrease * e * gap + on_drift * drift + e**2 * noise(client, central)


def descent(decrease: sp.Expr, on_drift: sp.Expr, client: sp.Expr, central: sp.Expr) -> sp.Expr:
    """Right side of Lemma D.12, less f(x)."""
    return -decrease * e * G2 + on_drift * beta * drift + beta * e**2 * noise(client, central)


def changes(
    drift_scale: sp.Expr, on_drift: str | None, noise_scale: sp.Expr, client: str | None, central: str | None
) -> dict[sp.Basic, sp.Expr | None]:
    """Other coefficients of drift and variances than a display has, in its scales; ``None`` where it is not changed."""
    scales = {drift: (drift_scale, on_drift), V: (noise_scale / (K * S), client), C: (noise_scale, central)}
    return {term: None if text is None else sp.Rational(text) * scale for term, (scale, text) in scales.items()}


_R = sp.Rational
LEMMA_D9 = display(
    "Lemma D.9",
    move,
    variance(sp.Integer(4), sp.Integer(4), sp.Integer(2), sp.Integer(2)),
    (HOMOGENEOUS, SMOOTH),
    "MX-LEMD9",
)
LEMMA_D9_SHARP = display(
    "Lemma D.9, sharpened",
    move,
    variance(1 + 1 / b, 1 + b, 1 + b, 1 + b),
    (HOMOGENEOUS, SMOOTH, Condition("b > 0", b > 0)),
    "MX-LEMD9-S6",
    source="Lemma D.9, sharpened",
)
LEMMA_D10 = display(
    "Lemma D.10",
    near,
    distance(sp.Integer(1), _R(5, 16), sp.Integer(4), sp.Integer(2), _R(3, 2)),
    (HOMOGENEOUS, SMOOTH, CONVEX, SHORT),
    "MX-LEMD10",
)
LEMMA_D10_SHARP = display(
    "Lemma D.10, sharpened",
    near,
    distance(_R(11, 8), _R(21, 64), _R(5, 4), _R(5, 4), _R(3, 2)),
    (HOMOGENEOUS, SMOOTH, CONVEX, SHORT),
    "MX-LEMD10-S7",
    source="Lemma D.10, sharpened",
)
LEMMA_D12 = display(
    "Lemma D.12",
    gain,
    descent(_R(4, 9), _R(1, 27), sp.Integer(2), sp.Integer(1)),
    (HOMOGENEOUS, SMOOTH, Condition("f beta-smooth, or eta_s >= sqrt(S)"), SHORTER),
    "MX-LEMD12",
)
LEMMA_D12_REPAIRED = display(
    "Lemma D.12 for f_f and f_c beta-smooth and every eta_s",
    gain,
    descent(_R(4, 9), _R(1, 27), sp.Integer(2), _R(3, 2)),
    (HOMOGENEOUS, SMOOTH, SHORTER),
    "MX-LEMD12-S7",
    source="Lemma D.12, for every eta_s",
)
LEMMA_D12_SHARP = display(
    "Lemma D.12, sharpened",
    gain,
    descent(_R(7, 9), _R(29, 324), _R(5, 4), _R(5, 4)),
    (HOMOGENEOUS, SMOOTH, SHORTER),
    "MX-LEMD12-S9",
    source="Lemma D.12, sharpened",
)
