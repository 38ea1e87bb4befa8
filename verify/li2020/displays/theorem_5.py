r"""Displays of Appendix C.4 and C.5 of Li et al. (2020): the round map, its limits and Lemma 6.

A remainder that is printed as Theta of a power of the step size is a symbol (``R_0, ..., R_3``); at zero the leading
part remains.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.notation import (
    BlockDiagonal,
    ClientSum,
    GeometricSum,
    Norm,
    PowerSum,
    PseudoInverse,
    Quadratic,
    SpectralNorm,
    Stacked,
)
from verify.li2020.displays.appendix_c import (
    A_1,
    A_2,
    NO_RIDGE,
    A,
    A_k,
    E,
    N,
    b,
    b_1,
    displays,
    eta,
    identity,
    mu,
    w_1,
    w_limit,
    w_opt,
)

_c4, _c5 = displays("Appendix C.4"), displays("Appendix C.5")
w_t, V, M_limit, I_p, I_m, C_m = sp.symbols("w_t V M_limit I_p I_m C_m", commutative=False)
one, zero, e_1, T = sp.symbols("one zero e_1 T", commutative=False)
R_0, R_1, R_2, R_3 = sp.symbols("R_0 R_1 R_2 R_3", commutative=False)
x, w_next, w_previous, w_later, w_first, w_0 = sp.symbols("x w_next w_previous w_later w_first w_0", commutative=False)
rho, t, n, C_1, C_2, f_eta = sp.symbols("rho t n C_1 C_2 f_eta")

_SMALL = Condition("0 < eta < 1/4", sp.And(eta > 0, eta < sp.Rational(1, 4)))
_MANY = Condition("E > 1", E > 1)
_TINY = Condition("eta sufficiently small")
step_1 = identity - eta * A_1
local = (identity - eta * A_k) ** E
M = ClientSum(local) / N
shift = eta / N * PowerSum(step_1, E) * b
bracket = eta / N * PowerSum(step_1, E) * A - (identity - M)
gap = E * (E - 1) / 2 * (V - A_1 * A)

first_local = _c4(
    "first client after a round", "w_t^{(1)}", "=", step_1**E * w_t + eta * PowerSum(step_1, E) * b_1, "LI-LOC1"
)
other_local = _c4("other clients after a round", "w_t^{(k)}", "=", local * w_t, "LI-LOC1", given=(Condition("k >= 2"),))
round_map = _c4("the round map", "w_{t+1}", "=", M * w_t + eta / N * PowerSum(step_1, E) * b_1, "LI-ROUND")
contraction = _c4("rho", r"\rho", "=", SpectralNorm(M), "LI-RHO")
contraction_bound = _c4("rho is below one", SpectralNorm(M), "<", 1, "LI-RHO.1", given=(_SMALL,))
local_norm = _c4("norm of a local step", SpectralNorm(identity - eta * A_k), "<=", 1, "LI-RHO.2", given=(_SMALL,))
local_form = _c4(
    "form of a local round", Quadratic(local, x), "<=", 1, "LI-RHO.2", given=(_SMALL, Condition("|x| = 1"))
)
_average = ClientSum(identity - eta * A_k) / N
form_by_one_step = _c4(
    "E steps against one", Quadratic(M, x), "<=", Quadratic(_average, x), "LI-RHO.3", given=(_SMALL,)
)
form_of_one_step = _c4(
    "one step on average", Quadratic(_average, x), "=", Quadratic(identity - eta / N * A, x), "LI-RHO.3"
)
form_below_one = _c4(
    "one step is a contraction",
    Quadratic(identity - eta / N * A, x),
    "<",
    1,
    "LI-RHO.3",
    given=(_SMALL, Condition("|x| = 1")),
)
shrinking = _c4(
    "successive rounds", Norm(w_next - w_t), "<=", rho * Norm(w_t - w_previous), "LI-CAUCHY", given=(_SMALL,)
)
shrinking_power = _c4(
    "successive rounds, from the start",
    rho * Norm(w_t - w_previous),
    "<=",
    rho**t * Norm(w_first - w_0),
    "LI-CAUCHY",
    given=(_SMALL,),
)
triangle = _c4(
    "n rounds", Norm(w_later - w_t), "<=", GeometricSum(rho, t, n) * Norm(w_first - w_0), "LI-CAUCHY", given=(_SMALL,)
)
_RHO = Condition("0 <= rho < 1", sp.And(rho >= 0, rho < 1))
cauchy = _c4(
    "Cauchy sequence",
    GeometricSum(rho, t, n) * Norm(w_first - w_0),
    "<=",
    rho**t * Norm(w_first - w_0) / (1 - rho),
    "LI-CAUCHY",
    given=(_RHO,),
)
eq_32 = _c4("(32), the limit", w_limit, "=", (identity - M) ** -1 * shift, "LI-EQ32", given=(NO_RIDGE,))
one_local_step = _c4(
    "E = 1",
    (identity - M) ** -1 * shift,
    "=",
    A**-1 * b,
    "LI-E1",
    "LI-THM4-I2",
    given=(Condition("E = 1", sp.Eq(E, 1)), NO_RIDGE),
)
infinite_shift = _c4(
    "E to infinity, shift",
    r"\lim_{E\to\infty}\eta\sum_{l=0}^{E-1}(I-\eta A_1)^lb",
    "=",
    PseudoInverse(A_1) * b_1,
    "LI-EINF-a",
    given=(_SMALL, NO_RIDGE),
)
infinite_shift_entries = _c4("E to infinity, shift by entries", PseudoInverse(A_1) * b_1, "=", w_1, "LI-EINF-a")
_outer = (1 - 1 / N) * I_p
infinite_map = _c4(
    "E to infinity, round map as printed",
    r"\lim_{E\to\infty}M",
    "=",
    BlockDiagonal(_outer, (1 - 1 / N) * I_m - M_limit / N, _outer),
    "LI-EINF-b",
    repaired_by="LI-EINF-b-R1",
)
infinite_map_repaired = _c4(
    "E to infinity, round map (repaired)",
    r"\lim_{E\to\infty}M",
    "=",
    BlockDiagonal(_outer, (1 - 1 / N) * I_m + (M_limit - C_m) / N, _outer),
    "LI-EINF-b-R1",
    given=(_SMALL,),
)
infinite_limit = _c4(
    "E to infinity, limit as printed",
    r"\lim_{E\to\infty}\tilde w^*",
    "=",
    Stacked(one, (I_m - M_limit) ** -1 * e_1, zero),
    "LI-EINF-c",
    "LI-EINF-d",
    repaired_by="LI-EINF-c-R1",
)
infinite_limit_repaired = _c4(
    "E to infinity, limit (repaired)",
    r"\lim_{E\to\infty}\tilde w^*",
    "=",
    Stacked(one, (I_m - M_limit + C_m) ** -1 * e_1, zero),
    "LI-EINF-c-R1",
    given=(_SMALL,),
)
eq_33 = _c4(
    "(33), the bias", w_limit - w_opt, "=", (identity - M) ** -1 * bracket * w_opt, "LI-EQ33.1", given=(NO_RIDGE,)
)
eq_33_nonzero = _c4(
    "(33) is not zero",
    (identity - M) ** -1 * bracket * w_opt,
    "!=",
    0,
    "LI-EQ33.2",
    "LI-EINF-d",
    given=(_MANY, NO_RIDGE),
)
lower_bound = (E - 1) * eta / 16 * Norm(A_1 * A_2 * w_opt)
lemma_6 = _c4("Lemma 6, (34)", Norm(w_limit - w_opt), ">=", lower_bound, "LI-LEM6", "LI-NONVAC", given=(_MANY, _TINY))
product = _c4("the bound is not vacuous", A_1 * A_2, "!=", 0, "LI-NONVAC")
ridge = _c4("condition with a ridge, as printed", mu, "<", 1 / (4 + mu), "LI-MUPOS.1", repaired_by="LI-MUPOS.1-R1")
ridge_repaired = _c4("condition with a ridge (repaired)", eta, "<", 1 / (4 + mu), "LI-MUPOS.1-R1")

order_lower = _c5(
    "definition of Theta, from below", C_1 * f_eta, "<=", SpectralNorm(T), "LI-C5-THETA", repaired_by="LI-C5-THETA-R1"
)
order_upper = _c5(
    "definition of Theta, from above", SpectralNorm(T), "<=", C_2 * f_eta, "LI-C5-THETA-R1", given=(_TINY,)
)
squares = _c5("V", V, "=", ClientSum(A_k**2), "LI-EQ35")
eq_35_expanded = _c5(
    "(35), expanded",
    identity - M,
    "=",
    identity - ClientSum(identity - E * eta * A_k + E * (E - 1) / 2 * eta**2 * A_k**2 + R_3) / N,
    "LI-EQ35",
)
eq_35 = _c5("(35)", identity - M, "=", E * eta / N * A - E * (E - 1) / (2 * N) * eta**2 * V + R_3, "LI-EQ35")
bracket_order = _c5("bracket of (33)", bracket, "=", eta**2 / N * (gap + R_1), "LI-L6-BR")
inverse_order = _c5("inverse, first step", (identity - M) ** -1, "=", (E * eta / N * A + R_2) ** -1, "LI-L6-INV")
inverse_leading = _c5("inverse", (identity - M) ** -1, "=", N / (E * eta) * A**-1 + R_0, "LI-L6-INV")
_leading = eta * (E - 1) / 2 * A**-1 * (V - A_1 * A)
bias_product = _c5(
    "bias, product",
    Norm(w_limit - w_opt),
    "=",
    Norm((N / (E * eta) * A**-1 + R_0) * (eta**2 / N * (gap + R_1)) * w_opt),
    "LI-L6-FIN",
    repaired_by="LI-L6-FIN.1-R1",
)
bias_leading = _c5(
    "bias, leading term as printed",
    Norm(w_limit - w_opt),
    "=",
    Norm((_leading + R_1) * w_opt),
    "LI-L6-FIN.1",
    repaired_by="LI-L6-FIN.1-R1",
)
bias_repaired = _c5(
    "bias, leading term (repaired; remainder of order two)",
    w_limit - w_opt,
    "=",
    (_leading + R_2) * w_opt,
    "LI-L6-FIN.1-R1",
    given=(_TINY,),
)
bias_lower = _c5(
    "bias from below",
    Norm((_leading + R_1) * w_opt),
    ">=",
    (E - 1) * eta / 16 * Norm((V - A_1 * A) * w_opt),
    "LI-L6-FIN.2",
    given=(_MANY, _TINY),
)
inverse_norm = _c5("the inverse from below", Norm(A**-1 * x), ">=", Norm(x) / 4, "LI-L6-FIN.2")
last_equality = _c5(
    "last equality, as printed",
    (E - 1) * eta / 16 * Norm((V - A_1 * A) * w_opt),
    "=",
    lower_bound,
    "LI-L6-V.3",
    repaired_by="LI-L6-V.3-R1",
)
last_inequality = _c5(
    "last step (repaired)",
    (E - 1) * eta / 16 * Norm((V - A_1 * A) * w_opt),
    ">=",
    lower_bound,
    "LI-L6-V.3-R1",
    given=(NO_RIDGE,),
)
product_form = _c5(
    "V - A_1 A, as printed", V - A_1 * A, "=", A_1 * ClientSum(A_k, 2), "LI-L6-V.1", repaired_by="LI-L6-V.1-R1"
)
product_form_repaired = _c5(
    "V - A_1 A (repaired)", V - A_1 * A, "=", ClientSum(A_k**2, 2) - A_1 * ClientSum(A_k, 2), "LI-L6-V.1-R1"
)
no_overlap = _c5("distant clients", A_1 * A_k, "=", 0 * A_k, "LI-L6-V.2", given=(Condition("k >= 3"),))
