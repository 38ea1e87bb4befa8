"""A worker process: reads tasks from standard input, one JSON object per line, and answers each with one row.

Started by :mod:`fltheory.evidence.pool` as ``python -m fltheory.evidence.worker``.  It loads a script by its path
once and runs claims from it by id.  What checks print goes to standard error.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from fltheory.evidence.catalogue import claims_of, load_module
from fltheory.evidence.model import Claim
from fltheory.evidence.rows import last_line, row_of, unfinished

#: One thread per process: the pool already runs one process per core.
SINGLE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def main() -> None:
    """Answer tasks until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to handle
    for name in SINGLE_THREAD:
        os.environ.setdefault(name, "1")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    loaded: dict[str, dict[str, Claim]] = {}
    for line in sys.stdin:
        task = json.loads(line)
        try:
            if task["path"] not in loaded:
                loaded[task["path"]] = claims_of(load_module(Path(task["path"])))
            row = row_of(loaded[task["path"]][task["id"]], document=task["document"])
        except (Exception, SystemExit) as error:
            row = unfinished("crash", last_line(error))
        answers.write(json.dumps(row) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
