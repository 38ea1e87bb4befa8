r"""Appendix B of Li et al. (2020): Lemma 5, the one-step recursions and their conclusion, as symbolic expressions.

Symbols beside those of :mod:`fltheory.theory.li2020.theorems`: ``eta`` = eta_t; ``Delta`` = E|wbar_t - w*|^2;
``beta, gamma_s`` of eta_t = beta/(t + gamma_s); ``t`` the step.

The step sums of Lemma 5: with non-increasing steps and ``eta_t <= r eta_{t+E}``, every step of the window
t-E+1, ..., t is at most ``r eta_{t+1} <= r eta_t`` and the last one is ``eta_t``, so the window sums to at most
``(r (E-1) + 1) eta_t``; :func:`extremal_steps` attains it.
"""

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.li2020.theorems import D1, B, C_scheme_i, C_scheme_ii, E, L, N, T, mu
from fltheory.theory.li2020.vocabulary import Bound

ONE, TWO = sp.Integer(1), sp.Integer(2)
eta, Delta, beta, gamma_s, t = sp.symbols("eta Delta beta gamma_s t", positive=True)

_NAMES = {
    "G2": "G^2",
    "eta": r"\eta_t",
    "Delta": r"\Delta_t",
    "gamma_s": r"\gamma",
    "Gamma": r"\Gamma",
    "V": r"\sum_k p_k^2\sigma_k^2",
    "D1": r"\Delta_1",
}
_SPREAD = r"\mathbb{E}\|\bar v_{t+1}-\bar w_{t+1}\|^2"
_STEPS = (
    Condition("eta_t non-increasing and eta_t <= 2 eta_{t+E}"),
    Condition("t+1 is a synchronisation step"),
    Condition("second moment of every stochastic gradient of the round at most G^2"),
)


def window_factor(ratio: sp.Expr = TWO, steps: sp.Expr = E) -> sp.Expr:
    """Largest (sum of the round's step sizes) / (its last step size)."""
    return ratio * (steps - 1) + 1


def extremal_steps(steps: int, ratio: Fraction = Fraction(2), rounds: int = 3) -> list[Fraction]:
    """A schedule whose last round but one attains :func:`window_factor`: ``ratio`` until its last step, then one."""
    last = (rounds - 1) * steps - 1
    return [ratio if i < last else Fraction(1) for i in range(rounds * steps)]


def admissible(
    schedule: Sequence[Fraction], steps: int, ratio: Fraction = Fraction(2), *, falling: bool = True
) -> bool:
    """Whether a finite schedule has eta_t <= ratio * eta_{t+E} and, unless it need not be ``falling``, is non-increasing."""
    good = not falling or all(a >= b for a, b in zip(schedule, schedule[1:], strict=False))
    return good and all(a <= ratio * b for a, b in zip(schedule, schedule[steps:], strict=False))


def _lemma_5(name: str, constant: sp.Expr, *extra: Condition) -> Bound:
    return Bound(name, "Li et al. 2020, Lemma 5", _SPREAD, constant * eta**2, (*_STEPS, *extra), symbol_names=_NAMES)


_BALANCED = (Condition("p_k = 1/N, N >= 2", sp.Ge(N, 2)),)
lemma_5_scheme_i = _lemma_5("Lemma 5 (1), Scheme I", C_scheme_i)
lemma_5_scheme_ii = _lemma_5("Lemma 5 (2), Scheme II", C_scheme_ii, *_BALANCED)
#: 4 E^2 replaced by the sharp (2E-1)^2
_SHARPER = window_factor() ** 2 / (4 * E**2)
lemma_5_scheme_i_sharpened = _lemma_5("Lemma 5 (1), sharpened", C_scheme_i * _SHARPER)
lemma_5_scheme_ii_sharpened = _lemma_5("Lemma 5 (2), sharpened", C_scheme_ii * _SHARPER, *_BALANCED)


def recursion(constant: sp.Expr, contraction: sp.Expr = ONE) -> sp.Expr:
    """Right side of the one-step recursion, ``(1 - contraction eta mu) Delta + eta^2 constant``."""
    return (1 - contraction * eta * mu) * Delta + eta**2 * constant


def _step_bound(name: str, source: str, constant: sp.Expr) -> Bound:
    left = r"\mathbb{E}\|\bar w_{t+1}-w^*\|^2"
    return Bound(name, f"Li et al. 2020, {source}", left, recursion(constant), symbol_names=_NAMES)


recursion_between = _step_bound("recursion between synchronisations", "B.3", B)
recursion_scheme_i = _step_bound("recursion at a synchronisation, Scheme I", "(25)", B + C_scheme_i)
recursion_scheme_ii = _step_bound("recursion at a synchronisation, Scheme II", "(25)", B + C_scheme_ii)


def conclusion(constant: sp.Expr) -> sp.Expr:
    """``kappa/(gamma+t) (2 constant/mu + mu (gamma+1)/2 Delta_1)``, the last display of B.3."""
    return L / mu / (gamma_s + t) * (2 * constant / mu + mu * (gamma_s + 1) / 2 * D1)


# ------------------------------------------------- closed forms with the theorems' steps eta_t = 2/(mu (gamma + t))


def shrinkage(gamma: sp.Expr, steps: sp.Expr = T) -> sp.Expr:
    """prod_{t=0}^{T-1} (1 - 2/(gamma+t)) = (gamma-1)(gamma-2)/((gamma+T-1)(gamma+T-2)): T steps on mu|w|^2/2."""
    return (gamma - 1) * (gamma - 2) / ((gamma + steps - 1) * (gamma + steps - 2))


def shrinkage_step(gamma: sp.Expr, steps: sp.Expr = T) -> sp.Expr:
    """Induction step of :func:`shrinkage`; zero when the step is valid."""
    longer = shrinkage(gamma, steps + 1)
    return sp.together(longer - shrinkage(gamma, steps) * (1 - 2 / (gamma + steps)))


def noisy_distance(gamma: sp.Expr, steps: sp.Expr = T) -> sp.Expr:
    """E w_T^2 of SGD on w^2/2 with unit noise variance from w_0 = 0 and eta_t = 2/(gamma+t).

    ``[(s-1)(s-2)]^2 E w^2`` with s = gamma + t grows by ``4 (s-1)^2`` in a step, so its value is four times a sum of
    squares, (g + x)^2 for x = 0..T-1 with g = gamma - 1.
    """
    g, x = gamma - 1, steps
    squares = x * g**2 + g * x * (x - 1) + x * (x - 1) * (2 * x - 1) / 6
    return 4 * squares / ((gamma + x - 1) * (gamma + x - 2)) ** 2


def noisy_distance_step(gamma: sp.Expr, steps: sp.Expr = T) -> sp.Expr:
    """Induction step of :func:`noisy_distance`; zero when the step is valid."""
    rate = 2 / (gamma + steps)
    return sp.together(noisy_distance(gamma, steps + 1) - (1 - rate) ** 2 * noisy_distance(gamma, steps) - rate**2)
