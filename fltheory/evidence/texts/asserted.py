"""The page of all rows whose proof or counterexample is not kept in a form that is verified without its script."""

from __future__ import annotations

from fltheory.evidence import ids
from fltheory.evidence.model import Rung
from fltheory.evidence.rows import Row
from fltheory.evidence.texts.markdown import link, plain
from fltheory.evidence.texts.places import FOLDER, Places, title
from fltheory.evidence.texts.words import has_check, verdict_text

#: The page, relative to the root of a checkout.
ASSERTED = FOLDER / "asserted.md"
_OPENING = """# Asserted rows

The script of each of these rows computed a proof or a counterexample when it ran, and not all of it is kept in a form
that `fltheory verify --check` verifies without the script. A line says what is missing. Rows that only collect
others are left out.
"""


def asserted(places: Places) -> list[Row]:
    """The rows with a check of their own on the rung ``asserted``."""
    rows = (row for row in places.ledger.values() if row["rung"] == Rung.ASSERTED.value)
    return [row for row in rows if has_check(row) and not row.get("bundles")]


def render_asserted(places: Places) -> str:
    """The text of the page."""
    texts = [_OPENING]
    rows = asserted(places)
    for document in ids.documents():
        lines = [_line(row, places) for row in rows if row["document"] == document]
        if lines:
            texts.append(f"## {plain(title(document))}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(texts)


def _line(row: Row, places: Places) -> str:
    return f"- {places.link(row['id'], on=ASSERTED)} ({verdict_text(row)}): {plain(row.get('remark', ''))}"


def asserted_sentence(places: Places) -> str:
    """How many rows are asserted, with a link to their page; nothing where there are none."""
    number = len(asserted(places))
    return f"What is missing in each: {link(f'the {number} asserted rows', str(ASSERTED))}.\n" if number else ""
