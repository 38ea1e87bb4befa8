"""``fltheory lyapunov`` as a user drives it: what it certifies, writes and refuses, and what it says while it searches."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import fltheory as fl
from fltheory.cli import main
from fltheory.worstcase.lyapunov_command import PATIENCE, Told

OWN = """
from dataclasses import dataclass
from typing import Any

@dataclass(frozen=True)
class Mine:
    step_size: Any

    def start(self, fed, w):
        return w

    def round(self, fed, w):
        return fed.average(fed.send(w) - self.step_size * fed.gradient(fed.send(w)))
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_a_theorem_is_certified_written_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "scaffold.json"
    asked = ["lyapunov", "Scaffold", "--local-steps", "2", "--step-size", "1/4", "--mu", "1/10", "--after", "10"]
    result = run(*asked, "--output", str(path))
    assert result.exit_code == 0, result.output
    assert "V_R <= (39/40)^(4 R) V_0, for every R >= 1" in result.output
    assert "10 rounds" in result.output and "distance" in result.output
    checked = run("check-certificate", str(path))
    assert checked.exit_code == 0 and "(39/40)^(4 R)" in checked.output
    assert fl.LyapunovBound.load(path).matches(fl.Scaffold(2, 0.25))


def test_a_method_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    result = run("lyapunov", f"{tmp_path / 'mine.py'}:Mine", "--set", "step_size=1/2", "--mu", "1/10")
    assert result.exit_code == 0 and "(19/20)^(2 R)" in result.output, result.output


def test_what_is_not_certified_has_its_own_code() -> None:
    asked = ["lyapunov", "FedAvg", "--step-size", "1/2", "--mu", "1/10"]
    assert run(*asked, "--rho", "9/10").exit_code == 3  # below (19/20)^2
    assert run(*asked, "--rho", "91/100").exit_code == 0
    assert run("lyapunov", "FedAvg", "--step-size", "21/10", "--mu", "1/10").exit_code == 3


@pytest.mark.parametrize(
    ("words", "more"),
    [
        ("No such option '--rounds'", ["--rounds", "3"]),
        ("No such option '--measure'", ["--measure", "gap"]),
        ("rho=2 is no rate", ["--rho", "2"]),
        ("is not one of 'distance'", ["--terms", "all"]),
        ("heterogeneity='identical'", ["--heterogeneity", "identical"]),
        ("FedAvg has no 'shoe_size'", ["--set", "shoe_size=3"]),
    ],
)
def test_refusals_are_usage(words: str, more: list[str]) -> None:
    result = run("lyapunov", "FedAvg", "--step-size", "1/4", "--mu", "1/10", *more)
    assert result.exit_code == 2 and words in result.output.replace(":", ""), result.output


def test_progress_is_told_late_and_seldom() -> None:
    said: list[str] = []
    times = iter([0.0, 0.1, PATIENCE + 0.1, PATIENCE + 0.2, 3 * PATIENCE])
    told = Told(said.append, clock=lambda: next(times))
    for words in ("early", "first", "soon", "later"):
        told(words)
    assert said == ["first", "later"]
    heard: list[str] = []
    fl.lyapunov(fl.FedAvg(2, 0.25), fl.SmoothStronglyConvex(0.1, 1), progress=heard.append)
    assert any("rate" in words for words in heard) and any("certificate" in words for words in heard)
    with pytest.raises(ValueError, match="progress=3 cannot be called"):
        fl.lyapunov(fl.FedAvg(2, 0.25), fl.SmoothStronglyConvex(0.1, 1), progress=3)  # type: ignore[arg-type]
