"""Result files: whole or absent, described, and continued where they stopped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fltheory.evidence import keys
from fltheory.experiments import origins as origins_module
from fltheory.experiments.files import Result, load_result, made_by, resume, save_result
from fltheory.experiments.origins import ATTESTING, Origin, digest_of
from fltheory.experiments.replicates import run_replicates
from fltheory.experiments.scripts import run_experiment
from fltheory.experiments.standings import NO_KEY, read_origins, standings


@pytest.fixture
def script(tmp_path: Path) -> Iterator[Path]:
    """An experiment's file, whose text is its code."""
    path = tmp_path / "tried.py"
    path.write_text("x = 1\n")
    keys.forget()
    yield path
    keys.forget()


def change(script: Path) -> None:
    script.write_text(script.read_text() + "# changed\n")
    keys.forget()


def test_round_trip(tmp_path: Path, script: Path) -> None:
    made = Result({"E": 5}, seconds=1.5).with_arrays({"a/b": np.arange(3.0)}, origin=made_by(script))
    path = save_result(made, tmp_path / "r" / "r.npz")
    found = load_result(path)
    assert found.settings == {"E": 5} and found.seconds == 1.5
    np.testing.assert_array_equal(found["a/b"], [0, 1, 2])
    (origin,) = found.origins["a/b"]
    assert origin.environment["versions"]["numpy"] == np.__version__ and origin.script == "tried"
    assert origin.code == keys.experiment_key(script) and found.environment == {}
    assert [p.name for p in path.parent.iterdir()] == ["r.npz"]


def test_nothing_about_host_user_or_folders(tmp_path: Path, script: Path) -> None:
    made = Result({}).with_arrays({"a": np.zeros(1)}, origin=made_by(script))
    (origin,) = load_result(save_result(made, tmp_path / "r.npz")).origins["a"]
    assert not {"host", "hostname", "node", "user", "cwd", "path"} & set(origin.environment)
    assert str(tmp_path) not in str(origin)


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


def test_other_settings_code_or_data_start_afresh(tmp_path: Path, script: Path) -> None:
    path, said = tmp_path / "r.npz", []
    save_result(Result({"E": 5}, seconds=3.0).with_arrays({"a": np.zeros(2)}, origin=made_by(script)), path)
    assert "a" in resume(path, {"E": 5}, made_by(script)).arrays
    assert not resume(path, {"E": 6}, made_by(script)).arrays
    assert not resume(path, {"E": 5}, made_by(script, "other data"), report=said.append).arrays
    change(script)
    assert not resume(path, {"E": 5}, made_by(script), report=said.append).arrays
    assert said == ["r.npz: 1 arrays of other code or data are dropped and computed anew"] * 2
    mixed = load_result(path).with_arrays({"b": np.ones(1)}, origin=made_by(script))
    save_result(mixed, path)
    assert set(resume(path, {"E": 5}, made_by(script), report=said.append).arrays) == {"b"}


def old_file(path: Path, settings: dict[str, Any], **arrays: np.ndarray) -> None:
    """A file as it was written before origins were kept."""
    description = {"schema": 1, "settings": settings, "environment": {"processor": "another"}, "seconds": 7.0}
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, description=np.array(json.dumps(description)), **arrays)


def test_old_files_are_read_named_and_never_given_a_key(tmp_path: Path, script: Path) -> None:
    path = tmp_path / "experiments" / "tried.npz"
    old_file(path, {"E": 5}, **{"one/a": np.zeros(2), "one/b": np.zeros(2)})
    assert load_result(path).origins == {} and load_result(path).environment == {"processor": "another"}
    found = load_result(path).with_arrays({"two/a": np.ones(1)}, origin=made_by(script))
    save_result(found, path)
    names, origins = read_origins(path)
    assert set(names) == {"one/a", "one/b", "two/a"} and set(origins) == {"two/a"}
    (item,) = standings(path.parent, {"tried": script})
    assert (item.file, item.group, item.arrays, item.why, item.stale) == ("tried.npz", "one", 2, NO_KEY, True)
    assert set(resume(path, {"E": 5}, made_by(script), report=lambda words: None).arrays) == {"two/a"}


