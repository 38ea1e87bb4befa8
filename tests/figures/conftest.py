"""Experiments without the modules that do not count in their keys."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from fltheory.evidence.keys import BESIDE_NUMBERS, reached_by
from fltheory.experiments.scripts import named_scripts

#: They store arrays; tests/experiments/test_files.py holds them to the bits.
STORE = {"fltheory.experiments.files", "fltheory.experiments.replicates"}
#: The audit's table is written from the finished arrays.
AFTERWARDS = {"table"}


def refused(name: str) -> Any:
    def call(*_: Any, **__: Any) -> Any:
        raise AssertionError(f"{name} was called while an experiment ran: it counts in no key")

    return call


@pytest.fixture
def numbers_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every function and class of the modules that count in no key raises, wherever it was imported."""
    reached = {module for path in named_scripts("figures/experiments").values() for module in reached_by(path)}
    modules = [import_module(name) for name in sorted(reached)]
    apart = {name for name in BESIDE_NUMBERS & reached if name not in STORE}
    assert apart
    for module in {*modules, *(sys.modules[name] for name in apart)}:
        for name, value in list(vars(module).items()):
            if _owner(value) in apart and name not in AFTERWARDS and not name.startswith("__"):
                monkeypatch.setattr(module, name, refused(f"{_owner(value)}.{name}"))


def _owner(value: Any) -> str:
    if isinstance(value, ModuleType) or not (inspect.isfunction(value) or inspect.isclass(value)):
        return ""
    return str(getattr(value, "__module__", ""))
