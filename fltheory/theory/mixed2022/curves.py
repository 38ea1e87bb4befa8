r"""Distances at constant steps, for every round: what the recursions of the three algorithms unroll to.

For a plot beside a run with constant rates (:func:`fltheory.plot` with ``quantity="squared_distance"``); T = t + 1 counts
models, the start included.  ``e`` is the effective step: K eta eta_s, with merging K eta_c eta_m = K eta eta_s eta_m.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022 import two_way_bounds as two_way
from fltheory.theory.mixed2022.assembly import CONVEX, D2, T
from fltheory.theory.mixed2022.one_round import C, K, S, V, beta, e, mu
from fltheory.theory.mixed2022.parallel import CONVEX_RECURSION
from fltheory.theory.mixed2022.vocabulary import MixedBound

R = sp.Rational
Gd, eta_m = sp.symbols("G eta_m")
LEFT = r"\mathbb{E}\|x^{(t)}-x^*\|^2,\ t=T-1"
NAMES = {**one_round.NAMES, "D_sq": r"\|x^{(0)}-x^*\|^2", "eta_m": r"\eta_m"}
_POSITIVE = Condition("mu > 0", mu > 0)
#: start_error: E |gt_f - grad f_f|^2 + E |gt_c - grad f_c|^2 at the first model.
_STARTED = Condition("gt_c, gt_f started at the gradients", sp.Eq(sp.Symbol("start_error"), 0))

#: (contraction, noise per round) of the recursions, for one e.
ONE_WAY = (R(3, 2), e**2 * one_round.noise(R(23, 10), R(23, 10)))
PARALLEL = (R(1), R(8, 5) * e**2 * (V / (K * S) + C / K) + 3 * beta * e**3 * Gd**2 / eta_m**2)
TWO_WAY = (two_way.CONTRACTION, two_way.NOISE * e**2 * two_way.W)
#: |x - x*|^2 is at most this times Phi, the quantity that the recursion of 2-way GT is about.
OF_PHI = R(3, 2)


def distance(contraction: sp.Expr, noise: sp.Expr) -> sp.Expr:
    """(1 - contraction mu e)^t D^2 + noise (1 - (1 - contraction mu e)^t)/(contraction mu e)."""
    factor = 1 - contraction * mu * e
    power = factor ** (T - 1)
    return power * D2 + noise * (1 - power) / (1 - factor)


display = MixedBound.displays(NAMES)
ONE_WAY_DISTANCE = display(
    "1-way GT, distance at a constant step",
    LEFT,
    distance(*ONE_WAY),
    (*CONVEX, _POSITIVE),
    "MX-CVX-REC-S9",
    source="Appendix D.2.1, unrolled",
)
PARALLEL_DISTANCE = display(
    "Parallel Training, distance at a constant step",
    LEFT,
    distance(*PARALLEL),
    (*CONVEX_RECURSION.conditions, _POSITIVE),
    "MX-THMB1-S6",
    source="Theorem B.1, unrolled",
)
TWO_WAY_DISTANCE = display(
    "2-way GT, distance at a constant step",
    LEFT,
    OF_PHI * distance(*TWO_WAY),
    (*two_way.CONVEX, _POSITIVE, _STARTED),
    "MX-THMB3-S3",
    source="Theorem B.3, unrolled",
)
