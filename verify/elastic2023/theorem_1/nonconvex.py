"""Theorem I of the elastic aggregation supplement without convexity, (17): only asserted in print, derived here with constants.

Units leave one pair of powers of beta: M sqrt(beta F) and (beta^2 G^2)^(1/3).  Both other pairs are broken for every constant by
families whose error stays above a fixed share of beta F, whatever the step: a parabola with noise, and two clients that drift.
"""

from dataclasses import replace

import sympy as sp

from fltheory.derivation.statement import with_coefficients
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import asymptotic_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.bound import Bound
from verify.elastic2023 import elsewhere, rates
from verify.elastic2023.derivations.theorem_1 import COHORTS, recursion
from verify.elastic2023.rates import SMOOTH_BETA, SMOOTH_ORDER, SMOOTH_RATE, SMOOTH_RECURSION, SMOOTH_THIRD
from verify.elastic2023.theorem_1.convex import VALID, order
from verify.elastic2023.theorem_1.one_noise import DROPPED, INDEPENDENT, UNPRINTED
from verify.elastic2023.theorem_1.one_noise import broken as one_noise

of_17 = asymptotic_claim.sharing(source="Theorem I, (17)", quick=False)
RIGHT = "EL-T1-NC[M sqrt(beta F), (beta^2 G^2)^(1/3)]"
#: f = beta x^2/2, beta = y^2, K = S = N = 1, phi eta_g = 1, sigma^2 = beta^2 R x_0^2, R = z^2, G = 0, B = 1; v is E|x^t|^2,
#: a = e beta any step.  For t <= R the left side is at most E|grad f(x^t)|^2.
NOISY = Relations(
    "t >= 0; v*(z**2 + t) >= z**2*u**2; beta**2*u**2/2 > C*(beta*m/z + beta*F/z**2); m**2 = M2*F; M2 = "
    "2*beta**2*z**2*u**2 for u > 0; C > 0; z >= 1 + 2*C; 0 < y < 1/(4*C); beta = y**2; F = y**2*u**2/2; M2 = "
    "2*y**4*z**2*u**2; m = y**3*z*u**2; 0 <= a <= 1/16; first_v = u**2; next_v = (1 - a)**2*v + a**2*z**2*u**2; "
    "first_t = 0; next_t = t + 1",
    squares={1: [("z**2*u**2/(z**2 + t)", "a*(z**2 + t + 1) - 1")]},
    uses={1: {"v*(z**2 + t) >= z**2*u**2": "(1 - a)**2*(z**2 + t + 1)/(z**2 + t)"}},
)
#: f_1 = beta x^2/2 + g x, f_2 = -g x, g = beta R, beta = y^3, R = z^3 - 1, K = 2, no noise, phi eta_g = 1, x^0 = 1; B = 2 and
#: G^2 = 2 beta^2 (R + 1)^2 are a pair of A1; a = beta eta_l at most 1/80.
DRIFTING = Relations(
    "t >= 0; x*(R + t) >= R; beta**2/16 > C*(q/z**2 + 4*beta*F/R); ((beta*s + g)**2 + g**2)/2 <= G2 + 4*(beta*s/2)**2; "
    "q**3 = F**2*beta*G2 for C > 0; y > 16*C; z >= 2 + 32*C; R = z**3 - 1; beta = y**3; F = y**3/4; G2 = 2*y**6*z**6; "
    "q = y**5*z**2/2; g = y**3*R; 0 <= a <= 1/80; first_x = 1; next_x = ((1 - a)**2 + 1)/2*x + a**2*R/2; first_t = 0; "
    "next_t = t + 1",
    squares={1: [("R/(2*(R + t))", "a*(R + t + 1) - 1")], 3: [("beta**2/2", "s - R")]},
    uses={1: {"x*(R + t) >= R": "(1 - a + a**2/2)*(R + t + 1)/(R + t)"}},
)
BROKEN = {
    "beta M": (
        NOISY,
        "f = beta x^2/2, beta = y^2, x^0 = u, K = S = N = 1, phi eta_g = 1, M^2 = 2 sigma^2, sigma^2 = beta^2 R u^2, R "
        "= z^2, G = 0, B = 1; v = E|x^t|^2 with a = beta e, so that E|grad f(x^t)|^2 = beta^2 v >= beta^2 u^2/2 for t "
        "<= R",
    ),
    "beta G^2": (
        DRIFTING,
        "f_1 = beta x^2/2 + g x, f_2 = -g x, K = 2, S = N = 2, phi eta_g = 1, no noise, M = 0, B = 2, x^0 = 1, a = beta eta_l; "
        "|grad f(x^t)|^2 = (beta x/2)^2 >= beta^2/16 for t <= R",
    ),
}


def smooth(powers: str, scale: str, noise: str = "independent") -> Evidence:
    """The order with these powers of beta: "right", or the one of its terms that is another."""
    if noise == "the same":
        return one_noise("not convex")
    if powers == "right":
        return order(SMOOTH_ORDER, "the distance", scale, True)
    broken, words = BROKEN[powers]
    proved, reason = broken.proof
    found = Tried(1, f"{words}: {broken.text}", -1.0, certificate=broken.certificate) if proved else Tried(1)
    return decide(
        (False, reason),
        found,
        method="A family on which no step makes the gradient small, by induction over the rounds; its "
        "units are chosen so that the bound is smaller than any constant allows.",
        prose="at each of x^0, ..., x^R, hence for all weights",
    )


