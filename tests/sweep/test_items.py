"""Items of an experiment: kept when finished out of order, computed again only where the key is another one."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fltheory.processes import FORKS
from fltheory.sweep.items import compute_items
from fltheory.sweep.store import Store

pytestmark = pytest.mark.skipif(not FORKS, reason="no forks on this system")


def test_what_was_finished_is_not_computed_again(tmp_path: Path) -> None:
    folder, log = tmp_path / "x.sweep", tmp_path / "log"

    def job(item: int) -> dict[str, Any]:
        with open(log, "a") as file:
            file.write(f"{item}\n")
        if item == 5 and not (tmp_path / "mended").exists():
            raise ValueError("five")
        return {"status": np.full(2, item / 3), "n": np.array(item)}

    found: dict[int, dict[str, Any]] = {}

    def run(key: str) -> None:
        compute_items(job, range(8), folder=folder, key=key, processes=2, done=found.__setitem__)

    with pytest.raises(RuntimeError, match="item 5: ValueError: five"):
        run("code")
    before = len(Store(folder).done)
    assert before == len(found) >= 4
    (tmp_path / "mended").write_text("")
    log.unlink()
    run("code")
    assert len(log.read_text().split()) == 8 - before and not folder.exists()
    assert all(found[i]["status"].tobytes() == np.full(2, i / 3).tobytes() and found[i]["n"] == i for i in range(8))
    assert found[0]["n"].dtype == np.array(0).dtype and found[0]["n"].shape == ()


def test_a_process_that_dies_is_replaced(tmp_path: Path) -> None:
    def job(item: int) -> dict[str, Any]:
        if item == 2 and not (tmp_path / "died").exists():
            (tmp_path / "died").write_text("")
            os.kill(os.getpid(), signal.SIGKILL)
        return {"n": np.array(item)}

    found: dict[int, Any] = {}
    compute_items(job, range(4), folder=tmp_path / "x.sweep", key=1, processes=2, done=found.__setitem__)
    assert sorted(found) == [0, 1, 2, 3] and (tmp_path / "died").exists()
