"""Reductions: what their steps prove against sequences and averages in exact numbers, and what they must not prove."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import pytest
import sympy as sp

from fltheory.theory import reductions as r
from fltheory.theory.mixed2022.scalars import number
from fltheory.theory.proofs import Open

a, c, d, t, x, y = sp.symbols("a c d t x y")
RANGES = ((a, 0, None), (c, 0, None), (d, 0, None))


def verified(steps: list[r.Step]) -> bool:
    return bool(steps) and all(step.verified for step in steps)


@pytest.mark.parametrize("factor", [Fraction(0), Fraction(1, 3), Fraction(5, 2)])
def test_the_closed_form_is_what_the_recursion_gives(factor: Fraction) -> None:
    closed, steps = r.unrolled(a, c, d, ranges=RANGES)
    assert verified(steps)
    run = list(accumulate(range(6), lambda state, _: factor * state + Fraction(2, 7), initial=Fraction(3)))
    for round_, state in enumerate(run):
        assert number(closed, {a: factor, c: Fraction(2, 7), d: Fraction(3), r.POWER: factor**round_}) == state


def test_the_closed_form_for_given_rates() -> None:
    eta, mu = sp.symbols("eta mu")
    closed, steps = r.unrolled(
        1 - mu * eta, c * eta**2, d, ranges=((mu, Open(0), None), (eta, Open(0), 1 / mu), *RANGES[1:])
    )
    assert verified(steps)
    assert sp.simplify(closed - (r.POWER * d + (1 - r.POWER) * c * eta / mu)) == 0
    _, longer = r.unrolled(1 - mu * eta, c, d, ranges=((mu, Open(0), None), (eta, Open(0), 2 / mu), *RANGES[1:]))
    assert [step.verified for step in longer] == [True, False, True]  # a negative factor turns the inequality round


def test_a_factor_of_one_is_telescoped() -> None:
    with pytest.raises(ValueError, match="factor=1"):
        r.unrolled(1, c, d, ranges=RANGES)
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


def test_telescoping_against_a_run() -> None:
    assert verified(r.telescoped(c)) and verified(r.telescoped(-(c**2)))
    gaps, noise, state = [Fraction(1, 2), Fraction(0), Fraction(2, 3)], Fraction(1, 5), Fraction(4)
    begin = state
    for count, gap in enumerate(gaps, start=1):
        state += noise - gap
        assert sum(gaps[:count]) == begin - state + count * noise


@pytest.mark.parametrize(
    ("rhs", "good"),
    [(a * x - c * y + d, True), (x**2, False), (x * y, False), (sp.sqrt(x), False), (x / (1 + y), False)],
)
def test_only_affine_bounds_average(rhs: sp.Expr, good: bool) -> None:
    assert r.average_of_affine(rhs, (x, y)).verified is good


def test_a_coefficient_that_is_averaged_too_is_no_constant() -> None:
    assert r.average_of_affine(a * x, (x,)).verified
    assert not r.average_of_affine(a * x, (x, a)).verified


def test_convexity_against_numbers() -> None:
    assert verified(r.convexity())
    points, weights = [Fraction(3), Fraction(-1), Fraction(1, 2)], [Fraction(1), Fraction(0), Fraction(5, 2)]
    mean = sum(w * z for w, z in zip(weights, points, strict=True)) / sum(weights)
    assert mean**2 * sum(weights) <= sum(w * z**2 for w, z in zip(weights, points, strict=True))
