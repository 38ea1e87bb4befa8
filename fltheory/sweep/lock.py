"""One writer per folder: a lock that ends with its process, however that ends."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_HELD: set[str] = set()
_GUARD = threading.Lock()


@contextmanager
def held(path: Path, patience: float = 0.0) -> Iterator[None]:
    """Hold the lock ``path``; the file says who does.

    The lock is the system's own and belongs to this process only: a killed process leaves none behind, and its workers, which
    may live on for a moment, do not keep it.

    Raises
    ------
    ValueError : somebody else holds it after ``patience`` seconds.
    """
    name = str(path.resolve())
    with _GUARD:
        if name in _HELD:
            raise ValueError(f"{path.parent.name!r} is in use by another sweep of this process; expected one at a time")
        _HELD.add(name)
    try:
        with _locked(path, patience):
            yield
    finally:
        with _GUARD:
            _HELD.discard(name)


@contextmanager
def _locked(path: Path, patience: float) -> Iterator[None]:
    try:
        import fcntl
    except ImportError:  # Windows
        from filelock import FileLock, Timeout

        try:
            with FileLock(f"{path}.held", timeout=patience):
                yield
        except Timeout:
            raise _in_use(path) from None
        return
    with open(path, "a+", encoding="utf-8") as file:
        end = time.monotonic() + patience
        while True:
            try:
                # A record lock is not handed on by fork, unlike that of flock.
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() >= end:
                    raise _in_use(path) from None
                time.sleep(0.05)
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()}")
        file.flush()
        yield


def _in_use(path: Path) -> ValueError:
    try:
        who = path.read_text("utf-8").strip()
    except OSError:
        who = ""
    return ValueError(
        f"{path.parent.name!r} is in use by {who or 'another process'}; expected one driver for a store: wait for it, or divide "
        "the work by shards"
    )
