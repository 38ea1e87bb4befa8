"""A claim is run with values that it knows, and refuses others by name."""

from __future__ import annotations

import pytest

from fltheory.evidence.model import Claim, Control, Evidence, Kind, Outcome, Rung, Scope, claim


def example() -> Claim:
    @claim(
        "OWN-1",
        kind=Kind.ALGEBRA,
        scope=Scope.GENERAL,
        statement="x",
        printed=dict(relation="<=", factor="2*x", number="1", convex=True),
        controls=[Control("the other way", dict(relation=">=", factor="3*x", number="1/2", convex=False))],
    )
    def check(relation: str, factor: str, number: str, convex: bool, size: int = 1) -> Evidence:
        outcome = Outcome.HOLDS if relation == "<=" else Outcome.NOT_REFUTED
        return Evidence(Rung.PROOF, outcome, "method", size, would_settle="nothing")

    return check


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (dict(relation="foo"), "relation='foo' of OWN-1 is not known; expected one of '<=', '>='"),
        (dict(factor="2*y"), "factor='2*y' of OWN-1 is not known"),
        (dict(number="one"), "number='one' of OWN-1 is not known"),
        (dict(convex="yes"), "convex='yes' of OWN-1 is no truth value"),
        (dict(shape=1), "OWN-1: got an unexpected keyword argument 'shape'"),
    ],
)
def test_an_unknown_argument_is_refused_by_name(changes: dict[str, object], words: str) -> None:
    found = example()
    with pytest.raises(ValueError) as error:
        found.check(**{**found.printed, **changes})
    assert words in str(error.value)


@pytest.mark.parametrize("changes", [dict(factor="5*x/7"), dict(number="99/100"), dict(relation=">="), dict(size=3)])
def test_other_numbers_and_formulas_of_the_same_names_are_known(changes: dict[str, object]) -> None:
    found = example()
    assert found.check(**{**found.printed, **changes}).examined >= 1
