"""Appendix D.2 of Augenstein et al. (2022): the general convex rate of 1-way Gradient Transfer, and the orders of rounds.

The recursion bounds the gap at x^(t) by distances at x^(t) and x^(t+1), so that the quoted lemmas give averages of
x^(0)..x^(T) when D belongs to x^(0).  The document averages x^(1)..x^(T+1): that is bounded too, since
the sharpened recursions have noise to spare.
"""

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import asymptotic_claim, expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import assembly
from fltheory.theory.mixed2022.assembly import C_FINAL, C_FINAL_SHARP, CVX_REC, CVX_REC_SHARP
from fltheory.theory.mixed2022.one_round import S, beta, e, eta_s, noise
from fltheory.theory.states import proves
from verify.mixed2022 import assembly_steps, derivations
from verify.mixed2022.assembly_steps import at_scale, for_every_noise, line

R, ONE = sp.Rational, sp.Integer(1)
#: (recursion, what it is made of) for averages of x^(0)..x^(T), and from x^(1) on.
BEFORE, AFTER = (CVX_REC,), (CVX_REC_SHARP, *derivations.SHARP_CONVEX)


def rate(bound: Bound, recursion: tuple[object, ...], level: sp.Expr, first: int, step: str) -> Evidence:
    """From the recursion to the bound for averages of x^(first)..x^(first+T); the largest and the smallest start on the line."""
    options = dict(level=level, first=first, tuned=step == "tuned")
    scripts = for_every_noise(derivations.convex_rate, bound, *recursion, **options)
    runs = [line(bound, "gap", first, start="D_sq", D_sq=1, C=0, step=R(1, 8), level=level)]
    if step != "tuned":
        runs += [line(bound, "gap", first, start="D_sq", D_sq=R(1, 10**8), C=R(1, 3), step=R(1, 8), T=3)]
    return by_derivation(scripts, tried(runs), valid_for=assembly_steps.VALID, method=METHOD)


METHOD = (
    "The recursion from the round's hypotheses, summed over the rounds; Jensen's inequality for the average; the step is the "
    "smaller one of its limit and the one that balances start and noise."
)


def convex_rate(first: int, scale: str, step: str) -> Evidence:
    """The printed bound times ``scale`` for averages of x^(first)..x^(first+T)."""
    return rate(at_scale(C_FINAL, scale), AFTER if first else BEFORE, assembly.NOISE_C, first, step)


C_CONDITIONS = (
    *assembly_steps.HYPOTHESES,
    "f_f, f_c convex",
    "S >= 2",
    "eta_s > sqrt(5S/8)",
    "effective step min(1/(8 beta), sqrt(D^2/(c(T+1))))",
)
final_bound = expectation_claim.sharing(
    source="Appendix D.2.1, general convex case",
    statement=C_FINAL,
    proves=proves(
        C_FINAL,
        lambda scale: scale * S / (S - 1) * assembly.sublinear(assembly.D2, assembly.NOISE_C, 1 / (8 * beta)),
        under=(S >= 2, 8 * eta_s**2 > 5 * S, 8 * beta * e <= 1),
    ),
    assumptions=C_CONDITIONS,
)
EVERY_T = Control("step 1/(8 beta) for every T", dict(step="fixed"))
from_zero = final_bound(
    "MX-C-FINAL[average of x^(0)..x^(T)]",
    headline="Convex rate of 1-way transfer with constants, for at least two clients per round",
    depends=("MX-CVX-REC", "MX-LEMD3-2.1"),
    summary="The indices that the quoted lemma gives. 8, 20 and 12 are what the recursion and the lemma yield. S = 1 is no "
    "case of it (division by zero): MX-C-FINAL-S1 covers every S.",
    printed=dict(first=0, scale="1", step="tuned"),
    controls=[Control("bound divided by 8.1", dict(scale="10/81")), EVERY_T],
)(convex_rate)
from_one = final_bound(
    "MX-C-FINAL[average of x^(1)..x^(T+1), as printed]",
    headline="The average printed, one round later, keeps the convex rate by a sharper recursion",
    depends=("MX-CVX-REC-S1", "MX-LEMD3-2.1"),
    summary="With D at x^(0) the average of x^(1)..x^(T+1) needs one more round of noise; the sharpened recursion pays for it.",
    printed=dict(first=1, scale="1", step="tuned"),
    controls=[Control("bound divided by 15", dict(scale="1/15")), EVERY_T],
)(convex_rate)


FROM_0 = r",\ \bar x^{(T)}\text{ of }x^{(0)},\ldots,x^{(T)}"


