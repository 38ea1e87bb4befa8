"""The steps (14) to (19) of the proof of Lemma 1 of Li et al. (2020), and the display that combines them.

Identities and inequalities for any number of clients: forms of the generic client, averaged by mean and deviation.
The display after (19) joins two lines by "=" that are joined by "<=": the drop of the deviations in the strong
convexity term and a second use of (16) are inequalities.
"""

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Side, Witness
from verify.li2020 import one_step_checks as checks
from verify.li2020.derivations.moment import follows
from verify.li2020.displays import lemma_1 as displays_lemma_1
from verify.li2020.displays.lemma_1 import A2, b_1_average, combined, eq_14, eq_15, eq_16, eq_17, eq_18, eq_19, form
from verify.li2020.symbols import (
    Fbar,
    Fstar,
    Gamma,
    L,
    dg,
    dw,
    eta,
    f,
    f_bar,
    f_min,
    f_star,
    g,
    g_bar,
    gbar,
    mu,
    noise,
    w,
    wbar,
    wstar,
)


@identity_claim(
    "LI-EQ14",
    headline="The squared distance after a step: without noise, a term of mean zero, and noise",
    source="eq. (14)",
    statement=(eq_14, r",\quad ", displays_lemma_1.cross_term),
    summary="The squared distance after the step splits into A1, a cross term of mean zero and the noise.",
    assumptions=("E[g_t | past] = gbar_t",),
    printed=dict(cross=2, noise_mean="0"),
    controls=[
        Control("cross term 2 -> -2", dict(cross=-2)),
        Control("stochastic gradients biased", dict(noise_mean="1/3")),
    ],
)
def li_eq14(cross: int, noise_mean: str) -> Evidence:
    """Expansion, and the mean over the samples; a bias is a share of wbar."""
    shift = wbar * sp.sympify(noise_mean)
    sampled = {displays_lemma_1.vbar: wbar - eta * (gbar + noise), displays_lemma_1.g_t: gbar + noise}
    biased = {**sampled, displays_lemma_1.g_t: gbar + noise + shift}
    factor = sp.Rational(cross, 2)
    left, right = (form(x).subs(sampled) for x in (eq_14.left, eq_14.expression + (factor - 1) * A2))
    a2 = factor * form(A2).subs(biased)
    parts = [follows(left, right, relation="=", over=""), follows(a2, sp.Integer(0), relation="=", over="k xi")]
    # on the instances the noise takes the values z and -z with probability 1/2 each
    two_values = (a2 + a2.subs(noise, -noise)) / 2
    found = [checks.averaged_search(*both, relation="=") for both in ((left, right), (two_values, sp.Integer(0)))]
    return by_derivation(parts, min(found, key=lambda result: result.worst), valid_for="every N, p, dimension")


@identity_claim(
    "LI-EQ15",
    source="eq. (15)",
    statement=eq_15,
    summary="The square A1 is expanded.",
    printed=dict(cross=-2),
    controls=[Control("-2 -> -1", dict(cross=-1))],
)
def li_eq15(cross: int) -> Evidence:
    """Expansion."""
    changed = eq_15.expression - (1 + sp.Rational(cross, 2)) * displays_lemma_1.B1
    return checks.averaged_identity(form(eq_15.left), form(changed))


@inequality_claim(
    "LI-EQ16",
    source="eq. (16)",
    statement=eq_16,
    summary="The squared gradient is at most 2L times the excess value.",
    assumptions=("A1", "F_k bounded below"),
    printed=dict(coefficient="2"),
    controls=[Control("2L -> 1.98 L (2 is sharp)", dict(coefficient="99/50"))],
)
def li_eq16(coefficient: str) -> Evidence:
    """Smoothness between w and w - grad/L; equality for F_k = L/2 |w|^2."""
    c = sp.Rational(coefficient)
    facts = {"(16) at w": 1, "F_k(w) >= F_k*": (c - 2) * L}
    return checks.client_inequality(form(eq_16.left), c / 2 * form(eq_16.expression), facts=facts)


