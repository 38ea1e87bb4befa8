"""Three ways through the tool from nothing but the README: a student's, a lecturer's, and an author's of a paper."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fltheory.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def run(line: str) -> Result:
    """A command as the README writes it, without its first word."""
    words = shlex.split(line)
    assert words[0] == "fltheory"
    return CliRunner().invoke(main, words[1:])


def named(command: str) -> str:
    """A command that the README names."""
    assert re.search(rf"^ *{re.escape(command)}\b", README, re.M), command
    return command


def test_a_student(tmp_path: Path) -> None:
    """Opens lesson 1, gets it wrong in the usual way, reads the hint, gets it right."""
    page = Path(run(f"{named('fltheory course open 1')} --print-only").output.strip())
    text = page.read_text("utf-8")
    assert 'type="range"' in text and 'id="exercise"' in text
    command = re.search(r"<code>(fltheory course check 1 FILE\.py)</code>", text)
    assert command is not None
    file = tmp_path / "mine.py"
    line = command[1].replace("FILE.py", shlex.quote(str(file)))
    file.write_text("def answer(eta, a):\n    return (1 - a) / (1 + a)\n", encoding="utf-8")
    first = run(line)
    assert first.exit_code == 1 and "with two steps eta stays" in first.output
    file.write_text(
        "def answer(eta, a):\n    p, q = (1 - eta) ** 2, (1 - a * eta) ** 2\n    return (q - p) / (2 - p - q)\n",
        encoding="utf-8",
    )
    second = run(line)
    assert second.exit_code == 0 and second.output.startswith("Right.")


def test_a_lecturer() -> None:
    """Prints the sheet, opens the solution, and finds pages that load nothing from elsewhere."""
    sheet, solution = run("fltheory course sheet 4"), run("fltheory course solution 4")
    assert sheet.exit_code == solution.exit_code == 0
    assert "Aims" in sheet.output and "Answer:" not in sheet.output and "Answer: s*(N - K)" in solution.output
    folder = ROOT / "course" / "html"
    index = (folder / "index.html").read_text("utf-8")
    assert "Schedule" in index and "without a network" in index.lower().replace("*", "")
    for page in folder.glob("*.html"):
        text = page.read_text("utf-8")
        assert not re.findall(r'(?:src|href)="(?!#|data:|lesson_\d\.html|index\.html|slides\.html)[^"]*"', text), (
            page.name
        )
        assert not re.findall(r"@import|url\((?!data:)|fetch\(|XMLHttpRequest", text)


def test_an_author(tmp_path: Path) -> None:
    """Finds the errata sheet of the paper, opens a claim in it, and runs the command that stands there."""
    pytest.importorskip("latex2mathml")
    named("fltheory report")
    page = tmp_path / "report.html"
    assert run(f"fltheory report fedlama2021 --output {shlex.quote(str(page))}").exit_code == 0
    text = page.read_text("utf-8")
    sheet = text[text.index('id="errata-fedlama2021"') :]
    claim = re.search(r'data-claim="([^"]+)"', sheet)
    packed = re.search(r'<script id="data"[^>]*>([^<]*)</script>', text)
    assert claim is not None and packed is not None
    claims: dict[str, dict[str, Any]] = {
        one["id"]: one for one in json.loads(gzip.decompress(base64.b64decode(packed[1])))["claims"]
    }
    told = dict(claims[claim[1].replace("&amp;", "&")]["details"])
    assert told["Counterexample"]
    done = run(told["Reproduce"])
    assert done.exit_code == 0 and "wrong as printed" in done.output
