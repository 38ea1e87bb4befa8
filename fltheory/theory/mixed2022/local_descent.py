r"""Lemma D.12 of Augenstein et al. (2022) for f_f and f_c beta-smooth (f is 2 beta-smooth) and eta_s >= sqrt(S), as a proof.

The descent inequality for f_f is taken from x and, with the weight 2 beta e, from the local points y = x + d:

    f_f(x+) - f_f(x) <= <grad f_f(y), x+ - x> + (beta/2) |x+ - x|^2 + beta (|d|^2 - <d, x+ - x>).

That removes the product of the central noise with M, and the last product is negative since d points along x+ - x.  With
beta = 1 (losses, noise and steps scaled), u = 1/eta_s, w = G + c, W = sigma^2/(KS), p = e u (K-1)/K = eta (K-1):

======  =============================================================================================================
symbol  meaning
======  =============================================================================================================
M, n    cohort's means of h = grad f_f(y) - grad f_f(x) and of the client noise z
H, Z    cohort's means of sum_l (1 - l/(K-1)) h_l / K and of the same with z: the mean of d is -p (w/2 + H + Z)
======  =============================================================================================================

E|M|^2 <= drift and E|H|^2 <= drift by Jensen (weights at most 1), E|n|^2 <= W and E|Z|^2 <= W as z is a sequence of
martingale differences, E<Z, n> >= 0 for the same reason; c, n and Z have the mean zero, n and Z also given c.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.mixed2022 import one_round as o
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Step, inequality, sign

u, W, H, Z, b = sp.symbols("u W H Z b")
R, e, K, M, n, c, G = sp.Rational, o.e, o.K, o.M, o.n, o.c, o.G
TOP = R(1, 18)
#: drift <= (e u)^2 (K-1)/K (ON_SQUARE E|w|^2 + ON_NOISE sigma^2/K)
ON_SQUARE, ON_NOISE = R(37, 100), R(11, 20)
AMOUNTS = ((K, 1, None), (u, 0, 1), (W, 0, None), (o.C, 0, None), (o.drift, 0, None))


def from_local_points() -> Step:
    """The displayed inequality: Definition D.1 from y to x+ and from y back to x."""
    beta, d, g, fx, fy, after, move = sp.symbols("beta d g fx fy after move")
    return inequality(
        "descent from a local point",
        after - fx,
        g * move + beta / 2 * move**2 + beta * (d**2 - d * move),
        premises={
            "D.1 from y to x+": (sp.Integer(1), fy + g * (move - d) + beta / 2 * (move - d) ** 2 - after),
            "D.1 from y to x, from below": (sp.Integer(1), fx - fy + g * d + beta / 2 * d**2),
        },
        ranges=((beta, Open(0), None),),
    )


def short_drift(top: sp.Expr | None = TOP) -> list[Step]:
    """d_k = -eta (k w + sum of z + sum of h): squares by 1 + 1/20 and 21, |sum of k h|^2 <= k K drift; means over k."""
    square, V = sp.symbols("square V")
    r = e * u  # K eta
    share = r**2 * (K - 1) / K
    grown = R(21, 20) * share * ((2 * K - 1) / (6 * K) * square + V / (2 * K)) + 21 * share / 2 * o.drift
    keep = 1 - 21 * share / 2
    ranges = (*AMOUNTS, (e, 0, top), (square, 0, None), (V, 0, None))
    cohort = ((W, 0, None), (u, Open(0), 1), (o.S, 1, 1 / u**2))
    return [
        inequality(
            "drift",
            o.drift,
            share * (ON_SQUARE * square + ON_NOISE * V / K),
            premises={"recursion over the local steps": (1 / keep, grown - o.drift)},
            ranges=ranges,
        ),
        sign("feedback below one", keep, ranges),
        sign("sigma^2/(K eta_s^2) <= sigma^2/(KS)", W - u**2 * o.S * W, cohort),
    ]


def descent(decrease: sp.Expr, on_drift: sp.Expr, client: sp.Expr, central: sp.Expr, top: sp.Expr | None = TOP) -> Step:
    """The lemma's right side with these coefficients, in the scaled symbols, for effective steps up to ``top``."""
    p, w, update = e * u * (K - 1) / K, G + c, G + c + M + n
    back = p * (w / 2 + H + Z)
    left = -e * G * update + e**2 * update**2 + 2 * e * (-e * M * update + o.drift - e * back * update)
    right = -decrease * e * G**2 + on_drift * o.drift + e**2 * (client * W + central * o.C)
    squares = [(e / 2, G + M), (e**2, M)]
    squares += [
        (e**2 * p * k, z)
        for k, z in (
            (R(1, 15), w + R(15, 2) * M),
            (R(2, 15), w + R(15, 2) * H),
            (R(1), H + M),
            (R(1), H + n),
            (R(1), Z + M),
        )
    ]
    on_m, on_h = e / 2 + e**2 * p * (R(15, 4) + 2), e**2 * p * (R(15, 2) + 2)
    spent = R(11, 6) * e + e**2 * p * R(61, 4)
    premises = {
        "E|M|^2 <= drift": (on_m, o.drift - M**2),
        "E|H|^2 <= drift": (on_h, o.drift - H**2),
        "E|n|^2 <= W": (e**2 * (1 + p), W - n**2),
        "E|Z|^2 <= W": (e**2 * p, W - Z**2),
        "E|c|^2 <= sigma_c^2": (e**2, o.C - c**2),
        "E<Z, n> >= 0": (2 * e**2 * p, Z * n),
        "drift": (spent, p * e * u * ON_SQUARE * (G**2 + c**2) + e**2 * (K - 1) / K * ON_NOISE * W - o.drift),
    }
    rest = sp.expand(right - left - sum(k * z**2 for k, z in squares) - sum(k * x for k, x in premises.values()))
    for first, second in ((c, G), (n, G), (n, c), (Z, G), (Z, c)):
        product = first * second
        premises[f"E<{first}, {second}> = 0"] = (sp.Integer(1), rest.coeff(first, 1).coeff(second, 1) * product)
        rest = sp.expand(rest - premises[f"E<{first}, {second}> = 0"][1])
    squares += [(rest.coeff(x, 2), x) for x in (G, c)]
    return inequality("descent", left, right, premises=premises, squares=squares, ranges=(*AMOUNTS, (e, 0, top)))
