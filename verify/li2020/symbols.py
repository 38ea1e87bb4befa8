"""Symbols of Li et al. (2020), Appendix A (Theorem 1, full participation), and what the assumptions make nonnegative.

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
:func:`gradient_bound`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy as sp

from fltheory.theory.averages import Averages
from fltheory.theory.closure import MOVE, Closure
from fltheory.theory.proofs import Certificate

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


def noise_splits_off() -> sp.Expr:
    """E|wbar - eta g_t - w*|^2 less A_1 and eta^2 E|g_t - gbar_t|^2; vanishes, as the noise has conditional mean zero."""
    return SAMPLES.of((wbar - eta * (gbar + noise) - wstar) ** 2) - A1 - eta**2 * dnoise**2
