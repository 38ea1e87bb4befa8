"""FedAvg and SCAFFOLD by Karimireddy et al. (2020), all clients and exact gradients, in the vocabulary of hypotheses.

The theorems' own orders have no constants and stand in no answer; these are the rounds of the appendix, summed.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.hypotheses import (
    CohortLaw,
    ConstantStep,
    ConvexLosses,
    DissimilarByGap,
    DissimilarityAtMinimiser,
    EqualWeights,
    ExactGradients,
    Hypothesis,
    Inequality,
    Option,
    SmoothLosses,
    StronglyConvexLosses,
)
from fltheory.theory.hypotheses.quantities import parsed
from fltheory.theory.karimireddy2020 import bounds
from fltheory.theory.rates import SUMMED, RateTheorem

VALUES = {
    "beta": "L",
    "mu": "mu",
    "e": "e",
    "R": "R",
    "G2": "gap_G_sq",
    "B2": "gap_B_sq",
    "D1": "D_sq",
    "C0": "zeta_sq",  # control variates start at zero
}
_WORDS: dict[str, tuple[Hypothesis, ...]] = {
    "every f_k is convex and beta-smooth": (
        ConvexLosses(),
        SmoothLosses(),
        ExactGradients(),
        CohortLaw("full"),
        EqualWeights(),
    ),
    "eta_g >= 1": (Inequality("eta_s >= 1", sp.Ge(parsed("eta_s"), 1)),),
    "every f_k is mu-strongly convex": (StronglyConvexLosses(),),
    "mean_k |grad f_k(x)|^2": (DissimilarByGap(),),
    "control variates": (Option("option", ("II",)), DissimilarityAtMinimiser()),
}


def _theorem(name: str, title: str, bound: Bound, measure: str, method: str) -> RateTheorem:
    premises = {words: group for words in bound.premises for first, group in _WORDS.items() if words.startswith(first)}
    return RateTheorem(
        f"karimireddy2020.{name}",
        f"Karimireddy et al. (2020), {title}",
        bound,
        measure,
        method,
        VALUES,
        premises,
        (ConstantStep("eta"), ConstantStep("eta_s")),
        constants=SUMMED,
    )


_DISTANCE, _GAP = "squared distance", "mean gap, rounds"
RATES = (
    _theorem("fedavg_distance", "FedAvg, strongly convex", bounds.fedavg_distance, _DISTANCE, "local SGD"),
    _theorem("fedavg_gap", "FedAvg, convex", bounds.fedavg_average_gap, _GAP, "local SGD"),
    _theorem("scaffold_distance", "SCAFFOLD, strongly convex", bounds.scaffold_distance, _DISTANCE, "Scaffold"),
    _theorem("scaffold_gap", "SCAFFOLD, convex", bounds.scaffold_average_gap, _GAP, "Scaffold"),
)
