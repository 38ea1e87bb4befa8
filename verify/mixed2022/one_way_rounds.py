r"""Theorem B.2 of Augenstein et al. (2022): the explicit bounds of Appendix D.2 on 1-way GT, inverted for the number of rounds.

A bound A/n + B/sqrt(n), n = T + 1, is at most eps once n >= 2A/eps + 4B^2/eps^2 (:func:`sublinear`); the strongly convex one is
an exponential and a noise term with a logarithm (:func:`linear`).  Both are compared with the printed terms, coefficient by
coefficient.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.mixed2022 import assembly, orders
from fltheory.theory.mixed2022.assembly import D2, SC_FINAL, F
from fltheory.theory.mixed2022.one_round import C, K, S, V, beta, mu
from fltheory.theory.mixed2022.orders import eps
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Ranges, Step, identity, sign

R = sp.Rational

PLAIN = {
    V: orders.V,
    C: orders.C,
    K: orders.K,
    S: orders.S,
    beta: orders.beta,
    mu: orders.mu,
    D2: orders.D2,
    F: orders.F,
}
NU = orders.V / (orders.K * orders.S) + orders.C
N, T = sp.Symbol("n", positive=True), sp.Symbol("T", positive=True)
#: sqrt(K), so that its powers are polynomials.
ROOT = sp.Symbol("k_root", positive=True)
_LEAST = {orders.V: 0, orders.C: 0, ROOT: 1, orders.S: 1, orders.beta: Open(0), orders.D2: 0, orders.F: 0, eps: 0}
RANGES = tuple((symbol, least, None) for symbol, least in _LEAST.items())


def compared(name: str, difference: sp.Expr, used: Ranges) -> Step:
    """A sign where the difference is rational; powers of eps are not compared."""
    simple = sp.simplify(difference)
    if not simple.is_rational_function():
        return Step(name, False, f"{simple} has other powers")
    return sign(name, simple, used)


def _parts(rate: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """Exponent, argument of the logarithm, and the rate with a letter for the exponential and one for the larger of 1/2 and it."""
    (largest,), (power,) = rate.atoms(sp.Max), rate.atoms(sp.exp)
    (logarithm,) = largest.atoms(sp.log)
    return power.args[0], logarithm.args[0], rate.subs({largest: sp.Symbol("larger"), power: sp.Symbol("power")})


def linear(factor: str, rounds: tuple[str, str]) -> list[Step]:
    """P = max(1, mu D^2/eps), p = log P: T = (16 beta/(3 mu)) (log(..) + p) + k nu/(mu eps) (1 + p) suffices; k = ``rounds[1]``.

    With T = z nu/(mu eps) the noise term is (eps/z) q (3 + max(1/2, log(45/46 mu D^2 z/eps))), q = 20 23/(17 15); for z = k (1 + p)
    its logarithm is at most p + log k + log(1 + p) <= 2p + log k (log(1 + p) <= p), and log k <= 16/5 for k <= 24 by the
    exponential series.
    """
    k, q, p = R(rounds[1]), R(20 * 23, 17 * 15), sp.Symbol("p", positive=True)
    start = R(9, 2) * orders.mu * orders.D2 * sp.exp(-3 * orders.mu * T / (16 * orders.beta))
    logarithm = sp.Max(R(1, 2), sp.log(R(45, 46) * orders.mu**2 * T * orders.D2 / NU))
    own = R(20, 17) * (start + R(23, 15) * NU / (orders.mu * T) * (3 + logarithm))
    found = SC_FINAL.expression.subs(PLAIN).subs(assembly.T, T)
    series = sum((R(16, 5) ** i / sp.factorial(i) for i in range(16)), sp.Integer(0))
    central = sp.sympify(factor, locals={"K": orders.K, "S": orders.S})
    noise = (orders.V + central * orders.C) / (orders.K * orders.S)
    same = zip(_parts(own), _parts(found), strict=True)
    return [
        *(identity(f"the explicit bound as used here, part {i}", *both) for i, both in enumerate(same, 1)),
        identity("exponential term at T = (16 beta/(3 mu)) log y", R(3, 16) * R(16, 3), 1),
        sign("(20/17)(9/2) mu D^2/y <= eps/2 for y = 11 P, exact part", R(11) - 2 * R(20, 17) * R(9, 2), ()),
        sign("T >= 8 beta/(3 mu): (16/3) log 11 >= 8/3", R(16, 3) - R(8, 3), ()),
        sign("24 <= exp(16/5)", series - k, ()),
        sign("noise term at most eps/2", k * (1 + p) - 2 * q * (3 + R(16, 5) + 2 * p), ((p, 0, None),)),
        sign("noise term against the printed one", (noise - NU).subs(orders.K, ROOT**2), RANGES[:4]),
    ]
