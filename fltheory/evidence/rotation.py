"""Which of the rows that are neither quick nor changed are computed anew today: one share in ten, by the commit.

The rows take turns: the number of the commit modulo ten says whose it is, so that of ten commits in a row each row is
computed once.  Where the history is not here (a shallow clone, an installed source archive) the hash of the commit, or of the
file of keys, chooses: each row is then due in one run of ten on average.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from pathlib import Path

from fltheory.evidence.store import keys_path

SHARES = 10


def _git(root: Path, *words: str) -> str:
    """The answer of git in a checkout; empty where there is none."""
    try:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def turn(root: Path) -> tuple[int, str]:
    """Whose turn it is, from 0 to 9, and by what, in words."""
    commit = _git(root, "rev-parse", "HEAD")
    count = _git(root, "rev-list", "--count", "HEAD")
    if commit and count and _git(root, "rev-parse", "--is-shallow-repository") == "false":
        return int(count) % SHARES, f"commit number {count}"
    if commit:
        return int(commit, 16) % SHARES, f"commit {commit[:10]}"
    digest = hashlib.sha256(keys_path(root).read_bytes() if keys_path(root).is_file() else b"").hexdigest()
    return int(digest, 16) % SHARES, "the file of keys"


def due(row_ids: Sequence[str], place: int) -> list[str]:
    """The rows whose turn it is: each row has its turn once in :data:`SHARES` places, whatever other rows there are."""
    return [row_id for row_id in row_ids if int(hashlib.sha256(row_id.encode()).hexdigest(), 16) % SHARES == place]


def removed(root: Path) -> tuple[set[str], str]:
    """Ids that the file of keys of this commit or the one before names and today's does not, and a remark if none is known."""
    path = keys_path(root)
    before: set[str] = set()
    seen = False
    for commit in ("HEAD", "HEAD~1"):
        text = _git(root, "show", f"{commit}:./{path.relative_to(root).as_posix()}")
        seen = seen or bool(text)
        before |= {line.partition("\t")[0] for line in text.split("\n")[1:] if line}
    now = path.read_text(encoding="utf-8") if path.is_file() else ""
    here = {line.partition("\t")[0] for line in now.split("\n")[1:]}
    return before - here, "" if seen else "no earlier commit to compare the list of rows with"
