"""Simulation in law: runs whose rounds are drawn whole from their exact Gaussian law, instead of step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Number
from fltheory.problems.base import Problem
from fltheory.problems.checks import is_real, shown
from fltheory.problems.oracles.additive import AdditiveNoise
from fltheory.simulate.loop import simulate
from fltheory.simulate.noise_in_law import NoiseInLaw
from fltheory.simulate.run import Run


def simulate_law(
    problem: Problem, algorithm: Algorithm, *, rounds: int, oracle: AdditiveNoise | Number, **settings: Any
) -> Run:
    """As :func:`fltheory.simulate.loop.simulate`, every round one draw of the law of its end given its begin.

    With quadratic losses, Gaussian noise that does not depend on the point, all clients and constant numbers the state after a
    round is Gaussian given the state before: ``T s + c + R z``.  The runs have the same joint law at all records as those of
    ``simulate``, to rounding, and other numbers: they see other draws, one normal for each entry of the state and round, from
    streams of their own, so that they are not paired with runs step by step.  The cost of a round is that of two products with
    ``(D, D)`` matrices for the state's ``D`` entries, whatever N and E are.

    ``oracle`` is an :class:`AdditiveNoise`, or a number, the variance of every coordinate; ``settings`` are those of
    ``simulate``, except that ``centre_oracle`` must be exact and ``backend`` cannot be "numpy".

    Raises
    ------
    ValueError : as ``simulate``; another oracle; rounds that have no such law, with the reason.
    """
    noise = AdditiveNoise(np.asarray(oracle)) if is_real(oracle) else oracle
    if not isinstance(noise, AdditiveNoise):
        raise ValueError(
            f"oracle={shown(oracle)} is not valid; expected AdditiveNoise, or the variance of every coordinate"
        )
    return simulate(problem, algorithm, rounds=rounds, oracle=NoiseInLaw(noise.covariance_of), **settings)
