"""Drivers and workers are killed at random moments: no finished result is lost, and none is computed twice."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from fltheory.processes import FORKS
from fltheory.sweep.declared import load_sweep
from fltheory.sweep.run import kept_result
from fltheory.sweep.store import Store, record_files

FILE = """
import time
import fltheory as fl

def slow(a, seed):
    time.sleep(0.004)
    return 1000 * a + seed

sweep = fl.Sweep(call=slow, parameters={"a": list(range(40))}, seeds=20)
"""
DRIVER = """
from fltheory.sweep.declared import load_sweep
load_sweep(file).run(store=folder, jobs=2, batch=5, compact=True)
"""
MOMENTS = 20


def items(store: Store) -> dict[tuple[str, int], float]:
    return {
        (key, run): float(entry.record.arrays["value"][entry.cell, run - entry.first])
        for key, runs in store.done.items()
        for run, entry in runs.items()
    }


def workers_of(process: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            after = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(after[1]) == process and after[0] != "Z":
            found.append(int(path.parent.name))
    return found


def started(file: Path, folder: Path) -> Any:
    """A driver in a process of its own, which begins at once: its imports have been made."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["fltheory.sweep.run", "fltheory.sweep.declared", "fltheory.sweep.compact", "pyarrow.parquet"]
    )
    driver = context.Process(target=exec, args=(DRIVER, {"file": str(file), "folder": str(folder)}))
    driver.start()
    return driver


def wait_for_workers(driver: Any) -> None:
    end = time.monotonic() + 10
    while driver.is_alive() and not workers_of(driver.pid) and time.monotonic() < end:
        time.sleep(0.01)


@pytest.mark.skipif(not FORKS, reason="no forks on this system")
def test_kills_lose_nothing_and_repeat_nothing(tmp_path: Path) -> None:
    file, folder = tmp_path / "grid.py", tmp_path / "grid.sweep"
    file.write_text(FILE, encoding="utf-8")
    chance = random.Random(1)
    before: dict[tuple[str, int], float] = {}
    driver = started(file, folder)
    killed = {"driver": 0, "worker": 0}
    while sum(killed.values()) < MOMENTS:
        if not driver.is_alive():
            driver = started(file, folder)
        if chance.random() < 0.8:  # otherwise perhaps before there is anything
            wait_for_workers(driver)
        time.sleep(chance.uniform(0, 0.2))
        workers = workers_of(driver.pid)
        kind = "worker" if workers and chance.random() < 0.5 else "driver"
        victim = chance.choice(workers) if kind == "worker" else driver.pid
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:  # it had ended meanwhile
            continue
        killed[kind] += 1
        if kind == "driver":
            driver.join()
        store = Store(folder)
        now = items(store)
        assert store.twice == 0
        assert before.items() <= now.items()
        assert not store.failed
        before = now
    assert min(killed.values()) > 3 and len(before) > 50
    driver.join()
    sweep = load_sweep(file)
    result = sweep.run(store=folder, jobs=2, batch=5)
    assert result.complete and len(result) == sweep.size == 800
    assert all(row["value"] == 1000 * row["a"] + row["seed"] for row in result.records())
    found = Store(folder)
    assert before.items() <= items(found).items()
    assert found.twice == 0 and sum(map(len, found.done.values())) == 800


def test_a_result_that_is_there_twice_is_counted(tmp_path: Path) -> None:
    """The control: a record copied into another file is seen, and counts once."""
    file, folder = tmp_path / "grid.py", tmp_path / "grid.sweep"
    file.write_text(FILE.replace("range(40)", "range(3)"), encoding="utf-8")
    sweep = load_sweep(file)
    sweep.run(store=folder)
    (part,) = record_files(folder)
    part.with_name("000009-copy.part").write_bytes(part.read_bytes())
    assert Store(folder).twice == 60
    result = kept_result(sweep, folder)
    assert len(result) == 60 and result.complete
