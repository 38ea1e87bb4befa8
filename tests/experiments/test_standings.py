"""``verify --check`` names arrays of experiments that other code made, and its exit code does not count them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.evidence.catalogue import Catalogue
from fltheory.evidence.runner import EXPECTED, RunOfClaims
from fltheory.evidence.session import Session
from fltheory.experiments.origins import Origin, to_data
from fltheory.experiments.standings import report, standings


def write(path: Path, origins: dict[str, tuple[Origin, ...]], *names: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    description = np.array(json.dumps({"schema": 2, "origins": to_data(origins)}))
    np.savez_compressed(path, description=description, **{name: np.zeros(3) for name in names})


def test_the_block_of_a_check(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "experiments"
    write(folder / "old.npz", {}, "one/a", "one/b")
    partly = (Origin("rates", "other", items=1), Origin("gone", "x", items=2))
    write(folder / "full" / "rates.npz", {"two/a": (Origin("rates", "other"),), "three/a": partly}, "two/a", "three/a")
    options: dict[str, Any] = {"as_json": False, "output": tmp_path / "last.json"}
    session = Session(Catalogue({}, {}, ()), (), options, report)
    lines, found = report(tmp_path)
    assert lines[0].startswith("4 arrays of 2 experiment files are stale (the exit code does not count them")
    assert "  old.npz: all groups (2 arrays): no key recorded" in lines
    assert "  full/rates.npz: two (1 array): the code of rates has changed since" in lines
    both = "the code of rates has changed since (1 of 3 replicates); the experiment gone that made it is gone (2 of 3 replicates)"
    assert f"  full/rates.npz: three (1 array): {both}" in lines
    assert len(found["stale"]) == 3 and found["attested"] == []
    assert session._finish(RunOfClaims((), False), [], complete=True, experiments=found) == EXPECTED
    assert '"stale"' in options["output"].read_text()


def test_nothing_is_stale_where_there_is_nothing(tmp_path: Path) -> None:
    assert standings(tmp_path, {}) == []
