"""One row in full: the statement first, then the verdict and why, then everything else that is known about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from fltheory.evidence.model import Rung
from fltheory.evidence.rows import Row
from fltheory.evidence.texts.markdown import code, display, link, plain
from fltheory.evidence.texts.places import Places, page
from fltheory.evidence.texts.words import (
    below,
    command,
    control_texts,
    distance_text,
    has_check,
    instance_without,
    short,
    tightness_text,
    verdict_text,
)


@dataclass(frozen=True)
class References:
    """Which rows refer to a row, by what they say of it."""

    ledger: Mapping[str, Row]

    @cached_property
    def _turned(self) -> Mapping[str, Mapping[str, list[str]]]:
        turned: dict[str, dict[str, list[str]]] = {}
        for row in self.ledger.values():
            named = {"depends": row.get("depends", []), "proof_steps": [], "repair": [row.get("repair", "")]}
            if has_check(row):
                named["proof_steps"] = row["proof_steps"]
            for what, row_ids in named.items():
                for row_id in filter(None, row_ids):
                    turned.setdefault(what, {}).setdefault(row_id, []).append(row["id"])
        return turned

    def to(self, row_id: str, what: str) -> Sequence[str]:
        """Rows whose field ``what`` (depends, proof_steps, repair) names this row."""
        return self._turned.get(what, {}).get(row_id, [])


def _reasons(row: Row, places: Places, on: PurePosixPath) -> Iterator[str]:
    """Why the verdict is what it is."""
    if below(row):
        named = ", ".join(f"{places.link(name, on=on)} {verdict_text(places.ledger[name])}" for name in below(row))
        yield f"It follows from its {'parts' if row.get('bundles') else 'readings and parts'}: {named}."
    if row.get("method") and not row.get("bundles"):
        yield plain(row["method"])
    if has_check(row) and row.get("found", row["verdict"]) != row["verdict"] and not row.get("bundles"):
        yield f"(Its own check found: {plain(row['found'])}.)"


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_value(item)}" for name, item in value.items())
    if isinstance(value, list):
        return ", ".join(_value(item) for item in value)
    return short(value)


def _repair(row: Row, places: Places, on: PurePosixPath) -> str:
    repair = places.ledger.get(row.get("repair", ""))
    if repair is None:
        return ""
    return f"{places.link(repair['id'], on=on)} ({verdict_text(repair)}): {plain(repair['summary'])}"


def _items(row: Row, places: Places, references: References, on: PurePosixPath) -> Iterator[tuple[str, str]]:
    """All that is said below the verdict, by name; empty where there is nothing to say."""
    row_id = row["id"]
    yield "Place", plain(row.get("source", ""))
    yield "Printed proof", plain(row["proof_verdict"])
    yield "Steps of the printed proof", places.links(row["proof_steps"], on=on) if has_check(row) else ""
    yield "Kind of fault", plain(row.get("fault", ""))
    yield "Hypothesis not printed", plain((row.get("unprinted") or {}).get("hypothesis", ""))
    yield "Broken without it", plain(instance_without(row))
    yield "Distance from the print", plain(distance_text(row))
    yield "Counterexample", plain(row.get("counterexample", ""))
    yield "Should read", _repair(row, places, on)
    yield "Corrects", places.links(references.to(row_id, "repair"), on=on)
    yield "Tightness", plain(tightness_text(row))
    yield "Valid for", plain(row.get("valid_for", ""))
    yield "Assumptions", plain("; ".join(row.get("assumptions", [])))
    yield "Said beside the derivation", plain(row.get("beside", ""))
    asserted = row["rung"] == Rung.ASSERTED.value
    yield "Asserted, since" if asserted else "Joined to the statement by words", plain(row.get("remark", ""))
    yield "Known elsewhere", plain(row.get("elsewhere", ""))
    yield "To settle it", plain(row["would_settle"])
    yield "Controls", plain("; ".join(control_texts(row)))
    yield "Numbers", plain(_value(row.get("numbers", {})))
    yield "Seeds", plain(_value(row.get("seeds", [])))
    if has_check(row):
        margin = "" if row["margin"] is None else f", margin {short(row['margin'])}"
        yield "Checked", plain(f"{row['examined']} things examined{margin}; {row['kind']}, {row['scope']}")
    script = f"verify/{row['script']}" if row.get("script") else ""
    if has_check(row) or below(row):
        file = f", script {link(script, f'../../../{script}')}" if script else ""
        yield "Reproduce", code(command(row_id)) + file
    yield "Rests on", places.links(row.get("depends", []), on=on)
    yield "Reads the statements of", places.links(row.get("reads", []), on=on)
    yield "Unprinted hypotheses that it takes over", places.links(row.get("rests_on_unprinted", []), on=on)
    yield "Rests on it", places.links(references.to(row_id, "depends"), on=on)
    yield "Step of the proof of", places.links(references.to(row_id, "proof_steps"), on=on)


def _headline(row: Row) -> str:
    """The headline where it says something else than the summary begins with."""
    text = row.get("headline", "")
    return f"**{plain(text)}.**\n" if text and not row["summary"].startswith(text) else ""


def block(row: Row, places: Places, references: References) -> str:
    """A row in full, with the anchor that links go to."""
    on = page(row)
    rung = f" ({row['rung']})" if row["rung"] else ""
    why = " ".join(_reasons(row, places, on))
    parts = [
        f'<a id="{places.anchors[row["id"]]}"></a>\n\n### {code(row["id"])}\n',
        _headline(row),
        display(row["statement"]),
        plain(row["summary"]) + "\n",
        f"**Verdict: {plain(verdict_text(row))}**{rung}. {why}".rstrip() + "\n",
    ]
    items = "\n".join(f"- {name}: {text}" for name, text in _items(row, places, references, on) if text)
    return "\n".join(part for part in [*parts, f"{items}\n" if items else ""] if part)
