"""Hypotheses that are not printed, analogues, kinds of fault: what they need, which word they earn, what of them is kept."""

from __future__ import annotations

from typing import Any

import pytest

from fltheory.evidence import ids
from fltheory.evidence.catalogue import find_scripts, load
from fltheory.evidence.ledger import build_ledger
from fltheory.evidence.model import Analogue, Control, Evidence, Kind, Outcome, Rung, Scope, Unprinted, claim
from fltheory.evidence.places import scripts_root
from fltheory.evidence.rows import row_of
from fltheory.evidence.texts.words import distance_text, instance_without
from fltheory.evidence.verdicts import gravest, standing_worst

DROPPED = Control("x may be negative", dict(positive=False))
ELSEWHERE = Analogue(model="a line", data="points", size="two", heterogeneity="none")


def check(positive: bool, rung: Rung = Rung.EXACT) -> Evidence:
    """x <= 2x."""
    outcome = Outcome.HOLDS if positive else Outcome.REFUTED
    return Evidence(
        Rung.PROOF if positive else rung, outcome, "by hand", 1, counterexample="" if positive else "x = -1: -1 > -2"
    )


def declared(**more: Any) -> Any:
    told: dict[str, Any] = dict(
        kind=Kind.INEQUALITY, scope=Scope.GENERAL, statement="x <= 2x", summary="Doubling raises."
    )
    return claim("OWN-1", **{**told, "controls": [DROPPED], "printed": dict(positive=True), **more})


def test_what_holds_with_a_hypothesis_and_is_broken_without_it_says_so() -> None:
    row = row_of(declared(unprinted=Unprinted("x > 0", DROPPED.name))(check), document="d")
    assert row["verdict"] == "holds, hypothesis not printed" and row["problems"] == []
    assert row["fault"] == "missing hypothesis" and instance_without(row) == "x = -1: -1 > -2"
    plain = row_of(declared()(check), document="d")
    assert plain["verdict"] == "holds" and "fault" not in plain and "unprinted" not in plain


def test_an_instance_that_was_only_sampled_does_not_earn_it() -> None:
    sampled = declared(unprinted=Unprinted("x > 0", DROPPED.name), printed=dict(positive=True, rung=Rung.SAMPLE))(check)
    row = row_of(sampled, document="d")
    assert row["verdict"] == "holds" and "no evaluated instance breaks it" in row["problems"][0]


def test_the_control_named_must_exist_and_fail() -> None:
    for control in ("another", "so"):
        controls = [DROPPED, Control("so", dict(positive=True), must="pass")]
        with pytest.raises(ValueError, match="no control that must fail"):
            declared(unprinted=Unprinted("x > 0", control), controls=controls)(check)
    with pytest.raises(ValueError, match="hypothesis=' ' of Unprinted"):
        Unprinted(" ", "x")
    with pytest.raises(ValueError, match="fault='typo' is no kind of fault"):
        declared(fault="typo")(check)


def test_an_experiment_run_elsewhere_is_an_analogue_and_tells_its_distance() -> None:
    def again(positive: bool) -> Evidence:
        return Evidence(Rung.RERUN, Outcome.HOLDS if positive else Outcome.NOT_REPRODUCED, "run again", 1)

    experiment = dict(kind=Kind.EXPERIMENT, scope=Scope.EXPERIMENT)
    row = row_of(declared(analogue=ELSEWHERE, **experiment)(again), document="d")
    assert row["verdict"] == "reproduced on an analogue" and row["problems"] == []
    assert distance_text(row) == "model: a line; data: points; size: two; heterogeneity: none"
    assert row_of(declared(**experiment)(again), document="d")["verdict"] == "holds"
    with pytest.raises(ValueError, match="heterogeneity='' of Analogue"):
        Analogue("a", "b", "c", "")
    with pytest.raises(ValueError, match="analogue is for experiments"):
        declared(analogue=ELSEWHERE)(check)


def test_a_fault_of_what_holds_is_a_problem() -> None:
    assert "was not refuted" in row_of(declared(fault="slip")(check), document="d")["problems"][0]


