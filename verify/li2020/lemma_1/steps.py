"""The steps (14) to (19) of the proof of Lemma 1 of Li et al. (2020), and the display that combines them.

Identities and inequalities for any number of clients: forms of the generic client, averaged by mean and deviation.
The display after (19) joins two lines by "=" that are joined by "<=": the drop of the deviations in the strong
convexity term and a second use of (16) are inequalities.
"""

from dataclasses import replace

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from verify.li2020 import one_step_checks as checks
from verify.li2020.derivations.moment import follows
from verify.li2020.displays import lemma_1 as shown
from verify.li2020.displays.lemma_1 import A2, eq_14, form
from verify.li2020.one_step_checks import ProvedDisplay, printed_as_equal, step
from verify.li2020.symbols import L, dg, dw, eta, f, f_min, f_star, g, gbar, mu, noise, w, wbar, wstar


@identity_claim(
    "LI-EQ14",
    headline="The squared distance after a step: without noise, a term of mean zero, and noise",
    source="eq. (14)",
    statement=(eq_14, r",\quad ", shown.cross_term),
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
    sampled = {shown.vbar: wbar - eta * (gbar + noise), shown.g_t: gbar + noise}
    biased = {**sampled, shown.g_t: gbar + noise + shift}
    factor = sp.Rational(cross, 2)
    left, right = (form(x).subs(sampled) for x in (eq_14.left, eq_14.expression + (factor - 1) * A2))
    a2 = factor * form(A2).subs(biased)
    parts = [follows(left, right, relation="=", over=""), follows(a2, sp.Integer(0), relation="=", over="k xi")]
    # on the instances the noise takes the values z and -z with probability 1/2 each
    two_values = (a2 + a2.subs(noise, -noise)) / 2
    found = [checks.averaged_search(*both, relation="=") for both in ((left, right), (two_values, sp.Integer(0)))]
    return by_derivation(parts, min(found, key=lambda result: result.worst), valid_for="every N, p, dimension")


li_eq15 = step(
    "LI-EQ15",
    ProvedDisplay(shown.eq_15, false={"-2 -> -1": -shown.B1 / 2}),
    group=identity_claim,
    source="eq. (15)",
    summary="The square A1 is expanded.",
)

# equality for F_k = L/2 |w|^2
li_eq16 = step(
    "LI-EQ16",
    ProvedDisplay(shown.eq_16, {"(16) at w": 1}, false={"2L -> 1.98 L (2 is sharp)": -L * (f - f_min) / 50}, each=True),
    group=inequality_claim,
    source="eq. (16)",
    summary="The squared gradient is at most 2L times the excess value.",
    assumptions=("A1", "F_k bounded below"),
)

li_b2 = step(
    "LI-B2",
    ProvedDisplay(
        shown.b_2_convexity,
        squares=[(eta**2, dg)],
        false={"first inequality with 0.99 in front of the sum": -(eta**2) * g**2 / 100},
    ),
    ProvedDisplay(shown.b_2_smoothness, {"(16) at w": eta**2}, false={"2L -> 1.98 L": -L * eta**2 * (f - f_min) / 50}),
    group=inequality_claim,
    headline="The squared averaged gradient is bounded by the clients' gaps to their own minima",
    source="Appendix A.4, bound of B_2",
    summary="B_2 is bounded by convexity of the squared norm, and then by (16).",
    assumptions=("A1",),
)

li_eq17 = step(
    "LI-EQ17",
    ProvedDisplay(shown.b_1_average),
    ProvedDisplay(shown.eq_17, false={"second -2 -> 2": 4 * eta * (w - wstar) * g}),
    group=identity_claim,
    source="eq. (17)",
    summary="The inner product is split through the local points.",
)

li_eq18 = step(
    "LI-EQ18",
    ProvedDisplay(
        shown.eq_18,
        squares=[(1 / eta, wbar - w + eta * g)],
        false={"1/eta -> 0.99/eta": -shown.drift / (100 * eta)},
        each=True,
    ),
    group=inequality_claim,
    source="eq. (18)",
    summary="The first inner product is bounded by Cauchy-Schwarz and AM-GM.",
)

li_eq19 = step(
    "LI-EQ19",
    ProvedDisplay(shown.eq_19, {"(19)": 1}, false={"mu -> 1.01 mu": -mu / 200 * (w - wstar) ** 2}, each=True),
    group=inequality_claim,
    headline="A gradient step's progress towards the minimiser, by strong convexity of each client",
    source="eq. (19)",
    summary="The second inner product is bounded by strong convexity of F_k between w^k and w*.",
    assumptions=("A2",),
)

_LONGER = -eta / 50 * (f - f_star + mu / 2 * (w - wstar) ** 2)
li_a1comb_1 = step(
    "LI-A1COMB.1",
    ProvedDisplay(
        shown.combined,
        {"(16) at w": eta**2, "(19)": 2 * eta},
        [(sp.Integer(1), wbar - w + eta * g), (eta**2, dg)],
        {"term of (19) with 2.02 eta instead of 2 eta (2 is sharp for eta -> 0)": _LONGER},
    ),
    group=inequality_claim,
    headline="The bounds of the one-step proof combined into one",
    source="display after eq. (19), first inequality",
    summary="(15), (17), (18), (19) and the bound of B_2 are combined.",
    assumptions=("A1", "A2"),
)

#: The two lines of the display differ by eta^2 times (16) and eta mu times the drift.
_SMALLER_C = -L * eta**2 * (f - f_min) / 25
SECOND_LINE = ProvedDisplay(
    shown.combined_repaired, {"(16) at w": eta**2}, [(eta * mu, dw)], {"4L -> 3.96 L in C": _SMALLER_C}
)

li_a1comb_2 = printed_as_equal(
    "LI-A1COMB.2",
    shown.combined_printed,
    replace(SECOND_LINE, false={"<= with 3.96 L instead of 4 L": _SMALLER_C}),
    group=identity_claim,
    fault="slip",
    source="display after eq. (19), its equality sign",
    repair="LI-A1COMB.2-R1",
    headline="Two displays joined by an equality sign can differ: the second can be larger",
    summary="The two lines are printed as equal; the second can be larger, and never is smaller: eta mu times the drift and "
    "a second use of (16) lie between them.",
    assumptions=("A1", "A2"),
)

li_a1comb_2_r1 = step(
    "LI-A1COMB.2-R1",
    SECOND_LINE,
    group=inequality_claim,
    headline="The joined displays of the one-step proof, with an inequality sign between them",
    source="display after eq. (19), repaired",
    summary="The display with <= in place of =, which is all that the proof uses.",
    assumptions=("A1", "A2"),
)


if __name__ == "__main__":
    run_script(__file__)
