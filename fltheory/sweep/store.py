"""The store of a sweep: a folder of files to which one driver adds complete records.

    STORE/parts/000003-1f2e3d4c.part    what one driver has added: records of :mod:`fltheory.sweep.frames`
    STORE/results.parquet               what was compacted (:mod:`fltheory.sweep.compact`); results.frames without pyarrow
    STORE/lock                          held by the driver
    STORE/shard-2-of-8/                 a store of the same kind, of one shard

Every driver writes a file of its own, and adds to none that was there before.  So a driver that is killed leaves at most one
record that is cut off, at the end of its file: it is dropped by whoever reads, which is said.  What is written is on disk
within a second; a result counts as finished once its record is written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from fltheory.sweep.frames import Record, decode
from fltheory.sweep.grid import Cell
from fltheory.sweep.lock import held
from fltheory.sweep.maker import maker_record
from fltheory.sweep.seeds import stretches

#: Seconds between two times that the system is asked to put everything on disk.
SYNC = 1.0


@dataclass(frozen=True, eq=False)
class StoredRuns:
    """Where the results of some runs of one cell are: place ``cell`` of a record, whose runs begin with ``first``."""

    record: Record
    cell: int
    first: int


class Store:
    """Records, and which of them has what; ``folder=None`` keeps them in memory only."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.notes: list[str] = []
        self.done: dict[str, dict[int, StoredRuns]] = {}
        self.failed: dict[str, dict[int, str]] = {}
        self.twice = 0
        self.made: list[dict[str, Any]] = []
        self._replaced: set[str] = set()
        self._file: Any = None
        self._synced = 0.0
        if folder is not None:
            self._read_all(folder)

    def _read_all(self, folder: Path) -> None:
        for left in reversed(range(5)):
            try:
                for path in record_files(folder):
                    if path.name not in self._replaced:
                        self._read(path)
                return
            except FileNotFoundError:  # a driver compacts just now
                if not left:
                    raise
                self.done, self.failed, self.notes, self.twice, self._replaced = {}, {}, [], 0, set()
                self.made = []

    def _read(self, path: Path) -> None:
        if path.suffix == ".parquet":
            from fltheory.sweep.compact import read_parquet

            for record in read_parquet(path):
                self._index(record)
            return
        data = path.read_bytes()
        lost = len(data)
        for record in decode(data):
            self._index(record)
            lost -= record.size
        if lost:
            self.notes.append(
                f"{path.name}: {lost} bytes are cut off or damaged, or just being written, and do not count"
            )

    def _index(self, record: Record) -> None:
        head = record.head
        if (
            head["kind"] == "compacted"
        ):  # what it was made of does not count, and is left only by a driver that was killed
            self._replaced.update(head["replaces"])
            return
        if head["kind"] == "made":
            if head["by"] not in self.made:
                self.made.append(head["by"])
            return
        runs = range(head["first"], head["first"] + head["count"])
        for place, (key, _) in enumerate(head["cells"]):
            if head["kind"] == "failed":
                self.failed.setdefault(key, {}).update(dict.fromkeys(runs, head["traceback"]))
                continue
            mine = self.done.setdefault(key, {})
            entry = StoredRuns(record, place, head["first"])
            before = len(mine)
            if not before:
                mine.update(dict.fromkeys(runs, entry))
            else:
                for run in runs:
                    mine.setdefault(run, entry)
            self.twice += before + len(runs) - len(mine)

    def missing(
        self, cells: Sequence[Cell], seeds: dict[str, list[int]], *, retry: bool = False
    ) -> dict[str, list[int]]:
        """The runs of each cell that have no result, and have not failed unless failed ones are tried again."""
        found = {}
        for cell in cells:
            done, failed = self.done.get(cell.key, {}), {} if retry else self.failed.get(cell.key, {})
            left = [run for run in seeds.get(cell.key, ()) if run not in done and run not in failed]
            if left:
                found[cell.key] = left
        return found

    def entries(self, key: str, seeds: Sequence[int]) -> Iterator[tuple[StoredRuns, int, int]]:
        """Stretches ``(entry, first, count)`` of the runs of a cell that are there, each within one record."""
        mine = self.done.get(key, {})
        groups: dict[int, tuple[StoredRuns, list[int]]] = {}
        for run in seeds:
            if (entry := mine.get(run)) is not None:
                groups.setdefault(id(entry), (entry, []))[1].append(run)
        for entry, runs in groups.values():
            for first, count in stretches(runs):
                yield entry, first, count

    @contextmanager
    def writing(self, patience: float = 2.0) -> Iterator[None]:
        """Be the one driver of the folder; read it again first, since another may have added to it.

        Raises
        ------
        ValueError : another driver is at work.
        """
        if self.folder is None:
            yield
            return
        (self.folder / "parts").mkdir(parents=True, exist_ok=True)
        with held(self.folder / "lock", patience):
            Store.__init__(self, self.folder)
            maker_record()  # asked once, and not between two results
            for draft in self.folder.glob("*.part"):
                draft.unlink()  # of a compaction that was killed
            for path in record_files(self.folder):
                if path.name in self._replaced:
                    path.unlink()
            try:
                yield
            finally:
                if self._file is not None:
                    self._file.flush()
                    os.fsync(self._file.fileno())
                    self._file.close()
                    self._file = None

    def append(self, data: bytes) -> None:
        """Keep one record, from now on whatever happens to this process; at the head of a file stands what makes it."""
        records = list(decode(data))
        if all(each.head["kind"] == "made" and each.head["by"] in self.made for each in records):
            return
        if self.folder is not None:
            if self._file is None:
                name = f"{_next_number(self.folder):06d}-{uuid4().hex[:8]}.part"
                self._file = open(self.folder / "parts" / name, "xb", buffering=0)
                data = maker_record() + data
                records = list(decode(data))
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]
            if time.monotonic() > self._synced + SYNC:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()
        for record in records:
            self._index(record)


def record_files(folder: Path) -> list[Path]:
    """All files of records of a store: what is compacted first, then parts in their order."""
    parts = sorted((folder / "parts").glob("*.part"))
    return [*sorted(folder.glob("results*.parquet")), *sorted(folder.glob("results*.frames")), *parts]


def _next_number(folder: Path) -> int:
    numbers = [int(path.name[:6]) for path in (folder / "parts").glob("*.part") if path.name[:6].isdigit()]
    return max(numbers, default=0) + 1
