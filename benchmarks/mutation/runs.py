"""One run of pytest in a copy of the project, in a fork that has the large libraries and nothing of the project loaded.

Loading numpy, scipy, numba, sympy and cvxpy takes longer than most tests; a fork takes them over.  The fork leads a group of
processes of its own, which is ended with it, and has limits of memory, of processor time and of wall-clock time.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import time
import traceback
from importlib import import_module
from pathlib import Path

LIBRARIES = ("numpy", "scipy.linalg", "scipy.sparse.linalg", "scipy.optimize", "scipy.special", "scipy.stats", "sympy")
LIBRARIES += ("numba", "cvxpy", "clarabel", "click.testing", "pytest", "benchmarks.mutation.plugin")
#: Memory that a run of tests may use; the largest test of the package takes a tenth.
MEMORY = 6 * 2**30
#: Wall-clock seconds that a run may take for each second of the processor, on a busy machine.
PATIENCE = 8
TIMEOUT = "timeout"
#: ``PR_SET_PDEATHSIG`` of Linux: an interrupted tool leaves no tests running.
DIE_WITH_PARENT = 1


def load_libraries() -> None:
    """Import what the forks will share."""
    for name in LIBRARIES:
        import_module(name)


def _become_pytest(tree: Path, arguments: list[str], environment: dict[str, str], log: Path, seconds: float) -> int:
    os.setsid()
    ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    whole = int(seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 5))
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(tree)
    home = tree / ".home" / "tmp"
    home.mkdir(parents=True, exist_ok=True)
    os.environ.update(environment, PYTHONPATH=str(tree), HOME=str(home.parent), TMPDIR=str(home), OMP_NUM_THREADS="1")
    sys.path[:] = [
        str(tree),
        *(path for path in sys.path if path not in ("", str(Path(__file__).resolve().parents[2]))),
    ]
    plugin = sys.modules["benchmarks.mutation.plugin"]
    for name in [name for name in sys.modules if name.split(".")[0] == "benchmarks"]:
        del sys.modules[name]
    options = ["-x"] if "MUTATION_RECORD" not in environment else []
    options += ["-q", "-p", "no:cacheprovider", "--no-header", f"--basetemp={home / 'pytest'}", f"--rootdir={tree}"]
    import pytest

    return int(pytest.main([*options, *arguments], plugins=[plugin]))


def run_tests(tree: Path, arguments: list[str], environment: dict[str, str], log: Path, seconds: float) -> int | str:
    """The exit code of pytest (negative: the signal that ended it), or :data:`TIMEOUT` after these seconds of the processor."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = _become_pytest(tree, arguments, environment, log, seconds)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    until = time.monotonic() + PATIENCE * seconds + 60
    try:
        while True:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                break
            if time.monotonic() > until:
                return TIMEOUT
            time.sleep(0.05)
    finally:
        try:
            os.killpg(child, signal.SIGKILL)
        except ProcessLookupError:
            pass
        if time.monotonic() > until:
            os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return TIMEOUT if code in (-signal.SIGXCPU, -signal.SIGKILL) else code
