"""The second half of the proof of Lemma 1 of Li et al. (2020): gamma_t, C and D, up to 6 L eta^2 Gamma plus the drift.

Every display is a form of the generic client, averaged by mean and deviation.  The line after the bound of D
("Therefore, C = ...") is printed with "=" and is an inequality.
"""

from dataclasses import replace

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import algebra_claim, identity_claim, inequality_claim, run_script
from fltheory.evidence.relations import Relations
from verify.li2020.displays import lemma_1 as shown
from verify.li2020.one_step_checks import ProvedDisplay, printed_as_equal, step
from verify.li2020.symbols import GAMMA_T, Gamma, L, eta, f, f_bar, f_min, f_star, g_bar, mu, w, wbar, wstar

STEP = w - wbar
ONE = sp.Integer(1)

li_gamt = statement_of_algebra(
    "LI-GAMT",
    Relations(
        "eta <= gamma <= 2*eta for L > 0; 0 <= eta <= 1/(4*L); gamma = 2*eta*(1 - 2*L*eta)",
        names={"eta": r"\eta_t", "gamma": r"\gamma_t"},
    ),
    false={
        "steps up to 1.01/(4L)": ("1/(4*L)", "101/(400*L)"),
        "upper bound 1.98 eta_t (2 is sharp for eta_t -> 0)": ("<= 2*eta for", "<= 99/50*eta for"),
    },
    group=algebra_claim,
    headline="The auxiliary step of the proof is between one and two times the real one",
    source="Appendix A.4, definition of gamma_t",
    summary="gamma_t lies between eta_t and 2 eta_t.",
)

li_c1 = step(
    "LI-C1",
    ProvedDisplay(shown.c_first, false={"1 - 2L eta -> 1 - 2.02 L eta": L * eta**2 * (f - f_min) / 25}),
    group=identity_claim,
    source="Appendix A.4, first line of C",
    summary="C is rewritten around the local minima.",
)

# uses sum p_k F_k(w*) = F*
li_c2 = step(
    "LI-C2",
    ProvedDisplay(shown.c_second),
    ProvedDisplay(shown.c_third, false={"4L -> 4.04 L": L * eta**2 * Gamma / 25}),
    ProvedDisplay(shown.gamma_average),
    group=identity_claim,
    source="Appendix A.4, second and third line of C",
    summary="C is rewritten around F*, with Gamma.",
)

# of A2 convexity alone is used
li_d1 = step(
    "LI-D1..D3.1",
    ProvedDisplay(shown.d_split, false={"F_k(w*) - F* in place of F_k(wbar) - F*": f_star - f_bar}),
    ProvedDisplay(
        shown.d_convexity,
        {"A2 at the average": 1},
        [(mu / 2, STEP)],
        {"with (L/100)/2 |w^k - wbar|^2 added below (mu = 0 allows none)": L / 200 * STEP**2},
    ),
    group=inequality_claim,
    headline="A convex client loss lies above its tangent at the average",
    source="Appendix A.4, bound of D, first inequality",
    assumptions=("A2",),
    summary="The first inequality is convexity of F_k at the average.",
)

# equality one gradient step away from the average
li_d2 = step(
    "LI-D1..D3.2",
    ProvedDisplay(
        shown.d_am_gm,
        squares=[(ONE / (2 * eta), STEP + eta * g_bar)],
        false={"1/2 -> 0.495": (eta * g_bar**2 + STEP**2 / eta) / 200},
    ),
    group=inequality_claim,
    source="Appendix A.4, bound of D, second inequality",
    summary="The inner products are bounded by AM-GM with weight eta.",
)

li_d3 = step(
    "LI-D1..D3.3",
    ProvedDisplay(
        shown.d_smoothness, {"(16) at u": eta / 2}, false={"eta L -> 0.99 eta L": eta * L * (f_bar - f_min) / 100}
    ),
    group=inequality_claim,
    source="Appendix A.4, bound of D, third inequality",
    assumptions=("A1",),
    summary="The third inequality is (16) at the average.",
)

#: The two sides differ by gamma_t times the three inequalities of the bound of D.
_NO_DRIFT = -GAMMA_T / (2 * eta) * STEP**2
INSERTED = ProvedDisplay(
    shown.c_inserted_repaired,
    {"A2 at the average": GAMMA_T, "(16) at u": GAMMA_T * eta / 2},
    [(GAMMA_T / (2 * eta), STEP + eta * g_bar), (GAMMA_T * mu / 2, STEP)],
    {"without the drift term": _NO_DRIFT},
)

li_c3 = printed_as_equal(
    "LI-C3",
    shown.c_inserted,
    replace(INSERTED, false={"<= without the drift term": _NO_DRIFT}),
    group=identity_claim,
    fault="slip",
    source="Appendix A.4, 'Therefore, C = ...'",
    repair="LI-C3-R1",
    headline="An equality in the proof of the one-step lemma is only an inequality",
    summary="Printed as an equality; the bound of D makes it an inequality.",
    assumptions=("A1", "A2"),
)

li_c3_r1 = step(
    "LI-C3-R1",
    INSERTED,
    group=inequality_claim,
    headline="The line of the one-step proof with an inequality sign, all that the proof needs",
    source="Appendix A.4, 'Therefore, C = ...', repaired",
    summary="The line with <= in place of =, which is all that the proof uses.",
    assumptions=("A1", "A2"),
)

# uses sum p_k F_k* = F* - Gamma
li_c4 = step(
    "LI-C4",
    ProvedDisplay(shown.c_collected, false={"gamma_t eta L Gamma -> 1.01 of it": GAMMA_T * eta * L * Gamma / 100}),
    group=identity_claim,
    source="Appendix A.4, line after 'Therefore, C = ...'",
    summary="The terms are collected.",
)

_SURPLUS = GAMMA_T * (1 - eta * L)
li_c5 = step(
    "LI-C5",
    ProvedDisplay(
        shown.c_final,
        {"F(wbar) >= F*": _SURPLUS, "F_k(w*) >= F_k*": 2 * L * eta**2 - GAMMA_T * eta * L},
        [(1 - GAMMA_T / (2 * eta), STEP), (_SURPLUS * mu / 2, wbar - wstar)],
        {
            "6 -> 5.94 (6 is sharp for eta -> 0)": -3 * L * eta**2 * Gamma / 50,
            "drift coefficient 1 -> 0.99 (1 is sharp for eta -> 0)": -(STEP**2) / 100,
            "(0.7575) gamma_t (F(wbar) - F*) subtracted on the right (eta L - 1 <= -3/4 allows 0.75)": -303
            * GAMMA_T
            * shown.excess
            / 400,
        },
    ),
    group=inequality_claim,
    headline="Short steps turn the rest of the one-step proof into heterogeneity and drift",
    source="Appendix A.4, last line of the bound of C",
    summary="The last line follows from eta L - 1 <= -3/4, 4L eta^2 + gamma_t eta L <= 6 L eta^2 and gamma_t/(2 eta) "
    "<= 1.",
    assumptions=("eta_t <= 1/(4L)",),
)


if __name__ == "__main__":
    run_script(__file__)
