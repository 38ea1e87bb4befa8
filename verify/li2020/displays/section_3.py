"""Displays of Sections 3.2 to 3.4 and 4 and of Appendix D of Li et al. (2020), beside the theorems themselves."""

import sympy as sp
from sympy.core.symbol import Str

from fltheory.theory.conditions import Condition
from fltheory.theory.li2020.theorems import G2, B, C_scheme_i, C_scheme_ii, K, L, N, V, gamma, mu, theorem_3
from fltheory.theory.notation import ClientSum, Extreme, Norm, NormSq, StepSum
from verify.li2020.discussion import bounds as discussion
from verify.li2020.discussion.bounds import E, Gamma, T, dominating_term, eps, kappa, rounds_to_accuracy
from verify.li2020.displays.notation import displays, mean, n, nu, p, sigma, varsigma

_theorem = displays("Section 3.2")
_scheme = displays("Section 3.3")
_section_34 = displays("Section 3.4")
_section_4 = displays("Section 4")
_appendix_d = displays("Appendix D")
eta, t, F_k, wstar, w0, T_eps, eta_0, loss, lam, w = sp.symbols(
    "eta_c t F_k wstar w_start T_eps start loss lambda_ w_model"
)
G = sp.Symbol("G")
_ACCURACY = Condition("the iterate first is epsilon-accurate at step T_epsilon")

eq_5 = _theorem("(5), the constant B", "B", "=", B, "LI-THM1", "LI-BGGC")
shift = _theorem("gamma", r"\gamma", "=", gamma, "LI-THM1", "LI-IND0")
step_size = _theorem("step size of Theorems 1 to 3", r"\eta_t", "=", 2 / (mu * (gamma + t)), "LI-THM1")
constant_c_scheme_i = _scheme("the constant C of Theorem 2", "C", "=", C_scheme_i, "LI-THM2", "LI-BGGC")
constant_c_scheme_ii = _scheme("the constant C of Theorem 3", "C", "=", C_scheme_ii, "LI-THM3", "LI-BGGC")

_p_max, _p_min = Extreme(p, Str("max")), Extreme(p, Str("min"))
scaled_objective = _scheme("scaled local objective", r"\tilde F_k(w)", "=", p * N * F_k, "LI-TRANS-a")
scaled_average = _scheme(
    "the objective as a plain average", mean(F_k), "=", ClientSum(p * N * F_k) / N, "LI-TRANS-a", "LI-TRANS-ALG"
)
largest_weight = _scheme("nu", r"\nu", "=", N * _p_max, "LI-TRANS-b", "LI-SCHCMP")
smallest_weight = _scheme("varsigma", r"\varsigma", "=", N * _p_min, "LI-TRANS-c", "LI-SCHCMP")
scaled_smoothness = _scheme("smoothness after scaling", r"\tilde L", "=", nu * L, "LI-TRANS-b")
scaled_convexity = _scheme("strong convexity after scaling", r"\tilde\mu", "=", varsigma * mu, "LI-TRANS-c")
scaled_deviation = _scheme(
    "standard deviation after scaling",
    r"\tilde\sigma_k",
    "=",
    sp.sqrt(nu) * sigma,
    "LI-TRANS-d",
    repaired_by="LI-TRANS-d-R1",
)
scaled_deviation_repaired = _scheme(
    "standard deviation after scaling (repaired)", p * N * sigma, "<=", N * _p_max * sigma, "LI-TRANS-d-R1"
)
scaled_gradient = _scheme(
    "gradient bound after scaling", r"\tilde G", "=", sp.sqrt(nu) * G, "LI-TRANS-e", repaired_by="LI-TRANS-e-R1"
)
scaled_gradient_repaired = _scheme("gradient bound after scaling (repaired)", r"\tilde G", "=", nu * G, "LI-TRANS-e-R1")
transformed_theorem_3 = _scheme(
    "Theorem 3 for the transformed problem",
    r"\mathbb{E}F(w_T)-F^*",
    "<=",
    theorem_3.expression.subs({L: nu * L, mu: varsigma * mu, G2: nu * G2, V: nu * sigma**2 / N}, simultaneous=True),
    "LI-TRANS-f",
    Condition("sigma_k = sigma for every client"),
    Condition("1 <= K <= N", sp.And(K >= 1, K <= N)),
    Condition("N >= 2", sp.Ge(N, 2)),
)

