"""A writing run that is killed, or meets a full disk, at any step leaves the tree whole, and the next run completes it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fltheory.evidence import store
from fltheory.evidence.journal import Journal

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("faults.py")
ROWS = """
@claim("{id}", kind=Kind.DEFINITION, scope=Scope.TEXT, statement="1+1=2", summary="adding", printed=dict(total=2),
       controls=[Control("total 3", dict(total=3))])
def row_{number}(total):
    return found(1 + 1 == total, margin=0.5 if total == 2 else -0.5)
"""


@pytest.fixture
def checkout(tmp_path: Path, claim_head: str) -> Path:
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "fltheory", root / "fltheory", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / "verify" / "li2020").mkdir(parents=True)
    rows = "".join(ROWS.format(id=f"LI-LEM{number}", number=number) for number in (1, 2, 3))
    (root / "verify" / "li2020" / "sums.py").write_text(claim_head + rows)
    assert run(root, sys.executable, "-m", "fltheory", "verify", "--write", "--jobs", "1").returncode == 0
    return root


def run(root: Path, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}
    return subprocess.run(words, cwd=root, env=environment, capture_output=True, text=True, **options)


def results(root: Path) -> dict[str, bytes]:
    files = [*(root / "results").rglob("*"), root / "paper_checks.md"]
    passing = ("last_run.json", "writing.lock")
    return {str(p.relative_to(root)): p.read_bytes() for p in files if p.is_file() and p.name not in passing}


def more(root: Path) -> None:
    """Another row, and other facts of the rest."""
    script = root / "verify" / "li2020" / "sums.py"
    script.write_text(script.read_text().replace("0.5 if", "0.75 if") + ROWS.format(id="LI-LEM5-1", number=5))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="kills by a POSIX signal")
@pytest.mark.parametrize("kind", ["kill", "full", "read-only", "interrupt"])
def test_a_fault_at_any_step_loses_nothing(checkout: Path, tmp_path: Path, kind: str) -> None:
    before = results(checkout)
    more(checkout)
    assert run(checkout, sys.executable, str(DRIVER), kind, "9999").returncode == 255
    wanted = results(checkout)
    assert wanted.keys() >= before.keys() and wanted != before
    killed = (1, 2, 3, 5, 8, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 25, 30, 45, 70)
    for at in killed if kind == "kill" else (1, 5, 13, 17, 30):
        for name in results(checkout):
            (checkout / name).unlink()
        for name, data in before.items():
            (checkout / name).write_bytes(data)
        first = run(checkout, sys.executable, str(DRIVER), kind, str(at))
        assert first.returncode != 0, (at, first.stdout)
        if kind in ("full", "read-only"):
            assert first.returncode in (1, 3) and "could not be written" in first.stdout + first.stderr, (at, first)
        kept = store.read_evidence(checkout)
        assert len(kept) >= 3 and not any(row[store.DAMAGED] for row in kept.values()), at
        Journal(checkout).read()
        again = run(checkout, sys.executable, str(DRIVER), kind, "9999")
        assert again.returncode == 255, (at, again.stdout + again.stderr)
        assert results(checkout) == wanted, at


@pytest.mark.slow
def test_a_narrower_run_leaves_what_an_interrupted_one_finished(checkout: Path) -> None:
    more(checkout)
    steps = run(checkout, sys.executable, str(DRIVER), "kill", "8").returncode
    assert steps < 0
    waiting = set(Journal(checkout).read())
    assert len(waiting) >= 2
    (narrow, *_) = sorted(waiting)
    assert run(checkout, sys.executable, "-m", "fltheory", "verify", "--write", "--jobs", "1", narrow).returncode == 0
    assert set(Journal(checkout).read()) == waiting - {narrow}
    done = run(checkout, sys.executable, "-m", "fltheory", "verify", "--write", "--jobs", "1")
    assert done.returncode == 0 and f"{len(waiting) - 1} rows taken over from an interrupted run" in done.stdout
    assert not Journal(checkout).path.exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="closes a POSIX pipe")
def test_a_closed_output_leaves_the_tree_whole(checkout: Path) -> None:
    more(checkout)
    words = f"{sys.executable} -m fltheory verify --write --jobs 1 | true"
    run(checkout, "sh", "-c", words)
    assert not any(row[store.DAMAGED] for row in store.read_evidence(checkout).values())
    assert run(checkout, sys.executable, "-m", "fltheory", "verify", "--write", "--jobs", "1").returncode == 0
    assert run(checkout, sys.executable, "-m", "fltheory", "verify", "--check", "--jobs", "1").returncode == 0
