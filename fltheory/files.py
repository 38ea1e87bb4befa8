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


def require_writable(name: str, path: Path) -> None:
    """Raise ``ValueError`` where a file cannot be written at ``path``, before the work whose results it is to hold.

    ``name`` is what the user calls it, such as ``"--output"``.  Folders that are missing will be made.
    """
    if path.is_dir():
        raise ValueError(f"{name} {path.name!r} is a folder; expected a file")
    folder = path.absolute().parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        raise ValueError(f"{name} {str(path)!r}: {folder.name!r} is no folder")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{name} {str(path)!r}: no permission to write in the folder {folder.name!r}")
