r"""2-way Gradient Transfer on convex scalar quadratics (Augenstein et al., 2022): Jury's conditions with a certified distance.

The characteristic polynomial is that of :func:`fltheory.theory.mixed2022.closed_forms.two_way_matrix`.

==========  =======================================================================================
symbol      meaning
==========  =======================================================================================
r_a, r_b    1 - q_c/j and 1 - q_f/k, in [0, top]
X, Y        eta_m j lambda_c and eta_m eta_s k lambda_f, in [0, top]
P, Q        eta_m eta_s k lambda_c and eta_m j lambda_f, in [0, top]
==========  =======================================================================================
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.mixed2022 import closed_forms as c
from fltheory.theory.steps import Step, sign

ra, rb, X, Y, p_, q_ = sp.symbols("r_a r_b X Y P Q")


def share() -> list[Step]:
    """0 <= lambda q <= eta K lambda for 0 <= eta lambda <= 1: induction over K with power = (1 - eta lambda)^K in [0, 1]."""
    x, power, many = sp.symbols("x power many", nonnegative=True)
    ranges = ((x, 0, 1), (power, 0, 1), (many, 0, None))
    return [sign("lambda q grows", x * power, ranges), sign("by at most eta lambda per step", x - x * power, ranges)]


def jury(top: sp.Rational) -> list[Step]:
    """2-way GT, divisor eta_c: stability of the cubic for alpha = q_c/j = 1 - r_a, phi = q_f/k = 1 - r_b.

    Y = eta_m eta_s k lambda_f, X = eta_m j lambda_c, P = eta_m eta_s k lambda_c, Q = eta_m j lambda_f in [0, top], r in [0, top].
    0 <= r_a <= (K-1) eta_c lambda_c/2 <= top, since (1 - t)^k >= 1 - k t for 0 <= t <= 1; likewise r_b.  p(1) > 0 is
    MX-ALG-STAB.4.  The other conditions keep a distance: all terms but the leading ones are at most sums of |coefficients|.
    """
    f, h, many, s, m, j, k = sp.symbols("f h many s m j k")
    matrix = sp.Matrix(
        [
            [1 - m * (h * j * (1 - ra) + s * f * k * (1 - rb)), -m * s * k * (1 - rb), -m * j * (1 - ra)],
            [h * (1 - ra), 0, -ra],
            [f * (1 - rb), -rb, 0],
        ]
    )
    coefficients = [sp.expand(x) for x in c.characteristic(matrix)]
    named = [_named(x, (f, h, s, m, j, k)) for x in coefficients]
    _, c2, c1, c0 = named
    conditions = {
        "-p(-1) > 0": 1 - c2 + c1 - c0,
        "|c0| < 1, above": 1 - c0,
        "|c0| < 1, below": 1 + c0,
        "1 - c0^2 > c1 - c0 c2": 1 - c0**2 - c1 + c0 * c2,
        "1 - c0^2 > -(c1 - c0 c2)": 1 - c0**2 + c1 - c0 * c2,
    }
    found = []
    for name, expression in conditions.items():
        polynomial = sp.Poly(sp.expand(expression), ra, rb, X, Y, p_, q_)
        constant = polynomial.coeff_monomial(1)
        rest = sum(abs(value) * top ** sum(powers) for powers, value in polynomial.terms() if any(powers))
        found.append(Step(name, bool(constant - rest > 0), f"{constant} against {rest}"))
    return found


def _named(expression: sp.Expr, names: tuple[sp.Symbol, ...]) -> sp.Expr:
    """Products of rates and curvatures as X, Y, P, Q."""
    f, h, s, m, j, k = names
    total = sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(expression)):
        powers = term.as_powers_dict()
        pairs = {X: (m, h, j), Y: (m, s, f, k), p_: (m, s, h, k), q_: (m, f, j)}
        product = sp.Integer(1)
        while any(powers.get(x, 0) > 0 for x in (m,)):
            name = next(n for n, factors in pairs.items() if all(powers.get(x, 0) >= 1 for x in factors))
            for x in pairs[name]:
                powers[x] -= 1
            product *= name
        rest = sp.prod(x**y for x, y in powers.items())
        if rest.free_symbols & set(names):
            raise ValueError(f"the term {term} is no product of the four effective curvatures")
        total += rest * product
    return total
