r"""Symbols of the displays of Li et al. (2020) beside those of the lemmas and theorems, and their LaTeX.

Quantities of the generic client k are symbols (``w`` = w_t^k, ``p`` = p_k, ...); ``mean(x)`` is sum_k p_k x^k.
"""

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp
from sympy.core.symbol import Str

from fltheory.theory.conditions import Condition
from fltheory.theory.li2020.vocabulary import Bound
from fltheory.theory.notation import ClientSum, Expect
from fltheory.theory.sampling import K as K
from fltheory.theory.sampling import N as N

p, g_noisy, g_t, v, vbar, w0, wbar_0, count, n = sp.symbols("p g_noisy g_t v_k vbar w0 wbar_0 count n")
eta_0, eta_j, nu, varsigma, sigma, T = sp.symbols("eta_0 eta_j nu varsigma sigma T")

NAMES = {
    "p": "p_k",
    "w": "w_t^k",
    "g": r"\nabla F_k(w_t^k)",
    "g_bar": r"\nabla F_k(\bar w_t)",
    "f": "F_k(w_t^k)",
    "f_bar": r"F_k(\bar w_t)",
    "f_star": r"F_k(w^\star)",
    "f_min": r"F_k^\star",
    "wbar": r"\bar w_t",
    "wstar": r"w^\star",
    "gbar": r"\bar g_t",
    "Fbar": r"F(\bar w_t)",
    "Fstar": r"F^\star",
    "eta": r"\eta_t",
    "g_noisy": r"\nabla F_k(w_t^k,\xi_t^k)",
    "v_k": "v_{t+1}^k",
    "vbar": r"\bar v_{t+1}",
    "w0": "w_t",
    "wbar_0": r"\bar w_{t_0}",
    "eta_0": r"\eta_{t_0}",
    "eta_j": r"\eta_j",
    "Delta": r"\Delta_t",
    "Delta_1": r"\Delta_1",
    "sigma": r"\sigma_k",
    "f_v": "F_k(v)",
    "f_w": "F_k(w)",
    "g_w": r"\nabla F_k(w)",
    "y": "v",
    "x": "w",
    "loss": r"\ell(w;x_{k,j})",
    "n": "n_k",
    "F_k": "F_k(w)",
    "D_k": r"\mathcal{D}_k",
    "x_k": "x_k",
    "q": "q_k",
    "gamma_t": r"\gamma_t",
    "V": r"\sum_k p_k^2\sigma_k^2",
    "G2": "G^2",
    "t0": "t_0",
    "g_j": r"\nabla F_k(w_j^k,\xi_j^k)",
    "f_noisy": r"F_k(w_t^k,\xi_t^k)",
    "T_eps": r"T_\epsilon",
    "D1": r"\mathbb{E}\|w_1-w^\star\|^2",
    "lambda_": r"\lambda",
    "Var": r"\sigma_k^2",
    "gamma_s": r"\gamma",
    "x_l": "x_{i_l}",
    "x_1": "x_{i_1}",
    "w_k0": "w_{t_0}^k",
    "eta_i": r"\eta_i",
    "g_i": r"\nabla F_k(w_i^k,\xi_i^k)",
    "P_1": r"\mathbb{P}(i\in S)",
    "P_2": r"\mathbb{P}(i,j\in S)",
    "start": r"\eta_0",
    "eta_c": r"\eta",
    "w_start": "w_0",
    "w_model": "w",
    "w_min": r"w_k^\star",
    "w_new": r"\bar w_{t+1}",
}

#: The gap of the averaged model, which is measured.
GAP = r"\mathbb{E}F(\bar w_t)-F^*"

SMOOTH = Condition("every F_k is L-smooth")
CONVEX = Condition("every F_k is mu-strongly convex")
SYNCHRONISATION = Condition("t+1 is a synchronisation step")
BALANCED = Condition("p_k = 1/N")
FALLING = Condition("eta_t non-increasing and eta_t <= 2 eta_{t+E}")
MOMENT = Condition("second moment of every stochastic gradient taken at most G^2")
COHORT = Condition("1 <= K <= N", sp.And(K >= 1, K <= N))


def mean(x: Any) -> Any:
    """``sum_k p_k x^k``."""
    return ClientSum(p * x)


def over_cohorts(x: Any) -> Any:
    """Expectation over the random cohort."""
    return Expect(x, Str("_{S}"))


def displays(place: str, *shared: Condition, names: Mapping[str, str] = NAMES, **bound: Any) -> Callable[..., Bound]:
    """A constructor of the displays of one part of the document: ``(name, left, relation, right, *ids, *conditions)``.

    ``shared`` are conditions of all of them, before those that a display has of its own; ``bound`` is what else all of them
    share, as in :class:`~fltheory.theory.bound.Bound`.
    """

    def display(
        name: str, left: Any, relation: str, right: Any, *about: str | Condition, repaired_by: str = ""
    ) -> Bound:
        ids = tuple(item for item in about if isinstance(item, str))
        given = (*shared, *(item for item in about if isinstance(item, Condition)))
        source, expression = f"Li et al. 2020, {place}", sp.sympify(right)
        return Bound(name, source, left, expression, given, relation, names, ids, repaired_by=repaired_by, **bound)

    return display


def link(name: str, relation: str, right: Any, *about: str | Condition, **own: Any) -> Callable[..., Bound]:
    """A display of a :func:`chain`: all that a constructor takes but the left side."""
    return lambda display, left: display(name, left, relation, right, *about, **own)


def chain(display: Callable[..., Bound], start: Any, *links: Callable[..., Bound]) -> tuple[Bound, ...]:
    """The displays of ``start R right_1 R right_2 ...``: the right side of each is the left side of the next."""
    found: list[Bound] = []
    for made in links:
        found.append(made(display, found[-1].expression if found else start))
    return tuple(found)
