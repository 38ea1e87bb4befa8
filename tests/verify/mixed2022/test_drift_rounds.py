"""Bounds on the best number of rounds against brute force over step sizes, and exact values of expressions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from fltheory.theory.mixed2022.scalars import number
from verify.mixed2022 import drift_rounds as rounds
from verify.mixed2022 import table_1_noise


def first_round(step: float, slope: float, tol: float) -> int:
    """Parallel Training on curvatures (1, 1/2), K = 2: rounds from 1 until |x| < tol."""
    q_f, q_c, x = step * (2 - step), step * (2 - step / 2), 1.0
    for done in range(10**6):
        if abs(x) < tol:
            return done
        x -= q_f * (x + slope) + q_c * (x / 2 - slope)
        if done > 400 and abs(x) > 2 * tol and abs(x - slope * 2 * step / (12 - 5 * step)) < 1e-12:
            break
    return 10**6


@pytest.mark.parametrize(("slope", "accuracy"), [(1.0, 1e-4), (20.0, 1e-3)])
def test_drift_bounds_bracket_the_best_step(slope: float, accuracy: float) -> None:
    tol = (4 * accuracy / 3) ** 0.5
    best = min(first_round(step, slope, tol) for step in np.geomspace(1e-4, 1 / 48, 60))
    assert np.log(1 / tol) / -np.log(1 - 18 * tol / slope) <= best <= 1 + np.log(2 / tol) / -np.log(1 - 4 * tol / slope)


@pytest.mark.parametrize("algorithm", ["PT", "1-w GT", "2-w GT"])
@pytest.mark.parametrize("source", ["clients", "centre"])
def test_draws_of_a_round_are_those_of_the_algorithm(
    algorithm: str, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert all(step.verified for step in table_1_noise.drawn_as_said(algorithm, source, 2, 2))
    many, variance = table_1_noise.INNER[algorithm, source]
    wrong = {**table_1_noise.INNER, (algorithm, source): (many, 2 * variance)}
    monkeypatch.setattr(table_1_noise, "INNER", wrong)
    assert not all(step.verified for step in table_1_noise.drawn_as_said(algorithm, source, 2, 2))


@pytest.mark.parametrize(("many", "variance"), [(1, 1.0), (4, 0.5)])
def test_noise_bounds_bracket_the_best_step(many: int, variance: float) -> None:
    accuracy = 1e-2

    def needed(step: float) -> float:
        """Rounds until E x^2 < accuracy; E x_T^2 = phi + factor^T (1 - phi)."""
        phi, factor = step * variance / (2 - step), (1 - step) ** (2 * many)
        ratio = (accuracy - phi) / (1 - phi)
        return float(np.ceil(np.log(ratio) / np.log(factor))) if ratio > 0 else np.inf

    best = min(needed(step) for step in np.geomspace(1e-4, 0.9, 4000))
    low, high = rounds.noise_rounds(many, variance, accuracy)
    assert low <= best <= high
    assert all(step.verified for step in rounds.noise_steps())


def test_numbers_are_those_of_sympy() -> None:
    x, y = sp.symbols("x y")
    form = (x**2 - sp.Rational(3, 7) * y) / (1 + x * y) ** 2 + y**-1
    assert number(form, {x: Fraction(2, 3), y: 5}) == Fraction(str(form.subs({x: sp.Rational(2, 3), y: 5})))
    assert number(sp.Max(x, y) ** 2, {x: Fraction(1, 2), y: 3}) == 9  # neither sum nor product nor power: by sympy
    for bad in (sp.sqrt(x), 1 / (x - 2), x + y):
        with pytest.raises(ValueError, match="not rational"):
            number(bad, {x: 2})
