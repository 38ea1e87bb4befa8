"""The sharper constants of the lecture note beside what the package computes for its own algorithms."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from fltheory.theory.lecture2022.bounds import G, K, L, T, gap, s, sigma, theorem_1, theorem_3
from verify.lecture2022.worst_cases import whole_periods
from verify.lecture2022.worst_cases.cycles import cycle, delayed, touching
from verify.lecture2022.worst_cases.trade import ATTAINED
from verify.lecture2022.worst_cases.whole_periods import errors_fit, theorem_1_period, theorem_3_period


@pytest.mark.parametrize(("local_steps", "step"), [(2, Fraction(1, 12)), (5, Fraction(1, 30)), (5, Fraction(1, 500))])
def test_a_cycle_lies_between_a_quarter_and_the_theorems(local_steps: int, step: Fraction) -> None:
    setting = cycle(local_steps, step)
    needed = setting.average_gradient / (step * (local_steps - 1)) ** 2
    assert needed < Fraction(1, 4)
    assert needed > Fraction(1, 4) * (1 - local_steps * step)
    for bound in (theorem_1_period["FedAvg"], theorem_3_period, theorem_1, theorem_3):
        assert setting.average_gradient <= setting.evaluate(bound.expression)


def test_a_cycle_obeys_the_assumptions() -> None:
    setting = cycle(3, Fraction(1, 18))
    assert (setting.smoothness, setting.second_moment, setting.dissimilarity) == (1, 1, 1)
    assert setting.gap > 0


@pytest.mark.parametrize("step", [Fraction(1, 6), Fraction(1, 100), Fraction(1, 10**4)])
def test_the_printed_code_needs_a_quarter_at_one_local_step(step: Fraction) -> None:
    setting = delayed(step)
    needed = setting.average_gradient / (setting.smoothness * step * 2) ** 2
    assert Fraction(1, 4) * (1 - 4 * step) < needed < Fraction(1, 4)
    assert (setting.second_moment, setting.smoothness) == (1, 1 / (1 - step))
    assert setting.gap > 0
    assert setting.average_gradient <= setting.evaluate(theorem_1.expression)
    if setting.short_intervals:
        assert setting.average_gradient <= setting.evaluate(theorem_1_period["printed"].expression)


def test_a_step_that_touches_needs_beta() -> None:
    _, square, decrease = touching(Fraction(3, 2), Fraction(1, 4))
    assert square - decrease == Fraction(6, 5)
    with pytest.raises(ValueError, match="moves to"):
        touching(Fraction(3), Fraction(1, 4))
    assert ATTAINED.proof[0]


def test_the_proofs_are_complete_and_stop_when_the_claim_is_too_strong() -> None:
    for right, prove in (
        (theorem_1_period["FedAvg"].expression, lambda r: whole_periods.prove_period_1(r, "FedAvg")),
        (theorem_3_period.expression, whole_periods.prove_period_3),
    ):
        assert prove(right).complete
        assert not prove(right * sp.Rational(99, 100)).complete


def test_errors_of_a_period_need_the_stated_constants() -> None:
    steps = errors_fit("FedAvg", sp.Rational(249, 1000), sp.Integer(1), sp.Integer(1))
    assert not all(step.verified for step in steps)


def test_no_smaller_than_the_note_at_any_point() -> None:
    symbols = L, s, K, G, T
    values = dict(zip(symbols, (1, sp.Rational(1, 30), 5, 1, 100), strict=True)) | {gap: 1}
    new = theorem_1_period["FedAvg"].expression.subs(values)
    old = theorem_1.expression.subs(values).subs({sigma: 0})
    assert new < old
