"""A derivation may suppose no more of a bound's symbols than the bound states."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from fltheory.derivation.replay import Underivable
from fltheory.derivation.script import Derivation
from fltheory.kinds import JSON
from fltheory.theory import ranges
from fltheory.theory.bound import Bound
from fltheory.theory.conditions import Condition
from fltheory.theory.supposed import ranges_of, supposing_no_more

L, eta, K = sp.symbols("L eta K")
STEP = Condition("eta <= 1/(2 L)", sp.Le(2 * L * eta, 1))
TWO = Condition("K >= 2", sp.Ge(K, 2))
RANGES = {"L": ranges.POSITIVE, "eta": ranges.NONNEGATIVE, "K": ranges.COUNT}
STATED = Bound("one", "own", "x", K * L * eta, (STEP, TWO), ranges=RANGES)


def kept(largest: str = "1/(2*smooth)", least: str = "2") -> dict[str, JSON]:
    d = Derivation("own")
    d.parameter("smooth", 0, low_open=True)
    d.parameter("eta", 0, largest)
    d.parameter("K", least)
    d.parameter("own", 3)
    d.combine("all", "K*smooth*eta")
    return dict(d.concluding("all"))


def test_ends_of_ranges_are_read_as_relations() -> None:
    found = [str(one) for _, one in ranges_of(kept())]
    assert found == ["smooth > 0", "eta >= 0", "2*eta*smooth <= 1", "K >= 2", "own >= 3"]


def test_what_the_bound_states_may_be_supposed_in_other_letters() -> None:
    derivation = kept()
    assert supposing_no_more(STATED, derivation, names={"smooth": "L"}) is derivation


@pytest.mark.parametrize(
    ("bound", "missing"),
    [
        (replace(STATED, conditions=(TWO,)), "2\\*L\\*eta <= 1"),
        (replace(STATED, conditions=(STEP,)), "K >= 2"),
        (replace(STATED, conditions=(STEP, Condition("K >= 1", sp.Ge(K, 1)))), "K >= 2"),
        (replace(STATED, conditions=(Condition("eta <= 1/L", sp.Le(L * eta, 1)), TWO)), "2\\*L\\*eta <= 1"),
    ],
)
def test_a_range_that_is_not_stated_is_named(bound: Bound, missing: str) -> None:
    with pytest.raises(Underivable, match=missing):
        supposing_no_more(bound, kept(), names={"smooth": "L"})


def test_one_case_among_others_may_suppose_more() -> None:
    other = kept(least="3")
    with pytest.raises(Underivable, match="K >= 3"):
        supposing_no_more(STATED, other, names={"smooth": "L"})
    assert supposing_no_more(STATED, other, cases=("K",), names={"smooth": "L"}) is other
