"""Theorem 1 of the lecture note follows for both codes, also with the averaged drift, and not with smaller constants."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fltheory.derivation.packs import foreign
from fltheory.derivation.replay import Underivable, verify
from fltheory.theory.lecture2022 import bounds
from verify.lecture2022.derivations import theorem_1


@pytest.mark.parametrize("code", ["printed", "FedAvg"])
def test_theorem_1_and_its_averaged_drift_are_derived(code: str) -> None:
    for bound in (bounds.theorem_1, bounds.theorem_1_averaged):
        data = theorem_1(bound, code)
        assert "equal weights" in verify(data).known("Theorem 1").uses
        assert foreign(data["lines"]) == []


@pytest.mark.parametrize("term", ["gap", "G", "sigma"])
def test_a_smaller_constant_is_not_derived(term: str) -> None:
    bound = bounds.theorem_1_averaged
    smaller = replace(bound, expression=bound.expression.subs(getattr(bounds, term), getattr(bounds, term) * 99 / 100))
    with pytest.raises(Underivable):
        theorem_1(smaller, "printed")
