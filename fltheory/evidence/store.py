"""Kept evidence: ``results/evidence/<document>.jsonl``, its keys and versions, read strictly and written whole.

The files of evidence hold facts only, a row per line.  ``keys.tsv`` beside them has a line per row: the key of the code
that found it (:mod:`fltheory.evidence.keys`), the versions of the packages that it ran with (a name from ``versions.tsv``), and
a digest of facts, key and versions together.  So a difference between two states of a file of evidence is a difference in
facts, and a fact that was changed by hand no longer has its digest.

A row without a line in ``keys.tsv`` is stale: a writing that is cut off leaves such rows, and never a key beside facts that
were found by other code.  A row with another digest is *damaged*: :attr:`DAMAGED` says so in the row, ``--check`` names it, and
nothing is written until it has been computed anew.

Why text files and not an embedded database: the facts are what people review, line by line, in the history of the project;
a database would hide them, and the one lock (:func:`held`) and whole files give what is needed of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from fltheory.evidence import ids
from fltheory.evidence.rows import Row
from fltheory.files import written_whole

#: Parts of a row that say something about the run, not about the claim.
PASSING = ("seconds", "problems", "expected", "status", "error", "data")
#: Parts of a row that stand in ``keys.tsv``.
BESIDE = ("key", "versions")
DAMAGED = "damaged"
_KEYS_HEAD = ("id", "key", "versions", "digest")
_VERSIONS_HEAD = ("name", "versions")
#: Seconds to wait for another process that writes.
PATIENCE = 60.0


def evidence_folder(root: Path) -> Path:
    """The folder of kept evidence below the root of a checkout."""
    return root / "results" / "evidence"


def keys_path(root: Path) -> Path:
    """The file of the keys of all kept rows: a line per row."""
    return evidence_folder(root) / "keys.tsv"


def versions_path(root: Path) -> Path:
    """The file of the versions that rows were found with: a line per set of versions."""
    return evidence_folder(root) / "versions.tsv"


@contextmanager
def held(root: Path) -> Iterator[None]:
    """Hold the one lock of a checkout's results while they are read, merged and written.

    Raises
    ------
    ValueError : another process holds it for longer than a minute.
    """
    from filelock import FileLock, Timeout

    path = root / "results" / "writing.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(path, timeout=PATIENCE):
            yield
    except Timeout:
        raise ValueError(
            f"results/{path.name} is held by another process that writes; try again when it is done"
        ) from None


def read_lines(path: Path, *, cut_off: bool = False) -> list[Row]:
    """Rows of a file, one per line.

    ``cut_off`` admits a last line without its end, which a process that was killed leaves in a journal.

    Raises
    ------
    ValueError : a line that is no row, such as a conflict marker or half a line; the file and the line are named.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    rest = lines.pop()
    if rest and not cut_off:
        lines.append(rest)
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
        except (json.JSONDecodeError, RecursionError):
            row = None
        if not isinstance(row, dict) or not isinstance(row.get("id"), str):
            raise ValueError(f"{path.name}, line {number}: {line[:40]!r} is no row of evidence; restore the file")
        rows.append(row)
    return rows


