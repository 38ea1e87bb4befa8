"""Every row that nothing else checks has its turn, and a row that is gone is missed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from fltheory.evidence import rotation, store


def git(root: Path, *words: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *words],
        cwd=root,
        check=True,
        capture_output=True,
    )


def test_ten_commits_in_a_row_cover_every_row(tmp_path: Path) -> None:
    git(tmp_path, "init")
    rows = [f"LI-LEM{i}" for i in range(200)]
    seen: list[str] = []
    for number in range(1, rotation.SHARES + 1):
        git(tmp_path, "commit", "--allow-empty", "-m", str(number))
        place, by = rotation.turn(tmp_path)
        assert by == f"commit number {number}"
        seen += rotation.due(rows, place)
    assert sorted(seen) == sorted(rows)


def test_without_a_history_the_file_of_keys_chooses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rotation, "_git", lambda *words: "")
    place, by = rotation.turn(tmp_path)
    assert by == "the file of keys" and 0 <= place < rotation.SHARES


def row(row_id: str) -> dict[str, object]:
    return {"id": row_id, "document": "li2020", "key": "k"}


def test_a_row_that_is_gone_is_missed_in_this_commit_and_the_next(tmp_path: Path) -> None:
    git(tmp_path, "init")
    store.write_evidence(tmp_path, {name: row(name) for name in ("LI-LEM1", "LI-LEM2")})
    assert rotation.removed(tmp_path) == (set(), "no earlier commit to compare the list of rows with")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-m", "two rows")
    assert rotation.removed(tmp_path) == (set(), "")
    store.write_evidence(tmp_path, {"LI-LEM1": row("LI-LEM1")})
    assert rotation.removed(tmp_path)[0] == {"LI-LEM2"}
    git(tmp_path, "commit", "-am", "one row")
    assert rotation.removed(tmp_path)[0] == {"LI-LEM2"}
