"""The dask engine, on a local cluster whose workers are killed; what a sweep's file defines reaches the workers."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import fltheory as fl
from fltheory.sweep.cluster import cluster
from fltheory.sweep.declared import load_sweep
from fltheory.sweep.store import Store

distributed = pytest.importorskip("distributed")
#: The library and its threads warn when workers are killed.
pytestmark = pytest.mark.filterwarnings("ignore")

FILE = """
import os
import time
import fltheory as fl

def slow(a, seed):
    time.sleep(0.01)
    return {"value": 100 * a + seed, "process": os.getpid()}

sweep = fl.Sweep(call=slow, parameters={"a": list(range(30))}, seeds=20)
"""


def written(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("parts/*"))


def kill_twice(local: Any, folder: Path, killed: dict[int, int]) -> None:
    """Once there are results, kill a worker of the cluster, which then starts another; and once more.  Notes what was there."""
    while not list(folder.glob("parts/*")):
        time.sleep(0.01)
    while len(killed) < 2:
        process = next((each.pid for each in local.workers.values() if each.pid and each.pid not in killed), None)
        if process is None:
            time.sleep(0.01)
            continue
        os.kill(process, signal.SIGKILL)
        killed[process] = written(folder)
        time.sleep(0.5)


def test_killed_workers_lose_nothing(tmp_path: Path) -> None:
    (tmp_path / "grid.py").write_text(FILE, encoding="utf-8")
    sweep = load_sweep(tmp_path / "grid.py")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as local:
        killed: dict[int, int] = {}
        thread = threading.Thread(target=kill_twice, args=(local, tmp_path / "s", killed), daemon=True)
        thread.start()
        result = sweep.run(store=tmp_path / "s", engine="dask", address=local.scheduler_address, batch=5)
        thread.join()
    assert len(killed) == 2 and result.complete and len(result) == sweep.size == 600
    assert all(row["value"] == 100 * row["a"] + row["seed"] for row in result.records())
    # Both were killed while there was work, and what came after them was computed elsewhere.
    assert 0 < min(killed.values()) and max(killed.values()) < written(tmp_path / "s")
    processes = set(result.values("process").tolist())
    assert os.getpid() not in processes and processes - killed.keys()
    store = Store(tmp_path / "s")
    assert store.twice == 0 and sum(map(len, store.done.values())) == 600


def test_a_cluster_started_here_has_the_same_bits() -> None:
    problem = fl.li_counterexample(3, 2, 0.1)
    sweep = fl.Sweep(
        problems=problem, algorithms=fl.FedAvg(2, 0.1), parameters={"step_size": [0.1, 0.2]}, seeds=4, rounds=5,
        oracle=fl.AdditiveNoise(0.1),
    )  # fmt: skip
    one, two = sweep.run(), sweep.run(engine="dask", jobs=1)
    assert one.values("gap").tobytes() == two.values("gap").tobytes()


def test_an_address_where_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fltheory.sweep.cluster.PATIENCE", 1)
    with pytest.raises(ValueError, match="no scheduler answers"), cluster(1, "tcp://127.0.0.1:9"):
        pass
