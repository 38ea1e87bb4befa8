"""Theorems B.1 to B.3 of Augenstein et al. (2022), with constants, in the vocabulary of hypotheses.

R rounds make T = R + 1 models for the distances at a constant step, and the models x^(0), ..., x^(R), T = R, for the averages.
Table 1 itself is a table of orders without constants; its sharpened and repaired forms stand here where they speak of a run of
given length.
"""

from __future__ import annotations

from fltheory.theory.bound import Bound
from fltheory.theory.hypotheses import (
    AlikeClients,
    BoundedBelow,
    BoundedVariance,
    CohortLaw,
    ConstantStep,
    ConvexLosses,
    DissimilarSides,
    Hypothesis,
    IndependentNoise,
    PrescribedStep,
    SmoothLosses,
)
from fltheory.theory.mixed2022 import assembly, curves, one_round, parallel, two_way_bounds
from fltheory.theory.rates import Form, RateTheorem

VALUES = {
    "beta": "L",
    "mu": "mu",
    "V": "sigma_sq",
    "C": "sigma_c_sq",
    "K": "E",
    "S": "S",
    "D_sq": "D_sq",
    "F": "gap",
    "e": "e",
    "eta": "eta",
    "eta_s": "eta_s",
    "eta_c": "eta_c",
    "eta_m": "eta_m",
    "eta_d": "eta_d",
    "J": "J",
    "start_error": "start_error",
    "B": "sqrt(mixed_B_sq)",
    "G": "sqrt(mixed_G_sq)",
}
_LAST, _MEAN = {**VALUES, "T": "R + 1"}, {**VALUES, "T": "R"}
_C_STEP = "step min(1/(8 beta), sqrt(D^2/(c(T+1)))), c = 5 sigma^2/(KS) + 3 sigma_c^2"
_C_STEP_SHARP = "step min(1/(8 beta), sqrt(D^2/(c(T+1)))), c = 23/10 (sigma^2/(KS) + sigma_c^2)"
_NC_STEP = "step min(1/(18 beta), sqrt(F/(c beta (T+1)))), c = 3 sigma^2/(KS) + 2 sigma_c^2"
_NOISE = "(sigma_sq/(E*S) + sigma_c_sq)"


def _convex_step(noise: str) -> PrescribedStep:
    """min(1/(8 beta), sqrt(D^2/(c (R + 1)))) without a division by c."""
    return PrescribedStep("e", f"1/max(8*L, sqrt({noise}*(R + 1)/D_sq))", "min(1/(8 L), sqrt(D^2/(c (R + 1))))")


def _smooth_step(noise: str) -> PrescribedStep:
    return PrescribedStep("e", f"1/max(18*L, sqrt({noise}*L*(R + 1)/gap))", "min(1/(18 L), sqrt(F/(c L (R + 1))))")


_STRONG_STEP = PrescribedStep(
    "e", f"min(1/(8*L), 2/(3*mu*R)*max(1/2, log(45*mu**2*R*D_sq/(46*{_NOISE}))))", "min(1/(8 L), 2 Lambda/(3 mu R))"
)
_WORDS: dict[str, tuple[Hypothesis, ...]] = {
    one_round.HOMOGENEOUS.words: (
        AlikeClients(),
        IndependentNoise(),
        BoundedVariance("sigma_sq"),
        BoundedVariance("sigma_c_sq"),
    ),
    one_round.SMOOTH.words: (SmoothLosses(),),
    one_round.CONVEX.words: (ConvexLosses(),),
    parallel.DISSIMILAR.words: (DissimilarSides(),),
    two_way_bounds.INDEPENDENT.words: (IndependentNoise(),),
    _C_STEP: (_convex_step("(5*sigma_sq/(E*S) + 3*sigma_c_sq)"),),
    _C_STEP_SHARP: (_convex_step(f"23/10*{_NOISE}"),),
    _NC_STEP: (_smooth_step("(3*sigma_sq/(E*S) + 2*sigma_c_sq)"),),
}
_NAMES = {
    "OneWayGradientTransfer": "1-way transfer",
    "ParallelTraining": "Parallel Training",
    "TwoWayGradientTransfer": "2-way transfer",
}


def _theorem(
    name: str,
    title: str,
    bound: Bound,
    measure: str,
    method: str,
    claim: str,
    *needs: Hypothesis,
    form: Form = "sharpened",
    of: str = "",
) -> RateTheorem:
    return RateTheorem(
        f"mixed2022.{name}",
        f"Mixed FL (2022), {_NAMES[method]}, {title}",
        bound,
        measure,
        method,
        _LAST if measure == "squared distance" else _MEAN,
        {words: _WORDS[words] for words in bound.premises},
        (BoundedBelow(), CohortLaw("independent runs"), ConstantStep("eta"), ConstantStep("eta_s"), *needs),
        claim,
        form,
        of and f"mixed2022.{of}",
        server_loss=True,
    )


_BOTH = (ConstantStep("eta_c"), ConstantStep("eta_m"))
_ONE, _PT, _TWO = _NAMES
_CONVEX, _SMOOTH = "gap of the mean, rounds", "least square"
RATES = (
    _theorem(
        "parallel_distance",
        "distance at a constant step",
        curves.PARALLEL_DISTANCE,
        "squared distance",
        _PT,
        "MX-THMB1-S6",
        *_BOTH,
    ),
    _theorem(
        "one_way_distance",
        "distance at a constant step",
        curves.ONE_WAY_DISTANCE,
        "squared distance",
        _ONE,
        "MX-CVX-REC-S9",
    ),
    _theorem(
        "two_way_distance",
        "distance at a constant step",
        curves.TWO_WAY_DISTANCE,
        "squared distance",
        _TWO,
        "MX-THMB3-S3",
        *_BOTH,
    ),
    _theorem(
        "one_way_convex",
        "general convex rate",
        assembly.C_FINAL,
        _CONVEX,
        _ONE,
        "MX-C-FINAL[average of x^(0)..x^(T)]",
        form="printed",
    ),
    _theorem(
        "one_way_convex_every_cohort",
        "general convex rate for every cohort",
        assembly.C_FINAL_SHARP,
        _CONVEX,
        _ONE,
        "MX-C-FINAL-S1",
        of="one_way_convex",
    ),
    _theorem(
        "one_way_strongly_convex",
        "strongly convex rate",
        assembly.SC_FINAL,
        "weighted gap, 3 mu e/2",
        _ONE,
        "MX-SC-FINAL.1",
        _STRONG_STEP,
        form="printed",
    ),
    _theorem(
        "one_way_smooth",
        "rate without convexity",
        assembly.NC_FINAL,
        _SMOOTH,
        _ONE,
        "MX-NC-FINAL[expectation inside, x^(0)..x^(T)]",
        form="printed",
    ),
    _theorem(
        "one_way_smooth_sharp",
        "rate without convexity, sharpened",
        assembly.NC_FINAL_SHARP,
        _SMOOTH,
        _ONE,
        "MX-NC-FINAL-S1",
        _smooth_step(f"3/2*{_NOISE}"),
        of="one_way_smooth",
    ),
)
