"""Kept evidence: ``results/evidence/<document>.jsonl``, and how the rows of a new run are merged into it.

The files of evidence hold facts only.  The key of the code that found a row (:mod:`fltheory.evidence.keys`) stands in
``keys.tsv`` beside them, so that a difference between two states of a file of evidence is a difference in facts.  Both
are read and written together.  A writing that is cut off may leave rows without a key, which makes them stale; it never
leaves a key beside facts that were found by other code.

A row replaces a kept one unless it stands on a weaker rung.  A weaker row is refused, with two exceptions:

* it refutes, by the current code, what the kept row says holds, and the kept row was found by code that has since
  changed (a counterexample outranks a proof by code that is no longer there);
* a person lowers the row by its name (``--lower ID``), which shows in the history of the file.

Rows that crashed, ran out of time or broke a rule are never kept.  While a writing run lasts, finished rows are
appended to a journal, from which an interrupted run resumes.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from fltheory.evidence import ids
from fltheory.evidence.model import Outcome, Rung
from fltheory.evidence.rows import Row
from fltheory.files import written_whole

#: Parts of a row that say something about the run, not about the claim.
PASSING = ("seconds", "problems", "expected", "status", "error")
#: The first line of the file of keys.
_KEYS_HEAD = "id\tkey"


def evidence_folder(root: Path) -> Path:
    """The folder of kept evidence below the root of a checkout."""
    return root / "results" / "evidence"


def keys_path(root: Path) -> Path:
    """The file of the keys of all kept rows: a line per row, its id and its key."""
    return evidence_folder(root) / "keys.tsv"


def _read_lines(path: Path) -> list[Row]:
    rows = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:  # the half-written last line of a run that was killed
            continue
    return rows


def _read_keys(root: Path) -> dict[str, str]:
    path = keys_path(root)
    lines = path.read_text(encoding="utf-8").split("\n")[1:] if path.is_file() else []
    parts = (line.split("\t") for line in lines)
    return {part[0]: part[1] for part in parts if len(part) == 2}


def read_evidence(root: Path) -> dict[str, Row]:
    """All kept rows by id, each with its key; the key of a row that the file of keys does not name is empty."""
    keys = _read_keys(root)
    rows: dict[str, Row] = {}
    for path in sorted(evidence_folder(root).glob("*.jsonl")):
        kept = _read_lines(path)
        rows.update({row["id"]: {**row, "key": keys.get(row["id"], ""), "status": "done"} for row in kept})
    return rows


def _facts_line(row: Row) -> str:
    facts = {name: value for name, value in row.items() if name not in PASSING and name != "key"}
    return json.dumps(facts, sort_keys=True, ensure_ascii=False)


def render_evidence(rows: Mapping[str, Row]) -> dict[str, str]:
    """The text of each document's file: facts without keys."""
    texts: dict[str, str] = {}
    for row_id in ids.in_order(rows):
        row = rows[row_id]
        texts[row["document"]] = texts.get(row["document"], "") + _facts_line(row) + "\n"
    return texts


def render_keys(rows: Mapping[str, Row]) -> str:
    """The text of the file of keys."""
    lines = [_KEYS_HEAD, *(f"{row_id}\t{rows[row_id]['key']}" for row_id in ids.in_order(rows) if rows[row_id]["key"])]
    return "\n".join(lines) + "\n"


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all, with the same line ends everywhere."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as file:
        file.write(text)


def write_evidence(root: Path, rows: Mapping[str, Row]) -> None:
    """Write all documents' files and the file of keys; a document that has no row any more loses its file.

    The keys of rows that are about to change are taken away first, then the facts are written, then all keys: at every
    moment a key on disk stands beside the facts that it was written with.
    """
    before = read_evidence(root)
    unchanged = {
        row_id: row
        for row_id, row in rows.items()
        if row_id in before and before[row_id]["key"] == row["key"] and _facts_line(before[row_id]) == _facts_line(row)
    }
    write_text(keys_path(root), render_keys(unchanged))
    texts = render_evidence(rows)
    for document, text in texts.items():
        write_text(evidence_folder(root) / f"{document}.jsonl", text)
    for path in evidence_folder(root).glob("*.jsonl"):
        if path.stem not in texts:
            path.unlink()
    write_text(keys_path(root), render_keys(rows))


def _strength(row: Mapping[str, object]) -> int:
    return Rung(row["rung"]).strength


def refusal(kept: Row | None, new: Row, *, lower: Collection[str] = ()) -> str:
    """Why a new row does not replace the kept one; empty when it does."""
    if new["status"] != "done" or new["problems"]:
        return f"{new['id']} is not kept: " + "; ".join(new["problems"] or [new["error"]])
    if kept is None or _strength(new) >= _strength(kept) or new["id"] in lower:
        return ""
    if new["outcome"] == Outcome.REFUTED.value != kept["outcome"] and new["key"] != kept["key"]:
        return ""
    return (
        f"{new['id']} is not kept: rung {new['rung']!r} is weaker than the kept {kept['rung']!r} "
        f"(--lower {new['id']} accepts it)"
    )


def merge(
    kept: Mapping[str, Row], new: Iterable[Row], *, exist: Collection[str] | None = None, lower: Collection[str] = ()
) -> tuple[dict[str, Row], list[str]]:
    """Kept rows with new ones merged in, and the refusals.

    Parameters
    ----------
    exist : ids of all claims that scripts define; kept rows of no claim are dropped.  ``None``: drop nothing.
    lower : ids whose row may be replaced by one on a weaker rung.
    """
    rows = {row_id: row for row_id, row in kept.items() if exist is None or row_id in exist}
    refusals = []
    for row in new:
        reason = refusal(rows.get(row["id"]), row, lower=lower)
        if reason:
            refusals.append(reason)
        else:
            rows[row["id"]] = row
    return rows, refusals


class Journal:
    """Rows finished by a writing run that has not merged yet."""

    def __init__(self, root: Path) -> None:
        self.path = root / "results" / "journal.jsonl"

    def read(self) -> dict[str, Row]:
        """Rows by id; a later row of the same id wins."""
        return {row["id"]: row for row in _read_lines(self.path)} if self.path.is_file() else {}

    def append(self, row: Row) -> None:
        """Add one finished row."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def clear(self) -> None:
        """Forget the rows, after they were merged."""
        self.path.unlink(missing_ok=True)
