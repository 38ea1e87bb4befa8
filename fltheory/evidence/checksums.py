"""SHA-256 of every result file that no text is derived from: ``results/checksums.txt``, as ``sha256sum -c`` reads it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from fltheory.evidence.store import write_text

#: Folders below ``results`` whose files are noted.
NOTED = ("benchmarks", "certificates", "experiments")


def _path(root: Path) -> Path:
    return root / "results" / "checksums.txt"


def checksums(root: Path) -> dict[str, str]:
    """SHA-256 by path below ``results``."""
    results = root / "results"
    files = (path for name in NOTED for path in (results / name).rglob("*") if path.is_file())
    return {
        path.relative_to(results).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(files)
        if path.suffix != ".part"
    }


def write_checksums(root: Path) -> None:
    """Note all files as they are."""
    write_text(_path(root), "".join(f"{digest}  {name}\n" for name, digest in checksums(root).items()))


def checksum_problems(root: Path) -> list[str]:
    """Files that are not as they were noted, gone, or not noted."""
    text = _path(root).read_text(encoding="utf-8") if _path(root).is_file() else ""
    noted = {name: digest for digest, _, name in (line.partition("  ") for line in text.splitlines())}
    now = checksums(root)
    words = {True: "is not the file that was noted", False: "is gone"}
    found = [f"results/{name} {words[name in now]}" for name in noted if now.get(name) != noted[name]]
    found += [f"results/{name} is not noted in results/checksums.txt" for name in now if name not in noted]
    return [f"{line} (verify --write notes the files as they are)" for line in found]
