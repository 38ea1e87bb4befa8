"""Which claims are listed as loose or sharpened, on ledgers of three rows."""

from __future__ import annotations

from typing import Any

import pytest

from fltheory.evidence.texts.sharpened import _loosest, factor, is_sharpened, sharpened

LOOSE = {"ratio": 2.0, "rung": "proof", "sharp": "1/2"}


def row(row_id: str, **more: Any) -> dict[str, Any]:
    return {"id": row_id, "tightness": None, "summary": row_id, **more}


def listed(*rows: dict[str, Any]) -> list[tuple[str, list[str]]]:
    return [(one["id"], [other["id"] for other in after]) for one, after in sharpened({one["id"]: one for one in rows})]


def test_factors_are_one_where_nothing_is_known() -> None:
    assert factor(row("LI-T1")) == 1 and factor(row("LI-T1", tightness=LOOSE)) == 2 and factor({"id": "LI-T1"}) == 1


@pytest.mark.parametrize(("row_id", "expected"), [("LI-T1-S1", True), ("LI-T1", False), ("LI-T1-R1", False)])
def test_sharpened_rows_are_known_by_their_id(row_id: str, expected: bool) -> None:
    assert is_sharpened(row_id) is expected


def test_loose_claims_and_those_with_sharper_rows_are_listed() -> None:
    assert listed(row("LI-T1"), row("LI-T2", tightness=LOOSE)) == [("LI-T2", [])]
    assert listed(row("LI-T1"), row("LI-T1-S1"), row("LI-T1-S2"), row("LI-T2")) == [("LI-T1", ["LI-T1-S1", "LI-T1-S2"])]
    assert listed(row("LI-T1", tightness={**LOOSE, "ratio": 1 + 1e-12})) == []
    assert listed(row("LI-T1"), row("LI-T1-S1", tightness=LOOSE)) == [("LI-T1", ["LI-T1-S1"])]  # once, before and after


def test_a_claim_that_is_judged_by_its_parts_is_named_once() -> None:
    """The factor that a claim has taken over from a part is not said again of the part; another factor is."""
    above = row("LI-T1", tightness=LOOSE)
    assert listed(above, row("LI-T1.1", tightness=LOOSE)) == [("LI-T1", [])]
    assert listed(above, row("LI-T1.1", tightness={**LOOSE, "ratio": 3.0})) == [("LI-T1", []), ("LI-T1.1", [])]


def test_the_words_come_from_the_part_whose_looseness_was_taken_over() -> None:
    """Down through rows that only collect others: to the part with the same factor, not to one with another or none."""
    above = row("LI-T1", tightness=LOOSE, derived_from=["LI-T1.1", "LI-T1.2", "LI-T1.3"])
    middle = row("LI-T1.3", tightness=LOOSE, bundles=["LI-T1.3[a]"])
    other = row("LI-T1.2", tightness={**LOOSE, "ratio": 5.0})
    rows = (above, row("LI-T1.1"), other, middle, row("LI-T1.3[a]", tightness=dict(LOOSE)))
    ledger = {one["id"]: one for one in rows}
    assert _loosest(above, ledger)["id"] == "LI-T1.3[a]"
    assert _loosest(other, ledger)["id"] == "LI-T1.2"
    tight = row(
        "LI-T2", derived_from=["LI-T1.1", "LI-T9"]
    )  # nothing known above, nor below, nor of a row that is not there
    assert _loosest(tight, ledger)["id"] == "LI-T2"
