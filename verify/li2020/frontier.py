r"""The frontier of Lemma 1 of Li et al. (2020): all factors with which one averaged step contracts, and what they give.

For one step with exact gradients let ``A = 1 - eta L``, ``B = 1 - eta mu``, ``D = B - A = eta (L - mu)`` and
``s = (A + B)/2``.  With ``m = |wbar - w*|``, ``V = sum p_k |w_k - wbar|^2``:

    ``|wbar_next - w*| <= |s| m + (D/2) sqrt(m^2 + V)``,

which is the worst case at every ``(m, V)``.  The linear bounds ``|wbar_next - w*|^2 <= a m^2 + c V`` that touch it are, for
``r = sqrt(m^2 + V)/m >= 1``,

    ``a(r) = (|s| + r D/2)(|s| + D/(2 r)),   c(r) = (D/(2 r)) (|s| + r D/2)``,

or without ``r``: ``c = (a - A B - sqrt((a - A^2)(a - B^2)))/2`` for ``a >= max(A^2, B^2)``; below there is none.

Theorem: with ``eta_t = 2/(mu x)``, ``x = gamma + t`` and ``r = 1 + delta/(kappa - 1)``, ``0 <= delta <= 1``, the factors are
``a = (1 - e_1/x)(1 - e_2/x)``, ``e_1 = 2 - delta``, ``e_2 = 2 + delta (kappa-1)/(kappa-1+delta)``.
"""

from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.li2020 import theorems
from fltheory.theory.li2020.theorems import D1, T, gamma, theorem_1
from fltheory.theory.li2020.vocabulary import Bound
from verify.li2020 import symbols
from verify.li2020.symbols import Delta, eta

r, delta, kappa, x, lemma_3 = sp.symbols("r delta kappa x Lambda")

A, B = 1 - eta * symbols.L, 1 - eta * symbols.mu
D, s = eta * (symbols.L - symbols.mu), 1 - eta * (symbols.L + symbols.mu) / 2
#: The largest step for which s >= 0.
TURN = 2 / (symbols.L + symbols.mu)


def slope(ratio: sp.Expr = r, *, sign: int = 1) -> tuple[sp.Expr, sp.Expr]:
    """``(a, c)`` of the linear bound that touches at ``sqrt(m^2 + V) = ratio m``; ``sign`` is that of ``s``."""
    large, small = sign * s + ratio * D / 2, sign * s + D / (2 * ratio)
    return large * small, D / (2 * ratio) * large


def smallest_drift(contraction: sp.Expr) -> sp.Expr:
    """``c(a)``: the smallest factor of the drift for a given factor ``a >= max(A^2, B^2)`` of the distance."""
    return (contraction - A * B - sp.sqrt((contraction - A**2) * (contraction - B**2))) / 2


#: The lemma with the free ``r``, for steps up to 2/(L + mu).
LEMMA_1_FRONTIER = Bound(
    "lemma_1_frontier",
    "Lemma 1, all factors",
    r"\mathbb{E}\|\bar v_{t+1}-w^\star\|^2",
    slope()[0] * Delta + eta**2 * sp.Symbol("n") + slope()[1] * symbols.V,
    (Condition("A1, A2"), Condition("eta_t <= 2/(L + mu)", sp.Le(eta, TURN)), Condition("r >= 1", sp.Ge(r, 1))),
    symbol_names={
        "Delta": r"\mathbb{E}\|\bar w_t-w^\star\|^2",
        "V": r"\mathbb{E}\sum_k p_k\|\bar w_t-w_t^k\|^2",
        "n": r"\mathbb{E}\|g_t-\bar g_t\|^2",
        "eta": r"\eta_t",
    },
    ids=("LI-LEM1-S2",),
)

#: The factors along eta_t = 2/(mu x), as fractions of x.
E1 = 2 - delta
E2 = 2 + delta * (kappa - 1) / (kappa - 1 + delta)
RATIO = 1 + delta / (kappa - 1)
#: a = 1 - (4 - THETA)/x + E1 E2/x^2
THETA = delta**2 / (kappa - 1 + delta)


def noise_constant(V: sp.Expr) -> sp.Expr:
    """The factor of 1/(x - 2) that gradient noise of variance ``V`` leaves, times mu^2."""
    return 4 * V / (3 - THETA)


