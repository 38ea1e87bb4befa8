r"""Assumption A4 and Lemmas 5 and 6 of the elastic aggregation supplement: smooth and strongly convex functions.

Displays; symbols stand for vectors.

| symbol        | meaning                                                     |
|---------------|-------------------------------------------------------------|
| beta, mu      | smoothness and strong convexity, 0 <= mu <= beta            |
| x, y, z       | points; ``h_x``, ``g_x`` value and gradient of h at x       |
| eta, theta    | step size; share of the modulus that is kept                |

Worst cases are one-dimensional: :class:`KinkedLine` is a quadratic with one curvature on each side of 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.elastic2023.vocabulary import Bound
from fltheory.theory.notation import Inner, NormSq
from fltheory.theory.ranges import NONNEGATIVE
from fltheory.theory.steps import Instance
from fltheory.theory.values import exact_value

beta, mu, eta, theta = sp.symbols("beta mu eta theta")
x, y, z = sp.symbols("x y z")
h_x, h_y, h_z, g_x, g_y, g_z = sp.symbols("h_x h_y h_z g_x g_y g_z")

#: Values of (mu, beta) for instances.
PAIRS = ((Fraction(0), Fraction(1)), (Fraction(1, 2), Fraction(1)), (Fraction(1), Fraction(1)))

_NAMES = {"h_x": "h(x)", "h_y": "h(y)", "h_z": "h(z)", "g_x": r"\nabla h(x)", "g_y": r"\nabla h(y)"}
_CLASS = Condition("h is beta-smooth and mu-strongly convex, mu >= 0")
_SMOOTH = Condition("h is beta-smooth")
_STEP = Condition("0 <= eta <= 1/beta", sp.Le(eta * beta, 1))


def at_pair(expression: sp.Expr, pair: tuple[Fraction, Fraction], step: Fraction = Fraction(0)) -> Fraction:
    """The value of an expression at (mu, beta) and a step size."""
    return exact_value(expression, {mu: pair[0], beta: pair[1], eta: step})


def lemma_5_right(closeness: sp.Expr, shift: sp.Expr) -> sp.Expr:
    """``h(z) - h(y) + closeness |y-z|^2 - shift |z-x|^2``."""
    return h_z - h_y + closeness * NormSq(y - z) - shift * NormSq(z - x)


UPPER_BOUND = Bound(
    "quadratic upper bound",
    "A4",
    h_y,
    h_x + Inner(g_x, y - x) + beta / 2 * NormSq(y - x),
    (_SMOOTH,),
    symbol_names=_NAMES,
    ids=("EL-A4",),
)
LOWER_BOUND = Bound(
    "quadratic lower bound",
    "A4",
    h_y,
    h_x + Inner(g_x, y - x) - beta / 2 * NormSq(y - x),
    (_SMOOTH,),
    relation=">=",
    symbol_names=_NAMES,
    ids=("EL-A4-S1",),
)
LEMMA_5 = Bound(
    "perturbed strong convexity",
    "Lemma 5, (12)",
    Inner(g_x, z - y),
    lemma_5_right(mu / 4, beta),
    (_CLASS,),
    relation=">=",
    symbol_names=_NAMES,
    ids=("EL-LEM5.1",),
)
LEMMA_5_SHARP = Bound(
    "perturbed strong convexity, sharp",
    "Lemma 5",
    Inner(g_x, z - y),
    lemma_5_right(mu / 4, (beta + mu) / 2),
    (_CLASS,),
    relation=">=",
    symbol_names=_NAMES,
    ids=("EL-LEM5-S1",),
)
LEMMA_5_SHARE = Bound(
    "perturbed strong convexity, any share of the modulus",
    "Lemma 5",
    Inner(g_x, z - y),
    lemma_5_right(theta * mu / 2, beta / 2 + mu / 2 * theta / (1 - theta)),
    (_CLASS, Condition("0 <= theta < 1", sp.And(theta >= 0, theta < 1))),
    relation=">=",
    symbol_names={**_NAMES, "theta": r"\theta"},
    ranges={"theta": NONNEGATIVE},
    ids=("EL-LEM5-S2",),
)
BY_SMOOTHNESS = Bound(
    "smoothness in the proof of Lemma 5",
    "proof of Lemma 5",
    Inner(g_x, z - x),
    h_z - h_x - beta / 2 * NormSq(z - x),
    (_SMOOTH,),
    relation=">=",
    symbol_names=_NAMES,
    ids=("EL-LEM5.2",),
)
BY_CONVEXITY = Bound(
    "strong convexity in the proof of Lemma 5",
    "proof of Lemma 5",
    Inner(g_x, x - y),
    h_x - h_y + mu / 2 * NormSq(y - x),
    (_CLASS,),
    relation=">=",
    symbol_names=_NAMES,
    ids=("EL-LEM5.3",),
)
BY_TRIANGLE = Bound(
    "relaxed triangle inequality in the proof of Lemma 5",
    "proof of Lemma 5",
    mu / 2 * NormSq(y - x),
    mu / 4 * NormSq(y - z) - mu / 2 * NormSq(x - z),
    relation=">=",
    ids=("EL-LEM5.4",),
)
BY_ORDER = Bound(
    "modulus and smoothness in the proof of Lemma 5",
    "proof of Lemma 5",
    (beta + mu) / 2 * NormSq(y - x),
    beta * NormSq(y - x),
    (_CLASS,),
    ids=("EL-LEM5.5",),
)
_STEPPED = NormSq(x - eta * g_x - y + eta * g_y)
LEMMA_6 = Bound(
    "contractive map",
    "Lemma 6, (13)",
    _STEPPED,
    (1 - mu * eta) * NormSq(x - y),
    (_CLASS, _STEP),
    symbol_names=_NAMES,
    ids=("EL-LEM6.1",),
)
LEMMA_6_SHARP = Bound(
    "contractive map, sharp",
    "Lemma 6",
    _STEPPED,
    sp.Max((1 - mu * eta) ** 2, (1 - beta * eta) ** 2) * NormSq(x - y),
    (_CLASS, Condition("eta >= 0", sp.Ge(eta, 0))),
    symbol_names=_NAMES,
    ids=("EL-LEM6-S1",),
)


BY_COCOERCIVITY = Bound(
    "cocoercivity in the proof of Lemma 6",
    "proof of Lemma 6",
    _STEPPED,
    NormSq(x - y) + (eta**2 * beta - 2 * eta) * Inner(g_x - g_y, x - y),
    (_CLASS,),
    symbol_names=_NAMES,
    ids=("EL-LEM6.2",),
)
BY_MONOTONICITY = Bound(
    "strong monotonicity in the proof of Lemma 6",
    "proof of Lemma 6",
    -eta * Inner(g_x - g_y, x - y),
    -eta * mu * NormSq(x - y),
    (_CLASS,),
    symbol_names=_NAMES,
    ids=("EL-LEM6.4",),
)
FROM_HESSIANS = Bound(
    "smoothness from bounded Hessians",
    "A4",
    NormSq(g_y - g_x),
    beta**2 * NormSq(x - y),
    (Condition("h is twice continuously differentiable, |H| <= beta"),),
    symbol_names=_NAMES,
    ids=("EL-A4-HESS-S1",),
)


@dataclass(frozen=True)
class KinkedLine:
    """``h(t) = slope t + (left if t < 0 else right) t^2/2``: smooth with max(|left|, |right|), convex with the min."""

    left: Fraction
    right: Fraction
    slope: Fraction = Fraction(0)

    def value(self, t: Fraction) -> Fraction:
        """h(t)."""
        return self.slope * t + (self.left if t < 0 else self.right) * t**2 / 2

    def gradient(self, t: Fraction) -> Fraction:
        """h'(t)."""
        return self.slope + (self.left if t < 0 else self.right) * t

    @property
    def text(self) -> str:
        """The function in words."""
        line = f"{self.slope} t + " if self.slope else ""
        if self.left == self.right:
            return f"h(t) = {line}{self.left} t^2/2"
        return f"h(t) = {line}{self.left} t^2/2 for t < 0, {line}{self.right} t^2/2 for t >= 0"


def on_the_line(
    bound: Bound, h: KinkedLine, points: Mapping[sp.Symbol, Fraction], constants: Mapping[sp.Symbol, Fraction]
) -> Instance:
    """A display at points of the line, both sides evaluated exactly; the smaller one is left."""
    known: dict[sp.Symbol, sp.Expr] = {symbol: sp.Rational(value) for symbol, value in {**constants, **points}.items()}
    for point, at in points.items():
        known[sp.Symbol(f"h_{point}")] = sp.Rational(h.value(at))
        known[sp.Symbol(f"g_{point}")] = sp.Rational(h.gradient(at))
    sides = [exact_value(_of_numbers(side), known) for side in (bound.left, bound.expression)]
    if bound.relation == ">=":
        sides.reverse()
    named = ", ".join(f"{symbol} = {value}" for symbol, value in {**constants, **points}.items())
    return Instance(f"{h.text}, {named}", *sides)


@cache
def _of_numbers(side: sp.Expr) -> sp.Expr:
    return side.replace(NormSq, lambda a: a**2).replace(Inner, lambda a, b: a * b)
