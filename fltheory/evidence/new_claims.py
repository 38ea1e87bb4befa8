"""``fltheory claim new``: a folder with one claim of each kind and its control, which runs as it is written."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from fltheory.evidence import ids

TEMPLATES = ids.DATA / "own_claims"


def prefix_of(name: str) -> str:
    """What the ids of a folder begin with: the first word of its name, with ``OWN`` before it where the package uses that.

    Raises
    ------
    ValueError : a name without a letter or a digit.
    """
    words = re.findall(r"[A-Za-z0-9]+", name)
    if not words:
        raise ValueError(f"{name!r} has no letter or digit to make ids of; say a prefix")
    first = words[0].upper()
    return first if _free(first) else f"OWN{first}"


def _free(prefix: str) -> bool:
    return not any(claim.startswith(f"{prefix}-") for claim in ids.index())


def write_claims(folder: Path, prefix: str | None = None) -> list[Path]:
    """Write the files of a new folder of claims, and return their paths.

    Raises
    ------
    ValueError : the folder exists; a prefix that is no letters and digits, or that ids of the package have.
    OSError : it cannot be written.
    """
    folder = Path(folder)
    if os.path.lexists(folder):
        raise ValueError(f"{str(folder)!r} exists; expected a new folder, since nothing is overwritten")
    prefix = prefix_of(folder.resolve().name) if prefix is None else prefix
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9]*", prefix) and prefix != prefix_of(folder.resolve().name):
        raise ValueError(f"prefix={prefix!r}: expected letters and digits, such as 'MY'")
    if not _free(prefix):
        raise ValueError(f"prefix={prefix!r}: ids of the package begin with it; expected another one")
    texts = {path.name.removesuffix(".txt"): path.read_text("utf-8") for path in sorted(TEMPLATES.glob("*.txt"))}
    folder.mkdir(parents=True)
    written = []
    for name, text in texts.items():
        path = folder / name
        path.write_text(text.replace("PREFIX", prefix).replace("FOLDER", shlex.quote(folder.name)), encoding="utf-8")
        written.append(path)
    return written
