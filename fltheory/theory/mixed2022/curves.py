r"""Distances at constant steps, for every round: what the recursions of the three algorithms unroll to.

For a plot beside a run with constant rates (:func:`fltheory.plot` with ``quantity="squared_distance"``); T = t + 1 counts
models, the start included.  ``e`` is the effective step: K eta eta_s, with merging K eta_c eta_m = K eta eta_s eta_m.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022 import one_round as o
from fltheory.theory.mixed2022 import parallel as p
from fltheory.theory.mixed2022 import two_way_bounds as two_way
from fltheory.theory.mixed2022.assembly import CONVEX, D2, T
from fltheory.theory.mixed2022.vocabulary import Bound
from fltheory.theory.proofs import Open
from fltheory.theory.reductions import POWER, unrolled
from fltheory.theory.steps import Step, identity, inequality

R = sp.Rational
Gd, eta_m = sp.symbols("G eta_m")
LEFT = r"\mathbb{E}\|x^{(t)}-x^*\|^2,\ t=T-1"
NAMES = {**o.NAMES, "D_sq": r"\|x^{(0)}-x^*\|^2", "eta_m": r"\eta_m"}
_POSITIVE = Condition("mu > 0", o.mu > 0)
#: start_error: E |gt_f - grad f_f|^2 + E |gt_c - grad f_c|^2 at the first model.
_STARTED = Condition("gt_c, gt_f started at the gradients", sp.Eq(sp.Symbol("start_error"), 0))
_RANGES = ((o.beta, Open(0), None), (o.mu, 0, o.beta), (o.K, 1, None), (o.S, 1, None), (o.V, 0, None), (o.C, 0, None))

#: (contraction, noise per round) of the recursions, for one e.
ONE_WAY = (R(3, 2), o.e**2 * o.noise(R(23, 10), R(23, 10)))
PARALLEL = (
    R(1),
    R(8, 5) * o.e**2 * (o.V / (o.K * o.S) + o.C / o.K) + 3 * o.beta * o.e**3 * Gd**2 / eta_m**2,
)
TWO_WAY = (two_way.CONTRACTION, two_way.NOISE * o.e**2 * two_way.W)
#: |x - x*|^2 is at most this times Phi, the quantity that the recursion of 2-way GT is about.
OF_PHI = R(3, 2)


def distance(contraction: sp.Expr, noise: sp.Expr) -> sp.Expr:
    """(1 - contraction mu e)^t D^2 + noise (1 - (1 - contraction mu e)^t)/(contraction mu e)."""
    factor = 1 - contraction * o.mu * o.e
    power = factor ** (T - 1)
    return power * D2 + noise * (1 - power) / (1 - factor)


def steps(contraction: sp.Expr, noise: sp.Expr, *, top: sp.Expr, used: sp.Expr, decrease: sp.Expr) -> list[Step]:
    """The gap dropped (it is nonnegative), and the induction over rounds; ``used`` is the noise of the recursion."""
    more = ((D2, 0, None), (Gd, 0, None), (eta_m, 1, None), (o.e, 0, top / o.beta))
    ranges = tuple(
        r for r in (*_RANGES, *more) if r[0] in {*noise.free_symbols, o.beta, o.mu, o.e, D2, *used.free_symbols}
    )
    factor = 1 - contraction * o.mu * o.e
    after = sp.Symbol("after")
    drop = inequality(
        "gap dropped",
        after,
        factor * o.w2 + noise,
        premises={"recursion": (sp.Integer(1), factor * o.w2 - decrease * o.e * o.gap + used - after)},
        ranges=(*ranges, (o.gap, 0, None)),
    )
    closed, induction = unrolled(factor, noise, D2, ranges=ranges)
    power = factor ** (T - 1)
    return [drop, *induction, identity("closed form", closed.subs(POWER, power), distance(contraction, noise))]


def one_way_steps(noise: sp.Expr = ONE_WAY[1]) -> list[Step]:
    """From MX-CVX-REC-S1: 5/4 + 21/(20 S) <= 23/10, decrease 11/8 - 21/(40 S) > 0."""
    used = o.e**2 * o.noise(R(23, 10), R(5, 4) + R(21, 20) / o.S)
    return steps(ONE_WAY[0], noise, top=R(1, 8), used=used, decrease=R(11, 8) - R(21, 40) / o.S)


def parallel_steps(noise: sp.Expr = PARALLEL[1]) -> list[Step]:
    """From MX-THMB1-S1."""
    return steps(PARALLEL[0], noise, top=R(1, 16), used=PARALLEL[1], decrease=R(3, 2))


def two_way_steps(noise: sp.Expr = TWO_WAY[1], factor: sp.Expr = OF_PHI) -> list[Step]:
    """From MX-THMB3-S1.2, whose Phi is at least |z - x*|^2 + 3 e^2 |h - grad f(x)|^2 with x = z + e h, and D^2 at the start."""
    X, g, q = sp.symbols("X g q")  # x - x*, grad f(x), h - grad f(x); |g| <= 2 beta |X|
    phi = (X - o.e * g - o.e * q) ** 2 + 3 * o.e**2 * q**2
    part = X - o.e * g
    share = factor * R(3, 4)  # factor (P - e q)^2 + 3 factor (e q)^2 = 4 factor (e q - P/4)^2 + (3/4) factor P^2
    distance_of_phi = inequality(
        "distance from Phi",
        X**2,
        factor * phi,
        premises={"f is 2 beta-smooth": (o.e / o.beta, 4 * o.beta**2 * X**2 - g**2)},
        squares=[
            (4 * factor, o.e * q - part / 4),
            (o.e / o.beta, g - share * o.beta * X),
            (share * o.e**2, g),
            (share - 1 - 4 * o.e * o.beta - share**2 * o.e * o.beta, X),
        ],
        ranges=((o.beta, Open(0), None), (o.e, 0, R(1, 81) / o.beta)),
    )
    used = TWO_WAY[1]
    return [distance_of_phi, *steps(TWO_WAY[0], noise, top=R(1, 81), used=used, decrease=two_way.DECREASE)]


ONE_WAY_DISTANCE = Bound(
    "1-way GT, distance at a constant step",
    "Appendix D.2.1, unrolled",
    LEFT,
    distance(*ONE_WAY),
    (*CONVEX, _POSITIVE),
    "<=",
    NAMES,
    ("MX-CVX-REC-S9",),
)
PARALLEL_DISTANCE = Bound(
    "Parallel Training, distance at a constant step",
    "Theorem B.1, unrolled",
    LEFT,
    distance(*PARALLEL),
    (*p.CONVEX_RECURSION.conditions, _POSITIVE),
    "<=",
    NAMES,
    ("MX-THMB1-S6",),
)
TWO_WAY_DISTANCE = Bound(
    "2-way GT, distance at a constant step",
    "Theorem B.3, unrolled",
    LEFT,
    OF_PHI * distance(*TWO_WAY),
    (*two_way.CONVEX, _POSITIVE, _STARTED),
    "<=",
    NAMES,
    ("MX-THMB3-S3",),
)
