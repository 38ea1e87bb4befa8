"""What is known exactly of a simulated run: ``E F(w) - F*`` and ``E |w - w*|^2`` at its records, worked out when asked for.

A sample cannot show what never occurred in it: under a random cohort the mean square may grow while every run that was
drawn looks tame.  For quadratic problems the expectations are known without sampling, so that bands are held against them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from fltheory.algorithms.step_weighted import StepWeighted
from fltheory.algorithms.subsets import NormalisedUniform
from fltheory.algorithms.vocabulary import Algorithm, Vector, leaves
from fltheory.kinds import Array, Integers
from fltheory.problems.base import Problem
from fltheory.problems.blocks import blocks_of
from fltheory.problems.oracles import AnyOracle
from fltheory.readings.arrays import participation_of
from fltheory.readings.entry import changing_fields, require_quadratic
from fltheory.readings.moments import Moments, find_moments
from fltheory.readings.tokens import CostFederation, Token
from fltheory.readings.warned import ROUNDED_AWAY

#: Larger states (the dimension of all vectors that are carried from round to round) are not followed exactly.
LARGEST_STATE = 64
#: Nor are runs of more work than this, in elementary operations: some seconds.
MOST_WORK = 3_000_000_000
#: What a round costs beside its products of matrices: one map for all rounds, or a new one for each.
ROUND, NEW_ROUND = 300_000, 6_000_000
#: Schemes whose moments need a list of their cohorts are followed up to so many.
MOST_COHORTS = 2_000


@dataclass(frozen=True, eq=False)
class Known:
    """Exact expectations at the records, ``(records,)`` each, ``+inf`` beyond the range of floats; or why there are none."""

    gap: Array | None = None
    squared_distance: Array | None = None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Expectation:
    """All that an exact expectation of a run needs, kept until somebody asks for it."""

    problem: Problem
    algorithm: Algorithm
    oracle: AnyOracle | None
    centre_oracle: AnyOracle | None
    starts: Array

    def at(self, rounds: Integers) -> Known:
        """The expectations after the given numbers of rounds."""
        if not (self.starts == self.starts[0]).all():
            return Known(reason="the runs start at different models")
        last, step = int(rounds[-1]), int(np.gcd.reduce(rounds)) or 1
        try:
            reason = self._too_large(last)
            if reason:
                return Known(reason=reason)
            centre = self.centre_oracle if hasattr(self.problem, "centre_gradient") else None
            with np.errstate(over="ignore", invalid="ignore"):
                found = find_moments(
                    self.problem,
                    self.algorithm,
                    rounds=last,
                    oracle=self.oracle,
                    centre_oracle=centre,
                    start=self.starts[0],
                    every=step,
                )
        except (ValueError, TypeError) as error:
            return Known(reason=str(error))
        assert isinstance(found, Moments)  # all of them were asked for
        if found.status == ROUNDED_AWAY:
            return Known(reason=f"rounding leaves no digit of exact moments after round {int(found.rounds[-1])}")
        return at_records(found, rounds)

    def _too_large(self, rounds: int) -> str:
        """Why exact moments would take too long, or nothing."""
        require_quadratic(self.problem, "an exact expectation")
        n, d = int(self.problem.n_clients), int(self.problem.dimension)
        scheme = participation_of(self.algorithm)
        fed = CostFederation(n, scheme, blocks=blocks_of(self.problem))
        state = leaves(self.algorithm.start(fed, Vector(fed, Token("state"))))
        size = d * sum(1 if isinstance(leaf, Vector) else n for leaf in state)
        if size > LARGEST_STATE:
            return f"a state of dimension {size} exceeds {LARGEST_STATE}"
        if isinstance(scheme, (NormalisedUniform, StepWeighted)):
            slots = scheme.slots(n)
            cohorts = comb(n, slots) if slots <= n else n**slots
            if max(cohorts, n**slots if isinstance(scheme, StepWeighted) else 0) > MOST_COHORTS:
                return f"{type(scheme).__name__} has more than {MOST_COHORTS} cohorts"
        each = NEW_ROUND if changing_fields(self.algorithm) else ROUND
        work = rounds * (each + (2 * n + 2) ** 2 * (size + 1) ** 3)
        return "" if work <= MOST_WORK else f"exact moments of {rounds} rounds would take too long"


def at_records(found: Moments, rounds: Integers) -> Known:
    """Exact moments at the records of a run; ``+inf`` from where they left the range of floats.

    Raises
    ------
    ValueError : moments that do not list a record.
    """
    places = np.searchsorted(found.rounds, rounds)
    listed = places < len(found.rounds)
    listed[listed] = found.rounds[places[listed]] == rounds[listed]
    over = (rounds > found.rounds[-1]) & (found.status == "diverged")
    if not (listed | over).all():
        raise ValueError(
            f"moments do not list round {int(rounds[~(listed | over)][0])} of the run; expected all its records, such as "
            f"moments(..., rounds={int(rounds[-1])})"
        )

    def listed_values(own: Array) -> Array:
        return np.where(listed, np.asarray(own, dtype=np.float64)[np.where(listed, places, 0)], np.inf)

    return Known(listed_values(found.gap), listed_values(found.squared_distance))
