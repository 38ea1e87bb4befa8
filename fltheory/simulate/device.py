"""One chunk of runs on a device: the same rounds and records, nothing copied back before it is asked for.

The host only queues work.  Which runs have diverged is noted on the device, round by round; a run that has keeps its numbers,
whatever they are, and is left out of the records.  Records lie on the device and are fetched at the end, or when the run is
interrupted; every :data:`LOOK` records the host waits for the device, tells of progress and stops if no run is alive.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import ClientVector, Vector, leaves, model_of
from fltheory.gpu.cohorts import DrawsAhead
from fltheory.gpu.device import DeviceArray, clear_errors
from fltheory.gpu.families import OnDevice
from fltheory.gpu.federation import DeviceFederation
from fltheory.gpu.plans import THREADS
from fltheory.readings.arrays import participation_of
from fltheory.simulate.chunk import Job, Piece

#: Records between two looks at what the device has done.
LOOK = 16
#: Numbers of a state that one block watches.
PART = 2**14


def run_on_device(job: Job, piece: Piece) -> None:
    """Twin: :func:`fltheory.simulate.chunk.run_piece`."""
    work: OnDevice = job.device
    algorithm, recorded = job.algorithm, job.recorded
    draws = DrawsAhead(job.problem, job.oracle, job.seed, piece.run_ids, job.centre_oracle)
    with clear_errors(work.device.name):
        fed = DeviceFederation(job.problem, participation_of(algorithm), draws, work)
        records = _Records(job, work, len(piece.run_ids))
        told = 0
        try:
            state = algorithm.start(fed, fed.vector(piece.models))
            records.add(model_of(algorithm, fed, state).payload)
            for round in range(int(recorded[-1])):
                if job.stop.is_set():
                    return
                fed.begin(round)
                state = algorithm.round(fed, state)
                records.watch(model_of(algorithm, fed, state), state, round + 1)
                if round + 1 != recorded[records.done]:
                    continue
                records.add(model_of(algorithm, fed, state).payload)
                if records.done % LOOK == 0 or records.done == len(recorded):
                    alive = records.any_alive()
                    job.counter.advance((round + 1 - told) * len(piece.run_ids))
                    told = round + 1
                    if not alive:
                        records.done = len(recorded)
                        return
        finally:
            records.fetch(piece)


class _Records:
    """Measurements, models and the rounds of divergence of one chunk, on the device."""

    def __init__(self, job: Job, work: OnDevice, runs: int) -> None:
        self.job, self.work, self.device, self.xp = job, work, work.device, work.device.xp
        count, d = len(job.recorded), int(job.problem.dimension)
        self.done = 0
        self.measured = self.xp.full((runs, count, job.evaluator.columns), np.inf)
        self.kept = self.xp.full((runs, count, d), np.inf) if job.keep_models else None
        self.models = self.xp.full((runs, d), np.inf)
        self.diverged = self.xp.full(runs, -1, dtype=np.int64)
        minimiser = job.evaluator.reference.minimiser
        self._minimiser = None if minimiser is None else self.xp.asarray(np.ascontiguousarray(minimiser))

    def watch(self, model: Vector, state: Any, finished: int) -> None:
        """Note the runs whose model has become too long, or whose state is not finite."""
        vectors = [model, *(leaf for leaf in leaves(state) if leaf is not model)]
        for number, vector in enumerate(vectors):
            values = vector.payload.values if isinstance(vector, ClientVector) else vector.payload
            runs = int(values.shape[0])
            entries = int(values.size) // runs
            parts = 1 if number == 0 else -(-entries // PART)
            self.device.launch(
                "watch",
                runs * parts,
                THREADS,
                16 * THREADS,
                x=self.xp.ascontiguousarray(values),
                entries=entries,
                parts=parts,
                bound=self.job.threshold if number == 0 else -1.0,
                finished=finished,
                diverged=self.diverged,
            )

    def add(self, model: DeviceArray) -> None:
        """Measure the runs that are alive; a run whose measurement is not finite has diverged."""
        xp, finished = self.xp, int(self.job.recorded[self.done])
        numbers = self._measure(model)
        lost = (self.diverged < 0) & ~xp.isfinite(numbers).all(axis=1)
        self.diverged = xp.where(lost, finished, self.diverged)
        alive = (self.diverged < 0)[:, None]
        self.measured[:, self.done] = xp.where(alive, numbers, np.inf)
        self.models = xp.where(alive, model, np.inf)
        if self.kept is not None:
            self.kept[:, self.done] = self.models
        self.done += 1

    def any_alive(self) -> bool:
        """Whether a run is alive; waits for the device."""
        return bool((self.diverged < 0).any())

    def fetch(self, piece: Piece) -> None:
        """Bring everything to the host."""
        host = self.xp.asnumpy
        piece.measured, piece.models, piece.diverged = host(self.measured), host(self.models), host(self.diverged)
        piece.kept = None if self.kept is None else host(self.kept)
        piece.done = self.done

    def _measure(self, model: DeviceArray) -> DeviceArray:
        """As :class:`fltheory.simulate.evaluate.Evaluator`, which itself is asked where the device cannot tell values."""
        xp, work, reference = self.xp, self.work, self.job.evaluator.reference
        if self.job.evaluator.objective is not None or (work.objective is None and work.excess is None):
            return xp.asarray(self.job.evaluator(xp.asnumpy(model)))
        if self._minimiser is None or reference.minimum is None:
            assert work.objective is not None  # a problem with a form has values
            return work.objective(model)[:, None]
        error = model - self._minimiser
        if work.excess is not None:
            excess = work.excess(error)
            values = reference.minimum + excess
        else:
            values = work.objective(model)  # type: ignore[misc]
            excess = values - reference.minimum
        return xp.stack([values, excess, (error * error).sum(axis=1)], axis=1)
