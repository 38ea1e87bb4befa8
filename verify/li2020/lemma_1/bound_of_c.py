"""The second half of the proof of Lemma 1 of Li et al. (2020): gamma_t, C and D, up to 6 L eta^2 Gamma plus the drift.

Every display is a form of the generic client, averaged by mean and deviation.  The line after the bound of D
("Therefore, C = ...") is printed with "=" and is an inequality.
"""

from fractions import Fraction
from operator import itemgetter

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.decide import decide
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import algebra_claim, identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.proofs import Open, nonnegative_on
from verify.li2020 import one_step_checks as checks
from verify.li2020 import symbols
from verify.li2020.displays import lemma_1 as displays_lemma_1
from verify.li2020.displays.lemma_1 import c_collected, c_final, c_first, c_inserted, c_second, form, gamma_average
from verify.li2020.lemma_1.steps import not_equal
from verify.li2020.symbols import GAMMA_T, Fbar, Fstar, Gamma, L, dw, eta, f, f_bar, f_min, g_bar, w, wbar

STEP = w - wbar
EXCESS = Fbar - Fstar
C = form(displays_lemma_1.C)
ONE = sp.Integer(1)


@algebra_claim(
    "LI-GAMT",
    headline="The auxiliary step of the proof is between one and two times the real one",
    source="Appendix A.4, definition of gamma_t",
    statement=rf"\gamma_t={sp.latex(GAMMA_T)},\quad\eta_t\le\gamma_t\le2\eta_t\quad(\eta_t\le\tfrac1{{4L}})",
    summary="gamma_t lies between eta_t and 2 eta_t.",
    printed=dict(largest_step="1/4", upper="2"),
    controls=[
        Control("steps up to 1.01/(4L)", dict(largest_step="101/400")),
        Control("upper bound 1.98 eta_t (2 is sharp for eta_t -> 0)", dict(upper="99/50")),
    ],
)
def li_gamt(largest_step: str, upper: str) -> Evidence:
    """Signs on the range, and steps in it as instances (L = 1)."""
    top = Fraction(largest_step)
    ranges = ((L, Open(0), None), (eta, 0, sp.Rational(largest_step) / L))
    low, high = GAMMA_T - eta, sp.Rational(upper) * eta - GAMMA_T
    cases = []
    for step in (top / 250, top / 2, top):
        gamma = Fraction(str(GAMMA_T.subs({L: 1, eta: sp.Rational(step.numerator, step.denominator)})))
        at = f"at L = 1, eta_t = {step}"
        cases.append((f"eta_t <= gamma_t {at}", step, gamma))
        cases.append((f"gamma_t <= {upper} eta_t {at}", gamma, Fraction(upper) * step))
    found = search(cases, lambda case: case[1:], describe=itemgetter(0))
    return decide(
        (nonnegative_on(low, ranges) and nonnegative_on(high, ranges), "a sign is not shown"),
        found,
        method="nonnegative coefficients after substituting the range",
        valid_for="L > 0, 0 <= eta_t <= 1/(4L)",
        certificate={"lower": certificates.nonnegative(low, ranges), "upper": certificates.nonnegative(high, ranges)},
    )


@identity_claim(
    "LI-C1",
    source="Appendix A.4, first line of C",
    statement=c_first,
    summary="C is rewritten around the local minima.",
    printed=dict(factor="2"),
    controls=[Control("1 - 2L eta -> 1 - 2.02 L eta", dict(factor="101/50"))],
)
def li_c1(factor: str) -> Evidence:
    """Expansion."""
    c = sp.Rational(factor)
    right = form(c_first.expression) + 2 * (c - 2) * L * eta**2 * (f - f_min)
    return checks.averaged_identity(form(c_first.left), right)


@identity_claim(
    "LI-C2",
    source="Appendix A.4, second and third line of C",
    statement=(c_second, r",\quad ", displays_lemma_1.c_third, r",\quad ", gamma_average),
    summary="C is rewritten around F*, with Gamma.",
    printed=dict(gamma="4"),
    controls=[Control("4L -> 4.04 L", dict(gamma="101/25"))],
)
def li_c2(gamma: str) -> Evidence:
    """Both equalities, and the two forms of Gamma; uses sum p_k F_k(w*) = F*."""
    c = sp.Rational(gamma)
    second = form(c_second.expression)
    third = form(displays_lemma_1.c_third.expression) + (c - 4) * L * eta**2 * Gamma
    forms = form(gamma_average.left), form(gamma_average.expression)
    return checks.averaged_identity(C, third, (C, second), forms)


