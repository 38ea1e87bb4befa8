"""Jobs in processes: answers in order; errors, deaths and early ends reach the caller and leave nothing behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from fltheory.experiments.files import load_result
from fltheory.experiments.replicates import run_replicates
from fltheory.processes import FORKS, in_order

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
forks = pytest.mark.skipif(not FORKS, reason="threads do the work where there is no safe fork")


@pytest.mark.parametrize("processes", [1, 2, 3, 8])
def test_answers_in_order(processes: int) -> None:
    def job(item: int) -> tuple[int, int]:
        time.sleep(0.02 * (item % 3 == 0))
        return item, os.getpid()

    found = list(in_order(job, range(7), processes=processes))
    assert [item for item, _ in found] == list(range(7))
    if FORKS:
        assert 1 <= len({pid for _, pid in found}) <= min(processes, 7)
        assert (os.getpid() in {pid for _, pid in found}) == (processes == 1)


def test_jobs_run_at_the_same_time(tmp_path: Path) -> None:
    def job(item: int) -> bool:
        (tmp_path / str(item)).touch()
        deadline = time.monotonic() + 60
        while not (tmp_path / str(1 - item)).exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        return (tmp_path / str(1 - item)).exists()

    assert list(in_order(job, range(2), processes=2)) == [True, True]


def test_nothing_to_do() -> None:
    assert list(in_order(lambda item: item, [], processes=4)) == []


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_is_raised_as_it_is_after_the_answers_before_it(processes: int) -> None:
    def job(item: int) -> int:
        if item == 2:
            raise ValueError("item=2 is wrong; expected another")
        return item

    seen = []
    with pytest.raises(ValueError, match="item=2 is wrong"):
        for answer in in_order(job, range(6), processes=processes):
            seen.append(answer)
    assert seen == [0, 1]
    assert not multiprocessing.active_children()


@forks
def test_an_error_that_cannot_be_sent_keeps_its_words() -> None:
    class Local(Exception):
        pass

    def job(item: int) -> int:
        raise Local("the quantity x=3 is negative")

    with pytest.raises(RuntimeError, match="Local: the quantity x=3 is negative"):
        list(in_order(job, range(2), processes=2))


@forks
def test_a_killed_process_is_named() -> None:
    def job(item: int) -> int:
        if item == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    with pytest.raises(RuntimeError, match="item 3 ended without an answer, exit -9"):
        list(in_order(job, range(6), processes=2))
    assert not multiprocessing.active_children()


@forks
def test_closing_ends_all_processes_at_once() -> None:
    def job(item: int) -> int:
        time.sleep(0 if item == 0 else 60)
        return item

    begin = time.monotonic()
    with closing(in_order(job, range(4), processes=2)) as answers:
        assert next(answers) == 0
    assert time.monotonic() - begin < 20
    assert not multiprocessing.active_children()


@forks
def test_an_interrupt_does_not_reach_the_job() -> None:
    def job(item: int) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        return item

    assert list(in_order(job, range(2), processes=2)) == [0, 1]


def test_replicates_do_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        rng = np.random.default_rng(np.random.SeedSequence(replicate))
        return {"curve": rng.standard_normal(5), "number": np.array(float(replicate))}

    sets = {"one": {"replicates": 5}, "two": {"replicates": 3}}
    files = [tmp_path / f"{count}.npz" for count in (1, 2, 3)]
    for count, path in zip((1, 2, 3), files, strict=True):
        run_replicates(path, {"form": "x"}, sets, job, script=__file__, report=lambda words: None, processes=count)
    first, *others = [load_result(path) for path in files]
    for other in others:
        assert first.arrays.keys() == other.arrays.keys() and first.settings == other.settings
        for key, value in first.arrays.items():
            np.testing.assert_array_equal(value, other.arrays[key])
