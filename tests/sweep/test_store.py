"""The store: damaged ends, failures, one driver, compaction, shards and their merging."""

from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.processes import FORKS
from fltheory.sweep.frames import decode, encode
from fltheory.sweep.lock import held
from fltheory.sweep.merging import merge
from fltheory.sweep.run import kept_result
from fltheory.sweep.store import Store, record_files


def told(a: float, seed: int) -> dict[str, Any]:
    return {"sum": a + seed, "row": np.arange(3) * a, "word": f"{seed}", "count": seed}


def grid(values: int = 4, **more: Any) -> fl.Sweep:
    return fl.Sweep(call=told, parameters={"a": [each / 2 for each in range(values)]}, seeds=5, **more)


def test_records_are_read_up_to_the_first_that_is_damaged() -> None:
    one, two = encode({"n": 1}, {"x": np.arange(3.0)}), encode({"n": 2}, {"word": np.array(["a", "bcd"])})
    first, second = decode(one + two)
    assert (first.head, second.head) == ({"n": 1}, {"n": 2})
    assert first.arrays["x"].tolist() == [0, 1, 2] and second.arrays["word"].tolist() == ["a", "bcd"]
    for end in range(len(one), len(one) + len(two)):
        assert [record.head["n"] for record in decode((one + two)[:end])] == [1]
    for place in range(len(one), len(one) + len(two)):
        changed = bytearray(one + two)
        changed[place] ^= 1
        assert [record.head["n"] for record in decode(bytes(changed))] == [1]
    with pytest.raises(ValueError, match="holds objects"):
        encode({}, {"x": np.array([None])})


def test_a_damaged_end_is_dropped_said_and_computed_anew(tmp_path: Path) -> None:
    whole = grid().run(store=tmp_path, batch=3)
    (part,) = record_files(tmp_path)
    data = part.read_bytes()
    part.write_bytes(data[: len(data) - 40])
    left = kept_result(grid(), tmp_path)
    assert 0 < left.missing < 10 and "damaged" in left.notes[0] and part.name in left.notes[0]
    again = grid().run(store=tmp_path)
    assert again.complete and again.notes == left.notes
    assert sorted(map(str, again.records())) == sorted(map(str, whole.records()))


def test_compaction_keeps_everything_and_other_programs_can_read_it(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    problem = fl.li_counterexample(2, 2, 0.1)
    runs = fl.Sweep(
        problems=problem, algorithms=fl.FedAvg(2, 0.1), parameters={"step_size": [0.1, 30.0]}, seeds=3, rounds=40
    )
    before = [sweep.run(store=tmp_path, batch=3) for sweep in (grid(), runs)]
    after = [sweep.run(store=tmp_path, compact=True) for sweep in (grid(), runs)]
    assert record_files(tmp_path) == [tmp_path / "results.parquet"]
    for sweep, one, two in zip((grid(), runs), before, after, strict=True):
        assert kept_result(sweep, tmp_path).records() == one.records() == two.records()
    table = parquet.read_table(tmp_path / "results.parquet").to_pylist()
    assert len(table) == 26 and {"a", "seed", "sum", "row", "step_size", "gap", "status"} <= set(table[0])
    assert any(row["status"].startswith("diverged at round") for row in table)
    kept = tmp_path / "results.parquet"
    kept.write_bytes(kept.read_bytes()[:-100])
    with pytest.raises(ValueError, match="is damaged"):
        kept_result(grid(), tmp_path)


@pytest.mark.parametrize("with_pyarrow", [True, False])
def test_a_crash_between_the_new_file_and_the_old_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_pyarrow: bool
) -> None:
    if with_pyarrow:
        pytest.importorskip("pyarrow")
    else:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    before = grid().run(store=tmp_path, batch=3)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", lambda path: (_ for _ in ()).throw(OSError("killed")))
        with pytest.raises(OSError, match="killed"):
            grid().run(store=tmp_path, compact=True)
    assert len(record_files(tmp_path)) == 2
    store = Store(tmp_path)
    assert store.twice == 0 and sum(map(len, store.done.values())) == 20
    assert grid().run(store=tmp_path).records() == before.records()
    assert len(record_files(tmp_path)) == 1
    grid(5).run(store=tmp_path, compact=True)
    assert len(record_files(tmp_path)) == 1 and kept_result(grid(5), tmp_path).complete


def test_compaction_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    before = grid().run(store=tmp_path, batch=3)
    after = grid().run(store=tmp_path, compact=True)
    assert [path.name for path in record_files(tmp_path)] == ["results.frames"]
    assert "fltheory[sweep]" in after.notes[0]
    assert kept_result(grid(), tmp_path).records() == before.records()


