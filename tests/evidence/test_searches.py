"""Exact search next to a proof attempt, and chains of statements."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fltheory.evidence.exact_search import Search, conclude, search, slack
from fltheory.evidence.model import Evidence, Outcome, Rung
from fltheory.evidence.one_step_checks import all_of

HALF = Fraction(1, 2)


def squares(factor: Fraction) -> Search:
    """x^2 <= factor x for x in [0, 1], smallest instance first."""
    return search([Fraction(0), HALF, Fraction(1)], lambda x: (x**2, factor * x))


def test_search_keeps_the_first_counterexample_and_the_worst_slack() -> None:
    found = squares(Fraction(1, 4))
    assert found.examined == 3
    assert found.counterexample.startswith("1/2: left = 1/4, right = 1/8")
    assert found.worst == Fraction(-3, 4)
    assert squares(Fraction(1)).counterexample == "" and squares(Fraction(1)).worst == 0


@pytest.mark.parametrize(("relation", "expected"), [("<=", HALF), (">=", -HALF), ("=", -HALF)])
def test_slack_is_relative(relation: str, expected: Fraction) -> None:
    assert slack(Fraction(2), Fraction(4), relation) == expected
    assert slack(Fraction(0), Fraction(0), relation) == 0


def test_bad_searches_raise() -> None:
    with pytest.raises(ValueError, match="relation='<'"):
        slack(HALF, HALF, "<")
    with pytest.raises(ValueError, match="at least one instance"):
        search([], lambda x: (x, x))


def test_conclusions() -> None:
    assert conclude((True, ""), squares(Fraction(1)), method="m").outcome is Outcome.HOLDS
    assert conclude((False, "why"), squares(Fraction(1)), method="m").outcome is Outcome.NOT_REFUTED
    assert conclude((False, "why"), squares(HALF), method="m").outcome is Outcome.REFUTED
    with pytest.raises(RuntimeError, match="although an instance violates it"):
        conclude((True, ""), squares(HALF), method="m")


def part(outcome: Outcome, margin: float | None) -> Evidence:
    text = "x = 1" if outcome is Outcome.REFUTED else ""
    return Evidence(Rung.PROOF, outcome, f"method {margin}", 2, margin=margin, counterexample=text)


def test_a_chain_is_as_good_as_its_worst_part() -> None:
    holds, better = part(Outcome.HOLDS, 0.0), part(Outcome.HOLDS, 0.5)
    open_, refuted = part(Outcome.NOT_REFUTED, 0.1), part(Outcome.REFUTED, -0.2)
    assert all_of(better, open_, refuted, holds) is refuted
    assert all_of(better, open_, holds) is open_
    both = all_of(better, holds)
    assert (both.margin, both.examined, both.method) == (0.0, 4, "method 0.5; method 0.0")
    with pytest.raises(ValueError, match="margin=None"):
        all_of(holds, part(Outcome.HOLDS, None))
