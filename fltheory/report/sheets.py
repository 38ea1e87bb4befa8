"""The pages that are there without a script: the first page, and the errata sheet of each document for its authors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape

from fltheory.evidence.model import Fault
from fltheory.evidence.rows import Row
from fltheory.evidence.sentences import headline_of
from fltheory.evidence.texts.errata import HEADS, errata
from fltheory.evidence.texts.places import title
from fltheory.evidence.texts.sharpened import is_sharpened
from fltheory.evidence.texts.words import instance_without
from fltheory.report.data import dependants

_LONG = 260


def claim_link(row_id: str) -> str:
    """A link to a claim's section in the page."""
    return f'<a data-claim="{escape(row_id)}" href="#claim={escape(row_id)}">{escape(row_id)}</a>'


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else text[: _LONG - 1].rsplit(" ", 1)[0] + " …"


def _entry(row: Row, ledger: Mapping[str, Row], users: Sequence[str]) -> str:
    witness = row.get("counterexample") or instance_without(row)
    repair = ledger.get(row.get("repair", ""))
    parts = [
        f"<b>{claim_link(row['id'])}</b> {escape(row.get('source', ''))}. {escape(headline_of(row) or row['summary'])}."
    ]
    if witness:
        parts.append(f'<span class="witness">Counterexample: {escape(_cut(witness))}</span>')
    if row.get("unprinted"):
        parts.append(f'<span class="fix">Add: {escape(row["unprinted"]["hypothesis"])}.</span>')
    if repair:
        told = f"Corrected ({escape(repair['verdict'])}): {claim_link(repair['id'])} {escape(repair['headline'])}."
        parts.append(f'<span class="fix">{told}</span>')
    if users:
        more = f" and {len(users) - 5} more" if len(users) > 5 else ""
        listed = ", ".join(claim_link(name) for name in users[:5])
        parts.append(f'<span class="users">Affects: {listed}{more}.</span>')
    return f"<li>{' '.join(parts)}</li>"


def sheet(document: str, ledger: Mapping[str, Row]) -> str:
    """The errata sheet of a document: errors of substance, missing hypotheses, slips; the rest is counted."""
    flagged = errata(ledger, document)
    users = dependants(ledger)
    text = ""
    for fault in (Fault.SUBSTANCE, Fault.HYPOTHESIS, Fault.SLIP):
        rows = [row for row in flagged if row.get("fault") == fault.value]
        if rows:
            items = "".join(_entry(row, ledger, users[row["id"]]) for row in rows)
            text += f'<h3>{escape(HEADS[fault])} ({len(rows)})</h3><ul class="{fault.value.split()[0]}">{items}</ul>'
    plain = [row for row in flagged if not row.get("fault")]
    if plain:
        items = "".join(_entry(row, ledger, users[row["id"]]) for row in plain)
        text += f"<h3>Refuted ({len(plain)})</h3><ul>{items}</ul>"
    rest = sum(row.get("fault", "") not in ("", "substance", "missing hypothesis", "slip") for row in flagged)
    said = "1 further row is" if rest == 1 else f"{rest} further rows are"
    text += (
        f"<p>{said} wrong in one reading only, or in our transcription; the list of claims has them.</p>"
        if rest
        else ""
    )
    text = text or "<p>Nothing found.</p>"
    return (
        f'<section class="sheet" id="errata-{document}" hidden><h2>Errata: {escape(title(document))}</h2>'
        f'<p class="screen"><button type="button" class="print">Print this sheet</button></p>{text}</section>'
    )


def overview(documents: Sequence[str], ledger: Mapping[str, Row]) -> str:
    """The first page: counts per document, what is wrong and matters, what was sharpened."""
    rows = [row for row in ledger.values() if row["document"] in documents]
    count = Counter(row["verdict"] for row in rows)
    lines, wrong = "", ""
    for document in documents:
        own = [row for row in rows if row["document"] == document]
        flagged = Counter(row.get("fault", "") for row in errata(ledger, document))
        sharper = sum(is_sharpened(row["id"]) and row["verdict"] == "holds" for row in own)
        cells = [len(own), flagged["substance"], flagged["missing hypothesis"], flagged["slip"], sharper]
        name = f'<a data-sheet="{document}" href="#sheet={document}">{escape(title(document))}</a>'
        lines += f"<tr><th scope=row>{name}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        grave = [row for row in errata(ledger, document) if row.get("fault") == "substance"]
        if grave:
            items = "".join(f"<li>{claim_link(row['id'])} {escape(headline_of(row))}</li>" for row in grave)
            wrong += f"<h3>{escape(title(document))}</h3><ul>{items}</ul>"
    heads = ["Document", "rows", "wrong, of substance", "hypothesis missing", "slips", "sharpened, holds"]
    verdicts = "".join(
        f'<li><a data-verdict="{escape(name)}" href="#verdict={escape(name)}">{escape(name)}</a> {number}</li>'
        for name, number in count.most_common()
    )
    of = f"{len(documents)} document{'s' if len(documents) != 1 else ''}"
    return (
        f'<section id="overview"><h2>What was found</h2><p>{len(rows)} rows about statements of {of}: '
        "each says what is claimed, whether it holds, and what a reader can run to see it.</p>"
        f'<ul class="counts">{verdicts}</ul><div class="wide" tabindex="0" role="region" aria-label="Counts per document">'
        f"<table><thead><tr>{''.join(f'<th scope=col>{h}</th>' for h in heads)}</tr></thead><tbody>{lines}</tbody></table></div>"
        f"<h2>Wrong as printed, and it matters</h2>{wrong or '<p>Nothing found.</p>'}</section>"
    )