@expectation_claim(
    "MX-C-FINAL-S1",
    source="Appendix D.2.1, sharpened",
    statement=(C_FINAL_SHARP, FROM_0),
    proves=proves(
        C_FINAL_SHARP,
        lambda scale: R(20, 17) * scale * assembly.sublinear(assembly.D2, R(23, 10) * noise(ONE, ONE), 1 / (8 * beta)),
        under=(8 * eta_s**2 > 5 * S, 8 * beta * e <= 1),
    ),
    headline="Convex rate of 1-way transfer for every cohort size",
    summary="For every cohort size, S = 1 included, with 160/17 in place of 8 S/(S-1), which is smaller up to S = 6 (average of "
    "x^(0)..x^(T)).",
    depends=("MX-CVX-REC-S1", "MX-LEMD3-2.1"),
    assumptions=(
        *assembly_steps.HYPOTHESES,
        "f_f, f_c convex",
        "eta_s > sqrt(5S/8)",
        "effective step min(1/(8 beta), sqrt(D^2/(c(T+1)))), c = 23/10 (sigma_c^2 + sigma^2/(KS))",
    ),
    printed=dict(scale="1"),
    controls=[Control("bound divided by 9.5", dict(scale="2/19"))],
)
def every_cohort(scale: str) -> Evidence:
    """Decrease 17/20, noise 23/10 for every S."""
    return rate(at_scale(C_FINAL_SHARP, scale), AFTER, R(23, 10) * noise(ONE, ONE), 0, "tuned")


of_the_step = expectation_claim.sharing(source="Appendix D.2.1, eta = 1/(8 beta K eta_s); Theorem B.2, eta <=")


largest_step = of_the_step(
    "MX-SC-ETA[1/(8 beta) is the largest step, the quoted lemma chooses]",
    headline="If the proof's step is only the largest allowed, the quoted lemma's choice gives the rate",
    assumptions=C_CONDITIONS,
    statement=(
        C_FINAL,
        r"\quad\text{with}\ \tilde\eta\le\tfrac1{8\beta}\ \text{of the quoted lemma, from}\ T" + FROM_0,
    ),
    summary="The theorem allows every step up to 1/(8 beta), the recursion holds for all of them, and the quoted lemmas (which the "
    "proof invokes for the rates) choose one that depends on T: then the rate holds. (Strongly convex: MX-SC-FINAL.1.)",
    depends=("MX-SC-ETA-S1", "MX-CVX-REC", "MX-LEMD3-2.1"),
    printed=dict(first=0, scale="1", step="tuned"),
    controls=[EVERY_T],
)(convex_rate)
fixed_step = of_the_step(
    "MX-SC-ETA[1/(8 beta) is the step, whatever T]",
    statement=(C_FINAL, r"\quad\text{with}\ \tilde\eta=\tfrac1{8\beta}\ \text{for every}\ T" + FROM_0),
    fault="reading",
    headline="The general convex rate is false if the step is fixed as the proof fixes it",
    summary="Taken literally, the proof sets the step equal to 1/(8 beta): the printed rate is then false when there is noise: "
    "near x* the first rounds leave x*. This concerns the proof's wording; the theorem's inequality allows the T-dependent step.",
    repair="MX-SC-ETA[1/(8 beta) is the largest step, the quoted lemma chooses]",
    printed=dict(first=0, scale="1", step="fixed"),
    controls=[Control("step min(1/(8 beta), sqrt(D^2/(c(T+1))))", dict(step="tuned"), must="pass")],
)(convex_rate)


#: Of n = T + 1 rounds, whose square root is r.
ENOUGH = "n >= 2*A/eps + 4*B**2/eps**2"
order = statement_of_algebra(
    "MX-ORDER",
    Relations(
        f"A/n <= eps/2; B/r <= eps/2; A/n + B/r <= eps for A >= 0; B >= 0; eps > 0; r > 0; n = r**2; {ENOUGH}",
        uses={
            0: {ENOUGH: "eps/(2*n)"},
            1: {ENOUGH: "eps**2/(4*n*(eps/2 + B/r))"},
            2: {"A/n <= eps/2": "1", "B/r <= eps/2": "1"},
        },
        names={"eps": r"\epsilon", "r": r"\sqrt{n}"},
    ),
    says=r"n=T+1:\quad ",
    false={"a = A": ("2*A/eps", "A/eps"), "b = B^2/4": ("4*B**2/eps**2", "B**2/(4*eps**2)")},
    group=asymptotic_claim,
    headline="An explicit rate gives the theorem's order of rounds, half of the error for each term",
    source="Appendix D.2, numbers of rounds",
    summary="An explicit rate, a start over T + 1 and noise over its root, gives the order of rounds of the theorem: each of both "
    "terms is at most eps/2 after so many rounds.",
    depends=("MX-C-FINAL-S1", "MX-NC-FINAL[expectation inside, x^(1)..x^(T+1)]", "MX-SC-FINAL.1"),
)


if __name__ == "__main__":
    run_script(__file__)
