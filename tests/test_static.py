"""Ruff and the type checker, as tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run(*command: str) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff() -> None:
    run("ruff", "check", "--no-cache", ".")


@pytest.mark.slow
def test_types() -> None:
    run("mypy", "--cache-dir", os.devnull)


HEAVY = ("numba", "sympy", "cvxpy", "matplotlib", "scipy", "sklearn")


@pytest.mark.parametrize("module", ["fltheory", "fltheory.cli", "fltheory.evidence.session"])
def test_imports_are_light(module: str) -> None:
    code = f"import sys, {module}; sys.exit(' '.join(name for name in {HEAVY!r} if name in sys.modules) or 0)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
