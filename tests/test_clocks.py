"""The clock of a worker's task: it ends what takes too long, and it stops when the task is done."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from fltheory.processes import FORKS
from fltheory.workers import CRASH, DONE, ERROR, TIMEOUT, Answer, Fork, Here, _limited


def timers() -> list[threading.Timer]:
    return [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


@pytest.fixture(autouse=True)
def leave_no_clock() -> Iterator[None]:
    """A clock that a failed test leaves behind would keep this process from ending for its hour."""
    before = timers()
    yield
    for timer in timers():
        if timer not in before:
            timer.cancel()


def wait_for_no_timers(before: list[threading.Timer]) -> bool:
    """Whether all timers that were not there before are gone soon: a cancelled one ends at once, another in an hour."""
    end = time.monotonic() + 20
    while any(timer not in before for timer in timers()):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def test_a_clock_is_stopped_when_the_block_ends() -> None:
    killed, before = [], timers()
    with _limited(3600, lambda: killed.append(1)) as expired:
        assert len(timers()) == len(before) + 1
    assert wait_for_no_timers(before) and not killed and not expired.is_set()


def test_a_clock_is_stopped_when_the_block_fails() -> None:
    before = timers()
    with suppress(KeyError), _limited(3600, lambda: None):
        raise KeyError
    assert wait_for_no_timers(before)


def test_a_stopped_clock_kills_nothing_later() -> None:
    killed: list[int] = []
    with _limited(0.3, lambda: killed.append(1)) as expired:
        pass
    time.sleep(0.6)
    assert not killed and not expired.is_set()


def test_a_clock_that_runs_out_says_so_before_it_kills() -> None:
    seen: list[bool] = []
    begun = threading.Event()

    def kill() -> None:
        begun.wait(20)
        seen.append(expired.is_set())

    with _limited(0.01, kill) as expired:
        begun.set()
        end = time.monotonic() + 20
        while not seen and time.monotonic() < end:
            time.sleep(0.01)
    assert seen == [True]


def test_no_limit_needs_no_clock() -> None:
    before = timers()
    with _limited(None, lambda: None) as expired:
        assert timers() == before
    assert not expired.is_set()


@pytest.mark.skipif(not FORKS, reason="no forks on this system")
def test_a_fork_outlives_the_limit_of_a_task_that_was_done() -> None:
    worker = Fork(lambda task: 10 / task)
    before = timers()
    try:
        assert worker.ask(5, 3600) == Answer(DONE, 2.0)
        assert wait_for_no_timers(before)
        failed = worker.ask(0, None)
        assert failed.status == ERROR and isinstance(failed.value, ZeroDivisionError)
        assert worker.alive and worker.ask(2, None) == Answer(DONE, 5.0)
    finally:
        worker.end()
        worker.close()
    assert not worker.alive


@pytest.mark.skipif(not FORKS, reason="no forks on this system")
def test_a_fork_that_takes_too_long_and_one_that_dies() -> None:
    slow, dying = Fork(time.sleep), Fork(lambda code: __import__("os")._exit(code))
    assert slow.ask(3600, 0.05) == Answer(TIMEOUT, "no answer within 0.05 s")
    assert dying.ask(7, None) == Answer(CRASH, "exit 7")
    for worker in (slow, dying):
        assert not worker.alive
        worker.close()


def test_this_process_answers_with_values_and_errors() -> None:
    worker = Here(lambda task: 1 / task)
    assert worker.ask(4, None) == Answer(DONE, 0.25) and worker.alive
    failed = worker.ask(0, None)
    assert failed.status == ERROR and isinstance(failed.value, ZeroDivisionError)
