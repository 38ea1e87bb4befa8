"""FedLin (Mitra et al. 2021) in the vocabulary of hypotheses: ``GradientCorrected`` with a server step size of 1."""

from __future__ import annotations

import sympy as sp

from fltheory.theory.hypotheses import (
    BoundedBelow,
    CohortLaw,
    ConstantStep,
    EqualWeights,
    ExactGradients,
    Inequality,
    SmoothLosses,
    StronglyConvexLosses,
)
from fltheory.theory.hypotheses.quantities import parsed
from fltheory.theory.mitra2021.bounds import fedlin
from fltheory.theory.rates import RECALLED, RateTheorem

VALUES = {"L": "L", "mu": "mu", "s": "eta", "H": "E", "R": "R", "F0": "gap"}
_CLIENTS = (SmoothLosses(), StronglyConvexLosses(), EqualWeights(), ExactGradients(), CohortLaw("full"))
RATES = (
    RateTheorem(
        "mitra2021.fedlin",
        "Mitra et al. (2021), FedLin",
        fedlin,
        "gap",
        "GradientCorrected",
        VALUES,
        dict.fromkeys(fedlin.premises, _CLIENTS),
        (BoundedBelow(), ConstantStep("eta"), Inequality("eta_s = 1", sp.Eq(parsed("eta_s"), 1))),
        constants=RECALLED,
    ),
)
