"""The word ``sweep`` of the command line."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fltheory.cli import main
from fltheory.processes import FORKS
from fltheory.sweep.frames import decode

FILE = """
import fltheory as fl

def root(a):
    if a < 0:
        raise ValueError("no root")
    return a ** 0.5

sweep = fl.Sweep(call=root, parameters={"a": [4.0, 9.0, -1.0]})
"""


def called(*words: object) -> Result:
    return CliRunner().invoke(main, ["sweep", *map(str, words)], catch_exceptions=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "roots.py"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_run_show_and_retry(file: Path) -> None:
    first = called(file)
    assert first.exit_code == 1 and "2 configurations done, 1 failed, 0 missing: roots.sweep" in first.output
    assert "failed  a=-1.0: ValueError: no root" in first.output
    assert len(list(file.with_suffix(".sweep").glob("results*"))) == 1
    assert called("run", file, "--retry", "--no-compact").exit_code == 1
    shown = called("show", file)
    assert shown.exit_code == 0
    assert [line.split() for line in shown.output.splitlines()[:3]] == [
        ["a", "runs", "value"],
        ["4.0", "1", "2"],
        ["9.0", "1", "3"],
    ]
    assert "in root" in called("show", file, "--failed").output
    file.write_text(FILE.replace("-1.0]", "16.0]"), encoding="utf-8")
    assert called(file).exit_code == 0 and "16.0" in called("show", file).output


def test_shards_and_merge(file: Path) -> None:
    file.write_text(FILE.replace("-1.0]", "16.0]"), encoding="utf-8")
    for part in ("1/2", "2/2"):
        assert called(file, "--shard", part).exit_code == 0
    merged = called("merge", file)
    assert merged.exit_code == 0 and merged.output.startswith("3 added, 0 had, 0 failed, 0 unequal")
    assert "SweepResult(3 configurations done, 0 failed, 0 missing)" in called("show", file).output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nothing.py"], "no such file"),
        (["FILE", "--shard", "3/2"], "no shard"),
        (["FILE", "--jobs", "0"], "--jobs"),
        (["FILE", "--engine", "slurm"], "slurm"),
        (["merge", "FILE"], "no folders shard-i-of-n"),
        (["EMPTY"], "no sweep = fl.Sweep(...)"),
        (["EMPTY/sub"], "no such file"),
    ],
)
def test_usage(file: Path, words: list[str], told: str) -> None:
    empty = file.with_name("empty.py")
    empty.write_text("sweep = 3\n", encoding="utf-8")
    result = called(*[word.replace("FILE", str(file)).replace("EMPTY", str(empty)) for word in words])
    assert result.exit_code == 2 and told in result.output


def has_a_result(store: Path) -> bool:
    """Whether a record of runs is kept: a file begins with a record of what makes it, which is none."""
    kept = [record for part in store.glob("parts/*") for record in decode(part.read_bytes())]
    return any(record.head["kind"] != "made" for record in kept)


@pytest.mark.skipif(not FORKS, reason="no forks on this system")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_keeps_what_is_done(file: Path, jobs: str) -> None:
    import signal

    text = FILE.replace("[4.0, 9.0, -1.0]", "list(range(400))").replace(
        "    if", "    __import__('time').sleep(0.02)\n    if"
    )
    file.write_text(text, encoding="utf-8")
    call = [sys.executable, "-m", "fltheory", "sweep", str(file), "--jobs", jobs, "--batch", "1"]
    process = subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not has_a_result(file.with_suffix(".sweep")) and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 3, err
    done = int(out.split()[0])
    assert 1 <= done < 400 and f"{400 - done} missing" in out
    assert f"SweepResult({done} configurations done" in called("show", file).output
