r"""Rounds of 2-way Gradient Transfer (Algorithm 1 of Augenstein et al., 2022): a proof of its own for Theorem B.3.

Rates: eta_c = eta eta_s, eta_s >= 1, gt_c renewed with the rate eta_c (the printed divisor if eta_s = 1), J = K.  The renewed
gt_c+ and gt_f+ are then the round's averages of the gradients taken, and with h = gt_c + gt_f and e = eta_m K eta_c

    x+ = x - e (h+ + h),   z := x - e h,   z+ = z - 2 e h+        (:func:`virtual_sequence`):

every round takes a step of length 2e along h+, from z, with gradients taken near x = z + e h.  All that is given to a round is
x, gt_c, gt_f.  With G = grad f(x), a = gt_f - grad f_f(x), b = gt_c - grad f_c(x), q = a + b = h - G (beta = 1: losses, noise
and step sizes scaled):

=======  ==================================================================================================================
symbol   meaning
=======  ==================================================================================================================
w        x - x*
M, n     h+ - G = M + n: means of the differences of true gradients between the local points and x, and of the noise
Mf, Mc   the two parts of M, of the clients and of the centre; nf, nc of n
sf, sc   grad f_f(x+) - grad f_f(x) and the same of f_c; s their sum
d        grad f(z) - grad f(x)
E        sum of the two drifts, each the mean of E|local point - x|^2 over the points where gradients are taken
H        E|h+ + h|^2
W        sigma^2/(KS) + sigma_c^2/K
X        scatter of the clients: a number with e r u sigma^2/K <= top sigma^2/(KS) + X; 0 if e r u S <= top, else e r u sigma^2/K
r, u     1/eta_m^2 and 1/eta_s^2
=======  ==================================================================================================================

Used of them: E|Mf|^2 + E|Mc|^2 <= E (Jensen, smoothness), E|n|^2 <= W (martingale differences; centre and clients draw
independently), E<n, v> = 0 for v known at the start of the round, |sf|, |sc| <= |x+ - x|, |s| <= 2 |x+ - x|, |d| <= 2 e |h|.
M and n may depend on each other.  Expectations are given the start of the round; a tower of them gives the recursion.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.two_way_bounds import CONVEX_TOP, SMOOTH_TOP
from fltheory.theory.proofs import Open
from fltheory.theory.record import remembered
from fltheory.theory.steps import Ranges, Step, identity, inequality, sign
from verify.mixed2022 import local_steps
from verify.mixed2022.local_steps import STEP

R = sp.Rational
e, mu, K, S, G, M, n = one_round.e, one_round.mu, one_round.K, one_round.S, one_round.G, one_round.M, one_round.n
w, q, a, d, s, r, u = sp.symbols("w q a d s r u")
Mf, Mc, nf, nc, sf, sc = sp.symbols("Mf Mc nf nc sf sc")
E, H, W, Wf, Wc, X = sp.symbols("E H W Wf Wc X")
#: Squares as numbers: |G|^2, |q|^2, |a|^2 + |b|^2, |w|^2, |z - x*|^2.
G2, gap = one_round.G2, one_round.gap
q2, Q, w2, z2 = sp.symbols("q_sq Q w_sq z_sq")


def amounts(top: sp.Expr) -> Ranges:
    """Everything that is nonnegative."""
    small = ((r, 0, 1), (u, 0, 1), (mu, 0, 1), (e, 0, top), (S, 1, None), (K, 1, None))
    return (*small, *((x, 0, None) for x in (E, H, W, Wf, Wc, X, G2, q2, Q, w2, z2, gap)))


def of(expressions: list[sp.Expr], top: sp.Expr) -> Ranges:
    """The ranges of the symbols that occur."""
    used: set[sp.Basic] = set().union(*(sp.sympify(x).free_symbols for x in expressions))
    return tuple(x for x in amounts(top) if x[0] in used)


def virtual_sequence(factor: sp.Expr, ratio: sp.Expr) -> list[Step]:
    """Renewals and update from the changes; ``factor``: eta_c over the divisor, ``ratio``: eta_c/(eta eta_s); printed: 1, 1."""
    x, rate, eta_s, eta_m = sp.symbols("x eta_c eta_s eta_m")
    gc, gf, c, v = sp.symbols("gc gf c v")  # gt_c, gt_f and the average gradients
    eta = rate / (ratio * eta_s)
    change_c, change_f = -rate * K * (c + gf), -eta * K * (v + gc)
    new_c, new_f = -change_c * factor / (rate * K) - gf, -change_f / (eta * K) - gc
    after = x + eta_m * (change_c + eta_s * change_f)
    step, old, new = eta_m * K * rate, gc + gf, new_c + new_f
    return [
        identity("gt_c+ is the average central gradient", new_c, c),
        identity("gt_f+ is the average federated gradient", new_f, v),
        identity("x+ = x - e (h+ + h)", after, x - step * (new + old)),
        identity("z+ = z - 2 e h+", after - step * new, (x - step * old) - 2 * step * new),
    ]


@remembered
def drift(top: sp.Expr, *, convex: bool) -> tuple[Step, ...]:
    """E <= 2 e^2 r (|G + a|^2 + |G + b|^2) + 2 top e W + 2 e X if e <= top.

    The centre's steps are d -> d - eta_c (h + v + noise) with v = grad f_c(x) + gt_f = G + a, given at the start: the proof of
    Lemma D.11 (D.13 if not convex) with v for w, 2 (K eta_c)^2 |v|^2 + 2 K eta_c^2 sigma_c^2; clients likewise with G + b.
    (K eta_c)^2 = e^2 r and (K eta)^2 = e^2 r u.
    """
    b = q - a
    square_c, square_f, part_c, part_f = (G + a) ** 2, (G + b) ** 2, sp.Symbol("E_c"), sp.Symbol("E_f")
    own = [local_steps.nonexpansive(), *local_steps.convex_sums()]
    if not convex:
        own = [local_steps.expansion(), *local_steps.smooth_sums(), sign("K eta <= 1/18", R(1, 18) - top, ())]
    whole = 2 * e**2 * r * (square_c + square_f) + 2 * e * (top * (Wf + Wc) + X)
    noise = "client noise: (K eta)^2 sigma^2/K = e (e r u S) sigma^2/(KS)"
    premises = {
        "centre": (sp.Integer(1), 2 * e**2 * r * (square_c + Wc) - part_c),
        "clients": (sp.Integer(1), 2 * e**2 * r * u * square_f + 2 * e * (top * Wf + X) - part_f),
    }
    squares = [(2 * e**2 * r * (1 - u), G + b), (2 * e * (top - e * r) * Wc, sp.Integer(1))]
    ranges, twice = of([r, u, e, Wf, Wc, X], top), [(sp.Integer(1), G - q)]
    return (
        local_steps.variance_split(sp.Integer(1)),
        local_steps.triangle(1 + 1 / local_steps.a, 1 + local_steps.a, (*STEP, (local_steps.a, Open(0), None))),
        *own,
        *local_steps.unrolling(),
        *local_steps.small_powers(),
        identity(noise, e**2 * r * u * (S * Wf), e * (e * r * u * S) * Wf),
        inequality("sum of the drifts", part_c + part_f, whole, premises=premises, squares=squares, ranges=ranges),
        identity("|G + a|^2 + |G + b|^2, a + b = q", square_c + square_f, 2 * G**2 + 2 * G * q + (a**2 + b**2)),
        inequality("2 <G, q> <= |G|^2 + |q|^2", 2 * G * q, G**2 + q**2, squares=twice, ranges=()),
    )


#: Right side of :func:`drift` with the last two steps.
def drift_bound(top: sp.Expr) -> sp.Expr:
    """2 e^2 r (3 |G|^2 + |q|^2 + |a|^2 + |b|^2) + 2 top e W + 2 e X."""
    return 2 * e**2 * r * (3 * G2 + q2 + Q) + 2 * e * (top * W + X)


#: What is known of the round, as quantities that are nonnegative in expectation (or zero).
FACTS = {
    "E|M|^2 <= 2 E": 2 * E - M**2,
    "E|n|^2 <= W": W - n**2,
    "Jensen and smoothness": E - Mf**2 - Mc**2,
    "noise": W - nf**2 - nc**2,
    "E|s|^2 <= 4 e^2 H": 4 * e**2 * H - s**2,
    "E|sf|^2 <= e^2 H": e**2 * H - sf**2,
    "E|sc|^2 <= e^2 H": e**2 * H - sc**2,
    "E<n, G> = 0": -n * G,
    "E<n, 2G + q> = 0": -n * (2 * G + q),
}


def from_facts(
    name: str, left: sp.Expr, right: sp.Expr, weights: dict[str, Any], squares: list[tuple[Any, sp.Expr]]
) -> Step:
    """``left <= right`` from multiples of the facts and squares."""
    premises = {fact: (sp.sympify(weight), FACTS[fact]) for fact, weight in weights.items()}
    whole = [(sp.sympify(weight), vector) for weight, vector in squares]
    return inequality(name, left, right, premises=premises, squares=whole, ranges=of([e, E, H, W], R(1)))


@remembered
def shared() -> tuple[Step, ...]:
    """H, and what the errors of the augmenting gradients are after the round, by E, H and W."""
    errors = (Mf + nf - sf) ** 2 + (Mc + nc - sc) ** 2
    apart = [(1, x) for m, k, v in ((Mf, nf, sf), (Mc, nc, sc)) for x in (m - k, m + v, k + v)]
    halves = "independent noises: |n|^2 = |nf|^2 + |nc|^2 when E<nf, nc> = 0"
    return (
        from_facts("|M|^2 <= 2 (|Mf|^2 + |Mc|^2)", (Mf + Mc) ** 2, 2 * E, {"Jensen and smoothness": 2}, [(1, Mf - Mc)]),
        identity(halves, (nf + nc) ** 2 - 2 * nf * nc, nf**2 + nc**2),
        from_facts(
            "H",
            (2 * G + q + M + n) ** 2,
            16 * G**2 + 4 * q**2 + 6 * E + 2 * W,
            {"E|M|^2 <= 2 E": 3, "E|n|^2 <= W": 2, "E<n, 2G + q> = 0": 2},
            [(1, 2 * G + q - M), (1, M - n), (2, 2 * G - q)],
        ),
        from_facts(
            "q+ = M + n - s",
            (M + n - s) ** 2,
            R(5, 4) * W + 20 * E + 40 * e**2 * H,
            {"E|M|^2 <= 2 E": 10, "E|n|^2 <= W": R(5, 4), "E|s|^2 <= 4 e^2 H": 10},
            [(5, M + s), (R(1, 4), n - 4 * (M - s))],
        ),
        from_facts(
            "a+ = Mf + nf - sf, b+ = Mc + nc - sc",
            errors,
            3 * E + 3 * W + 6 * e**2 * H,
            dict.fromkeys(("Jensen and smoothness", "noise", "E|sf|^2 <= e^2 H", "E|sc|^2 <= e^2 H"), 3),
            apart,
        ),
        from_facts(
            "E|h+|^2",
            (G + M + n) ** 2,
            UPDATE.subs(G2, G**2),
            {"E|M|^2 <= 2 E": 9, "E|n|^2 <= W": R(5, 4), "E<n, G> = 0": 2},
            [(R(1, 4), G - 4 * M), (R(1, 4), n - 4 * M)],
        ),
    )


H_BOUND = 16 * G2 + 4 * q2 + 6 * E + 2 * W
UPDATE = R(5, 4) * G2 + 18 * E + R(5, 4) * W


def errors_after(weights: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
    """The Lyapunov function's two error terms after the round."""
    first, second = weights
    return first * e**2 * (R(5, 4) * W + 20 * E + 40 * e**2 * H) + second * r * e**2 * (3 * E + 3 * W + 6 * e**2 * H)


