"""The sentence of a row that has no check of its own: made of the sentences of the readings and parts that judge it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fltheory.evidence import ids

NOT_TREATED = "The claim is listed and has not been treated yet."
#: A sentence of a sub-row is cut at a word beyond this many characters: the sub-row itself has it whole.
_LONGEST = 160


def first_sentence(text: str, longest: int = _LONGEST) -> str:
    """The first sentence of a text without its full stop, cut at a word where it is long."""
    sentence = re.split(r"(?<=[.!?])\s+(?=[A-Z(])", text.strip(), maxsplit=1)[0].rstrip(".")
    if len(sentence) <= longest:
        return sentence
    return sentence[:longest].rsplit(" ", 1)[0].rstrip(" ,;:(") + " ..."


def _of_one(row: Mapping[str, Any]) -> str:
    below = row.get("derived_from")
    if not below:
        return first_sentence(row["summary"])
    return f"see its own {len(below)} {'readings' if ids.is_reading(below[0]) else 'parts'}"


def of_sub_rows(children: Sequence[Mapping[str, Any]]) -> str:
    """What the readings and parts say, one after the other."""
    texts = []
    for child in children:
        name = ids.suffix(child["id"])
        label = f"read as '{name[1:-1]}'" if ids.is_reading(child["id"]) else f"part {name[1:]}"
        texts.append(f"{label}: {_of_one(child)}")
    text = "; ".join(texts)
    return f"{text[:1].upper()}{text[1:]}."
