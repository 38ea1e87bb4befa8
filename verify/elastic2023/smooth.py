r"""Assumption A4 and Lemmas 5 and 6 of the elastic aggregation supplement: smooth and strongly convex functions.

Displays; symbols stand for vectors.

| symbol        | meaning                                                     |
|---------------|-------------------------------------------------------------|
| beta, mu      | smoothness and strong convexity, 0 <= mu <= beta            |
| x, y, z       | points; ``h_x``, ``g_x`` value and gradient of h at x       |
| eta, theta    | step size; share of the modulus that is kept                |

Worst cases are one-dimensional: :class:`KinkedLine` is a quadratic with one curvature on each side of 0.
"""

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

_NAMES = {"theta": r"\theta", "h_x": "h(x)", "h_y": "h(y)", "h_z": "h(z)", "g_x": r"\nabla h(x)", "g_y": r"\nabla h(y)"}
_CLASS = Condition("h is beta-smooth and mu-strongly convex, mu >= 0")
_SMOOTH = Condition("h is beta-smooth")
_STEP = Condition("0 <= eta <= 1/beta", sp.Le(eta * beta, 1))


def at_pair(expression: sp.Expr, pair: tuple[Fraction, Fraction]) -> Fraction:
    """The value of an expression at (mu, beta)."""
    return exact_value(expression, {mu: pair[0], beta: pair[1]})


display = Bound.displays(_NAMES, ranges={"theta": NONNEGATIVE})
_PROOF_5, _PROOF_6, _AT_LEAST = "proof of Lemma 5", "proof of Lemma 6", {"relation": ">="}
_FIRST = h_x + Inner(g_x, y - x)
_SQUARE = beta / 2 * NormSq(y - x)
UPPER_BOUND = display("quadratic upper bound", h_y, _FIRST + _SQUARE, (_SMOOTH,), "EL-A4", source="A4")
LOWER_BOUND = display("quadratic lower bound", h_y, _FIRST - _SQUARE, (_SMOOTH,), "EL-A4-S1", source="A4", **_AT_LEAST)
_BOUNDED = (Condition("h is twice continuously differentiable, |H| <= beta"),)
FROM_HESSIANS = display(
    "smoothness from bounded Hessians",
    NormSq(g_y - g_x),
    beta**2 * NormSq(x - y),
    _BOUNDED,
    "EL-A4-HESS-S1",
    source="A4",
)


def _lemma_5(name: str, closeness: sp.Expr, shift: sp.Expr, id: str, *more: Condition) -> Bound:
    """``<g_x, z-y> >= h(z) - h(y) + closeness |y-z|^2 - shift |z-x|^2``."""
    right = h_z - h_y + closeness * NormSq(y - z) - shift * NormSq(z - x)
    return display(
        f"perturbed strong convexity{name}",
        Inner(g_x, z - y),
        right,
        (_CLASS, *more),
        id,
        source="Lemma 5, (12)",
        **_AT_LEAST,
    )


LEMMA_5 = _lemma_5("", mu / 4, beta, "EL-LEM5.1")
LEMMA_5_SHARP = _lemma_5(", sharp", mu / 4, (beta + mu) / 2, "EL-LEM5-S1")
_SHARE = Condition("0 <= theta < 1", sp.And(theta >= 0, theta < 1))
LEMMA_5_SHARE = _lemma_5(
    ", any share of the modulus", theta * mu / 2, beta / 2 + mu / 2 * theta / (1 - theta), "EL-LEM5-S2", _SHARE
)
_LEFT, _RIGHT = Inner(g_x, z - x), h_z - h_x - beta / 2 * NormSq(z - x)
BY_SMOOTHNESS = display("smoothness", _LEFT, _RIGHT, (_SMOOTH,), "EL-LEM5.2", source=_PROOF_5, **_AT_LEAST)
_LEFT, _RIGHT = Inner(g_x, x - y), h_x - h_y + mu / 2 * NormSq(y - x)
BY_CONVEXITY = display("strong convexity", _LEFT, _RIGHT, (_CLASS,), "EL-LEM5.3", source=_PROOF_5, **_AT_LEAST)
_LEFT, _RIGHT = mu / 2 * NormSq(y - x), mu / 4 * NormSq(y - z) - mu / 2 * NormSq(x - z)
BY_TRIANGLE = display("relaxed triangle inequality", _LEFT, _RIGHT, (), "EL-LEM5.4", source=_PROOF_5, **_AT_LEAST)
_LEFT, _RIGHT = (beta + mu) / 2 * NormSq(y - x), beta * NormSq(y - x)
BY_ORDER = display("modulus and smoothness", _LEFT, _RIGHT, (_CLASS,), "EL-LEM5.5", source=_PROOF_5)

_STEPPED, _APART, _PRODUCT = NormSq(x - eta * g_x - y + eta * g_y), NormSq(x - y), Inner(g_x - g_y, x - y)
_LONG = Condition("eta >= 0", sp.Ge(eta, 0))
LEMMA_6 = display(
    "contractive map", _STEPPED, (1 - mu * eta) * _APART, (_CLASS, _STEP), "EL-LEM6.1", source="Lemma 6, (13)"
)
_EXACT = sp.Max((1 - mu * eta) ** 2, (1 - beta * eta) ** 2) * _APART
LEMMA_6_SHARP = display("contractive map, sharp", _STEPPED, _EXACT, (_CLASS, _LONG), "EL-LEM6-S1", source="Lemma 6")
_RIGHT = _APART + (eta**2 * beta - 2 * eta) * _PRODUCT
BY_COCOERCIVITY = display("cocoercivity", _STEPPED, _RIGHT, (_CLASS,), "EL-LEM6.2", source=_PROOF_6)
_RIGHT = -eta * mu * _APART
BY_MONOTONICITY = display("strong monotonicity", -eta * _PRODUCT, _RIGHT, (_CLASS,), "EL-LEM6.4", source=_PROOF_6)


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
