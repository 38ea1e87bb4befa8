"""Draws whose batches are compiled: many short calls, in which NumPy would spend most of a run's time."""

from __future__ import annotations

from functools import cached_property
from typing import Any, cast

import numpy as np

from fltheory import streams
from fltheory.kinds import Array, Integers
from fltheory.problems.base import SampledProblem
from fltheory.problems.oracles.protocol import KERNEL_BATCH
from fltheory.readings.draws import START_ROUND, StreamDraws


class CompiledDraws(StreamDraws):
    """Integer for integer its plain twin :class:`StreamDraws`."""

    def rows(self, round: int, step: int, clients: Array, occurrence: Array) -> Integers:
        count, replacement = KERNEL_BATCH.of(self.oracle, "batches need").kernel_batch()
        sizes = self._sizes[clients]
        if not replacement and (sizes < count).any():
            return super().rows(round, step, clients, occurrence)  # which says what is wrong
        rows = np.empty((*clients.shape, count), dtype=np.int64)
        at = round if round >= 0 else START_ROUND
        run_ids, slots, repeats, limits = map(_owned, (self.run_ids, clients, occurrence, sizes))
        self._kernel(rows, self._root, run_ids, at, self.first_client, slots, repeats, step, limits, replacement)
        return rows

    @cached_property
    def _sizes(self) -> Integers:
        return np.asarray(cast(SampledProblem, self.problem).sample_sizes, dtype=np.int64)

    @cached_property
    def _root(self) -> np.uint64:
        return np.uint64(streams.mix(np.uint64(streams.check_seed(self.seed))))

    @cached_property
    def _kernel(self) -> Any:
        from fltheory.kernels._random import batches

        return batches


def _owned(array: Array) -> Integers:
    """A contiguous, writable copy: the kernel is compiled for one kind of array."""
    return np.array(array, dtype=np.int64, order="C")
