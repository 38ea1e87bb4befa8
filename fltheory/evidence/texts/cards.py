"""``docs/theorems.md``: a card for each sharpened theorem, lemma, proposition or corollary, made from its row.

A card is for a stranger: a headline, the statement with its quantities named, for which parameters and under which
hypotheses it holds, how it compares with the printed one, the proof in a few lines, the instance that attains it, and what
is known elsewhere.  Sharpened statements of displays, and those at named parameters, are lines of a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from fltheory.evidence import ids
from fltheory.evidence.model import Rung, Scope
from fltheory.evidence.naming import WHERE
from fltheory.evidence.rows import Row
from fltheory.evidence.sentences import headline_of
from fltheory.evidence.texts.markdown import code, display, plain, table
from fltheory.evidence.texts.places import Places, title
from fltheory.evidence.texts.sharpened import factor, is_sharpened
from fltheory.evidence.texts.words import command, has_check, short, verdict_text
from fltheory.evidence.verdicts import HOLDING

#: Claims of the list that are numbered results, by their ids.
_NUMBERED = re.compile(r"(THM|LEM|PROP|COR)")
_HOLDING = {verdict.value for verdict in HOLDING}
_FOLDER = PurePosixPath("docs")

_OPENING = """# Sharpened theorems

Each card is a statement that is sharper, more general or weaker in its hypotheses than one printed in the documents, and
that is proved here for all parameters named on it (or, where it says so, certified over a function class). The printed
statement has a row of its own, to which the second link leads. Names after "where" abbreviate parts of the very expression
that is evaluated and proved. What is said about other publications is what we know of them; it is no survey.
Made from the rows of the ledger by `fltheory verify --write`; edit nothing by hand.
"""


def _chain(row_id: str) -> Iterator[str]:
    """A row and all rows above it."""
    above: str | None = row_id
    while above is not None:
        yield above
        above = ids.parent(above)


def sharpened_id(row_id: str) -> str:
    """The sharpened statement that a row is, or is a part of; empty for another row."""
    return next((name for name in _chain(row_id) if is_sharpened(name)), "")


def holding(ledger: Mapping[str, Row]) -> list[Row]:
    """Rows with a check of their own that are sharpened statements, or parts of one, and hold."""
    return [row for row in ledger.values() if has_check(row) and sharpened_id(row["id"]) and row["verdict"] in _HOLDING]


def has_card(row: Row) -> bool:
    """Whether a sharpened row is about a numbered result, and for all parameters of a range."""
    return bool(_NUMBERED.search(ids.base(row["id"]))) and row["scope"] == Scope.GENERAL.value


def _compared(row: Row, ledger: Mapping[str, Row]) -> str:
    """By which factor the printed statement is loose, and what is known to be sharper; empty where no factor is known."""
    printed = ledger[str(ids.parent(sharpened_id(row["id"])))]
    ratio = factor(printed)
    return f"it is loose by {short(ratio)}: {printed['tightness']['sharp']}" if ratio > 1 + 1e-9 else ""


def _attained(row: Row) -> str:
    tight = row["tightness"]
    if not tight:
        return ""
    return tight["sharp"] if factor(row) <= 1 + 1e-9 else f"{verdict_text(row)}: {tight['sharp']}"


def _items(row: Row, places: Places) -> Iterator[tuple[str, str]]:
    yield "What is new", plain(row["summary"])
    yield "The printed one", plain(_compared(row, places.ledger))
    yield "Holds for", plain(row["valid_for"])
    yield "Hypotheses", plain("; ".join(row["assumptions"]))
    rung = "" if row["rung"] == Rung.PROOF.value else f" ({row['rung']})"
    yield f"Proof{rung}", plain(row["method"])
    yield "Said beside the derivation", plain(row.get("beside", ""))
    yield "Rests on", places.links(row["depends"], on=_FOLDER / "theorems.md")
    yield "Attained", plain(_attained(row))
    yield "Known elsewhere", plain(row.get("elsewhere", ""))
    yield "Reproduce", code(command(row["id"]))


#: How a statement goes on that says what attains it.
ATTAINED = r";\quad\text{attained"


def statement_lines(row: Row) -> list[str]:
    """The statement, and the definitions of its names, or what attains it, on a line of their own."""
    main, _, names = row["statement"].partition(WHERE)
    if names:
        return [main, rf"\text{{where }} {names}"]
    main, _, attained = row["statement"].partition(ATTAINED)
    return [main, ATTAINED.removeprefix(r";\quad") + attained] if attained else [main]


def _card(row: Row, places: Places) -> str:
    printed = str(ids.parent(sharpened_id(row["id"])))
    on = _FOLDER / "theorems.md"
    head = f"### {plain(_said(row))}\n"
    words = f"The printed one: {places.link(printed, on=on)} ({plain(verdict_text(places.ledger[printed]))})."
    place = f"{places.link(row['id'], on=on)} ({plain(row['source'])}). {words}\n"
    shown = "\n".join(display(line) for line in statement_lines(row))
    items = "\n".join(f"- {name}: {text}" for name, text in _items(row, places) if text)
    return f"{head}\n{place}\n{shown}\n{items}\n"


def render_cards(ledger: Mapping[str, Row]) -> str:
    """The whole text of ``docs/theorems.md``."""
    places, rows = Places(ledger), holding(ledger)
    texts = [_OPENING]
    for document in ids.documents():
        cards = [_card(row, places) for row in rows if row["document"] == document and has_card(row)]
        texts += [f"## {plain(title(document))}\n", *cards] if cards else []
    others = [row for row in rows if not has_card(row)]
    if others:
        lines = [
            [places.link(row["id"], on=_FOLDER / "theorems.md"), plain(row["source"]), plain(_said(row))]
            for row in others
        ]
        texts += ["## Further sharpened statements\n", table(["row", "place", "what it says"], lines)]
    return "\n".join(texts)


def _said(row: Row) -> str:
    return headline_of(row) or str(row["summary"])
