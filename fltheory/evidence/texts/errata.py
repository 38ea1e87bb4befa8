"""What is wrong as printed, and what needs a hypothesis that is not: a line per row, by document and kind of fault.

The page has all of them; the front page has the gravest kinds.  Ids, words, kinds and links come from the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from fltheory.evidence import ids
from fltheory.evidence.model import Fault, Verdict
from fltheory.evidence.rows import Row
from fltheory.evidence.sentences import first_sentence, headline_of
from fltheory.evidence.texts.markdown import link, plain
from fltheory.evidence.texts.places import FOLDER, Places, title
from fltheory.evidence.texts.words import below, has_check, verdict_text

#: The page, relative to the root of a checkout.
ERRATA = FOLDER / "errata.md"
#: The kinds that the front page lists.
GRAVEST = (Fault.SUBSTANCE, Fault.HYPOTHESIS)
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
    """The front page's section: what is wrong of the gravest kinds, and how many others there are."""
    texts, others = [], 0
    for document in ids.documents():
        kinds = _lines(places, document, None)
        lists = [
            f"{HEADS[fault]}:\n\n" + "\n".join(kinds[fault.value]) + "\n" for fault in GRAVEST if fault.value in kinds
        ]
        others += sum(len(lines) for kind, lines in kinds.items() if kind not in {fault.value for fault in GRAVEST})
        if lists:
            texts += [f"### Errata: {plain(title(document))}\n", *lists]
    sheet = "\n".join(texts) if texts else "None found yet.\n"
    more = link(f"the whole list, with {others} slips and single readings", str(ERRATA))
    return (
        "## Errata\n\nWhat matters most: a corrected statement holds where nothing else is said. Here without "
        f"slips, readings and transcriptions; {more}.\n\n{sheet}"
    )


def render_errata_page(places: Places) -> str:
    """The text of the page of all errata."""
    texts = ["# Errata\n\nA corrected statement holds where nothing else is said.\n"]
    for document in ids.documents():
        kinds = _lines(places, document, ERRATA)
        if kinds:
            texts.append(f"## {plain(title(document))}\n")
            heads = [*((fault.value, head) for fault, head in HEADS.items()), ("", "Not sorted")]
            texts += [f"{head}:\n\n" + "\n".join(kinds[kind]) + "\n" for kind, head in heads if kind in kinds]
    return "\n".join(texts) if len(texts) > 1 else texts[0] + "\nNone found yet.\n"


def _lines(places: Places, document: str, on: PurePosixPath | None) -> dict[str, list[str]]:
    """The lines of a document's errata by kind of fault."""
    kinds: dict[str, list[str]] = {}
    for row in errata(places.ledger, document):
        kinds.setdefault(row.get("fault", ""), []).append(_line(row, places, on))
    return kinds


def _line(row: Row, places: Places, on: PurePosixPath | None) -> str:
    repair = places.ledger.get(row["repair"])
    fixed = f" Add: {plain(row['unprinted']['hypothesis'])}." if row.get("unprinted") else ""
    if repair:
        status = "" if repair["verdict"] == Verdict.HOLDS.value else f" ({verdict_text(repair)})"
        fixed = f" Corrected: {places.link(repair['id'], on=on)}{status}."
    text = headline_of(row) or first_sentence(row["summary"], _LONGEST)
    return f"- {places.link(row['id'], on=on)}, {plain(row['source'])}: {plain(text)}.{fixed}"
