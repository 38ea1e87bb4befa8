"""Displays of Appendix B of Li et al. (2020): notation, unbiased schemes, the recursion and the proofs of Lemmas 4 and 5.

Lemma 5 and the recursions are in :mod:`verify.li2020.cohorts`.  ``count`` is how often client k was drawn.
"""

import sympy as sp
from sympy.core.symbol import Str

from fltheory.theory.conditions import Condition
from fltheory.theory.li2020 import theorems
from fltheory.theory.li2020.theorems import C_scheme_i, C_scheme_ii
from fltheory.theory.notation import AbsentSum, ClientSum, CohortSum, Expect, Inner, NormSq, PairSum, StepSum
from fltheory.theory.ranges import REAL
from verify.li2020 import symbols
from verify.li2020.cohorts import conclusion, t
from verify.li2020.displays import notation
from verify.li2020.displays.notation import (
    BALANCED,
    COHORT,
    FALLING,
    GAP,
    MOMENT,
    K,
    N,
    chain,
    count,
    displays,
    eta_0,
    g_noisy,
    g_t,
    link,
    mean,
    over_cohorts,
    p,
    v,
    vbar,
    wbar_0,
)
from verify.li2020.symbols import Delta_1, E, G, L, beta, eta, gamma, mu, w, wstar

_b1 = displays("Appendix B.1")
_b2 = displays("Appendix B.2", COHORT)
_b3 = displays("Appendix B.3")
_lemma_4 = displays("Appendix B.4, proof of Lemma 4")
_lemma_5 = displays("Appendix B.4, proof of Lemma 5")
f_noisy, x_k, q, x_l, x_1, w_new, eta_i, g_i, w_start, vi = sp.symbols("f_noisy x_k q x_l x_1 w_new eta_i g_i w_k0 v_i")
_TWO_CLIENTS = Condition("N >= 2", sp.Ge(N, 2))
_UNEQUAL = Condition("p_k not all equal")
_SCHEME = Condition("Scheme I, or Scheme II")
_SCHEME_I, _SCHEME_II = Condition("Scheme I"), Condition("Scheme II")
_OVER_ALL = Condition("expectation over all randomness")

eq_21 = _b1("(21), local step", "v_{t+1}^k", "=", w - eta * g_noisy, "LI-B1-EQV")
printed_gradient = _b1("g_t as printed", g_t, "=", mean(f_noisy), "LI-B1-G.1", repaired_by="LI-B1-G.1-R1")
repaired_gradient = _b1("g_t (repaired)", g_t, "=", mean(g_noisy), "LI-B1-G.1-R1")
last_cohort = _b1(
    "latest synchronisation",
    "N(t,E)",
    "=",
    E * sp.floor(symbols.t / E),
    "LI-B1-G.2",
    "LI-B1-G.2-R1",
    Condition("t >= E", sp.Ge(symbols.t, E)),
    repaired_by="LI-B1-G.2-R1",
)

_b2_schemes = displays("Appendix B.2", _SCHEME)
unbiased = _b2_schemes("required unbiasedness", over_cohorts(w_new), "=", vbar, "LI-B2-UNB")
scheme_i = _b2(
    "Lemma 4, Scheme I", over_cohorts(CohortSum(count, v) / K), "=", vbar, "LI-B2-UNB.1", "LI-LEM4-KEY", _SCHEME_I
)
scheme_ii = _b2(
    "Lemma 4, Scheme II",
    over_cohorts(CohortSum(count, p * v * N / K)),
    "=",
    vbar,
    "LI-B2-UNB.2",
    "LI-LEM4-KEY",
    _SCHEME_II,
)
weights_of_cohort = _b2(
    "weights of a cohort need not add up to one", CohortSum(count, p * N / K), "!=", 1, "LI-IINORM", _UNEQUAL
)
variance = _b2_schemes(
    "the spread is a variance",
    over_cohorts(NormSq(vbar - w_new)),
    "=",
    over_cohorts(NormSq(w_new - over_cohorts(w_new))),
    "LI-PARTVAR.2",
)
original_rule = _b2(
    "mean of the original rule",
    over_cohorts(AbsentSum(count, p * notation.w0) + CohortSum(count, p * v)),
    "!=",
    vbar,
    "LI-LEM4-ORIG",
)
normalised_weights = displays("Appendix D.2")(
    "mean with normalised weights",
    over_cohorts(CohortSum(count, p * v) / CohortSum(count, p)),
    "!=",
    vbar,
    "LI-NORMW",
    COHORT,
    _UNEQUAL,
)

