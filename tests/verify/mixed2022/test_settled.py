"""The decider of the wing: a proof, a counterexample, neither, and never both."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.model import Outcome, Rung
from fltheory.theory.proofs import Certificate
from fltheory.theory.steps import Instance, Step
from verify.mixed2022.settled import all_certified, by_steps, certified, identical, settle

x, y = sp.symbols("x y")
HOLDS, FAILS = Step("square", True, ""), Step("square", False, "no square")
GOOD = Instance("x = 1", Fraction(1), Fraction(2))
BAD = Instance("x = 2", Fraction(3), Fraction(2))


def tried(factor: int) -> Search:
    """2 x y <= factor (x^2 + y^2)/2 at (1, 1) and (0, 1)."""
    return search([(1, 1), (0, 1)], lambda p: (Fraction(4 * p[0] * p[1]), Fraction(factor * (p[0] ** 2 + p[1] ** 2))))


def young(factor: int) -> Certificate:
    """4 x y <= factor (x^2 + y^2) by the square of x - y."""
    return Certificate(4 * x * y, factor * (x**2 + y**2), {}, [(sp.Integer(2), x - y), (sp.Integer(factor - 2), x)], ())


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


def test_certificates_are_kept_where_they_prove() -> None:
    one, two = certified(young(2), tried(2), method="m"), all_certified({"first": young(2)}, tried(2), method="m")
    assert one.outcome is two.outcome is Outcome.HOLDS
    assert two.certificate == {"first": one.certificate}
    assert certified(young(1), tried(1), method="m").outcome is Outcome.REFUTED
    assert all_certified({"first": young(2)}, tried(2), also=False, method="m").outcome is Outcome.NOT_REFUTED


def test_an_identity_needs_a_difference_of_zero() -> None:
    same = search([1], lambda p: (Fraction(p), Fraction(p)), relation="=")
    assert identical((x + y) ** 2 - x**2 - 2 * x * y - y**2, same, method="m").outcome is Outcome.HOLDS
    assert identical(x, same, method="m").outcome is Outcome.NOT_REFUTED


def test_the_instance_of_steps_alone_is_asked_only_where_the_proof_stops() -> None:
    def unasked() -> str:
        raise AssertionError("asked for a counterexample of a proved statement")

    assert by_steps([HOLDS, HOLDS], unasked, method="m").outcome is Outcome.HOLDS
    refuted = by_steps([HOLDS, FAILS], lambda: "x = 1", method="m")
    assert (refuted.outcome, refuted.margin, refuted.counterexample) == (Outcome.REFUTED, -1.0, "x = 1")
    left = by_steps([HOLDS, FAILS], lambda: "", method="m", would_settle="w")
    assert left.outcome is Outcome.NOT_REFUTED and "no square" in left.method
