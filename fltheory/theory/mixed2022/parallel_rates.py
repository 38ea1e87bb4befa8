r"""The rounds of Parallel Training, from the recursions of :mod:`fltheory.theory.mixed2022.parallel`.

With 1/e the sum of three numbers,

    1/e = a (1 + B^2) beta + b nu/eps + c G sqrt(beta v/eps)            (convex; v = 1/eta_m^2),
    1/e = a (1 + B^2) beta + b beta nu/eps + c beta G sqrt(v/eps)       (non-convex),

the error after n rounds is at most eps as soon as n >= (1/(mu e)) log(1 + (4/3) mu D^2/eps), n >= (4/3) D^2/(e eps) or
n >= (8/3) F/(e eps).  The error is the weighted mean of E f(x^t) - f(x*), t < n, with weights (1 - mu e)^(-t) (which bounds that of
the weighted mean of the models), or the mean of E |grad f(x^t)|^2.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022 import orders
from fltheory.theory.mixed2022.orders import D2, NAMES, B, F, G, beta, mu
from fltheory.theory.mixed2022.parallel import DISSIMILAR, STEPS
from fltheory.theory.mixed2022.vocabulary import MixedBound
from fltheory.theory.ranges import SHARE

R = sp.Rational
nu = sp.Symbol("nu", positive=True)
v = sp.Symbol("v", positive=True)
#: (a, b, c) of the three cases, and the share of eps that the start may use.
PARTS = {"strongly convex": ("8", "4", "3"), "convex": ("8", "4", "3"), "non-convex": ("9", "8", "5")}
START = {"strongly convex": R(3, 4), "convex": R(3, 4), "non-convex": R(3, 8)}


def reciprocal(case: str, parts: tuple[str, str, str]) -> sp.Expr:
    """1/e in the symbols of the orders, ``v`` and ``nu``."""
    a, b, c = (R(x) for x in parts)
    if case == "non-convex":
        return a * (1 + B**2) * beta + b * beta * nu / orders.eps + c * beta * G * sp.sqrt(v / orders.eps)
    return a * (1 + B**2) * beta + b * nu / orders.eps + c * G * sp.sqrt(beta * v / orders.eps)


def rounds(case: str, parts: tuple[str, str, str]) -> sp.Expr:
    """How many rounds suffice, up to rounding up."""
    inverse = reciprocal(case, parts)
    if case == "strongly convex":
        return inverse / mu * sp.log(1 + R(4, 3) * mu * D2 / orders.eps)
    return R(4, 3) * D2 / orders.eps * inverse if case == "convex" else R(8, 3) * F / orders.eps * inverse


def display(case: str) -> MixedBound:
    """The explicit number of rounds of one case."""
    conditions = (
        Condition("Assumption 4.1, variance of g_c at most sigma_c^2"),
        Condition("f_f, f_c beta-smooth"),
        Condition(f"f_f, f_c {case}"),
        DISSIMILAR,
        *STEPS,
        Condition("1/e as stated"),
    )
    names = {**NAMES, "nu": r"\nu", "v": r"\eta_m^{-2}"}
    number = {"strongly convex": 3, "convex": 4, "non-convex": 5}[case]
    return MixedBound(
        f"rounds of Parallel Training, {case}, explicit",
        "Theorem B.1, explicit",
        "T - 1",
        rounds(case, PARTS[case]),
        conditions,
        "<=",
        names,
        (f"MX-THMB1-S{number}",),
        ranges={"v": SHARE},
    )


#: The explicit numbers of rounds by case.
ROUNDS = {case: display(case) for case in PARTS}
