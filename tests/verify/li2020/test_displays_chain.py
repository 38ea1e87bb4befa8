"""Displays that are declared together: shared conditions, and chains in which each side is said once."""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from verify.li2020.displays.appendix_a import drift_by_moments, drift_by_steps
from verify.li2020.displays.notation import chain, displays, link

a, b, c = sp.symbols("a b c")
SHARED, OWN = Condition("shared"), Condition("own")


def test_conditions_of_a_part_come_before_those_of_a_display() -> None:
    bound = displays("Section 9", SHARED)("name", a, "<=", b, "LI-X", OWN, "LI-Y", repaired_by="LI-X-R1")
    assert (bound.source, bound.ids, bound.repaired_by) == ("Li et al. 2020, Section 9", ("LI-X", "LI-Y"), "LI-X-R1")
    assert bound.conditions == (SHARED, OWN)


def test_a_chain_takes_each_left_side_from_the_display_before() -> None:
    first, second = chain(displays("Section 9"), a, link("one", "<=", b, "LI-X"), link("two", "=", c, "LI-X", OWN))
    assert (first.left, first.expression, second.left, second.expression) == (a, b, b, c)
    assert (second.relation, second.conditions) == ("=", (OWN,))
    assert drift_by_moments.left == drift_by_steps.expression
