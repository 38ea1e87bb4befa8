r"""Propositions D.5, D.6 and Lemmas D.7, D.8 of Augenstein et al. (2022): displays, premises, worst functions.

A function h enters by its values and gradients at named points; symbols stand for vectors (Gram reduction).

==================  =======================================================================
symbol              meaning
==================  =======================================================================
x, y, z             points; hx, hy, hz values and gx, gy, gz gradients of h there
mu, beta, eta       convexity modulus, smoothness constant, step size
f, fs, g, gs        value and gradient of the generic client loss at x and at x* (``xs``)
fc, fcs, gc, gcs    the same of the centralised loss
F, Fs               values of the overall loss (in displays)
p                   1/N (any client weights with sum 1 do)
==================  =======================================================================

:func:`convexity` is Definition D.4 and :func:`smoothness` the quadratic upper bound of Definition D.1; both are forms
that are nonnegative.  Cocoercivity follows from them at one further point (:func:`interpolation_residual`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from fltheory.theory.averages import Averages
from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022.scalars import number
from fltheory.theory.mixed2022.vocabulary import Bound
from fltheory.theory.notation import ClientSum, Inner, NormSq
from fltheory.theory.proofs import Open
from fltheory.theory.ranges import REAL

x, y, z, hx, hy, hz, gx, gy, gz = sp.symbols("x y z hx hy hz gx gy gz")
mu, beta, eta, m = sp.symbols("mu beta eta m")
xs, f, fs, g, gs, fc, fcs, gc, gcs, p = sp.symbols("xs f fs g gs fc fcs gc gcs p")
F, Fs, G, dg, dgs, Gs = sp.symbols("F Fs G dg dgs Gs")

#: Averages over the clients; at an optimum of the overall loss the mean of the gs is -gcs.
AT_OPTIMUM = Averages(
    {g: (G, dg), gs: (-gcs, dgs)}, {f: F, fs: Fs}, common_vectors=(x, xs, gc, gcs, G), common_values=(fc, fcs, F, Fs)
)
#: The same without optimality of x*.
ANYWHERE = Averages(
    {g: (G, dg), gs: (Gs, dgs)}, {f: F, fs: Fs}, common_vectors=(x, xs, gc, gcs, G, Gs), common_values=(fc, fcs, F, Fs)
)

CLASS = ((beta, Open(0), None), (mu, 0, beta))
STEPS = (*CLASS, (eta, 0, 1 / beta))


def convexity(b: sp.Expr, hb: sp.Expr, a: sp.Expr, ha: sp.Expr, ga: sp.Expr, *, modulus: sp.Expr = mu) -> sp.Expr:
    """Definition D.4 from a to b: h(b) - h(a) - <grad h(a), b - a> - (modulus/2)|b - a|^2 >= 0."""
    return hb - ha - ga * (b - a) - modulus / 2 * (b - a) ** 2


def smoothness(b: sp.Expr, hb: sp.Expr, a: sp.Expr, ha: sp.Expr, ga: sp.Expr) -> sp.Expr:
    """Quadratic upper bound of Definition D.1 from a to b: h(a) + <grad h(a), b - a> + (beta/2)|b - a|^2 - h(b) >= 0."""
    return ha + ga * (b - a) + beta / 2 * (b - a) ** 2 - hb


def cocoercivity(b: sp.Expr, hb: sp.Expr, gb: sp.Expr, a: sp.Expr, ha: sp.Expr, ga: sp.Expr) -> sp.Expr:
    """h(b) - h(a) - <grad h(a), b - a> - |grad h(b) - grad h(a)|^2/(2 beta) >= 0 for convex beta-smooth h on R^d."""
    return convexity(b, hb, a, ha, ga, modulus=sp.Integer(0)) - (gb - ga) ** 2 / (2 * beta)


def excess() -> sp.Expr:
    """grad h(x) - grad h(y) - mu (x - y)."""
    return gx - gy - mu * (x - y)


def strong_cocoercivity() -> sp.Expr:
    """<e, (beta - mu)(x - y) - e> >= 0 with e = :func:`excess`; for beta = mu by decreasing beta to mu."""
    return excess() * ((beta - mu) * (x - y) - excess())


def monotonicity() -> sp.Expr:
    """<grad h(x) - grad h(y), x - y> - mu |x - y|^2 >= 0."""
    return (gx - gy) * (x - y) - mu * (x - y) ** 2


def interpolation_residual(modulus: sp.Expr = mu) -> sp.Expr:
    """What D.4 from y to w and D.1 from x to w leave of the interpolation inequality from y to x; vanishes identically.

    w = x - (gx - gy - modulus (x - y))/(beta - modulus); the inequality is
    h(x) - h(y) - <gy, x - y> - (modulus/2)|x - y|^2 - |gx - gy - modulus (x - y)|^2/(2 (beta - modulus)) >= 0.
    """
    hw = sp.Symbol("hw")
    e = gx - gy - modulus * (x - y)
    w = x - e / (beta - modulus)
    claimed = convexity(x, hx, y, hy, gy, modulus=modulus) - e**2 / (2 * (beta - modulus))
    return claimed - convexity(w, hw, y, hy, gy, modulus=modulus) - smoothness(w, hw, x, hx, gx)


def premise_residuals() -> list[sp.Expr]:
    """Vanish if the premises of this module follow from D.1 and D.4: cocoercivity and its strong form, monotonicity,
    Lipschitz gradient along x - y.
    """

    def interpolation(b: sp.Expr, hb: sp.Expr, gb: sp.Expr, a: sp.Expr, ha: sp.Expr, ga: sp.Expr) -> sp.Expr:
        return convexity(b, hb, a, ha, ga) - (gb - ga - mu * (b - a)) ** 2 / (2 * (beta - mu))

    both = interpolation(x, hx, gx, y, hy, gy) + interpolation(y, hy, gy, x, hx, gx)
    return [
        interpolation_residual(sp.Integer(0)),
        interpolation_residual(),
        (beta - mu) * both - strong_cocoercivity(),
        convexity(x, hx, y, hy, gy) + convexity(y, hy, x, hx, gx) - monotonicity(),
        smoothness(x, hx, y, hy, gy) + smoothness(y, hy, x, hx, gx) - (beta * (x - y) - (gx - gy)) * (x - y),
    ]


@dataclass(frozen=True)
class Kinked:
    """h(t) = slope t + (curvature/2) t^2 on the line, with curvature ``left`` for t < 0 and ``right`` for t >= 0.

    h is max(left, right)-smooth and min(left, right)-convex if both curvatures are nonnegative.
    """

    left: Fraction
    right: Fraction
    slope: Fraction = Fraction(0)

    def value(self, t: Fraction) -> Fraction:
        return self.slope * t + (self.left if t < 0 else self.right) / 2 * t * t

    def gradient(self, t: Fraction) -> Fraction:
        return self.slope + (self.left if t < 0 else self.right) * t

    def __str__(self) -> str:
        right, left = f"{self.right / 2} t^2", f"{self.left / 2} t^2"
        same = right if self.left == self.right else f"({right} for t >= 0, {left} for t < 0)"
        return f"{same}{f' + {self.slope} t' if self.slope else ''}"


@dataclass(frozen=True)
class Mixture:
    """Client losses and a centralised loss on the line, looked at in t and in the stationary point 0 of their sum."""

    clients: tuple[Kinked, ...]
    central: Kinked
    point: Fraction
    smoothness: Fraction = Fraction(1)

    def average(self, form: sp.Expr) -> Fraction:
        """The mean over the clients of a form of the generic client, at x = ``point`` and x* = 0."""
        t, zero = self.point, Fraction(0)
        common = {
            beta: self.smoothness,
            x: t,
            xs: zero,
            fc: self.central.value(t),
            fcs: self.central.value(zero),
            gc: self.central.gradient(t),
            gcs: self.central.gradient(zero),
        }
        common[G] = sum((h.gradient(t) for h in self.clients), start=zero) / len(self.clients)
        each = [{f: h.value(t), fs: h.value(zero), g: h.gradient(t), gs: h.gradient(zero)} for h in self.clients]
        return sum((number(form, common | own) for own in each), start=zero) / len(self.clients)

    def __str__(self) -> str:
        clients = ", ".join(f"f_{i + 1} = {h}" for i, h in enumerate(self.clients))
        return f"{clients}, f_c = {self.central}, beta = {self.smoothness}, x* = 0, x = {self.point}"


def mixtures(*, convex: bool = True, stationary: bool = True) -> list[Mixture]:
    """Instances with beta = 1; without convexity also curvature -1, without stationarity also slopes that do not cancel."""
    one, zero, half = Fraction(1), Fraction(0), Fraction(1, 2)
    full, flat, kink = Kinked(one, one), Kinked(zero, zero), Kinked(half, one)
    found = []
    for point in (one, -one, Fraction(2)):
        found += [
            Mixture((full,), full, point),
            Mixture((kink,), full, point),
            Mixture((full, flat), kink, point),
            Mixture((Kinked(one, one, one), Kinked(half, one, -3 * one)), Kinked(one, half, one), point),
        ]
        if not convex:
            down = Kinked(-one, -one)
            found += [Mixture((down,), full, point), Mixture((Kinked(half, half),), down, point)]
        if not stationary:
            found.append(Mixture((Kinked(zero, zero, one),), flat, point))
    return found


NAMES = {
    "hx": "h(x)",
    "hy": "h(y)",
    "hz": "h(z)",
    "gx": r"\nabla h(x)",
    "gy": r"\nabla h(y)",
    "beta": r"\beta",
    "mu": r"\mu",
    "eta": r"\eta",
    "g": r"\nabla f_k(x)",
    "gs": r"\nabla f_k(x^{*})",
    "gc": r"\nabla f_c(x)",
    "gcs": r"\nabla f_c(x^{*})",
    "F": "f(x)",
    "Fs": "f(x^{*})",
    "p": r"\frac{1}{N}",
}
CONVEX = Condition("all losses convex (title of Appendix D.1.2)")
SMOOTH = Condition("all losses beta-smooth, x* an optimum of f")
STRONG = Condition("h beta-smooth and mu-convex", sp.And(mu >= 0, mu <= beta))


def _bound(
    name: str,
    left: sp.Expr,
    right: sp.Expr,
    conditions: tuple[Condition, ...],
    *ids: str,
    relation: str = "<=",
    source: str = "",
    repaired_by: str = "",
) -> Bound:
    return Bound(name, source or name, left, right, conditions, relation, NAMES, ids, repaired_by, {"F": REAL})


PROPOSITION_D5 = _bound(
    "Proposition D.5",
    (ClientSum(p * NormSq(g - gs)) + NormSq(gc - gcs)) / (2 * beta),
    F - Fs,
    (CONVEX, SMOOTH),
    "MX-PROPD5",
)
PROPOSITION_D6 = _bound(
    "Proposition D.6",
    NormSq(ClientSum(p * g) + gc),
    4 * beta * (F - Fs),
    (CONVEX, SMOOTH),
    "MX-PROPD6",
    "MX-PROPD6-S2",
)
LEMMA_D7 = _bound(
    "Lemma D.7",
    Inner(gx, z - y),
    hz - hy + mu / 4 * NormSq(y - z) - beta * NormSq(z - x),
    (STRONG,),
    "MX-LEMD7",
    relation=">=",
)
LEMMA_D7_PROOF = _bound(
    "Lemma D.7 with the constant of its proof",
    Inner(gx, z - y),
    hz - hy + mu / 4 * NormSq(y - z) - (beta + mu) / 2 * NormSq(z - x),
    (STRONG,),
    "MX-LEMD7-S3.1",
    relation=">=",
    source="proof of Lemma D.7",
)
LEMMA_D7_SHARP = _bound(
    "Lemma D.7 for every modulus",
    Inner(gx, z - y),
    hz - hy + m / 2 * NormSq(y - z) - (beta + m * mu / (mu - m)) / 2 * NormSq(z - x),
    (STRONG, Condition("0 <= m < mu", sp.And(m >= 0, m < mu))),
    "MX-LEMD7-S4",
    relation=">=",
    source="Lemma D.7, sharpened",
)
_STEP = NormSq(x - eta * gx - y + eta * gy)
LEMMA_D8 = _bound(
    "Lemma D.8",
    _STEP,
    (1 - mu * eta) * NormSq(x - y),
    (STRONG, Condition("eta <= 1/beta", eta * beta <= 1)),
    "MX-LEMD8",
)
LEMMA_D8_SHARP = _bound(
    "Lemma D.8, sharp factor",
    _STEP,
    (1 - mu * eta) ** 2 * NormSq(x - y),
    (STRONG, Condition("eta <= 2/(beta + mu)", eta * (beta + mu) <= 2)),
    "MX-LEMD8-S4",
    source="Lemma D.8, sharpened",
)
LEMMA_D8_LONG = _bound(
    "Lemma D.8, longest step",
    _STEP,
    (1 - mu * eta) * NormSq(x - y),
    (STRONG, Condition("eta <= (2 beta - mu)/beta^2", eta * beta**2 <= 2 * beta - mu)),
    "MX-LEMD8-S5",
    source="Lemma D.8, sharpened",
)
