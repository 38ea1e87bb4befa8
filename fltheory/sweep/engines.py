"""Who computes the batches: this process, or several of this machine; :mod:`fltheory.sweep.cluster` for more than that."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing

from fltheory.machine import cores
from fltheory.processes import FORKS, answers, in_order
from fltheory.sweep.execute import BatchOutcome, execute
from fltheory.sweep.plan import Batch
from fltheory.workers import DONE, Fork, Worker

#: Batches that each process is given before dead ones are replaced.
ROUND = 32


def here(batches: Sequence[Batch], threads: int | None = None) -> Generator[tuple[int, BatchOutcome | str]]:
    """The number of a batch and what came of it, one after the other in this process."""
    for place, batch in enumerate(batches):
        # in_order turns an interrupt that compiled code or a run kept to itself into one.
        yield place, next(in_order(lambda each: execute(each, threads), [batch], processes=1))


def processes(batches: Sequence[Batch], jobs: int) -> Generator[tuple[int, BatchOutcome | str]]:
    """The same in ``jobs`` copies of this process; of a batch whose process died there are words about that.

    Nothing is sent to a process but the number of its batch.  Where the system has no safe fork it is done here.
    """
    threads = max(1, cores() // jobs)
    if not FORKS:
        yield from here(batches)
        return

    def one(place: int) -> BatchOutcome:
        return execute(batches[place], threads)

    forks: list[Fork] = []

    def start() -> Worker:
        forks.append(Fork(one, tuple(forks)))
        return forks[-1]

    try:
        with closing(answers(range(len(batches)), start, jobs, restart=False)) as found:
            for place, answer in found:
                yield place, answer.value if answer.status == DONE else str(answer.value)
    except RuntimeError:
        return  # all are dead: whoever asks sees which batches have no answer
