r"""Gradient descent on one function: Section 2.1.5 of Nesterov (2004).

A round of FedAvg with one local step of every client is such a step on the clients' mean loss.

========  =======================================
symbol    meaning
========  =======================================
L, mu     smoothness, strong convexity
s, R      step size, steps
D1        |x_0 - x*|^2
========  =======================================
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.conditions import Condition
from fltheory.theory.ranges import NONNEGATIVE, POSITIVE, WHOLE

L, s = sp.symbols("L s", positive=True)
mu, D1, R = sp.symbols("mu D1 R", nonnegative=True)

display = Bound.displays(
    {"D1": r"\|x_0-x^*\|^2"},
    ranges={"L": POSITIVE, "s": POSITIVE, "mu": NONNEGATIVE, "D1": NONNEGATIVE, "R": WHOLE},
)
_ONE = (Condition("f is L-smooth and mu-strongly convex, exact gradients"), Condition("mu <= L", sp.Le(mu, L)))

gradient_descent_distance = display(
    "Theorem 2.1.15, distance",
    r"\|x_R-x^*\|^2",
    (1 - 2 * s * mu * L / (mu + L)) ** R * D1,
    (*_ONE, Condition("s <= 2/(mu + L)", sp.Le(s * (mu + L), 2))),
    source="Nesterov 2004, Theorem 2.1.15",
)
gradient_descent_gap = display(
    "Theorem 2.1.15, function values",
    r"f(x_R)-f^*",
    L / 2 * ((L - mu) / (L + mu)) ** (2 * R) * D1,
    (*_ONE, Condition("s = 2/(mu + L)", sp.Eq(s * (mu + L), 2))),
    source="Nesterov 2004, Theorem 2.1.15",
)
gradient_descent_convex = display(
    "Corollary 2.1.2, without strong convexity",
    r"f(x_R)-f^*",
    2 * L * D1 / (R + 4),
    (Condition("f is convex and L-smooth, exact gradients"), Condition("s = 1/L", sp.Eq(s * L, 1))),
    source="Nesterov 2004, Corollary 2.1.2",
)
