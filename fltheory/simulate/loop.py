"""The one loop: rounds of any algorithm on any problem, for a batch of independent runs.

Runs are cut into chunks, chunks are shared among threads, and every chunk goes through the same loop.  A run's random
streams are keyed by its own number, sums have a fixed order, and kernels hold no lock: the same bits come out for any
number of threads, any chunking and any number of runs side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm, check_algorithm
from fltheory.kernels.plan import AnyPlan
from fltheory.kinds import Array, Integers, PointLike
from fltheory.machine import cores, is_interrupt
from fltheory.problems.base import (
    Problem,
    check_count,
    check_finite,
    check_flag,
    check_function,
    check_positive,
    check_problem,
    check_request,
    check_shape,
    real_array,
)
from fltheory.problems.oracles import AnyOracle, Exact, check_oracle
from fltheory.problems.oracles.generator import require_sampler
from fltheory.progress import tells
from fltheory.readings.arrays import participation_of
from fltheory.readings.centre import check_centre_oracle
from fltheory.readings.centre_use import require_use_of_centre
from fltheory.readings.numbers import FLOAT, convert_problem
from fltheory.simulate.backends import choose_central, choose_device, choose_draws, choose_plan
from fltheory.simulate.chunk import Counter, Job, Piece, Progress, run_piece
from fltheory.simulate.client_maps import with_client_maps
from fltheory.simulate.compiled import COMPILED as COMPILED_ENGINE
from fltheory.simulate.evaluate import Evaluator, reference_of
from fltheory.simulate.expectation import Expectation, Known
from fltheory.simulate.run import COMPLETED, DIVERGED, INTERRUPTED, Run
from fltheory.simulate.work import check_work
from fltheory.streams import check_seed

#: A chunk's cohort of models stays below this many numbers, about a shared cache's size.
CHUNK_NUMBERS = 2**20
#: The same on a device: one gigabyte.
DEVICE_NUMBERS = 2**27
#: No round of the loop is faster, whatever the problem; what takes longer than the second number is refused at once.
LEAST_SECONDS = 1e-8
LONGEST_SECONDS = 7 * 86400.0
#: Whether rounds are compiled where they can be; the bits are the same.
COMPILED = True


@tells("simulate", by="count")
def simulate(
    problem: Problem,
    algorithm: Algorithm,
    *,
    rounds: int,
    runs: int = 1,
    seed: int = 0,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    start: PointLike | None = None,
    record_every: int = 1,
    first_run: int = 0,
    threads: int | None = None,
    chunk: int | None = None,
    backend: str = "auto",
    divergence_threshold: float = 1e12,
    keep_models: bool = False,
    reference: bool = True,
    objective: Callable[[Array], Any] | None = None,
    progress: Progress | bool | None = None,
) -> Run:
    """Run ``algorithm`` on ``problem`` for ``rounds`` communication rounds.

    ======================== =======================================================================================
    argument                 meaning
    ======================== =======================================================================================
    ``rounds``               communication rounds, at least 1
    ``runs``, ``first_run``  independent runs, numbered from ``first_run``; a run's numbers depend on its number only
    ``seed``                 nonnegative; cohorts and draws are keyed by (seed, run, round, client; step, index) and
                             not by the algorithm, so that two algorithms see the same randomness
    ``oracle``               gradient oracle, default exact; any object that draws will do, see ``problems.oracles.protocol``
    ``centre_oracle``        the same for the server's own loss of a mixed problem, with draws of its own
    ``start``                initial model ``(d,)``, or ``(runs, d)``; default zero
    ``record_every``         measure after every so many rounds; the start and the last round are always measured
    ``threads``, ``chunk``   threads, and runs per chunk; both only change the time it takes
    ``backend``              "auto" (kernels where they exist on the processor), "numpy", "numba"; "cupy" for a CUDA device: the
                             same cohorts, batches and noise, results equal to 1e-10 relative and not in their last bits
    ``divergence_threshold`` a run whose model is longer than this, or not finite, ends as diverged
    ``keep_models``          keep the models of all records
    ``reference``            compare with the minimum of the problem, which large problems must first compute
    ``objective``            function of one model ``(d,)`` that is recorded as objective instead of F; no reference then
    ``progress``             called with (finished, all) in units of one round of one run; False: no line on a terminal either
    ======================== =======================================================================================

    An interrupt from the keyboard ends the run with status "interrupted" and keeps the records that are complete.

    Raises
    ------
    ValueError : invalid arguments, a request that memory cannot hold or that would take weeks, a scheme or an oracle that
        does not fit the problem, a backend that is not there, an objective together with a reference; a mixed problem for
        an algorithm that never asks for the server's loss.
    """
    setup = prepare(
        problem,
        algorithm,
        rounds=rounds,
        runs=runs,
        seed=seed,
        oracle=oracle,
        centre_oracle=centre_oracle,
        record_every=record_every,
        first_run=first_run,
        threads=threads,
        chunk=chunk,
        backend=backend,
        divergence_threshold=divergence_threshold,
        keep_models=keep_models,
        reference=reference,
        objective=objective,
        progress=None if isinstance(progress, bool) else progress,
    )
    return run_prepared(setup, start)


def run_prepared(setup: Prepared, start: PointLike | None) -> Run:
    """All chunks of what was asked, one after another or shared among threads."""
    job, runs, first_run = setup.job, setup.runs, setup.first_run
    models = starts(start, runs, job.problem.dimension)
    try:
        pieces = [
            Piece.of(job, np.arange(first_run + a, first_run + min(a + setup.chunk, runs)), models[a : a + setup.chunk])
            for a in range(0, runs, setup.chunk)
        ]
        interrupted = _run_all(job, pieces, setup.threads)
    except MemoryError:
        raise setup.too_large() from None
    known = setup.expectation(job.algorithm, models)
    return collect(setup.head(job.algorithm), job, pieces, interrupted, known, _engine(job))


@dataclass(frozen=True, eq=False)
class Prepared:
    """What was asked, checked: all but the algorithm's numbers and the initial models."""

    job: Job
    problem: str
    settings: dict[str, Any]
    runs: int
    first_run: int
    threads: int
    chunk: int

    def head(self, algorithm: Algorithm) -> tuple[str, str, str, dict[str, Any]]:
        """The words of a run's record."""
        return self.problem, repr(algorithm), repr(self.job.oracle), dict(self.settings)

    def expectation(self, algorithm: Algorithm, models: Array) -> Expectation | Known:
        """What is known of the runs of an algorithm from these models."""
        job = self.job
        if job.evaluator.reference.minimiser is None:
            return Known(reason="no minimum is known")
        return Expectation(job.problem, algorithm, job.oracle, job.centre_oracle, models)

    def too_large(self) -> ValueError:
        """The request does not fit the memory."""
        told = self.settings
        return ValueError(
            f"rounds={told['rounds']} with runs={self.runs}, record_every={told['record_every']}: too large a request, the memory "
            "that is free now does not hold it; expected fewer runs or records"
        )


