"""Whether a bound states what was proved: sides, relation and hypotheses."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.conditions import Condition
from fltheory.theory.ranges import POSITIVE, Range
from fltheory.theory.signs import Open
from fltheory.theory.states import proves, same, states

x, y, z = sp.symbols("x y z")
CONDITIONS = (Condition("8 x y <= 1", 8 * x * y <= 1), Condition("y > 2", sp.And(y > 2, z >= 0)))
BOUND = Bound("b", "a test", x * y, sp.sqrt(x * y) + 3, CONDITIONS, ranges={"x": POSITIVE, "y": Range(1)})


@pytest.mark.parametrize(
    ("first", "second", "equal"),
    [
        (sp.sqrt(x * y), sp.sqrt(x) * sp.sqrt(y), True),
        (sp.sqrt(4 * x + 8 * y) / 2, sp.sqrt(x + 2 * y), True),
        (sp.Symbol("x", positive=True), x, True),
        ((x**2 - y**2) / (x - y), x + y, True),
        (sp.sqrt(x + 2 * y), sp.sqrt(x + 3 * y), False),
        (sp.Max(x, y), sp.Max(x, z), False),
    ],
)
def test_sides_are_compared_exactly(first: sp.Expr, second: sp.Expr, equal: bool) -> None:
    assert same(first, second) is equal


def test_a_step_holds_for_the_statement_and_for_no_other() -> None:
    right = sp.sqrt(x) * sp.sqrt(y) + 3
    assert states(BOUND, right=right, left=y * x).verified
    assert "right side" in states(BOUND, right=right + 1).reason
    assert "left side" in states(BOUND, right=right, left=x).reason
    assert ">= is proved" in states(BOUND, right=right, relation=">=").reason


@pytest.mark.parametrize(
    ("used", "said"),
    [
        ((x, 0, 1 / (8 * y)), True),
        ((x, 0, 1 / (9 * y)), False),
        ((x, Open(0), None), True),
        ((y, 1, None), True),
        ((y, Open(2), None), True),
        ((y, Open(1), None), False),
        ((z, 0, None), True),
        ((z, Open(0), None), False),
        ((sp.Symbol("of_the_proof"), 0, 1), True),
        (sp.Symbol("missing") * x <= 1, False),
        (sp.Symbol("missing") * sp.Symbol("other") <= 1, False),
    ],
)
def test_a_hypothesis_is_a_condition_or_a_range_of_the_bound(used: object, said: bool) -> None:
    assert states(BOUND, right=BOUND.expression, under=[used]).verified is said


def test_a_condition_that_is_supposed_is_one_of_the_bound_with_its_words() -> None:
    used = CONDITIONS[0]
    assert states(BOUND, under=[used]).verified
    said_otherwise = Condition(f"{used.words} for losses of one kind", used.relation)
    assert said_otherwise.words in states(BOUND, under=[said_otherwise]).reason
    assert not states(replace(BOUND, conditions=CONDITIONS[1:]), under=[used]).verified
    assert not states(BOUND, under=[replace(used, relation=9 * x * y <= 1)]).verified


def test_a_link_reads_the_printed_arguments() -> None:
    link = proves(BOUND, lambda constant, factor: sp.sqrt(factor) + constant, under=[8 * x * y <= 1])
    assert link(constant="3", factor="x*y", other=True).verified
    assert not link(constant="4", factor="x*y", other=True).verified
