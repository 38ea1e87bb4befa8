"""Theorem 1 of Li et al. follows line by line, and does not with smaller constants."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import sympy as sp

from fltheory.derivation.packs import foreign
from fltheory.derivation.replay import Underivable, verify
from fltheory.theory.li2020 import theorems
from verify.li2020.derivations import theorem_1


def test_theorem_1_is_derived_and_replayed() -> None:
    data = json.loads(json.dumps(theorem_1()))
    fact = verify(data).known("Theorem 1")
    assert fact.over == {"k", "xi", "j", "past"} and fact.relation == ">="
    assert {"smooth", "strongly convex", "bounded gradients", "bounded variance"} <= fact.uses
    assert foreign(data["lines"]) == []


@pytest.mark.parametrize("factor", ["99/100", "1/2"])
def test_a_smaller_bound_is_not_derived(factor: str) -> None:
    bound = theorems.theorem_1
    with pytest.raises(Underivable, match="not shown nonnegative"):
        theorem_1(replace(bound, expression=bound.expression * sp.Rational(factor)))
