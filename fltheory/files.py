"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from uuid import uuid4


@contextmanager
def written_whole(path: Path, *, binary: bool = False) -> Iterator[IO[Any]]:
    """A file to write that takes the name ``path`` when the block ends without an error, and is removed otherwise.

    Text is UTF-8 with the same line ends everywhere.
    """
    draft = path.with_name(f"{path.name}.{uuid4().hex[:8]}.part")
    how: dict[str, Any] = {"mode": "xb"} if binary else {"mode": "x", "encoding": "utf-8", "newline": "\n"}
    try:
        with open(draft, **how) as file:
            yield file
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
