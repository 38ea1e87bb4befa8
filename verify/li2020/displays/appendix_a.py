"""Displays of Appendix A.1 to A.3 of Li et al. (2020): the virtual sequences and the conclusion of Theorem 1.

The lemmas, (13) and the last display of A.3 are in :mod:`verify.li2020.lemmas`.
"""

import sympy as sp
from sympy.core.symbol import Str

from fltheory.theory.conditions import Condition
from fltheory.theory.notation import ClientSum, Expect, NormSq, RepeatedSum, StepSum
from verify.li2020 import symbols
from verify.li2020.displays import notation
from verify.li2020.displays.notation import (
    FALLING,
    GAP,
    SMOOTH,
    chain,
    displays,
    eta_0,
    eta_j,
    g_noisy,
    g_t,
    link,
    mean,
    vbar,
    wbar_0,
)
from verify.li2020.lemmas import A4_TAKEN, FINAL, LEMMA_3, SAMPLING
from verify.li2020.symbols import B, Delta, Delta_1, E, G, L, beta, eta, g, gamma, gbar, mu, t, v, w, wbar

_a1 = displays("Appendix A.1")
_a3 = displays("Appendix A.3")
w_new = sp.Symbol("w_new")
X = t + gamma

_BETA = Condition("beta > 1/mu", sp.Gt(beta * mu, 1))
_TWO = Condition("beta = 2/mu", sp.Eq(beta * mu, 2))
_FIRST = Condition("eta_1 <= 1/(4L)", sp.Le(4 * L * beta, gamma + 1))
_START = Condition("t >= 1", sp.Ge(t, 1))
_V = Condition("v >= beta^2 B/(beta mu - 1)", sp.Ge(v * (beta * mu - 1), beta**2 * B))

eq_9 = _a1("(9), local step", "v_{t+1}^k", "=", w - eta * g_noisy, "LI-A1-VIRT.1")
synchronised = _a1(
    "(12), the model after a synchronisation",
    "w_{t+1}^k",
    "=",
    mean(notation.v),
    "LI-A1-VIRT.1",
    notation.SYNCHRONISATION,
)
average_of_v = _a1("average of the updated models", vbar, "=", mean(notation.v), "LI-A1-VIRT.1")
average_of_w = _a1("average of the models", wbar, "=", mean(w), "LI-A1-VIRT.1")
average_gradient = _a1("average gradient", gbar, "=", mean(g), "LI-A1-VIRT.1")
noisy_average_gradient = _a1("average stochastic gradient", g_t, "=", mean(g_noisy), "LI-A1-VIRT.1", "LI-B1-G.1-R1")
virtual_step = _a1("step of the average", vbar, "=", wbar - eta * g_t, "LI-A1-VIRT.1", "LI-VBARSGD")
unbiased = _a1("mean of the average stochastic gradient", Expect(g_t), "=", gbar, "LI-A1-VIRT.1", Condition(SAMPLING))
full_participation = _a3("full participation", w_new, "=", vbar, "LI-A1-VIRT.1")

_a3_beta = displays("Appendix A.3", _BETA)
schedule = _a3_beta("diminishing steps", r"\eta_t", "=", beta / X, "LI-IND0", "LI-B3-FIN")
_ORDER = Condition("0 < mu <= L", sp.And(mu > 0, mu <= L))
first_step, smaller_of_two = chain(
    _a3,
    beta / (gamma + 1),
    link("first step size", "<=", sp.Min(1 / mu, 1 / (4 * L)), "LI-IND0", _ORDER, _FIRST),
    link("smaller of 1/mu and 1/(4L)", "=", 1 / (4 * L), "LI-IND0", _ORDER),
)
claimed_distance = _a3("claim of the induction", r"\Delta_t", "<=", v / (gamma + t), "LI-IND0", _BETA, _FIRST, _START)
constant_v = _a3_beta("v", "v", "=", sp.Max(beta**2 * B / (beta * mu - 1), (gamma + 1) * Delta_1), "LI-IND0", "LI-A3-V")
_SECOND = (1 - beta * mu / X) * v / X + beta**2 * B / X**2
_REST = beta**2 * B / X**2 - (beta * mu - 1) / X**2 * v
_THIRD = (X - 1) / X**2 * v + _REST
inserted, regrouped, induction = chain(
    _a3,
    r"\Delta_{t+1}",
    link("induction, hypothesis inserted", "<=", _SECOND, "LI-IND1", _BETA, Condition("Delta_t <= v/(gamma+t)")),
    link("induction, regrouped", "=", _THIRD, "LI-IND1"),
    link("induction, conclusion", "<=", v / (X + 1), "LI-IND2", _BETA, _START, _V),
)

