"""Headlines say rows to a stranger; cards tell sharpened theorems; the graph of rows has no loose ends.

What scripts declare is laid over the kept evidence, so that a change of a script is seen before the evidence is renewed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

import pytest

from fltheory.evidence import ids
from fltheory.evidence.catalogue import Catalogue, find_scripts, load
from fltheory.evidence.ledger import build_ledger
from fltheory.evidence.model import Verdict
from fltheory.evidence.places import scripts_root
from fltheory.evidence.rows import declared, jsonable
from fltheory.evidence.sentences import (
    HEADLINE_LONGEST,
    headline_of,
    headline_of_sub_rows,
    headline_problem,
    of_sub_rows,
)
from fltheory.evidence.store import read_evidence
from fltheory.evidence.texts.cards import has_card, holding, render_cards, sharpened_id, statement_lines

FLAGGED = {Verdict.WRONG.value, Verdict.AMBIGUOUS.value, Verdict.NOT_REPRODUCED.value}
#: Rows about numbered results begin their place with the word.
NUMBERED = re.compile(r"(Theorem|Lemma|Proposition|Corollary)\b")
#: Signs that a line of a card has at most: wider displays break.
WIDEST = 145


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load(find_scripts())


@pytest.fixture(scope="module")
def ledger(catalogue: Catalogue) -> dict[str, dict[str, Any]]:
    kept = read_evidence(scripts_root())
    for row_id, claim in catalogue.claims.items():
        if row_id in kept:
            kept[row_id] |= jsonable(declared(claim, document=catalogue.scripts[row_id].document))
    return build_ledger(kept)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("The drift falls like 1/T squared", ""),
        ("", ""),
        ("x" * (HEADLINE_LONGEST + 1), "characters"),
        ("the bound 4 s^2 K^2 is loose", "no formula"),
        ("sigma_k is missing", "no formula"),
        ("E <= 1", "no formula"),
        ("eta**2 is meant", "no formula"),
        ("steps of sqrt(S)", "no formula"),
        ("two  spaces", "single spaces"),
        ("two\nlines", "single spaces"),
    ],
)
def test_what_a_headline_may_be(text: str, wrong: str) -> None:
    assert (wrong in headline_problem(text)) if wrong else headline_problem(text) == ""


def test_a_row_without_a_headline_falls_back_to_its_first_sentence_if_that_is_one() -> None:
    assert headline_of({"headline": "A", "summary": "B."}) == "A"
    assert headline_of({"headline": "", "summary": "A slip of the pen. More."}) == "A slip of the pen"
    assert headline_of({"summary": "The factor x^2 is lost."}) == ""


def test_rows_that_others_judge_have_the_headline_of_the_worst() -> None:
    parts = [{"headline": headline} for headline in ("A", "B", "")]
    assert headline_of_sub_rows(parts, parts[1]) == "B"
    assert headline_of_sub_rows(parts, parts[2]) == "A"
    assert headline_of_sub_rows(parts[2:], parts[2]) == ""


def test_a_long_sentence_of_the_worst_is_not_cut() -> None:
    children = [{"id": "LI-LEM3[a]", "verdict": "holds"}, {"id": "LI-LEM3[b]", "verdict": "wrong as printed"}]
    worst = {"id": "LI-LEM3[b]", "headline": "It fails", "summary": "word " * 60}
    assert of_sub_rows(children, worst).endswith("the weakest, LI-LEM3[b], says: It fails.")
    assert of_sub_rows(children, worst | {"summary": "Short. More."}).endswith("says: Short.")


def test_sharpened_flagged_and_numbered_rows_have_headlines_of_their_own(
    catalogue: Catalogue, ledger: dict[str, dict[str, Any]]
) -> None:
    assert not catalogue.broken
    wanted = [
        row_id
        for row_id, row in ledger.items()
        if sharpened_id(row_id)
        and row["verdict"].startswith("holds")
        or row["verdict"] in FLAGGED
        or NUMBERED.match(row.get("source", ""))
    ]
    assert len(wanted) > 350
    missing = [row_id for row_id in wanted if row_id in catalogue.claims and not catalogue.claims[row_id].headline]
    assert missing == []
    assert {row_id: row["headline"] for row_id, row in ledger.items() if headline_problem(row["headline"])} == {}
    assert [row_id for row_id in wanted if not ledger[row_id]["headline"]] == []


def test_sharpened_theorems_have_cards_of_two_lines(ledger: dict[str, dict[str, Any]]) -> None:
    cards = [row for row in holding(ledger) if has_card(row)]
    assert len(cards) >= 55
    text = render_cards(ledger)
    assert text.count("\n### ") == len(cards) == text.count("- Known elsewhere: ") == text.count("- Holds for: ")
    for row in cards:
        assert row["headline"] in text.replace("\\", ""), row["id"]
        lines = statement_lines(row)
        assert len(lines) <= 2 and max(map(width, lines)) <= WIDEST, row["id"]
    assert all(f"[{row['id']}]" in text or row["id"].count("[") for row in holding(ledger))


def edges(ledger: dict[str, dict[str, Any]]) -> dict[str, set[str]]:
    """From each row to those that it rests on, that judge it, that repair it, or that it sharpens."""
    found: dict[str, set[str]] = defaultdict(set)
    for row_id, row in ledger.items():
        for name in ("depends", "proof_steps", "derived_from", "bundles"):
            found[row_id].update(row.get(name, []))
        found[row_id].update(
            filter(None, [row.get("repair"), ids.parent(sharpened_id(row_id)) if sharpened_id(row_id) else ""])
        )
    return found


def loose_ends(ledger: dict[str, dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Numbered results without an edge, and rows that are named and do not exist."""
    found = edges(ledger)
    reached = {goal for goals in found.values() for goal in goals}
    numbered = [row_id for row_id, row in ledger.items() if NUMBERED.match(row.get("source", ""))]
    return [i for i in numbered if not found[i] and i not in reached], sorted(reached - set(ledger))


