"""No falsification of kept evidence passes ``verify --check``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fltheory.files import write_arrays

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("falsifications.py")


@pytest.mark.slow
def test_no_falsification_passes(tmp_path: Path, claim_head: str) -> None:
    sys.path.insert(0, str(DRIVER.parent))
    try:
        from falsifications import CLAIMS, SCRIPT, falsifications
    finally:
        sys.path.pop(0)
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "fltheory", root / "fltheory", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / SCRIPT).parent.mkdir(parents=True)
    (root / SCRIPT).write_text(claim_head + CLAIMS + "\nNAMED = 'tried'\n")
    (root / "results" / "experiments").mkdir(parents=True)
    write_arrays(root / "results" / "experiments" / "tried.npz", {"schema": 2}, {"level": np.ones(3)})
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    environment = {**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}

    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=root, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(sys.executable, "-m", "fltheory", "verify", "--write", "--jobs", "1")
    run(*git, "init")
    run(*git, "add", "verify", "results", "paper_checks.md")
    run(*git, "commit", "-m", "kept")
    found = json.loads(run(sys.executable, str(DRIVER)).splitlines()[-1])
    assert found.pop("before") == found.pop("after") == [0, []]
    names = set(falsifications())
    assert set(found) == names and len(names) >= 54
    assert {name: result for name, result in found.items() if result[0] != 1 or not result[1]} == {}
