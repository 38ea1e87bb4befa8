"""Displays of the proof of Lemma 1 of Li et al. (2020), Appendix A.4, in the order of print."""

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.evaluation import generic_form
from fltheory.theory.notation import Expect, Inner, NormSq
from verify.li2020.displays.notation import CONVEX, SMOOTH, chain, displays, g_t, link, mean, p, vbar
from verify.li2020.lemmas import SAMPLING
from verify.li2020.symbols import (
    GAMMA_T,
    Fbar,
    Fstar,
    Gamma,
    L,
    eta,
    f,
    f_bar,
    f_min,
    f_star,
    g,
    g_bar,
    gbar,
    mu,
    w,
    wbar,
    wstar,
)

_proof = displays("Appendix A.4, proof of Lemma 1")
gamma_t = sp.Symbol("gamma_t")
_SMALL = Condition("eta_t <= 1/(4L)", sp.Le(eta, 1 / (4 * L)))
_GAMMA_T = Condition("gamma_t = 2 eta_t (1 - 2 L eta_t)", sp.Eq(gamma_t, GAMMA_T))

to_optimum = NormSq(wbar - wstar)
drift = NormSq(wbar - w)
A1 = NormSq(wbar - wstar - eta * gbar)
A2 = 2 * eta * Inner(wbar - wstar - eta * gbar, gbar - g_t)
B1 = -2 * eta * Inner(wbar - wstar, gbar)
B2 = eta**2 * NormSq(gbar)
above_minimum = mean(f - f_min)
above_optimum = mean(f - f_star)
excess = Fbar - Fstar
C = 4 * L * eta**2 * above_minimum - 2 * eta * above_optimum

eq_14 = _proof(
    "(14), split of the new distance", NormSq(vbar - wstar), "=", A1 + A2 + eta**2 * NormSq(g_t - gbar), "LI-EQ14"
)
cross_term = _proof("A_2 vanishes in the mean", Expect(A2), "=", 0, "LI-EQ14", Condition(SAMPLING))
eq_15 = _proof("(15), split of A_1", A1, "=", to_optimum + B1 + B2, "LI-EQ15")
_smooth = displays("Appendix A.4, proof of Lemma 1", SMOOTH)
eq_16 = _smooth("(16), gradient and function value", NormSq(g), "<=", 2 * L * (f - f_min), "LI-EQ16")
b_2_convexity = _proof("B_2, convexity", B2, "<=", eta**2 * mean(NormSq(g)), "LI-B2")
b_2_smoothness = _smooth("B_2, (16)", eta**2 * mean(NormSq(g)), "<=", 2 * L * eta**2 * above_minimum, "LI-B2")
_b_1 = -2 * eta * mean(Inner(wbar - wstar, g))
b_1_average = _proof("B_1 as an average", B1, "=", _b_1, "LI-EQ17")
eq_17 = _proof(
    "(17), split of B_1",
    _b_1,
    "=",
    -2 * eta * mean(Inner(wbar - w, g)) - 2 * eta * mean(Inner(w - wstar, g)),
    "LI-EQ17",
)
eq_18 = _proof("(18), AM-GM", -2 * Inner(wbar - w, g), "<=", drift / eta + eta * NormSq(g), "LI-EQ18")
_convex = displays("Appendix A.4, proof of Lemma 1", CONVEX)
eq_19 = _convex(
    "(19), strong convexity", -Inner(w - wstar, g), "<=", -(f - f_star) - mu / 2 * NormSq(w - wstar), "LI-EQ19"
)

first_line = (
    to_optimum
    + 2 * L * eta**2 * above_minimum
    + eta * mean(drift / eta + eta * NormSq(g))
    - 2 * eta * mean(f - f_star + mu / 2 * NormSq(w - wstar))
)
second_line = (1 - mu * eta) * to_optimum + mean(drift) + C
_smooth_convex = displays("Appendix A.4, proof of Lemma 1", SMOOTH, CONVEX)
combined = _smooth_convex("A_1, first line", A1, "<=", first_line, "LI-A1COMB.1")
combined_printed = _proof(
    "A_1, second line as printed", first_line, "=", second_line, "LI-A1COMB.2", repaired_by="LI-A1COMB.2-R1"
)
combined_repaired = _smooth_convex("A_1, second line (repaired)", first_line, "<=", second_line, "LI-A1COMB.2-R1")

