"""Proof first, else a counterexample, else undecided."""

from __future__ import annotations

import pytest

from fltheory.evidence.model import Outcome, Rung, Scope, Verdict, verdict_of
from fltheory.evidence.proved import decide
from fltheory.evidence.settle import settle
from fltheory.theory.steps import Step


def test_all_steps_are_a_proof() -> None:
    evidence = settle({"a": True, "b": True}, method="two identities", instances=3)
    assert (evidence.rung, evidence.outcome, evidence.examined) == (Rung.PROOF, Outcome.HOLDS, 5)
    assert verdict_of(Scope.GENERAL, evidence) is Verdict.HOLDS


def test_a_counterexample_refutes() -> None:
    evidence = settle({"a": True, "b": False}, "x = 1", method="m", margin=-0.5)
    assert evidence.outcome is Outcome.REFUTED and evidence.counterexample == "x = 1" and evidence.margin == -0.5


def test_a_missing_step_decides_nothing() -> None:
    evidence = settle({"a": True, "b": False}, method="m", instances=4)
    assert verdict_of(Scope.GENERAL, evidence) is Verdict.NOT_REFUTED
    assert "b" in evidence.would_settle


def test_proof_and_counterexample_together_are_an_error() -> None:
    with pytest.raises(ValueError, match="every step of the proof holds"):
        settle({"a": True}, "x = 1", method="m")


def test_no_steps_are_no_proof() -> None:
    with pytest.raises(ValueError, match="steps is empty"):
        settle({}, method="m")


def test_steps_alone_decide_and_the_instance_is_asked_only_where_the_proof_stops() -> None:
    good, bad = Step("a", True), Step("b", False, "too small")

    def unasked() -> str:
        raise AssertionError("asked for a counterexample of a proved statement")

    assert decide([good, good], unasked, method="m").outcome is Outcome.HOLDS
    refuted = decide([good, bad], lambda: "x = 1", method="m")
    assert (refuted.outcome, refuted.margin, refuted.counterexample) == (Outcome.REFUTED, -1.0, "x = 1")
    left = decide([good, bad], lambda: "", method="m", would_settle="w")
    assert verdict_of(Scope.GENERAL, left) is Verdict.NOT_REFUTED and "b: too small" in left.method
    with pytest.raises(ValueError, match="steps is empty"):
        decide([], lambda: "", method="m")
