"""Theorem 2.2 of Stich (2019) in the vocabulary of hypotheses: T = R E steps, H = E between averagings, K = N.

Its steps ``4/(mu (a + t))`` begin at t = 0: ``a = gamma + 1`` with the shift gamma of steps counted from t = 1.
"""

from __future__ import annotations

from fltheory.theory.hypotheses import (
    AlikeClients,
    BoundedSecondMoment,
    BoundedVariance,
    CohortLaw,
    EqualWeights,
    HarmonicStep,
    IndependentNoise,
    SmoothLosses,
    StronglyConvexLosses,
)
from fltheory.theory.rates import RECALLED, RateTheorem
from fltheory.theory.stich2019.bounds import theorem_2_2

VALUES = {
    "L": "L",
    "mu": "mu",
    "a": "gamma + 1",
    "T": "steps",
    "H": "E",
    "K": "N",
    "sigma_sq": "sigma_sq",
    "G2": "G_run_sq",
    "D1": "D_sq",
}
_CLIENTS, _GRADIENTS, _STEPS = theorem_2_2.premises
RATES = (
    RateTheorem(
        "stich2019.theorem_2_2",
        "Stich (2019), Theorem 2.2",
        theorem_2_2,
        "gap of the weighted mean",
        "FedAvg",
        VALUES,
        {
            _CLIENTS: (AlikeClients(), SmoothLosses(), StronglyConvexLosses(), IndependentNoise()),
            _GRADIENTS: (BoundedSecondMoment("run"),),
            _STEPS: (HarmonicStep("gamma", 4),),
        },
        (CohortLaw("full"), EqualWeights(), BoundedVariance("sigma_sq")),
        constants=RECALLED,
    ),
)