gamma_t_definition = _proof("definition of gamma_t", r"\gamma_t", "=", GAMMA_T, "LI-GAMT")
_small = displays("Appendix A.4, proof of Lemma 1", _SMALL)
gamma_t_lower = _small("gamma_t from below", GAMMA_T, ">=", eta, "LI-GAMT")
gamma_t_upper = _small("gamma_t from above", GAMMA_T, "<=", 2 * eta, "LI-GAMT")
_gamma = displays("Appendix A.4, proof of Lemma 1", _GAMMA_T)
_above = -gamma_t * mean(f - Fstar)
c_first, c_second, c_third = chain(
    _proof,
    C,
    link("C, first line", "=", -2 * eta * (1 - 2 * L * eta) * above_minimum + 2 * eta * mean(f_star - f_min), "LI-C1"),
    link("C, second line", "=", _above + (2 * eta - gamma_t) * mean(Fstar - f_min), "LI-C2", _GAMMA_T),
    link("C, third line", "=", _above + 4 * L * eta**2 * Gamma, "LI-C2", _GAMMA_T),
)
gamma_average = _proof("Gamma as an average", Gamma, "=", mean(Fstar - f_min), "LI-C2", "LI-GAM0")

_bracket = mean(eta * L * (f_bar - f_min) + NormSq(w - wbar) / (2 * eta))
d_split, d_convexity, d_am_gm, d_smoothness = chain(
    _proof,
    mean(f - Fstar),
    link("D, split at the average", "=", mean(f - f_bar) + mean(f_bar - Fstar), "LI-D1..D3.1"),
    link("D, convexity", ">=", mean(Inner(g_bar, w - wbar)) + excess, "LI-D1..D3.1", CONVEX),
    link("D, AM-GM", ">=", -mean(eta * NormSq(g_bar) + NormSq(w - wbar) / eta) / 2 + excess, "LI-D1..D3.2"),
    link("D, (16)", ">=", -_bracket + excess, "LI-D1..D3.3", SMOOTH),
)

_therefore = gamma_t * _bracket - gamma_t * excess + 4 * L * eta**2 * Gamma
_collected = (
    gamma_t * (eta * L - 1) * mean(f_bar - Fstar)
    + (4 * L * eta**2 + gamma_t * eta * L) * Gamma
    + gamma_t / (2 * eta) * mean(NormSq(w - wbar))
)
c_inserted = _gamma("C with the bound of D, as printed", C, "=", _therefore, "LI-C3", repaired_by="LI-C3-R1")
c_inserted_repaired = _proof(
    "C with the bound of D (repaired)", C, "<=", _therefore, "LI-C3-R1", SMOOTH, CONVEX, _SMALL, _GAMMA_T
)
c_collected = _gamma("C, collected", _therefore, "=", _collected, "LI-C4")
_small_gamma = displays("Appendix A.4, proof of Lemma 1", _SMALL, _GAMMA_T)
c_final = _small_gamma("C, last line", _collected, "<=", 6 * L * eta**2 * Gamma + mean(NormSq(w - wbar)), "LI-C5")
fact_1 = _small("fact (1), factor of the excess", eta * L - 1, "<=", -sp.Rational(3, 4), "LI-C5")
fact_1_average = _proof("fact (1), average excess", mean(f_bar - Fstar), "=", excess, "LI-C5")
fact_1_sign = _proof("fact (1), sign", excess, ">=", 0, "LI-C5")
fact_2 = _small_gamma("fact (2)", 4 * L * eta**2 + gamma_t * eta * L, "<=", 6 * eta**2 * L, "LI-C5")
fact_3 = _small_gamma("fact (3)", gamma_t / (2 * eta), "<=", 1, "LI-C5")
eq_20 = _proof(
    "(20), bound of A_1",
    A1,
    "<=",
    (1 - mu * eta) * to_optimum + 2 * mean(drift) + 6 * eta**2 * L * Gamma,
    "LI-EQ20",
    SMOOTH,
    CONVEX,
    _SMALL,
)


def form(expression: sp.Expr) -> sp.Expr:
    """A side of a display as a form of the generic client, which ``symbols.CLIENTS`` averages; gamma_t inserted."""
    return generic_form(expression, p).subs(gamma_t, GAMMA_T)
