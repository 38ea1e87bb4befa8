"""Gradient descent (Nesterov 2004) in the vocabulary of hypotheses: rounds of one local step of every client."""

from __future__ import annotations

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.hypotheses import (
    CohortLaw,
    ConstantStep,
    ConvexLosses,
    ExactGradients,
    Inequality,
    SmoothLosses,
)
from fltheory.theory.hypotheses.quantities import parsed
from fltheory.theory.nesterov2004 import bounds
from fltheory.theory.rates import STANDARD, RateTheorem

VALUES = {"L": "L", "mu": "mu", "s": "eta", "R": "R", "D1": "D_sq"}
_ONE_STEP = Inequality("E = 1, gradient descent", sp.Eq(parsed("E"), 1))


def _theorem(name: str, title: str, bound: Bound, measure: str) -> RateTheorem:
    return RateTheorem(
        f"nesterov2004.{name}",
        f"Nesterov (2004), {title}",
        bound,
        measure,
        "FedAvg",
        VALUES,
        dict.fromkeys(bound.premises, (SmoothLosses(), ConvexLosses(), ExactGradients())),
        (_ONE_STEP, CohortLaw("full"), ConstantStep("eta")),
        constants=STANDARD,
    )


RATES = (
    _theorem("distance", "Theorem 2.1.15, distance", bounds.gradient_descent_distance, "squared distance"),
    _theorem("gap", "Theorem 2.1.15, gap", bounds.gradient_descent_gap, "gap"),
    _theorem("convex", "Corollary 2.1.2", bounds.gradient_descent_convex, "gap"),
)
