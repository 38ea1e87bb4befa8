"""The fifteen findings that matter most.

Three sources, in this order: a short list by hand (``findings.tsv``: a row's id and why it was chosen, nothing else);
theorems whose printed proof has a false step, by a rule; and theorems, lemmas, propositions and corollaries that are
loose by the largest factor, by a rule, until there are fifteen.  What is said of each comes from its row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from fltheory.evidence import ids
from fltheory.evidence.model import Verdict
from fltheory.evidence.rows import Row
from fltheory.evidence.texts.markdown import plain
from fltheory.evidence.texts.places import Places, title
from fltheory.evidence.texts.sharpened import factor, is_sharpened
from fltheory.evidence.texts.words import below, verdict_text

HOW_MANY = 15
_NAMED = re.compile(r"(Theorem|Lemma|Proposition|Corollary)\b")


@cache
def by_hand() -> Mapping[str, str]:
    """Rows chosen by hand, with the reason."""
    lines = (ids.DATA / "findings.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return dict(line.split("\t") for line in lines if line)


def _by_rule(ledger: Mapping[str, Row]) -> Iterator[tuple[Row, str]]:
    printed = [row for row in ledger.values() if _NAMED.match(row.get("source", "")) and not is_sharpened(row["id"])]
    for row in printed:
        if row["source"].startswith("Theorem") and row["proof_verdict"] == Verdict.WRONG.value:
            yield row, "A theorem whose printed proof has a false step."
    for row in sorted(printed, key=factor, reverse=True):
        if factor(row) > 1 + 1e-9 and not below(row):
            yield row, "Among the theorems and lemmas with the loosest constants."


def findings(ledger: Mapping[str, Row]) -> list[tuple[Row, str]]:
    """The rows of the findings with the reason for each, in the order of the ledger; at most one row of a claim."""
    chosen = {ids.base(row_id): (ledger[row_id], why) for row_id, why in by_hand().items() if row_id in ledger}
    for row, why in _by_rule(ledger):
        if len(chosen) < HOW_MANY:
            chosen.setdefault(ids.base(row["id"]), (row, why))
    order = {row_id: number for number, row_id in enumerate(ledger)}
    return sorted(chosen.values(), key=lambda pair: order[pair[0]["id"]])


def render_findings(places: Places) -> str:
    """The section of findings."""
    texts = [_finding(number, row, why, places) for number, (row, why) in enumerate(findings(places.ledger), start=1)]
    return "## The fifteen findings that matter most\n\n" + ("\n".join(texts) if texts else "None yet.\n")


def _finding(number: int, row: Row, why: str, places: Places) -> str:
    ledger = places.ledger
    of = f"{plain(title(row['document']).partition(',')[0])}; {plain(row.get('source', ''))}"
    text = f"{number}. **{places.link(row['id'])}** ({of}):"
    claim = ledger[ids.base(row["id"])]
    whole = f" in this reading (the claim: {verdict_text(claim)})" if ids.is_reading(row["id"]) else ""
    text += f" **{plain(verdict_text(row))}**{whole}. {plain(row['summary'])}"
    if row["verdict"] == Verdict.WRONG.value:
        text += f" *Counterexample:* {plain(row['counterexample'])}."
        repair = ledger.get(row["repair"])
        if repair:
            text += f" *Should read:* {places.link(repair['id'])} ({verdict_text(repair)}), {plain(repair['summary'])}"
    wrong = [step for step in row["proof_steps"] if ledger.get(step, {}).get("verdict") == Verdict.WRONG.value]
    if wrong:
        text += f" *False steps of the printed proof:* {places.links(wrong)}."
    if row.get("tightness") and factor(row) > 1 + 1e-9:
        text += f" *Sharp:* {plain(row['tightness']['sharp'])}."
    return f"{text} *Why it is here:* {plain(why)}\n"
