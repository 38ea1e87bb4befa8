"""A line that was combined is remembered for the very same lines before it, and for no others; polynomials divide exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fltheory.derivation import replay, script
from fltheory.derivation.script import Derivation


def square(low: int) -> Derivation:
    d = Derivation("a number above an end")
    d.parameter("a", low=low)
    d.combine("a is nonnegative", "a")
    return d


def test_the_same_lines_give_the_same_fact_without_a_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "_COMBINED", {})
    first = square(0)
    monkeypatch.setattr(replay.Replay, "settle", None)  # nothing is combined anew
    second = square(0)
    assert second.state.facts["a is nonnegative"] is first.state.facts["a is nonnegative"]
    assert second.state.lines == first.state.lines == 2


def test_other_lines_before_it_are_replayed() -> None:
    square(0)
    with pytest.raises(replay.Underivable):
        square(-1)


def test_what_is_remembered_is_replayed_by_who_verifies() -> None:
    square(0)
    replay.verify(square(0).concluding("a is nonnegative"))


def test_division_of_polynomials() -> None:
    x, y = ((("x", 1),), Fraction(1)), ((("y", 1),), Fraction(1, 3))
    one = ((), Fraction(2))
    a, b = dict([x, y, one]), dict([x, one])
    assert replay.p_divide(replay.p_mul(a, b), a) == b
    assert replay.p_divide(replay.p_mul(a, b), b) == a
    assert replay.p_divide(replay.p_add(replay.p_mul(a, b), dict([y])), b) is None
    assert replay.p_divide({}, b) == {}
