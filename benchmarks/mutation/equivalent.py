"""The list of mutants that change no behaviour: survivors that are excused, each by a reason that a person wrote."""

from __future__ import annotations

import tomllib
from pathlib import Path

from benchmarks.mutation.mutants import Mutant

LIST = Path(__file__).with_name("equivalent.toml")


def read_equivalent(path: Path = LIST) -> dict[tuple[str, str, str, str], str]:
    """``(path, operator, before, after)`` to the reason.

    Raises
    ------
    ValueError : an entry lacks a field, has no reason, or stands twice.
    """
    found: dict[tuple[str, str, str, str], str] = {}
    for entry in tomllib.loads(path.read_text("utf-8")).get("mutant", []):
        missing = [field for field in ("path", "operator", "before", "after", "reason") if not entry.get(field)]
        if missing:
            raise ValueError(f"{path.name}: the entry {entry} lacks {', '.join(missing)}")
        key = entry["path"], entry["operator"], entry["before"], entry["after"]
        if key in found:
            raise ValueError(f"{path.name}: the mutant {key} stands twice")
        found[key] = entry["reason"]
    return found


def reason_of(mutant: Mutant, listed: dict[tuple[str, str, str, str], str]) -> str:
    """Why a mutant is excused; empty where it is not."""
    return listed.get((mutant.path, mutant.operator, mutant.before, mutant.after), "")
