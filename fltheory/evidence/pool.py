"""Claims run in parallel, each worker a process of its own that may crash, hang or be killed without harm to others.

The parent keeps one thread per worker process; the thread hands out one task at a time and waits for the answer.  A
process that dies (segmentation fault, out of memory) makes a ``crash`` row of the claim it was running, one that
exceeds the time limit is killed and makes a ``timeout`` row; a fresh process takes the next claim.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fltheory.evidence.catalogue import Catalogue
from fltheory.evidence.places import PACKAGE
from fltheory.evidence.rows import Row, declared, last_line, nameless, row_of, unfinished, without_paths
from fltheory.machine import cores


class _Process:
    """One worker process and the pipe to it."""

    def __init__(self) -> None:
        environment = dict(os.environ)
        paths = [str(PACKAGE.parent), *environment.get("PYTHONPATH", "").split(os.pathsep)]
        environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fltheory.evidence.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=environment,
        )
        self.last_words: deque[str] = deque(maxlen=5)
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if line.strip():
                self.last_words.append(line.strip())

    def ask(self, task: Mapping[str, Any], timeout: float | None) -> Row:
        """The row for one task; a ``crash`` or ``timeout`` row when the process does not answer."""
        assert self.process.stdin is not None and self.process.stdout is not None
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            self.process.kill()

        clock = None if timeout is None else threading.Timer(timeout, expire)
        if clock is not None:
            clock.start()
        try:
            self.process.stdin.write(json.dumps(task) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except OSError:
            answer = ""
        finally:
            if clock is not None:
                clock.cancel()
        if answer.endswith("\n"):
            row: Row = json.loads(answer)
            return row
        code = self.process.wait()
        if expired.is_set():
            return unfinished("timeout", f"no answer within {timeout:g} s")
        self._reader.join(timeout=1)
        words = without_paths(self.last_words[-1]) if self.last_words else "no message"
        return unfinished("crash", f"the worker process ended with code {code}: {words}")

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def close(self) -> None:
        """End the process and close its pipes."""
        self.process.kill()
        self.process.wait()
        self._reader.join(timeout=1)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # an unwritten task in the buffer of a dead process
                    pass


@dataclass
class _Tasks:
    """Tasks by script, handed out so that a worker stays on a script it has loaded."""

    by_script: dict[Path, deque[str]]
    taken: set[Path] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, current: Path | None) -> tuple[Path, str] | None:
        with self.lock:
            left = {path: tasks for path, tasks in self.by_script.items() if tasks}
            if not left:
                return None
            fresh = [path for path in left if path not in self.taken]
            path = current if current in left else max(fresh or left, key=lambda path: len(left[path]))
            assert path is not None
            self.taken.add(path)
            return path, left[path].popleft()


def run_parallel(
    catalogue: Catalogue, row_ids: Sequence[str], *, jobs: int | None = None, timeout: float | None = None
) -> Generator[Row]:
    """Rows of claims in the order in which they finish.  Closing the iterator early ends all workers.

    Parameters
    ----------
    jobs : worker processes; ``None`` one per core.
    timeout : seconds for one claim with its controls; ``None`` no limit.
    """
    by_script: dict[Path, deque[str]] = {}
    for row_id in row_ids:
        by_script.setdefault(catalogue.scripts[row_id].path, deque()).append(row_id)
    tasks = _Tasks(by_script)
    done: queue.Queue[Row] = queue.Queue()
    stop = threading.Event()
    running: list[_Process] = []

    def serve() -> None:
        process: _Process | None = None
        current: Path | None = None
        while not stop.is_set() and (task := tasks.take(current)) is not None:
            if process is None or not process.alive:
                if process is not None:
                    process.close()
                    running.remove(process)
                process = _Process()
                running.append(process)
            current, row_id = task
            done.put(_row(process, current, row_id))

    def _row(process: _Process, path: Path, row_id: str) -> Row:
        document = catalogue.scripts[row_id].document
        try:
            row = declared(catalogue.claims[row_id], document=document)
            return {**row, **process.ask({"path": str(path), "id": row_id, "document": document}, timeout)}
        except Exception as error:  # a claim that breaks this thread would stop all claims after it
            return {**nameless(row_id, document), **unfinished("crash", last_line(error))}

    count = min(jobs or cores(), len(row_ids))
    threads = [threading.Thread(target=serve, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        for _ in row_ids:
            while True:
                try:
                    row = done.get(timeout=0.5)
                    break
                except queue.Empty:
                    if not any(thread.is_alive() for thread in threads) and done.empty():
                        raise RuntimeError("all worker threads ended before all claims were run") from None
            yield row
    finally:
        stop.set()
        for process in list(running):
            process.close()
        for thread in threads:
            thread.join(timeout=5)


def run_here(catalogue: Catalogue, row_ids: Sequence[str]) -> Generator[Row]:
    """Rows of claims, run one after the other in this process."""
    for row_id in row_ids:
        yield row_of(catalogue.claims[row_id], document=catalogue.scripts[row_id].document)
