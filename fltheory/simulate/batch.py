"""Many configurations of one problem in one call: algorithms that differ in numbers share the work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import numpy as np

from fltheory.algorithms.participation import Full
from fltheory.algorithms.vocabulary import Algorithm, ClientVector, check_algorithm, leaves, model_of
from fltheory.kinds import Array
from fltheory.machine import is_interrupt
from fltheory.problems.base import Problem, check_count, check_problem, check_request
from fltheory.problems.checks import shown
from fltheory.progress import tells
from fltheory.readings.arrays import participation_of
from fltheory.readings.entry import changing_fields
from fltheory.readings.recorder import NotRecordable, RecordedRound, record_start
from fltheory.simulate import loop
from fltheory.simulate.affine_rounds import affine_rounds
from fltheory.simulate.chunk import Job, Piece
from fltheory.simulate.client_maps import with_client_maps
from fltheory.simulate.compiled import CompiledBatch, Engine, engine_of, texts_of
from fltheory.simulate.noise_in_law import NoiseInLaw
from fltheory.simulate.run import Run
from fltheory.simulate.work import check_work

#: Entries of the states of the runs that share one flat array.
BATCH_NUMBERS = 2**22


@tells("simulate_batch")
def simulate_batch(
    problem: Problem,
    algorithms: Sequence[Algorithm],
    *,
    rounds: int,
    starts: Sequence[Any] | None = None,
    **settings: Any,
) -> list[Run]:
    """``[simulate(problem, a, rounds=rounds, start=s, **settings) for a, s in zip(algorithms, starts)]``, bit for bit.

    All algorithms see the same random numbers: run ``r`` of each has the streams of run ``r``.  ``starts`` holds one initial
    model for each algorithm, ``(d,)`` or ``(runs, d)``, default zero; ``settings`` are those of
    :func:`fltheory.simulate.loop.simulate`.

    Algorithms whose rounds say the same words with other numbers (step sizes, server rates, weights of proximal terms) and
    that share a participation scheme run side by side in one kernel.  Others go one after another.  An interrupt ends those
    that are under way as it ends one.

    Raises
    ------
    ValueError : as :func:`fltheory.simulate.loop.simulate`; algorithms that are no sequence; starts that are not one for each
        algorithm; records of all algorithms together that memory cannot hold.
    """
    if not isinstance(algorithms, Iterable):
        raise ValueError(f"algorithms={shown(algorithms)} is no sequence; expected one such as [FedAvg(1, 0.1)]")
    algorithms = list(algorithms)
    points = [settings.pop("start", None)] * len(algorithms) if starts is None else list(starts)
    if len(points) != len(algorithms):
        raise ValueError(f"starts has {len(points)} entries for {len(algorithms)} algorithms; expected one for each")
    _check_size(problem, len(algorithms), rounds, settings)
    found: list[Run | None] = [None] * len(algorithms)
    if len(algorithms) > 1 and settings.get("progress") is None and loop.COMPILED:
        for family in _alike(algorithms):
            _together(problem, algorithms, points, family, found, rounds, settings)
    return [
        loop.simulate(problem, algorithm, rounds=rounds, start=point, **settings) if run is None else run
        for algorithm, point, run in zip(algorithms, points, found, strict=True)
    ]


def _check_size(problem: Problem, count: int, rounds: int, settings: dict[str, Any]) -> None:
    """Raise ``ValueError`` where the records of all algorithms together would not fit."""
    check_problem("problem", problem)
    rounds, runs = check_count("rounds", rounds), check_count("runs", settings.get("runs", 1))
    every = check_count("record_every", settings.get("record_every", 1))
    kept = settings.get("keep_models") is True
    each = loop.numbers_kept(rounds, every, runs, int(problem.dimension), keep_models=kept)
    asked = f"{count} algorithms, rounds={rounds} with runs={runs}, record_every={every}"
    check_request(
        asked, count * each, instead="fltheory.sweep keeps on disk what is done; record_every keeps fewer records"
    )


def _alike(algorithms: list[Algorithm]) -> list[list[int]]:
    """Numbers of algorithms of one class, scheme, and kind of schedule, at least two."""
    groups: dict[Any, list[int]] = {}
    for i, algorithm in enumerate(algorithms):
        check_algorithm("algorithm", algorithm)
        key = (type(algorithm), repr(participation_of(algorithm)), bool(changing_fields(algorithm)))
        groups.setdefault(key, []).append(i)
    return [members for members in groups.values() if len(members) > 1]


def _together(
    problem: Problem,
    algorithms: list[Algorithm],
    points: list[Any],
    members: list[int],
    found: list[Run | None],
    rounds: int,
    settings: dict[str, Any],
) -> None:
    """Fill in the runs of the members that can be compiled."""
    setup = loop.prepare(problem, algorithms[members[0]], rounds=rounds, **settings)
    job = setup.job
    engine = engine_of(job)
    if isinstance(engine, str) or job.device is not None:
        return
    weights = np.asarray(job.problem.weights, dtype=np.float64)
    probe = job.federation(np.zeros(1, dtype=np.int64))
    template = algorithms[members[0]].start(probe, probe.vector(np.zeros(job.problem.dimension)))
    structures: dict[Any, list[_Asked]] = {}
    participation = participation_of(job.algorithm)
    whole = isinstance(participation, Full) or isinstance(job.oracle, NoiseInLaw)
    fit = {getattr(job.algorithm, "local_steps", None)}
    for i in members:
        try:
            if getattr(algorithms[i], "local_steps", None) not in fit:
                check_work(job.problem, algorithms[i], job.oracle, participation, rounds=rounds, runs=setup.runs)
                fit.add(getattr(algorithms[i], "local_steps", None))
            if whole:
                own = replace(job, algorithm=algorithms[i], stop=Event(), left={}, mapped=[])
                if affine_rounds(own) is not None:  # one product a round is faster still
                    found[i] = loop.run_prepared(replace(setup, job=own), points[i])
                    continue
            opening = record_start(algorithms[i], weights)
            texts = texts_of(algorithms[i], template, weights, rounds)
        except Exception:  # the loop says what is wrong, in its own words
            continue
        key = (opening, texts[0].text, texts[0].constant)
        structures.setdefault(key, []).append(_Asked(i, algorithms[i], points[i], texts))
    for asked in structures.values():
        numbers = sum(leaf.size for leaf in _numbers_of(template)) * setup.runs
        text = asked[0].texts[0].text
        own = with_client_maps(replace(job, algorithm=asked[0].algorithm, stop=Event()), text)
        fitted = engine if own.plan is job.plan else engine_of(own)
        if isinstance(fitted, str):
            continue
        fitting = fitted.most(text) or len(asked)
        most = max(1, min(-(-len(asked) // setup.threads), BATCH_NUMBERS // numbers, fitting))
        parts = [asked[a : a + most] for a in range(0, len(asked), most)]
        for part, runs in zip(parts, _run_parts(setup, own, fitted, parts), strict=True):
            for one, run in zip(part, runs, strict=True):
                found[one.place] = run


@dataclass(frozen=True, eq=False)
class _Asked:
    """One algorithm, its place in the answer, its start and its texts."""

    place: int
    algorithm: Algorithm
    start: Any
    texts: list[RecordedRound]


def _numbers_of(template: Any) -> list[Array]:
    return [leaf.payload.values if isinstance(leaf, ClientVector) else leaf.payload for leaf in leaves(template)]


def _run_parts(setup: loop.Prepared, job: Job, engine: Engine, parts: list[list[_Asked]]) -> list[list[Run | None]]:
    """All parts, shared among threads."""
    if len(parts) == 1 or setup.threads == 1:
        return [_run(setup, job, engine, part) for part in parts]
    with ThreadPoolExecutor(setup.threads, thread_name_prefix="fltheory") as pool:
        futures = [pool.submit(_run, setup, job, engine, part) for part in parts]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        except (KeyboardInterrupt, SystemError) as error:
            if not is_interrupt(error):
                raise
        finally:
            job.stop.set()
    return [future.result() for future in futures]


def _run(setup: loop.Prepared, job: Job, engine: Engine, asked: list[_Asked]) -> list[Run | None]:
    """The runs of algorithms of one structure."""
    runs, d = setup.runs, int(job.problem.dimension)
    ids = np.arange(setup.first_run, setup.first_run + runs)
    models = np.zeros((len(asked), runs, d))
    for own, one in zip(models, asked, strict=True):
        if one.start is not None:
            own[:] = loop.starts(one.start, runs, d)
    piece = Piece.of(job, np.tile(ids, len(asked)), models.reshape(-1, d))
    fed = job.federation(piece.run_ids)
    interrupted = False
    with np.errstate(over="ignore", invalid="ignore"):
        state = job.algorithm.start(fed, fed.vector(piece.models))
        piece.record(job, model_of(job.algorithm, fed, state).payload)
        try:
            batch = CompiledBatch.of(job, engine, [one.texts for one in asked], [runs] * len(asked), piece, state)
        except NotRecordable:
            return [None] * len(asked)
        if batch is None:
            return [None] * len(asked)
        try:
            batch.run()
        except (KeyboardInterrupt, SystemError) as error:
            if not is_interrupt(error) or piece.done == 0:
                raise
            interrupted = True
        # Where another thread heard of the interrupt.
        interrupted |= job.stop.is_set() and piece.done < len(job.recorded)
    found: list[Run | None] = []
    for i, one in enumerate(asked):
        rows = slice(i * runs, (i + 1) * runs)
        part = Piece(
            ids.copy(),
            piece.models[rows].copy(),
            piece.measured[rows],
            None if piece.kept is None else piece.kept[rows],
            piece.diverged[rows],
            piece.done,
        )
        known = setup.expectation(one.algorithm, models[i])
        found.append(
            loop.collect(setup.head(one.algorithm), job, [part], interrupted, known, loop.compiled_engine(job))
        )
    return found