def convex_round(
    contraction: sp.Expr,
    decrease: sp.Expr,
    noise: sp.Expr,
    weights: tuple[sp.Expr, sp.Expr],
    top: sp.Expr = CONVEX_TOP,
    scatter: sp.Expr | None = None,
) -> list[Step]:
    """E Phi+ <= (1 - contraction mu e) Phi - decrease e gap + noise e^2 W + scatter e^2 X for e <= top; ``None``: X = 0.

    Phi = |z - x*|^2 + weights[0] e^2 |q|^2 + weights[1] r e^2 (|a|^2 + |b|^2).  The local points enter through Lemma D.7:
    E<G + M, w> >= gap + (mu/2)|w|^2 - E, its sum over f_f and f_c.
    """
    z, move = w - e * (G + q), G + M + n
    progress = -4 * e * (gap + mu / 2 * w**2 - E) + 4 * e**2 * (
        R(13, 8) * G**2 + R(5, 8) * q**2 + 8 * E + UPDATE.subs(G2, G**2)
    )
    step = inequality(
        "progress of z",
        (z - 2 * e * move) ** 2,
        z**2 + progress,
        premises={
            "D.7 for f_f and f_c": (4 * e, (G + M) * w - gap - mu / 2 * w**2 + E),
            "E|M|^2 <= 2 E": (16 * e**2, FACTS["E|M|^2 <= 2 E"]),
            "E|h+|^2": (4 * e**2, UPDATE.subs(G2, G**2) - move**2),
            "E<n, w> = E<n, G> = E<n, q> = 0": (sp.Integer(1), n * (4 * e * w - 4 * e**2 * (G + q))),
        },
        squares=[(2 * e**2, G - q), (e**2 / 2, G - 4 * M), (e**2 / 2, q - 4 * M)],
        ranges=of([e, mu, E, W, gap], top),
    )
    first, second = weights
    before = z2 + first * e**2 * q2 + second * r * e**2 * Q
    scalar = progress.subs({w: sp.sqrt(w2), G: sp.sqrt(G2), q: sp.sqrt(q2)})
    left = z2 + scalar + errors_after(weights)
    scattered = sp.Integer(0) if scatter is None else scatter * e**2 * X
    right = (1 - contraction * mu * e) * before - decrease * e * gap + noise * e**2 * W + scattered
    drifts = drift_bound(top).subs(X, 0) if scatter is None else drift_bound(top)
    on_h = e**4 * (40 * first + 6 * r * second)
    on_e = sp.expand(left).coeff(E, 1) + 6 * on_h
    on_g = sp.expand(left).coeff(G2, 1) + 16 * on_h + 6 * e**2 * r * on_e + 6 * e**2 * 2 * mu * e
    premises = {
        "H": (on_h, H_BOUND - H),
        "drift": (on_e, drifts - E),
        "Proposition D.6": (on_g, 4 * gap - G2),
        "|w|^2 >= 3/4 |z - x*|^2 - 6 e^2 (|G|^2 + |q|^2)": (2 * mu * e, w2 - R(3, 4) * z2 + 6 * e**2 * (G2 + q2)),
    }
    every = of([e, r, mu, W, X, q2, Q, gap, z2, left, right], top)
    assembled = inequality("one round", left, right, premises=premises, ranges=every)
    near, far = R(3, 4) * z**2, w**2 + 6 * e**2 * (G**2 + q**2)
    squares = [(R(1, 4), w + 3 * e * (G + q)), (3 * e**2, G - q)]
    distance = inequality("|z - x*|^2", near, far, squares=squares, ranges=of([e], top))
    return [*drift(top, convex=True), *shared(), step, distance, assembled]


