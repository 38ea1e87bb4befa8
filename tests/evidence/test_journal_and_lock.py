"""What writing runs leave behind: a journal of whole rows, and one lock for all writers."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from fltheory.evidence import store
from fltheory.evidence.journal import Journal


def row(row_id: str, **more: object) -> dict[str, object]:
    return {"id": row_id, "document": "li2020", "key": "k", **more}


def test_a_journal_cut_off_in_the_middle_of_a_line_is_read_and_goes_on(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    assert journal.read() == {}
    journal.append(row("LI-LEM3"))
    with open(journal.path, "a") as file:
        file.write('{"id": "LI-LEM')
    assert set(journal.read()) == {"LI-LEM3"}
    journal.append(row("LI-LEM1"))
    assert set(journal.read()) == {"LI-LEM3", "LI-LEM1"}


def test_only_rows_that_were_merged_leave_the_journal(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for name in ("LI-LEM1", "LI-LEM2", "LI-LEM3"):
        journal.append(row(name))
    journal.remove({"LI-LEM2"})
    assert set(journal.read()) == {"LI-LEM1", "LI-LEM3"}
    journal.remove({"LI-LEM1", "LI-LEM3"})
    assert not journal.path.exists()


def test_a_damaged_line_of_the_journal_is_named(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append(row("LI-LEM1"))
    with open(journal.path, "a") as file:
        file.write("<<<<<<< HEAD\n")
    journal.append(row("LI-LEM2"))
    with pytest.raises(ValueError, match="journal.jsonl, line 2: '<<<<<<< HEAD' is no row"):
        journal.read()


def add(root: Path, name: str) -> None:
    with store.held(root):
        rows = store.read_evidence(root)
        store.write_evidence(root, {**rows, name: {**row(name), "verdict": "holds"}})


def test_of_two_writers_neither_loses_what_the_other_wrote(tmp_path: Path) -> None:
    names = [f"LI-LEM{i}" for i in range(1, 7)]
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=add, args=(tmp_path, name)) for name in names]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert set(store.read_evidence(tmp_path)) == set(names)


def test_a_lock_that_is_not_given_back_ends_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PATIENCE", 0.05)
    with store.held(tmp_path), pytest.raises(ValueError, match="held by another process"), store.held(tmp_path):
        pass
