"""A row's verdict, the reason for it and the command that reproduces it, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fltheory.evidence.model import Verdict


def short(value: object) -> str:
    """A number to three digits."""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def verdict_text(row: Mapping[str, Any]) -> str:
    """The verdict with the factor by which a bound is loose."""
    tight = row.get("tightness")
    if row["verdict"] == Verdict.LOOSE.value and tight:
        return f"holds, loose by {short(tight['ratio'])}"
    if row["verdict"] == Verdict.LOOSE_SEARCHED.value and tight:
        return f"holds, up to {short(tight['ratio'])} loose (searched)"
    return str(row["verdict"])


def tightness_text(row: Mapping[str, Any]) -> str:
    """How close to the best constant the printed one is, empty where nothing is known."""
    tight = row.get("tightness")
    if not tight:
        return ""
    ratio = tight["ratio"]
    tightest = isinstance(ratio, float | int) and ratio <= 1 + 1e-9
    words = "tight" if tightest else f"printed / sharpest known = {short(ratio)}"
    return f"{words} ({tight['rung']})" + (f"; sharp: {tight['sharp']}" if tight.get("sharp") else "")


def control_texts(row: Mapping[str, Any]) -> list[str]:
    """What each control changes and what became of it."""
    texts = []
    for control in row.get("controls", []):
        margin = "" if control["margin"] is None else f", margin {short(control['margin'])}"
        must = "must fail" if control["must"] == "fail" else "must pass"
        texts.append(f"{control['name']} ({must}): {control['outcome']}{margin}")
    return texts


def instance_without(row: Mapping[str, Any]) -> str:
    """The instance that breaks a row's statement without the hypothesis that is not printed; empty for other rows."""
    name = (row.get("unprinted") or {}).get("control")
    return next((control["detail"] for control in row.get("controls", []) if control["name"] == name), "")


def distance_text(row: Mapping[str, Any]) -> str:
    """How far an experiment that was run again is from the printed one; empty for other rows."""
    return "; ".join(f"{name}: {text}" for name, text in (row.get("analogue") or {}).items())


def below(row: Mapping[str, Any]) -> list[str]:
    """Ids of the rows that a verdict is derived from: readings, parts, or the rows of a bundle."""
    return list(row.get("derived_from") or row.get("bundles") or [])


def command(row_id: str) -> str:
    """The command that reproduces a row, quoted where a shell needs it."""
    plain = re.fullmatch(r"[A-Za-z0-9_.,/-]+", row_id)
    return f"fltheory verify {row_id}" if plain else f'fltheory verify "{row_id}"'


def has_check(row: Mapping[str, object]) -> bool:
    """Whether a row was filled by a check of its own, and not by other rows only."""
    return "method" in row