CONDITIONS = (
    "A1, A3, A4; nothing is convex",
    INDEPENDENT,
    "phi eta_g >= 1, the same number for every coordinate and cohort",
    "M^2 = sigma^2 (1 + S/(phi eta_g)^2) + K (1 - S/N) G^2",
    "F at least f(x^0) - inf f, F > 0",
    "effective step e with 1/e = 8 (1 + B^2) beta + sqrt(2 beta M^2 (R + 1)/(KSF)) + (5/2 beta^2 G^2 (R + 1)/F)^(1/3)",
)
_WHERE = rf"\quad {rates.LEVEL_OF_NOISE},\ F\ge f(x^0)-\inf f"
right = of_17(
    RIGHT,
    statement=(SMOOTH_ORDER, _WHERE),
    headline="Without convexity the rate holds with the powers of beta that the units demand",
    summary="The rate without convexity, which is only asserted in print, holds with M sqrt(beta F) and (beta^2 "
    "G^2)^(1/3), with 48 in front and R + 1 for R, which is stronger; average of the squared gradients at x^0, ..., "
    "x^R. The noise of different clients has to be independent, which is not printed.",
    assumptions=CONDITIONS,
    unprinted=UNPRINTED,
    proof_steps=("EL-NC-EASY",),
    printed=dict(powers="right", scale="1", noise="independent"),
    controls=[
        DROPPED,
        Control("bound divided by 3", dict(scale="1/3")),
        Control("beta M sqrt(F)", dict(powers="beta M")),
    ],
)(smooth)
_REPAIRED = dict(
    fault="transcription", repair=RIGHT, controls=[Control("the other powers", dict(powers="right"), must="pass")]
)
beta_m = of_17(
    "EL-T1-NC[beta M sqrt(F)]",
    statement=SMOOTH_BETA,
    headline="The noise term of the non-convex rate cannot be linear in beta",
    summary="The powers of beta in (17) are illegible in the scan. With beta M sqrt(F) the units are wrong, and for "
    "every constant a parabola with noise breaks the bound at all of its models, for every step allowed and all "
    "weights.",
    printed=dict(powers="beta M", scale="1"),
    **_REPAIRED,
)(smooth)
beta_g = of_17(
    "EL-T1-NC[M sqrt(beta F), (beta G^2)^(1/3)]",
    statement=SMOOTH_THIRD,
    headline="The drift term of the non-convex rate cannot have the convex case's power of beta",
    summary="The powers of beta in (17) are illegible in the scan. With (beta G^2)^(1/3), as in the convex case, the "
    "units are wrong, and for every constant two clients without noise break the bound at all of their models, for "
    "every step allowed and all weights.",
    printed=dict(powers="beta G^2", scale="1"),
    **_REPAIRED,
)(smooth)


@of_17(
    "EL-T1-NC-S1",
    statement=(SMOOTH_RATE, _WHERE),
    headline="The rate of general aggregation without convexity, with explicit constants",
    summary="The rate without convexity holds with constants, for the average of the squared gradients at x^0, ..., x^R.",
    elsewhere=elsewhere.AGGREGATION,
    assumptions=CONDITIONS,
    printed=dict(scale="1"),
    controls=[Control("bound divided by 3", dict(scale="1/3"))],
)
def explicit(scale: str) -> Evidence:
    return order(SMOOTH_RATE, "the distance", scale, True)


def one_round(bound: Bound, scales: tuple[str, str], smooth: bool) -> Evidence:
    """The recursion of a round with its decrease and its noise times numbers."""
    measured = rates.q2 if smooth else rates.gap
    terms = sp.expand(bound.expression)
    changes = {
        measured: sp.Rational(scales[0]) * terms.coeff(measured),
        rates.M**2: sp.Rational(scales[1]) * terms.coeff(rates.M**2),
    }
    stated = replace(bound, expression=with_coefficients(bound.expression, changes))
    return by_derivation(
        {name: lambda cohort=cohort: recursion(stated, cohort, smooth=smooth) for name, cohort in COHORTS.items()},  # type: ignore[misc]
        lambda: rates.one_round(stated, smooth=smooth),
        method="Drift of K local steps by induction; the variance of a cohort drawn without replacement; "
        + ("A4 at the next model." if smooth else "Lemma 5 at the local points."),
        valid_for=VALID,
    )


@inequality_claim(
    "EL-NC-EASY",
    source="Section 9.4, first paragraph",
    statement=(SMOOTH_RECURSION, rf"\quad {rates.LEVEL_OF_NOISE}"),
    headline="The non-convex case follows by the same techniques: one round of it, with constants",
    summary="The rates without convexity are called easy to derive, and they are: A4 at the next model takes the place "
    "of Lemma 5, A1 is used with the gradient of f, and the drift needs no convexity. Summed with Lemma 2 this "
    "recursion gives the order (17); with the balanced step it gives EL-T1-NC-S1.",
    assumptions=("A1, A3, A4", INDEPENDENT, "phi eta_g >= 1", "effective step at most 1/(8 (1 + B^2) beta)"),
    quick=False,
    printed=dict(decrease="1", noise="1"),
    controls=[
        Control("three times the decrease", dict(decrease="16/5")),
        Control("noise divided by 9", dict(noise="1/9")),
    ],
)
def easy(decrease: str, noise: str) -> Evidence:
    return one_round(SMOOTH_RECURSION, (decrease, noise), True)


if __name__ == "__main__":
    run_script(__file__)
