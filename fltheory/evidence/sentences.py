"""The sentence of a row that has no check of its own: how its readings and parts stand, and what the worst of them says."""

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


def of_sub_rows(children: Sequence[Mapping[str, Any]], decides: Mapping[str, Any]) -> str:
    """One sentence on a row that is judged by readings and parts: how many there are, how they stand, what the worst says.

    Parameters
    ----------
    decides : the row that stands worst, which may lie deeper than the children.
    """
    readings = [child for child in children if ids.is_reading(child["id"])]
    words = "readings" if len(readings) == len(children) else "readings and parts" if readings else "parts"
    words = words if len(children) > 1 else words[:-1]
    verdicts = dict.fromkeys(child["verdict"] for child in children)
    counted = [f"{sum(child['verdict'] == verdict for child in children)} {verdict}" for verdict in verdicts]
    standing = f"all: {next(iter(verdicts))}" if len(verdicts) == 1 and len(children) > 1 else ", ".join(counted)
    says = first_sentence(decides.get("summary", ""))
    return f"Judged in {len(children)} {words} ({standing}); the weakest, {decides['id']}, says: {says}."
