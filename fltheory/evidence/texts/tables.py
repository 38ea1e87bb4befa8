"""The ledger for machines beside ``ledger.json``: the schema of its rows, and the facts of one value each as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

from fltheory.evidence.model import Fault, Kind, Outcome, Rung, Scope, Verdict
from fltheory.evidence.rows import Row
from fltheory.evidence.sentences import HEADLINE_LONGEST
from fltheory.kinds import JSON

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_NUMBER = {"type": ["number", "string", "null"]}


def _one_of(words: Any, *more: str) -> dict[str, JSON]:
    return {"enum": [*(word.value for word in words), *more]}


def _texts_of(*names: str) -> dict[str, JSON]:
    filled: JSON = {name: {**_TEXT, "minLength": 1} for name in names}
    return {"type": "object", "properties": filled, "required": list(names), "additionalProperties": False}


def schema() -> dict[str, object]:
    """The JSON schema of ``ledger.json``."""
    always: dict[str, Any] = {
        "schema": {"type": "integer"},
        "id": {**_TEXT, "minLength": 1},
        "document": {**_TEXT, "minLength": 1},
        "headline": {**_TEXT, "maxLength": HEADLINE_LONGEST},
        "statement": _TEXT,
        "summary": {**_TEXT, "minLength": 1},
        "verdict": _one_of(Verdict),
        "proof_verdict": _one_of(Verdict, ""),
        "rung": _one_of(Rung, ""),
        "would_settle": _TEXT,
        "proof_steps": _TEXTS,
        "controls": {"type": "array", "items": _CONTROL},
    }
    derived = {"derived_from": _TEXTS, "decided_by": _TEXT, "tightness": _TIGHTNESS}
    checked: dict[str, Any] = {
        "kind": _one_of(Kind),
        "scope": _one_of(Scope),
        "source": _TEXT,
        "script": _TEXT,
        "assumptions": _TEXTS,
        "depends": _TEXTS,
        "repair": _TEXT,
        "quick": {"type": "boolean"},
        "outcome": _one_of(Outcome),
        "found": _one_of(Verdict),
        "method": {**_TEXT, "minLength": 1},
        "examined": {"type": "integer", "minimum": 1},
        "margin": _NUMBER,
        "numbers": {"type": "object"},
        "counterexample": _TEXT,
        "valid_for": _TEXT,
        "seeds": {"type": "array", "items": {"type": "integer"}},
    }
    some = {
        "fault": _one_of(Fault),
        "unprinted": _texts_of("hypothesis", "control"),
        "analogue": _texts_of("model", "data", "size", "heterogeneity"),
        "rests_on_unprinted": _TEXTS,
        "reads": _TEXTS,
        "elsewhere": _TEXT,
        "beside": _TEXT,  # what the script says of hypotheses and ranges beside the derivation
        "remark": _TEXT,  # why a row is on the rung "asserted"
    }
    bundled = {"bundles": _TEXTS, "part_verdicts": {"type": "object", "additionalProperties": _one_of(Verdict)}}
    row = {
        "type": "object",
        "properties": {**always, **derived, **checked, **bundled, **some},
        "required": list(always),
        "additionalProperties": False,
        "dependentRequired": {
            "method": [*checked, "tightness"],
            "bundles": list(bundled),
            "derived_from": list(derived),
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Ledger: a row per claim of the documents, and per reading, part, corrected and sharpened statement of it",
        "type": "object",
        "properties": {"$schema": _TEXT, "rows": {"type": "array", "items": row}},
        "required": ["rows"],
        "additionalProperties": False,
    }


_CONTROL = {
    "type": "object",
    "properties": {
        "name": _TEXT,
        "must": {"enum": ["fail", "pass"]},
        "outcome": _one_of(Outcome),
        "margin": _NUMBER,
        "satisfied": {"type": "boolean"},
        "detail": _TEXT,
    },
    "required": ["name", "must", "outcome", "margin", "satisfied", "detail"],
    "additionalProperties": False,
}
_TIGHTNESS = {
    "type": ["object", "null"],
    "properties": {"ratio": _NUMBER, "rung": _one_of(Rung), "sharp": _TEXT},
    "required": ["ratio", "rung", "sharp"],
    "additionalProperties": False,
}

#: Columns of the CSV: fields of a row with one value each.
COLUMNS = (
    "id",
    "document",
    "source",
    "kind",
    "scope",
    "verdict",
    "proof_verdict",
    "rung",
    "fault",
    "margin",
    "examined",
    "loose_by",
    "repair",
    "script",
    "headline",
    "summary",
    "statement",
    "counterexample",
    "would_settle",
    "remark",
)


def render_schema() -> str:
    """The text of ``schema.json``."""
    return json.dumps(schema(), indent=1) + "\n"


def render_csv(ledger: Mapping[str, Row]) -> str:
    """The text of ``ledger.csv``: a line per row, fields of one value each; what a row does not have is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in ledger.values():
        flat = {**row, "loose_by": (row.get("tightness") or {}).get("ratio")}
        writer.writerow(["" if flat.get(name) is None else flat[name] for name in COLUMNS])
    return text.getvalue()
