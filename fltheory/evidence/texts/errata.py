"""What is wrong as printed, and what needs a hypothesis that is not: a line per row, by document and kind of fault.

Ids, words, kinds and links come from the rows.
"""

from __future__ import annotations

from collections.abc import Mapping

from fltheory.evidence import ids
from fltheory.evidence.model import Fault, Verdict
from fltheory.evidence.rows import Row
from fltheory.evidence.sentences import first_sentence, headline_of
from fltheory.evidence.texts.markdown import plain
from fltheory.evidence.texts.places import Places, title
from fltheory.evidence.texts.words import below, has_check, verdict_text

#: What is wrong is cut beyond this many characters where no headline says it; the rows have it whole.
_LONGEST = 115
_FLAGGED = (Verdict.WRONG.value, Verdict.UNPRINTED.value)
#: What each kind of fault is called above its list, gravest first.
HEADS: Mapping[Fault, str] = {
    Fault.SUBSTANCE: "Of substance: no small change of the words saves the statement or step",
    Fault.HYPOTHESIS: "A missing hypothesis: true under a condition that the print does not name",
    Fault.SLIP: "Slips: a sign, an index, a constant, a word; what follows does not suffer",
    Fault.READING: "Wrong under the reading named, and not under every reading",
    Fault.TRANSCRIPTION: "In our text of the document, as handwriting or a scan was transcribed; the original may read otherwise",
}


def errata(ledger: Mapping[str, Row], document: str) -> list[Row]:
    """Rows of a document that are flagged by a check of their own; rows that only collect others are left out."""
    rows = (row for row in ledger.values() if row["document"] == document and has_check(row) and not below(row))
    return [row for row in rows if row["verdict"] in _FLAGGED]


def render_errata(places: Places) -> str:
    """The section of errata."""
    texts = []
    for document in ids.documents():
        kinds: dict[str, list[str]] = {}
        for row in errata(places.ledger, document):
            kinds.setdefault(row.get("fault", ""), []).append(_line(row, places))
        if kinds:
            texts.append(f"### Errata: {plain(title(document))}\n")
            heads = [*((fault.value, head) for fault, head in HEADS.items()), ("", "Not sorted")]
            texts += [f"{head}:\n\n" + "\n".join(kinds[kind]) + "\n" for kind, head in heads if kind in kinds]
    sheet = "\n".join(texts) if texts else "None found yet.\n"
    return f"## Errata\n\nA corrected statement holds where nothing else is said.\n\n{sheet}"


def _line(row: Row, places: Places) -> str:
    repair = places.ledger.get(row["repair"])
    fixed = f" Add: {plain(row['unprinted']['hypothesis'])}." if row.get("unprinted") else ""
    if repair:
        status = "" if repair["verdict"] == Verdict.HOLDS.value else f" ({verdict_text(repair)})"
        fixed = f" Corrected: {places.link(repair['id'])}{status}."
    text = headline_of(row) or first_sentence(row["summary"], _LONGEST)
    return f"- {places.link(row['id'])}, {plain(row['source'])}: {plain(text)}.{fixed}"
