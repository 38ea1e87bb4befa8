"""A writing run that meets a fault at its n-th step; ``python faults.py KIND N`` within a checkout.

Steps are the moments at which a run touches a disk: a line of the journal, a file that is made, a file that takes its name.
"""

from __future__ import annotations

import builtins
import errno
import os
import signal
import sys
from collections.abc import Callable
from typing import Any


def fault(kind: str) -> None:
    """What happens at the step: the process is killed, the disk is full, the folder is read-only, or the user interrupts."""
    if kind == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "full":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if kind == "read-only":
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    raise KeyboardInterrupt


def main(kind: str, at: int, arguments: list[str]) -> int:
    """Exit code of the run; 255 if it has fewer steps."""
    from fltheory.cli import main as command
    from fltheory.evidence import pool, runner

    runner.pool.run_parallel = lambda catalogue, rows, **options: pool.run_here(catalogue, rows)
    steps = [0]

    def counted(function: Callable[..., Any], watched: Callable[..., bool]) -> Callable[..., Any]:
        def step(*given: Any, **options: Any) -> Any:
            if watched(*given, **options):
                steps[0] += 1
                if steps[0] == at:
                    fault(kind)
            return function(*given, **options)

        return step

    def result(path: Any, *rest: Any, **options: Any) -> bool:
        mode = str(rest[0] if rest else options.get("mode", "r"))
        return ("results" in str(path) or "paper_checks" in str(path)) and bool(set("wax+") & set(mode))

    builtins.open = counted(open, result)  # type: ignore[assignment]
    os.replace = counted(os.replace, lambda *paths, **options: True)
    os.fsync = counted(os.fsync, lambda *handles: True)
    try:
        code = int(command(["verify", "--write", *arguments], standalone_mode=False) or 0)
    except (KeyboardInterrupt, Exception) as error:
        print(repr(error), file=sys.stderr)
        code = 70
    return code if steps[0] >= at else 255


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
