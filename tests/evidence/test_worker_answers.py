"""Interpreters of their own that run claims: one that prints, one that exits, one that cannot be loaded; none harms another row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fltheory.evidence.catalogue import Catalogue, find_scripts, load
from fltheory.evidence.pool import run_here, run_parallel
from fltheory.workers import DONE, Interpreter

CLAIM = """
@claim("OWN-{number}", kind=Kind.DEFINITION, scope=Scope.TEXT, statement="1 + 1 = 2", printed=dict(good=True),
       controls=[Control("not so", dict(good=False))])
def own_{number}(good):
    {body}
    return found(good)
"""
PRINTING = """print("{}")
    print('["an answer that is none"]', flush=True)
    import os, sys
    os.write(1, b"straight to the descriptor\\n")
    sys.stdout.write("without an end of line")"""


@pytest.fixture
def ask(own_claims: Callable[..., Path]) -> Iterator[Callable[..., dict[str, Any]]]:
    """Ask one worker about claims of scripts that are written first."""
    worker = Interpreter("fltheory.evidence.worker")

    def answer(script: str, row_id: str, **scripts: str) -> dict[str, Any]:
        folder = own_claims(**scripts)
        task = {"path": str(folder / f"{script}.py"), "root": str(folder), "id": row_id, "document": "own"}
        found = worker.ask(task, 120)
        assert found.status == DONE, found
        return dict(found.value)

    yield answer
    worker.end()
    worker.close()


def test_a_claim_that_prints_does_not_damage_its_answer(ask: Callable[..., dict[str, Any]]) -> None:
    text = CLAIM.format(number=1, body=PRINTING) + CLAIM.format(number=2, body="pass")
    for row_id in ("OWN-1", "OWN-2", "OWN-1"):
        row = ask("own", row_id, own=text)
        assert (row["id"], row["status"], row["verdict"]) == (row_id, "done", "holds"), row
        assert row["document"] == "own" and row["controls"][0]["outcome"] == "refuted" and not row["problems"]


def test_a_script_is_loaded_once(ask: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    mark = tmp_path / "loads"
    text = (
        f"open({str(mark)!r}, 'a').write('x')"
        + CLAIM.format(number=1, body="pass")
        + CLAIM.format(number=2, body="pass")
    )
    for row_id in ("OWN-1", "OWN-2", "OWN-1"):
        assert ask("own", row_id, own=text)["status"] == "done"
    assert mark.read_text() == "x"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("raise KeyError('while loading')", "KeyError: 'while loading' (own.py:"),
        ("import sys; sys.exit(3)", "SystemExit: 3 (own.py:"),
        (CLAIM.format(number=2, body="pass"), "KeyError: 'OWN-1'"),
        (CLAIM.format(number=1, body="raise OSError('inside')"), "OSError: inside (own.py:"),
        (CLAIM.format(number=1, body="return 7"), "the check returned int instead of Evidence"),
    ],
)
def test_what_fails_is_one_row_and_the_next_task_is_answered(
    ask: Callable[..., dict[str, Any]], text: str, words: str
) -> None:
    row = ask("own", "OWN-1", own=text, other=CLAIM.format(number=5, body="pass"))
    assert row["status"] == row["verdict"] == "crash" and words in row["error"], row
    assert row["problems"] == [row["error"]]
    assert ask("other", "OWN-5")["verdict"] == "holds"


@pytest.fixture
def catalogue(own_claims: Callable[..., Path]) -> Catalogue:
    bodies = {
        1: PRINTING,
        2: "pass",
        3: "import os; os._exit(9)",
        4: "import time; time.sleep(3600 * (good and __name__ != ''))",
    }
    scripts = {f"own{number}": CLAIM.format(number=number, body=body) for number, body in bodies.items()}
    return load(find_scripts(own_claims(**scripts)))


def test_rows_in_parallel_are_the_rows_of_this_process(catalogue: Catalogue) -> None:
    ids = ["OWN-1", "OWN-2"]
    here = {row["id"]: row for row in run_here(catalogue, ids)}
    there = {row["id"]: row for row in run_parallel(catalogue, ids, jobs=1)}
    assert set(here) == set(there) == set(ids)
    for row_id in ids:
        for row in (here[row_id], there[row_id]):
            row.pop("seconds")
        assert here[row_id] == there[row_id] and here[row_id]["document"] and here[row_id]["verdict"] == "holds"


def test_a_crash_and_a_time_limit_are_rows_of_their_own(catalogue: Catalogue) -> None:
    rows = {row["id"]: row for row in run_parallel(catalogue, ["OWN-3", "OWN-4", "OWN-2"], jobs=1, timeout=4)}
    assert rows["OWN-3"]["status"] == "crash" and "ended with code 9" in rows["OWN-3"]["error"]
    assert rows["OWN-4"]["status"] == "timeout" and "no answer within 4 s" in rows["OWN-4"]["error"]
    assert rows["OWN-2"]["verdict"] == "holds"
    assert all(row["statement"] == "1 + 1 = 2" and row["document"] for row in rows.values())
