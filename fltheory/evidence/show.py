"""A claim's rows as text for a person: the statement first, then the verdict and why, then the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fltheory.evidence.texts.words import (
    below,
    command,
    distance_text,
    has_check,
    instance_without,
    tightness_text,
    verdict_text,
)

#: Fields that are shown as they are, below the statement, the verdict and its reason.
_FIELDS = (
    "valid_for counterexample repair proof_verdict remark would_settle assumptions beside kind scope examined margin numbers seeds"
).split()


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str | int) for item in value):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False)


def _why(row: Mapping[str, Any], known: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    """Reasons for the verdict; ``known`` holds the rows whose verdicts can be told."""
    if below(row):
        verdicts = {name: verdict_text(known[name]) for name in below(row) if name in known}
        verdicts = {**row.get("part_verdicts", {}), **verdicts}
        yield "it follows from " + "; ".join(f"{name}: {verdicts.get(name, 'see there')}" for name in below(row))
    if row.get("method"):
        yield row["method"]
    if has_check(row) and row["found"] != row["verdict"] and not row.get("bundles"):
        yield f"(its own check found: {row['found']})"


def _entries(row: Mapping[str, Any], known: Mapping[str, Mapping[str, object]]) -> Iterator[tuple[str, Any]]:
    """All that is known of a row, by name, in the order in which it is read."""
    yield "headline", row.get("headline")
    yield "statement", row["statement"]
    yield "in words", row["summary"]
    yield "verdict", verdict_text(row) + (f" ({row['rung']})" if row["rung"] else "")
    yield "why", " ".join(_why(row, known))
    yield "tightness", tightness_text(row)
    yield "fault", row.get("fault")
    yield "not printed", (row.get("unprinted") or {}).get("hypothesis")
    yield "without it", instance_without(row)
    yield "distance", distance_text(row)
    yield "elsewhere", row.get("elsewhere")
    yield "script", row.get("file") or (f"verify/{row['script']}" if row.get("script") else "")
    yield "reproduce", row.get("command") or (command(row["id"]) if has_check(row) or below(row) else "")
    yield "expected", row.get("expects")
    yield "rests on", row.get("depends")
    yield "reads", row.get("reads")
    yield "takes over", row.get("rests_on_unprinted")
    yield "proof steps", row["proof_steps"]
    for name in _FIELDS:
        yield name.replace("_", " "), row.get(name)
    for problem in row.get("problems", []):
        yield "PROBLEM", problem
    for control in row.get("controls", []):
        margin = "" if control["margin"] is None else f", margin {control['margin']}"
        yield "control", f"{control['name']}: {control['outcome']} (must {control['must']}){margin}"


def describe_row(row: Mapping[str, object], known: Mapping[str, Mapping[str, object]] | None = None) -> str:
    """One row, a field per line; empty fields are left out."""
    place = f", {row['source']}" if row.get("source") else ""
    filled = [(name, value) for name, value in _entries(row, known or {}) if value not in (None, "", [], {})]
    return "\n".join([f"{row['id']}  ({row['document']}{place})", *(f"  {n:<14} {_text(v)}" for n, v in filled)])


def describe_rows(rows: Sequence[Mapping[str, Any]], *, as_json: bool = False) -> str:
    """All rows of a claim."""
    if as_json:
        return json.dumps(list(rows), indent=1, ensure_ascii=False)
    known = {row["id"]: row for row in rows}
    return "\n\n".join(describe_row(row, known) for row in rows)
