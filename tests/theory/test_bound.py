"""A bound is one expression: LaTeX, numbers and conditions come from it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import fltheory as fl
from fltheory.theory.bound import Bound, Condition
from fltheory.theory.export import bounds_of, to_latex

VALUES = {"L": 1, "mu": 0.1, "E": 5, "V": 1.0, "Gamma": 0.1, "G2": 2.0, "D1": 3.0}


def test_curve_agrees_with_exact_substitution() -> None:
    bound = fl.theory.li2020.theorem_1
    horizons = [1, 10, 1000]
    curve = bound.curve(**VALUES, T=horizons)
    exact = [bound.exact(**{k: Fraction(str(v)) for k, v in VALUES.items()}, T=t) for t in horizons]
    np.testing.assert_allclose(curve, [float(x) for x in exact], rtol=1e-14)
    assert all(x.is_Rational for x in exact)


def test_curve_against_the_formula_typed_again() -> None:
    kappa, gamma = 10.0, 80.0
    noise = 1.0 + 6 * 1 * 0.1 + 8 * 16 * 2.0 + 4 / 2 * 25 * 2.0
    expected = kappa / (gamma + 99) * (2 * noise / 0.1 + 0.1 * gamma / 2 * 3.0)
    assert fl.theory.li2020.theorem_2.curve(**VALUES, T=100, K=2) == pytest.approx(expected, rel=1e-14)


def test_scheme_two_without_sampling_is_full_participation() -> None:
    third = fl.theory.li2020.theorem_3.curve(**VALUES, T=50, K=7, N=7)
    assert third == pytest.approx(fl.theory.li2020.theorem_1.curve(**VALUES, T=50), rel=1e-14)


def test_sharpened_bound_is_below_the_printed_one() -> None:
    horizons = np.arange(1, 2000)
    for printed, sharp in (("theorem_1", "theorem_1_sharpened"), ("theorem_2", "theorem_2_sharpened")):
        old = getattr(fl.theory.li2020, printed).curve(**VALUES, T=horizons, K=3)
        new = getattr(fl.theory.li2020, sharp).curve(**VALUES, T=horizons, K=3)
        assert np.all(new <= old * (1 + 1e-12))
        assert new[-1] < old[-1]


def test_missing_value_is_named() -> None:
    with pytest.raises(ValueError, match="needs a value for D1, T"):
        fl.theory.li2020.theorem_1.curve(**{k: v for k, v in VALUES.items() if k != "D1"})


def test_conditions() -> None:
    bound = fl.theory.li2020.theorem_3
    assert bound.unmet(mu=1, L=2, E=1, T=1, K=2, N=3) == []
    assert bound.unmet(mu=3, L=2, E=1, T=1, K=4, N=3) == ["0 < mu <= L", "1 <= K <= N"]
    with pytest.raises(ValueError, match="needs a value for K"):
        bound.unmet(mu=1, L=2, E=1, T=1, N=3)
    assert Condition("words only").holds({}) is None


def test_latex_is_made_from_the_expression() -> None:
    x = sp.Symbol("x")
    assert Bound("b", "s", "y", x**2 / 2).latex() == r"y \le \frac{x^{2}}{2}"
    assert Bound("b", "s", "y", x, relation=">=").latex() == r"y \ge x"


@pytest.mark.parametrize("document", ["li2020", "lecture2022"])
def test_export_holds_every_bound(document: str) -> None:
    bounds = bounds_of(document)
    text = to_latex(document)
    assert len(bounds) >= 3
    assert all(bound.latex() in text for bound in bounds.values())
    assert text.count(r"\item") == len(bounds)


def test_export_of_an_unknown_document() -> None:
    with pytest.raises(ValueError, match="has no symbolic bounds"):
        to_latex("nobody1999")
