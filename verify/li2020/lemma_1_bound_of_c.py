"""The second half of the proof of Lemma 1 of Li et al. (2020): gamma_t, C and D, up to 6 L eta^2 Gamma plus the drift.

Every display is a form of the generic client, averaged by mean and deviation.  The line after the bound of D
("Therefore, C = ...") is printed with "=" and is an inequality.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence import one_step_checks as checks
from fltheory.evidence.exact_search import conclude, search
from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.theory.li2020 import appendix_a as a
from fltheory.theory.li2020 import displays_lemma_1 as d
from fltheory.theory.proofs import Open, nonnegative_on

STEP = a.w - a.wbar
EXCESS = a.Fbar - a.Fstar
C = d.form(d.C)
ONE = sp.Integer(1)
CONVEXITY = a.convexity(a.w, a.f, a.wbar, a.f_bar, a.g_bar, modulus=sp.Integer(0))


@claim(
    "LI-GAMT",
    kind=Kind.ALGEBRA,
    scope=Scope.GENERAL,
    source="Appendix A.4, definition of gamma_t",
    statement=rf"\gamma_t={sp.latex(a.GAMMA_T)},\quad\eta_t\le\gamma_t\le2\eta_t\quad(\eta_t\le\tfrac1{{4L}})",
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
    ranges = ((a.L, Open(0), None), (a.eta, 0, sp.Rational(largest_step) / a.L))
    low, high = a.GAMMA_T - a.eta, sp.Rational(upper) * a.eta - a.GAMMA_T
    proved = nonnegative_on(low, ranges) and nonnegative_on(high, ranges)

    def gamma(step: Fraction) -> Fraction:
        return Fraction(str(a.GAMMA_T.subs({a.L: 1, a.eta: sp.Rational(step.numerator, step.denominator)})))

    steps = [top / 250, top / 2, top]
    cases = [("eta_t <= gamma_t", s, s, gamma(s)) for s in steps]
    cases += [(f"gamma_t <= {upper} eta_t", s, gamma(s), Fraction(upper) * s) for s in steps]
    found = search(cases, lambda case: case[2:], describe=lambda case: f"{case[0]} at L = 1, eta_t = {case[1]}")
    return conclude(
        (proved, "a sign is not shown"),
        found,
        method="nonnegative coefficients after substituting the range",
        valid_for="L > 0, 0 <= eta_t <= 1/(4L)",
        certificate={"lower": certificates.nonnegative(low, ranges), "upper": certificates.nonnegative(high, ranges)},
    )


@claim(
    "LI-C1",
    kind=Kind.IDENTITY,
    scope=Scope.GENERAL,
    source="Appendix A.4, first line of C",
    statement=d.c_first.latex(),
    summary="C is rewritten around the local minima.",
    printed=dict(factor="2"),
    controls=[Control("1 - 2L eta -> 1 - 2.02 L eta", dict(factor="101/50"))],
)
def li_c1(factor: str) -> Evidence:
    """Expansion."""
    c = sp.Rational(factor)
    right = d.form(d.c_first.expression) + 2 * (c - 2) * a.L * a.eta**2 * (a.f - a.f_min)
    return checks.averaged_identity(d.form(d.c_first.left), right)


@claim(
    "LI-C2",
    kind=Kind.IDENTITY,
    scope=Scope.GENERAL,
    source="Appendix A.4, second and third line of C",
    statement=rf"{d.c_second.latex()},\quad {d.c_third.latex()},\quad {d.gamma_average.latex()}",
    summary="C is rewritten around F*, with Gamma.",
    printed=dict(gamma="4"),
    controls=[Control("4L -> 4.04 L", dict(gamma="101/25"))],
)
def li_c2(gamma: str) -> Evidence:
    """Both equalities, and the two forms of Gamma; uses sum p_k F_k(w*) = F*."""
    c = sp.Rational(gamma)
    second = d.form(d.c_second.expression)
    third = d.form(d.c_third.expression) + (c - 4) * a.L * a.eta**2 * a.Gamma
    forms = d.form(d.gamma_average.left - d.gamma_average.expression)
    return checks.averaged_identity(C, third, extra=(C - second, forms))


def line_of_d(number: int) -> sp.Expr:
    """Lower bounds of sum p_k (F_k(w^k) - F*) as forms of the generic client: after convexity, AM-GM and (16)."""
    first, later = d.d_split.left, (d.d_convexity, d.d_am_gm, d.d_smoothness)
    return d.form([first, *(display.expression for display in later)][number])


@claim(
    "LI-D1..D3.1",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    source="Appendix A.4, bound of D, first inequality",
    assumptions=("A2",),
    statement=rf"{d.d_split.latex()},\quad {d.d_convexity.latex()}",
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
    split = (a.f - a.f_bar) + ({"average": a.f_bar, "optimum": a.f_star}[through] - a.Fstar)
    first = checks.averaged_identity(line_of_d(0), split)
    second = checks.averaged_inequality(
        line_of_d(1) + c * a.L / 2 * STEP**2,
        line_of_d(0),
        premises={"A2": (ONE, a.convexity(a.w, a.f, a.wbar, a.f_bar, a.g_bar))},
        blocks=[(a.mu / 2 - c * a.L / 2, a.dw)],
    )
    return checks.all_of(first, second)


@claim(
    "LI-D1..D3.2",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    source="Appendix A.4, bound of D, second inequality",
    statement=d.d_am_gm.latex(),
    summary="The inner products are bounded by AM-GM with weight eta.",
    printed=dict(half="1/2"),
    controls=[Control("1/2 -> 0.495", dict(half="99/200"))],
)
def li_d2(half: str) -> Evidence:
    """A completed square; equality one gradient step away from the average."""
    c = sp.Rational(half)
    lower = -c * (a.eta * a.g_bar**2 + STEP**2 / a.eta) + EXCESS
    squares = [
        (ONE / (2 * a.eta), STEP + a.eta * a.g_bar),
        ((c - sp.Rational(1, 2)) / a.eta, STEP),
        ((c - sp.Rational(1, 2)) * a.eta, a.g_bar),
    ]
    return checks.averaged_inequality(lower, line_of_d(1), premises={}, squares=squares)


@claim(
    "LI-D1..D3.3",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    source="Appendix A.4, bound of D, third inequality",
    assumptions=("A1",),
    statement=d.d_smoothness.latex(),
    summary="The third inequality is (16) at the average.",
    printed=dict(smooth="1"),
    controls=[Control("eta L -> 0.99 eta L", dict(smooth="99/100"))],
)
def li_d3(smooth: str) -> Evidence:
    """(16) with multiplier eta/2."""
    c = sp.Rational(smooth)
    lower = line_of_d(3) - (c - 1) * a.eta * a.L * (a.f_bar - a.f_min)
    premises = {
        "(16) at the average": (a.eta / 2, a.gradient_bound(a.f_bar, a.g_bar)),
        "F_k >= F_k*": ((c - 1) * a.eta * a.L, a.f_bar - a.f_min),
    }
    return checks.averaged_inequality(lower, line_of_d(2), premises=premises)


def after_d(drift: sp.Expr) -> sp.Expr:
    """The first line of the display "Therefore, C ..."."""
    return d.form(d.c_inserted.expression) + (drift - 1) * a.GAMMA_T / (2 * a.eta) * STEP**2


def compare_c(relation: str, drift: str) -> Evidence:
    """C against that line; their difference is gamma_t times the three inequalities of the bound of D."""
    c = sp.Rational(drift)
    return checks.averaged_inequality(
        C,
        after_d(c),
        relation=relation,
        premises={
            "convexity": (a.GAMMA_T, CONVEXITY),
            "(16) at the average": (a.GAMMA_T * a.eta / 2, a.gradient_bound(a.f_bar, a.g_bar)),
        },
        squares=[(a.GAMMA_T / (2 * a.eta), STEP + a.eta * a.g_bar), (a.GAMMA_T * (c - 1) / (2 * a.eta), STEP)],
    )


@claim(
    "LI-C3",
    kind=Kind.IDENTITY,
    scope=Scope.GENERAL,
    source="Appendix A.4, 'Therefore, C = ...'",
    repair="LI-C3-R1",
    statement=d.c_inserted.latex(),
    summary="Printed as an equality; the bound of D makes it an inequality.",
    assumptions=("A1", "A2"),
    printed=dict(relation="=", drift="1"),
    controls=[
        Control("= read as <=", dict(relation="<="), must="pass"),
        Control("<= without the drift term", dict(relation="<=", drift="0")),
    ],
)
def li_c3(relation: str, drift: str) -> Evidence:
    """As printed."""
    return compare_c(relation, drift)


@claim(
    "LI-C3-R1",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    source="Appendix A.4, 'Therefore, C = ...', repaired",
    statement=d.c_inserted_repaired.latex(),
    summary="The line with <= in place of =, which is all that the proof uses.",
    assumptions=("A1", "A2"),
    printed=dict(relation="<=", drift="1"),
    controls=[Control("without the drift term", dict(drift="0"))],
)
def li_c3_r1(relation: str, drift: str) -> Evidence:
    """Repaired."""
    return compare_c(relation, drift)


@claim(
    "LI-C4",
    kind=Kind.IDENTITY,
    scope=Scope.GENERAL,
    source="Appendix A.4, line after 'Therefore, C = ...'",
    statement=d.c_collected.latex(),
    summary="The terms are collected.",
    printed=dict(gamma="1"),
    controls=[Control("gamma_t eta L Gamma -> 1.01 of it", dict(gamma="101/100"))],
)
def li_c4(gamma: str) -> Evidence:
    """Expansion, with sum p_k F_k* = F* - Gamma."""
    changed = d.form(d.c_collected.expression) + (sp.Rational(gamma) - 1) * a.GAMMA_T * a.eta * a.L * a.Gamma
    return checks.averaged_identity(after_d(ONE), changed)


@claim(
    "LI-C5",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    source="Appendix A.4, last line of the bound of C",
    statement=d.c_final.latex(),
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
    left = d.form(d.c_final.left)
    premises = {
        "F(wbar) >= F*": (a.GAMMA_T * (1 - a.eta * a.L - n), EXCESS),
        "Gamma >= 0": (g * a.L * a.eta**2 - 4 * a.L * a.eta**2 - a.GAMMA_T * a.eta * a.L, a.Gamma),
    }
    changes = (g - 6) * a.L * a.eta**2 * a.Gamma + (c - 1) * STEP**2 - n * a.GAMMA_T * EXCESS
    right = d.form(d.c_final.expression) + changes
    return checks.averaged_inequality(left, right, premises=premises, squares=[(c - a.GAMMA_T / (2 * a.eta), STEP)])


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
