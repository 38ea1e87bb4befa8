r"""Propositions D.5, D.6 and Lemmas D.7, D.8 of Augenstein et al. (2022): displays.

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
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022.vocabulary import MixedBound
from fltheory.theory.notation import ClientSum, Inner, NormSq
from fltheory.theory.ranges import REAL

x, y, z, hx, hy, hz, gx, gy, gz = sp.symbols("x y z hx hy hz gx gy gz")
mu, beta, eta, m = sp.symbols("mu beta eta m")
xs, f, fs, g, gs, fc, fcs, gc, gcs, p = sp.symbols("xs f fs g gs fc fcs gc gcs p")
F, Fs, G, dg, dgs, Gs = sp.symbols("F Fs G dg dgs Gs")


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


display = MixedBound.displays(NAMES, ranges={"F": REAL})
PROPOSITION_D5 = display(
    "Proposition D.5",
    (ClientSum(p * NormSq(g - gs)) + NormSq(gc - gcs)) / (2 * beta),
    F - Fs,
    (CONVEX, SMOOTH),
    "MX-PROPD5",
)
PROPOSITION_D6 = display(
    "Proposition D.6", NormSq(ClientSum(p * g) + gc), 4 * beta * (F - Fs), (CONVEX, SMOOTH), "MX-PROPD6", "MX-PROPD6-S2"
)
LEMMA_D7 = display(
    "Lemma D.7",
    Inner(gx, z - y),
    hz - hy + mu / 4 * NormSq(y - z) - beta * NormSq(z - x),
    (STRONG,),
    "MX-LEMD7",
    relation=">=",
)
LEMMA_D7_PROOF = display(
    "Lemma D.7 with the constant of its proof",
    Inner(gx, z - y),
    hz - hy + mu / 4 * NormSq(y - z) - (beta + mu) / 2 * NormSq(z - x),
    (STRONG,),
    "MX-LEMD7-S3.1",
    relation=">=",
    source="proof of Lemma D.7",
)
LEMMA_D7_SHARP = display(
    "Lemma D.7 for every modulus",
    Inner(gx, z - y),
    hz - hy + m / 2 * NormSq(y - z) - (beta + m * mu / (mu - m)) / 2 * NormSq(z - x),
    (STRONG, Condition("0 <= m < mu", sp.And(m >= 0, m < mu))),
    "MX-LEMD7-S4",
    relation=">=",
    source="Lemma D.7, sharpened",
)
_STEP = NormSq(x - eta * gx - y + eta * gy)
LEMMA_D8 = display(
    "Lemma D.8",
    _STEP,
    (1 - mu * eta) * NormSq(x - y),
    (STRONG, Condition("eta <= 1/beta", eta * beta <= 1)),
    "MX-LEMD8",
)
LEMMA_D8_SHARP = display(
    "Lemma D.8, sharp factor",
    _STEP,
    (1 - mu * eta) ** 2 * NormSq(x - y),
    (STRONG, Condition("eta <= 2/(beta + mu)", eta * (beta + mu) <= 2)),
    "MX-LEMD8-S4",
    source="Lemma D.8, sharpened",
)
LEMMA_D8_LONG = display(
    "Lemma D.8, longest step",
    _STEP,
    (1 - mu * eta) * NormSq(x - y),
    (STRONG, Condition("eta <= (2 beta - mu)/beta^2", eta * beta**2 <= 2 * beta - mu)),
    "MX-LEMD8-S5",
    source="Lemma D.8, sharpened",
)
