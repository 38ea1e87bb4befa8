"""The scripts of ``benchmarks/worst_case`` as modules: their explicit programs and mutations are used by tests too."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def script() -> Callable[[str], ModuleType]:
    """Import a script by name."""

    def load(name: str) -> ModuleType:
        if str(ROOT) not in sys.path:
            sys.path.insert(0, str(ROOT))
        return importlib.import_module(f"benchmarks.worst_case.{name}")

    return load
