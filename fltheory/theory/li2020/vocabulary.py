"""The scalars of Li et al. (2020): where each one lies, and what always holds between them.

What stands for vectors and for values of functions (``w``, ``g``, ``F_k``, ...) is any real number; matrices are not listed.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory import bound, ranges
from fltheory.theory.conditions import Condition

L, mu, K, N = sp.symbols("L mu K N")

RANGES = ranges.among(
    constants=(ranges.POSITIVE, "L beta nu varsigma epsilon gamma_s start a"),
    step_sizes=(ranges.POSITIVE, "eta eta_0 eta_1 eta_c eta_i eta_j"),
    squares=(
        ranges.NONNEGATIVE,
        "mu V Gamma G2 D1 Delta Delta_1 S B C Var G sigma zeta v n gamma gamma_t c lambda_ rho T_eps",
    ),
    condition_number=(ranges.AT_LEAST_ONE, "kappa r"),
    counts=(ranges.COUNT, "E K N i j k"),
    times=(ranges.WHOLE, "T t t0 tau count"),
    probabilities=(ranges.SHARE, "p q P_1 P_2 delta"),
    bounds_of_a_law=(ranges.NONNEGATIVE, "C_1 C_2 f_eta"),
    vectors=(
        ranges.REAL,
        "D_k F_k Fbar Fstar f f_bar f_min f_noisy f_star f_v f_w g g_bar g_i g_j g_noisy g_t g_w gbar loss v_k "
        "vbar w w0 w_k0 w_min w_model w_new w_start wbar wbar_0 wstar x x_1 x_k x_l y",
    ),
)
RELATIONS = (Condition("mu <= L", sp.Le(mu, L)), Condition("K <= N", sp.Le(K, N)))


class LiBound(bound.Bound):
    """A bound or display in the symbols of Li et al."""

    vocabulary = ranges.Vocabulary(RANGES, RELATIONS)


#: What the document's own files call it.
Bound = LiBound
