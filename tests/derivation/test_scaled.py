"""A fact about numbers times the square of a vector, and what is no such fact."""

from __future__ import annotations

import json

import pytest

from fltheory.derivation.replay import Underivable, verify
from fltheory.derivation.script import Derivation


def numbers(relation: str = ">=", over: str = "") -> Derivation:
    """v^2 against u, and a vector x drawn along an axis."""
    d = Derivation("scaled")
    d.axis("xi", "noise")
    d.parameter("u", 0)
    d.parameter("v", 0, varies="xi" if over else "")
    d.vector("x", "xi")
    d.hypothesis("v^2 at most u", "u - v**2", over=over, relation=relation)
    d.assume("numbers", "v^2 at most u")
    return d


@pytest.mark.parametrize("relation", [">=", "="])
def test_a_number_times_a_square(relation: str) -> None:
    d = numbers(relation)
    d.scaled("squares", "numbers", "x")
    d.combine("conclusion", "u*sq(x) - v**2*sq(x)", over="xi", facts={"squares": "1"}, relation=relation)
    verify(json.loads(json.dumps(d.concluding("conclusion"))))


def test_an_inequality_gives_no_equality_and_no_other_sign() -> None:
    d = numbers()
    d.scaled("squares", "numbers", "x")
    with pytest.raises(Underivable):
        d.combine("equal", "u*sq(x) - v**2*sq(x)", facts={"squares": "1"}, relation="=")
    with pytest.raises(Underivable):
        d.combine("turned", "v**2*sq(x) - u*sq(x)", facts={"squares": "1"})


def test_a_fact_on_average_is_no_fact_at_every_point() -> None:
    with pytest.raises(Underivable, match="not constant along"):
        numbers(over="xi")
    d = numbers()
    d.combine("averaged", "u - v**2", over="xi", facts={"numbers": "1"})
    with pytest.raises(Underivable, match="no fact about numbers at every point"):
        d.scaled("squares", "averaged", "x")


def test_a_fact_about_vectors_is_no_fact_about_numbers() -> None:
    d = numbers()
    d.vector("y", "xi")
    d.hypothesis("lengths", "sq(x) - sq(y)")
    d.assume("lengths", "lengths")
    with pytest.raises(Underivable, match="no fact about numbers at every point"):
        d.scaled("squares", "lengths", "y")
    d.value("f")
    d.hypothesis("a value", "f - 1")
    d.assume("a value", "a value")
    with pytest.raises(Underivable, match="no fact about numbers at every point"):
        d.scaled("more squares", "a value", "y")
