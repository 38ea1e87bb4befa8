"""A worker process: ``python -m fltheory.evidence.worker``, started by :mod:`fltheory.evidence.pool`, or a copy of its process.

It answers each task with one row: it loads a script by its path once and runs claims from it by id.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from fltheory.evidence.catalogue import claims_of, load_module
from fltheory.evidence.model import Claim
from fltheory.evidence.replay import replayed
from fltheory.evidence.rows import Row, last_line, row_of, unfinished
from fltheory.workers import serve


def answering() -> Callable[[dict[str, Any]], Row]:
    """What answers a task, with the scripts that it has loaded."""
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

    return row


def main() -> None:
    """Answer tasks until standard input ends."""
    serve(answering())


if __name__ == "__main__":
    main()
