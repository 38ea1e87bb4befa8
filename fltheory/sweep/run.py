"""The driver of a sweep: what is missing is planned, computed by an engine and kept, batch by batch."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace

from fltheory.machine import is_interrupt
from fltheory.problems.checks import check_choice, check_count, check_path
from fltheory.progress import silent
from fltheory.sweep import engines
from fltheory.sweep.execute import BatchOutcome, failure
from fltheory.sweep.grid import Sweep
from fltheory.sweep.plan import Batch, plan, shard_of
from fltheory.sweep.progress import Reporter
from fltheory.sweep.result import SweepResult, collect
from fltheory.sweep.store import Store

#: How often a configuration is tried whose process dies.
TRIES = 3
Engine = Callable[[Sequence[Batch]], Generator[tuple[int, BatchOutcome | str]]]


@silent()
def run_sweep(
    sweep: Sweep,
    *,
    store: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    engine: str = "local",
    address: str | None = None,
    shard: tuple[int, int] | None = None,
    retry: bool = False,
    batch: int | None = None,
    compact: bool = False,
    progress: bool | None = None,
) -> SweepResult:
    """Compute what the store does not hold yet, and return all of it.

    =============== ==============================================================================================
    argument        meaning
    =============== ==============================================================================================
    ``store``       folder of results; default none: they are in the result only
    ``jobs``        processes of this machine; each has its share of the cores
    ``engine``      "local", or "dask": the scheduler at ``address``, or a cluster of ``jobs`` processes started here
    ``shard``       ``(i, n)``: the i-th of n parts of the work, i from 1, in a store of its own below ``store``; :func:`merge
                    <fltheory.sweep.merging.merge>` puts them together
    ``retry``       try again what failed; otherwise it is left as it is, and is in the result with its traceback
    ``batch``       configurations of a batch at most; default by work.  It changes no result
    ``compact``     put all records into one Parquet file in the end
    ``progress``    a line about every second on standard error; default where that is a terminal
    =============== ==============================================================================================

    An interrupt from the keyboard ends it; ``result.interrupted`` says so, and what was done is kept.

    Raises
    ------
    ValueError : invalid arguments; another driver is at work in the store.
    ImportError : what the engine or the store needs is not installed.
    """
    check_choice("engine", engine, ("local", "dask"))
    jobs = check_count("jobs", jobs)
    if batch is not None:
        check_count("batch", batch)
    sweep = replace(sweep)  # its keys anew: what it holds may have been changed in place since they were made
    seeds = {cell.key: list(sweep.seed_numbers) for cell in sweep.cells}
    folder = None if store is None else check_path("store", store)
    before = None
    if shard is not None:
        number, shards = _shard(shard)
        if folder is None:
            raise ValueError(f"shard={shard} without a store; expected store=folder, where its results go")
        seeds = shard_of(sweep.cells, sweep.seed_numbers, number, shards)
        before = Store(folder)
        folder = folder / f"shard-{number}-of-{shards}"
    kept = Store(folder)
    with kept.writing():
        wanted = kept.missing(sweep.cells, seeds, retry=retry)
        if before is not None:
            wanted = before.missing(sweep.cells, wanted, retry=retry)
        total, missing = sum(map(len, seeds.values())), sum(map(len, wanted.values()))
        reporter = Reporter(total, total - missing, progress)
        interrupted = False
        try:
            if wanted:
                with _engine(engine, jobs, address) as (compute, width, at_once):
                    batches = plan(sweep.cells, wanted, jobs=width, most=batch)
                    work_off(batches, compute, kept.append, reporter.add, at_once=at_once)
        except (KeyboardInterrupt, SystemError) as error:
            if not is_interrupt(error):
                raise
            interrupted = True
        finally:
            reporter.close()
        if compact and not interrupted:
            from fltheory.sweep.compact import compact_store

            compact_store(kept)
    return collect(sweep, kept, seeds, before=before, interrupted=interrupted)


def kept_result(sweep: Sweep, store: str | os.PathLike[str]) -> SweepResult:
    """What a store holds of a sweep; nothing is computed, and a driver may be at work meanwhile."""
    sweep = replace(sweep)
    kept = Store(check_path("store", store))
    return collect(sweep, kept, {cell.key: list(sweep.seed_numbers) for cell in sweep.cells})


def work_off(
    batches: Sequence[Batch],
    compute: Engine,
    keep: Callable[[bytes], None],
    tell: Callable[[int, int], None],
    *,
    at_once: int | None = None,
) -> None:
    """Have all batches computed and their records kept, whatever becomes of the processes that compute them.

    A batch whose process dies is computed again, then in halves, and one configuration that has seen so many processes die is
    recorded as failed.  ``compute`` is given ``at_once`` batches at most, after which it replaces dead processes.
    """
    todo = [(each, 0) for each in batches]
    while todo:
        now, todo = todo[:at_once], [] if at_once is None else todo[at_once:]
        waiting = dict(enumerate(now))
        with closing(compute([each for each, _ in now])) as answers:
            for place, outcome in answers:
                each, deaths = waiting.pop(place)
                if isinstance(outcome, str):
                    if deaths + 1 < TRIES:
                        todo += [(part, deaths + 1) for part in (_halves(each) if deaths else [each])]
                    elif each.size > 1:
                        todo += [(part, deaths) for part in _halves(each)]
                    else:
                        keep(failure(each, f"{deaths + 1} processes died with it, the last one: {outcome}"))
                        tell(0, each.size)
                    continue
                for record in outcome.records:
                    keep(record)
                tell(outcome.done, outcome.failed)
                todo += [(rest, 0) for rest in outcome.left]
        todo += waiting.values()  # nobody was left to begin with them


def _halves(batch: Batch) -> list[Batch]:
    if len(batch.cells) > 1:
        half = len(batch.cells) // 2
        return [replace(batch, cells=batch.cells[:half]), replace(batch, cells=batch.cells[half:])]
    if batch.count > 1:
        half = batch.count // 2
        return [replace(batch, count=half), replace(batch, first=batch.first + half, count=batch.count - half)]
    return [batch]


@contextmanager
def _engine(engine: str, jobs: int, address: str | None) -> Iterator[tuple[Engine, int, int | None]]:
    """What computes, how many batches it computes side by side, and how many it is given at once."""
    if engine == "dask":
        from fltheory.sweep.cluster import cluster

        with cluster(jobs, address) as (compute, width):
            yield compute, width, None
    elif jobs == 1:
        yield engines.here, 1, None
    else:
        yield lambda batches: engines.processes(batches, jobs), jobs, engines.ROUND * jobs


def _shard(shard: object) -> tuple[int, int]:
    if not (isinstance(shard, tuple) and len(shard) == 2 and all(isinstance(each, int) for each in shard)):
        raise ValueError(f"shard={shard!r} is no pair of numbers; expected (i, n) with 1 <= i <= n")
    number, shards = shard
    if not 1 <= number <= shards:
        raise ValueError(f"shard={number}/{shards} is not among 1..{shards}; expected (i, n) with 1 <= i <= n")
    return number, shards