def read_table(path: Path, head: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Lines of a table by their first column."""
    if not path.is_file():
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").rstrip("\n").split("\n"), 1):
        parts = tuple(line.split("\t"))
        wanted = number > 1 or parts == head
        if len(parts) != len(head) or not wanted or parts[0] in found:
            raise ValueError(
                f"{path.name}, line {number}: {line[:40]!r} is not one line of {len(head)} columns with a name of its own; "
                "restore the file"
            )
        if number > 1:
            found[parts[0]] = parts[1:]
    return found


def kept_ids(root: Path) -> set[str]:
    """Ids that ``keys.tsv`` names."""
    return set(read_table(keys_path(root), _KEYS_HEAD))


def read_evidence(root: Path) -> dict[str, Row]:
    """All kept rows by id, with key, versions and whether they are :data:`DAMAGED`; a row without a line of keys has none.

    Raises
    ------
    ValueError : a line that is no row, two rows of one id, a row in the file of another document, a damaged table.
    """
    keys = read_table(keys_path(root), _KEYS_HEAD)
    versions = read_table(versions_path(root), _VERSIONS_HEAD)
    rows: dict[str, Row] = {}
    for path in sorted(evidence_folder(root).glob("*.jsonl")):
        for number, row in enumerate(read_lines(path), 1):
            if row["id"] in rows:
                raise ValueError(f"{path.name}, line {number}: {row['id']} has two rows; restore the file")
            if row.get("document") != path.stem:
                raise ValueError(f"{path.name}, line {number}: {row['id']} is of document {row.get('document')!r}")
            key, named, digest = keys.get(row["id"], ("", "", ""))
            whole = {**row, "key": key, "versions": versions.get(named, ("",))[0], "status": "done"}
            rows[row["id"]] = {**whole, DAMAGED: bool(key) and digest != digest_of(whole)}
    return rows


def facts_line(row: Row) -> str:
    """The facts of a row, as they are kept."""
    facts = {name: value for name, value in row.items() if name not in (*PASSING, *BESIDE, DAMAGED)}
    return json.dumps(facts, sort_keys=True, ensure_ascii=False)


def digest_of(row: Row) -> str:
    """SHA-256 of facts, key and versions."""
    return hashlib.sha256("\n".join([facts_line(row), row["key"], row.get("versions", "")]).encode()).hexdigest()


def _named(versions: str) -> str:
    """A short name of a set of versions."""
    return hashlib.sha256(versions.encode()).hexdigest()[:12] if versions else "-"


def render_evidence(rows: Mapping[str, Row]) -> dict[str, str]:
    """The text of each document's file: facts without keys."""
    texts: dict[str, str] = {}
    for row_id in ids.in_order(rows):
        row = rows[row_id]
        texts[row["document"]] = texts.get(row["document"], "") + facts_line(row) + "\n"
    return texts


def _table(head: tuple[str, ...], lines: list[tuple[str, ...]]) -> str:
    return "".join("\t".join(line) + "\n" for line in [head, *lines])


def render_keys(rows: Mapping[str, Row]) -> str:
    """The text of the file of keys."""
    keyed = [rows[row_id] for row_id in ids.in_order(rows) if rows[row_id]["key"]]
    return _table(
        _KEYS_HEAD, [(row["id"], row["key"], _named(row.get("versions", "")), digest_of(row)) for row in keyed]
    )


def render_versions(rows: Mapping[str, Row]) -> str:
    """The text of the file of versions."""
    return _table(
        _VERSIONS_HEAD,
        [(_named(text), text) for text in sorted({row.get("versions", "") for row in rows.values()} - {""})],
    )


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all, with the same line ends everywhere."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as file:
        file.write(text)


def write_evidence(root: Path, rows: Mapping[str, Row]) -> None:
    """Write all documents' files, the keys and the versions; a document that has no row any more loses its file.

    The keys of rows that are about to change are taken away first, then the facts are written, then all keys: at every
    moment a key on disk stands beside the facts that it was written with.
    """
    before = read_evidence(root)
    unchanged = {
        row_id: row for row_id, row in rows.items() if row_id in before and digest_of(before[row_id]) == digest_of(row)
    }
    both = {**before, **{f"{row_id} now": row for row_id, row in rows.items()}}
    write_text(versions_path(root), render_versions(both))
    write_text(keys_path(root), render_keys(unchanged))
    texts = render_evidence(rows)
    for document, text in texts.items():
        write_text(evidence_folder(root) / f"{document}.jsonl", text)
    for path in evidence_folder(root).glob("*.jsonl"):
        if path.stem not in texts:
            path.unlink()
    write_text(keys_path(root), render_keys(rows))
    write_text(versions_path(root), render_versions(rows))


def sweep(root: Path) -> None:
    """Remove drafts that killed processes left where writers hold the lock; the caller holds it."""
    results = root / "results"
    places = [
        (root, "*.part"),
        (results, "*.part"),
        *((results / name, "**/*.part") for name in ("evidence", "ledger")),
    ]
    for folder, pattern in places:
        for draft in folder.glob(pattern):
            draft.unlink()
