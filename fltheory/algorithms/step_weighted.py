"""Cohorts whose members made different numbers of steps: the scheme's coefficients, shifted in proportion to ``K_i``.

Augenstein et al., "Mixed Federated Learning" (2022), Algorithm 1: ``Delta = sum_S p_i Delta_i / sum_S p_i``, where ``p_i``
counts the examples that client ``i`` has seen, so ``p_i ~ K_i`` for batches of one size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np

from fltheory.algorithms.participation import CohortOutcome, Participation, SchemeMoments, one_of
from fltheory.kinds import Floats, Integers, Number


@dataclass(frozen=True)
class StepWeighted:
    """A scheme ``base`` whose coefficient ``c_i`` of slot ``i`` becomes ``(sum_S c_j) c_i K_i / sum_S c_j K_j``.

    The cohort keeps the total weight that the scheme gives it, one for most schemes; with equal ``c_i`` the result is the
    paper's ``K_i / sum_S K_j``, with equal ``K_i`` it is ``c_i``; a cohort of weight zero stays one.  The weight of absent
    clients stays as it is.  The denominator is random, so that moments come from the list of all cohorts.

    Raises
    ------
    ValueError : in ``check``, another number of counts than clients; in ``moments``, too many cohorts to list.
    """

    base: Participation
    steps: tuple[int, ...]

    @property
    def separate_runs(self) -> bool:
        """As the base."""
        return self.base.separate_runs

    def gradient_scale(self, weights: Sequence[Number]) -> list[Number] | None:
        """As the base."""
        return self.base.gradient_scale(weights)

    def slots(self, n_clients: int) -> int:
        """As the base."""
        return self.base.slots(n_clients)

    def check(self, weights: Sequence[Number]) -> None:
        """The base's check, and one count per client."""
        self.base.check(weights)
        if len(weights) != len(self.steps):
            raise ValueError(
                f"client_steps={self.steps} has {len(self.steps)} counts; expected one per client, N={len(weights)}"
            )

    def cohort(self, weights: Floats, u: Floats) -> tuple[Integers, Floats, Floats]:
        """The base's cohorts with the new coefficients; sums in the order of the slots, whatever the number of runs."""
        clients, coefficients, absent = self.base.cohort(weights, u)
        weighted = coefficients * np.asarray(self.steps, dtype=np.float64)[clients]
        slots = range(clients.shape[1])
        total, share = (reduce(add, (part[:, m] for m in slots)) for part in (coefficients, weighted))
        factor = np.divide(total, share, out=np.zeros_like(total), where=share > 0)
        return clients, weighted * factor[:, None], absent

    def outcomes(self, weights: Sequence[Number]) -> Iterator[CohortOutcome]:
        """The base's outcomes with the new coefficients."""
        self.check(weights)
        for outcome in self.base.outcomes(weights):
            weighted = [c * self.steps[k] for k, c in zip(outcome.clients, outcome.coefficients, strict=True)]
            total, share = reduce(add, outcome.coefficients), reduce(add, weighted)
            shifted = tuple(w * total / share if share else w for w in weighted)
            yield CohortOutcome(outcome.probability, outcome.clients, shifted, outcome.absent)

    def moments(self, weights: Sequence[Number]) -> SchemeMoments:
        """By enumeration."""
        n, one = len(weights), one_of(weights)
        size = 2 * n + 2
        kind = np.float64 if isinstance(one, float) else object
        mean, second, runs = np.zeros(size, dtype=kind), np.zeros((size, size), dtype=kind), np.zeros(n, dtype=kind)
        for outcome in self.outcomes(weights):
            scalars = np.array([0 * one] * size, dtype=kind)
            scalars[0], scalars[n + 1] = one, scalars[n + 1] + outcome.absent
            for client, coefficient in zip(outcome.clients, outcome.coefficients, strict=True):
                scalars[1 + client] = scalars[1 + client] + coefficient
                scalars[n + 2 + client] = one
                if self.separate_runs:
                    runs[client] = runs[client] + outcome.probability * coefficient * coefficient
            if not self.separate_runs:
                runs = runs + outcome.probability * scalars[1 : n + 1] ** 2
            mean = mean + outcome.probability * scalars
            second = second + outcome.probability * np.outer(scalars, scalars)
        return SchemeMoments(mean, second, runs)
