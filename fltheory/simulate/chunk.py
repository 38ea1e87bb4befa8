"""One chunk of runs: the loop over rounds, the records, and what becomes of runs that diverge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Event, Lock
from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm, ClientVector, Vector, leaves, model_of, with_leaves
from fltheory.kernels.plan import AnyPlan
from fltheory.kinds import Array, Integers, Truths
from fltheory.problems.base import Problem
from fltheory.problems.oracles import AnyOracle
from fltheory.readings.arrays import ArrayFederation, ClientArray, participation_of
from fltheory.readings.draws import StreamDraws
from fltheory.simulate.compiled import run_compiled
from fltheory.simulate.evaluate import Evaluator
from fltheory.simulate.federation import KernelFederation

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Job:
    """What all chunks share."""

    problem: Problem
    algorithm: Algorithm
    oracle: AnyOracle
    centre_oracle: AnyOracle
    seed: int
    draws: type[StreamDraws]
    plan: AnyPlan | None
    evaluator: Evaluator
    threshold: float
    recorded: Integers
    keep_models: bool
    counter: Counter
    central: AnyPlan | None = None
    compiled: bool = True
    stop: Event = field(default_factory=Event)
    #: Chunks by which engine went through their rounds: why it was the loop; those made by one map.
    left: dict[int, str] = field(default_factory=dict)
    mapped: list[int] = field(default_factory=list)
    #: How large quadratics with sampled cohorts make their local steps, and why; empty where there is no choice.
    steps_by: str = ""
    #: What is on a CUDA device (:class:`fltheory.gpu.families.OnDevice`), if that is where the runs are made.
    device: Any = None

    def federation(self, run_ids: Integers) -> ArrayFederation:
        draws = self.draws(self.problem, self.oracle, self.seed, run_ids, self.centre_oracle)
        participation = participation_of(self.algorithm)
        if self.plan is None:
            return ArrayFederation(self.problem, participation, draws)
        return KernelFederation(self.problem, participation, draws, self.plan, self.central)


@dataclass(eq=False)
class Piece:
    """One chunk of runs and its records; ``done`` counts the records that are complete."""

    run_ids: Integers
    models: Array
    measured: Array
    kept: Array | None
    diverged: Integers
    done: int = 0

    @classmethod
    def of(cls, job: Job, run_ids: Integers, models: Array) -> Piece:
        runs, records = len(run_ids), len(job.recorded)
        measured = np.full((runs, records, job.evaluator.columns), np.inf)
        kept = np.full((runs, records, models.shape[1]), np.inf) if job.keep_models else None
        return cls(run_ids, np.array(models), measured, kept, np.full(runs, -1, dtype=np.int64))

    @property
    def alive(self) -> Truths:
        return self.diverged < 0

    def record(self, job: Job, model: Array) -> None:
        """Measure the runs that are alive; a run whose measurement is not finite has diverged."""
        numbers = np.full(self.measured[:, 0].shape, np.inf)
        numbers[self.alive] = job.evaluator(model[self.alive])
        self.diverged[self.alive & ~np.isfinite(numbers).all(axis=1)] = job.recorded[self.done]
        alive = self.alive[:, None]
        self.measured[:, self.done] = np.where(alive, numbers, np.inf)
        self.models = np.where(alive, model, np.inf)
        if self.kept is not None:
            self.kept[:, self.done] = self.models
        self.done += 1

    def record_many(self, job: Job, models: Array) -> None:
        """The next records ``(runs, records, d)`` at once; a run that diverged keeps those before that round."""
        runs, count = models.shape[:2]
        at = job.recorded[self.done : self.done + count]
        valid = (self.diverged[:, None] < 0) | (self.diverged[:, None] > at)
        numbers = np.full((runs, count, self.measured.shape[2]), np.inf)
        numbers[valid] = job.evaluator(models[valid])
        bad = valid & ~np.isfinite(numbers).all(axis=2)
        for run in np.flatnonzero(bad.any(axis=1)):
            self.diverged[run] = at[int(np.argmax(bad[run]))]
        valid &= (self.diverged[:, None] < 0) | (self.diverged[:, None] > at)
        self.measured[:, self.done : self.done + count] = np.where(valid[:, :, None], numbers, np.inf)
        models = np.where(valid[:, :, None], models, np.inf)
        if self.kept is not None:
            self.kept[:, self.done : self.done + count] = models
        self.models = models[:, -1]
        self._advance(job, count)

    def take(self, job: Job, models: Array, count: int) -> None:
        """The next ``count`` records, measured and checked already; their models, or the last ones if none are kept."""
        if self.kept is not None:
            self.kept[:, self.done : self.done + count] = models
        self.models = models[:, -1]
        self._advance(job, count)

    def _advance(self, job: Job, count: int) -> None:
        for before, at in pairwise(job.recorded[self.done - 1 : self.done + count].tolist()):
            self.done += 1
            job.counter.advance((at - before) * len(self.run_ids))

    def abandon(self, job: Job) -> None:
        """All runs have diverged: the records to come are infinite already, and nothing is left to do."""
        self.models = np.full(self.models.shape, np.inf)
        left = int(job.recorded[-1] - job.recorded[self.done - 1])
        self.done = len(job.recorded)
        if left:
            job.counter.advance(left * len(self.run_ids))


#: What may go through all rounds of a chunk from its first state, in order: each answers "" once it has, or why it has not.
ENGINES: tuple[Callable[[Job, Piece, Any, Any], str], ...] = (run_compiled,)


def _by_engine(job: Job, piece: Piece, fed: ArrayFederation, state: Any) -> bool:
    """Whether one of the engines went through the rounds; ``job.left`` keeps why none has."""
    reasons: list[str] = []
    for engine in ENGINES:
        reason = engine(job, piece, fed, state)
        if not reason:
            return True
        reasons.append(reason)
    job.left[id(piece)] = "; ".join(reasons)
    return False


def run_piece(job: Job, piece: Piece) -> None:
    """All rounds of one chunk."""
    if job.device is not None:
        from fltheory.simulate.device import run_on_device

        run_on_device(job, piece)
        return
    from fltheory.simulate.affine_rounds import affine_rounds, run_affine

    one_map = affine_rounds(job)
    if one_map is not None:
        job.mapped.append(id(piece))
        return run_affine(job, piece, one_map)
    algorithm = job.algorithm
    fed = job.federation(piece.run_ids)
    with np.errstate(over="ignore", invalid="ignore"):
        state = algorithm.start(fed, fed.vector(piece.models))
        piece.record(job, model_of(algorithm, fed, state).payload)
        if job.compiled and _by_engine(job, piece, fed, state):
            return
        for round in range(int(job.recorded[-1])):
            if job.stop.is_set():
                return
            fed.begin(round)
            state = algorithm.round(fed, state)
            state = _retire(job, piece, fed, state, round + 1)
            if not piece.alive.any():
                piece.abandon(job)
                return
            if round + 1 == job.recorded[piece.done]:
                before = job.recorded[piece.done - 1]
                piece.record(job, model_of(algorithm, fed, state).payload)
                job.counter.advance(int(round + 1 - before) * len(piece.run_ids))


def _retire(job: Job, piece: Piece, fed: ArrayFederation, state: Any, finished: int) -> Any:
    """Mark the runs that have diverged in this round, and put zeros in their place so that they stay harmless."""
    model = model_of(job.algorithm, fed, state).payload
    healthy = np.sqrt((model * model).sum(axis=1)) <= job.threshold
    for leaf in leaves(state):
        values = leaf.payload.values if isinstance(leaf, ClientVector) else leaf.payload
        healthy &= np.isfinite(values).reshape(len(values), -1).all(axis=1)
    if healthy.all():
        return state
    piece.diverged[~healthy & piece.alive] = finished

    def cleared(values: Array) -> Array:
        return np.where(healthy.reshape(-1, *[1] * (values.ndim - 1)), values, 0.0)

    fresh: list[Any] = []
    for leaf in leaves(state):
        if isinstance(leaf, ClientVector):
            payload = ClientArray(cleared(leaf.payload.values), leaf.payload.everyone)
            fresh.append(ClientVector(fed, payload))
        else:
            fresh.append(Vector(fed, cleared(leaf.payload)))
    return with_leaves(state, fresh)


class Counter:
    """Adds up what the chunks have finished and tells the caller."""

    def __init__(self, total: int, report: Progress | None) -> None:
        self._total, self._report, self._finished, self._lock = total, report, 0, Lock()

    def advance(self, count: int) -> None:
        if self._report is not None:
            with self._lock:
                self._finished += count
                self._report(self._finished, self._total)
