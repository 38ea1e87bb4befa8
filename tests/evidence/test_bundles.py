"""Bundles: a whole is as good as its worst part, follows its parts, and never holds without one of them."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from fltheory.evidence.bundles import Bundle, bundle
from fltheory.evidence.ledger import build_ledger
from fltheory.evidence.model import Kind, Outcome, Verdict
from fltheory.evidence.rows import declared, link_problems, row_of
from fltheory.evidence.runner import judge
from fltheory.evidence.texts.errata import errata
from fltheory.evidence.texts.pages import render_pages
from fltheory.evidence.verdicts import conjunction

PARTS = {"first": "LI-LEM1", "second": "LI-LEM2"}


def whole(**changes: Any) -> Bundle:
    fields: dict[str, Any] = dict(
        pieces=("first", "second"),
        parts=PARTS,
        kind=Kind.ASYMPTOTIC,
        statement="a",
        summary="both",
        source="Theorem 1",
        proof_steps=("LI-LEM3",),
    )
    return bundle("LI-THM1", **{**fields, **changes})


def row(row_id: str, verdict: str = "holds", **more: Any) -> dict[str, Any]:
    return {
        **dict(
            schema=1,
            id=row_id,
            document="li2020",
            kind="identity",
            scope="general",
            status="done",
            statement="",
            summary="",
            source="",
            assumptions=[],
            depends=[],
            proof_steps=[],
            repair="",
            quick=True,
            outcome="holds",
            verdict=verdict,
            rung="proof",
            method="m",
            examined=1,
            margin=None,
            numbers={},
            valid_for="",
            counterexample="",
            tightness=None,
            would_settle="",
            seeds=[],
            controls=[],
        ),
        **more,
    }


def ledger(*rows: dict[str, Any], made: Bundle | None = None) -> dict[str, dict[str, Any]]:
    every = [row_of(made or whole(), document="li2020"), *rows]
    return build_ledger({entry["id"]: entry for entry in every})


def test_a_conjunction_is_as_good_as_its_worst_part() -> None:
    order = [
        "wrong as printed",
        "not reproduced",
        "open",
        "not checkable here",
        "ambiguous",
        "not refuted",
        "reproduced on an analogue",
        "holds, hypothesis not printed",
        "holds, up to x loose (searched)",
        "holds, loose",
        "holds",
    ]
    for first, second in itertools.product(order, repeat=2):
        built = ledger(row("LI-LEM1", first), row("LI-LEM2", second))["LI-THM1"]
        assert built["verdict"] == min(first, second, key=order.index)
        assert built["part_verdicts"] == {"LI-LEM1": first, "LI-LEM2": second} and built["rung"] == "proof"
        assert built["decided_by"] == ("LI-LEM1" if order.index(first) <= order.index(second) else "LI-LEM2")


def test_a_missing_part_never_holds() -> None:
    alone = ledger(row("LI-LEM1"))["LI-THM1"]
    assert alone["verdict"] == "open"
    assert ledger(row("LI-LEM1", "wrong as printed"))["LI-THM1"]["verdict"] == "wrong as printed"
    made = whole(parts={"first": "LI-LEM1", "second": "LI-LEM2.7"})
    assert ledger(row("LI-LEM1"), made=made)["LI-THM1"]["verdict"] == "open"
    assert "LI-LEM2.7" in ledger(row("LI-LEM1"), made=made)["LI-THM1"]["would_settle"]
    with pytest.raises(ValueError, match="parts is empty"):
        conjunction([], {})


def test_parts_may_be_claims_with_readings_and_rows_with_premises() -> None:
    readings = [row("LI-LEM2[a]"), row("LI-LEM2[b]", "wrong as printed")]
    assert ledger(row("LI-LEM1"), *readings)["LI-THM1"]["verdict"] == "ambiguous"
    resting = row("LI-LEM1", depends=["LI-LEM3"])
    assert ledger(resting, row("LI-LEM2"))["LI-THM1"]["verdict"] == "not refuted"
    assert ledger(resting, row("LI-LEM2"), row("LI-LEM3"))["LI-THM1"]["verdict"] == "holds"


def test_what_rests_on_a_bundle_holds_with_its_parts() -> None:
    resting = row("LI-THM2", depends=["LI-THM1"])
    assert ledger(resting, row("LI-LEM1"), row("LI-LEM2"))["LI-THM2"]["verdict"] == "holds"
    assert ledger(resting, row("LI-LEM1"), row("LI-LEM2", "not refuted"))["LI-THM2"]["verdict"] == "not refuted"


def test_bundles_of_each_other_are_open_and_bundles_of_bundles_are_not() -> None:
    def other(parts: dict[str, str]) -> dict[str, Any]:
        made = bundle("LI-THM2", pieces=(), parts=parts, kind=Kind.ASYMPTOTIC, statement="", summary="s", source="")
        return row_of(made, document="li2020")

    around = ledger(
        other({"a": "LI-THM1", "b": "LI-LEM3"}),
        row("LI-LEM1"),
        row("LI-LEM3"),
        made=whole(parts={"first": "LI-LEM1", "second": "LI-THM2"}),
    )
    assert {around["LI-THM1"]["verdict"], around["LI-THM2"]["verdict"]} == {"open"}
    nested = ledger(other({"a": "LI-THM1", "b": "LI-LEM1"}), row("LI-LEM1"), row("LI-LEM2"))
    assert nested["LI-THM2"]["verdict"] == nested["LI-THM1"]["verdict"] == "holds"


def test_the_proof_is_judged_apart() -> None:
    built = ledger(row("LI-LEM1"), row("LI-LEM2"), row("LI-LEM3", "wrong as printed"))["LI-THM1"]
    assert (built["verdict"], built["proof_verdict"]) == ("holds", "wrong as printed")


def test_its_own_check_and_its_controls() -> None:
    found = row_of(whole(), document="li2020")
    assert found["status"] == "done" and found["problems"] == [] and found["bundles"] == ["LI-LEM1", "LI-LEM2"]
    assert (found["verdict"], found["outcome"], found["rung"]) == ("open", "holds", "reading")
    assert len(found["controls"]) == 3 and all(control["satisfied"] for control in found["controls"])
    left_out = whole(parts={"first": "LI-LEM1", "other": "LI-LEM2"})
    assert left_out.run().outcome is Outcome.REFUTED and "'second'" in left_out.run().counterexample
    assert ledger(row("LI-LEM1"), row("LI-LEM2"), made=left_out)["LI-THM1"]["verdict"] == "open"
    with pytest.raises(ValueError, match="at least two rows"):
        whole(parts={"first": "LI-THM1", "second": "LI-LEM1"})


def test_references_and_runs() -> None:
    made = declared(whole(), document="li2020")
    assert link_problems(made, {"LI-LEM1", "LI-LEM3"}) == ["bundles names LI-LEM2, which is no row"]
    kept = ledger(row("LI-LEM1"), row("LI-LEM2", "ambiguous"))
    known = ["LI-LEM1", "LI-LEM2", "LI-LEM3"]
    done = judge(row_of(whole(), document="li2020"), expected=kept, known=known, structure={})
    assert done["verdict"] == Verdict.AMBIGUOUS.value and done["problems"] == []


def test_the_report_names_the_parts_and_keeps_bundles_out_of_the_errata() -> None:
    kept = ledger(row("LI-LEM1"), row("LI-LEM2", "wrong as printed", repair="LI-LEM2-R1"), row("LI-LEM2-R1"))
    assert [found["id"] for found in errata(kept, "li2020")] == ["LI-LEM2"]
    pages = "\n".join(render_pages(kept).values())
    assert "It follows from its parts: [LI-LEM1](appendix-a.md#li-lem1) holds, " in pages
    assert "[LI-LEM2](appendix-a.md#li-lem2) wrong as printed." in pages
