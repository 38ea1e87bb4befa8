"""What is wrong as printed: a line per row, by document and kind.

Ids, words and links come from the rows.  The kind of an erratum is what the rows know of it; whether it is one of
substance or a slip of the pen no field says, and nothing here guesses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from fltheory.evidence import ids
from fltheory.evidence.model import Scope, Verdict
from fltheory.evidence.rows import Row
from fltheory.evidence.sentences import first_sentence
from fltheory.evidence.texts.markdown import plain
from fltheory.evidence.texts.places import Places, title
from fltheory.evidence.texts.words import below, verdict_text

#: What is wrong is cut beyond this many characters; the rows have it whole.
_LONGEST = 120


class Erratum(Enum):
    """Kinds of errata, by what rows know, in the order in which they are listed."""

    STATEMENT = "Statements and displays"
    STEP = "Steps of printed proofs"
    CONDITION = (
        "The formula stands, its conditions do not: the corrected row has the same formula under other conditions"
    )
    TEXT = "Tables, definitions and references"
    READING = "Wrong under the reading named, and not under every reading"
    TRANSCRIPTION = "As handwriting was transcribed; the original may read otherwise"


def errata(ledger: Mapping[str, Row], document: str) -> tuple[list[Row], list[Row]]:
    """Rows of a document that are wrong as printed: for every reading, and for one reading of an ambiguous print.

    Rows that only collect others are left out.
    """
    always: list[Row] = []
    sometimes: list[Row] = []
    for row in ledger.values():
        if row["document"] == document and row["verdict"] == Verdict.WRONG.value and not below(row):
            above, ambiguous = ids.parent(row["id"]), False
            while above is not None:
                ambiguous |= ids.is_reading(row["id"]) and ledger[above]["verdict"] == Verdict.AMBIGUOUS.value
                above = ids.parent(above)
            (sometimes if ambiguous else always).append(row)
    return always, sometimes


def kind_of(row: Row, ledger: Mapping[str, Row], *, always: bool, steps: frozenset[str]) -> Erratum:
    """The kind of an erratum.

    Parameters
    ----------
    always : whether it is wrong under every reading.
    steps : ids of all rows that are steps of printed proofs.
    """
    repair = ledger.get(row["repair"])
    if ids.is_reading(row["id"]) and ids.suffix(row["id"]).endswith("as dumped]"):
        return Erratum.TRANSCRIPTION
    if row["scope"] == Scope.TEXT.value:
        return Erratum.TEXT
    if repair is not None and row["statement"] and repair["statement"] == row["statement"]:
        return Erratum.CONDITION
    if not always:
        return Erratum.READING
    return Erratum.STEP if row["id"] in steps or row["source"].startswith("proof") else Erratum.STATEMENT


def render_errata(places: Places) -> str:
    """The section of errata."""
    ledger = places.ledger
    steps = frozenset(step for row in ledger.values() for step in row["proof_steps"])
    texts = []
    for document in ids.documents():
        kinds: dict[Erratum, list[str]] = {}
        for always, rows in zip((True, False), errata(ledger, document), strict=True):
            for row in rows:
                kinds.setdefault(kind_of(row, ledger, always=always, steps=steps), []).append(_line(row, places))
        if kinds:
            texts.append(f"### Errata: {plain(title(document))}\n")
            texts += [f"{kind.value}:\n\n" + "\n".join(kinds[kind]) + "\n" for kind in Erratum if kind in kinds]
    sheet = "\n".join(texts) if texts else "None found yet.\n"
    return f"## Errata\n\nA corrected statement holds where nothing else is said.\n\n{sheet}"


def _line(row: Row, places: Places) -> str:
    repair = places.ledger.get(row["repair"])
    fixed = ""
    if repair:
        status = "" if repair["verdict"] == Verdict.HOLDS.value else f" ({verdict_text(repair)})"
        fixed = f" Corrected: {places.link(repair['id'])}{status}."
    text = first_sentence(row["summary"], _LONGEST)
    return f"- {places.link(row['id'])}, {plain(row['source'])}: {plain(text)}.{fixed}"
