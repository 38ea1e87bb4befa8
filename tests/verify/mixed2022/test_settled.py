"""The decider of the wing: a proof, a counterexample, neither, and never both."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import algebra_claim, expectation_claim
from fltheory.evidence.model import Outcome, Rung
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.steps import Instance, Step
from verify.mixed2022.settled import by_steps, false_algebra, lines_in_mean, settle

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


YOUNG = InMean("2*dot(x, y) <= sq(x) + sq(y)", things="x; y", squares=[("1", "x - y")])
NOISY = InMean(
    "sq(x + n) <= sq(x) + s for s >= 0",
    things="x; n over xi, mean 0 over xi",
    over="xi",
    uses=[use("bounded variance", noise="n", sigma2="s")],
)
WORDS = dict(group=expectation_claim, source="s", summary="s")


def test_lines_hold_together_and_each_control_breaks_one() -> None:
    made = lines_in_mean(
        "MX-LINES",
        YOUNG,
        NOISY,
        false={
            "3 for 2": ("2*dot", "3*dot"),
            "half the noise": ("+ s for", "+ s/2 for"),
            "biased": (", mean 0 over xi", ""),
        },
        without={"any noise": "bounded variance"},
        valid_for="all vectors",
        **WORDS,
    )
    printed = made.check(**made.printed)
    assert (printed.outcome, printed.rung, printed.valid_for) == (Outcome.HOLDS, Rung.PROOF, "all vectors")
    assert made.about == (YOUNG, NOISY) and YOUNG.latex() in made.statement and NOISY.latex() in made.statement
    for control in made.controls:
        assert made.check(**{**made.printed, **control.changes}).outcome is Outcome.REFUTED, control.name
    with pytest.raises(ValueError, match="does not occur"):
        lines_in_mean("MX-LINES", YOUNG, false={"no such piece": ("5*dot", "3*dot")}, **WORDS)


def test_a_false_line_keeps_the_instance_that_breaks_it_as_printed() -> None:
    x, y = sp.symbols("x y")
    right = {"2 for 3": ("3*dot", "2*dot")}
    breaks = Witness({x: 1, y: 1}, Side("left", 3 * x * y), "<=", Side("right", x**2 + y**2))
    made = lines_in_mean("MX-LINES", YOUNG.changed("2*dot", "3*dot"), true=right, broken_at=breaks, **WORDS)
    printed = made.check(**made.printed)
    assert (printed.outcome, printed.counterexample) == (Outcome.REFUTED, breaks.text) and printed.certificate
    assert made.check(**{**made.printed, **made.controls[0].changes}).outcome is Outcome.HOLDS
    others = {**made.printed, "texts": [("4*dot(x, y) <= sq(x) + sq(y)", "x; y")]}
    assert made.check(**others).counterexample not in ("", breaks.text)


def test_the_instance_of_steps_alone_is_asked_only_where_the_proof_stops() -> None:
    def unasked() -> str:
        raise AssertionError("asked for a counterexample of a proved statement")

    assert by_steps([HOLDS, HOLDS], unasked, method="m").outcome is Outcome.HOLDS
    refuted = by_steps([HOLDS, FAILS], lambda: "x = 1", method="m")
    assert (refuted.outcome, refuted.margin, refuted.counterexample) == (Outcome.REFUTED, -1.0, "x = 1")
    left = by_steps([HOLDS, FAILS], lambda: "", method="m", would_settle="w")
    assert left.outcome is Outcome.NOT_REFUTED and "no square" in left.method
