"""The project's one pool of processes: tasks are handed to workers, and answers come back, whatever becomes of a worker.

The parent keeps one thread per worker, which hands out one task at a time and waits for the answer.  A process that dies
answers with a crash, one that exceeds the time limit is killed and answers with a timeout; another takes its place where
that is wanted.  Answers depend on tasks alone, never on the number of workers.  Closing an iterator early, an error and an
interrupt from the keyboard end all workers at once.
"""

from __future__ import annotations

import queue
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import closing
from typing import Any

from fltheory.machine import cores, is_interrupt
from fltheory.workers import CRASH, DONE, ERROR, Answer, Fork, Here, Worker

#: NumPy in small pieces holds the interpreter's lock, so that threads gain nothing for the runs of experiments; where the
#: system has no safe fork (macOS, Windows) they do the same work more slowly.
FORKS = sys.platform.startswith("linux")


def answers(
    tasks: Sequence[Any],
    start: Callable[[], Worker],
    workers: int,
    *,
    seconds: float | None = None,
    group: Callable[[Any], Hashable] = lambda task: None,
    weight: Callable[[Any], float] = lambda task: 1,
    restart: bool = True,
) -> Generator[tuple[int, Answer]]:
    """Yield the number of a task and its answer, in the order in which tasks are finished.

    Parameters
    ----------
    start : makes a worker; called here for each, and in a thread of its own for one that takes the place of a dead one.
    seconds : limit of time for one task; ``None`` no limit.
    group : a worker stays with the group of tasks that it has begun with; otherwise tasks are begun in order.
    weight : about how much work a task is, a positive number; the group with most of it is begun first.
    restart : whether a dead worker is replaced; if not, its other tasks are left to the others.

    Raises
    ------
    RuntimeError : all workers are dead, and none is to be replaced.
    """
    left = _Tasks(tasks, group, weight)
    done: queue.Queue[tuple[int, Answer]] = queue.Queue()
    stop, starting = threading.Event(), threading.Lock()
    crew: list[Worker] = []

    def serve(place: int) -> None:
        current: Hashable = None
        while not stop.is_set() and (taken := left.take(current)) is not None:
            current, task = taken
            try:
                with starting:
                    if not crew[place].alive and not stop.is_set():
                        crew[place].close()
                        crew[place] = start()
                answer = crew[place].ask(tasks[task], seconds)
            except Exception as error:  # one that ended this thread would stop all tasks after it
                answer = Answer(CRASH, f"{type(error).__name__}: {error}")
            done.put((task, answer))
            if answer.status not in (DONE, ERROR) and not restart:
                return

    threads = [threading.Thread(target=serve, args=(place,), daemon=True) for place in range(min(workers, len(tasks)))]
    try:
        for _ in threads:
            crew.append(start())
        for thread in threads:
            thread.start()
        for _ in tasks:
            yield _next(done, threads)
    finally:
        with starting:
            stop.set()
        for worker in crew:
            worker.end()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        for worker in crew:
            worker.close()


def _next(done: queue.Queue[tuple[int, Answer]], threads: Sequence[threading.Thread]) -> tuple[int, Answer]:
    while True:
        waiting = any(thread.is_alive() for thread in threads)
        try:
            return done.get(timeout=0.5 if waiting else 0)
        except queue.Empty:
            if not waiting:
                raise RuntimeError("all workers ended before all tasks were done") from None


class _Tasks:
    """The tasks that are left, by group; a group that nobody has begun with goes first, the one of them with most work."""

    def __init__(self, tasks: Sequence[Any], group: Callable[[Any], Hashable], weight: Callable[[Any], float]) -> None:
        self._groups: dict[Hashable, deque[int]] = {}
        self._weights = [weight(task) for task in tasks]
        for place, task in enumerate(tasks):
            self._groups.setdefault(group(task), deque()).append(place)
        self._begun: set[Hashable] = set()
        self._lock = threading.Lock()

    def take(self, current: Hashable) -> tuple[Hashable, int] | None:
        """A group and the number of its next task; that of ``current`` if it has any."""
        with self._lock:
            left = {group: tasks for group, tasks in self._groups.items() if tasks}
            if not left:
                return None
            fresh = [group for group in left if group not in self._begun]
            group = current if current in left else max(fresh or left, key=self._work)
            self._begun.add(group)
            return group, left[group].popleft()

    def _work(self, group: Hashable) -> float:
        return sum(self._weights[task] for task in self._groups[group])


def in_order(job: Callable[[Any], Any], items: Sequence[Any], *, processes: int | None = None) -> Generator[Any]:
    """Yield ``job(item)`` for every item, in their order, each computed in one of several processes.

    Parameters
    ----------
    job : any callable; it is not sent anywhere, its answers are.
    processes : how many, default one per core; with 1 the job runs in this process.

    Raises
    ------
    RuntimeError : a process ended without an answer (killed, out of memory).
    KeyboardInterrupt : the keyboard interrupted it, even where a job kept that to itself.
    Exception : what ``job`` raised.
    """
    count = min(cores() if processes is None else processes, len(items))
    if count <= 1:
        for item in items:
            yield _uninterrupted(job, item)
        return
    forks: list[Fork] = []

    def one(place: int) -> Any:
        return job(items[place])

    def start() -> Worker:
        if not FORKS:
            return Here(one)
        forks.append(Fork(one, tuple(forks)))
        return forks[-1]

    early: dict[int, Answer] = {}
    with closing(answers(range(len(items)), start, count, restart=False)) as found:
        for place, item in enumerate(items):
            while place not in early:
                other, answer = next(found)
                early[other] = answer
            answer = early.pop(place)
            if answer.status == ERROR:
                raise answer.value
            if answer.status != DONE:
                raise RuntimeError(f"the process of item {item!r} ended without an answer, {answer.value}")
            yield answer.value


def _uninterrupted(job: Callable[[Any], Any], item: object) -> Any:
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
