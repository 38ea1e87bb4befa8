"""The word ``best-step``."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from fltheory.cli import main

FEDAVG = ["best-step", "FedAvg", "--local-steps", "2", "--mu", "1/10", "--quantity", "heterogeneity=1/10"]

MINE = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Mine:
    rate: float

    def start(self, fed, w):
        return w

    def round(self, fed, w):
        x = fed.send(w)
        return fed.average(x - self.rate * fed.gradient(x))
"""


def test_found_written_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "best.json"
    done = CliRunner().invoke(main, [*FEDAVG, "--output", str(path)])
    assert done.exit_code == 0, done.output
    assert "step size     57/50" in done.stdout and "best within   [1.1" in done.stdout
    checked = CliRunner().invoke(main, ["check-certificate", str(path)])
    assert checked.exit_code == 0 and "at every eta > 0, |w_1 - w*|^2 >= 0.7002" in checked.stdout
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"step": "57/50"', '"step": "58/50"').replace('"step":"57/50"', '"step":"58/50"'))
    assert CliRunner().invoke(main, ["check-certificate", str(path)]).exit_code == 1


def test_a_field_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    arguments = ["best-step", f"{tmp_path / 'mine.py'}:Mine", "--field", "rate", "--mu", "1/10"]
    done = CliRunner().invoke(main, [*arguments, "--heterogeneity", "identical"])
    assert done.exit_code == 0, done.output
    assert "step size     909/500" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([*FEDAVG, "--step-size", "1/4"], "--step-size is what is sought"),
        ([*FEDAVG, "--noise"], "No such option"),
        ([*FEDAVG, "--gap", "0"], "gap"),
        ([*FEDAVG, "--field", "rate"], "FedAvg has no 'rate'"),
        (["best-step", "FedAvgg"], "FedAvg"),
        ([*FEDAVG, "--heterogeneity", "unbounded"], "bounds 'heterogeneity'"),
    ],
)
def test_refusals(arguments: list[str], words: str) -> None:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    assert words in done.output
