r"""Displays of Appendix C.4 and C.5 of Li et al. (2020): the round map, its limits and Lemma 6.

A remainder that is printed as Theta of a power of the step size is a symbol (``R_0, ..., R_3``); at zero the leading
part remains.
"""

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
    EXAMPLE,
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
from verify.li2020.displays.notation import chain, link

_c4, _c5 = displays("Appendix C.4", EXAMPLE), displays("Appendix C.5", EXAMPLE)
w_t, V, M_limit, I_p, I_m, C_m = sp.symbols("w_t V M_limit I_p I_m C_m", commutative=False)
one, zero, e_1, T = sp.symbols("one zero e_1 T", commutative=False)
R_0, R_1, R_2, R_3 = sp.symbols("R_0 R_1 R_2 R_3", commutative=False)
x, w_next, w_previous, w_later, w_first, w_0 = sp.symbols("x w_next w_previous w_later w_first w_0", commutative=False)
rho, t, n, C_1, C_2, f_eta = sp.symbols("rho t n C_1 C_2 f_eta")

_SMALL = Condition("0 < eta < 1/4", sp.And(eta > 0, eta < sp.Rational(1, 4)))
_MANY = Condition("E > 1", E > 1)
_UNIT = Condition("|x| = 1")
_RHO = Condition("0 <= rho < 1", sp.And(rho >= 0, rho < 1))
_TINY = Condition("eta sufficiently small")
step_1 = identity - eta * A_1
local = (identity - eta * A_k) ** E
M = ClientSum(local) / N
shift = eta / N * PowerSum(step_1, E) * b
bracket = eta / N * PowerSum(step_1, E) * A - (identity - M)
gap = E * (E - 1) / 2 * (V - A_1 * A)

first_local = _c4(
    "first client after a round", "w_t^{(1)}", "=", step_1**E * w_t + eta * PowerSum(step_1, E) * b_1, "LI-LOC1.1"
)
other_local = _c4("other clients after a round", "w_t^{(k)}", "=", local * w_t, "LI-LOC1.1", Condition("k >= 2"))
round_map = _c4("the round map", "w_{t+1}", "=", M * w_t + eta / N * PowerSum(step_1, E) * b_1, "LI-ROUND")
contraction = _c4("rho", r"\rho", "=", SpectralNorm(M), "LI-RHO")
_c4_small = displays("Appendix C.4", EXAMPLE, _SMALL)
contraction_bound = _c4_small("rho is below one", SpectralNorm(M), "<", 1, "LI-RHO.1")
local_norm = _c4_small("norm of a local step", SpectralNorm(identity - eta * A_k), "<=", 1, "LI-RHO.2")
local_form = _c4("form of a local round", Quadratic(local, x), "<=", 1, "LI-RHO.2", _SMALL, _UNIT)
_average = ClientSum(identity - eta * A_k) / N
form_by_one_step, form_of_one_step, form_below_one = chain(
    _c4,
    Quadratic(M, x),
    link("E steps against one", "<=", Quadratic(_average, x), "LI-RHO.3", _SMALL),
    link("one step on average", "=", Quadratic(identity - eta / N * A, x), "LI-RHO.3"),
    link("one step is a contraction", "<", 1, "LI-RHO.3", _SMALL, _UNIT),
)
shrinking, shrinking_power = chain(
    _c4_small,
    Norm(w_next - w_t),
    link("successive rounds", "<=", rho * Norm(w_t - w_previous), "LI-CAUCHY"),
    link("successive rounds, from the start", "<=", rho**t * Norm(w_first - w_0), "LI-CAUCHY"),
)
triangle, cauchy = chain(
    _c4,
    Norm(w_later - w_t),
    link("n rounds", "<=", GeometricSum(rho, t, n) * Norm(w_first - w_0), "LI-CAUCHY", _SMALL),
    link("Cauchy sequence", "<=", rho**t * Norm(w_first - w_0) / (1 - rho), "LI-CAUCHY", _RHO),
)
eq_32, one_local_step = chain(
    _c4,
    w_limit,
    link("(32), the limit", "=", (identity - M) ** -1 * shift, "LI-EQ32", NO_RIDGE),
    link("E = 1", "=", A**-1 * b, "LI-E1", "LI-THM4-I2", Condition("E = 1", sp.Eq(E, 1)), NO_RIDGE),
)
infinite_shift, infinite_shift_entries = chain(
    _c4,
    r"\lim_{E\to\infty}\eta\sum_{l=0}^{E-1}(I-\eta A_1)^lb",
    link("E to infinity, shift", "=", PseudoInverse(A_1) * b_1, "LI-EINF-a", _SMALL, NO_RIDGE),
    link("E to infinity, shift by entries", "=", w_1, "LI-EINF-a"),
)
_outer = (1 - 1 / N) * I_p
_map, _point = r"\lim_{E\to\infty}M", r"\lim_{E\to\infty}\tilde w^*"
_map_printed, _map_repaired = (
    BlockDiagonal(_outer, (1 - 1 / N) * I_m + inside / N, _outer) for inside in (-M_limit, M_limit - C_m)
)
_point_printed, _point_repaired = (
    Stacked(one, middle**-1 * e_1, zero) for middle in (I_m - M_limit, I_m - M_limit + C_m)
)
infinite_map = _c4(
    "E to infinity, round map as printed", _map, "=", _map_printed, "LI-EINF-b", repaired_by="LI-EINF-b-R1"
)
infinite_map_repaired = _c4_small("E to infinity, round map (repaired)", _map, "=", _map_repaired, "LI-EINF-b-R1")
infinite_limit = _c4(
    "E to infinity, limit as printed", _point, "=", _point_printed, "LI-EINF-c", "LI-EINF-d", repaired_by="LI-EINF-c-R1"
)
infinite_limit_repaired = _c4_small("E to infinity, limit (repaired)", _point, "=", _point_repaired, "LI-EINF-c-R1")
eq_33, eq_33_nonzero = chain(
    _c4,
    w_limit - w_opt,
    link("(33), the bias", "=", (identity - M) ** -1 * bracket * w_opt, "LI-EQ33.1", NO_RIDGE),
    link("(33) is not zero", "!=", 0, "LI-EQ33.2", "LI-EINF-d", _MANY, NO_RIDGE),
)
lower_bound = (E - 1) * eta / 16 * Norm(A_1 * A_2 * w_opt)
lemma_6 = _c4("Lemma 6, (34)", Norm(w_limit - w_opt), ">=", lower_bound, "LI-LEM6", "LI-NONVAC", _MANY, _TINY)
product = _c4("the bound is not vacuous", A_1 * A_2, "!=", 0, "LI-NONVAC")
ridge = _c4("condition with a ridge, as printed", mu, "<", 1 / (4 + mu), "LI-MUPOS.1", repaired_by="LI-MUPOS.1-R1")
ridge_repaired = _c4("condition with a ridge (repaired)", eta, "<", 1 / (4 + mu), "LI-MUPOS.1-R1")

