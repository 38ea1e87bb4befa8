"""What a plan predicts with: the expected gap after some rounds, exact on quadratics, linearised at the minimiser else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import PointLike
from fltheory.problems.oracles import AnyOracle
from fltheory.problems.scaled import is_quadratic
from fltheory.readings.linear_models import model_with_oracles
from fltheory.readings.moments import find_moments

EXACT = "exact moments"
LINEARISED = "moments linearised at the minimiser"


@dataclass(frozen=True, eq=False)
class Predictor:
    """``E F(w_R) - F*`` of an algorithm from ``start``, by ``how``; ``smoothness`` is the scale of step sizes."""

    problem: Any
    oracle: AnyOracle | None
    centre_oracle: AnyOracle | None
    start: PointLike | None
    how: str
    smoothness: float

    def gap(self, algorithm: Algorithm, rounds: int) -> float:
        """The expected gap; ``inf`` where the run diverges, or where rounding may have changed it by more than a relative 1e-8."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = find_moments(
                self.problem,
                algorithm,
                rounds=rounds,
                oracle=self.oracle,
                centre_oracle=self.centre_oracle,
                start=self.start,
                every=rounds,
                keep="traces",
            )
            if found.status != "finished" or found.rounding:
                return math.inf
            value = float(found.gap[-1])
        return value if math.isfinite(value) else math.inf


def predictor(
    problem: Any, oracle: AnyOracle | None, centre_oracle: AnyOracle | None, start: PointLike | None
) -> Predictor:
    """The predictor of a problem.

    Raises
    ------
    ValueError : a problem without a minimiser; as :func:`fltheory.readings.linear_models.linearised_moments`.
    """
    known = problem.constants
    assert known.minimiser is not None  # asked for: what has none is refused there, in its own words
    parts = (problem.clients, problem.centre) if hasattr(problem, "centre_gradient") else (problem,)
    exact = all(is_quadratic(part) for part in parts)
    model, noise, central = model_with_oracles(problem, oracle, centre_oracle)
    begin = np.zeros(problem.dimension) if start is None else start
    return Predictor(model, noise, central, begin, EXACT if exact else LINEARISED, float(known.smoothness))
