"""A plugin of pytest with two uses: it notes which functions a test runs, or it picks the tests for a mutant.

``MUTATION_RECORD=FILE``: one line per test is added to the file: its name, seconds of the processor, whether it passed, and the
functions of the mutated folders that it ran in this process and thread; a test that takes more than ``MUTATION_LIMIT`` seconds
of the processor is ended and counts as not passed.  ``MUTATION_PICK=FILE``: only the tests that the file lists run, in its
order.  The first test that fails is written to the file ``MUTATION_FAILED``.
"""

from __future__ import annotations

import cProfile
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from benchmarks.mutation.places import BESIDE, FOLDERS, PACKAGE

_passed: dict[str, bool] = {}


def outer(qualified: str) -> str:
    """The function that is written in a module or class: ``f.<locals>.<lambda>`` belongs to ``f``."""
    return qualified.split(".<locals>")[0]


def functions_run(profile: cProfile.Profile, root: Path) -> list[str]:
    """What a profile has seen of the mutated folders under ``root``, each as ``path:function``."""
    beside = tuple(str(root / PACKAGE / f"{name}.py") for name in BESIDE)
    folders = tuple(f"{root / PACKAGE / folder}{os.sep}" for folder in FOLDERS) + beside
    codes = (entry.code for entry in profile.getstats() if isinstance(entry.code, CodeType))
    mine = (code for code in codes if code.co_filename.startswith(folders) and code.co_name != "<module>")
    return sorted({f"{Path(code.co_filename).relative_to(root).as_posix()}:{outer(code.co_qualname)}" for code in mine})


def _seconds() -> float:
    """Seconds of the processor, of this process and of those it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _too_long(*_: Any) -> None:
    pytest.fail("takes longer than a test for mutants may")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    target = os.environ.get("MUTATION_RECORD")
    if target is None:
        return (yield)
    signal.signal(signal.SIGPROF, _too_long)
    profile, begun = cProfile.Profile(builtins=False), _seconds()
    signal.setitimer(signal.ITIMER_PROF, float(os.environ["MUTATION_LIMIT"]))
    profile.enable()
    try:
        result = yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        profile.disable()
    line = {
        "test": item.nodeid,
        "seconds": round(_seconds() - begun, 3),
        "passed": _passed.get(item.nodeid, False),
        "ran": functions_run(profile, Path.cwd()),
    }
    with open(target, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _passed[report.nodeid] = _passed.get(report.nodeid, True) and not report.failed
    failed = os.environ.get("MUTATION_FAILED")
    if report.failed and failed and not os.path.exists(failed):
        Path(failed).write_text(report.nodeid, encoding="utf-8")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if target := os.environ.get("MUTATION_PICK"):
        wanted = {name: place for place, name in enumerate(Path(target).read_text("utf-8").splitlines())}
        items[:] = sorted((item for item in items if item.nodeid in wanted), key=lambda item: wanted[item.nodeid])
