"""The sharper constants of the lecture note beside what the package computes for its own algorithms."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from fltheory.theory.lecture2022.bounds import G, K, L, T, gap, s, sigma, theorem_1, theorem_3
from verify.lecture2022.worst_cases import whole_periods
from verify.lecture2022.worst_cases.cycles import cycle, delayed
from verify.lecture2022.worst_cases.trade import ATTAINED, BETA, trade
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
    """The text of the factor is its formula; longer decreases move the average to where it is no longer attained."""
    for factor, step in ((sp.Integer(2), sp.Rational(1, 3)), (sp.Rational(3, 2), sp.Rational(1, 4))):
        assert sp.sympify(BETA).subs({"c": factor, "u": step}) == trade(factor, step)
    assert trade(sp.Rational(3, 2), sp.Rational(1, 4)) == sp.Rational(6, 5)
    assert ATTAINED.proof[0]
    assert not ATTAINED.changed("w <= 1 - u", "w <= 2 - u").proof[0]


def test_the_proofs_are_complete_and_stop_when_the_claim_is_too_strong() -> None:
    for right, prove in (
        (theorem_1_period["FedAvg"].expression, lambda r: whole_periods.period_1(r, "FedAvg")),
        (theorem_1_period["printed"].expression, lambda r: whole_periods.period_1(r, "printed")),
        (theorem_3_period.expression, whole_periods.period_3),
    ):
        assert all(one.proof[0] for one in prove(right).values())
        unproved = [name for name, one in prove(right * sp.Rational(99, 100)).items() if not one.proof[0]]
        assert unproved == ["final bound"]


@pytest.mark.parametrize("code", ["printed", "FedAvg"])
@pytest.mark.parametrize(
    ("name", "piece", "other"),
    [
        ("errors", "**2*G**2", "**2*G**2*99/100"),
        ("a block", "1/50*", "1/60*"),
        ("a block", "1/(6*L*m)", "1/(5*L*m)"),
        ("gradients since the average", "n <= K", "n <= K - 1"),
    ],
)
def test_a_step_of_a_period_is_not_proved_with_less(code: str, name: str, piece: str, other: str) -> None:
    stated = whole_periods.period_1(theorem_1_period[code].expression, code)[name]
    assert stated.proof[0] and not stated.changed(piece, other).proof[0]


@pytest.mark.parametrize("v", [Fraction(1, 10), Fraction(1)])
def test_deviations_grow_in_a_round_as_stated(v: Fraction) -> None:
    """One step of two clients f_i = +-x^2/2 + c_i x, against the statement, with equality if everything has one sign."""
    step, apart = Fraction(1, 12), Fraction(3)
    points, slopes = (v, -v), (-v - apart, v + apart)  # concave clients: both terms drive them apart
    after = [x - step * g for x, g in zip(points, slopes, strict=True)]
    assert sum(x**2 for x in after) / 2 == (v + step * v + step * apart) ** 2
    assert whole_periods.GROWTH.proof[0]
    assert not whole_periods.GROWTH.changed("+ L*s*sigma_G)", "+ 99/100*L*s*sigma_G)").proof[0]


def test_errors_of_a_period_need_the_stated_constants() -> None:
    assert not all(one.proof[0] for one in errors_fit("FedAvg", sp.Rational(249, 1000)).values())


def test_no_smaller_than_the_note_at_any_point() -> None:
    symbols = L, s, K, G, T
    values = dict(zip(symbols, (1, sp.Rational(1, 30), 5, 1, 100), strict=True)) | {gap: 1}
    new = theorem_1_period["FedAvg"].expression.subs(values)
    old = theorem_1.expression.subs(values).subs({sigma: 0})
    assert new < old
