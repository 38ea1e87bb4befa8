r"""The best number of rounds T(eps) on scalar quadratics (Augenstein et al., 2022, Table 1): two-sided bounds.

T is the least number of rounds over all constant step sizes after which the error is below eps.

======  ====================================================================================================
symbol  meaning
======  ====================================================================================================
c, w    step size and variance of SGD on curvature 1; P = (1 - c)^(2K) after K steps
d       accuracy of E x^2
======  ====================================================================================================

With noise E x_T^2 is a convex combination of the start and the stationary value, so that the step size must make the latter small;
the number of rounds follows from the factor.
"""

import sympy as sp

from fltheory.theory.steps import Step, identity, sign

c, w, d, P = sp.symbols("c w d P", positive=True)


def noise_steps() -> list[Step]:
    """K steps of size c on curvature 1 with variance w each: E x^2 tends to phi = c w/(2 - c) with factor P = (1 - c)^(2K)."""
    per_round = c**2 * w * (1 - P) / (1 - (1 - c) ** 2)
    phi = c * w / (2 - c)
    return [
        identity("stationary", phi, P * phi + per_round),
        identity("phi = d at c = 2d/(w + d)", phi.subs(c, 2 * d / (w + d)), d),
        identity("phi = d/2 at c = 2d/(2w + d)", phi.subs(c, 2 * d / (2 * w + d)), d / 2),
        identity("(1 - c)/c there", ((1 - c) / c).subs(c, 2 * d / (w + d)), (w - d) / (2 * d)),
        sign("phi grows with c", sp.diff(phi, c) * (2 - c) ** 2, ((c, 0, 1), (w, 0, None))),
    ]


#: The bounds of :func:`noise_rounds`; ``many`` steps a round, each with variance w.
many = sp.Symbol("many", positive=True)
NOISE_LOW = sp.log(1 / d) * (w - d) / (4 * many * d)
NOISE_HIGH = 1 + sp.log(2 / d) * (2 * w + d) / (4 * many * d)


def noise_rounds(steps: float, variance: float, delta: float) -> tuple[float, float]:
    """log(1/d)(w - d)/(4 K d) <= T <= 1 + log(2/d)(2 w + d)/(4 K d), from c/(1-c) >= -log(1-c) >= c; start 1."""
    at = {many: steps, w: variance, d: delta}
    return float(NOISE_LOW.subs(at)), float(NOISE_HIGH.subs(at))
