"""The benchmark of a device runs, says what it ran on, and refuses to time what is wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.gpu import __main__ as benchmark
from benchmarks.gpu.cases import Case, cases


def test_one_case_on_a_device_that_is_none(
    pretended: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = [case for case in cases(quick=True) if "quadratics" in case.name][:1]
    monkeypatch.setattr(benchmark, "cases", lambda quick: chosen)
    assert benchmark.main(["--quick", "--out", str(tmp_path / "gpu.json")]) == 0
    found = json.loads((tmp_path / "gpu.json").read_text("utf-8"))
    assert found["device"] == "a processor in disguise" and found["versions"]["cupy"] == "14.2.0"
    assert [row["runs"] for row in found["rows"]] == [1, 3] and all(row["apart"] < 1e-10 for row in found["rows"])
    assert "ratio" in capsys.readouterr().out


def test_backends_that_disagree_are_not_timed(pretended: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    case: Case = next(case for case in cases(quick=True) if "quadratics" in case.name)
    matmul = pretended.matmul
    monkeypatch.setattr(pretended, "matmul", lambda *given: matmul(*given) * (1 + 1e-9))
    with pytest.raises(RuntimeError, match="the models of both backends are .* apart; expected 1e-10"):
        benchmark.measured(case, 1, quick=True)


def test_without_a_device_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert benchmark.main([]) == 1
    assert "the module cupy is not installed" in capsys.readouterr().err


def test_no_two_cases_have_one_name() -> None:
    names = [case.name for case in cases(quick=True)]
    assert len(names) == 9 and len(set(names)) == 9
