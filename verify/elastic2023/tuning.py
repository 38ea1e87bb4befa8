r"""Lemmas 1 and 2 of the elastic aggregation supplement, sums that the step size tunes: their displays.

| symbol        | meaning                                                                  |
|---------------|--------------------------------------------------------------------------|
| mu, eta       | contraction parameter and constant step size, ``q = mu eta`` in (0, 1)   |
| eta_max       | largest step size allowed                                                |
| R             | number of rounds; the sums have R + 1 terms                              |
| d_0           | first term of the sequence                                               |
| c, c_1, c_2   | noise constants                                                          |
| a             | ``mu^2 R d_0/c``, what the logarithm of Lemma 1 is taken of              |

``P`` stands for ``(1-q)^R`` wherever a rational expression is proved for all R.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.elastic2023.vocabulary import Bound

mu, eta, eta_max, R = sp.symbols("mu eta eta_max R", positive=True)
d_0, c, c_1, c_2 = sp.symbols("d_0 c c_1 c_2", nonnegative=True)
q, P, W = sp.symbols("q P W", positive=True)

#: (1-q)^R is at most this when R q >= 1/2.
HALF = sp.exp(-sp.Rational(1, 2))
_NAMES = {"eta_max": r"\eta_{\max}", "W": "W_R"}
_SIZE = mu**2 * R * d_0 / c
_LOG_STEP = sp.log(sp.Max(1, _SIZE)) / (mu * R)
_ENOUGH = Condition("R >= 1/(2 mu eta_max)", sp.Ge(2 * mu * eta_max * R, 1))
_ENOUGH_ETA = Condition("R >= 1/(2 mu eta)", sp.Ge(2 * mu * eta * R, 1))
_RANGE = Condition("0 < eta_max <= 1/mu", sp.Le(mu * eta_max, 1))
_STEP = Condition("0 < eta < 1/mu", sp.Lt(mu * eta, 1))


def _psi(name: str, place: str, right: sp.Expr, conditions: tuple[Condition, ...] = (), **more: Any) -> Bound:
    """A bound of Psi_R."""
    return Bound(name, place, r"\Psi_R", right, conditions, symbol_names=_NAMES, **more)


LEMMA_1 = _psi(
    "Lemma 1, the hidden logarithm written out",
    "Lemma 1, (7)",
    mu * d_0 * sp.exp(-mu * eta_max * R) + c / (mu * R) * (1 + sp.log(sp.Max(1, _SIZE))),
    (_RANGE, _ENOUGH),
    relation="O",
    ids=("EL-LEM1",),
)
LEMMA_1_EXPLICIT = _psi(
    "Lemma 1 with constants",
    "Lemma 1",
    mu * d_0 * sp.exp(-mu * eta_max * R) / (1 - HALF) + c / (mu * R) * (2 + sp.log(sp.Max(2, _SIZE))),
    (_RANGE, _ENOUGH),
    ids=("EL-LEM1-S1",),
)
VARYING = _psi(
    "Lemma 1 with varying steps, no logarithm",
    "Section 7.2",
    4 * mu * d_0 * sp.exp(-mu * eta_max * R / 2) + 8 * c / (mu * R),
    (_RANGE, _ENOUGH),
    ids=("EL-L1-LOG[up to the constant in the exponent]",),
)
TELESCOPED = _psi("sum telescoped", "proof of Lemma 1", d_0 / (eta * W) + c * eta, (_STEP,), ids=("EL-L1-TEL",))
TELESCOPED_SHARP = _psi(
    "sum telescoped, sharp",
    "proof of Lemma 1",
    (1 - mu * eta) * d_0 / (eta * W) + c * eta,
    (_STEP,),
    ids=("EL-L1-TEL-S1",),
)
WEIGHTS = Bound(
    "sum of the weights",
    "proof of Lemma 1",
    r"\eta W_R",
    (1 - mu * eta) ** (-R) / (3 * mu),
    (_STEP, _ENOUGH_ETA),
    relation=">=",
    ids=("EL-L1-GEO[exponent R]", "EL-L1-GEO[exponent R+1]"),
)
WEIGHTS_SHARP = Bound(
    "sum of the weights, sharp",
    "proof of Lemma 1",
    r"\eta W_R",
    (1 - HALF) * (1 - mu * eta) ** (-R) / mu,
    (_STEP, _ENOUGH_ETA),
    relation=">=",
    ids=("EL-L1-GEO-S1",),
)
BEFORE_TUNING = Bound(
    "before tuning",
    "proof of Lemma 1",
    r"\Psi_R",
    3 * mu * d_0 * sp.exp(-mu * eta * R) + c * eta,
    (_STEP, _ENOUGH_ETA),
    ids=("EL-L1-3",),
)
BEFORE_TUNING_SHARP = Bound(
    "before tuning, sharp",
    "proof of Lemma 1",
    r"\Psi_R",
    mu * d_0 * sp.exp(-mu * eta * R) / (1 - HALF) + c * eta,
    (_STEP, _ENOUGH_ETA),
    ids=("EL-L1-3-S1",),
)
CASE_ONE = _psi(
    "case 1",
    "proof of Lemma 1",
    3 * mu * d_0 * sp.exp(-mu * eta_max * R) + c * _LOG_STEP,
    (_RANGE, _ENOUGH, Condition("eta_max <= log(max(1, mu^2 R d_0/c))/(mu R)", sp.Le(eta_max, _LOG_STEP))),
    ids=("EL-L1-CASES.1", "EL-L1-CASES.2[normalised weights as limits]"),
)
CASE_TWO = _psi(
    "case 2, repaired",
    "proof of Lemma 1",
    c / (mu * R) * (3 + sp.log(sp.Max(2, _SIZE))),
    (_RANGE, _ENOUGH, Condition("the step of the case, log(max(2, mu^2 R d_0/c))/(mu R), is below eta_max")),
    ids=("EL-L1-CASES.3-R1",),
)


def lemma_2_right(first: sp.Expr, second: sp.Expr, third: sp.Expr) -> sp.Expr:
    """``first d_0/(eta_max (R+1)) + second sqrt(c_1 d_0/(R+1)) + third c_2^(1/3) (d_0/(R+1))^(2/3)``."""
    share = d_0 / (R + 1)
    return first * share / eta_max + second * sp.sqrt(c_1 * share) + third * sp.cbrt(c_2) * share ** sp.Rational(2, 3)


#: The best constant in front of the last term of Lemma 2.
THIRD_SHARP = 3 / sp.Integer(2) ** sp.Rational(2, 3)
LEMMA_2 = _psi(
    "Lemma 2",
    "Lemma 2, (8)",
    lemma_2_right(1, sp.Integer(2), sp.Integer(2)),
    ids=("EL-LEM2.1[d_0 = 0 as an infimum over the steps]", "EL-LEM2.1[a step for every sequence]"),
)
LEMMA_2_SHARP = _psi(
    "Lemma 2, sharp",
    "Lemma 2",
    lemma_2_right(1, sp.Integer(2), THIRD_SHARP),
    (Condition("d_0 > 0", sp.Gt(d_0, 0)),),
    ids=("EL-LEM2-S1",),
)
UNROLLED_2 = Bound(
    "sum unrolled", "proof of Lemma 2", r"\Psi_R", d_0 / (eta * (R + 1)) + c_1 * eta + c_2 * eta**2, ids=("EL-LEM2.2",)
)
