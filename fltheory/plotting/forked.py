"""A job for many items, each in one of several processes, answered in order.

NumPy in small pieces holds the interpreter's lock, so that threads gain nothing for the runs of experiments.  The
processes are forks: the job may be any callable, and is not sent anywhere.  Where the system has no safe fork (macOS,
Windows) threads do the same work more slowly.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any

from fltheory.machine import cores, is_interrupt

FORKS = sys.platform.startswith("linux")


def in_order(job: Callable[[Any], Any], items: Sequence[Any], *, processes: int | None = None) -> Generator[Any]:
    """Yield ``job(item)`` for every item, in their order; process number i computes items i, i + processes, ...

    Parameters
    ----------
    processes : how many, default one per core; with 1 the job runs in this process.

    Raises
    ------
    RuntimeError : a process ended without an answer (killed, out of memory).
    KeyboardInterrupt : the keyboard interrupted it, even where a job kept that to itself.
    Exception : what ``job`` raised.  Closing the generator, an error and an interrupt end all processes at once.
    """
    count = min(cores() if processes is None else processes, len(items))
    if count <= 1:
        for item in items:
            yield _uninterrupted(job, item)
    elif not FORKS:
        yield from _in_threads(job, items, count)
    else:
        yield from _in_forks(job, items, count)


def _uninterrupted(job: Callable[[Any], Any], item: Any) -> Any:
    """``job(item)`` in this process, or ``KeyboardInterrupt`` if the keyboard interrupted it.

    A job may keep the interrupt to itself and answer with what it had so far (``simulate`` does), and compiled code may
    turn it into another error: half an answer would then be taken for a whole one.
    """
    if threading.current_thread() is not threading.main_thread():
        return job(item)
    noticed: list[int] = []
    before = signal.getsignal(signal.SIGINT)

    def notice(number: int, frame: Any) -> None:
        noticed.append(number)
        if callable(before):
            before(number, frame)

    # An ignored signal stays ignored, and a handler from outside of Python cannot be put back.
    if not callable(before):
        return job(item)
    signal.signal(signal.SIGINT, notice)
    try:
        answer = job(item)
    except SystemError as error:
        if noticed or is_interrupt(error):
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, before)
    if noticed:
        raise KeyboardInterrupt
    return answer


def _in_threads(job: Callable[[Any], Any], items: Sequence[Any], count: int) -> Generator[Any]:
    with ThreadPoolExecutor(count) as pool:
        futures = [pool.submit(job, item) for item in items]
        try:
            for future in futures:
                yield future.result()
        finally:
            for future in futures:
                future.cancel()


def _in_forks(job: Callable[[Any], Any], items: Sequence[Any], count: int) -> Generator[Any]:
    context = multiprocessing.get_context("fork")
    readers: list[Connection] = []
    workers = []
    try:
        for first in range(count):
            reader, writer = context.Pipe(duplex=False)
            readers.append(reader)
            worker = context.Process(target=_work, args=(job, items[first::count], writer, tuple(readers)), daemon=True)
            workers.append(worker)
            worker.start()
            writer.close()
        for index, item in enumerate(items):
            try:
                failed, answer = readers[index % count].recv()
            except EOFError:
                worker = workers[index % count]
                worker.join()
                raise RuntimeError(
                    f"the process of item {item!r} ended without an answer, exit {worker.exitcode}"
                ) from None
            if failed:
                raise answer
            yield answer
    finally:
        for worker in workers:
            if worker.pid is not None:
                worker.terminate()
                worker.join()
        for reader in readers:
            reader.close()


def _work(job: Callable[[Any], Any], items: Sequence[Any], writer: Connection, readers: tuple[Connection, ...]) -> None:
    # An interrupt from the keyboard reaches the parent too, which ends this process; a job must not see half of it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Without readers of its own the process ends when the parent is gone, at the next answer.
    for reader in readers:
        reader.close()
    try:
        for item in items:
            try:
                answer = (False, job(item))
            except Exception as error:
                answer = (True, _portable(error))
            writer.send(answer)
    except BrokenPipeError:
        os._exit(1)


def _portable(error: Exception) -> Exception:
    """The error itself where it can be sent, with the place in its notes; otherwise its words."""
    import traceback

    place = traceback.extract_tb(error.__traceback__)[-1]
    try:
        sent: Exception = pickle.loads(pickle.dumps(error))
    except Exception:
        sent = RuntimeError(f"{type(error).__name__}: {error}")
    sent.add_note(f"in {os.path.basename(place.filename)}, line {place.lineno} ({place.name})")
    return sent
