"""What is changed in a bound, and which changes the bound itself implies."""

from __future__ import annotations

import pytest
import sympy as sp
from click.testing import CliRunner

from fltheory.cli import main
from fltheory.evidence.ids import documents
from fltheory.mutation import runs
from fltheory.mutation.mutants import mutants_of
from fltheory.mutation.planting import Key, collect, plant
from fltheory.mutation.score import MutationPlan
from fltheory.mutation.weaker import implied
from fltheory.theory.bound import Bound
from fltheory.theory.conditions import Condition
from fltheory.theory.ranges import POSITIVE

x, y = sp.symbols("x y")
RANGES = {"x": POSITIVE, "y": POSITIVE}


def bound(name: str = "example") -> Bound:
    conditions = (Condition("y <= 1", sp.Le(y, 1)), Condition("said in words"))
    return Bound(name, "a test", "left", 3 * x**2 + y, conditions, ranges=RANGES)


def test_every_number_is_changed_in_three_ways_and_relations_are_dropped() -> None:
    mutants = mutants_of(bound())
    sides = {str(m.value) for m in mutants if m.field == "expression"}
    assert sides == {"2*x**2 + y", "4*x**2 + y", "3*x**2/2 + y", "3*x + y", "3*x**3 + y"}
    dropped = [m for m in mutants if m.words == "without y <= 1"]
    assert [c.words for c in dropped[0].of(bound()).conditions] == ["said in words"]
    limits = {str(m.value[0].relation) for m in mutants if m.field == "conditions"} - {"None"}
    assert limits == {"y <= 0", "y <= 2", "y <= 1/2"}


def test_what_the_bound_implies_is_weaker_and_true() -> None:
    words = {m.words for m in mutants_of(bound()) if implied(bound(), m)}
    assert words == {
        "right side: 3 -> 4 in 3*x**2 (+1)",
        "y <= 1: 1 -> 1/2 in y <= 1 (-50 %)",
    }


def test_a_mutant_is_in_the_object_from_the_moment_it_is_made(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(Bound, "__post_init__", Bound.__post_init__)
    original = bound()
    made = collect(Key.of(original))
    plant(Key.of(original), mutants_of(original)[0])
    assert bound().expression != original.expression and bound("other").expression == original.expression
    assert len(made) == 1


def test_it_is_told_where_bounds_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "planned", lambda document, **asked: [])
    told: list[str] = []
    with pytest.raises(LookupError):
        MutationPlan.of("all", progress=told.append)
    assert told == [f"looking for bounds in {document}" for document in documents()]
    assert "Without an argument, as with 'all', every bound" in CliRunner().invoke(main, ["mutate", "--help"]).output
