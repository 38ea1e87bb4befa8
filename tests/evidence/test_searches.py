"""Exact search next to a proof attempt, and chains of statements."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fltheory.evidence.decide import decide
from fltheory.evidence.exact_search import Search, search, slack
from fltheory.evidence.model import Outcome

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
    assert decide((True, ""), squares(Fraction(1)), method="m").outcome is Outcome.HOLDS
    assert decide((False, "why"), squares(Fraction(1)), method="m").outcome is Outcome.NOT_REFUTED
    assert decide((False, "why"), squares(HALF), method="m").outcome is Outcome.REFUTED
    with pytest.raises(ValueError, match="every step of the proof holds"):
        decide((True, ""), squares(HALF), method="m")