def test_no_numbered_result_stands_alone_and_every_edge_ends_at_a_row(ledger: dict[str, dict[str, Any]]) -> None:
    assert loose_ends(ledger) == ([], [])
    # Controls: a result that nothing names, and an edge to nowhere, are both found.
    alone = {**ledger["LEC-LEM1"], "id": "LEC-NEW", "depends": [], "proof_steps": [], "repair": ""}
    assert loose_ends({**ledger, "LEC-NEW": alone})[0] == ["LEC-NEW"]
    assert loose_ends({**ledger, "LEC-NEW": {**alone, "depends": ["NOWHERE"]}})[1] == ["NOWHERE"]


def width(latex: str) -> float:
    """About how many signs wide a formula is shown: of a fraction the longer side, of scripts a little more than half."""
    text = re.sub(r"\\(left|right|[Bb]igg?|q?quad)(?![A-Za-z])|\\[,;!]", "", latex)
    total, at = 0.0, 0
    while at < len(text):
        if text[at] in "^_":
            script, at = _argument(text, at + 1)
            total += 0.6 * width(script)
        elif text[at] == "\\":
            name = re.match(r"\\([A-Za-z]+|.)", text[at:])[1]
            at += len(name) + 1
            if name in ("frac", "tfrac"):
                upper, at = _argument(text, at)
                lower, at = _argument(text, at)
                total += max(width(upper), width(lower))
            elif name == "text":
                words, at = _argument(text, at)
                total += len(words)
            elif name not in ("mathbb", "mathcal", "bar", "tilde", "widetilde", "operatorname"):
                total += len(name) if name in ("log", "max", "min", "inf", "sup") else 1
        else:
            total += text[at] not in "{} &"
            at += 1
    return total


def _argument(text: str, at: int) -> tuple[str, int]:
    """The argument that begins at a place, and where it ends."""
    while text[at] == " ":
        at += 1
    if text[at] == "\\":
        name = re.match(r"\\([A-Za-z]+|.)", text[at:])[0]
        return name, at + len(name)
    if text[at] != "{":
        return text[at], at + 1
    depth = 0
    for end in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[at + 1 : end], end + 1
    raise ValueError(f"{text[at:]} does not end")
