"""The Gaussian law of a round: ``s+ = T s + c + R z`` with one standard normal ``z`` in the place of all noises of the round.

On a quadratic problem with additive Gaussian noise and all clients taking part a round is affine in the state and in the noises
of its gradients, so that the new state, given the old one, is Gaussian with mean ``T s + c`` and a covariance ``R R'`` that does
not depend on the state.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory import streams
from fltheory.algorithms.participation import Full
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Floats
from fltheory.problems.base import Problem
from fltheory.problems.oracles import AnyOracle, is_noisy
from fltheory.problems.oracles.additive import AdditiveNoise
from fltheory.readings.arrays import participation_of
from fltheory.readings.entry import Layout, changing_fields
from fltheory.readings.numbers import FLOAT
from fltheory.readings.walk import Walk

#: "Client" number of the draws of a whole round; no client, no cohort and no server draws there.
LAW_CLIENT = streams.COHORT_CLIENT - 2
#: A covariance that floats do not tell from a singular one: eigenvalues of the correlations below this
#: multiple of the largest are zero.
FLAT = 1e-14


class NoiseInLaw(AdditiveNoise):
    """Additive Gaussian noise whose effect is drawn once for a whole round."""


def gaussian_round(
    problem: Problem, algorithm: Algorithm, oracle: AnyOracle, centre_oracle: AnyOracle
) -> tuple[Layout, Floats, Floats, Floats]:
    """The layout of the state, ``T`` ``(D, D)``, ``c`` ``(D,)`` and ``R`` ``(D, D)`` of a round.

    Raises
    ------
    ValueError : gradients that are not affine, cohorts that are drawn, numbers that change from round to round, noise of the
        server's own loss, a word that looks at values; a model that is not the first part of the state.
    """
    scheme = participation_of(algorithm)
    if not isinstance(scheme, Full):
        raise ValueError(f"participation={scheme!r}: given a random cohort a round is no Gaussian; use simulate")
    if is_noisy(centre_oracle):
        raise ValueError(f"centre_oracle={centre_oracle!r}: rounds in law know noise of the clients only; use simulate")
    walk = Walk(
        problem, algorithm, oracle, None, None, FLOAT, origin=np.zeros(problem.dimension), what="the law of a round"
    )
    if walk.changes or changing_fields(algorithm):
        raise ValueError(
            f"algorithm={algorithm!r} changes from round to round: its rounds have no one law; use simulate"
        )
    if getattr(algorithm, "model", None) is not None or not walk.opening.layout.server[0]:
        raise ValueError(
            f"algorithm={type(algorithm).__name__}: its model is not the first part of its state; use simulate"
        )
    form = walk.raw_form(0)
    with np.errstate(over="ignore", invalid="ignore"):
        matrix, shift = form.mean_map()
        covariance = walk.fixed_noise(form)
    if not all(np.isfinite(part).all() for part in (matrix, shift, covariance)):
        raise ValueError("the law of a round overflows: an entry is not finite in floats")
    return walk.opening.layout, np.ascontiguousarray(matrix), np.ascontiguousarray(shift), root_of(covariance)


def root_of(covariance: Any) -> Floats:
    """``R`` with ``R R'`` equal to a positive semidefinite matrix: Cholesky's factor, or by eigenvalues where it is singular.

    Singular is judged of correlations: an entry of small variance beside large ones keeps its own noise.  LAPACK computes it,
    so that last bits depend on processor and library.
    """
    symmetric = (covariance + covariance.T) / 2
    try:
        return np.asarray(np.linalg.cholesky(symmetric))
    except np.linalg.LinAlgError:
        lengths = np.sqrt(np.maximum(np.diagonal(symmetric), 0.0))
        each = np.where(lengths > 0, lengths, 1.0)
        values, basis = np.linalg.eigh(symmetric / each[:, None] / each)
        return np.asarray(lengths[:, None] * basis * np.sqrt(np.where(values > FLAT * values[-1], values, 0.0)))
