r"""Lemmas D.2 and D.3 of Augenstein et al. (2022): sums of vectors and of dependent random vectors, as displays.

=======  ====================================================================
symbol   meaning
=======  ====================================================================
u, v     two vectors (v_i and v_j in print)
w        generic vector of the list v_1, ..., v_tau
a        positive number
Xi       generic random vector of the list Xi_1, ..., Xi_tau
xi       its mean (first part) or its conditional mean given the earlier ones
s        bound on the standard deviation (sigma in print)
tau      number of vectors
=======  ====================================================================
"""

from __future__ import annotations

import sympy as sp
from sympy.core.symbol import Str

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022.vocabulary import MixedBound
from fltheory.theory.notation import Expect, NormSq, StepSum

u, v, w, a, tau, Xi, xi, s, c = sp.symbols("u v w a tau Xi xi s c")
X = sp.Symbol("X")


NAMES = {"u": "v_i", "v": "v_j", "w": "v_i", "Xi": r"\Xi_i", "xi": r"\xi_i", "s": r"\sigma", "tau": r"\tau"}
POSITIVE = Condition("a > 0", a > 0)
VARIANCE = Condition("E|Xi_i - xi_i|^2 <= sigma^2 for every i")
MEANS = Condition("xi_i = E Xi_i; the Xi_i may depend on each other")
MARTINGALE = Condition("xi_i = E[Xi_i | Xi_{i-1}, ..., Xi_1]")


def total(x: sp.Expr) -> sp.Expr:
    """sum_{i=1}^tau x_i."""
    return StepSum(x, Str("i=1"), Str(r"\tau"))


def young(first: sp.Expr, second: sp.Expr, square: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Both sides of the identity behind D.2: |u+v|^2 = first |u|^2 + second |v|^2 - square."""
    return NormSq(u + v), first * NormSq(u) + second * NormSq(v) - square


display = MixedBound.displays(NAMES, source="Lemma D.2")
LEMMA_D2_1 = display(
    "Lemma D.2, two vectors", NormSq(u + v), (1 + a) * NormSq(u) + (1 + 1 / a) * NormSq(v), (POSITIVE,), "MX-LEMD2-1"
)
IDENTITY_D2 = display(
    "Lemma D.2, identity of the proof",
    *young(1 + a, 1 + 1 / a, NormSq(sp.sqrt(a) * u + v / sp.sqrt(a))),
    (POSITIVE,),
    "MX-LEMD2-ID",
    relation="=",
    source="proof of Lemma D.2",
    repaired_by="MX-LEMD2-ID-R1",
)
IDENTITY_D2_REPAIRED = display(
    "Lemma D.2, identity of the proof, repaired",
    *young(1 + a, 1 + 1 / a, NormSq(sp.sqrt(a) * u - v / sp.sqrt(a))),
    (POSITIVE,),
    "MX-LEMD2-ID-R1",
    relation="=",
    source="proof of Lemma D.2",
)
LEMMA_D2_2 = display(
    "Lemma D.2, tau vectors", NormSq(total(w)), tau * total(NormSq(w)), (), "MX-LEMD2-2", "MX-LEMD2-2.1"
)
JENSEN_D2 = display(
    "Lemma D.2, Jensen", NormSq(total(w) / tau), total(NormSq(w)) / tau, (), "MX-LEMD2-2.2", source="proof of Lemma D.2"
)

_SUM = Expect(NormSq(total(Xi)))
_NOISE = Expect(NormSq(total(Xi) - total(xi)))
LEMMA_D3_1 = display(
    "Lemma D.3, means", _SUM, NormSq(total(xi)) + tau**2 * s**2, (MEANS, VARIANCE), "MX-LEMD3-1", source="Lemma D.3"
)
LEMMA_D3_2 = display(
    "Lemma D.3, conditional means",
    _SUM,
    2 * Expect(NormSq(total(xi))) + 2 * tau * s**2,
    (MARTINGALE, VARIANCE),
    "MX-LEMD3-2",
    "MX-LEMD3-2.1",
    source="Lemma D.3",
)
LEMMA_D3_2_SHARP = display(
    "Lemma D.3, conditional means, sharp",
    _SUM,
    (1 + c) * Expect(NormSq(total(xi))) + (1 + (1 + 1 / c) * (tau - 1)) * s**2,
    (MARTINGALE, VARIANCE, Condition("c > 0", c > 0)),
    "MX-LEMD3-2-S1",
    source="Lemma D.3, sharpened",
)
LEMMA_D3_2_FIXED = display(
    "Lemma D.3, conditional means that are not random",
    _SUM,
    NormSq(total(xi)) + tau * s**2,
    (MARTINGALE, VARIANCE, Condition("the xi_i are not random")),
    "MX-LEMD3-2-S2",
    source="Lemma D.3, sharpened",
)
VARIANCE_D3 = display(
    "variance, as printed",
    Expect(X**2),
    Expect(X - Expect(X)) ** 2 + Expect(X) ** 2,
    (),
    "MX-LEMD3-ID",
    relation="=",
    source="proof of Lemma D.3",
    repaired_by="MX-LEMD3-ID-R1",
)
VARIANCE_D3_REPAIRED = display(
    "variance, repaired",
    Expect(X**2),
    Expect((X - Expect(X)) ** 2) + Expect(X) ** 2,
    (),
    "MX-LEMD3-ID-R1",
    relation="=",
    source="proof of Lemma D.3",
)
SEPARATION_D3 = display(
    "mean and variance of a sum",
    _SUM,
    NormSq(total(xi)) + _NOISE,
    (MEANS,),
    "MX-LEMD3-S1.1",
    relation="=",
    source="proof of Lemma D.3",
)
NOISE_D3 = display(
    "noise of a sum", _NOISE, tau**2 * s**2, (MEANS, VARIANCE), "MX-LEMD3-S1.2", source="proof of Lemma D.3"
)
CRUDE_D3 = display(
    "mean and noise by D.2",
    _SUM,
    2 * Expect(NormSq(total(xi))) + 2 * _NOISE,
    (MARTINGALE,),
    "MX-LEMD3-2.2",
    source="proof of Lemma D.3",
)
CROSS_D3 = display(
    "no cross terms",
    _NOISE,
    total(Expect(NormSq(Xi - xi))),
    (MARTINGALE,),
    "MX-LEMD3-X",
    relation="=",
    source="proof of Lemma D.3",
)
