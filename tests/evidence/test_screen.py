"""What a run of claims shows: lines of finished rows, a counter for those who watch, a sentence about what was written."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from fltheory.evidence import places, runner, session
from fltheory.evidence.catalogue import Catalogue

CLEAR = "\r\033[K"
in_codes = pytest.mark.skipif(os.name == "nt", reason="consoles of Windows are told colours by calls, not by codes")


class Screen(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def row(name: str, *problems: str) -> dict[str, Any]:
    words = {"verdict": "holds", "rung": "exact", "status": "done"}
    return {"id": name, "controls": [], "problems": list(problems), **words}


@in_codes
@pytest.mark.parametrize("silent", [False, True])
def test_a_terminal_shows_a_counter_and_clears_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], silent: bool
) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    printer = session._Printer(2, controls=False, silent=silent)
    rows = [row("A-1"), row("A-2", "differs")]
    seen = []
    for each in rows:
        printer(each)
        seen.append(screen.getvalue())
    assert seen[0] == f"{CLEAR}[1/2] A-1"
    assert seen[1] == f"{CLEAR}[1/2] A-1{CLEAR}[2/2] A-2{CLEAR}"
    assert capsys.readouterr().out == ("" if silent else "".join(runner.line_of(each) + "\n" for each in rows))


@in_codes
def test_rows_with_problems_are_red(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    printer = session._Printer(2, controls=False, silent=False)
    good, bad = row("A-1"), row("A-2", "differs")
    printer(good)
    printer(bad)
    assert screen.getvalue() == f"{runner.line_of(good)}\n\033[31m{runner.line_of(bad)}\033[0m\n"


def test_a_file_gets_no_counter(capsys: pytest.CaptureFixture[str]) -> None:
    printer = session._Printer(1, controls=False, silent=False)
    printer(row("A-1"))
    shown = capsys.readouterr()
    assert shown.err == "" and shown.out == runner.line_of(row("A-1")) + "\n"


@pytest.mark.parametrize("as_json", [False, True])
def test_a_writing_run_says_what_it_wrote(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, as_json: bool
) -> None:
    """Twice into an empty checkout: the first run changes it, the second does not; beside JSON on standard error."""
    monkeypatch.setattr(places, "checkout", lambda: tmp_path)
    options = {"write": True, "check": False, "quick": False, "as_json": as_json, "folder": None, "output": None}
    options |= {"controls": False, "jobs": 1, "timeout": None, "retire": (), "lower": (), "everything": False}
    nothing = session.Session(Catalogue({}, {}, {}), (), options, lambda root: ([], {}))
    for news in ("changed", "is unchanged"):
        nothing.run()
        shown = capsys.readouterr()
        said = shown.err if as_json else shown.out
        ledger = json.loads((tmp_path / "results/ledger/ledger.json").read_text(encoding="utf-8"))["rows"]
        assert f"evidence of 0 rows kept; the ledger has {len(ledger)} rows and {news}\n" in said
        assert {line["verdict"] for line in ledger} == {"open"}


@pytest.mark.parametrize(
    ("named", "words"),
    [("TYPO", "there is no row of that id"), ("LI-LEM1", "it is not among the rows of this run"), ("LI-LEM3", "")],
)
def test_a_row_to_lower_is_one_of_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: str, words: str
) -> None:
    """Refused before anything is run or written."""
    monkeypatch.setattr(places, "checkout", lambda: tmp_path)
    catalogue = Catalogue({"LI-LEM1": object(), "LI-LEM3": object()}, {}, {})  # type: ignore[dict-item]
    options = {"write": True, "check": False, "retire": (), "lower": (named,)}
    asked = session.Session(catalogue, ("LI-LEM3",), options, lambda root: ([], {}))
    if not words:
        return asked._refuse_damage({})
    with pytest.raises(click.UsageError, match=f"--lower {named}: {words}"):
        asked.run()
    assert not list(tmp_path.iterdir())
