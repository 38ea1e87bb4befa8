"""Implementations with bugs that public projects have reported, and right ones, written without a look at the list of deviations.

Each file says in its docstring what is wrong.  ``KEYS`` is the deviation that names it (empty: none does), ``CONVENTION`` the
words where the field leaves the choice open; files that begin with ``right_`` are the published algorithm.  At a first trial 43
of 52 bugs were named (2 of them as conventions), 9 were "not in the list", and none of the 16 right ones was accused.  Of 16
more, written after the list had been seen in part, 9 were named.  All 68 are named since.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import fltheory as fl

FILES = sorted(path for path in Path(__file__).parent.glob("*.py") if path.stem != Path(__file__).stem)
#: What is required: so many bugs are in the trial, so many have a name, and no right code is accused.
BUGS, NAMED, RIGHT = 68, 68, 16


def loaded(path: Path) -> ModuleType:
    if "import torch" in path.read_text():
        pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location(f"trial_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_how_many_there_are() -> None:
    right = [path for path in FILES if path.stem.startswith("right_")]
    unnamed = [path for path in FILES if "KEYS = ()" in path.read_text()]
    assert len(right) >= RIGHT and len(FILES) - len(right) >= BUGS and BUGS - len(unnamed) >= NAMED


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_bug_is_named(path: Path) -> None:
    module = loaded(path)
    seconds = 1.0 if getattr(module, "KEYS", None) == () else 30.0
    report = fl.conform(module.run, module.ALGORITHM, form=getattr(module, "FORM", "flat"), seconds=seconds)
    if path.stem.startswith("right_"):
        assert report.passed and report.verdict in ("equal", "convention"), report.sentence
    elif hasattr(module, "CONVENTION"):
        assert report.verdict == "convention" and module.CONVENTION in report.sentence, report.sentence
    elif not module.KEYS:
        assert not report.passed and report.verdict == "unknown", report.sentence
    else:
        assert not report.passed and report.verdict == "deviation", report.sentence
        assert set(report.keys) == set(module.KEYS), report.sentence
