"""What users, disks and other machines do to a sweep: it says so, and loses nothing that is finished."""

from __future__ import annotations

import random
import resource
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import fltheory as fl
from fltheory.cli import main
from fltheory.simulate.loop import simulate
from fltheory.sweep.maker import maker, maker_record
from fltheory.sweep.merging import merge
from fltheory.sweep.run import kept_result
from fltheory.sweep.store import Store, record_files

PROBLEM = fl.li_counterexample(2, 2, 0.1)


def add(a: float, seed: int) -> dict[str, Any]:
    return {"sum": a + seed, "many": np.arange(3) * a}


def grid(**changed: Any) -> fl.Sweep:
    return fl.Sweep(**{"call": add, "parameters": {"a": [1.0, 2.0, 3.0]}, "seeds": 5, **changed})


def test_an_algorithm_that_refuses_its_parameters_fails_alone(tmp_path: Path) -> None:
    sweep = fl.Sweep(
        problems=PROBLEM, algorithms=fl.FedAvg, parameters={"local_steps": [2], "step_size": [0.1, -1.0, 0.2]}, seeds=3, rounds=2
    )  # fmt: skip
    result = sweep.run(store=tmp_path)
    assert len(result) == 6 and not result.missing
    (failed,) = result.failures
    assert failed.coordinates["step_size"] == -1.0 and failed.seeds == (0, 1, 2) and "step_size" in failed.reason
    alone = simulate(PROBLEM, fl.FedAvg(2, 0.2), rounds=2, runs=3)
    assert result.select(step_size=0.2).values("gap")[:, -1].tobytes() == alone.values("gap")[:, -1].tobytes()


def test_starts_of_runs_stay_with_their_runs() -> None:
    starts = np.random.default_rng(1).normal(size=(4, PROBLEM.dimension))
    given: dict[str, Any] = {"problems": PROBLEM, "algorithms": fl.FedAvg(2, 0.1), "rounds": 3, "start": starts}
    one, two = fl.Sweep(**given, seeds=4).run(), fl.Sweep(**given, seeds=4).run(batch=1)
    assert one.values("gap").tobytes() == two.values("gap").tobytes()
    with pytest.raises(ValueError, match="row s for seed s"):
        _ = fl.Sweep(**given, seeds=5).cells


def test_data_that_change_in_place_are_computed_anew(tmp_path: Path) -> None:
    table = np.ones(2)

    def total(a: float) -> float:
        return float(a * table.sum())

    sweep = fl.Sweep(call=total, parameters={"a": [1.0]})
    assert sweep.run(store=tmp_path).records()[0]["value"] == 2.0
    table[0] = 5.0
    assert sweep.run(store=tmp_path).records()[0]["value"] == 6.0


@pytest.mark.parametrize("name", ["seed", "status", "gap", "algorithm"])
def test_names_of_columns_are_refused(name: str) -> None:
    made: Any = eval(f"lambda {name}: None", {})
    with pytest.raises(ValueError, match="the name of another column"):
        _ = fl.Sweep(problems=PROBLEM, algorithms=made, parameters={name: [1]}, rounds=1).cells


def test_a_changed_byte_costs_one_record_and_gives_no_wrong_number(tmp_path: Path) -> None:
    sweep = grid()
    sweep.run(store=tmp_path, batch=1)
    (part,) = record_files(tmp_path)
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 4
    part.write_bytes(data)
    result = kept_result(sweep, tmp_path)
    assert len(result) == 14 and result.missing == 1 and "damaged" in result.notes[0]
    assert sweep.run(store=tmp_path).complete


def test_a_changed_byte_of_a_compacted_file_is_seen_or_harmless(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    sweep = grid()
    whole = sweep.run(store=tmp_path, compact=True).records()
    (file,) = record_files(tmp_path)
    data, chance = file.read_bytes(), random.Random(2)
    seen = 0
    for _ in range(150):
        changed = bytearray(data)
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        file.write_bytes(changed)
        try:
            found = kept_result(sweep, tmp_path)
        except ValueError as error:
            seen += "is damaged" in str(error)
            continue
        told = {(row["a"], row["seed"]): row for row in whole}
        assert all(row == told[row["a"], row["seed"]] for row in found.records())
    assert seen > 50


def test_a_full_disk_keeps_what_is_written(tmp_path: Path) -> None:
    sweep = grid(parameters={"a": list(map(float, range(40)))})
    kind, before = signal.getsignal(signal.SIGXFSZ), resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            sweep.run(store=tmp_path, batch=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, kind)
    done = len(kept_result(sweep, tmp_path))
    assert 0 < done < 200
    assert sweep.run(store=tmp_path).complete and Store(tmp_path).twice == 0


def test_a_store_says_what_made_it_and_when_it_is_mixed(tmp_path: Path) -> None:
    sweep = grid()
    result = sweep.run(store=tmp_path / "a", compact=True)
    assert result.made == (maker(),) and not result.notes
    assert kept_result(sweep, tmp_path / "a").made == (maker(),)
    (tmp_path / "b" / "parts").mkdir(parents=True)
    (tmp_path / "b" / "parts" / "000001-x.part").write_bytes(maker_record({**maker(), "numpy": "1.0"}))
    merge(tmp_path / "a", [tmp_path / "b"], compact=True)
    (note,) = kept_result(sweep, tmp_path / "a").notes
    assert note.startswith("the store mixes results of several kinds of numpy: ") and note.endswith(", 1.0")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = (", "SyntaxError"),
        ("\n1 / 0", "line 2: ZeroDivisionError"),
        ("import sys\nsys.exit(3)", "line 2: SystemExit"),
        ("import fltheory as fl\nsweep = fl.Sweep(call=len, parameters=5)", "parameters"),
        ("import fltheory as fl\nsweep = fl.Sweep(call=len, parameters={})", "failed"),
    ],
)
def test_mistakes_in_a_file_are_told_in_words(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "grid.py").write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, ["sweep", str(tmp_path / "grid.py")], catch_exceptions=False)
    assert done.exit_code in (1, 2) and words in done.output and "Traceback" not in done.output


def test_a_store_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "grid.py").write_text(
        "import fltheory as fl\nsweep = fl.Sweep(call=len, parameters={})", encoding="utf-8"
    )
    (tmp_path / "grid.sweep").write_text("a file", encoding="utf-8")
    done = CliRunner().invoke(main, ["sweep", str(tmp_path / "grid.py")], catch_exceptions=False)
    assert done.exit_code == 2 and "grid.sweep" in done.output
