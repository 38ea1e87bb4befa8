r"""Lemmas D.11 and D.13 of Augenstein et al. (2022): how far the clients drift in a round of 1-way Gradient Transfer.

A local step is d -> d - eta (h + w + noise), d = y - x, h = grad f_f(y) - grad f_f(x), w = grad f_f(x) + g_c.  Convex losses
have |d - eta h| <= |d| for eta <= 2/beta (Lemma D.8 with mu = 0), all smooth ones |d - eta h| <= (1 + eta beta)|d|.

======  =====================================================
symbol  meaning
======  =====================================================
d, h    as above
w       grad f_f(x) + g_c; v is grad f(x), so that E|w|^2 = v^2 + sigma_c^2
z       noise of one client gradient
a       parameter of the relaxed triangle inequality
r, s    growth factor, sum of its powers
======  =====================================================
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022 import one_round as o
from fltheory.theory.mixed2022.vocabulary import Bound
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Step, identity, inequality, sign

d, h, w, z, a, r, s, t, k, B = sp.symbols("d h w z a r s t k B")
STEP = ((o.beta, Open(0), None), (o.eta, 0, None))
NAMES = {**o.NAMES, "drift_a": r"\mathcal{E}^{(t)}"}
LEFT = sp.Symbol("drift_a")
CONTRACTION = Condition("eta <= 1/beta", o.eta * o.beta <= 1)
OTHER_CONDITION = Condition("eta <= 2/beta", o.eta * o.beta <= 2)
SERVER = Condition("eta_s >= 1", o.eta_s >= 1)


def variance_split(client: sp.Expr) -> Step:
    """E|d - eta (h + w + z)|^2 <= |d - eta (h + w)|^2 + client eta^2 sigma^2."""
    return inequality(
        "variance of the client gradient",
        (d - o.eta * (h + w + z)) ** 2,
        (d - o.eta * (h + w)) ** 2 + client * o.eta**2 * o.V,
        premises={"variance": (o.eta**2, o.V - z**2), "mean zero": (2 * o.eta, (d - o.eta * (h + w)) * z)},
        ranges=(*STEP, (o.V, 0, None)),
    )


def triangle(first: sp.Expr, second: sp.Expr, ranges: tuple[tuple[sp.Symbol, object, object], ...]) -> Step:
    """|u - eta w|^2 <= first |u|^2 + second eta^2 |w|^2, u = d - eta h, with a = ``a``."""
    u = d - o.eta * h
    return inequality(
        "relaxed triangle inequality",
        (u - o.eta * w) ** 2,
        first * u**2 + second * o.eta**2 * w**2,
        premises={},
        squares=[(1 / a, u + a * o.eta * w), (first - 1 - 1 / a, u), (o.eta**2 * (second - 1 - a), w)],
        ranges=ranges,
    )


def expansion() -> Step:
    """|d - eta h|^2 <= (1 + eta beta)^2 |d|^2 for beta-Lipschitz gradients."""
    return inequality(
        "a step of smooth functions",
        (d - o.eta * h) ** 2,
        (1 + o.eta * o.beta) ** 2 * d**2,
        premises={"|h| <= beta |d|": (o.eta**2 + o.eta / o.beta, o.beta**2 * d**2 - h**2)},
        squares=[(o.eta / o.beta, o.beta * d + h)],
        ranges=STEP,
    )


def nonexpansive() -> Step:
    """|d - eta h|^2 <= |d|^2 for eta <= 2/beta from <h, d> >= |h|^2/beta."""
    return inequality(
        "a step of convex functions",
        (d - o.eta * h) ** 2,
        d**2,
        premises={"cocoercivity": (2 * o.eta, h * d - h**2 / o.beta)},
        squares=[(o.eta * (2 / o.beta - o.eta), h)],
        ranges=((o.beta, Open(0), None), (o.eta, 0, 2 / o.beta)),
    )


def unrolling() -> list[Step]:
    """e_0 = 0 and e_k <= r e_{k-1} + B give e_k <= B s_k, s_k = 1 + r s_{k-1} = 1 + r + ... + r^{k-1}."""
    return [
        inequality(
            "induction over k",
            r * B * s + B,
            B * (1 + r * s),
            premises={},
            ranges=((B, 0, None), (r, 0, None), (s, 0, None)),
        ),
        identity(
            "central noise: E|w|^2 = |grad f(x)|^2 + E|c|^2 when E c = 0",
            (o.G + o.c) ** 2 - 2 * o.G * o.c,
            o.G**2 + o.c**2,
        ),
    ]


def power(K: int, exponent: int) -> Fraction:
    """(1 + 1/K)^exponent."""
    return Fraction(K + 1, K) ** exponent


def small_powers() -> list[Step]:
    """(1 + 1/K)^(K+1) <= 3 + 1/K for every K >= 1: it decreases in K (Bernoulli's inequality), and is below 3 from K = 5 on.

    With q = 1 + 1/K: (q/q')^(K+2) >= 1 + (K+2)/(K(K+2)) = q where q' belongs to K + 1, hence q^(K+1) >= q'^(K+2).
    """
    K = o.K
    ratio = (1 + 1 / K) / (1 + 1 / (K + 1))
    return [
        identity("ratio of neighbours", ratio, 1 + 1 / (K * (K + 2))),
        identity("Bernoulli", 1 + (K + 2) / (K * (K + 2)), 1 + 1 / K),
        *(Step(f"K = {n}", power(n, n + 1) <= 3 + Fraction(1, n), "too large") for n in range(1, 6)),
        Step("at most 3 at K = 5", power(5, 6) <= 3, "too large"),
    ]


def geometric(K: int, count: int, growth: Fraction) -> Fraction:
    """1 + growth + ... + growth^(count-1)."""
    return sum((growth**j for j in range(count)), start=Fraction(0))


def above_exp(x: Fraction, parts: int = 512) -> Fraction:
    """A rational number above exp(x): (1/(1 - x/parts))^parts, since 1 - y <= exp(-y)."""
    return (1 / (1 - x / parts)) ** parts


def convex_sums() -> list[Step]:
    """Sum over j < k <= K of ((K+1)/K)^j: at most 2K, and times K + 1 at most 2 K^2."""
    q, K = sp.Symbol("q"), o.K  # q = (1 + 1/K)^(K+1)
    closed = K * (q / (1 + 1 / K) - 1)
    top = 3 + 1 / K - q
    return [
        identity("closed form, one more term", K * (r * (1 + 1 / K) - 1) - K * (r - 1), r),
        inequality("at most 2K", closed, 2 * K, premises={"power": (K / (1 + 1 / K), top)}, ranges=((K, 1, None),)),
        inequality(
            "(K+1) times the sum is at most 2 K^2",
            (K + 1) * closed,
            2 * K**2,
            premises={"power": (K**2, top)},
            ranges=((K, 1, None),),
        ),
    ]


def smooth_sums() -> list[Step]:
    """The same for the growth (1 + 1/K)(1 + 1/(18K))^2 <= exp(10/(9K)): K up to 12 one by one, then by the exponential."""
    bound = (above_exp(Fraction(10, 9)) - 1) * Fraction(9, 10)
    found = [
        Step("exponential sum at most 37 K/20", bound <= Fraction(37, 20), "too large"),
        sign("(K+1) 37 K/20 <= 2 K^2 from K = 13 on", 2 * o.K - sp.Rational(37, 20) * (o.K + 1), ((o.K, 13, None),)),
    ]
    for n in range(1, 13):
        growth = Fraction(n + 1, n) * (1 + Fraction(1, 18 * n)) ** 2
        total = geometric(n, n, growth)
        found.append(Step(f"K = {n}", (n + 1) * total <= 2 * n**2 and total <= 2 * n, "too large"))
    return found


def bound(
    name: str,
    on_gap: sp.Expr,
    client: sp.Expr,
    central: sp.Expr,
    conditions: tuple[Condition, ...],
    *ids: str,
    gradient: bool = False,
    source: str = "",
    repaired_by: str = "",
) -> Bound:
    """Drift at most K^2 eta^2 (on_gap beta gap + client sigma^2/K + central sigma_c^2), or with |grad f|^2 for beta gap."""
    first = o.G2 if gradient else o.beta * o.gap
    right = o.K**2 * o.eta**2 * (on_gap * first + client * o.V / o.K + central * o.C)
    return Bound(name, source or name, LEFT, right, conditions, "<=", NAMES, ids, repaired_by=repaired_by)


_I = sp.Integer
_CONVEX = (o.HOMOGENEOUS, o.SMOOTH, o.CONVEX)
LEMMA_D11 = bound("Lemma D.11", _I(12), _I(3), _I(3), (*_CONVEX, CONTRACTION), "MX-LEMD11")
LEMMA_D11_PROOF = bound(
    "Lemma D.11, last line of its proof",
    _I(16),
    _I(2),
    _I(2),
    (*_CONVEX, CONTRACTION),
    "MX-LEMD11-S8",
    source="proof of Lemma D.11",
)
LEMMA_D11_SHARP = bound(
    "Lemma D.11, sharpened",
    _I(2),
    _I(2),
    _I(2),
    (*_CONVEX, OTHER_CONDITION),
    "MX-LEMD11-S10",
    gradient=True,
    source="Lemma D.11, sharpened",
)
LEMMA_D11_EXACT = Bound(
    "Lemma D.11 without client noise",
    "Lemma D.11, sharpened",
    LEFT,
    (o.K + 1) * (2 * o.K + 1) / 6 * o.eta**2 * (o.G2 + o.C),
    (*_CONVEX, OTHER_CONDITION, Condition("sigma = 0", sp.Eq(o.V, 0))),
    "<=",
    NAMES,
    ("MX-LEMD11-S11",),
)
LEMMA_D13 = Bound(
    "Lemma D.13",
    "Lemma D.13",
    LEFT,
    4 * o.e / (9 * o.beta * o.eta_s**2) * o.G2 + 2 * o.e**2 / o.eta_s**2 * (o.V / o.K + 4 * o.C),
    (o.HOMOGENEOUS, o.SMOOTH, SERVER, o.SHORTER),
    "<=",
    NAMES,
    ("MX-LEMD13",),
)
LEMMA_D13_SHARP = bound(
    "Lemma D.13, sharpened",
    _I(2),
    _I(2),
    _I(2),
    (o.HOMOGENEOUS, o.SMOOTH, SERVER, o.SHORTER),
    "MX-LEMD13-S7",
    gradient=True,
    source="Lemma D.13, sharpened",
)