_step = NormSq(w_new - vbar)
_cross = 2 * Inner(w_new - vbar, vbar - wstar)
split = _b3(
    "split of the new distance", NormSq(w_new - wstar), "=", _step + NormSq(vbar - wstar) + _cross, "LI-B3-SPLIT.1"
)
cross_term = _b3("A_3 vanishes in the mean", over_cohorts(_cross), "=", 0, "LI-B3-SPLIT.2", _SCHEME)
eq_25_split = _b3(
    "(25), first line",
    Expect(NormSq(w_new - wstar)),
    "=",
    Expect(_step) + Expect(NormSq(vbar - wstar)),
    "LI-EQ25",
    _SCHEME,
    notation.SYNCHRONISATION,
)
B, C = sp.symbols("B C")
_BY_V = symbols.v / (gamma + symbols.t)
_BETA = Condition("beta > 1/mu", sp.Gt(beta * mu, 1))
_b3_beta = displays("Appendix B.3", _BETA)
constant_v = _b3_beta("v", "v", "=", sp.Max(beta**2 * (B + C) / (beta * mu - 1), (gamma + 1) * Delta_1), "LI-B3-FIN")
distance = _b3_beta("distance, index as printed", r"\mathbb{E}\|\bar w_{t+1}-w^*\|^2", "<=", _BY_V, "LI-B3-FIN.1")
gap = _b3("gap, with v", GAP, "<=", L * _BY_V / 2, "LI-B3-FIN", "LI-B3-XREF.3", notation.SMOOTH)
_START = (Condition("beta = 2/mu"), Condition("t >= 1", sp.Ge(t, 1)))
final_scheme_i = _b3(
    "last display of B.3, Scheme I", GAP, "<=", conclusion(theorems.B + C_scheme_i), "LI-B3-FIN.3", *_START
)
final_scheme_ii = _b3(
    "last display of B.3, Scheme II", GAP, "<=", conclusion(theorems.B + C_scheme_ii), "LI-B3-FIN.3", *_START, BALANCED
)

_DRAWS = (Str("l=1"), Str("K"))
key_draws = _lemma_4(
    "a cohort as K draws", over_cohorts(CohortSum(count, x_k)), "=", over_cohorts(StepSum(x_l, *_DRAWS)), "LI-LEM4-KEY"
)
key_first = _lemma_4(
    "identically distributed draws", over_cohorts(StepSum(x_l, *_DRAWS)), "=", K * over_cohorts(x_1), "LI-LEM4-KEY"
)
key_mean = _lemma_4("mean of one draw", K * over_cohorts(x_1), "=", K * ClientSum(q * x_k), "LI-LEM4-KEY")

