r"""FedLin with equal numbers of local steps: gradients corrected by the clients' mean gradient at the server's model.

It is :class:`~fltheory.algorithms.gradient_corrected.GradientCorrected` with ``eta = 1/(6 L H)``.  The constant was not compared
with the print word by word: the tests hold it against exact worst cases.

=========  ================================
symbol     meaning
=========  ================================
L, mu      smoothness, strong convexity
s, H, R    step size, local steps, rounds
F0         f(x_0) - f*
=========  ================================
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.conditions import Condition
from fltheory.theory.ranges import COUNT, NONNEGATIVE, POSITIVE, WHOLE

L, mu, s = sp.symbols("L mu s", positive=True)
H, R, F0 = sp.symbols("H R F0", nonnegative=True)

fedlin = Bound(
    "FedLin, strongly convex",
    "Mitra et al. 2021, Theorem 1, equal numbers of local steps",
    r"f(x_R)-f^*",
    (1 - mu / (6 * L)) ** R * F0,
    (
        Condition(
            "every f_k is L-smooth and mu-strongly convex, equal weights, exact gradients, all clients take part"
        ),
        Condition("mu <= L", sp.Le(mu, L)),
        Condition("s = 1/(6 L H)", sp.Eq(6 * s * L * H, 1)),
    ),
    symbol_names={"F0": r"\left(f(x_0)-f^*\right)"},
    ranges={**dict.fromkeys(("L", "mu", "s"), POSITIVE), "H": COUNT, "R": WHOLE, "F0": NONNEGATIVE},
)
