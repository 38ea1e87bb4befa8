"""Ratios of stated constants and best ones."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.model import Rung, Tightness
from fltheory.evidence.tight import against_the_best, attained


def test_a_best_constant() -> None:
    assert attained("at x = 0") == Tightness(1.0, Rung.PROOF, "at x = 0")


def test_ratios() -> None:
    assert against_the_best(Fraction(3, 2), "2") == Tightness(1.5, Rung.PROOF, "2")
    assert against_the_best(2 * sp.sqrt(2), "1") == Tightness(float(2 * sp.sqrt(2)), Rung.PROOF, "1")
    assert against_the_best(Fraction(99, 100), "a false statement has no ratio") is None