def prepare(
    problem: Problem,
    algorithm: Algorithm,
    *,
    rounds: int,
    runs: int = 1,
    seed: int = 0,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    record_every: int = 1,
    first_run: int = 0,
    threads: int | None = None,
    chunk: int | None = None,
    backend: str = "auto",
    divergence_threshold: float = 1e12,
    keep_models: bool = False,
    reference: bool = True,
    objective: Callable[[Array], Any] | None = None,
    progress: Progress | None = None,
) -> Prepared:
    """The arguments of :func:`simulate`, checked, and what all chunks share."""
    check_problem("problem", problem)
    check_algorithm("algorithm", algorithm)
    rounds, runs = check_count("rounds", rounds), check_count("runs", runs)
    record_every, first_run = check_count("record_every", record_every), check_count("first_run", first_run, least=0)
    seed = check_seed(seed)
    check_positive("divergence_threshold", divergence_threshold)
    check_flag("keep_models", keep_models)
    check_flag("reference", reference)
    if objective is not None:
        check_function("objective", objective, "objective(model)")
    if progress is not None:
        check_function("progress", progress, "progress(finished, all)")
    oracle = Exact() if oracle is None else oracle
    floats = convert_problem(problem, FLOAT)
    check_oracle(floats, oracle)
    require_sampler(oracle)
    central = check_centre_oracle(floats, centre_oracle)
    require_sampler(central)
    require_use_of_centre(floats, algorithm)
    participation = participation_of(algorithm)
    participation.check(list(floats.weights))
    check_work(floats, algorithm, oracle, participation, rounds=rounds, runs=runs)
    _check_size(rounds, record_every, runs, floats.dimension, keep_models=keep_models)
    check_count("first_run + runs", first_run + runs)
    plan = choose_plan(backend, floats, oracle, algorithm)
    device = choose_device(backend, problem, floats, oracle, central, algorithm)
    threads = check_count("threads", _threads(plan) if threads is None else threads)
    largest = CHUNK_NUMBERS if device is None else DEVICE_NUMBERS
    widest = max(1, largest // (participation.slots(floats.n_clients) * floats.dimension))
    chunk = check_count("chunk", min(-(-runs // threads), widest) if chunk is None else chunk)
    if objective is not None and reference:
        raise ValueError("objective is given: nothing is known of its minimum; expected reference=False with it")
    minimum = reference_of(floats, wanted=reference)
    job = Job(
        floats,
        algorithm,
        oracle,
        central,
        seed,
        choose_draws(backend),
        plan,
        Evaluator(floats, minimum, plan, objective),
        divergence_threshold,
        _schedule(rounds, record_every),
        keep_models,
        Counter(runs * rounds, progress),
        choose_central(plan, floats, central),
        COMPILED,
        device=device,
    )
    job = with_client_maps(job)
    settings = {
        "seed": seed,
        "rounds": rounds,
        "record_every": record_every,
        "backend": "cupy" if device is not None else "numpy" if plan is None else "numba",
        "divergence_threshold": float(divergence_threshold),
        "requested_runs": runs,
    }
    if hasattr(floats, "centre_gradient"):
        settings["centre_oracle"] = repr(central)
    if device is not None:
        settings["device"] = device.device.name
    if objective is not None:
        settings["objective"] = getattr(objective, "__qualname__", type(objective).__name__)
    name = f"{type(problem).__name__}(N={floats.n_clients}, d={floats.dimension})"
    return Prepared(job, name, settings, runs, first_run, threads, chunk)


def _run_all(job: Job, pieces: list[Piece], threads: int) -> bool:
    """Work off all chunks; whether the keyboard interrupted it.  Any other error ends all chunks and is raised."""
    if threads == 1 or len(pieces) == 1 or job.device is not None:
        try:
            for piece in pieces:
                run_piece(job, piece)
        except (KeyboardInterrupt, SystemError) as error:
            if not is_interrupt(error):
                raise
            return True
        return False
    with ThreadPoolExecutor(min(threads, len(pieces)), thread_name_prefix="fltheory") as pool:
        futures = [pool.submit(run_piece, job, piece) for piece in pieces]
        try:
            finished, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in finished:
                future.result()
        except (KeyboardInterrupt, SystemError) as error:
            if not is_interrupt(error):
                raise
            return True
        finally:
            job.stop.set()
            for future in futures:
                future.cancel()
    return False


def collect(
    head: tuple[str, str, str, dict[str, Any]],
    job: Job,
    pieces: list[Piece],
    interrupted: bool,
    expectation: Expectation | Known,
    engine: str,
) -> Run:
    """The record of all chunks."""
    full = len(job.recorded)
    records = full
    if interrupted:
        records = _most_numbers([piece.done for piece in pieces], [len(piece.run_ids) for piece in pieces])
        if records == 0:
            raise KeyboardInterrupt
        pieces = [piece for piece in pieces if piece.done >= records]
    measured = np.concatenate([piece.measured[:, :records] for piece in pieces])
    last = int(job.recorded[records - 1])
    status = tuple(
        _status(diverged, last, piece.done == full) for piece in pieces for diverged in piece.diverged.tolist()
    )
    kept = [piece.kept[:, :records] for piece in pieces if piece.kept is not None]
    known = measured.shape[2] == 3
    return Run(
        *head,
        rounds=job.recorded[:records].copy(),
        run_ids=np.concatenate([piece.run_ids for piece in pieces]),
        objective=measured[:, :, 0].copy(),
        gap=measured[:, :, 1].copy() if known else None,
        squared_distance=measured[:, :, 2].copy() if known else None,
        final=np.concatenate([piece.models for piece in pieces]),
        models=np.concatenate(kept) if kept else None,
        status=status,
        reference=job.evaluator.reference.reason,
        expectation=expectation,
        engine=engine,
    )


def _engine(job: Job) -> str:
    """Which engine went through the rounds, and why it was the loop."""
    if job.device is not None:
        return "device"
    if job.mapped:
        return "map"
    if not job.compiled:
        return "loop"
    reasons = sorted(set(job.left.values()))
    return f"loop: {'; '.join(reasons)}" if reasons else compiled_engine(job)


def compiled_engine(job: Job) -> str:
    """That whole rounds were compiled, and how local steps were made where there was a choice."""
    return f"{COMPILED_ENGINE}: {job.steps_by}" if job.steps_by else COMPILED_ENGINE


def _status(diverged: int, last: int, finished: bool) -> str:
    if 0 <= diverged <= last:
        return f"{DIVERGED} at round {diverged}"
    return COMPLETED if finished else INTERRUPTED


def _most_numbers(done: list[int], sizes: list[int]) -> int:
    """The number of records that keeps most numbers, if all chunks that have fewer are dropped."""
    return max(done, key=lambda count: (count * sum(n for d, n in zip(done, sizes, strict=True) if d >= count), count))


def starts(start: PointLike | None, runs: int, dimension: int) -> Array:
    """Initial models ``(runs, d)``."""
    if start is None:
        return np.zeros((runs, dimension))
    given = real_array("start", start)
    if given.ndim != 2:
        check_shape("start", given, (dimension,))
    else:
        check_shape("start", given, (runs, dimension))
    models = given.astype(np.float64)
    check_finite("start", models)
    return np.array(np.broadcast_to(models, (runs, dimension)))


def _schedule(rounds: int, record_every: int) -> Integers:
    """Numbers of finished rounds at which is measured."""
    regular = np.arange(0, rounds + 1, record_every, dtype=np.int64)
    return regular if regular[-1] == rounds else np.append(regular, rounds)


def numbers_kept(rounds: int, record_every: int, runs: int, dimension: int, *, keep_models: bool) -> int:
    """Numbers that the runs of one call take: per run three at every record; models at the start, now and at the end."""
    records = rounds // record_every + 2
    return records * (1 + 3 * runs + (runs * dimension if keep_models else 0)) + 3 * runs * dimension


def _check_size(rounds: int, record_every: int, runs: int, dimension: int, *, keep_models: bool) -> None:
    """Raise ``ValueError``, before anything is allocated, where the records would not fit or the rounds never end."""
    asked = f"rounds={rounds} with runs={runs}, record_every={record_every}"
    check_request(asked, numbers_kept(rounds, record_every, runs, dimension, keep_models=keep_models))
    least = rounds * LEAST_SECONDS
    if least > LONGEST_SECONDS:
        raise ValueError(
            f"{asked}: too large a request, {least / 86400:.3g} days at {LEAST_SECONDS * 1e9:.0f} nanoseconds a round; expected "
            f"at most {LONGEST_SECONDS / 86400:.0f} days"
        )


def _threads(plan: AnyPlan | None) -> int:
    """NumPy gains little from threads, kernels use the processors that this process may use."""
    return 1 if plan is None else cores()
