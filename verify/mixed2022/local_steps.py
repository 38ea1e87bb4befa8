"""Steps of the proofs of Lemmas D.11 and D.13: how far local steps drift (:mod:`fltheory.theory.mixed2022.drift`).

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

from fltheory.theory.mixed2022.one_round import G2, C, G, K, V, beta, c, eta, eta_s
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Step, at_least, identity, inequality
from verify.mixed2022.one_way_words import SAMPLING

d, h, w, z, a, r, s, t, k, B = sp.symbols("d h w z a r s t k B")
STEP = ((beta, Open(0), None), (eta, 0, None))
#: Method and range of the proofs for convex losses.
CONVEX_WORDS = dict(
    method="induction over the local steps: variance of the client gradient (conditional mean), relaxed triangle inequality with a "
    "= K, nonexpansive steps; 2 K k/(2K - k + 1) bounds the sum of the growth's powers",
    valid_for="every N, K >= 1, dimension, eta <= 2/beta, all noise laws",
)
#: The conditions without convexity, those on the step sizes last; what they say of the symbols, and of the range.
SMOOTH_CONDITIONS = (*SAMPLING, "f_f beta-smooth", "eta_s >= 1", "effective step at most 1/(18 beta)")
SMOOTH_SIZES = ((beta, Open(0), None), (K, 1, None), (eta_s, 1, None), (V, 0, None), (C, 0, None), (G2, 0, None))
SMOOTH_VALID = (
    "every N, K >= 1, eta_s >= 1, dimension, effective step up to 1/(18 beta), beta-smooth f_f (convex or not), all noise "
    "laws"
)


def variance_split(client: sp.Expr) -> Step:
    """E|d - eta (h + w + z)|^2 <= |d - eta (h + w)|^2 + client eta^2 sigma^2."""
    left = (d - eta * (h + w + z)) ** 2
    right = (d - eta * (h + w)) ** 2 + client * eta**2 * V
    premises = {"variance": (eta**2, V - z**2), "mean zero": (2 * eta, (d - eta * (h + w)) * z)}
    return inequality("variance of the client gradient", left, right, premises=premises, ranges=(*STEP, (V, 0, None)))


def triangle(first: sp.Expr, second: sp.Expr, ranges: tuple[tuple[sp.Symbol, object, object], ...]) -> Step:
    """|u - eta w|^2 <= first |u|^2 + second eta^2 |w|^2, u = d - eta h, with a = ``a``."""
    u = d - eta * h
    left = (u - eta * w) ** 2
    right = first * u**2 + second * eta**2 * w**2
    squares = [(1 / a, u + a * eta * w), (first - 1 - 1 / a, u), (eta**2 * (second - 1 - a), w)]
    return inequality("relaxed triangle inequality", left, right, squares=squares, ranges=ranges)


def expansion() -> Step:
    """|d - eta h|^2 <= (1 + eta beta)^2 |d|^2 for beta-Lipschitz gradients."""
    left = (d - eta * h) ** 2
    right = (1 + eta * beta) ** 2 * d**2
    premises = {"|h| <= beta |d|": (eta**2 + eta / beta, beta**2 * d**2 - h**2)}
    return inequality(
        "a step of smooth functions", left, right, premises=premises, squares=[(eta / beta, beta * d + h)], ranges=STEP
    )


def nonexpansive() -> Step:
    """|d - eta h|^2 <= |d|^2 for eta <= 2/beta from <h, d> >= |h|^2/beta."""
    premises = {"cocoercivity": (2 * eta, h * d - h**2 / beta)}
    squares = [(eta * (2 / beta - eta), h)]
    ranges = ((beta, Open(0), None), (eta, 0, 2 / beta))
    return inequality(
        "a step of convex functions", (d - eta * h) ** 2, d**2, premises=premises, squares=squares, ranges=ranges
    )


def unrolling() -> list[Step]:
    """e_0 = 0 and e_k <= r e_{k-1} + B give e_k <= B s_k, s_k = 1 + r s_{k-1} = 1 + r + ... + r^{k-1}."""
    return [
        inequality("induction over k", r * B * s + B, B * (1 + r * s), ranges=[(x, 0, None) for x in (B, r, s)]),
        identity("central noise: E|w|^2 = |grad f(x)|^2 + E|c|^2 when E c = 0", (G + c) ** 2 - 2 * G * c, G**2 + c**2),
    ]


def power(K: int, exponent: int) -> Fraction:
    """(1 + 1/K)^exponent."""
    return Fraction(K + 1, K) ** exponent


def small_powers() -> list[Step]:
    """(1 + 1/K)^(K+1) <= 3 + 1/K for every K >= 1: it decreases in K (Bernoulli's inequality), and is below 3 from K = 5 on.

    With q = 1 + 1/K: (q/q')^(K+2) >= 1 + (K+2)/(K(K+2)) = q where q' belongs to K + 1, hence q^(K+1) >= q'^(K+2).
    """
    ratio = (1 + 1 / K) / (1 + 1 / (K + 1))
    return [
        identity("ratio of neighbours", ratio, 1 + 1 / (K * (K + 2))),
        identity("Bernoulli", 1 + (K + 2) / (K * (K + 2)), 1 + 1 / K),
        *(at_least(f"K = {n}", 3 + Fraction(1, n), power(n, n + 1), "too large") for n in range(1, 6)),
        at_least("at most 3 at K = 5", 3, power(5, 6), "too large"),
    ]


def geometric(K: int, count: int, growth: Fraction) -> Fraction:
    """1 + growth + ... + growth^(count-1)."""
    return sum((growth**j for j in range(count)), start=Fraction(0))


def above_exp(x: Fraction, parts: int = 512) -> Fraction:
    """A rational number above exp(x): (1/(1 - x/parts))^parts, since 1 - y <= exp(-y)."""
    return (1 / (1 - x / parts)) ** parts


def convex_sums() -> list[Step]:
    """Sum over j < k <= K of ((K+1)/K)^j: at most 2K, and times K + 1 at most 2 K^2."""
    q = sp.Symbol("q")  # q = (1 + 1/K)^(K+1)
    closed = K * (q / (1 + 1 / K) - 1)
    top, large = 3 + 1 / K - q, ((K, 1, None),)
    return [
        identity("closed form, one more term", K * (r * (1 + 1 / K) - 1) - K * (r - 1), r),
        inequality("at most 2K", closed, 2 * K, premises={"power": (K / (1 + 1 / K), top)}, ranges=large),
        inequality(
            "(K+1) times the sum is at most 2 K^2",
            (K + 1) * closed,
            2 * K**2,
            premises={"power": (K**2, top)},
            ranges=large,
        ),
    ]
