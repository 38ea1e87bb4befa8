"""Exact numbers: what is one, signs, words."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp
from mpmath import iv

from fltheory.theory.exact_numbers import exact, exact_sign, short

ROOT = sp.sqrt(2)


@pytest.mark.parametrize(
    ("number", "sign"),
    [
        (sp.Integer(0), 0),
        (sp.Rational(-1, 3), -1),
        (sp.oo, 1),
        (-sp.oo, -1),
        (ROOT - sp.Rational(665857, 470832), -1),  # a convergent from above
        (ROOT + sp.sqrt(3) - sp.sqrt(5 + 2 * sp.sqrt(6)), 0),
        (sp.root(2, 3) * sp.root(3, 3) - sp.root(6, 3), 0),
        (sp.cbrt(7 + 5 * ROOT) - 1 - ROOT, 0),
        (2 ** sp.Rational(-3, 4) - sp.Rational(3, 5), -1),
        (sp.exp(sp.pi * sp.sqrt(163)) - 262537412640768744, -1),  # nearly an integer
        (sp.log(2) - sp.Rational(7, 10), -1),
        (ROOT ** (-3), 1),
        (1 / (sp.pi - 3) - 7, 1),
    ],
)
def test_signs(number: sp.Expr, sign: int) -> None:
    before = iv.prec
    assert exact_sign(number) == sign and iv.prec == before


@pytest.mark.parametrize("number", [sp.Symbol("x"), sp.Float(1), sp.I, sp.nan, sp.zoo, sp.sin(1)])
def test_what_has_no_sign_here(number: sp.Expr) -> None:
    with pytest.raises(ValueError, match=r"no exact real number|no sum, product"):
        exact_sign(number)


def test_a_transcendental_zero_stays_undecided() -> None:
    with pytest.raises(ValueError, match="not decided"):
        exact_sign(sp.log(6, evaluate=False) - sp.log(2) - sp.log(3))


def test_what_is_exact() -> None:
    assert exact(Fraction(1, 3)) == sp.Rational(1, 3)
    for wrong in (True, "1", 1.0, None, sp.Float("0.5")):
        with pytest.raises(ValueError, match="no exact number"):
            exact(wrong)


def test_words() -> None:
    numbers = {10**4: "10^4", 1000: "1000", Fraction(1, 3): "1/3", ROOT: "sqrt(2) = 1.41421...", sp.oo: "oo"}
    assert {number: short(exact(number)) for number in numbers} == numbers
    assert short(sp.Integer(3) ** 200).endswith("(rounded here, compared exactly)")