def drift_constant(G2: sp.Expr, E: sp.Expr, factor: sp.Expr = lemma_3) -> sp.Expr:
    """The factor of 1/(x - 1)^2 that the drift leaves, times mu^2, when Lemma 3 holds with ``factor`` (printed: 4)."""
    return 4 * factor * (kappa - 1) ** 2 * (E - 1) ** 2 * G2 / (2 * (kappa - 1 + delta) - delta**2)


def distance_bound(
    start: sp.Expr, first: sp.Expr, last: sp.Expr, V: sp.Expr, G2: sp.Expr, E: sp.Expr, factor: sp.Expr = lemma_3
) -> sp.Expr:
    """``mu^2 E|w - w*|^2`` at ``x = last`` from ``mu^2 E|w - w*|^2 = start`` at ``x = first``."""
    forgotten = (first - 1) ** 2 * (first - 2) / ((last - 1) ** 2 * (last - 2))
    return start * forgotten + noise_constant(V) / (last - 2) + drift_constant(G2, E, factor) / (last - 1) ** 2


def distance(noise: Fraction = Fraction(1), drift: Fraction = Fraction(1)) -> sp.Expr:
    """``E|w_T - w*|^2`` for ``eta_t = 2/(mu (gamma + t))`` and Lemma 3 as printed, its noise and drift times these factors."""
    parts = (sp.sympify(noise) * theorems.V, sp.sympify(drift) * theorems.G2, theorems.E, sp.Integer(4))
    bound = distance_bound(theorems.mu**2 * D1, gamma + 1, gamma + T, *parts)
    return bound.subs(kappa, theorems.kappa) / theorems.mu**2


THEOREM_1_FRONTIER = Bound(
    "Theorem 1, from the frontier of the one-step lemma",
    "improved",
    r"\mathbb{E}\|w_T-w^*\|^2",
    distance(),
    (
        *theorem_1.conditions,
        Condition("0 <= delta <= 1", sp.And(sp.Ge(delta, 0), sp.Le(delta, 1))),
        Condition("L > mu", sp.Gt(theorems.L, theorems.mu)),
    ),
    symbol_names={"V": r"\sum_k p_k^2\sigma_k^2", "G2": "G^2", "D1": r"\mathbb{E}\|w_1-w^*\|^2", "delta": r"\delta"},
    ids=("LI-THM1-S3",),
)


@dataclass(frozen=True)
class TwoClients:
    """Two quadratic clients on the line, ``F_k = h_k w^2/2`` with weights p_k, at ``x_k = +R`` and ``-R``, about to step.

    The mean of the points is ``m = 1`` and ``R = ratio``, so that ``V = ratio^2 - 1``; the first client has the curvature
    that keeps more of its point.  On them the bound of the module is attained.
    """

    step: Fraction
    mu: Fraction
    ratio: Fraction
    L: Fraction = Fraction(1)

    @property
    def turned(self) -> bool:
        """Whether s < 0."""
        return self.step * (self.L + self.mu) > 2

    @property
    def weights(self) -> tuple[Fraction, Fraction]:
        """p_1, p_2."""
        q = (1 - 1 / self.ratio) / 2
        return 1 - q, q

    @property
    def curvatures(self) -> tuple[Fraction, Fraction]:
        """h_1, h_2."""
        return (self.L, self.mu) if self.turned else (self.mu, self.L)

    @property
    def drift(self) -> Fraction:
        """V."""
        return self.ratio**2 - 1

    def after(self) -> Fraction:
        """|mean of the points after the step|^2."""
        moved = [(1 - self.step * h) * x for h, x in zip(self.curvatures, (self.ratio, -self.ratio), strict=True)]
        return sum((p * z for p, z in zip(self.weights, moved, strict=True)), Fraction(0)) ** 2

    def values(self) -> dict[sp.Symbol, sp.Rational]:
        """The symbols of the bound."""
        pairs = {eta: self.step, symbols.mu: self.mu, symbols.L: self.L, r: self.ratio}
        return {symbol: sp.Rational(value.numerator, value.denominator) for symbol, value in pairs.items()}

    def describe(self) -> str:
        """The instance in words that a reader can check by hand."""
        (p, q), (h, k) = self.weights, self.curvatures
        return (
            f"eta = {self.step}, L = {self.L}, mu = {self.mu}: F_1 = {h / 2} w^2 with p = {p} at w = {self.ratio}, "
            f"F_2 = {k / 2} w^2 with p = {q} at w = {-self.ratio}"
        )
