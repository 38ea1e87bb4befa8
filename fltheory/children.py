"""A copy of this process with pipes of its own, spoken to like a :class:`subprocess.Popen`."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

_PAUSE = 0.005


class Child:
    """A fork of this process that lives for ``live(job)``, which reads tasks from standard input and writes its answers.

    It has nothing open but its three pipes, and ends without what an interpreter does at its exit, which is the parent's to do.
    """

    def __init__(self, job: Callable[[Any], Any]) -> None:
        (theirs, mine), (answers, to_answers), (words, to_words) = os.pipe(), os.pipe(), os.pipe()
        gc.freeze()  # the copies share what a collection does not touch
        self.pid = os.fork()
        if not self.pid:
            _live(job, theirs, to_answers, to_words)
        for other in (theirs, to_answers, to_words):
            os.close(other)
        self.stdin = os.fdopen(mine, "w", encoding="utf-8")
        self.stdout = os.fdopen(answers, encoding="utf-8", errors="replace")
        self.stderr = os.fdopen(words, encoding="utf-8", errors="replace")
        self._code: int | None = None
        self._lock = threading.Lock()

    def poll(self) -> int | None:
        """The exit code, negative for a signal; ``None`` while it runs."""
        with self._lock:
            if self._code is None:
                ended, status = os.waitpid(self.pid, os.WNOHANG)
                if ended:
                    self._code = os.waitstatus_to_exitcode(status)
            return self._code

    def wait(self) -> int:
        """The exit code, once it has ended."""
        while (code := self.poll()) is None:
            time.sleep(_PAUSE)
        return code

    def kill(self) -> None:
        """Kill it; nothing where it has ended."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def threads() -> int:
    """How many threads this process has, those of compiled libraries included; 0 where the system does not tell."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return 0


def _live(job: Callable[[Any], Any], tasks: int, answers: int, words: int) -> NoReturn:
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for place, pipe in enumerate((tasks, answers, words)):
            os.dup2(pipe, place)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        sys.stdin = os.fdopen(0, encoding="utf-8")
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", buffering=1)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="replace", buffering=1)
        from fltheory.workers import serve

        serve(job)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)
