r"""The numbers that hypotheses and bounds speak of, by one name each, whatever a document calls them.

A bound's own symbols are tied to these names by expressions (:class:`~fltheory.theory.rates.RateTheorem`), such as
``{"D1": "D_sq", "sigma": "sqrt(sigma_sq)"}``.  Moduli and variances are those of the clients; for a problem with a loss at
the server ``L`` and ``mu`` hold for that loss too.  Two entries that differ in ``everywhere`` are two different hypotheses: a
bound on gradients at the steps of one run can be computed, one at every point need not exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import sympy as sp

from fltheory.theory.conditions import in_floats

#: From which side a true value may be replaced: a larger L is still a smoothness constant, a smaller mu still a modulus.
Side = Literal["upper", "lower", "exact"]


@dataclass(frozen=True)
class NamedNumber:
    """One number of a setting: ``latex``, ``words``, and which side of the true value serves a theorem (``side``)."""

    name: str
    latex: str
    words: str
    side: Side = "exact"


_ROWS: tuple[tuple[str, str, str, Side], ...] = (
    ("N", "N", "number of clients", "exact"),
    ("S", "S", "clients in a cohort (slots)", "exact"),
    ("E", "E", "local steps per round", "exact"),
    ("R", "R", "rounds", "exact"),
    ("steps", "ER", "local steps in all rounds", "exact"),
    ("L", "L", "smoothness constant of every loss", "upper"),
    ("mu", r"\mu", "modulus of strong convexity of every loss", "lower"),
    ("D_sq", r"\|w_0-w^*\|^2", "squared distance of the start from the minimiser", "upper"),
    ("gap", "F(w_0)-F^*", "gap of the start", "upper"),
    ("Gamma", r"\Gamma", "F* less the mean of the clients' minima", "upper"),
    ("zeta_sq", r"\sum_kp_k\|\nabla F_k(w^*)\|^2", "mean squared client gradient at the minimiser", "upper"),
    ("V", r"\sum_kp_k^2\sigma_k^2", "variance of the average gradient, at every point", "upper"),
    ("sigma_sq", r"\max_k\sigma_k^2", "largest variance of a client's stochastic gradient, at every point", "upper"),
    (
        "sigma_mean_sq",
        r"\sum_kp_k\sigma_k^2",
        "mean variance of a client's stochastic gradient, at every point",
        "upper",
    ),
    ("V_run", r"\sum_kp_k^2\sigma_k^2", "the same as V along the run, in expectation", "upper"),
    ("sigma_run_sq", r"\max_k\sigma_k^2", "the same as sigma_sq along the run, in expectation", "upper"),
    ("sigma_mean_run_sq", r"\sum_kp_k\sigma_k^2", "the same as sigma_mean_sq along the run, in expectation", "upper"),
    ("sigma_star_sq", r"\sum_kp_k\sigma_k^2(w^*)", "mean variance of a client's stochastic gradient at w*", "upper"),
    ("sigma_c_sq", r"\sigma_c^2", "variance of the server's stochastic gradient, at every point", "upper"),
    ("G_sq", "G^2", "bound on the second moment of every client's stochastic gradient, at every point", "upper"),
    ("G_run_sq", "G^2", "largest second moment of a client's stochastic gradient along the run", "upper"),
    ("sigma_G_sq", r"\sigma_G^2", "bound on the mean squared deviation of client gradients, at every point", "upper"),
    (
        "spread_sq",
        r"\sup_x\sum_kp_k\|\nabla f_k-\nabla f_f\|^2",
        "deviation of the clients' gradients: 0 if proved",
        "exact",
    ),
    ("B_sq", "B^2", "factor of |grad F|^2 in the bound on mean squared client gradients", "upper"),
    ("G_B_sq", "G_B^2", "constant beside B^2 in the bound on mean squared client gradients", "upper"),
    ("gap_B_sq", "B^2", "factor of 2 L (F - F*) in the bound on mean squared client gradients", "upper"),
    ("gap_G_sq", "G^2", "constant beside it in the bound on mean squared client gradients", "upper"),
    ("mixed_B_sq", "B^2", "factor of |grad f|^2 in the dissimilarity of clients and server", "upper"),
    ("mixed_G_sq", "G^2", "constant beside it in the dissimilarity of clients and server", "upper"),
    ("start_error", r"\epsilon_0", "squared errors of the augmenting gradients at the start", "upper"),
    ("eta", r"\eta", "constant local step size", "exact"),
    ("eta_s", r"\eta_s", "constant step size of the server", "exact"),
    ("eta_c", r"\eta_c", "constant step size on the server's own loss", "exact"),
    ("eta_m", r"\eta_m", "factor of the merged updates", "exact"),
    ("eta_d", r"\eta_d", "step size by which 2-way transfer divides the central update", "exact"),
    ("e", r"\tilde\eta", "effective step: local steps times all rates", "exact"),
    ("J", "J", "central steps per round", "exact"),
    ("gamma", r"\gamma", "shift of harmonic steps 2/(mu (gamma + t)), first step t = 1", "exact"),
)
#: All of them by name.
QUANTITIES: dict[str, NamedNumber] = {row[0]: NamedNumber(*row) for row in _ROWS}


def check_name(name: str) -> str:
    """The name, if it is one of :data:`QUANTITIES`; else ``ValueError`` with the nearest."""
    if name not in QUANTITIES:
        near = get_close_matches(name, QUANTITIES, n=3, cutoff=0.5)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise ValueError(f"{name!r} is no quantity of the vocabulary, {', '.join(QUANTITIES)}{hint}")
    return name


@lru_cache(maxsize=1024)
def parsed(text: str) -> Any:
    """An expression in the names of the vocabulary, such as ``"max(8*L/mu, E)"``, as a SymPy expression.

    Raises
    ------
    ValueError : a name that the vocabulary does not have.
    """
    known: dict[str, Any] = {name: sp.Symbol(name, real=True) for name in QUANTITIES}
    known |= {"max": sp.Max, "min": sp.Min}
    expression = sp.sympify(text, locals=known, rational=True)
    for symbol in expression.free_symbols:
        check_name(symbol.name)
    return expression


@lru_cache(maxsize=1024)
def names_in(text: str) -> tuple[str, ...]:
    """The names in an expression, sorted."""
    return tuple(sorted(symbol.name for symbol in parsed(text).free_symbols))


def value_of(text: str, numbers: Mapping[str, float]) -> float:
    """The expression at the numbers, in float64; not a finite number where a part of it is none."""
    expression = parsed(text)
    arrays = {name: np.asarray(numbers[name], dtype=np.float64) for name in names_in(text)}
    with np.errstate(all="ignore"):
        return float(in_floats(expression, arrays))


def latex_of(text: str) -> str:
    """The expression in LaTeX."""
    expression = parsed(text)
    found: str = sp.latex(expression, symbol_names={s: QUANTITIES[s.name].latex for s in expression.free_symbols})
    return found