def line_of_d(number: int) -> sp.Expr:
    """Lower bounds of sum p_k (F_k(w^k) - F*) as forms of the generic client: after convexity, AM-GM and (16)."""
    later = (displays_lemma_1.d_convexity, displays_lemma_1.d_am_gm, displays_lemma_1.d_smoothness)
    return form([displays_lemma_1.d_split.left, *(display.expression for display in later)][number])


@inequality_claim(
    "LI-D1..D3.1",
    headline="A convex client loss lies above its tangent at the average",
    source="Appendix A.4, bound of D, first inequality",
    assumptions=("A2",),
    statement=(displays_lemma_1.d_split, r",\quad ", displays_lemma_1.d_convexity),
    summary="The first inequality is convexity of F_k at the average.",
    printed=dict(modulus="0", through="average"),
    controls=[
        Control("with (L/100)/2 |w^k - wbar|^2 added below (mu = 0 allows none)", dict(modulus="1/100")),
        Control("second sum at w* instead of the average", dict(through="optimum")),
    ],
)
def li_d1(modulus: str, through: str) -> Evidence:
    """The split through F_k(wbar), and A2, of which convexity alone is used."""
    c = sp.Rational(modulus)
    split = (f - f_bar) + ({"average": f_bar, "optimum": symbols.f_star}[through] - Fstar)
    first = checks.averaged_identity(line_of_d(0), split)
    second = checks.averaged_inequality(
        line_of_d(1) + c * L / 2 * STEP**2,
        line_of_d(0),
        facts={"A2 at the average": 1},
        squares=[(symbols.mu / 2 - c * L / 2, dw)],
    )
    return checks.all_of(first, second)


@inequality_claim(
    "LI-D1..D3.2",
    source="Appendix A.4, bound of D, second inequality",
    statement=displays_lemma_1.d_am_gm,
    summary="The inner products are bounded by AM-GM with weight eta.",
    printed=dict(half="1/2"),
    controls=[Control("1/2 -> 0.495", dict(half="99/200"))],
)
def li_d2(half: str) -> Evidence:
    """A completed square; equality one gradient step away from the average."""
    c = sp.Rational(half)
    lower = -c * (eta * g_bar**2 + STEP**2 / eta) + EXCESS
    more = c - sp.Rational(1, 2)
    squares = [(ONE / (2 * eta), STEP + eta * g_bar), (more / eta, STEP), (more * eta, g_bar)]
    return checks.averaged_inequality(lower, line_of_d(1), squares=squares)


@inequality_claim(
    "LI-D1..D3.3",
    source="Appendix A.4, bound of D, third inequality",
    assumptions=("A1",),
    statement=displays_lemma_1.d_smoothness,
    summary="The third inequality is (16) at the average.",
    printed=dict(smooth="1"),
    controls=[Control("eta L -> 0.99 eta L", dict(smooth="99/100"))],
)
def li_d3(smooth: str) -> Evidence:
    """(16) with multiplier eta/2."""
    c = sp.Rational(smooth)
    lower = line_of_d(3) - (c - 1) * eta * L * (f_bar - f_min)
    facts = {"(16) at u": eta / 2, "F_k(wbar) >= F_k*": (c - 1) * eta * L}
    return checks.averaged_inequality(lower, line_of_d(2), facts=facts)


def after_d(drift: sp.Expr) -> sp.Expr:
    """The first line of the display "Therefore, C ..."."""
    return form(c_inserted.expression) + (drift - 1) * GAMMA_T / (2 * eta) * STEP**2