order_lower = _c5(
    "definition of Theta, from below", C_1 * f_eta, "<=", SpectralNorm(T), "LI-C5-THETA", repaired_by="LI-C5-THETA-R1"
)
_c5_tiny = displays("Appendix C.5", EXAMPLE, _TINY)
order_upper = _c5_tiny("definition of Theta, from above", SpectralNorm(T), "<=", C_2 * f_eta, "LI-C5-THETA-R1")
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
_product = Norm((N / (E * eta) * A**-1 + R_0) * (eta**2 / N * (gap + R_1)) * w_opt)
_below = (E - 1) * eta / 16 * Norm((V - A_1 * A) * w_opt)
bias_product, bias_leading = (
    _c5(name, Norm(w_limit - w_opt), "=", right, row, repaired_by="LI-L6-FIN.1-R1")
    for name, right, row in (
        ("bias, product", _product, "LI-L6-FIN"),
        ("bias, leading term as printed", Norm((_leading + R_1) * w_opt), "LI-L6-FIN.1"),
    )
)
bias_repaired = _c5_tiny(
    "bias, leading term (repaired; remainder of order two)",
    w_limit - w_opt,
    "=",
    (_leading + R_2) * w_opt,
    "LI-L6-FIN.1-R1",
)
bias_lower, last_equality = chain(
    _c5,
    Norm((_leading + R_1) * w_opt),
    link("bias from below", ">=", _below, "LI-L6-FIN.2", _MANY, _TINY),
    link("last equality, as printed", "=", lower_bound, "LI-L6-V.3", repaired_by="LI-L6-V.3-R1"),
)
inverse_norm = _c5("the inverse from below", Norm(A**-1 * x), ">=", Norm(x) / 4, "LI-L6-FIN.2")
last_inequality = _c5("last step (repaired)", _below, ">=", lower_bound, "LI-L6-V.3-R1", NO_RIDGE)
product_form = _c5(
    "V - A_1 A, as printed", V - A_1 * A, "=", A_1 * ClientSum(A_k, 2), "LI-L6-V.1", repaired_by="LI-L6-V.1-R1"
)
product_form_repaired = _c5(
    "V - A_1 A (repaired)", V - A_1 * A, "=", ClientSum(A_k**2, 2) - A_1 * ClientSum(A_k, 2), "LI-L6-V.1-R1"
)
no_overlap = _c5("distant clients", A_1 * A_k, "=", 0 * A_k, "LI-L6-V.2", Condition("k >= 3"))
