"""Answers by keys from an oracle that only draws with NumPy generators: the slow way, one generator per answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.problems.base import Array, Problem, check_shape
from fltheory.problems.oracles.protocol import DRAWS, KEYED, AnyOracle, Drawn, Sampler


@dataclass(frozen=True)
class GeneratorSampler:
    """Each slot's answer from ``oracle.draw`` with a generator of its own, keyed by the slot's stream and the step.

    So an answer depends on its address only, whatever is drawn beside it.
    """

    oracle: Drawn
    problem: Problem

    def __call__(self, x: Array, clients: Array, keys: Array, step: int) -> Array:
        """``(runs, slots, d)``."""
        answers = np.empty_like(x)
        for slot in np.ndindex(*keys.shape):
            rng = np.random.Generator(np.random.Philox(key=np.array([keys[slot], step], dtype=np.uint64)))
            answer: Any = np.asarray(self.oracle.draw(self.problem, clients[slot][None], x[slot][None], rng))
            check_shape(f"an answer of {type(self.oracle).__name__}", answer, (1, x.shape[-1]))
            answers[slot] = answer[0]
        return answers


def sampler_of(oracle: AnyOracle, problem: Problem) -> Sampler:
    """The oracle's sampler by keys, or one made of its generators.

    Raises
    ------
    ValueError : it has neither.
    """
    if KEYED.offered_by(oracle):
        return KEYED.of(oracle, "runs need").sampler(problem)
    return GeneratorSampler(DRAWS.of(oracle, "runs need"), problem)


def require_sampler(oracle: AnyOracle) -> None:
    """Raise ``ValueError`` if no answers can be drawn from an oracle."""
    if not KEYED.offered_by(oracle):
        DRAWS.of(oracle, "runs need")
