"""Ids, verdicts derived from readings, parts, premises and proof steps, and the report."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fltheory.evidence import ids
from fltheory.evidence.ledger import build_ledger, render_ledger, rounded, structure_problems, verdict_of_readings
from fltheory.evidence.ledger import worst as worst_of
from fltheory.evidence.model import Verdict
from fltheory.evidence.sentences import first_sentence


def row(row_id: str, verdict: str = "holds", **more: Any) -> dict[str, Any]:
    fields: dict[str, Any] = dict(
        schema=1,
        id=row_id,
        document=ids.index()[ids.base(row_id)],
        kind="identity",
        scope="general",
        status="done",
        statement="|a|",
        summary="a | b",
        source="Lemma",
        script="li2020/lemma_1.py",
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
        margin=1 / 3,
        numbers={},
        valid_for="",
        counterexample="x = 1",
        tightness=None,
        would_settle="",
        certificate=None,
        seeds=[],
        key="k",
        controls=[dict(name="c", must="fail", outcome="refuted", margin=-1.0, satisfied=True, detail="")],
    )
    return {**fields, **more}


def ledger(*rows: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return build_ledger({entry["id"]: entry for entry in rows})


def test_the_list_is_complete() -> None:
    assert len(ids.index()) == 612
    assert set(ids.documents()) == {"li2020", "lecture2022", "mixed2022", "fedlama2021", "elastic2023"}


@pytest.mark.parametrize(
    ("row_id", "claim"),
    [
        ("LI-D1..D3", "LI-D1..D3"),
        ("LI-D1..D3.2", "LI-D1..D3"),
        ("LI-L3PF1..5", "LI-L3PF1..5"),
        ("LI-TAB2-1..4.3", "LI-TAB2-1..4"),
        ("LEC-L1-5,6", "LEC-L1-5,6"),
        ("LI-FIG1B/3", "LI-FIG1B/3"),
        ("LI-FIG1B/3[digits]", "LI-FIG1B/3"),
        ("LI-LEM3-R1", "LI-LEM3"),
        ("LI-LEM3.1[as in A.3]-S2", "LI-LEM3"),
        ("LEC-ORG-S", "LEC-ORG-S"),
        ("LI-EQ1-SRC", "LI-EQ1-SRC"),
        ("MX-ALG-FP-PT / -1W / -2W", "MX-ALG-FP-PT / -1W / -2W"),
    ],
)
def test_rows_belong_to_claims(row_id: str, claim: str) -> None:
    assert ids.base(row_id) == claim


def test_every_listed_id_is_its_own_base() -> None:
    assert all(ids.base(claim) == claim for claim in ids.index())


@pytest.mark.parametrize(
    ("verdicts", "derived"),
    [
        (["holds", "holds"], "holds"),
        (["holds", "wrong as printed"], "ambiguous"),
        (["wrong as printed", "wrong as printed"], "wrong as printed"),
        (["holds", "not refuted"], "ambiguous"),
        (["holds", "holds, loose"], "holds, loose"),
        (["holds", "holds, hypothesis not printed"], "holds, hypothesis not printed"),
        (["reproduced on an analogue", "not reproduced"], "ambiguous"),
    ],
)
def test_readings(verdicts: list[str], derived: str) -> None:
    assert verdict_of_readings(verdicts).value == derived
    rows = [row(f"LI-LEM3[{number}]", verdict) for number, verdict in enumerate(verdicts)]
    parent = ledger(*rows)["LI-LEM3"]
    assert parent["verdict"] == derived
    assert (parent["would_settle"] != "") == (derived == "ambiguous")


def test_a_bundle_is_as_good_as_its_worst_part_and_variants_do_not_count() -> None:
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
    assert {verdict.value for verdict in Verdict} == set(order)
    for number, verdict in enumerate(order):
        assert worst_of(order[number:]).value == verdict
    parts = ledger(row("LI-D1..D3.1"), row("LI-D1..D3.2", "not refuted"), row("LI-D1..D3-R1", "wrong as printed"))
    assert parts["LI-D1..D3"]["verdict"] == "not refuted"
    nested = ledger(row("LI-D1..D3.1"), row("LI-D1..D3.2[a]"), row("LI-D1..D3.2[b]", "wrong as printed"))
    assert nested["LI-D1..D3.2"]["verdict"] == nested["LI-D1..D3"]["verdict"] == "ambiguous"


def test_a_variant_with_parts_is_as_good_as_its_worst_part_and_counts_for_nothing_above() -> None:
    parts = [row("LI-LEM3-S9.1"), row("LI-LEM3-S9.2", "not refuted"), row("LI-LEM3")]
    found = ledger(*parts)
    assert found["LI-LEM3-S9"]["verdict"] == "not refuted" and found["LI-LEM3"]["verdict"] == "holds"
    assert "LI-LEM3-S9" in structure_problems(["LI-LEM3-S9", "LI-LEM3-S9.1"])
    assert structure_problems(["LI-LEM3", "LI-LEM3-S9.1", "LI-LEM3-S9.2"]) == {}


def test_the_order_does_not_depend_on_that_of_the_rows() -> None:
    rows = ["LI-LEM3[eta = 0.06]", "LI-LEM3[eta = 0.6]", "LI-LEM3.10", "LI-LEM3.9"]
    assert (
        ids.in_order(rows) == ids.in_order(rows[::-1]) == sorted(rows, key=lambda x: (x[7] == "[", x != "LI-LEM3.9", x))
    )


def test_the_printed_proof_is_as_good_as_its_worst_step() -> None:
    steps = ("LI-IND1", "LI-IND2")
    theorem = row("LI-LEM3", proof_steps=list(steps))
    assert ledger(theorem)["LI-LEM3"]["proof_verdict"] == "open"
    both = ledger(theorem, row("LI-IND1"), row("LI-IND2", "wrong as printed"))
    assert both["LI-LEM3"]["proof_verdict"] == "wrong as printed"
    assert both["LI-LEM3"]["verdict"] == "holds"
    assert ledger(row("LI-LEM3"))["LI-LEM3"]["proof_verdict"] == ""


def test_a_row_holds_only_if_its_premises_do() -> None:
    resting = row("LI-THM1", depends=["LI-LEM1", "LI-LEM2"])
    alone = ledger(resting, row("LI-LEM1"))["LI-THM1"]
    assert (alone["verdict"], alone["found"]) == ("not refuted", "holds")
    assert "LI-LEM2" in alone["would_settle"] and "LI-LEM1," not in alone["would_settle"]
    assert ledger(resting, row("LI-LEM1"), row("LI-LEM2.1"), row("LI-LEM2.2"))["LI-THM1"]["verdict"] == "holds"
    circular = ledger(row("LI-LEM1", depends=["LI-LEM2"]), row("LI-LEM2", depends=["LI-LEM1"]), resting)
    assert {circular[name]["verdict"] for name in ("LI-LEM1", "LI-LEM2", "LI-THM1")} == {"not refuted"}


def test_structure() -> None:
    assert structure_problems(["LI-LEM3", "LI-LEM3-R1", "LI-LEM3-S1"]) == {}
    assert "LI-LEM3" in structure_problems(["LI-LEM3", "LI-LEM3[a]"])
    assert "LI-NOSUCH" in structure_problems(["LI-NOSUCH"])


def test_the_ledger_has_every_claim_and_no_passing_facts() -> None:
    built = ledger(row("LI-LEM3", seconds=3.25))
    assert [claim for claim in built if claim in ids.index()] == list(ids.index())
    assert list(built) == ids.in_order(built)
    kept = {entry["id"]: entry for entry in json.loads(render_ledger(built))["rows"]}
    assert kept == built
    assert not {"seconds", "key", "certificate", "status"} & set(kept["LI-LEM3"])
    assert kept["LI-LEM3"]["margin"] == 0.333333


def test_a_row_without_a_check_of_its_own_has_a_sentence_made_of_those_below_it() -> None:
    rows = [row("LI-LEM3[a]", summary="First. Second."), row("LI-LEM3[b]", "wrong as printed", summary="Other")]
    found = ledger(*rows)
    said = "Judged in 2 readings (1 holds, 1 wrong as printed); the weakest, LI-LEM3[b], says: Other."
    assert found["LI-LEM3"]["summary"] == said and found["LI-LEM3"]["decided_by"] == "LI-LEM3[b]"
    assert found["LI-LEM1"]["summary"] == "The claim is listed and has not been treated yet."
    nested = ledger(row("LI-D1..D3.1", summary="One."), row("LI-D1..D3.2[a]"), row("LI-D1..D3.2[b]"))
    assert nested["LI-D1..D3"]["summary"] == "Judged in 2 parts (all: holds); the weakest, LI-D1..D3.1, says: One."
    assert first_sentence("A long sentence of many words. Another", longest=20) == "A long sentence of ..."


def test_names_of_numbers_have_one_order_whatever_the_run_was() -> None:
    assert list(rounded({"b": 1.0, "a": {"d": 2.0, "c": 3.0}})) == ["a", "b"]
    assert list(rounded({"a": {"d": 2.0, "c": 3.0}})["a"]) == ["c", "d"]
