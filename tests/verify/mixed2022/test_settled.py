"""The decider of the wing: a proof, a counterexample, neither, and never both."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.kinds import algebra_claim
from fltheory.evidence.model import Outcome, Rung
from fltheory.evidence.relations import Relations
from fltheory.theory.steps import Instance, Step
from verify.mixed2022.settled import by_steps, false_algebra, settle

HOLDS, FAILS = Step("square", True, ""), Step("square", False, "no square")
GOOD = Instance("x = 1", Fraction(1), Fraction(2))
BAD = Instance("x = 2", Fraction(3), Fraction(2))


def tried(factor: int) -> Search:
    """2 x y <= factor (x^2 + y^2)/2 at (1, 1) and (0, 1)."""
    return search([(1, 1), (0, 1)], lambda p: (Fraction(4 * p[0] * p[1]), Fraction(factor * (p[0] ** 2 + p[1] ** 2))))


@pytest.mark.parametrize("found", [[GOOD], lambda: [GOOD], tried(2)])
def test_all_steps_are_a_proof(found: object) -> None:
    evidence = settle([HOLDS], found, method="one square")  # type: ignore[arg-type]
    assert (evidence.outcome, evidence.rung, evidence.method) == (Outcome.HOLDS, Rung.PROOF, "one square")
    names = [step.name for step in evidence.steps] or (evidence.certificate or {}).get("steps")
    assert names == ["square"]


@pytest.mark.parametrize(("good", "bad"), [([GOOD], [GOOD, BAD]), (tried(2), tried(1))])
def test_without_a_proof_the_instances_decide(good: object, bad: object) -> None:
    assert settle([FAILS], bad, method="m").outcome is Outcome.REFUTED  # type: ignore[arg-type]
    undecided = settle([FAILS], good, method="m", would_settle="a square")  # type: ignore[arg-type]
    assert (undecided.outcome, undecided.would_settle) == (Outcome.NOT_REFUTED, "a square")
    with pytest.raises(ValueError, match="there is a counterexample"):
        settle([HOLDS], bad, method="m")  # type: ignore[arg-type]


def test_false_algebra_is_refuted_and_its_correction_passes() -> None:
    made = false_algebra(
        "MX-C41-PROP",
        Relations("2*x <= x for x >= 0"),
        true={"half": ("2*x", "x/2")},
        group=algebra_claim,
        source="s",
        summary="s",
    )
    assert made.check(**made.printed).outcome is Outcome.REFUTED
    assert made.check(**made.controls[0].changes).outcome is Outcome.HOLDS and made.controls[0].must == "pass"


def test_the_instance_of_steps_alone_is_asked_only_where_the_proof_stops() -> None:
    def unasked() -> str:
        raise AssertionError("asked for a counterexample of a proved statement")

    assert by_steps([HOLDS, HOLDS], unasked, method="m").outcome is Outcome.HOLDS
    refuted = by_steps([HOLDS, FAILS], lambda: "x = 1", method="m")
    assert (refuted.outcome, refuted.margin, refuted.counterexample) == (Outcome.REFUTED, -1.0, "x = 1")
    left = by_steps([HOLDS, FAILS], lambda: "", method="m", would_settle="w")
    assert left.outcome is Outcome.NOT_REFUTED and "no square" in left.method
