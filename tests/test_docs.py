"""The examples of the guides run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", ["mixed.md"])
def test_examples_run(name: str, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / name).read_text("utf-8"), re.S)
    assert len(blocks) >= 3
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "()" in lines  # the package's own runs pass the check at K = 1
    assert "[]" in lines  # no condition of the bound that is drawn fails
    assert (tmp_path / "one_way.png").is_file() and (tmp_path / "two_way.png").is_file()
