"""Displays of the introduction, of Section 2 and of Section 3.1 of Li et al. (2020)."""

import sympy as sp
from sympy.core.symbol import Str

from fltheory.theory.notation import AbsentSum, CohortSum, Expect, Inner, NormSq, StepSum
from verify.li2020.displays.notation import COHORT, CONVEX, K, N, T, count, displays, g_noisy, mean, n, p, w0
from verify.li2020.symbols import E, Fstar, G, Gamma, L, eta, f_min, g, mu, w, wstar

_introduction = displays("abstract and Section 1")
_table = displays("Table 1", COHORT)
_section_2 = displays("Section 2")
_section_3 = displays("Section 3.1")
y, x, f_v, f_w, g_w, loss, F_k, D_k, variance = sp.symbols("y x f_v f_w g_w loss F_k D_k Var")

rate = _introduction(
    "rate of FedAvg", r"\mathbb{E}F(w_T)-F^*", "O", 1 / T, "LI-ABS1", "LI-THM1-RATE", "LI-TAB1b", "LI-TAB1c"
)
distance_with_a_fixed_step = _introduction(
    "distance kept with a fixed step size", r"\|\tilde w^*-w^*\|", "Omega", sp.Symbol("eta_c") * (E - 1), "LI-ABS2"
)

original_averaging = _table(
    "averaging, original scheme", "w_{t+1}", "=", AbsentSum(count, p * w0) + CohortSum(count, p * w), "LI-TAB1a"
)
scheme_i_averaging = _table("averaging, Scheme I", "w_{t+1}", "=", CohortSum(count, w) / K, "LI-TAB1b")
scheme_ii_averaging = _table("averaging, Scheme II", "w_{t+1}", "=", CohortSum(count, p * w * N / K), "LI-TAB1c")

eq_2 = _section_2("(2), the objective", "F(w)", "=", mean(F_k), "LI-TRANS-a")
eq_3 = _section_2("(3), the local objective", "F_k(w)", "=", StepSum(loss, Str("j=1"), Str("n_k")) / n, "LI-MIX")
mixture = _section_2("the overall distribution", r"\mathcal{D}", "=", mean(D_k), "LI-MIX")
local_update = _section_2("local update", "w_{t+1}^k", "=", w - eta * g_noisy, "LI-A1-VIRT.1")
full_aggregation = _section_2("aggregation, all devices", "w_{t+E}", "=", mean(w), "LI-A1-VIRT.1")
total_weight = _section_2(
    "expected total weight of a cohort", Expect(N / K * CohortSum(count, p)), "=", 1, "LI-NKP", COHORT
)
communications = _section_2(
    "communications in T iterations",
    r"\#\text{communications}",
    "=",
    sp.floor(2 * T / E),
    "LI-COMM",
    repaired_by="LI-COMM[2T/E with E dividing T]",
)

assumption_1 = _section_3("Assumption 1", f_v, "<=", f_w + Inner(y - x, g_w) + L / 2 * NormSq(y - x), "LI-ASM-EX")
assumption_2 = _section_3(
    "Assumption 2", f_v, ">=", f_w + Inner(y - x, g_w) + mu / 2 * NormSq(y - x), "LI-ASM-EX", "LI-ASM24"
)
assumption_3 = _section_3("Assumption 3", Expect(NormSq(g_noisy - g)), "<=", variance, "LI-LEM2")
assumption_4 = _section_3("Assumption 4", Expect(NormSq(g_noisy)), "<=", G**2, "LI-ASM24")
heterogeneity = _section_3("degree of non-iid", Gamma, "=", Fstar - mean(f_min), "LI-GAM0")
heterogeneity_sign = _section_3("Gamma is nonnegative", Fstar - mean(f_min), ">=", 0, "LI-GAM0")
heterogeneity_iid = _section_3("iid data, many samples", r"\Gamma", "->", 0, "LI-GAMIID")
heterogeneity_non_iid = _section_3("non-iid data", r"\Gamma", "!=", 0, "LI-GAMNON", repaired_by="LI-GAMNON-R1")
heterogeneity_repaired = _section_3(
    "Gamma against the distances of the minimisers (repaired)",
    Fstar - mean(f_min),
    ">=",
    mean(mu / 2 * NormSq(wstar - sp.Symbol("w_min"))),
    "LI-GAMNON-R1",
    CONVEX,
)
