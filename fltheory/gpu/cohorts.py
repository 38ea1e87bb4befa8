"""Cohorts of many rounds in one call and one transfer: a scheme draws each row of uniforms by itself."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fltheory import streams
from fltheory.algorithms.participation import Full, Participation
from fltheory.kinds import Array, Floats, Integers
from fltheory.readings.arrays import Cohorts
from fltheory.readings.draws import StreamDraws

#: Rounds that are drawn ahead, and integers that they may have together.
ROUNDS, MOST = 64, 2**20


@dataclass(frozen=True)
class Ahead:
    """Cohorts of the rounds from ``first``: clients and coefficients ``(rounds, runs, slots)``, absent ``(rounds, runs)``."""

    first: int
    clients: Integers
    coefficients: Floats
    absent: Floats


@dataclass(frozen=True)
class DrawsAhead(StreamDraws):
    """:class:`StreamDraws`, number for number."""

    _drawn: list[Ahead] = field(default_factory=list, compare=False, repr=False)

    def cohorts(self, round: int, participation: Participation, weights: Array) -> Cohorts:
        if isinstance(participation, Full):
            return super().cohorts(round, participation, weights)
        ahead = self.ahead(round, participation, weights)
        at = round - ahead.first
        return Cohorts(ahead.clients[at], ahead.coefficients[at], ahead.absent[at])

    def ahead(self, round: int, participation: Participation, weights: Array) -> Ahead:
        """The cohorts among which are those of ``round``."""
        if not self._drawn or not 0 <= round - self._drawn[0].first < len(self._drawn[0].clients):
            self._drawn[:] = [self._draw(round, participation, np.asarray(weights, dtype=np.float64))]
        return self._drawn[0]

    def _draw(self, first: int, participation: Participation, weights: Floats) -> Ahead:
        slots = participation.slots(len(weights))
        count = max(1, min(ROUNDS, MOST // (self.runs * slots)))
        rounds = np.arange(first, first + count)[:, None]
        keys = streams.key(self.seed, self.run_ids, rounds, streams.COHORT_CLIENT)
        u = streams.uniforms(keys[..., None], 0, np.arange(slots)).reshape(-1, slots)
        clients, coefficients, absent = participation.cohort(weights, u)
        shape = (count, self.runs)
        return Ahead(
            first,
            np.ascontiguousarray(clients, dtype=np.int64).reshape(*shape, -1),
            np.ascontiguousarray(coefficients, dtype=np.float64).reshape(*shape, -1),
            np.ascontiguousarray(absent, dtype=np.float64).reshape(shape),
        )