def test_a_parent_stands_as_its_worst_row_with_the_gravest_fault() -> None:
    rows = [{"id": "a", "verdict": "holds", "rung": "exact"}, {"id": "b", "verdict": "holds", "rung": "proof"}]
    assert standing_worst(rows)["id"] == "a"
    assert standing_worst([*rows, {"id": "c", "verdict": "holds, loose", "rung": "proof"}])["id"] == "c"
    assert gravest(["slip", "substance", ""]) == "substance" and gravest(["", ""]) == ""


CATALOGUE = load(find_scripts(scripts_root() / "verify"))


def test_the_ledger_takes_faults_and_hypotheses_over() -> None:
    unprinted = {"hypothesis": "x > 0", "control": "c"}
    told: dict[str, Any] = dict(
        schema=1, document="li2020", status="done", statement="s", summary="S.", source="", depends=[], proof_steps=[], repair="",
        outcome="holds", rung="proof", method="m", controls=[], would_settle="", tightness=None,
    )  # fmt: skip
    rows = {
        "LI-LEM2": {**told, "id": "LI-LEM2", "verdict": "holds, hypothesis not printed", "unprinted": unprinted},
        "LI-LEM3.1": {**told, "id": "LI-LEM3.1", "verdict": "wrong as printed", "outcome": "refuted", "fault": "slip"},
        "LI-LEM3.2": {**told, "id": "LI-LEM3.2", "verdict": "holds", "depends": ["LI-EQ13"]},
        "LI-EQ13": {**told, "id": "LI-EQ13", "verdict": "holds", "depends": ["LI-LEM2"]},
    }
    found = build_ledger(rows)
    assert found["LI-EQ13"]["verdict"] == "holds" and found["LI-LEM3.2"]["rests_on_unprinted"] == ["LI-LEM2"]
    assert found["LI-LEM3"]["fault"] == "slip" and found["LI-LEM3"]["decided_by"] == "LI-LEM3.1"
    assert "LI-LEM3.1, says: S." in found["LI-LEM3"]["summary"] and found["LI-LEM3"]["rung"] == "proof"


def test_words_are_used_by_one_rule_in_all_scripts() -> None:
    assert CATALOGUE.broken == {}
    claims = CATALOGUE.claims
    wrong = [row for row, made in claims.items() if made.repair and not made.fault]
    assert wrong == [], "a row with a repair is refuted, and names the kind of fault"
    assert [row for row, made in claims.items() if made.fault and not made.repair] == []
    # What can be rerun as it is printed; every other rerun says how far it is from the print.
    as_printed = {"LI-FIG2.1", "LI-FIG2.2[t counts local steps]", "LI-FIG2.2[t counts rounds]", "LI-SYN.1", "LI-SYN.2"}
    as_printed |= {"LI-MNIST.1", "LI-MNIST.2"}
    experiments = {row for row, made in claims.items() if made.scope is Scope.EXPERIMENT and made.analogue is None}
    unavailable = {row for row in experiments if _would_settle(row)}
    assert experiments - unavailable <= as_printed


def _would_settle(row: str) -> bool:
    """Whether a claim on an experiment found, without a run of minutes, that it cannot be checked here."""
    return CATALOGUE.claims[row].run().outcome is Outcome.NOT_CHECKABLE


def test_limits_of_a_use_are_true_statements_that_judge_no_claim() -> None:
    limits = [row for row in CATALOGUE.claims if "-U" in ids.suffix(row)]
    assert limits and not any(ids.judges_parent(row) or CATALOGUE.claims[row].fault for row in limits)
    named = (scripts_root() / "docs" / "verdicts.md").read_text(encoding="utf-8")
    for row in ("LI-LEM2", "LI-THM4", "MX-C2-DIV-U1", "LEC-P7[as dumped]", "LI-THM5.3", "MX-EXP-LM.6"):
        assert f"`{row}`" in named and (row in CATALOGUE.claims or row in ids.index())
