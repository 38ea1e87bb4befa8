"""The rate theorems of the lecture note in the vocabulary of hypotheses.

The note has two codes: FedAvg, which averages after K local steps, and the printed one, whose restart step uses a gradient from
before the average.  T counts local steps; f is the plain mean of the clients' losses, each L-smooth.  The corollaries fix the step
size for T; where their words say so once for two displays, both have it here.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.hypotheses import (
    BoundedBelow,
    BoundedDeviation,
    BoundedSecondMoment,
    BoundedVariance,
    CohortLaw,
    ConstantStep,
    EqualWeights,
    Hypothesis,
    IndependentNoise,
    Inequality,
    PrescribedStep,
    SmoothLosses,
)
from fltheory.theory.hypotheses.quantities import parsed
from fltheory.theory.lecture2022 import bounds
from fltheory.theory.rates import Form, RateTheorem

VALUES = {
    "s": "eta",
    "T": "steps",
    "K": "E",
    "N": "N",
    "L": "L",
    "G": "sqrt(G_sq)",
    "sigma": "sqrt(sigma_sq)",
    "sigma_G": "sqrt(sigma_G_sq)",
    "gap": "gap",
    "c": "E*N**(3/4)/steps**(1/4)",
}
ONE_STEP = Inequality("K = 1", sp.Eq(parsed("E"), 1))
STEP_2 = PrescribedStep("eta", "sqrt(N)/(L*sqrt(steps))")
STEP_4 = PrescribedStep("eta", "sqrt(N)/sqrt(steps)")
_WORDS: dict[str, tuple[Hypothesis, ...]] = {
    bounds.MOMENTS.words: (BoundedVariance("sigma_sq"), BoundedSecondMoment("everywhere")),
    bounds.VARIANCE.words: (BoundedVariance("sigma_sq"),),
    bounds.NOISE.words: (IndependentNoise(),),
    bounds.FULL.words: (CohortLaw("full"),),
    bounds.DISSIMILARITY.words: (BoundedDeviation(),),
    bounds.RATE_4.words: (STEP_4,),
    "s = sqrt(N)/(L sqrt(T))": (STEP_2,),
    "K = 1, rounds of FedAvg": (ONE_STEP,),
}
_SETTING = (SmoothLosses(), BoundedBelow(), EqualWeights(), ConstantStep("eta"))
PRINTED_CODE = "ParallelRestartedSGD"


def _theorem(
    name: str,
    title: str,
    bound: Bound,
    claim: str,
    *needs: Hypothesis,
    method: str = "FedAvg",
    form: Form = "printed",
    of: str = "",
) -> RateTheorem:
    return RateTheorem(
        f"lecture2022.{name}",
        f"Lecture note (2022), {title}",
        bound,
        "mean square, steps",
        method,
        VALUES,
        {words: _WORDS[words] for words in bound.premises},
        (*_SETTING, *needs),
        claim,
        form,
        of and f"lecture2022.{of}",
    )


def _both_codes(
    name: str, title: str, bound: Bound, claims: tuple[str, str], form: Form = "printed", of: str = ""
) -> list[RateTheorem]:
    """One for FedAvg, one for the printed code."""
    own = of and f"{of}_printed_code"
    return [
        _theorem(name, title, bound, claims[0], form=form, of=of),
        _theorem(
            f"{name}_printed_code", f"{title}, printed code", bound, claims[1], method=PRINTED_CODE, form=form, of=own
        ),
    ]


def _codes(claim: str) -> tuple[str, str]:
    return (
        f"{claim}[average first, rounds of K local steps]",
        f"{claim}[gradient before averaging, as printed]",
    )


_S1, _S2, _S3 = ("LEC-THM1-S1",) * 2, "LEC-THM1-S2", ("LEC-THM3-S1",) * 2
_PERIODS = "Theorem 1, drift averaged over clients and periods"
RATES = (
    *_both_codes("theorem_1", "Theorem 1", bounds.theorem_1, _codes("LEC-THM1")),
    *_both_codes(
        "theorem_1_averaged",
        "Theorem 1, drift averaged over clients",
        bounds.theorem_1_averaged,
        _S1,
        "sharpened",
        "theorem_1",
    ),
    _theorem("theorem_1_periods", _PERIODS, bounds.theorem_1_periods["FedAvg"], _S2, form="sharpened", of="theorem_1"),
    _theorem(
        "theorem_1_periods_printed_code",
        f"{_PERIODS}, printed code",
        bounds.theorem_1_periods["printed"],
        _S2,
        method=PRINTED_CODE,
        form="sharpened",
        of="theorem_1_printed_code",
    ),
    _theorem(
        "theorem_1_one_step",
        "Theorem 1, one local step",
        bounds.theorem_1_one_local_step,
        "LEC-COR4a-ABS[FedAvg itself, K = 1]",
        form="sharpened",
        of="theorem_1",
    ),
    _theorem("corollary_2_first", "Corollary 2, first display", bounds.corollary_2_first, "LEC-COR2a.3"),
    _theorem("corollary_2_second", "Corollary 2, second display", bounds.corollary_2_second, "LEC-COR2b", STEP_2),
    *_both_codes("theorem_3", "Theorem 3", bounds.theorem_3, _codes("LEC-THM3")),
    *_both_codes(
        "theorem_3_sharp",
        "Theorem 3, variance in place of the second moment",
        bounds.theorem_3_sharp,
        _S3,
        "sharpened",
        "theorem_3",
    ),
    _theorem("corollary_4_first", "Corollary 4, K = 1", bounds.corollary_4_first, "LEC-COR4a.2", ONE_STEP),
    _theorem("corollary_4_rate", "Corollary 4, growing K", bounds.corollary_4_rate, "LEC-COR4b[the rate]"),
)