start = _section_34(
    "distance of the start",
    NormSq(w0 - wstar),
    "<=",
    4 * G2 / mu**2,
    "LI-W0",
    Condition("F is mu-strongly convex"),
    Condition("E|grad F_k(w_0, xi)|^2 <= G^2 (not printed for t = 0)"),
)
dominating_term_repaired = _section_34(
    "(7) with the factor kappa (repaired)",
    r"\text{dominating term of (6)}",
    "O",
    kappa * dominating_term.expression,
    "LI-EQ7-R1",
)
footnote_7 = _section_34("footnote 7", r"\gamma", "O", kappa + E, "LI-FN7")
rounds_repaired = _section_34(
    "(8) with its factors (repaired)",
    r"T_\epsilon/E",
    "<=",
    16 * kappa / (discussion.mu * eps) * rounds_to_accuracy.expression,
    "LI-EQ8-R1",
    _ACCURACY,
)
rounds_fall_first = _section_34(
    "(8) falls from E = 1 to 2 (hypothesis not printed)",
    discussion.V + discussion.L * Gamma + kappa * discussion.G2,
    ">=",
    2 * (1 + 1 / discussion.K) * discussion.G2,
    "LI-EQ8-U",
)
largest_e = _section_34(
    "largest admissible number of local steps",
    r"E_{\max}",
    "Omega",
    sp.sqrt(T),
    "LI-SQRTT.2",
    repaired_by="LI-SQRTT.2-R1",
)
largest_e_iid = _section_34("local steps for iid data", "E", "O", sp.sqrt(T), "LI-STICHIID")

theorem_4 = _section_4(
    "Theorem 4",
    r"\|\tilde w^*-w^*\|_2",
    "Omega",
    (E - 1) * eta * Norm(wstar),
    "LI-THM4",
    "LI-THM4-CONST",
    Condition("E > 1", E > 1),
    Condition("eta constant and small, exact gradients, the example of C.1"),
)
khaled = _section_4("neighbourhood of local gradient descent", r"\|\tilde w^*-w^*\|^2", "O", eta**2 * E**2, "LI-KHALED")

rounds_in_appendix = _appendix_d(
    "required rounds",
    T_eps / E,
    "~",
    rounds_to_accuracy.expression,
    "LI-D2-TE",
    "LI-EQ8-LARGE",
    _ACCURACY,
    Condition("T is sufficiently large"),
    repaired_by="LI-EQ8-R1",
)
best_rounds = _appendix_d(
    "required rounds at the best E",
    r"T_\epsilon/E^*",
    "O",
    G * sp.sqrt(discussion.V + discussion.L * Gamma + kappa * G**2),
    "LI-EOPT.1",
)
term_with_k = _appendix_d(
    r"the term with K",
    r"\text{part of } T_\epsilon/E \text{ with } K",
    "O",
    E * discussion.G2 / discussion.K,
    "LI-KTERM",
)
objective = _appendix_d(
    "objective of the experiments", "F(w)", "=", StepSum(loss, Str("i=1"), Str("n")) / n + lam * NormSq(w), "LI-SETUP"
)
step_sizes = _appendix_d("step sizes of the experiments", r"\eta_t", "=", eta_0 / (1 + t), "LI-SETUP")
annealing = _appendix_d(
    "step sizes of Figure 2b", r"\eta_t", "=", sp.Rational(1, 5) / (5 + t * sp.Symbol("a")), "LI-FIG2"
)
