"""A bound is one expression: LaTeX, numbers and conditions come from it."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import fltheory as fl
from fltheory.evidence.displays import bounds_of, to_latex
from fltheory.theory.bound import Bound, Condition

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
        both = (getattr(fl.theory.li2020, name) for name in (printed, sharp))
        old, new = (bound.curve(**bound.select({**VALUES, "T": horizons, "K": 3})) for bound in both)
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


LI, LECTURE = fl.theory.li2020, fl.theory.lecture2022
NOTE = {"s": 0.1, "K": 2, "N": 4, "L": 1.0, "G": 1.0, "sigma": 1.0, "gap": 1.0, "T": 100}
RATE = dict(beta=1.0, mu=0.5, K=5, S=2, V=0.2, C=0.4, D_sq=1.0, eta_s=2, e=0.1, T=[100, 200])
SAMPLED = {**VALUES, "T": 10, "K": 2, "N": 4}
BAD = [
    (LI.theorem_1, {"G2": -9}, "G2=-9: .* needs G2 >= 0"),
    (LI.theorem_1, {"mu": 3}, "mu=3: .* needs 0 < mu <= L"),
    (LI.theorem_1, {"mu": 0}, "mu=0: .* needs 0 < mu <= L"),
    (LI.theorem_1, {"E": 0}, "E=0: .* needs E >= 1"),
    (LI.theorem_1, {"E": 2.5}, "E=2.5: .* E whole"),
    (LI.theorem_1, {"T": -5000}, "T=-5000: .* needs T >= 0"),
    (LI.theorem_1, {"T": 0}, "T=0: .* needs T >= 1"),
    (LI.theorem_1, {"T": [1, 2, -3, -4]}, "T=-3 at index 2: "),
    (LI.theorem_1, {"T": [[1, 2], [3, 0]]}, r"T=0 at index \(1, 1\): .* needs T >= 1"),
    (LI.theorem_1, {"mu": [0.1, 2], "T": [[1], [2]]}, r"L=1, mu=2 at index 1: .* 0 < mu <= L"),
    (LI.theorem_1, {"mu": [0.1, 0.2, 0.3], "T": [1, 2]}, r"do not broadcast, their shapes are T \(2,\), mu \(3,\)"),
    (LI.theorem_1, {"Gama": 1}, "Gama=1: .* did you mean Gamma?"),
    (LI.theorem_1, {"horizon": 1}, "horizon=1: .* takes D1, E, G2, Gamma, L, T, V, mu"),
    (LI.theorem_1, {"V": float("nan")}, "V=nan is not finite"),
    (LI.theorem_1, {"V": [1, float("inf")]}, "V=inf at index 1 is not finite"),
    (LI.theorem_1, {"V": None}, "V=None is no real number"),
    (LI.theorem_1, {"V": "1"}, "V='1' is no real number"),
    (LI.theorem_1, {"V": 1 + 0j}, "is no real number"),
    (LI.theorem_1, {"V": True}, "V=True is no real number"),
    (LI.theorem_1, {"V": np.array([True])}, "is no real number"),
    (LI.theorem_1, {"V": [1, None]}, "V=None is no real number"),
    (LI.theorem_1, {"V": [[1, 2], [3]]}, "rows of equal length"),
    (LI.theorem_1, {"V": 10**400}, "too large for a float"),
    (LI.theorem_1, {"L": 1e308, "D1": 1e308}, "gives nan in float64"),
    (LI.theorem_1_improved, {"Gamma": 1}, "Gamma=1: .* takes D1, E, G2, L, T, V, mu"),
    (LI.theorem_2, {"K": 0}, "K=0: .* needs K >= 1"),
    (LI.theorem_3, {"K": 5}, "K=5, N=4: .* needs 1 <= K <= N"),
    (LI.theorem_3, {"K": 1, "N": 1}, "N=1: .* needs N >= 2"),
    (LI.theorem_3_improved, {"D1": -1e-3}, "D1=-0.001: .* needs D1 >= 0"),
    (LECTURE.theorem_1, {"s": 2}, "needs 0 < s <= 1/L"),
    (LECTURE.theorem_1, {"s": -1}, "s=-1: .* needs s > 0"),
    (LECTURE.theorem_1, {"N": 0}, "N=0: .* needs N >= 1"),
    (fl.theory.mixed2022.assembly.SC_FINAL, {"T": [100, 2]}, "T=2, beta=1, mu=0.5 at index 1: .* needs T >= 8 beta"),
    (fl.theory.mixed2022.assembly.SC_FINAL, {"mu": 2.0}, "mu=2: .* needs mu <= beta"),
    (fl.theory.mixed2022.assembly.SC_FINAL, {"eta_s": 1}, "needs eta_s > sqrt"),
]


def _good(bound: Bound) -> dict[str, object]:
    return next(bound.select(v) for v in (SAMPLED, NOTE, RATE) if set(bound.symbols) <= set(v))


@pytest.mark.parametrize(("bound", "change", "message"), BAD)
def test_what_the_theorem_does_not_say_is_refused(bound: Bound, change: dict[str, object], message: str) -> None:
    assert np.all(np.isfinite(bound.curve(**_good(bound))))
    with pytest.raises(ValueError, match=message):
        bound.curve(**{**_good(bound), **change})


def test_unchecked_gives_what_the_formula_gives() -> None:
    values = {**VALUES, "T": 10}
    low = fl.theory.li2020.theorem_1.curve(**{**values, "G2": -9}, unchecked=True)
    assert low < 0 and low == float(fl.theory.li2020.theorem_1.exact(**{**values, "G2": -9}, unchecked=True))
    assert np.isnan(fl.theory.li2020.theorem_1.curve(**{**values, "mu": 0}, unchecked=True))
    assert fl.theory.li2020.theorem_1.curve(**{**values, "T": np.inf}, unchecked=True) == 0
    with pytest.raises(ValueError, match="Gama=1"):
        fl.theory.li2020.theorem_1.curve(**values, Gama=1, unchecked=True)
    with pytest.raises(ValueError, match="needs a value for D1"):
        fl.theory.li2020.theorem_1.curve(T=1, unchecked=True)


def test_exact_conditions_are_exact_and_floats_may_round() -> None:
    bound = fl.theory.lecture2022.theorem_1
    tiny = Fraction(1, 10**30)
    assert bound.exact(**{**NOTE, "s": Fraction(1, 10), "L": 10, "K": 1}).is_Rational
    with pytest.raises(ValueError, match="needs 0 < s <= 1/L"):
        bound.exact(**{**NOTE, "s": Fraction(1, 10) + tiny, "L": 10, "K": 1})
    assert bound.curve(**{**NOTE, "s": 0.1 * 3, "L": 1 / 0.3, "K": 1}) > 0
    with pytest.raises(ValueError, match="exact takes single numbers"):
        bound.exact(**{**NOTE, "T": [1, 2]})
    with pytest.raises(ValueError, match="G=-1e-30: .* needs G >= 0"):
        bound.exact(**{**NOTE, "G": -tiny})


def test_conditions_in_words_are_named_and_not_judged() -> None:
    bound = fl.theory.li2020.theorem_1
    assert "every F_k is L-smooth and mu-strongly convex" in bound.premises
    assert set(bound.premises) == {c.words for c in bound.conditions if c.relation is None}
    with pytest.raises(ValueError, match=r"needs a value for eta_s, e |needs a value for e, eta_s \(for the condition"):
        fl.theory.mixed2022.assembly.SC_FINAL.curve(**{k: v for k, v in RATE.items() if k not in ("e", "eta_s")})


def test_many_points_at_once_are_checked_fast() -> None:
    bound, times = fl.theory.li2020.theorem_1, np.arange(1, 100_001)
    bound.curve(**VALUES, T=1)
    begin = time.perf_counter()
    assert bound.curve(**VALUES, T=times).shape == times.shape
    assert time.perf_counter() - begin < 1.0


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
