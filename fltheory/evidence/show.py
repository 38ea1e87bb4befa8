"""A claim's rows as text for a person."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fltheory.evidence.report import command, verdict_text

_FIELDS = (
    "source",
    "summary",
    "statement",
    "assumptions",
    "kind",
    "scope",
    "method",
    "valid_for",
    "examined",
    "margin",
    "counterexample",
    "repair",
    "numbers",
    "would_settle",
    "seeds",
    "derived_from",
    "part_verdicts",
    "proof_steps",
    "proof_verdict",
)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str | int) for item in value):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False)


def describe_row(row: Mapping[str, Any]) -> str:
    """One row, a field per line; empty fields are left out."""
    lines = [f"{row['id']}  ({row['document']})", f"  {'verdict':<14} {verdict_text(row)}"]
    if row["rung"]:
        lines.append(f"  {'rung':<14} {row['rung']}")
    if row.get("tightness"):
        lines.append(f"  {'tightness':<14} {_text(row['tightness'])}")
    filled = [name for name in _FIELDS if row.get(name) not in (None, "", [], {})]
    lines += [f"  {name.replace('_', ' '):<14} {_text(row[name])}" for name in filled]
    for control in row.get("controls", []):
        margin = "" if control["margin"] is None else f", margin {control['margin']}"
        lines.append(f"  {'control':<14} {control['name']}: {control['outcome']} (must {control['must']}){margin}")
    if row["rung"] or row.get("bundles"):
        lines.append(f"  {'reproduce':<14} {command(row['id'])}")
    return "\n".join(lines)


def describe_rows(rows: Sequence[Mapping[str, Any]], *, as_json: bool = False) -> str:
    """All rows of a claim."""
    if as_json:
        return json.dumps(list(rows), indent=1, ensure_ascii=False)
    return "\n\n".join(describe_row(row) for row in rows)
