"""Workers in interpreters of their own: crashes, limits of time, replacements, groups, and the end of their parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import fltheory
from fltheory.processes import FORKS, answers
from fltheory.workers import CRASH, DONE, ERROR, TIMEOUT, Answer, Copy, Fork, Here, Interpreter

MODULE = """
import os, sys, time
from fltheory.workers import serve

def job(task):
    what, value = task
    print("printed by a job")
    if what == "sleep":
        time.sleep(value)
    if what == "exit":
        print("last words", file=sys.stderr, flush=True)
        os._exit(value)
    if what == "raise":
        raise ValueError(value)
    return [value, os.getpid()]

serve(job)
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Interpreter]:
    (tmp_path / "tried_worker.py").write_text(MODULE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return lambda: Interpreter("tried_worker")


def test_a_program_that_crashes_hangs_or_raises_is_replaced(program: Callable[[], Interpreter]) -> None:
    tasks = [("value", 1), ("exit", 7), ("value", 2), ("sleep", 60), ("raise", "x=3 is wrong"), ("value", 3)]
    begin = time.monotonic()
    found = dict(answers(tasks, program, 1, seconds=5))
    assert time.monotonic() - begin < 30
    assert [found[place].status for place in range(6)] == [DONE, CRASH, DONE, TIMEOUT, CRASH, DONE]
    assert found[1].value == "the worker process ended with code 7: last words"
    assert found[3].value == "no answer within 5 s"
    assert found[4].value.endswith("ValueError: x=3 is wrong")
    values, processes = zip(*(found[place].value for place in (0, 2, 5)), strict=True)
    assert values == (1, 2, 3) and len(set(processes)) == 3


@pytest.mark.skipif(not FORKS, reason="no safe fork")
def test_a_copy_answers_like_a_program(program: Callable[[], Interpreter]) -> None:
    known = {"in this process": 5}

    def job(task: list[object]) -> object:
        what, value = task
        print("printed by a job")
        if what == "sleep":
            time.sleep(60)
        if what == "exit":
            print("last words", file=sys.stderr, flush=True)
            os._exit(7)
        if what == "raise":
            raise ValueError(value)
        return [known[str(value)], os.getpid()]

    copies = [Copy(job)]  # the first is a copy; what takes its place is a new program, as in evidence/pool.py
    start = lambda: copies.pop() if copies else program()  # noqa: E731
    found = dict(answers([("value", "in this process"), ("exit", 0), ("value", 2)], start, 1, seconds=20))
    assert found[0].value[0] == 5 and found[0].value[1] != os.getpid()
    assert found[1] == Answer(CRASH, "the worker process ended with code 7: last words")
    assert found[2].status == DONE and found[2].value[0] == 2
    for task, seconds, answer in (("sleep", 0.5, "no answer within 0.5 s"), ("raise", 20, "ValueError: x=3 is wrong")):
        copy = Copy(job)
        assert copy.ask([task, "x=3 is wrong"], seconds).value.endswith(answer)
        assert not copy.alive
        copy.close()
    unused = Copy(job)
    unused.end()
    unused.close()
    assert not unused.alive


def test_a_worker_stays_with_its_group(program: Callable[[], Interpreter]) -> None:
    tasks = [("sleep", 0.1 + place / 1000) for place in range(8)]
    found = dict(answers(tasks, program, 2, group=lambda task: task[1] < 0.104))
    first, second = ({found[place].value[1] for place in places} for places in (range(4), range(4, 8)))
    assert len(first) == len(second) == 1 and first != second


def test_closing_ends_programs_at_once(program: Callable[[], Interpreter]) -> None:
    begin = time.monotonic()
    with closing(answers([("value", 0), ("sleep", 60), ("sleep", 60)], program, 2)) as found:
        place, answer = next(found)
        assert (place, answer.status) == (0, DONE)
    assert time.monotonic() - begin < 20
    with pytest.raises(ProcessLookupError):
        os.kill(answer.value[1], 0)


def test_a_worker_that_cannot_be_started_answers_with_a_crash() -> None:
    class Dead(Here):
        alive = False

    started: list[Here] = []

    def start() -> Here:
        if started:
            raise OSError("no more processes")
        started.append(Dead(abs))
        return started[0]

    (found,) = answers([-1], start, 1)
    assert found == (0, Answer(CRASH, "OSError: no more processes"))


@pytest.mark.skipif(not FORKS, reason="forks are for Linux")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_has_limits_too() -> None:
    def job(item: int) -> float:
        time.sleep(item)
        return 1 / item

    fork = Fork(job)
    assert fork.ask(1, 20) == Answer(DONE, 1.0)
    failed = fork.ask(0, 20)
    assert failed.status == ERROR and isinstance(failed.value, ZeroDivisionError)
    assert fork.ask(60, 0.5) == Answer(TIMEOUT, "no answer within 0.5 s") and not fork.alive
    fork.close()


def test_without_replacements_the_rest_is_not_waited_for() -> None:
    class Mortal(Here):
        def ask(self, task: int, seconds: float | None) -> Answer:
            return Answer(CRASH, "gone")

    with closing(answers(range(3), lambda: Mortal(abs), 1, restart=False)) as found:
        assert next(found) == (0, Answer(CRASH, "gone"))
        with pytest.raises(RuntimeError, match="all workers ended before all tasks were done"):
            next(found)


PARENT = """
import sys, time
from fltheory.processes import in_order

def job(item):
    import os
    open(sys.argv[1] + f"/{os.getpid()}.pid", "w").close()
    time.sleep(300)

list(in_order(job, range(2), processes=2))
"""


@pytest.mark.skipif(not FORKS, reason="forks are for Linux")
def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(fltheory.__file__).parents[1])}
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path)], env=environment)
    deadline = time.monotonic() + 60
    try:
        while len(list(tmp_path.glob("*.pid"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        workers = [int(path.stem) for path in tmp_path.glob("*.pid")]
        assert len(workers) == 2 and all(running(worker) for worker in workers)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    while any(running(worker) for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(running(worker) for worker in workers)


def running(process: int) -> bool:
    """Whether it is there and no zombie, which it stays where nobody collects orphans."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


ALONE = """
import ctypes
from fltheory import workers

workers.GRACE = 0.0
workers.serve(lambda task: ctypes.PyDLL(None).sleep(task))  # holds the interpreter's lock: no thread of Python runs meanwhile
"""


@pytest.mark.skipif(os.name == "nt", reason="calls the C library's sleep")
def test_a_worker_whose_parent_does_not_end_it_keeps_its_own_deadline() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(fltheory.__file__).parents[1])}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", ALONE], env=environment, text=True, **pipes) as worker:
        assert worker.stdin is not None and worker.stdout is not None
        assert worker.stdout.readline() == "begun\n"
        begin = time.monotonic()
        worker.stdin.write("[1.0, 60]\n")
        worker.stdin.flush()
        assert worker.wait(timeout=30) != 0 and time.monotonic() - begin < 20
