"""Whatever a result depends on in a user's own files is in its key; each case is one edit."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path

import pytest

from fltheory.sweep.declared import load_sweep

HELPERS = """
import functools
import fltheory as fl

FACTOR = 2.0

def inner(x):
    return FACTOR * x

def scaled(function):
    @functools.wraps(function)
    def other(*values):
        return 5.0 * function(*values)
    return other

@functools.lru_cache
def remembered(x):
    return x + 7.0
"""

FILE = """
from dataclasses import InitVar, dataclass
from functools import partial
import fltheory as fl
import numba
import ITS_HELPERS as helpers

PROBLEM = fl.QuadraticProblem([[[11.0]]], [[1.0]])
KEPT = helpers.remembered
SHIFT = partial(pow, 13)

@numba.njit
def compiled(x):
    return x + 17.0

@helpers.scaled
def decorated(x):
    return x

def outside(self):
    return 19.0

class Tool:
    use = outside
    class Part:
        size = 23.0

@dataclass(frozen=True)
class Setting:
    hidden: InitVar[float]

    def __post_init__(self, hidden):
        object.__setattr__(self, "kept", hidden)

SETTING = Setting(29.0)

def late(x):
    import ITS_HELPERS
    return ITS_HELPERS.inner(x)

def measured(a):
    return PROBLEM.value([a]) + KEPT(a) + SHIFT(1) + compiled(a) + decorated(a) + Tool().use() + Tool.Part.size \\
        + SETTING.kept + late(a) + helpers.inner(a)

sweep = fl.Sweep(call=measured, parameters={"a": [1.0]})
"""

EDITS = [("2.0", "3.0"), ("5.0", "6.0"), ("x + 7.0", "x + 8.0"), ("11.0", "12.0"), ("13", "14"), ("17.0", "18.0")]
EDITS += [("19.0", "20.0"), ("23.0", "24.0"), ("29.0", "30.0"), ("return FACTOR * x", "return -FACTOR * x")]


def key(folder: Path, edit: tuple[str, str] = ("", "")) -> str:
    helpers, file = (text.replace(*edit) if edit[0] else text for text in (HELPERS, FILE))
    (folder / "sweep_test_helpers.py").write_text(helpers, encoding="utf-8")
    (folder / "grid.py").write_text(file.replace("ITS_HELPERS", "sweep_test_helpers"), encoding="utf-8")
    sys.modules.pop("sweep_test_helpers", None)
    linecache.clearcache()
    try:
        return load_sweep(folder / "grid.py").cells[0].key
    finally:
        sys.modules.pop("sweep_test_helpers", None)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit[0])
def test_an_edit_changes_the_key(tmp_path: Path, edit: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
    kept = key(tmp_path / "a")
    assert key(tmp_path / "b") == kept  # the control: in another place, the same
    assert key(tmp_path / "c", edit) != kept


def test_a_file_that_was_edited_after_it_was_imported_does_not_lend_its_text(tmp_path: Path) -> None:
    file = tmp_path / "grid.py"
    text = "import fltheory as fl\ndef f(a):\n    return a + 1\nsweep = fl.Sweep(call=f, parameters={'a': [1.0]})\n"
    file.write_text(text, encoding="utf-8")
    old = load_sweep(file)
    file.write_text(text.replace("a + 1", "a + 22"), encoding="utf-8")  # what runs still adds 1
    linecache.clearcache()
    stored = old.cells[0].key
    linecache.clearcache()
    assert load_sweep(file).cells[0].key != stored
