"""Workers of the project's pool (:mod:`fltheory.processes`): what answers one task at a time and can be ended at any moment.

A :class:`Fork` of this process runs any callable, which is sent nowhere; an :class:`Interpreter` is a process of its own that
calls :func:`serve`, so that it shares no state with this process and exists on every system; :class:`Here` is this process.
Both kinds of processes leave an interrupt from the keyboard to their parent, and end when it is gone.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

from fltheory.children import Child, threads
from fltheory.machine import one_blas_thread

DONE, ERROR, CRASH, TIMEOUT = "done", "error", "crash", "timeout"
#: Seconds after which a worker ends itself when its time is over and nobody has ended it.
GRACE = 5.0
#: Symbolic work makes many objects and few cycles: with Python's own thresholds a tenth of its time goes into looking for them.
_COLLECTIONS = (20_000, 20, 20)


@dataclass(frozen=True)
class Answer:
    """What became of a task.

    ``status`` says what ``value`` is: :data:`DONE` the value, :data:`ERROR` the exception that the job raised, :data:`CRASH` and
    :data:`TIMEOUT` words about a process that ended, or was ended, without an answer.
    """

    status: str
    value: Any


class Worker(Protocol):
    """One that answers tasks, one at a time."""

    @property
    def alive(self) -> bool:
        """Whether it can take another task."""

    def ask(self, task: Any, seconds: float | None) -> Answer:
        """The answer to a task, at most so many seconds later."""

    def end(self) -> None:
        """End it, whatever it is doing; a call of :meth:`ask` in another thread returns soon."""

    def close(self) -> None:
        """Give back what an ended worker holds; nobody asks any more."""


class Here:
    """A job in the thread that asks; it has no limit of time and cannot be ended."""

    def __init__(self, job: Callable[[Any], Any]) -> None:
        self._job = job

    alive = True

    def ask(self, task: Any, seconds: float | None) -> Answer:
        """The answer; an exception of the job is one."""
        try:
            return Answer(DONE, self._job(task))
        except Exception as error:
            return Answer(ERROR, error)

    def end(self) -> None:
        """Nothing: the task that runs is finished."""

    close = end


class Fork:
    """A job in a copy of this process, made at once: in the main thread, before there are others.

    ``before`` are the forks that exist: the copy must not keep their ends of the pipes open.
    """

    def __init__(self, job: Callable[[Any], Any], before: Sequence[Fork] = ()) -> None:
        context = multiprocessing.get_context("fork")
        self._pipe, theirs = context.Pipe()
        inherited = (self._pipe, *(fork._pipe for fork in before))
        self._process = context.Process(target=_answer, args=(job, theirs, inherited, os.getpid()), daemon=True)
        self._process.start()
        theirs.close()

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    def ask(self, task: Any, seconds: float | None) -> Answer:
        """The answer; tasks and values are pickled."""
        with _limited(seconds, self._process.kill) as expired:
            try:
                self._pipe.send(task)
                failed, value = self._pipe.recv()
                return Answer(ERROR if failed else DONE, value)
            except (EOFError, OSError):
                self._process.join()
        return _ended(expired, seconds, f"exit {self._process.exitcode}")

    def end(self) -> None:
        """Terminate the process."""
        self._process.terminate()

    def close(self) -> None:
        """Close its pipe."""
        self._process.join()
        self._pipe.close()


class Interpreter:
    """``python -m MODULE``, which calls :func:`serve`; tasks and values are JSON, one per line."""

    def __init__(self, module: str) -> None:
        environment = dict(os.environ)
        paths = [str(Path(__file__).resolve().parents[1]), *environment.get("PYTHONPATH", "").split(os.pathsep)]
        environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
        self._process: subprocess.Popen[str] | Child = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=environment,
        )
        self._prepare()

    def _prepare(self) -> None:
        # The listener begins with the first task: until then no thread is here that a fork would copy.
        self._begun = False
        self._last_words: deque[str] = deque(maxlen=5)
        self._listener = threading.Thread(target=self._listen, daemon=True)

    def _listen(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if line.strip():
                self._last_words.append(line.strip())

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, task: Any, seconds: float | None) -> Answer:
        """The answer; of a process that ended without one, the last line that it wrote to standard error.

        The time that the interpreter takes to begin does not count.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        if not self._begun:
            self._listener.start()
            self._begun = bool(self._process.stdout.readline())
        with _limited(seconds, self._process.kill) as expired:
            try:
                self._process.stdin.write(json.dumps([seconds, task]) + "\n")
                self._process.stdin.flush()
                line = self._process.stdout.readline()
            except OSError:
                line = ""
        if line.endswith("\n"):
            return Answer(DONE, json.loads(line))
        code = self._process.wait()
        self._listener.join(timeout=1)
        words = self._last_words[-1] if self._last_words else "no message"
        return _ended(expired, seconds, f"the worker process ended with code {code}: {words}")

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()

    def close(self) -> None:
        """Close its pipes."""
        self._process.wait()
        if self._listener.ident is not None:
            self._listener.join(timeout=1)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(OSError):  # an unwritten task in the buffer of a dead process
                if pipe is not None:
                    pipe.close()


