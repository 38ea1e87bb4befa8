"""Rows finished by writing runs that have not merged yet: ``results/journal.jsonl``.

Each finished row is appended at once, so that an interrupted or killed run loses none.  The next writing run takes over the
rows that it asked for; those of other claims stay until a run that asks for them merges them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from pathlib import Path

from fltheory.evidence.rows import Row
from fltheory.evidence.store import held, read_lines, write_text


class Journal:
    """The journal of a checkout."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.path = root / "results" / "journal.jsonl"

    def read(self) -> dict[str, Row]:
        """Rows by id; a later row of the same id wins, and a last line that was cut off does not count.

        Raises
        ------
        ValueError : another line that is no row.
        """
        return {row["id"]: row for row in read_lines(self.path, cut_off=True)} if self.path.is_file() else {}

    def append(self, row: Row) -> None:
        """Add one finished row, on disk when this returns."""
        line = json.dumps(row, ensure_ascii=False) + "\n"
        with held(self._root):
            self._end_last_line()
            with open(self.path, "a", encoding="utf-8", newline="\n") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())

    def remove(self, row_ids: Collection[str]) -> None:
        """Forget rows that were merged; the caller holds the lock."""
        rest = [row for row_id, row in self.read().items() if row_id not in row_ids]
        if rest:
            write_text(self.path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rest))
        else:
            self.path.unlink(missing_ok=True)

    def _end_last_line(self) -> None:
        """Cut off what a killed process left of a line."""
        if self.path.is_file() and self.path.stat().st_size:
            with open(self.path, "rb+") as file:
                file.seek(-1, os.SEEK_END)
                if file.read() != b"\n":
                    file.seek(0)
                    file.truncate(file.read().rfind(b"\n") + 1)
