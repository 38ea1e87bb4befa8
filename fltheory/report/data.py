"""What the report tells of each claim: a record of texts per row of the ledger, in the order of the documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from fltheory.evidence.rows import Row
from fltheory.evidence.texts.places import section
from fltheory.evidence.texts.words import (
    below,
    command,
    control_texts,
    distance_text,
    has_check,
    instance_without,
    tightness_text,
    verdict_text,
)

_TONES = {
    "wrong as printed": "bad",
    "not reproduced": "bad",
    "ambiguous": "doubt",
    "holds, hypothesis not printed": "doubt",
    "not refuted": "grey",
    "not checkable here": "grey",
    "open": "grey",
}


def tone(verdict: str) -> str:
    """The colour class of a verdict: ``bad``, ``doubt``, ``grey`` or ``good``."""
    return _TONES.get(verdict, "good")


def section_order(name: str) -> tuple[int, str, list[int]]:
    """Where a section stands in its document: the body by number, then what has none, then the appendices."""
    word, numbers = name.partition(":")[0].lower(), [int(n) for n in re.findall(r"\d+", name.partition(":")[0])]
    if word.startswith("appendi"):
        return 2, word, numbers
    return (0, "", numbers) if numbers else (1, word, [])


def dependants(ledger: Mapping[str, Row]) -> dict[str, list[str]]:
    """The rows that rest on each row, by id."""
    found: dict[str, list[str]] = {name: [] for name in ledger}
    for name, row in ledger.items():
        for other in premises(row, ledger):
            found[other].append(name)
    return found


def premises(row: Row, ledger: Mapping[str, Row]) -> list[str]:
    """The rows that a row rests on: what it takes as given, and the rows that its verdict is derived from."""
    names = dict.fromkeys([*row.get("depends", []), *below(row)])
    return [name for name in names if name in ledger and name != row["id"]]


def _numbers(row: Row) -> list[str]:
    return [f"{name}: {value}" for name, value in (row.get("numbers") or {}).items()]


def details(row: Row) -> list[tuple[str, str | list[str]]]:
    """The texts of a claim by name, in the order in which they are read; what is empty is left out."""
    found: list[tuple[str, str | list[str]]] = [
        ("In words", row["summary"]),
        ("Why", row.get("method", "")),
        ("Valid for", row.get("valid_for", "")),
        ("Assumptions", row.get("assumptions", [])),
        ("Typed beside the derivation", row.get("beside", "")),
        ("Counterexample", row.get("counterexample", "")),
        ("Not printed", (row.get("unprinted") or {}).get("hypothesis", "")),
        ("Without it", instance_without(row)),
        ("Takes over hypotheses not printed, of", row.get("rests_on_unprinted", [])),
        ("Numbers", _numbers(row)),
        ("Sharpness", tightness_text(row)),
        ("Controls", control_texts(row)),
        ("Distance from the print", distance_text(row)),
        ("What would settle it", row.get("would_settle", "")),
        ("Remark", row.get("remark", "")),
        ("Expected by its author", row.get("expects") or ""),
        ("Script", row.get("file") or (f"verify/{row['script']}" if row.get("script") else "")),
        ("Reproduce", row.get("command") or (command(row["id"]) if has_check(row) or below(row) else "")),
    ]
    return [(name, text) for name, text in found if text]


def ordered(ledger: Mapping[str, Row], documents: Iterable[str]) -> list[Row]:
    """The rows of some documents, by section in the order of each document."""
    place = {name: number for number, name in enumerate(documents)}
    rows = [row for row in ledger.values() if row["document"] in place]
    return sorted(rows, key=lambda row: (place[row["document"]], section_order(section(row["id"]))))


def record(row: Row) -> dict[str, Any]:
    """What the page lists and filters of a claim, and its texts."""
    return {
        "id": row["id"],
        "document": row["document"],
        "section": section(row["id"]),
        "source": row.get("source", ""),
        "headline": row["headline"] or row["summary"],
        "verdict": row["verdict"],
        "told": verdict_text(row),
        "found": row.get("found", ""),
        "proof": row["proof_verdict"],
        "rung": row["rung"],
        "kind": row.get("kind", ""),
        "fault": row.get("fault", ""),
        "repair": row.get("repair", ""),
        "statement": row["statement"],
        "tone": tone(row["verdict"]),
        "details": details(row),
    }
