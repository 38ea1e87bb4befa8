"""Draws of a simulation in plain NumPy, for problems whose sample gradients take one batch at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fltheory import streams
from fltheory.problems.oracles import MiniBatch
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings.draws import START_ROUND, StreamDraws, batch_rows

Array = npt.NDArray[Any]


class RunDraws(StreamDraws):
    """:class:`StreamDraws`; mini-batches of problems other than quadratics are computed slot by slot.

    The interface of a problem promises ``sample_gradients(client, point, rows)`` for one list of rows.  This is the
    slow, plain way, and the kernels' twin.
    """

    def gradient(self, round: int, step: int, x: Array, clients: Array, occurrence: Array) -> Array:
        oracle = self.oracle
        if not isinstance(oracle, MiniBatch) or isinstance(self.problem, QuadraticProblem):
            return super().gradient(round, step, x, clients, occurrence)
        keys = slot_keys(self.seed, self.run_ids, round, clients, occurrence)
        rows = batch_rows(self.problem, oracle, clients, keys, step)
        answers = np.empty(x.shape)
        for run, slot in np.ndindex(*clients.shape):
            gradients = self.problem.sample_gradients(int(clients[run, slot]), x[run, slot], rows[run, slot])
            answers[run, slot] = gradients.sum(axis=0) / oracle.size
        return answers


def slot_keys(
    seed: int, run_ids: npt.NDArray[np.int64], round: int, clients: Array, occurrence: Array
) -> npt.NDArray[np.uint64]:
    """Stream keys of a round's slots, ``(runs, slots)``; further independent runs of a client have their own."""
    keys = streams.key(seed, run_ids[:, None], round if round >= 0 else START_ROUND, clients)
    return np.where(occurrence > 0, streams.fold(keys, occurrence), keys)