def smooth_round(
    decrease: sp.Expr, noise: sp.Expr, weights: tuple[sp.Expr, sp.Expr], top: sp.Expr = SMOOTH_TOP
) -> list[Step]:
    """E Psi+ <= Psi - decrease e |G|^2 + noise e^2 W for e <= top and X = 0, without convexity.

    Psi = f(z) + weights[0] e^2 |q|^2 + weights[1] r e^2 (|a|^2 + |b|^2); f is 2-smooth, d = grad f(z) - G, |d| <= 2 e |h|.
    """
    fall, after = sp.symbols("fall after")  # f(z) and f(z+)
    progress = -R(5, 4) * e * G**2 + 10 * e * E + 24 * e**3 * (G**2 + q**2) + 4 * e**2 * UPDATE.subs(G2, G**2)
    move, one = G + M + n, sp.Integer(1)
    premises = {
        "f is 2-smooth": (one, fall - 2 * e * (G + d) * move + 4 * e**2 * move**2 - after),
        "E<n, G + d> = 0": (one, 2 * e * (G + d) * n),
        "E|M|^2 <= 2 E": (5 * e, FACTS["E|M|^2 <= 2 E"]),
        "E|h+|^2": (4 * e**2, UPDATE.subs(G2, G**2) - move**2),
        "|d| <= 2 e |h|": (3 * e, 4 * e**2 * (G + q) ** 2 - d**2),
    }
    squares = [(e / 4, G + 4 * M), (e / 2, G + 2 * d), (e, d + M), (12 * e**3, G - q)]
    step = inequality(
        "descent of f(z)", after, fall + progress, premises=premises, squares=squares, ranges=of([e, E, W], top)
    )
    first, second = weights
    left = progress.subs({G: sp.sqrt(G2), q: sp.sqrt(q2)}) + errors_after(weights)
    right = first * e**2 * q2 + second * r * e**2 * Q - decrease * e * G2 + noise * e**2 * W
    on_h = e**4 * (40 * first + 6 * r * second)
    on_e = sp.expand(left).coeff(E, 1) + 6 * on_h
    known = {"H": (on_h, H_BOUND - H), "drift": (on_e, drift_bound(top).subs(X, 0) - E)}
    ranges = of([e, r, W, q2, Q, G2, left, right], top)
    assembled = inequality("one round", left, right, premises=known, ranges=ranges)
    return [*drift(top, convex=False), *shared(), step, assembled]