@inequality_claim(
    "LI-B2",
    headline="The squared averaged gradient is bounded by the clients' gaps to their own minima",
    source="Appendix A.4, bound of B_2",
    statement=(displays_lemma_1.b_2_convexity, r",\quad ", displays_lemma_1.b_2_smoothness),
    summary="B_2 is bounded by convexity of the squared norm, and then by (16).",
    assumptions=("A1",),
    printed=dict(jensen="1", smooth="2"),
    controls=[
        Control("first inequality with 0.99 in front of the sum", dict(jensen="99/100")),
        Control("2L -> 1.98 L", dict(smooth="99/50")),
    ],
)
def li_b2(jensen: str, smooth: str) -> Evidence:
    """Jensen's inequality is the square of the deviations."""
    j, c = sp.Rational(jensen), sp.Rational(smooth)
    middle, squares = j * eta**2 * g**2, [(j * eta**2, dg), ((j - 1) * eta**2, gbar)]
    first = checks.averaged_inequality(eta**2 * gbar**2, middle, squares=squares)
    facts = {"(16) at w": j * eta**2, "F_k(w) >= F_k*": (c - 2 * j) * L * eta**2}
    return checks.all_of(first, checks.averaged_inequality(middle, c * L * eta**2 * (f - f_min), facts=facts))


@identity_claim(
    "LI-EQ17",
    source="eq. (17)",
    statement=(b_1_average, r",\quad ", eq_17),
    summary="The inner product is split through the local points.",
    printed=dict(second=-2),
    controls=[Control("second -2 -> 2", dict(second=2))],
)
def li_eq17(second: int) -> Evidence:
    """Both lines of (17)."""
    left, middle = form(b_1_average.left), form(eq_17.left)
    right = form(eq_17.expression) + (second + 2) * eta * (w - wstar) * g
    return checks.averaged_identity(left, right, (left, middle))


@inequality_claim(
    "LI-EQ18",
    source="eq. (18)",
    statement=eq_18,
    summary="The first inner product is bounded by Cauchy-Schwarz and AM-GM.",
    printed=dict(first="1"),
    controls=[Control("1/eta -> 0.99/eta", dict(first="99/100"))],
)
def li_eq18(first: str) -> Evidence:
    """A completed square."""
    c = sp.Rational(first)
    right = form(eq_18.expression + (c - 1) / eta * displays_lemma_1.drift)
    squares = [(1 / eta, wbar - w + eta * g), ((c - 1) / eta, wbar - w)]
    return checks.client_inequality(form(eq_18.left), right, squares=squares)


@inequality_claim(
    "LI-EQ19",
    headline="A gradient step's progress towards the minimiser, by strong convexity of each client",
    source="eq. (19)",
    statement=eq_19,
    summary="The second inner product is bounded by strong convexity of F_k between w^k and w*.",
    assumptions=("A2",),
    printed=dict(modulus="1"),
    controls=[Control("mu -> 1.01 mu", dict(modulus="101/100"))],
)
def li_eq19(modulus: str) -> Evidence:
    """A2 at the pair (w*, w^k)."""
    c = sp.Rational(modulus)
    right = form(eq_19.expression) - (c - 1) * mu / 2 * (w - wstar) ** 2
    return checks.client_inequality(form(eq_19.left), right, facts={"(19)": 1})


def first_line(value: sp.Expr) -> sp.Expr:
    """The right-hand side of the first inequality of the display after (19)."""
    change = (value - 2) * eta * (f - f_star + mu / 2 * (w - wstar) ** 2)
    return form(displays_lemma_1.first_line) - change


def second_line(coefficient: sp.Expr) -> sp.Expr:
    """Its second line, with C."""
    return form(displays_lemma_1.second_line) + (coefficient - 4) * L * eta**2 * (f - f_min)


