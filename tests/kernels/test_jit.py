"""Compiled code is a convenience: no writable folder is no error, and nothing is compiled before it is needed."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

import fltheory

ROOT = Path(fltheory.__file__).parents[1]
PROGRAM = """
import sys
import fltheory.simulate, fltheory.kernels.dispatch
from fltheory.algorithms import FedAvg
from fltheory.problems import AdditiveNoise, li_counterexample
from fltheory.simulate import simulate
assert "numba" not in sys.modules, "numba was imported before it was needed"
run = simulate(li_counterexample(2, 1, 0.1), FedAvg(2, 0.1), rounds=2, oracle=AdditiveNoise(1.0), backend=sys.argv[1])
print(run.settings["backend"], run.final[0, 0].hex())
from fltheory.kernels.jit import cache_folder
print(cache_folder() if "numba" in sys.modules else "numba not needed")
"""
#: One small kernel, since all are kept by the same decorator.
KERNEL = """
from fltheory.kernels._exp import exp_nonpositive
from fltheory.kernels.jit import cache_folder
print("numba", exp_nonpositive(-0.5).hex())
print(cache_folder())
"""


def program(tmp_path: Path, backend: str, **environment: str) -> list[str]:
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "HOME": str(tmp_path)}
    for name in ("SYSTEMROOT", "TEMP", "TMP", "USERPROFILE"):
        env |= {name: os.environ[name]} if name in os.environ else {}
    command = [sys.executable, "-W", "error", "-c", KERNEL if backend == "kernel" else PROGRAM, backend]
    done = subprocess.run(command, env=env | environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> float:
    return float.fromhex(program(tmp_path_factory.mktemp("plain"), "numpy")[0].split()[1])


def test_numba_is_not_imported_for_numpy(tmp_path):
    assert program(tmp_path, "numpy")[1] == "numba not needed"


def test_a_read_only_cache_folder_is_no_error(tmp_path):
    # A file where a folder is expected cannot be written into by anybody, root included.
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    inside = str(blocked / "cache")
    lines = program(tmp_path, "kernel", NUMBA_CACHE_DIR=inside, XDG_CACHE_HOME=inside, LOCALAPPDATA=inside)
    assert lines[1] == "None"
    assert float.fromhex(lines[0].split()[1]) == pytest.approx(math.exp(-0.5), rel=1e-15)


def test_a_cache_that_numba_must_not_use_is_no_error(tmp_path):
    lines = program(tmp_path, "kernel", NUMBA_CACHE_LOCATOR_CLASSES="IPythonCacheLocator")
    assert float.fromhex(lines[0].split()[1]) == pytest.approx(math.exp(-0.5), rel=1e-15)


def test_compiled_code_is_kept_where_the_user_says(tmp_path):
    lines = program(tmp_path, "kernel", NUMBA_CACHE_DIR=str(tmp_path / "kept"))
    assert lines[1].startswith(str(tmp_path / "kept"))
    assert list((tmp_path / "kept").rglob("*.nbc"))


def test_uncompiled_kernels_give_the_same(tmp_path, plain):
    lines = program(tmp_path, "numba", NUMBA_DISABLE_JIT="1")
    assert float.fromhex(lines[0].split()[1]) == pytest.approx(plain, rel=1e-12)
