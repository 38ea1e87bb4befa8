"""Reductions: what their steps prove, against averages in exact numbers."""

from __future__ import annotations

from fractions import Fraction

from fltheory.theory import reductions as r


def verified(steps: list[r.Step]) -> bool:
    return bool(steps) and all(step.verified for step in steps)


def test_convexity_against_numbers() -> None:
    assert verified(r.convexity())
    points, weights = [Fraction(3), Fraction(-1), Fraction(1, 2)], [Fraction(1), Fraction(0), Fraction(5, 2)]
    mean = sum(w * z for w, z in zip(weights, points, strict=True)) / sum(weights)
    assert mean**2 * sum(weights) <= sum(w * z**2 for w, z in zip(weights, points, strict=True))
