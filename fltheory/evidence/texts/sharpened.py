"""What was sharpened: the printed statement before, the sharper one after, and the factor between them where it is one number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fltheory.evidence import ids
from fltheory.evidence.rows import Row
from fltheory.evidence.sentences import first_sentence, headline_of
from fltheory.evidence.texts.markdown import plain, table
from fltheory.evidence.texts.places import FOLDER, Places, title
from fltheory.evidence.texts.words import below, short

#: The page, relative to the root of a checkout.
SHARPENED = FOLDER / "sharpened.md"
_SHARPENED = re.compile(r"-S\d+")
#: Texts of the table are cut beyond this many characters; the rows have them whole.
_LONGEST = 76
#: So many sharper rows of a claim are told in words, the others are links.
_IN_WORDS = 2


def is_sharpened(row_id: str) -> bool:
    """Whether a row is the sharpened statement of a claim."""
    return bool(_SHARPENED.fullmatch(ids.suffix(row_id)))


def factor(row: Row) -> float:
    """Printed constant / sharpest constant known; 1 where none is known."""
    tight = row.get("tightness")
    return float(tight["ratio"]) if tight else 1.0


def _loosest(row: Row, ledger: Mapping[str, Row]) -> Row:
    """The row whose looseness a row that only collects others has taken over; the row itself otherwise."""
    for name in below(row):
        if row.get("tightness") and ledger.get(name, {}).get("tightness") == row["tightness"]:
            return _loosest(ledger[name], ledger)
    return row


def sharpened(ledger: Mapping[str, Row]) -> Iterator[tuple[Row, list[Row]]]:
    """Claims that are loose or have sharper rows, with these; a claim that is judged by sub-rows is named once."""
    after: dict[str, list[Row]] = {}
    for row in ledger.values():
        if is_sharpened(row["id"]):
            after.setdefault(str(ids.parent(row["id"])), []).append(row)
    for row in ledger.values():
        above = ledger.get(str(ids.parent(row["id"])))
        loose = factor(row) > 1 + 1e-9 and (above is None or factor(above) != factor(row))
        if row["id"] in after or (loose and not is_sharpened(row["id"])):
            yield row, after.get(row["id"], [])


def render_sharpened(places: Places) -> str:
    """The page of sharpened statements."""
    texts = ["# What was sharpened: before and after\n"]
    found = list(sharpened(places.ledger))
    for document in ids.documents():
        rows = [_cells(before, after, places) for before, after in found if before["document"] == document]
        if rows:
            texts.append(f"## {plain(title(document))}\n")
            texts.append(table(["claim", "before: the print", "factor", "after"], rows))
    return "\n".join(texts)


def _cells(before: Row, after: list[Row], places: Places) -> list[str]:
    ratio = factor(before)
    told, others = after[:_IN_WORDS], after[_IN_WORDS:]
    news = [
        f"{places.link(row['id'], on=SHARPENED)}: {plain(headline_of(row) or first_sentence(row['summary'], _LONGEST))}"
        for row in told
    ]
    news += [places.links((row["id"] for row in others), on=SHARPENED)] if others else []
    if not news and before.get("tightness"):
        news = [plain(first_sentence(before["tightness"]["sharp"], _LONGEST))]
    return [
        places.link(before["id"], on=SHARPENED),
        plain(first_sentence(_loosest(before, places.ledger)["summary"], _LONGEST)),
        short(ratio) if ratio > 1 + 1e-9 else "",
        "<br>".join(news),
    ]
