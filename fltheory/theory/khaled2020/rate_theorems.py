"""Local SGD by Khaled et al. (2020) in the vocabulary of hypotheses: T = R E steps, H = E between averagings, M = N."""

from __future__ import annotations

from fltheory.theory.bound import Bound
from fltheory.theory.hypotheses import (
    AlikeClients,
    BoundedBelow,
    BoundedVariance,
    CohortLaw,
    ConstantStep,
    ConvexLosses,
    DissimilarityAtMinimiser,
    EqualWeights,
    Hypothesis,
    IndependentNoise,
    SmoothAnswers,
    SmoothLosses,
)
from fltheory.theory.khaled2020 import bounds
from fltheory.theory.rates import RECALLED, RateTheorem

VALUES = {
    "L": "L",
    "mu": "mu",
    "s": "eta",
    "T": "steps",
    "H": "E",
    "M": "N",
    "sigma_sq": "sigma_sq",
    "sigma_dif_sq": "zeta_sq + sigma_star_sq",
    "D1": "D_sq",
}
_CLIENTS = (ConvexLosses(), SmoothLosses(), EqualWeights(), CohortLaw("full"))
_SAME = (AlikeClients(), IndependentNoise(), BoundedVariance("sigma_sq"))
_APART = (SmoothAnswers(), IndependentNoise(), DissimilarityAtMinimiser(), BoundedVariance("sigma_star_sq"))


def _theorem(name: str, title: str, bound: Bound, measure: str, noise: tuple[Hypothesis, ...]) -> RateTheorem:
    clients, answers = bound.premises
    return RateTheorem(
        f"khaled2020.{name}",
        f"Khaled et al. (2020), {title}",
        bound,
        measure,
        "FedAvg",
        VALUES,
        {clients: _CLIENTS, answers: noise},
        (BoundedBelow(), ConstantStep("eta")),
        constants=RECALLED,
    )


_MEAN = "gap of the mean"
RATES = (
    _theorem("heterogeneous_convex", "heterogeneous data", bounds.heterogeneous_convex, _MEAN, _APART),
    _theorem("identical_convex", "one loss, convex", bounds.identical_convex, _MEAN, _SAME),
    _theorem(
        "identical_strongly_convex",
        "one loss, strongly convex",
        bounds.identical_strongly_convex,
        "squared distance",
        _SAME,
    ),
)
