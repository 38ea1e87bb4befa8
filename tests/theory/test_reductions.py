"""Reductions: what their steps prove against sequences and averages in exact numbers, and what they must not prove."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from fltheory.theory import reductions as r

a, c, d, t, x, y = sp.symbols("a c d t x y")
RANGES = ((a, 0, None), (c, 0, None), (d, 0, None))


def verified(steps: list[r.Step]) -> bool:
    return bool(steps) and all(step.verified for step in steps)


def test_constant_noise_adds_up() -> None:
    steps = r.by_induction(d + t * c, x + c, state=x, first=d, initial={t: 0}, advance={t: t + 1}, ranges=RANGES[1:])
    assert verified(steps)


@pytest.mark.parametrize(
    ("claim", "good"),
    [(d / (1 + t), True), (d / (2 + t), False), (sp.Rational(99, 100) * d / (1 + t), False), (d / (1 + 2 * t), False)],
)
def test_steps_of_different_length(claim: sp.Expr, good: bool) -> None:
    rhs = (1 - 1 / (t + 2)) * x
    steps = r.by_induction(
        claim, rhs, state=x, first=d, initial={t: 0}, advance={t: t + 1}, ranges=((t, 0, None), (d, 0, None))
    )
    assert verified(steps) is good


def test_induction_needs_an_affine_bound() -> None:
    with pytest.raises(ValueError, match="not affine in x"):
        r.by_induction(d, x**2, state=x, first=d, initial={}, advance={}, ranges=RANGES)


def test_convexity_against_numbers() -> None:
    assert verified(r.convexity())
    points, weights = [Fraction(3), Fraction(-1), Fraction(1, 2)], [Fraction(1), Fraction(0), Fraction(5, 2)]
    mean = sum(w * z for w, z in zip(weights, points, strict=True)) / sum(weights)
    assert mean**2 * sum(weights) <= sum(w * z**2 for w, z in zip(weights, points, strict=True))
