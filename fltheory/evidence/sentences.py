"""The sentence and headline of a row without a check: how its readings and parts stand, what the worst of them says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fltheory.evidence import ids

#: A headline has at most so many characters, and none of these signs of a formula typed in ASCII.
HEADLINE_LONGEST = 90
_FORMULA = ("^", "_", "<=", ">=", "**", "sqrt(", "|", "\\", "$")
NOT_TREATED = "The claim is listed and has not been treated yet."
#: A sentence of a sub-row is cut at a word beyond this many characters: the sub-row itself has it whole.
_LONGEST = 160


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


def headline_of_sub_rows(children: Sequence[Mapping[str, Any]]) -> str:
    """The headline of a row that readings or parts judge.

    Where readings differ in verdict it says how; otherwise the first that does not hold speaks for the whole, or the first.
    """
    readings = [child for child in children if ids.is_reading(child["id"])]
    if len({child["verdict"].partition(",")[0] for child in readings}) < 2:
        told = [child for child in children if child["headline"]]
        first = [*(child for child in told if not child["verdict"].startswith("holds")), *told][:1]
        return str(first[0]["headline"]) if first else ""
    return _of_readings([(ids.suffix(child["id"])[1:-1], child["verdict"]) for child in readings])


def _of_readings(readings: Sequence[tuple[str, str]]) -> str:
    """``Holds read as 'a'; wrong read as 'b'``, or how many hold where that is too long."""
    groups: dict[str, list[str]] = {}
    for name, verdict in readings:
        groups.setdefault(verdict.split(",")[0].removesuffix(" as printed"), []).append(f"'{name}'")
    texts = [f"{verdict} read as {' and '.join(names)}" for verdict, names in groups.items()]
    text = "; ".join(texts)
    text = f"{text[:1].upper()}{text[1:]}"
    if not headline_problem(text):
        return text
    counts = ", ".join(f"{len(names)} {verdict}" for verdict, names in groups.items())
    return f"{len(readings)} readings: {counts}"


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
