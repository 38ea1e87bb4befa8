"""A worker process: ``python -m fltheory.evidence.worker``, started by :mod:`fltheory.evidence.pool`.

It answers each task with one row: it loads a script by its path once and runs claims from it by id.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fltheory.evidence.catalogue import claims_of, load_module
from fltheory.evidence.model import Claim
from fltheory.evidence.replay import replayed
from fltheory.evidence.rows import Row, last_line, row_of, unfinished
from fltheory.workers import serve


def main() -> None:
    """Answer tasks until standard input ends."""
    loaded: dict[str, dict[str, Claim]] = {}

    def row(task: dict[str, Any]) -> Row:
        try:
            if task["path"] not in loaded:
                loaded[task["path"]] = claims_of(load_module(Path(task["path"]), Path(task["root"])))
            claim = loaded[task["path"]][task["id"]]
            if "certificate" in task:
                return replayed(claim, task["certificate"], document=task["document"])
            return row_of(claim, document=task["document"])
        except (Exception, SystemExit) as error:
            return unfinished("crash", last_line(error))

    serve(row)


if __name__ == "__main__":
    main()