def test_a_failing_configuration_is_recorded_and_tried_again_when_asked(tmp_path: Path) -> None:
    (tmp_path / "flag").write_text("")
    flag = str(tmp_path / "flag")

    def fragile(a: int, seed: int) -> int:
        if a == 2 and Path(flag).exists():
            raise ValueError("two is not allowed")
        return a * seed

    sweep = fl.Sweep(call=fragile, parameters={"a": [1, 2, 3]}, seeds=2)
    result = sweep.run(store=tmp_path / "s")
    assert len(result) == 4 and not result.complete and not result.missing
    (failure,) = result.failures
    assert failure.coordinates == {"a": 2} and failure.seeds == (0, 1)
    assert failure.reason == "ValueError: two is not allowed" and "in fragile" in failure.traceback
    (tmp_path / "flag").unlink()
    assert sweep.run(store=tmp_path / "s").failures == result.failures
    assert sweep.run(store=tmp_path / "s", retry=True).complete
    assert sweep.run(store=tmp_path / "s", compact=True).complete


def test_one_of_a_batch_fails_alone() -> None:
    problem = fl.li_counterexample(3, 2, 0.1)
    schemes = {"two": fl.SchemeI(2), "bad": fl.SchemeII(9)}
    sweep = fl.Sweep(
        problems=problem, algorithms=fl.FedAvg(2, 0.1), parameters={"participation": schemes}, seeds=2, rounds=3
    )
    result = sweep.run()
    assert len(result) == 2 and result.failures[0].coordinates["participation"] == "bad"


@pytest.mark.skipif(not FORKS, reason="no forks on this system")
def test_a_configuration_whose_processes_die_is_given_up() -> None:
    def deadly(a: int) -> int:
        return __import__("os")._exit(9) if a == 3 else a

    result = fl.sweep(call=deadly, parameters={"a": list(range(6))}, jobs=2)
    assert sorted(row["value"] for row in result.records()) == [0, 1, 2, 4, 5]
    (failure,) = result.failures
    assert failure.coordinates == {"a": 3} and "3 processes died" in failure.reason


def _hold(path: Path, ready: Any, go: Any) -> None:
    with held(path / "lock"):
        ready.set()
        go.wait(20)


@pytest.mark.skipif(not FORKS, reason="no forks on this system")
def test_two_drivers_are_refused(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready, go = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(tmp_path, ready, go))
    other.start()
    try:
        assert ready.wait(20)
        store = Store(tmp_path)
        with (
            pytest.raises(ValueError, match=f"in use by process {other.pid} on .*one driver"),
            store.writing(patience=0),
        ):
            pass
    finally:
        go.set()
        other.join()
    assert grid().run(store=tmp_path).complete
    with held(tmp_path / "lock"), pytest.raises(ValueError, match="another sweep of this process"):
        grid().run(store=tmp_path)


def test_shards_and_their_merging_equal_the_whole(tmp_path: Path) -> None:
    problem = fl.li_counterexample(3, 2, 0.1)
    sweep = fl.Sweep(
        problems=problem,
        algorithms=fl.FedAvg,
        parameters={"local_steps": [1, 3], "step_size": [0.05, 0.1, 0.2]},
        oracle=fl.AdditiveNoise(0.1),
        seeds=7,
        rounds=6,
    )
    whole = sweep.run(store=tmp_path / "whole")
    parts = [sweep.run(store=tmp_path / "s", shard=(number, 4)) for number in range(1, 5)]
    assert sum(map(len, parts)) == len(whole) == sweep.size and min(map(len, parts)) > 0
    assert all(part.complete for part in parts)
    assert merge(tmp_path / "s", compact=True) == {"added": 42, "had": 0, "failed": 0, "unequal": 0}
    merged = kept_result(sweep, tmp_path / "s")
    ordered = [sorted(result.records(), key=str) for result in (whole, merged)]
    assert ordered[0] == ordered[1] and merged.complete
    assert merge(tmp_path / "s")["had"] == 42
    assert merge(tmp_path / "s", [tmp_path / "whole"]) == {"added": 0, "had": 42, "failed": 0, "unequal": 0}
    with pytest.raises(ValueError, match="shard=5/4"):
        sweep.run(store=tmp_path / "s", shard=(5, 4))


def test_merging_tells_of_other_bits(tmp_path: Path) -> None:
    """The control: a store with one changed number is not equal."""
    grid().run(store=tmp_path / "a")
    grid().run(store=tmp_path / "b")
    (part,) = record_files(tmp_path / "b")
    head, *records = decode(part.read_bytes())
    assert head.head["kind"] == "made"
    changed = {name: array.copy() for name, array in records[0].arrays.items()}
    changed["sum"][0, 0] += 1
    first = encode(records[0].head, changed)
    part.write_bytes(first + part.read_bytes()[records[0].size :])
    assert merge(tmp_path / "a", [tmp_path / "b"])["unequal"] == 1
