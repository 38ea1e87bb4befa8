"""Proof first, else a counterexample, else undecided."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from fltheory.evidence import exact_search
from fltheory.evidence.decide import Tried, decide, read, undecided
from fltheory.evidence.model import Outcome, Rung, Scope, Verdict, verdict_of
from fltheory.theory.steps import Instance, Proof, Step

GOOD, BAD = Step("a", True), Step("b", False, "too small")
HALF = Fraction(1, 2)
INSIDE, BROKEN = Instance("x = 0", Fraction(0), HALF), Instance("x = 1", Fraction(1), HALF)
#: Complete and incomplete proofs in all forms, with the number of their steps.
PROOFS: list[tuple[Any, Any, int]] = [
    (Proof((GOOD, GOOD)), Proof((GOOD, BAD)), 2),
    ([GOOD], [GOOD, BAD], 1),
    ({"a": True}, {"a": True, "b": False}, 1),
    ((True, ""), (False, "b: too small"), 0),
]
#: Instances of which none, and of which one, breaks the statement, in all forms; with their number and margins.
INSTANCES: list[tuple[Any, Any, int, float | None, float]] = [
    (lambda: [INSIDE], lambda: [INSIDE, BROKEN], 1, 1.0, -0.5),
    (exact_search.Search(3, HALF), exact_search.Search(3, -HALF, "x = 1"), 3, 0.5, -0.5),
    (Tried(2), Tried(2, "x = 1", -0.5), 2, None, -0.5),
]


@pytest.mark.parametrize(("complete", "incomplete", "steps"), PROOFS)
@pytest.mark.parametrize(("kept", "broken", "count", "margin", "below"), INSTANCES)
def test_every_form_of_proof_and_of_instances(
    complete: Any, incomplete: Any, steps: int, kept: Any, broken: Any, count: int, margin: float | None, below: float
) -> None:
    holds = decide(complete, kept, method="m", valid_for="all x")
    assert (holds.rung, holds.outcome, holds.method, holds.valid_for) == (Rung.PROOF, Outcome.HOLDS, "m", "all x")
    assert (holds.examined, holds.margin) == (steps + count, margin)
    assert verdict_of(Scope.GENERAL, holds) is Verdict.HOLDS

    refuted = decide(incomplete, broken, method="m", valid_for="all x")
    assert (refuted.outcome, refuted.margin) == (Outcome.REFUTED, below)
    assert refuted.counterexample.startswith("x = 1")
    assert refuted.method == "m" if isinstance(broken, Tried) else "counterexample" in refuted.method

    left = decide(incomplete, kept, method="m", valid_for="all x")
    assert verdict_of(Scope.GENERAL, left) is Verdict.NOT_REFUTED
    assert "b" in left.would_settle and "b" in left.method and not left.certificate

    with pytest.raises(ValueError, match="every step of the proof holds"):
        decide(complete, broken, method="m")


def test_a_proof_in_steps_keeps_their_names_and_counts() -> None:
    evidence = decide(Proof((GOOD,)), lambda: [INSIDE], method="m", numbers={"x": 1})
    assert evidence.certificate is None and evidence.steps == (GOOD,)
    assert evidence.numbers == {"steps of the proof": 1, "instances evaluated": 1, "x": 1}
    assert decide({"a": True}, Tried(), method="m", certificate={"type": "t"}).certificate == {"type": "t"}
    assert decide((True, ""), Tried(1), method="m").certificate is None


def test_the_worst_instance_is_told_in_full_or_rounded() -> None:
    long = Instance("x = 2", Fraction(10**40 + 1, 3), Fraction(10**39, 7))
    assert decide([BAD], lambda: [BROKEN], method="m").counterexample == "x = 1: left 1 > right 1/2"
    text = decide([BAD], lambda: [BROKEN, long], method="m").counterexample
    assert text.startswith("x = 2: left 3.33333e+39 > right") and text.endswith("(exact rationals)")
    assert decide(Proof((BAD,)), lambda: [BROKEN], method="m").method.endswith("The proof stops at: b: too small.")


@pytest.mark.parametrize("steps", [{}, [], Proof(())])
def test_no_steps_are_no_proof(steps: Any) -> None:
    with pytest.raises(ValueError, match="steps is empty"):
        decide(steps, Tried(), method="m")


def test_readings_and_open_questions() -> None:
    assert undecided("no case").would_settle == "a proof"
    assert read(False, method="m", examined=1, counterexample="x").outcome is Outcome.REFUTED
