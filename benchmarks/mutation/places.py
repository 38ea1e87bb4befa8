"""Which files are mutated, and in which groups their scores are counted."""

from __future__ import annotations

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "fltheory"
FOLDERS = ("problems", "algorithms", "readings", "simulate", "worstcase", "evidence")
#: Files that are trusted more than others are groups of their own: what they accept is called proved.
VERIFIERS = ("worstcase/verifier", "worstcase/box_verifier")
#: What evidence stands on and lies elsewhere: it is counted with ``evidence``.
BESIDE = ("experiments/statistics", "processes", "workers")
GROUPS = (*FOLDERS, *VERIFIERS)
#: What is wanted of a group: the share of mutants that change behaviour and are seen by a test.
WANTED = {group: 1.0 if group == "evidence" or group in VERIFIERS else 0.92 for group in GROUPS}


def sources(root: Path = ROOT) -> dict[str, Path]:
    """The files that are mutated, by their path from ``root`` (with slashes), in order."""
    found = [path for folder in FOLDERS for path in (root / PACKAGE / folder).rglob("*.py")]
    found += [path for name in BESIDE if (path := root / PACKAGE / f"{name}.py").is_file()]
    return dict(sorted((path.relative_to(root).as_posix(), path) for path in found))


def group_of(name: str) -> str:
    """The group that counts a file, from its path: ``fltheory/worstcase/verifier.py`` is a group, its folder another."""
    inner = name.removeprefix(f"{PACKAGE}/").removesuffix(".py")
    if inner in BESIDE:
        return "evidence"
    return inner if inner in VERIFIERS else inner.split("/")[0]


def digest(*texts: bytes) -> str:
    """A short digest of texts, in order."""
    whole = hashlib.sha256()
    for text in texts:
        whole.update(hashlib.sha256(text).digest())
    return whole.hexdigest()[:16]


def digest_of_files(paths: list[Path]) -> str:
    """A digest of the contents of files, in order."""
    return digest(*(path.read_bytes() for path in paths))


def test_files(root: Path = ROOT) -> list[Path]:
    """All files of tests and of what they share, in order."""
    return sorted((root / "tests").rglob("*.py"))
