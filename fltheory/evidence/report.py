"""``paper_checks.md``: the ledger for readers.

Counts by document, verdict and rung; an erratum sheet per document; then one table per document with every claim
and sub-row.  Everything comes from the ledger's rows, so the file changes only when a fact changes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fltheory.evidence import ids
from fltheory.evidence.model import Rung, Verdict
from fltheory.evidence.rows import Row

TITLES = {
    "li2020": "Li et al. (2020), On the Convergence of FedAvg on Non-IID Data",
    "lecture2022": "Lecture note (2022) on federated averaging",
    "mixed2022": "Mixed federated and centralised learning (2022)",
    "fedlama2021": "FedLAMA (2021)",
    "elastic2023": "Elastic aggregation (2023)",
}

_OPENING = """# Paper checks

One row per claim of the documents; rows `ID[reading]` are readings, `ID.1` parts, `ID-R1` repaired and `ID-S1`
sharpened statements. This file is written by `fltheory verify --write` from the kept evidence; `fltheory verify ID`
reproduces a row, `fltheory show ID` prints all that is known about it. A theorem whose parts have rows of their own
(`All of: ...`) is as good as the worst of them; its printed proof is judged apart.

| verdict | meaning |
|---|---|
| holds | a general statement with a proof or certified worst case; one about named instances evaluated exactly |
| holds, loose by x | the same, and a constant smaller by the factor x holds too |
| holds, up to x loose (searched) | the same, where the smaller constant was only searched for |
| not refuted | evaluated, searched or sampled; neither proved nor broken |
| wrong as printed | there is a counterexample; the corrected statement has a row of its own |
| ambiguous | readings of the print differ in verdict |
| not reproduced, not checkable here | needs what cannot be had here; the row says what would settle it |
| open | not treated yet |
"""


def _cell(text: str) -> str:
    """Text that cannot break a table: one line, no bare bar, no bare angle bracket outside formulas."""
    return re.sub(r"\s+", " ", text).strip().replace("\\|", r"\Vert ").replace("|", r"\|")


def _formula(latex: str) -> str:
    """A formula in a table cell: a bar becomes a command, since a bar would end the cell."""
    one_line = re.sub(r"\s+", " ", latex).strip().strip("$").strip()
    if not one_line:
        return ""
    safe = one_line.replace("\\|", r"\Vert ").replace("|", r"\vert ").replace("`", "'")
    return f"${safe}$" if "$" not in safe else _cell(latex)


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def verdict_text(row: Mapping[str, Any]) -> str:
    """The verdict with the factor by which a bound is loose."""
    tight = row.get("tightness")
    if row["verdict"] == Verdict.LOOSE.value and tight:
        return f"holds, loose by {_short(tight['ratio'])}"
    if row["verdict"] == Verdict.LOOSE_SEARCHED.value and tight:
        return f"holds, up to {_short(tight['ratio'])} loose (searched)"
    return str(row["verdict"])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cells) + " |" for cells in rows]
    return "\n".join(lines) + "\n"


def _counts(ledger: Mapping[str, Row]) -> str:
    claims = [ledger[claim] for claim in ids.index()]
    present = ids.documents()
    verdicts = Counter((row["document"], row["verdict"]) for row in claims)
    rows = [
        [
            document,
            *(str(verdicts[document, verdict.value]) for verdict in Verdict),
            str(sum(row["document"] == document for row in claims)),
        ]
        for document in present
    ]
    every = Counter(row["verdict"] for row in claims)
    rows.append(["all", *(str(every[verdict.value]) for verdict in Verdict), str(len(claims))])
    by_claim = _table(["document", *(verdict.value for verdict in Verdict), "claims"], rows)
    checks = [row for row in ledger.values() if row.get("rung")]
    rungs = Counter((row["document"], row["rung"]) for row in checks)
    rows = [
        [
            document,
            *(str(rungs[document, rung.value]) for rung in Rung),
            str(sum(row["document"] == document for row in checks)),
        ]
        for document in present
    ]
    total = Counter(row["rung"] for row in checks)
    rows.append(["all", *(str(total[rung.value]) for rung in Rung), str(len(checks))])
    by_rung = _table(["document", *(rung.value for rung in Rung), "rows"], rows)
    return f"## Counts\n\nClaims by verdict:\n\n{by_claim}\nRows with a check of their own by rung:\n\n{by_rung}"


def errata(ledger: Mapping[str, Row], document: str) -> tuple[list[Row], list[Row]]:
    """Rows of a document that are wrong as printed: for every reading, and for one reading of an ambiguous print.

    Rows that only collect others are left out.
    """
    always: list[Row] = []
    sometimes: list[Row] = []
    for row in ledger.values():
        collects = row.get("derived_from") or row.get("bundles")
        if row["document"] == document and row["verdict"] == Verdict.WRONG.value and not collects:
            above, ambiguous = ids.parent(row["id"]), False
            while above is not None:
                ambiguous |= ids.is_reading(row["id"]) and ledger[above]["verdict"] == Verdict.AMBIGUOUS.value
                above = ids.parent(above)
            (sometimes if ambiguous else always).append(row)
    return always, sometimes


def _errata(ledger: Mapping[str, Row], document: str) -> str:
    always, sometimes = errata(ledger, document)
    head = ["id", "place", "printed", "counterexample", "should read"]
    text = f"### Errata: {TITLES.get(document, document)}\n\n"
    if always:
        text += _table(head, [_erratum(ledger, row) for row in always]) + "\n"
    if sometimes:
        text += "Wrong under the reading named, and not under every reading:\n\n"
        text += _table(head, [_erratum(ledger, row) for row in sometimes])
    return text.rstrip("\n") + "\n" if always or sometimes else ""


def _erratum(ledger: Mapping[str, Row], row: Row) -> list[str]:
    repair = ledger.get(row["repair"], {})
    repaired = f"`{row['repair']}` ({verdict_text(repair)}): {_what(repair)}" if repair else ""
    return [f"`{row['id']}`", _cell(row["source"]), _what(row), _cell(row["counterexample"]), repaired]


def _what(row: Mapping[str, Any]) -> str:
    summary, formula = _cell(row.get("summary", "")), _formula(row.get("statement", ""))
    if row.get("derived_from"):
        return "see " + ", ".join(f"`{child}`" for child in row["derived_from"])
    link = " " if summary.endswith((".", ":", ";")) else ": "
    text = f"{summary}{link}{formula}" if summary and formula else summary or formula
    parts = ", ".join(f"`{part}` ({verdict})" for part, verdict in row.get("part_verdicts", {}).items())
    return f"{text} All of: {parts}." if parts else text


def _tightness(row: Mapping[str, Any]) -> str:
    tight = row.get("tightness")
    if not tight:
        return ""
    ratio = tight["ratio"]
    words = "tight" if isinstance(ratio, float | int) and ratio <= 1 + 1e-9 else f"x{_short(ratio)}"
    return _cell(f"{words} ({tight['rung']})" + (f", sharp: {tight['sharp']}" if tight.get("sharp") else ""))


def _control(row: Mapping[str, Any]) -> str:
    texts = []
    for control in row.get("controls", []):
        margin = "" if control["margin"] is None else f", margin {_short(control['margin'])}"
        fate = control["outcome"] if control["must"] == "fail" else f"passes ({control['outcome']})"
        texts.append(f"{_cell(control['name'])}: {fate}{margin}")
    return "; ".join(texts)


def _document(ledger: Mapping[str, Row], document: str) -> str:
    head = ["id", "statement", "verdict", "printed proof", "rung", "tightness", "control", "to settle it", "reproduce"]
    cells = []
    for row in ledger.values():
        if row["document"] != document:
            continue
        reproduce = "" if row["verdict"] == Verdict.OPEN.value else f"`{command(row['id'])}`"
        cells.append(
            [
                f"`{row['id']}`",
                _what(row),
                verdict_text(row),
                row.get("proof_verdict", ""),
                row["rung"],
                _tightness(row),
                _control(row),
                _cell(row.get("would_settle", "")),
                reproduce,
            ]
        )
    return f"## {TITLES.get(document, document)}\n\n{_table(head, cells)}"


def command(row_id: str) -> str:
    """The command that reproduces a row, quoted where a shell needs it."""
    plain = re.fullmatch(r"[A-Za-z0-9_.,/-]+", row_id)
    return f"fltheory verify {row_id}" if plain else f'fltheory verify "{row_id}"'


def render_report(ledger: Mapping[str, Row]) -> str:
    """The whole text of ``paper_checks.md``."""
    present = ids.documents()
    sheets = [_errata(ledger, document) for document in present]
    erratum = "## Errata\n\n" + ("\n".join(sheet for sheet in sheets if sheet) or "None found yet.\n")
    tables = [_document(ledger, document) for document in present]
    return "\n".join([_OPENING, _counts(ledger), erratum, *tables])
