"""Before a row is run on its kept certificates, what scripts remember is forgotten, whatever else stands among their names."""

from __future__ import annotations

import sys
from functools import cache
from types import ModuleType

import pytest

from fltheory.evidence import replay
from fltheory.theory.record import remembered


def test_answers_of_scripts_are_forgotten_and_classes_of_caches_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    @cache
    def answer(number: int) -> int:
        asked.append(number)
        return number

    script = ModuleType("verify.paper.script")
    vars(script).update(answer=answer, remembered=remembered)
    monkeypatch.setitem(sys.modules, script.__name__, script)
    for _ in range(2):
        answer(1)
        answer(1)
        replay._forget_answers()
    assert asked == [1, 1]
