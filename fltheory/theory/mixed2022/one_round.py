r"""Lemmas D.9, D.10 and D.12 of Augenstein et al. (2022): one round of 1-way Gradient Transfer, as displays.

========  ==========================================================================================
symbol    meaning
========  ==========================================================================================
e         effective step size K eta eta_s
drift     mean over all clients and the points where gradients are taken of E|x_i^k - x|^2
G2, gap   |grad f(x)|^2 and f(x) - f(x*) at the model x of the round
w2        |x - x*|^2
move      E|x+ - x|^2, with x+ the model after the round
near      E|x+ - x*|^2
gain      E f(x+) - f(x)
V, C      bounds sigma^2 and sigma_c^2 of the client and the central variance
========  ==========================================================================================

The update is -e (G + c + M + n) with G = grad f(x), c the central noise, M the cohort's mean of
grad f_f(x_i^k) - grad f_f(x), n the cohort's mean client noise.  :data:`FACTS` is all that is used of them: E|M|^2 <= beta^2
drift (Jensen over the cohort, every client is drawn equally often, smoothness), E|n|^2 <= sigma^2/(KS) (martingale
differences in any order of the clients that follows the steps), E|c|^2 <= sigma_c^2, and E<c, G> = E<n, G> = E<n, c> = 0.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022.vocabulary import Bound
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Step, inequality

e, eta, eta_s, K, S, beta, mu = sp.symbols("e eta eta_s K S beta mu")
drift, G2, gap, w2, move, near, gain, V, C = sp.symbols("drift G2 gap w2 move near gain V C")
M, n, c, G, b = sp.symbols("M n c G b")
fall_c, product, product_c = sp.symbols("fall_c product product_c")

NAMES = {
    "e": r"\tilde\eta",
    "eta": r"\eta",
    "eta_s": r"\eta_s",
    "beta": r"\beta",
    "mu": r"\mu",
    "drift": r"\mathcal{E}^{(t)}",
    "G2": r"\|\nabla f(x^{(t)})\|^2",
    "gap": r"(f(x^{(t)})-f(x^*))",
    "w2": r"\|x^{(t)}-x^*\|^2",
    "move": r"\mathbb{E}_{|t}\|x^{(t+1)}-x^{(t)}\|^2",
    "near": r"\mathbb{E}_{|t}\|x^{(t+1)}-x^*\|^2",
    "gain": r"\mathbb{E}_{|t}f(x^{(t+1)})-f(x^{(t)})",
    "V": r"\sigma^2",
    "C": r"\sigma_c^2",
}
HOMOGENEOUS = Condition("Assumption 4.1, E g_c = grad f_c, variance of g_c at most sigma_c^2")
SMOOTH = Condition("f_f, f_c beta-smooth")
CONVEX = Condition("f_f, f_c mu-convex, mu >= 0")
SHORT = Condition("effective step at most 1/(8 beta)", 8 * beta * e <= 1)
SHORTER = Condition("effective step at most 1/(18 beta)", 18 * beta * e <= 1)

#: Everything that is nonnegative, in an order in which the ends of later ranges may use earlier symbols.
AMOUNTS = (
    (beta, Open(0), None),
    (mu, 0, beta),
    (K, 1, None),
    (S, 1, None),
    (V, 0, None),
    (C, 0, None),
    (drift, 0, None),
)
ANY_STEP = (*AMOUNTS, (e, 0, None))
CONVEX_STEP = (*AMOUNTS, (e, 0, 1 / (8 * beta)))
SMOOTH_STEP = (*AMOUNTS, (e, 0, 1 / (18 * beta)))


def display(
    name: str,
    left: sp.Expr,
    right: sp.Expr,
    conditions: tuple[Condition, ...],
    *ids: str,
    source: str = "",
    repaired_by: str = "",
) -> Bound:
    """A display of Appendix D.2 in the symbols of this module."""
    return Bound(name, source or name, left, right, conditions, "<=", NAMES, ids, repaired_by=repaired_by)


def noise(client: sp.Expr, central: sp.Expr) -> sp.Expr:
    """client sigma^2/(KS) + central sigma_c^2."""
    return client * V / (K * S) + central * C


def variance(on_drift: sp.Expr, client: sp.Expr, central: sp.Expr, on_gradient: sp.Expr) -> sp.Expr:
    """Right side of Lemma D.9 with the given coefficients."""
    return e**2 * (on_drift * beta**2 * drift + noise(client, central) + on_gradient * G2)


def distance(decrease: sp.Expr, on_drift: sp.Expr, client: sp.Expr, central: sp.Expr, contraction: sp.Expr) -> sp.Expr:
    """Right side of Lemma D.10."""
    return (1 - contraction * mu * e) * w2 - decrease * e * gap + on_drift * drift + e**2 * noise(client, central)


def descent(decrease: sp.Expr, on_drift: sp.Expr, client: sp.Expr, central: sp.Expr) -> sp.Expr:
    """Right side of Lemma D.12, less f(x)."""
    return -decrease * e * G2 + on_drift * beta * drift + beta * e**2 * noise(client, central)


def facts(
    weight_m: sp.Expr, weight_n: sp.Expr, weight_c: sp.Expr, cross: sp.Expr
) -> dict[str, tuple[sp.Expr, sp.Expr]]:
    """What is known of M, n and c, with multipliers; ``cross`` is the multiplier of the products with mean zero."""
    return {
        "E|M|^2 <= beta^2 drift": (weight_m, beta**2 * drift - M**2),
        "E|n|^2 <= sigma^2/(KS)": (weight_n, V / (K * S) - n**2),
        "E|c|^2 <= sigma_c^2": (weight_c, C - c**2),
        "E<c, G> = E<n, G> = E<n, c> = 0": (cross, -2 * (c * G + n * G + n * c)),
    }


def split_variance(right: sp.Expr, ratio: sp.Expr, ranges: tuple[tuple[sp.Symbol, object, object], ...]) -> Step:
    """e^2 E|M + n + c + G|^2 <= right, by (1 + 1/ratio)|M|^2 + (1 + ratio)|n + c + G|^2."""
    first, second = e**2 * (1 + 1 / ratio), e**2 * (1 + ratio)
    return inequality(
        "variance of the update",
        e**2 * (M + n + c + G) ** 2,
        right.subs(G2, G**2),
        premises=facts(first, second, second, second),
        squares=[(e**2 * ratio, M / ratio - n - c - G)],
        ranges=ranges,
    )


def progress(
    right: sp.Expr,
    variance_bound: sp.Expr,
    ranges: tuple[tuple[sp.Symbol, object, object], ...],
    *,
    modulus: sp.Expr = mu / 4,
    penalty: sp.Expr = beta,
) -> Step:
    """E|x+ - x*|^2 <= right from D.4 for f_c, D.7 for f_f, the variance of the update and D.6.

    ``fall_c`` is f_c(x) - f_c(x*), so that gap - fall_c belongs to f_f; ``product`` is the mean of
    <grad f_f(x_i^k), x - x*>, ``product_c`` is <grad f_c(x), x - x*>.  These four have no sign and must cancel.
    """
    left = w2 - 2 * e * (product + product_c) + move
    spent = sp.diff(sp.expand(variance_bound), G2)
    return inequality(
        "one round",
        left,
        right,
        premises={
            "D.4 for f_c": (2 * e, product_c - fall_c - mu / 2 * w2),
            "D.7 for f_f, averaged": (2 * e, product - (gap - fall_c) - modulus * w2 + penalty * drift),
            "variance of the update": (sp.Integer(1), variance_bound - move),
            "Proposition D.6": (spent, 4 * beta * gap - G2),
        },
        ranges=(*ranges, (w2, 0, None), (gap, 0, None)),
    )


def descends(
    right: sp.Expr,
    smoothness: sp.Expr,
    ranges: tuple[tuple[sp.Symbol, object, object], ...],
    *,
    on_cross: sp.Expr,
    on_noise: sp.Expr,
    on_central: sp.Expr | None = None,
) -> Step:
    """E f(x+) - f(x) <= right for f smooth with constant ``smoothness``, without D.9.

    -e |G|^2 - e <G, M> + (smoothness/2) e^2 |M + n + c + G|^2 is bounded: -2 <G, M> by ``on_cross`` |G|^2 + |M|^2/``on_cross``,
    2 <M, n> by |M|^2/``on_noise`` + ``on_noise`` |n|^2, 2 <M, c> likewise; without ``on_central`` n + c is treated as one vector.
    """
    half = smoothness / 2 * e**2
    left = -e * (G**2 + G * M) + half * (M + n + c + G) ** 2
    share = (e - smoothness * e**2) / 2
    on_m = share / on_cross + half * (1 + 1 / on_noise + (0 if on_central is None else 1 / on_central))
    one = on_central is None
    noises = [(half * on_noise, n + (c if one else 0) - M / on_noise)]
    noises += [] if on_central is None else [(half * on_central, c - M / on_central)]
    step = inequality(
        "descent",
        left,
        right.subs(G2, G**2),
        premises=facts(on_m, half * (1 + on_noise), half * (1 + (on_noise if on_central is None else on_central)), half)
        | {"E<n, c> = 0, once more": (half * on_noise if one else sp.Integer(0), -2 * n * c)},
        squares=[(share * on_cross, G + M / on_cross), *noises],
        ranges=(*ranges, (G, 0, None)),
    )
    return step


_R = sp.Rational
LEMMA_D9 = display(
    "Lemma D.9",
    move,
    variance(sp.Integer(4), sp.Integer(4), sp.Integer(2), sp.Integer(2)),
    (HOMOGENEOUS, SMOOTH),
    "MX-LEMD9",
)
LEMMA_D9_SHARP = display(
    "Lemma D.9, sharpened",
    move,
    variance(1 + 1 / b, 1 + b, 1 + b, 1 + b),
    (HOMOGENEOUS, SMOOTH, Condition("b > 0", b > 0)),
    "MX-LEMD9-S6",
    source="Lemma D.9, sharpened",
)
LEMMA_D10 = display(
    "Lemma D.10",
    near,
    distance(sp.Integer(1), _R(5, 16), sp.Integer(4), sp.Integer(2), _R(3, 2)),
    (HOMOGENEOUS, SMOOTH, CONVEX, SHORT),
    "MX-LEMD10",
)
LEMMA_D10_SHARP = display(
    "Lemma D.10, sharpened",
    near,
    distance(_R(11, 8), _R(21, 64), _R(5, 4), _R(5, 4), _R(3, 2)),
    (HOMOGENEOUS, SMOOTH, CONVEX, SHORT),
    "MX-LEMD10-S7",
    source="Lemma D.10, sharpened",
)
LEMMA_D12 = display(
    "Lemma D.12",
    gain,
    descent(_R(4, 9), _R(1, 27), sp.Integer(2), sp.Integer(1)),
    (HOMOGENEOUS, SMOOTH, Condition("f beta-smooth, or eta_s >= sqrt(S)"), SHORTER),
    "MX-LEMD12",
)
LEMMA_D12_REPAIRED = display(
    "Lemma D.12 for f_f and f_c beta-smooth and every eta_s",
    gain,
    descent(_R(4, 9), _R(1, 27), sp.Integer(2), _R(3, 2)),
    (HOMOGENEOUS, SMOOTH, SHORTER),
    "MX-LEMD12-S7",
    source="Lemma D.12, for every eta_s",
)
LEMMA_D12_SHARP = display(
    "Lemma D.12, sharpened",
    gain,
    descent(_R(7, 9), _R(29, 324), _R(5, 4), _R(5, 4)),
    (HOMOGENEOUS, SMOOTH, SHORTER),
    "MX-LEMD12-S9",
    source="Lemma D.12, sharpened",
)
