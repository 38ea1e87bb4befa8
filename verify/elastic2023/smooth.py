r"""Assumption A4 and Lemmas 5 and 6 of the elastic aggregation supplement: smooth and strongly convex functions.

Premises are forms that the definitions make nonnegative; symbols stand for vectors (Gram identity).

| symbol        | meaning                                                     |
|---------------|-------------------------------------------------------------|
| beta, mu      | smoothness and strong convexity, 0 <= mu <= beta            |
| x, y, z       | points; ``h_x``, ``g_x`` value and gradient of h at x       |
| eta           | step size                                                   |

Worst cases are one-dimensional: :class:`KinkedLine` is a quadratic with one curvature on each side of 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from fltheory.theory.closure import MOVE, Closure
from fltheory.theory.conditions import Condition
from fltheory.theory.elastic2023.vocabulary import Bound
from fltheory.theory.notation import Inner, NormSq
from fltheory.theory.proofs import Certificate, Open
from fltheory.theory.steps import Step, identity
from fltheory.theory.values import exact_value

beta, mu, eta = sp.symbols("beta mu eta")
x, y, z = sp.symbols("x y z")
h_x, h_y, h_z, g_x, g_y, g_z = sp.symbols("h_x h_y h_z g_x g_y g_z")
CONSTANTS = ((beta, Open(0), None), (mu, 0, beta))
#: Where a step divides by beta - mu; mu = beta follows by continuity (:func:`at_equal_constants`).
BESIDE_EQUAL = ((beta, Open(0), None), (mu, 0, Open(beta)))
_PAIR = sp.symbols("u_ h_u_ v_ h_v_ g_v_")

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


def convexity(u: sp.Expr, h_u: sp.Expr, v: sp.Expr, h_v: sp.Expr, g_v: sp.Expr, *, modulus: sp.Expr = mu) -> sp.Expr:
    """A2 from v to u: ``h(u) - h(v) - <grad h(v), u-v> - (mu/2)|u-v|^2 >= 0``."""
    return h_u - h_v - g_v * (u - v) - modulus / 2 * (u - v) ** 2


def smoothness(
    u: sp.Expr, h_u: sp.Expr, v: sp.Expr, h_v: sp.Expr, g_v: sp.Expr, *, constant: sp.Expr = beta
) -> sp.Expr:
    """The upper bound of A4 from v to u: ``h(v) + <grad h(v), u-v> + (beta/2)|u-v|^2 - h(u) >= 0``."""
    return h_v + g_v * (u - v) + constant / 2 * (u - v) ** 2 - h_u


def interpolation(
    u: sp.Expr, h_u: sp.Expr, g_u: sp.Expr, v: sp.Expr, h_v: sp.Expr, g_v: sp.Expr, *, modulus: sp.Expr = mu
) -> sp.Expr:
    """``h(u) - h(v) - <g_v, u-v> - (mu/2)|u-v|^2 - |g_u - g_v - mu(u-v)|^2/(2(beta-mu)) >= 0`` for beta > mu."""
    excess = g_u - g_v - modulus * (u - v)
    return convexity(u, h_u, v, h_v, g_v, modulus=modulus) - excess**2 / (2 * (beta - modulus))


def interpolation_step(modulus: sp.Expr = mu) -> Step:
    """:func:`interpolation` is A4 from u to a further point w plus A2 from v to w; h(w) cancels."""
    h_w = sp.Symbol("h_w")
    w = x - (g_x - g_y - modulus * (x - y)) / (beta - modulus)
    sources = smoothness(w, h_w, x, h_x, g_x) + convexity(w, h_w, y, h_y, g_y, modulus=modulus)
    found = interpolation(x, h_x, g_x, y, h_y, g_y, modulus=modulus)
    return identity("interpolation from A2 and A4 at one further point", found, sources)


def cocoercivity(s: sp.Expr, g: sp.Expr, *, modulus: sp.Expr = mu) -> sp.Expr:
    """(beta - mu) times the sum of both interpolations: ``<g - mu s, beta s - g>``, g and s the differences."""
    return (g - modulus * s) * (beta * s - g)


def cocoercivity_step(modulus: sp.Expr = mu) -> Step:
    """:func:`cocoercivity` is the sum of the interpolations from x to y and back, times beta - mu."""
    one, two = (x, h_x, g_x), (y, h_y, g_y)
    both = interpolation(*one, *two, modulus=modulus) + interpolation(*two, *one, modulus=modulus)
    product = cocoercivity(x - y, g_x - g_y, modulus=modulus)
    return identity("cocoercivity is the sum of two interpolations", (beta - modulus) * both, product)


def cocoercivity_sources() -> list[tuple[sp.Expr, str, dict[sp.Symbol, sp.Expr]]]:
    """:func:`cocoercivity` of x, y as a sum of A4 and A2 at two further points, for :class:`~fltheory.theory.closure.Closure`."""
    listed = []
    for (u, h_u, g_u), (v, h_v, g_v) in (((x, h_x, g_x), (y, h_y, g_y)), ((y, h_y, g_y), (x, h_x, g_x))):
        w, h_w = u - (g_u - g_v - mu * (u - v)) / (beta - mu), sp.Symbol("h_w")
        for name, point, value, gradient in (("A4", u, h_u, g_u), ("A2", v, h_v, g_v)):
            listed.append((beta - mu, name, dict(zip(_PAIR, (w, h_w, point, value, gradient), strict=True))))
    return listed


def at_equal_constants(certificate: Certificate) -> Closure:
    """A certificate for mu < beta from the premise "cocoercivity", and by continuity for mu = beta.

    A function that is mu-strongly convex is so for every smaller mu.
    """
    hypotheses = {"A4": (smoothness(*_PAIR), []), "A2": (convexity(*_PAIR), [(MOVE / 2, _PAIR[0] - _PAIR[2])])}
    return Closure(certificate, mu, hypotheses, {"cocoercivity": cocoercivity_sources()})


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
