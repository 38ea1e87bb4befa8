"""Result files: whole or absent, described, and continued where they stopped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fltheory.plotting.experiments import run_replicates
from fltheory.plotting.files import Result, load_result, resume, save_result


def test_round_trip(tmp_path: Path) -> None:
    path = save_result(Result({"E": 5}, {"a/b": np.arange(3.0)}, seconds=1.5), tmp_path / "r.npz")
    found = load_result(path)
    assert found.settings == {"E": 5} and found.seconds == 1.5
    np.testing.assert_array_equal(found["a/b"], [0, 1, 2])
    assert found.environment["versions"]["numpy"] == np.__version__
    assert [p.name for p in tmp_path.iterdir()] == ["r.npz"]


def test_nothing_about_host_user_or_folders(tmp_path: Path) -> None:
    found = load_result(save_result(Result({}, {}), tmp_path / "r.npz"))
    assert not {"host", "hostname", "node", "user", "cwd", "path"} & set(found.environment)
    assert str(tmp_path) not in str(found.environment)


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="run the experiment"):
        load_result(tmp_path / "none.npz")
    with pytest.raises(ValueError, match="does not end in .npz"):
        save_result(Result({}, {}), tmp_path / "r.json")
    np.savez(tmp_path / "other.npz", a=np.zeros(1))
    with pytest.raises(ValueError, match="no description"):
        load_result(tmp_path / "other.npz")
    with pytest.raises(ValueError, match="reserved"):
        save_result(Result({}, {"description": np.zeros(1)}), tmp_path / "r.npz")
    with pytest.raises(KeyError, match="there are a"):
        Result({}, {"a": np.zeros(1)})["b"]


def test_other_settings_start_afresh(tmp_path: Path) -> None:
    save_result(Result({"E": 5}, {"a": np.zeros(2)}), tmp_path / "r.npz")
    assert "a" in resume(tmp_path / "r.npz", {"E": 5}).arrays
    assert not resume(tmp_path / "r.npz", {"E": 6}).arrays


def test_replicates_go_on_where_they_stopped(tmp_path: Path) -> None:
    path, seen = tmp_path / "x.npz", []

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        seen.append((name, replicate))
        if name == "two" and replicate == 1 and len(seen) < 5:
            raise RuntimeError("interrupted")
        return {"curve": np.full(2, 10.0 * (name == "two") + replicate)}

    sets = {"one": {"E": 1, "replicates": 2}, "two": {"E": 2, "replicates": 2}}
    with pytest.raises(RuntimeError, match="interrupted"):
        run_replicates(path, {"form": "x"}, sets, job, report=lambda words: None, processes=1)
    assert load_result(path)["one/curve"].shape == (2, 2)
    seen.extend([("", 0)] * 5)
    before = len(seen)
    result = run_replicates(path, {"form": "x"}, sets, job, report=lambda words: None, processes=1)
    assert seen[before:] == [("two", 1)]
    np.testing.assert_array_equal(result["two/curve"], [[10, 10], [11, 11]])


def test_a_changed_set_is_dropped_and_an_absent_one_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        return {"curve": np.full(1, float(replicate))}

    def run(**sets: dict[str, int]) -> Result:
        return run_replicates(path, {}, sets, job, report=lambda words: None)

    run(one={"E": 1, "replicates": 3}, two={"E": 2, "replicates": 3})
    again = run(one={"E": 9, "replicates": 1})
    assert again["one/curve"].shape == (1, 1) and again["two/curve"].shape == (3, 1)
    assert again.settings["sets"] == {"one": {"E": 9, "replicates": 1}, "two": {"E": 2, "replicates": 3}}


def test_another_number_of_replicates_starts_afresh(tmp_path: Path) -> None:
    path, seen = tmp_path / "x.npz", []

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        seen.append(replicate)
        return {"curve": np.zeros(1)}

    for count in (2, 3):
        run_replicates(path, {}, {"one": {"replicates": count}}, job, report=lambda words: None, processes=1)
    assert sorted(seen[:2]) == [0, 1] and sorted(seen[2:]) == [0, 1, 2]