class Copy(Interpreter):
    """An :class:`Interpreter` that is a copy of this process, with all that it has loaded, and calls ``job`` by :func:`serve`.

    Only where :func:`may_copy`.
    """

    def __init__(self, job: Callable[[Any], Any]) -> None:
        self._process = Child(job)
        self._prepare()


def may_copy() -> bool:
    """Whether a copy is as good as a new interpreter: this process has one thread, so that BLAS has no more here either."""
    return sys.platform.startswith("linux") and threads() == 1


def serve(job: Callable[[Any], Any]) -> None:
    """Be an :class:`Interpreter`: answer tasks from standard input with ``job`` until it ends; what it prints goes to stderr."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(os.getppid())
    one_blas_thread()
    gc.set_threshold(*_COLLECTIONS)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    print("begun", file=answers, flush=True)
    for line in sys.stdin:
        seconds, task = json.loads(line)
        with _own_deadline(seconds):
            answers.write(json.dumps(job(task)) + "\n")
            answers.flush()


@contextmanager
def _own_deadline(seconds: float | None) -> Iterator[None]:
    """End this process when its parent, which ought to have ended it, did not: also within compiled code that never returns."""
    if seconds is None:
        yield
        return
    faulthandler.dump_traceback_later(seconds + GRACE, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


@contextmanager
def _limited(seconds: float | None, kill: Callable[[], None]) -> Iterator[threading.Event]:
    """``kill`` is called, and the event set, unless the block ends within these seconds."""
    expired = threading.Event()

    def expire() -> None:
        expired.set()
        kill()

    clock = None if seconds is None else threading.Timer(seconds, expire)
    if clock is not None:
        clock.start()
    try:
        yield expired
    finally:
        if clock is not None:
            clock.cancel()


def _ended(expired: threading.Event, seconds: float | None, words: str) -> Answer:
    return Answer(TIMEOUT, f"no answer within {seconds:g} s") if expired.is_set() else Answer(CRASH, words)


def _end_with(parent: int) -> None:
    """End this process within a second after its parent; where a system tells no new parent, at the next task or answer."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _answer(job: Callable[[Any], Any], pipe: Connection, inherited: tuple[Connection, ...], parent: int) -> None:
    """The life of a fork."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(parent)
    for other in inherited:
        other.close()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            task = pipe.recv()
            try:
                pickled = pickle.dumps((False, job(task)))
            except Exception as error:
                pickled = pickle.dumps((True, _portable(error)))
            pipe.send_bytes(pickled)


def _portable(error: Exception) -> Exception:
    """The error itself where it can be sent, with the place in its notes; otherwise its words."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    try:
        sent: Exception = pickle.loads(pickle.dumps(error))
    except Exception:
        sent = RuntimeError(f"{type(error).__name__}: {error}")
    sent.add_note(f"in {os.path.basename(place.filename)}, line {place.lineno} ({place.name})")
    return sent
