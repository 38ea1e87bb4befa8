"""Rows in full: every field of a claim and of its evidence arrives in the row under its own name, and nothing else does."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from fltheory.evidence.bundles import Bundle
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.exact_search import search
from fltheory.evidence.model import Claim, Control, Evidence, Kind, Outcome, Rung, Scope, Tightness, claim
from fltheory.evidence.rows import jsonable, link_problems, row_of, unfinished
from fltheory.theory.steps import Instance, Step

FOUND = Evidence(
    Rung.WORST_CASE,
    Outcome.HOLDS,
    "added up",
    3,
    margin=Fraction(1, 4),
    numbers={"sum": Fraction(1, 3)},
    valid_for="all n",
    tightness=Tightness(2, Rung.EXACT, "1/2"),
    would_settle="more",
    certificate={"type": "identity"},
    seeds=(1, 2),
)


@claim(
    "OWN-1",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    statement="x < 2x",
    controls=[Control("not so", {"good": False}), Control("so", {"text": "other"}, must="pass")],
    printed={"good": True, "text": "one"},
    summary="doubling raises",
    assumptions=["x > 0"],
    depends=["OWN-2"],
    source="Lemma 1",
    proof_steps=["OWN-1a"],
    repair="OWN-1-R1",
    quick=False,
    headline="Doubling raises positive numbers",
    elsewhere="textbook",
    prose="that x is real is said in words",
)
def whole(good: bool, text: str) -> Evidence:
    return FOUND if good else replace(FOUND, outcome=Outcome.REFUTED, counterexample=f"x = -1, {text}", margin=-0.5)


def test_a_claim_is_what_was_declared() -> None:
    assert isinstance(whole, Claim)
    fields = {name: getattr(whole, name) for name in Claim.__dataclass_fields__ if name != "check"}
    assert fields == {
        "id": "OWN-1",
        "kind": Kind.INEQUALITY,
        "scope": Scope.GENERAL,
        "statement": "x < 2x",
        "controls": (Control("not so", {"good": False}), Control("so", {"text": "other"}, "pass")),
        "printed": {"good": True, "text": "one"},
        "summary": "doubling raises",
        "assumptions": ("x > 0",),
        "depends": ("OWN-2",),
        "source": "Lemma 1",
        "proof_steps": ("OWN-1a",),
        "repair": "OWN-1-R1",
        "quick": False,
        "fault": "",
        "unprinted": None,
        "analogue": None,
        "headline": "Doubling raises positive numbers",
        "elsewhere": "textbook",
        "about": (),
        "proves": (),
        "prose": "that x is real is said in words",
    }
    assert whole.check(True, "one") is FOUND


def test_a_row_holds_every_fact() -> None:
    row = row_of(whole, document="a document")
    assert 0 <= row.pop("seconds") < 60
    assert row == {
        "schema": 1,
        "id": "OWN-1",
        "document": "a document",
        "kind": "inequality on a function class",
        "scope": "general",
        "statement": "x < 2x",
        "summary": "doubling raises",
        "source": "Lemma 1",
        "assumptions": ["x > 0"],
        "depends": ["OWN-2"],
        "proof_steps": ["OWN-1a"],
        "repair": "OWN-1-R1",
        "quick": False,
        "headline": "Doubling raises positive numbers",
        "elsewhere": "textbook",
        "status": "done",
        "outcome": "holds",
        "verdict": "holds, loose",
        "rung": "worst case",
        "method": "added up",
        "examined": 3,
        "margin": "1/4",
        "numbers": {"sum": "1/3"},
        "states": [],
        "reads": [],
        "counterexample": "",
        "valid_for": "all n",
        "tightness": {"ratio": 2.0, "rung": "exact", "sharp": "1/2"},
        "would_settle": "more",
        "certificate": {"type": "identity"},
        "seeds": [1, 2],
        "controls": [
            {
                "name": "not so",
                "must": "fail",
                "outcome": "refuted",
                "margin": -0.5,
                "satisfied": True,
                "detail": "x = -1, one",
            },
            {"name": "so", "must": "pass", "outcome": "holds", "margin": "1/4", "satisfied": True, "detail": ""},
        ],
        "problems": [],
        "error": "",
        "data": [],
    }


def changed(check: Any, **more: Any) -> dict[str, Any]:
    return row_of(replace(whole, check=check, **more), document="d")


def test_what_breaks_a_rule_is_a_problem_of_the_row() -> None:
    assert changed(lambda good, text: FOUND)["problems"] == ["control 'not so' had to be refuted and came out as holds"]
    wrong = replace(FOUND, outcome=Outcome.REFUTED, counterexample="x = 0", margin=-1.0)
    said = changed(lambda good, text: wrong, repair="", controls=whole.controls[:1])["problems"]
    assert said == [
        "refuted as printed, but no repair names the row of the corrected statement",
        "refuted as printed, but no control shows that the repaired form passes the same check",
        "refuted as printed, but fault names none of substance, missing hypothesis, slip, reading, transcription",
    ]
    weak = replace(FOUND, rung=Rung.SEARCH, outcome=Outcome.NOT_REFUTED, would_settle=" ")
    row = changed(lambda good, text: weak if good else replace(wrong, rung=Rung.SEARCH))
    assert (
        row["verdict"] == "not refuted" and len(row["problems"]) == 1 and "would_settle is empty" in row["problems"][0]
    )
    assert not changed(lambda good, text: replace(weak if good else wrong, would_settle="time"))["problems"]


@pytest.mark.parametrize(
    ("outcome", "margin", "said"),
    [
        (Outcome.HOLDS, -0.5, ["as printed: holds, but its margin -0.5 is negative"]),
        (Outcome.HOLDS, 0.0, []),
        (Outcome.HOLDS, None, []),
        (Outcome.NOT_REFUTED, -0.5, []),
        (Outcome.REFUTED, 0.25, ["as printed: refuted, but its margin 0.25 is positive"]),
        (Outcome.REFUTED, 0.0, []),
    ],
)
def test_the_sign_of_a_margin_agrees_with_the_outcome(outcome: Outcome, margin: float | None, said: list[str]) -> None:
    evidence = replace(FOUND, outcome=outcome, margin=margin, counterexample="x = 0")
    fault = "slip" if outcome is Outcome.REFUTED else ""
    row = changed(lambda good, text: evidence if good and text == "one" else whole.check(good, text), fault=fault)
    assert row["problems"] == said


def test_checks_that_crash_and_answers_that_are_none() -> None:
    row = changed(lambda good, text: 1 / 0)
    assert row["status"] == "crash" and "ZeroDivisionError" in row["error"] and row["statement"] == "x < 2x"
    assert row["seconds"] >= 0 and row["problems"] == [row["error"]]
    assert "the check returned int instead of Evidence" in changed(lambda good, text: 1)["error"]
    crashed = changed(lambda good, text: FOUND if good else 1 / 0)
    control = crashed["controls"][0]
    assert crashed["status"] == "done" and control["outcome"] == "crash" and not control["satisfied"]
    assert len(crashed["problems"]) == 1 and "control 'not so' crashed: ZeroDivisionError" in crashed["problems"][0]
    other = changed(lambda good, text: FOUND if good else "no")
    assert "the check returned str instead of Evidence" in other["problems"][0]


def test_rows_that_did_not_end() -> None:
    late, dead = unfinished("timeout", "too late"), unfinished("crash", "dead")
    assert late["status"] == late["verdict"] == "timeout" and late["error"] == "too late" and late["problems"] == []
    assert dead["problems"] == ["dead"] and dead["controls"] == [] and dead["margin"] is None
    assert dead["rung"] == dead["outcome"] == ""


def test_references_to_no_row_are_named_in_order() -> None:
    row = row_of(whole, document="d")
    assert link_problems(row, {"OWN-1-R1", "OWN-2"}) == ["proof_steps names OWN-1a, which is no row"]
    assert link_problems({**row, "bundles": ["OWN-5"]}, {"OWN-1a"}) == [
        "repair names OWN-1-R1, which is no row",
        "depends names OWN-2, which is no row",
        "bundles names OWN-5, which is no row",
    ]
    assert link_problems({**row, "repair": ""}, {"OWN-1a", "OWN-2"}) == []


def test_values_in_json_s_own_types() -> None:
    x = sp.Symbol("x")
    for value, expected in [
        (None, None),
        (True, True),
        (np.float64(0.5), 0.5),
        (np.int64(3), 3),
        (np.array([[1.0, np.inf], [-np.inf, np.nan]]), [[1.0, "inf"], ["-inf", "nan"]]),
        (Fraction(2, 3), "2/3"),
        (Fraction(2, 1), "2"),
        (1 + 2j, [1.0, 2.0]),
        (complex(0, float("inf")), [0.0, "inf"]),
        (x + 1, "x + 1"),
        ({3, 1, 2}, [1, 2, 3]),
        (frozenset("ba"), ["a", "b"]),
        ({1: (Rung.PROOF, [2])}, {"1": ["proof", [2]]}),
        (range(2), "range(0, 2)"),
    ]:
        found = jsonable(value)
        assert found == expected and type(found) is type(expected), value


def test_a_bundle_is_open_until_the_ledger_judges_it() -> None:
    fields = {name: getattr(whole, name) for name in Claim.__dataclass_fields__}
    row = row_of(Bundle(**fields, bundles=("OWN-2", "OWN-3")), document="d")
    assert row["verdict"] == "open" and row["bundles"] == ["OWN-2", "OWN-3"] and row["status"] == "done"


@pytest.mark.parametrize(("digits", "shown"), [(60, "1" + 59 * "0"), (61, "1e+60 (rounded here, compared exactly)")])
def test_long_fractions_are_rounded_in_words_only(digits: int, shown: str) -> None:
    found = search(
        [digits], lambda _: (Fraction(10 ** (digits - 1)), Fraction(0)), describe=lambda number: f"n = {number}"
    )
    assert found.counterexample == f"n = {digits}: left = {shown}, right = 0, so that left <= right is false"
    assert found.worst == -1 and found.examined == 1


@pytest.mark.parametrize(
    ("left", "text"),
    [
        (Fraction(10**58), "n: left 1" + 58 * "0" + " > right 0"),  # 59 and 1 digits: 60 are too many
        (Fraction(10**57), "n: left 1" + 57 * "0" + " > right 0"),
        (Fraction(10**59), "n: left 1e+59 > right 0 (exact rationals)"),
    ],
)
def test_instances_are_told_in_full_up_to_sixty_digits(left: Fraction, text: str) -> None:
    found = decide([Step("one", False)], lambda: [Instance("n", left, Fraction(0))], method="m")
    wanted = "n: left 1e+58 > right 0 (exact rationals)" if left == 10**58 else text
    assert found.counterexample == wanted and found.margin is not None and found.margin < 0


def test_a_refutation_says_how_it_was_found_and_where_the_proof_stops() -> None:
    steps = [Step("first", True), Step("second", False, "a residual")]
    own = Tried(4, "n = 2", -0.5, "seen at {gap}")
    found = decide(steps, own, method="as proved", valid_for="all n")
    assert (found.outcome, found.counterexample, found.margin) == (Outcome.REFUTED, "n = 2", -0.5)
    assert found.method == "seen at second: a residual" and found.valid_for == "" and found.examined == 6
    plain = decide(steps, Tried(4, "n = 2", -0.5), method="as proved", valid_for="all n")
    assert plain.method == "as proved" and plain.valid_for == "all n"
    equal = decide(steps, lambda: [Instance("n", Fraction(1), Fraction(1))], method="m")
    assert equal.outcome is Outcome.NOT_REFUTED and equal.would_settle == "a proof of: second: a residual"
    tiny = decide(steps, lambda: [Instance("n", Fraction(1) + Fraction(1, 10**400), Fraction(1))], method="m")
    assert tiny.outcome is Outcome.REFUTED and tiny.margin == -1e-300  # negative although it rounds to zero
    worst = [Instance("mild", Fraction(3), Fraction(2)), Instance("bad", Fraction(9), Fraction(1))]
    assert decide(steps, lambda: worst, method="m").counterexample == "bad: left 9 > right 1"
