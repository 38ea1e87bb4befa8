"""The sentence and headline of a row without a check: how its readings and parts stand, what the worst of them says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fltheory.evidence import ids
from fltheory.evidence.terms import Verdict

#: A headline has at most so many characters, and none of these signs of a formula typed in ASCII.
HEADLINE_LONGEST = 90
_FORMULA = ("^", "_", "<=", ">=", "**", "sqrt(", "|", "\\", "$")
NOT_TREATED = "The claim is listed and has not been treated yet."
#: A sentence is cut at a word beyond this many characters: its row has it whole.
_LONGEST = 160
#: Of a sub-row whose first sentence is longer than this the headline is quoted.
_QUOTED = 240


def first_sentence(text: str, longest: int = _LONGEST) -> str:
    """The first sentence of a text without its full stop, cut at a word where it is long."""
    sentence = re.split(r"(?<=[.!?])\s+(?=[A-Z(])", text.strip(), maxsplit=1)[0].rstrip(".")
    if len(sentence) <= longest:
        return sentence
    return sentence[:longest].rsplit(" ", 1)[0].rstrip(" ,;:(") + " ..."


def headline_problem(text: str) -> str:
    """What is wrong with a headline: too long, more than one line, a sign of a formula; empty for a good one and for none."""
    if len(text) > HEADLINE_LONGEST:
        return f"headline={text!r} has {len(text)} characters; expected at most {HEADLINE_LONGEST}"
    if text != " ".join(text.split()):
        return f"headline={text!r} is no line of words with single spaces between them"
    signs = [sign for sign in _FORMULA if sign in text]
    return f"headline={text!r} has {', '.join(map(repr, signs))}; expected words, and no formula" if signs else ""


def headline_of(row: Mapping[str, Any]) -> str:
    """The headline of a row: its own, else the first sentence of its summary where that is one, else none."""
    sentence = first_sentence(row["summary"])
    return row.get("headline") or ("" if headline_problem(sentence) else sentence)


def headline_of_sub_rows(children: Sequence[Mapping[str, Any]], decides: Mapping[str, Any]) -> str:
    """The headline of a row that readings or parts judge: that of the worst, else of the first that has one."""
    return next((str(row["headline"]) for row in (decides, *children) if row.get("headline")), "")


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
    says = first_sentence(decides.get("summary", ""), 10**6)
    unchecked = decides.get("verdict") == Verdict.NOT_CHECKABLE.value  # its summary tells what cannot be checked
    if len(says) > _QUOTED or unchecked:
        says = str(decides.get("headline") or first_sentence(says, _QUOTED))
    return f"Judged in {len(children)} {words} ({standing}); the weakest, {decides['id']}, says: {says}."
