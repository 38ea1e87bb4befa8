"""What the rows of Theorem I of the elastic aggregation supplement share."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp

from fltheory.derivation.replay import Underivable
from verify.elastic2023 import rates
from verify.elastic2023.derivations.theorem_1_rates import in_letters, smooth_rate


def test_second_moments_of_the_parabola() -> None:
    run = rates.ParabolaRounds(Fraction(1), Fraction(1, 2), Fraction(4), 2)
    assert run.squares == [1, Fraction(5, 4), Fraction(21, 16)]
    assert run.average == Fraction(57, 48)


def test_terms_are_named_and_rounded_down() -> None:
    n, G = rates.n, rates.G
    bound = replace(rates.CONVEX_RATE, expression=2 * G / n + sp.sqrt(2) * G**2)
    texts = set(in_letters(bound, {G / n: "a", G**2: "b"}).split(" + "))
    assert texts == {"(2)*(a)", "(1414213/1000000)*(b)"}
    with pytest.raises(Underivable, match="none of the terms"):
        in_letters(bound, {G / n: "a"})


def test_a_smaller_rate_is_not_derived() -> None:
    with pytest.raises(Underivable, match="not shown nonnegative"):
        smooth_rate(rates.at_scale(rates.SMOOTH_RATE, "99/100"), "all")