gap_by_distance = _a3("smoothness of F", GAP, "<=", L / 2 * Delta, "LI-A3-SMOOTH", "LI-B3-XREF.3-R1", SMOOTH)
gap_by_v = _a3(
    "smoothness of F, with v", GAP, "<=", L / 2 * v / (gamma + t), "LI-A3-SMOOTH", "LI-A3-FIN", SMOOTH, _START
)
chosen_steps = _a3("chosen step sizes", r"\eta_t", "=", 2 / mu / (gamma + t), "LI-A3-LR")
chosen_shift = _a3("chosen gamma", r"\gamma", "=", sp.Max(8 * L / mu, E) - 1, "LI-A3-LR", "LI-B3-FIN")
halving = _a3(
    "steps of one round apart",
    2 / mu / (gamma + t),
    "<=",
    2 * (2 / mu / (gamma + t + E)),
    "LI-A3-LR",
    _START,
    Condition("gamma >= E - 1", sp.Ge(gamma, E - 1)),
)
_SUM = beta**2 * B / (beta * mu - 1) + (gamma + 1) * Delta_1
v_by_sum = _a3_beta("v, first inequality", constant_v.expression, "<=", _SUM, "LI-A3-V")
v_chosen = _a3("v, second inequality", _SUM, "<=", 4 * B / mu**2 + (gamma + 1) * Delta_1, "LI-A3-V", _TWO)
final_inequality = _a3(
    "last step of A.3",
    L / 2 * (4 * B / mu**2 + (gamma + 1) * Delta_1) / (gamma + t),
    "<=",
    FINAL.expression,
    "LI-A3-FIN",
    _START,
)

independent_noises = displays("Appendix A.4, proof of Lemma 2")(
    "variance of the average, independent samples",
    Expect(NormSq(g_t - gbar)),
    "=",
    Expect(ClientSum(notation.p**2 * NormSq(g_noisy - g))),
    "LI-L2PF",
    Condition(SAMPLING),
)
_proof_3 = displays("Appendix A.4, proof of Lemma 3")
_J = (Str("j=t_0"), Str("t-1"))
g_j, steps, t0 = sp.symbols("g_j tau t0")
_LATEST = Condition("all clients agree at t_0 <= t, t - t_0 <= E - 1")
_drift_split = mean(NormSq(sp.Add(w - wbar_0, -(wbar - wbar_0), evaluate=False)))
_drift_start = mean(NormSq(w - wbar_0))
_steps_taken = mean(Expect(StepSum((E - 1) * eta_j**2 * NormSq(g_j), *_J)))
_moments = mean(RepeatedSum((E - 1) * eta_0**2 * G**2, steps, *_J))
_largest = eta_0**2 * (E - 1) ** 2 * G**2
_HALVED = Condition("eta_{t_0} <= 2 eta_t", sp.Le(eta_0, 2 * eta))
steps_since = _proof_3("steps since the last common model", symbols.t - t0, "<=", E - 1, "LI-L3PF-T0", _LATEST)
drift_jensen = _proof_3(
    "Jensen for one client",
    NormSq(StepSum(eta_j * g_j, *_J)),
    "<=",
    steps * StepSum(eta_j**2 * NormSq(g_j), *_J),
    "LI-L3PF1..5.3",
    Condition("tau = t - t_0 is the number of steps"),
)
drift_split, drift_without_mean, drift_by_steps, drift_by_moments, drift_by_round, drift_last = chain(
    _proof_3,
    Expect(mean(NormSq(wbar - w))),
    link("drift around the last common model", "=", Expect(_drift_split), "LI-L3PF1..5.1"),
    link("drift without the mean", "<=", Expect(_drift_start), "LI-L3PF1..5.2", _LATEST),
    link("drift by the steps of the round", "<=", _steps_taken, "LI-L3PF1..5.3", _LATEST),
    link("drift by the second moments", "<=", _moments, "LI-L3PF1..5.4", FALLING, Condition(A4_TAKEN)),
    link("drift by the length of the round", "<=", mean(_largest), "LI-L3PF1..5.4", _LATEST),
    link("drift, last inequality", "<=", LEMMA_3.expression, "LI-L3PF1..5.5", _HALVED),
)