_spread = mean(NormSq(v - vbar))
_around = mean(NormSq(sp.Add(v - wbar_0, -(vbar - wbar_0), evaluate=False)))
_from_start = mean(NormSq(v - wbar_0))
_cohort_spread = over_cohorts(NormSq(w_new - vbar))
_scheme_one = displays("Appendix B.4, proof of Lemma 5", _SCHEME_I)
eq_26_first = _scheme_one(
    "(26), independent draws", _cohort_spread, "=", over_cohorts(CohortSum(count, NormSq(v - vbar)) / K**2), "LI-EQ26"
)
eq_26 = _scheme_one(
    "(26), mean of one draw", over_cohorts(CohortSum(count, NormSq(v - vbar)) / K**2), "=", _spread / K, "LI-EQ26"
)
start_of_round = _lemma_5(
    "start of the round",
    "t_0",
    "=",
    symbols.t - E + 1,
    "LI-L5PF-I.1",
    notation.SYNCHRONISATION,
    repaired_by="LI-L5PF-I.1-R1",
)
spread_split = _lemma_5("spread around the start of the round", _spread, "=", _around, "LI-L5PF-I.2")
spread_start = _lemma_5("spread without the mean", _around, "<=", _from_start, "LI-L5PF-I.2")
_moved = mean(Expect(NormSq(v - w_start))) / K
_J = (Str("i=t_0"), Str("t"))
_summed = mean(E * StepSum(Expect(NormSq(eta_i * g_i)), *_J)) / K
_x = sp.Symbol("x_i")
jensen_over_round = displays("Appendix B.4, proof of Lemma 5", ranges={"x_i": REAL})(
    "Jensen over the E steps of a round", NormSq(StepSum(_x, *_J)), "<=", E * StepSum(NormSq(_x), *_J), "LI-L5PF-I.3"
)
_bounded = E**2 * eta_0**2 * G**2 / K
_HALVED = Condition("eta_{t_0} <= 2 eta_t", sp.Le(eta_0, 2 * eta))
scheme_i_moments, scheme_i_common, scheme_i_jensen, scheme_i_bounded, scheme_i_last = chain(
    _lemma_5,
    Expect(NormSq(w_new - vbar)),
    link("Scheme I, with (26)", "<=", mean(Expect(NormSq(v - wbar_0))) / K, "LI-L5PF-I.2", _SCHEME_I, _OVER_ALL),
    link("Scheme I, common start", "<=", _moved, "LI-L5PF-I.2"),
    link("Scheme I, Jensen over the round", "<=", _summed, "LI-L5PF-I.3"),
    link("Scheme I, bounded gradients", "<=", _bounded, "LI-L5PF-I.4", FALLING, MOMENT),
    link("Scheme I, last inequality", "<=", 4 / K * eta**2 * E**2 * G**2, "LI-L5PF-I.5", _HALVED),
)

single = _lemma_5("a client is drawn", r"\mathbb{P}(i\in S)", "=", K / N, "LI-L5PF-II1", COHORT)
_cohort = displays("Appendix B.4, proof of Lemma 5", COHORT, _TWO_CLIENTS)
pair = _cohort("two clients are drawn", r"\mathbb{P}(i,j\in S)", "=", K * (K - 1) / (N * (N - 1)), "LI-L5PF-II1")
_squares, _pairs = ClientSum(NormSq(v - vbar)), PairSum(v - vbar, Str(r"\langle v^i-\bar v,v^j-\bar v\rangle"))
_balanced = displays("Appendix B.4, proof of Lemma 5", BALANCED)
deviations = _balanced("deviations add up to zero", _squares + _pairs, "=", 0, "LI-L5PF-II2")
_inclusion, _joint = sp.symbols("P_1 P_2")
_counted = (_inclusion * _squares + _joint * _pairs) / K**2
_inserted = _squares / (K * N) + (K - 1) / (K * N * (N - 1)) * _pairs
_exact = (1 - K / N) / (K * (N - 1)) * _squares
_SIZES = (COHORT, _TWO_CLIENTS)
expanded_cohort, expanded, expanded_inserted, scheme_ii_spread = chain(
    _balanced,
    _cohort_spread,
    link("Scheme II, over the cohort", "=", over_cohorts(NormSq(CohortSum(count, v - vbar))) / K**2, "LI-L5-EXPAND"),
    link("Scheme II, by probabilities", "=", _counted, "LI-L5-EXPAND"),
    link("Scheme II, probabilities inserted", "=", _inserted, "LI-L5-EXPAND", *_SIZES),
    link("Scheme II, spread", "=", _exact, "LI-L5PF-II3", *_SIZES),
)
_factor = N / (K * (N - 1)) * (1 - K / N)
_printed = _factor * 4 * eta**2 * E**2 * G**2
_constant = (N - K) / (N - 1) * 4 / K * eta**2 * E**2 * G**2
_start = _factor * Expect(ClientSum(NormSq(v - wbar_0)) / N)
scheme_ii_mean, scheme_ii_start, scheme_ii_last, scheme_ii_constant = chain(
    _lemma_5,
    Expect(NormSq(w_new - vbar)),
    link("Scheme II, expectation", "=", _factor * Expect(_squares / N), "LI-L5PF-II4", BALANCED, *_SIZES),
    link("Scheme II, without the mean", "<=", _start, "LI-L5PF-II4", BALANCED),
    link("Scheme II, last inequality", "<=", _printed, "LI-L5PF-II4", BALANCED, FALLING, MOMENT),
    link("Scheme II, the constant of Theorem 3", "=", _constant, "LI-L5PF-II4", *_SIZES),
)
