"""Files that are written whole or not at all, and arrays by name in one of them."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any
from uuid import uuid4
from zipfile import BadZipFile, ZipFile

DESCRIPTION = "description"
#: Names that mean something else where arrays are written.
RESERVED = (DESCRIPTION, "file", "allow_pickle")


@contextmanager
def written_whole(path: Path, *, binary: bool = False) -> Iterator[IO[Any]]:
    """A file to write that takes the name ``path`` when the block ends without an error, and is removed otherwise.

    Text is UTF-8 with the same line ends everywhere.  The contents are on disk before the name changes, so that a machine that
    loses its power keeps the old file or the new one.
    """
    draft = path.with_name(f"{path.name}.{uuid4().hex[:8]}.part")
    how: dict[str, Any] = {"mode": "xb"} if binary else {"mode": "x", "encoding": "utf-8", "newline": "\n"}
    try:
        with open(draft, **how) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
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
    _require_place(name, path, path.absolute().parent)


def require_writable_folder(name: str, path: Path) -> None:
    """Raise ``ValueError`` where no file can be written into the folder ``path``, which will be made if it is missing."""
    _require_place(name, path, path.absolute())


def _require_place(name: str, path: Path, folder: Path) -> None:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        raise ValueError(f"{name} {str(path)!r}: {folder.name!r} is no folder")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{name} {str(path)!r}: no permission to write in the folder {folder.name!r}")


def write_arrays(path: Path, description: Mapping[str, object], arrays: Mapping[str, object]) -> None:
    """Write arrays by name, and JSON data that says what they are, into one compressed ``.npz`` file.

    Raises
    ------
    ValueError : a name that is reserved, or an array of objects, which would be pickled.
    """
    import numpy as np

    for name, array in arrays.items():
        if name in RESERVED:
            raise ValueError(f"array name {name!r} is reserved; expected none of {', '.join(map(repr, RESERVED))}")
        if np.asarray(array).dtype.hasobject:
            raise ValueError(f"array {name!r} holds objects; expected numbers, truth values or texts")
    named: dict[str, Any] = {DESCRIPTION: np.array(json.dumps(description, sort_keys=True)), **arrays}
    with written_whole(path, binary=True) as file:
        np.savez_compressed(file, **named)


def read_arrays(path: Path, what: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Description and arrays of a file that :func:`write_arrays` wrote; ``what`` it is called, such as "a saved run".

    Raises
    ------
    FileNotFoundError : no such file.
    ValueError : a file of another kind, or a damaged one.
    """
    with _arrays(path, what) as file:
        arrays = {name: file[name] for name in file.files}
        return json.loads(str(arrays.pop(DESCRIPTION))), arrays


def read_description(path: Path, what: str) -> tuple[dict[str, Any], list[str]]:
    """Description and names of the arrays, which are not read; errors as of :func:`read_arrays`."""
    with _arrays(path, what) as file:
        return json.loads(str(file[DESCRIPTION])), [name for name in file.files if name != DESCRIPTION]


#: Files of arrays that were opened within :func:`noting`.
_NOTED: ContextVar[set[Path] | None] = ContextVar("noted", default=None)


@contextmanager
def noting() -> Iterator[set[Path]]:
    """The set of the files of arrays that are opened within this block, which grows as they are."""
    found: set[Path] = set()
    token = _NOTED.set(found)
    try:
        yield found
    finally:
        _NOTED.reset(token)


@contextmanager
def _arrays(path: Path, what: str) -> Iterator[Any]:
    import numpy as np

    noted = _NOTED.get()
    if noted is not None:
        noted.add(path.resolve())
    try:
        ZipFile(path).close()  # NumPy would take a file of any other kind for a pickle
        with np.load(path, allow_pickle=False) as file:
            if DESCRIPTION not in file.files:
                raise ValueError(f"it has no {DESCRIPTION}")
            yield file
    except FileNotFoundError:
        raise
    except (ValueError, EOFError, OSError, BadZipFile, zlib.error) as error:
        raise ValueError(f"{path.name!r} is not {what}, or is damaged: {error}") from None