def test_stale_arrays_are_named_with_the_reason(tmp_path: Path, script: Path) -> None:
    path = tmp_path / "experiments" / "full" / "tried.npz"
    made = Result({}).with_arrays({"one/a": np.zeros(2), "c": np.zeros(1)}, origin=made_by(script))
    save_result(made, path)
    assert standings(tmp_path / "experiments", {"tried": script}) == []
    change(script)
    (item,) = standings(tmp_path / "experiments", {"tried": script})
    assert str(item) == "full/tried.npz: all groups (2 arrays): the code of tried has changed since"
    (item,) = standings(tmp_path / "experiments", {})
    assert item.why == "the experiment tried that made it is gone"
    save_result(load_result(path).with_arrays({"c": np.zeros(1)}, origin=made_by(script)), path)
    (item,) = standings(tmp_path / "experiments", {"tried": script})
    assert (item.group, item.arrays, item.stale) == ("one", 1, True)


def test_an_array_that_is_handed_on_keeps_its_environment(
    tmp_path: Path, script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r.npz"
    save_result(Result({}).with_arrays({"a": np.zeros(1)}, origin=made_by(script)), path)
    (before,) = load_result(path).origins["a"]
    monkeypatch.setattr(origins_module, "describe", lambda: {"processor": "another"})
    save_result(load_result(path).with_arrays({"b": np.zeros(1)}, origin=made_by(script)), path)
    found = load_result(path)
    assert found.origins["a"] == (before,) and found.origins["b"][0].environment == {"processor": "another"}
    rows = Result({}).with_rows({"a": np.zeros((1, 2))}, origin=before).with_rows({"a": np.ones((1, 2))}, origin=before)
    rows = rows.with_rows({"a": np.ones((1, 2))}, origin=found.origins["b"][0])
    assert [each.items for each in rows.origins["a"]] == [2, 1] and rows["a"].shape == (3, 2)


def test_replicates_of_other_code_or_data_are_dropped_with_a_line(tmp_path: Path, script: Path) -> None:
    path, said, seen = tmp_path / "x.npz", [], []

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        seen.append((name, replicate))
        return {"curve": np.full(2, float(replicate))}

    def run(data: str = "", *, names: tuple[str, ...] = ("one", "two")) -> Result:
        sets = {name: {"replicates": 2} for name in names}
        seen.clear(), said.clear()
        return run_replicates(
            path, {"form": "x"}, sets, job, script=script, data={"two": data}, report=said.append, processes=1
        )

    every = [("one", 0), ("one", 1), ("two", 0), ("two", 1)]
    run()
    assert seen == every
    run()
    assert seen == [] and said == []
    run("other digest")
    assert (
        seen == every[2:]
        and said[0] == "x.npz: two: 2 of 2 replicates are dropped and computed anew: other code or data"
    )
    change(script)
    result = run("other digest", names=("one",))
    assert seen == every[:2] and "one: 2 of 2" in said[0]
    assert result.origins["two/curve"][0].code != result.origins["one/curve"][0].code == keys.experiment_key(script)
    assert load_result(path).origins == result.origins
    old_file(path, {"common": {"form": "x"}, "sets": {"one": {"replicates": 2}}}, **{"one/curve": np.zeros((2, 2))})
    run()
    assert seen == every and "one: 2 of 2 replicates are dropped" in said[0]


def test_only_the_replicates_after_the_change_are_computed_again(tmp_path: Path, script: Path) -> None:
    path, seen, sets = tmp_path / "x.npz", [], {"one": {"replicates": 3}}
    old = Origin("tried", "another code", items=0)
    first = Result({"common": {}, "sets": sets}).with_rows({"one/curve": np.zeros((1, 1))}, origin=made_by(script))
    save_result(first.with_rows({"one/curve": np.full((2, 1), 9.0)}, origin=old), path)

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        seen.append(replicate)
        return {"curve": np.full(1, float(replicate))}

    result = run_replicates(path, {}, sets, job, script=script, report=lambda words: None, processes=1)
    assert seen == [1, 2] and result["one/curve"].ravel().tolist() == [0, 1, 2]
    assert [each.items for each in result.origins["one/curve"]] == [3]


def test_attestation_notes_what_was_computed_again(tmp_path: Path, script: Path) -> None:
    path = tmp_path / "experiments" / "tried.npz"
    sets = {"good": {"replicates": 3}, "bad": {"replicates": 3}, "other": {"replicates": 3, "E": 1}}
    settings = {"common": {}, "sets": {**sets, "other": {"replicates": 3}}}
    kept = {f"{name}/curve": np.arange(3.0)[:, None] for name in sets}
    old_file(path, settings, **{**kept, "bad/curve": kept["bad/curve"] * (1 + 1e-15)})
    seen: list[int] = []

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        seen.append(replicate)
        return {"curve": np.full(1, float(replicate) if name == "good" else 7.0)}

    said: list[str] = []

    def again() -> Result:
        token = ATTESTING.set(True)
        try:
            return run_replicates(path, {}, sets, job, script=script, report=said.append)
        finally:
            ATTESTING.reset(token)

    for _ in range(2):
        with pytest.raises(ValueError, match="other bits in bad: today's code, on this processor"):
            again()
    result = load_result(path)
    assert set(result.origins) == {"good/curve"} and len(seen) == 4
    (origin,) = result.origins["good/curve"]
    assert origin.code == keys.experiment_key(script) and origin.environment == {}
    assert origin.attested["replicates"] == sorted({seen[0], seen[2]}) and origin.attested["of"] == 3
    assert any("other: not attested" in line for line in said) and any("bad: replicate" in line for line in said)
    lines = [str(item) for item in standings(path.parent, {"tried": script})]
    assert f"attested: {len(origin.attested['replicates'])} of 3 replicates" in " ".join(lines)
    assert sum(NO_KEY in line for line in lines) == 2


def test_what_has_no_replicates_is_not_attested(tmp_path: Path, script: Path) -> None:
    script.write_text("def main(full, results): ...\n")
    with pytest.raises(ValueError, match="tried has no replicates to attest"):
        run_experiment(script, results=tmp_path, attest=True)
    token = ATTESTING.set(True)
    try:
        with pytest.raises(ValueError, match="nothing to attest"):
            run_replicates(tmp_path / "x.npz", {}, {}, lambda name, replicate: {}, script=script)
    finally:
        ATTESTING.reset(token)


def test_digests_tell_arrays_apart() -> None:
    a = np.arange(4.0)
    same = digest_of(a, "x") == digest_of(a.copy(), "x")
    assert same and len({digest_of(x) for x in (a, a.reshape(2, 2), a.astype(np.float32), a + 1, "0", b"0")}) == 6


def test_replicates_go_on_where_they_stopped(tmp_path: Path, script: Path) -> None:
    path, seen = tmp_path / "x.npz", []

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        seen.append((name, replicate))
        if name == "two" and replicate == 1 and len(seen) < 5:
            raise RuntimeError("interrupted")
        return {"curve": np.full(2, 10.0 * (name == "two") + replicate)}

    sets = {"one": {"E": 1, "replicates": 2}, "two": {"E": 2, "replicates": 2}}
    with pytest.raises(RuntimeError, match="interrupted"):
        run_replicates(path, {"form": "x"}, sets, job, script=script, report=lambda words: None, processes=1)
    assert load_result(path)["one/curve"].shape == (2, 2)
    seen.extend([("", 0)] * 5)
    before = len(seen)
    result = run_replicates(path, {"form": "x"}, sets, job, script=script, report=lambda words: None, processes=1)
    assert seen[before:] == [("two", 1)]
    np.testing.assert_array_equal(result["two/curve"], [[10, 10], [11, 11]])


def test_a_changed_set_is_dropped_and_an_absent_one_is_kept(tmp_path: Path, script: Path) -> None:
    path = tmp_path / "x.npz"

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        return {"curve": np.full(1, float(replicate))}

    def run(**sets: dict[str, int]) -> Result:
        return run_replicates(path, {}, sets, job, script=script, report=lambda words: None)

    run(one={"E": 1, "replicates": 3}, two={"E": 2, "replicates": 3})
    again = run(one={"E": 9, "replicates": 1})
    assert again["one/curve"].shape == (1, 1) and again["two/curve"].shape == (3, 1)
    assert again.settings["sets"] == {"one": {"E": 9, "replicates": 1}, "two": {"E": 2, "replicates": 3}}


def test_another_number_of_replicates_starts_afresh(tmp_path: Path, script: Path) -> None:
    path, seen = tmp_path / "x.npz", []

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        seen.append(replicate)
        return {"curve": np.zeros(1)}

    for count in (2, 3):
        run_replicates(
            path, {}, {"one": {"replicates": count}}, job, script=script, report=lambda words: None, processes=1
        )
    assert sorted(seen[:2]) == [0, 1] and sorted(seen[2:]) == [0, 1, 2]