def compare_c(relation: str, drift: str) -> Evidence:
    """C against that line; their difference is gamma_t times the three inequalities of the bound of D."""
    c = sp.Rational(drift)
    if relation == "=":
        return not_equal(C, after_d(c))
    return checks.averaged_inequality(
        C,
        after_d(c),
        facts={"A2 at the average": GAMMA_T, "(16) at u": GAMMA_T * eta / 2},
        squares=[
            (GAMMA_T / (2 * eta), STEP + eta * g_bar),
            (GAMMA_T * (c - 1) / (2 * eta) + GAMMA_T * symbols.mu / 2, STEP),
        ],
    )


li_c3 = identity_claim(
    "LI-C3",
    fault="slip",
    source="Appendix A.4, 'Therefore, C = ...'",
    repair="LI-C3-R1",
    statement=c_inserted,
    headline="An equality in the proof of the one-step lemma is only an inequality",
    summary="Printed as an equality; the bound of D makes it an inequality.",
    assumptions=("A1", "A2"),
    printed=dict(relation="=", drift="1"),
    controls=[
        Control("= read as <=", dict(relation="<="), must="pass"),
        Control("<= without the drift term", dict(relation="<=", drift="0")),
    ],
)(compare_c)

li_c3_r1 = inequality_claim(
    "LI-C3-R1",
    headline="The line of the one-step proof with an inequality sign, all that the proof needs",
    source="Appendix A.4, 'Therefore, C = ...', repaired",
    statement=displays_lemma_1.c_inserted_repaired,
    summary="The line with <= in place of =, which is all that the proof uses.",
    assumptions=("A1", "A2"),
    printed=dict(relation="<=", drift="1"),
    controls=[Control("without the drift term", dict(drift="0"))],
)(compare_c)


@identity_claim(
    "LI-C4",
    source="Appendix A.4, line after 'Therefore, C = ...'",
    statement=c_collected,
    summary="The terms are collected.",
    printed=dict(gamma="1"),
    controls=[Control("gamma_t eta L Gamma -> 1.01 of it", dict(gamma="101/100"))],
)
def li_c4(gamma: str) -> Evidence:
    """Expansion, with sum p_k F_k* = F* - Gamma."""
    changed = form(c_collected.expression) + (sp.Rational(gamma) - 1) * GAMMA_T * eta * L * Gamma
    return checks.averaged_identity(after_d(ONE), changed)


@inequality_claim(
    "LI-C5",
    headline="Short steps turn the rest of the one-step proof into heterogeneity and drift",
    source="Appendix A.4, last line of the bound of C",
    statement=c_final,
    summary="The last line follows from eta L - 1 <= -3/4, 4L eta^2 + gamma_t eta L <= 6 L eta^2 and gamma_t/(2 eta) "
    "<= 1.",
    assumptions=("eta_t <= 1/(4L)",),
    printed=dict(gamma="6", drift="1", excess="0"),
    controls=[
        Control("6 -> 5.94 (6 is sharp for eta -> 0)", dict(gamma="297/50")),
        Control("drift coefficient 1 -> 0.99 (1 is sharp for eta -> 0)", dict(drift="99/100")),
        Control(
            "(0.7575) gamma_t (F(wbar) - F*) subtracted on the right (eta L - 1 <= -3/4 allows 0.75)",
            dict(excess="303/400"),
        ),
    ],
)
def li_c5(gamma: str, drift: str, excess: str) -> Evidence:
    """The three facts as multipliers; ``excess`` is how much of gamma_t (F(wbar) - F*) is kept on the right."""
    g, c, n = sp.Rational(gamma), sp.Rational(drift), sp.Rational(excess)
    left = form(c_final.left)
    surplus = GAMMA_T * (1 - eta * L - n)
    facts = {"F(wbar) >= F*": surplus, "F_k(w*) >= F_k*": g * L * eta**2 - 4 * L * eta**2 - GAMMA_T * eta * L}
    changes = (g - 6) * L * eta**2 * Gamma + (c - 1) * STEP**2 - n * GAMMA_T * EXCESS
    right = form(c_final.expression) + changes
    squares = [(c - GAMMA_T / (2 * eta), STEP), (surplus * symbols.mu / 2, wbar - symbols.wstar)]
    return checks.averaged_inequality(left, right, facts=facts, squares=squares)


if __name__ == "__main__":
    run_script(__file__)
