"""Spot checks: a replicate of a kept file computed again, whose bits must be equal where the instructions are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fltheory.experiments import spot
from fltheory.experiments.files import load_result, save_result
from fltheory.experiments.replicates import run_replicates

COMMON: dict[str, Any] = {"form": "reduced"}
SETS: dict[str, dict[str, Any]] = {"a": {"replicates": 3, "first seed": 10}, "b": {"replicates": 2, "first seed": 20}}


def job(name: str, replicate: int) -> dict[str, np.ndarray]:
    return {"x": np.array([replicate, ord(name)], dtype=float)}


def kept(folder: Path) -> Path:
    path = folder / "tried.npz"
    run_replicates(path, COMMON, SETS, job, script=__file__, processes=1, report=lambda text: None)
    return path


def test_turns_reach_every_replicate_and_nothing_is_written(tmp_path: Path) -> None:
    path = kept(tmp_path)
    before, told, seen = path.read_bytes(), [], set()

    def counted(name: str, replicate: int) -> dict[str, np.ndarray]:
        seen.add((name, replicate))
        return job(name, replicate)

    for turn in range(12):
        spot.spot_replicate(path, COMMON, SETS, counted, turn, told.append)
    assert seen == {("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1)}
    assert path.read_bytes() == before and all("equal bits in 1 arrays" in line for line in told)


def test_other_bits_fail_on_the_same_instructions_and_are_said_on_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = kept(tmp_path)
    result = load_result(path)
    save_result(replace(result, arrays={**result.arrays, "a/x": result["a/x"] + 1e-15}), path)
    with pytest.raises(ValueError, match="tried.npz, a: replicate 0 of 3: other bits in 1 of 1 arrays, such as a/x"):
        spot.spot_replicate(path, COMMON, SETS, job, 0, print)
    told: list[str] = []
    monkeypatch.setattr(spot, "instructions", lambda: ["none of those"])
    spot.spot_replicate(path, COMMON, SETS, job, 0, told.append)
    assert "made with other vector instructions" in told[0]
    with pytest.raises(ValueError, match="other bits"):
        spot.spot_replicate(path, COMMON, SETS, lambda *given: {"x": np.zeros(3)}, 0, print)


def test_a_file_of_the_other_form_is_not_compared(tmp_path: Path) -> None:
    path = kept(tmp_path)
    with pytest.raises(spot.OtherForm):
        spot.spot_replicate(path, {"form": "full"}, SETS, job, 0, print)
