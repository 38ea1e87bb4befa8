"""Theorem I of the elastic aggregation supplement, general convex case (16): derived with constants; what D has to be.

Units decide what D is: with the squared distance, as it is defined, every term has a power of the length too many, and a
start near x* breaks the bound for every constant.
"""

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import asymptotic_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.bound import Bound
from verify.elastic2023 import elsewhere, rates
from verify.elastic2023.derivations import theorem_1_rates as derived
from verify.elastic2023.derivations.theorem_1 import COHORTS
from verify.elastic2023.rates import CONVEX_ORDER, CONVEX_RATE, CONVEX_SQUARED, at_scale
from verify.elastic2023.theorem_1.one_noise import DROPPED, INDEPENDENT, UNPRINTED, broken

of_16 = asymptotic_claim.sharing(source="Theorem I, (16)", quick=False)
VALID = (
    "every N, S <= N, K >= 1, R >= 0, dimension, all noise laws of variance at most sigma^2, every phi eta_g >= 1; a "
    "cohort is a uniform subset, drawn apart from the noise"
)
METHOD = (
    "The recursion of a round from A1 to A4 (drift of K local steps by induction, Lemma 5, the variance of a cohort "
    "drawn without replacement), summed over the rounds; 1/e is the sum of its largest value and the shares that "
    "balance noise and drift."
)
#: f_i = beta x^2/2 for all clients, no noise, R = 1, t = |x^0|^2: any mean of both gaps against C times the bound, M = G = 0.
NEAR_THE_OPTIMUM = Relations(
    "(1 - w)*beta*t/2 + w*beta*(1 - beta*e)**2*t/2 > C*beta*D**2 "
    "for beta > 0; C > 0; 0 <= w <= 1; 0 < e <= 1/(16*beta); 0 < t < 3/(8*C); D = t"
)
TEXT = "f_i = beta x^2/2 for all clients, sigma = G = 0, B = 1, R = 1, t = |x^0|^2, any weights and every step allowed"


def order(bound: Bound, D: str, scale: str, smooth: bool) -> Evidence:
    """The bound times ``scale``; D "the distance" or "its square"."""
    if D == "its square":
        proved, reason = NEAR_THE_OPTIMUM.proof
        found = Tried(1, f"{TEXT}: {NEAR_THE_OPTIMUM.text}", -1.0, certificate=NEAR_THE_OPTIMUM.certificate)
        return decide(
            (False, reason), found if proved else Tried(1), method="Units: a start near the optimum, any constant C."
        )
    scaled, rate = at_scale(bound, scale), derived.smooth_rate if smooth else derived.convex_rate
    return by_derivation(
        {name: lambda cohort=cohort: rate(scaled, cohort) for name, cohort in COHORTS.items()},  # type: ignore[misc]
        lambda: rates.balanced(scaled, smooth=smooth),
        method=METHOD,
        valid_for=VALID,
    )


def convex(D: str, scale: str, noise: str = "independent") -> Evidence:
    if noise == "the same":
        return broken("general convex")
    return order(CONVEX_ORDER, D, scale, False)


CONDITIONS = (
    "A1, A3, A4, every f_i convex",
    INDEPENDENT,
    "phi eta_g >= 1, the same number for every coordinate and cohort",
    "M^2 = sigma^2 (1 + S/(phi eta_g)^2) + K (1 - S/N) G^2",
    "D at least the distance of x^0 from x*, D > 0",
    "effective step e with 1/e = 8 (1 + B^2) beta + 2 M sqrt((R + 1)/(KS))/D + (9 beta G^2 (R + 1)/D^2)^(1/3)",
)
distance = of_16(
    "EL-T1-GC[D the distance]",
    statement=(CONVEX_ORDER, rf"\quad {rates.LEVEL_OF_NOISE},\ D\ge\|x^0-x^\star\|"),
    headline="The general convex rate holds with D the distance from the minimiser",
    summary="With D the distance of x^0 from x* the general convex order holds, with 12 in front and R + 1 for R, "
    "which is stronger. Average of the gaps of x^0, ..., x^R (weights 1), one step size for all rounds. The noise of "
    "different clients has to be independent, which is not printed.",
    assumptions=CONDITIONS,
    unprinted=UNPRINTED,
    proof_steps=("EL-T1-SUM", "EL-T1-DIV", "EL-T1-GCSTEP"),
    printed=dict(D="the distance", scale="1", noise="independent"),
    controls=[
        DROPPED,
        Control("bound divided by 3", dict(scale="1/3")),
        Control("D the squared distance", dict(D="its square")),
    ],
)(convex)
squared = of_16(
    "EL-T1-GC[D the squared distance]",
    statement=CONVEX_SQUARED,
    fault="slip",
    headline="With D the squared distance, as defined, the general convex rate fails near the minimiser",
    summary="D is defined as the squared norm of x^0 - x*. Then all three terms have one or two powers of the length "
    "too many, and for every constant a start near x* breaks the bound, for all weights and all steps allowed.",
    repair="EL-T1-GC[D the distance]",
    printed=dict(D="its square", scale="1"),
    controls=[Control("D the distance", dict(D="the distance"), must="pass")],
)(convex)


@of_16(
    "EL-T1-GC-S1",
    statement=(CONVEX_RATE, rf"\quad {rates.LEVEL_OF_NOISE},\ D\ge\|x^0-x^\star\|"),
    headline="The general convex rate of general aggregation with explicit constants",
    summary="The general convex rate holds with constants, for the average of the gaps of x^0, ..., x^R, derived from A1 to "
    "A4 and independent clients.",
    elsewhere=elsewhere.AGGREGATION,
    assumptions=CONDITIONS,
    printed=dict(scale="1"),
    controls=[Control("bound divided by 3", dict(scale="1/3"))],
)
def explicit(scale: str) -> Evidence:
    return order(CONVEX_RATE, "the distance", scale, False)


if __name__ == "__main__":
    run_script(__file__)
