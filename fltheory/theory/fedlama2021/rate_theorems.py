"""The rate theorem of FedLAMA in the vocabulary of hypotheses.

Printed is a comparison with any local minimum, which is false; what stands here is the comparison with the minimum, and the
sharper form.  ``F_0`` and ``F_i`` enter by their difference only, so that the minimum counts as zero.  Layers may be averaged
within a round after any steps that are chosen before it, or not at all: FedAvg with tau local steps is one case.
"""

from __future__ import annotations

from fltheory.theory.hypotheses import (
    BoundedBelow,
    BoundedVariance,
    CohortLaw,
    ConstantStep,
    DissimilarClients,
    EqualWeights,
    Hypothesis,
    IndependentNoise,
    PrescribedStep,
    SmoothLosses,
)
from fltheory.theory.rates import Form, RateTheorem

VALUES = {
    "L": "L",
    "eta": "eta",
    "sigma": "sqrt(sigma_sq)",
    "beta_sq": "B_sq",
    "kappa_sq": "G_B_sq",
    "tau": "E",
    "m": "N",
    "T": "R",
    "F_0": "gap",
    "F_i": "0",
}
_WORDS: dict[str, tuple[Hypothesis, ...]] = {
    "all clients start at u_0": (),
    "every F_i is L-smooth; stochastic gradients are unbiased given the past, with variance at most sigma^2": (
        SmoothLosses(),
        BoundedVariance("sigma_sq"),
    ),
    "(1/m) sum_i |grad F_i|^2 <= beta^2 |grad F|^2 + kappa^2": (DissimilarClients(),),
    "the noises of different clients are independent": (IndependentNoise(),),
}
_LOWEST: dict[str, tuple[Hypothesis, ...]] = {"u_* is a global minimum of F": (BoundedBelow(),)}
_TUNED: dict[str, tuple[Hypothesis, ...]] = {"eta = sqrt(m/T)": (PrescribedStep("eta", "sqrt(N/R)"),)}


def _theorem(
    name: str, title: str, place: str, form: Form, words: dict[str, tuple[Hypothesis, ...]], claim: str
) -> RateTheorem:
    return RateTheorem(
        f"fedlama2021.{name}",
        f"FedLAMA (2021), {title}",
        f"fedlama2021:lemma_5_2_displays.{place}",
        "mean square, rounds",
        "FedLAMA",
        VALUES,
        {**_WORDS, **words},
        (BoundedBelow(), EqualWeights(), CohortLaw("full"), ConstantStep("eta")),
        claim,
        form,
        "" if form == "repaired" else "fedlama2021.theorem_5_3",
    )


RATES = (
    _theorem(
        "theorem_5_3",
        "Theorem 5.3 against the minimum",
        "THEOREM_5_3_LOWEST",
        "repaired",
        _LOWEST,
        "LA-THM53.1[a global minimum]",
    ),
    _theorem(
        "theorem_5_3_sharp",
        "Theorem 5.3 without the number of rounds",
        "THEOREM_5_3_SHARP",
        "sharpened",
        {},
        "LA-THM53-R2",
    ),
    _theorem("remark_1", "Remark 1", "REMARK_1", "repaired", _TUNED, "LA-REM1.1[third term divided by T]"),
)