@inequality_claim(
    "LI-A1COMB.1",
    headline="The bounds of the one-step proof combined into one",
    source="display after eq. (19), first inequality",
    statement=combined,
    summary="(15), (17), (18), (19) and the bound of B_2 are combined.",
    assumptions=("A1", "A2"),
    printed=dict(value="2"),
    controls=[Control("term of (19) with 2.02 eta instead of 2 eta (2 is sharp for eta -> 0)", dict(value="101/50"))],
)
def li_a1comb_1(value: str) -> Evidence:
    """The premises with their multipliers."""
    c = sp.Rational(value)
    return checks.averaged_inequality(
        form(combined.left),
        first_line(c),
        facts={"(16) at w": eta**2, "(19)": 2 * eta},
        squares=[(sp.Integer(1), wbar - w + eta * g), (eta**2, dg)],
    )


def not_equal(left: sp.Expr, right: sp.Expr) -> Evidence:
    """Lines that are printed as equal, on one client with F = a w^2/2, of which A1 and A2 leave the curvature open."""
    a, at = sp.symbols("a w")
    value = a * at**2 / 2
    one = (
        dict.fromkeys((w, wbar), at) | dict.fromkeys((g, g_bar, gbar), a * at) | dict.fromkeys((f, f_bar, Fbar), value)
    )
    sides = (side.subs(one | dict.fromkeys((wstar, f_star, f_min, Fstar, Gamma), 0)) for side in (left, right))
    given = [(mu, "<=", a), (a, "<=", L), (eta, "<=", 1 / (4 * L))]
    values = {a: 1, mu: sp.Rational(1, 2), L: 2, eta: sp.Rational(1, 8), at: 1}
    lines = [Side(f"{name} line", side) for name, side in zip(("first", "second"), sides, strict=True)]
    witness = Witness(values, lines[0], "=", lines[1], given, "N = 1, F = a w^2/2")
    return by_derivation(follows(left, right, relation="="), tried(witness))


def compare_lines(relation: str, coefficient: str) -> Evidence:
    """First line against second line; their difference is eta^2 times (16) plus eta mu times the drift."""
    c = sp.Rational(coefficient)
    if relation == "=":
        return not_equal(first_line(sp.Integer(2)), second_line(c))
    return checks.averaged_inequality(
        first_line(sp.Integer(2)),
        second_line(c),
        facts={"(16) at w": eta**2, "F_k(w) >= F_k*": (c - 4) * L * eta**2},
        squares=[(eta * mu, dw)],
    )


li_a1comb_2 = identity_claim(
    "LI-A1COMB.2",
    fault="slip",
    source="display after eq. (19), its equality sign",
    repair="LI-A1COMB.2-R1",
    statement=displays_lemma_1.combined_printed,
    headline="Two displays joined by an equality sign can differ: the second can be larger",
    summary="The two lines are printed as equal; the second can be larger, and never is smaller: eta mu times the drift and "
    "a second use of (16) lie between them.",
    assumptions=("A1", "A2"),
    printed=dict(relation="=", coefficient="4"),
    controls=[
        Control("= read as <=", dict(relation="<="), must="pass"),
        Control("<= with 3.96 L instead of 4 L", dict(relation="<=", coefficient="99/25")),
    ],
)(compare_lines)

li_a1comb_2_r1 = inequality_claim(
    "LI-A1COMB.2-R1",
    headline="The joined displays of the one-step proof, with an inequality sign between them",
    source="display after eq. (19), repaired",
    statement=displays_lemma_1.combined_repaired,
    summary="The display with <= in place of =, which is all that the proof uses.",
    assumptions=("A1", "A2"),
    printed=dict(relation="<=", coefficient="4"),
    controls=[Control("4L -> 3.96 L in C", dict(coefficient="99/25"))],
)(compare_lines)


if __name__ == "__main__":
    run_script(__file__)
