"""The cohorts of many rounds at once, for compiled runs: those of the loop, number for number."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory import streams
from fltheory.algorithms.participation import Full, Participation
from fltheory.kinds import Array, Integers
from fltheory.readings.refusals import require_no_absent


@dataclass(frozen=True)
class CohortSource:
    """Cohorts of the runs ``run_ids``; ``whole`` refuses weight on clients that are absent.

    Runs of one number in several configurations share theirs: ``rows`` says where a run's cohort stands.
    """

    participation: Participation
    weights: Array
    seed: int
    run_ids: Integers
    whole: bool

    @cached_property
    def _different(self) -> tuple[Integers, Integers]:
        different, rows = np.unique(self.run_ids, return_inverse=True)
        return different, rows.astype(np.int64).reshape(-1)

    @property
    def rows(self) -> Integers:
        """``(runs,)``."""
        return self._different[1]

    @property
    def drawn(self) -> bool:
        """Whether they differ from round to round."""
        return not isinstance(self.participation, Full)

    @property
    def slots(self) -> int:
        """Slots of a cohort."""
        return int(self.participation.slots(len(self.weights)))

    def block(self, first: int, count: int) -> tuple[Integers, Array, Array]:
        """Clients and coefficients ``(count, rows, slots)``, weight of the absent ``(count, rows)``."""
        if not self.drawn:
            n = len(self.weights)
            return (
                np.zeros((1, 1, 1), dtype=np.int64),
                owned(self.weights, np.float64).reshape(1, 1, n),
                np.zeros((1, 1)),
            )
        rounds = np.arange(first, first + count)
        keys = streams.key(self.seed, self._different[0][None, :], rounds[:, None], streams.COHORT_CLIENT)
        u = streams.uniforms(keys[..., None], 0, np.arange(self.slots)).reshape(-1, self.slots)
        clients, coefficients, absent = self.participation.cohort(np.asarray(self.weights, dtype=np.float64), u)
        if self.whole:
            require_no_absent(bool(np.any(absent != 0)), self.participation)
        shape = (count, len(self._different[0]), self.slots)
        return (
            owned(clients, np.int64).reshape(shape),
            owned(coefficients, np.float64).reshape(shape),
            owned(absent, np.float64).reshape(shape[:2]),
        )


def owned(array: Any, kind: Any) -> Array:
    """A contiguous, writable copy."""
    return np.array(array, dtype=kind, order="C")
