r"""2-way Gradient Transfer at eta_m = eta_s = 1 on strongly convex losses: rounds that grow with sigma for every cohort size.

The instance, with mu = 1/10, beta = 1, s = 1/5 and g = 2s(1 + mu):

    f_f = mu x^2/2 + (1 - mu) max(0, x)^2/2,   f_c = mu x^2/2 - g x,   x* = 2s,   x_0 = -1,

K = 2, eta_c = eta, client noise +-sigma, gt started at the gradients.  With phi = f_f', a and b the mean gradients of clients and
centre, h = a + b,

    x+ = x - e (h+ + h),   gt_f+ = a,   gt_c+ = b,   e = 2 eta <= 1/81,

and the clients' second local points are x - eta (phi(x) + gt_c +- sigma): half of them lie eta sigma higher, where phi is steeper,
so that the mean of a exceeds phi by up to (1 - mu) eta sigma/4, and the rounds end left of x* by that over 1 + mu.  A small error
asks for eta of order 1/sigma, and 1/eta rounds to get there.  All statements are about means, and hold for every S.
"""

import sympy as sp

from fltheory.theory.steps import Step, identity, sign
from verify.mixed2022.two_way_line import ratio_steps, two_local_steps

R = sp.Rational
MU, S = R(1, 10), R(1, 5)
SLOPE = 2 * S * (1 + MU)
#: E f(x_t) - f* is at least this while E x_t <= s (Jensen, f falls up to x*).
ACCURACY = S**2 / 2
#: eta sigma, from which on E x_t <= s for ever.
WIDE = R(5, 4)
eta, x, y, V, sigma = sp.symbols("eta x y V sigma")
STEP = (eta, 0, R(1, 162))


def rounds(size: sp.Expr) -> sp.Expr:
    """Up to here E x_t <= s, whatever the step: 18 sigma/95."""
    return R(18, 95) * size


def clients(phi: sp.Expr, shift: sp.Expr) -> sp.Expr:
    """E a is at least this: (phi + E phi(x_1))/2 by E max(0, u +- V) >= (u + V)/2, u the mean of x_1, V = eta sigma."""
    points = x - eta * phi - eta * shift
    return (phi + (1 + MU) / 2 * points + (1 - MU) / 2 * V) / 2


def recursion_steps(edge: sp.Expr, least: sp.Expr) -> list[Step]:
    """Y_t = X - E x_t > 0 and Y_{t+1} >= (1 - 19 e/9) Y_t for all t, if eta sigma = V >= ``least``; X = ``edge``.

    Induction for the means G of gt_f and C of gt_c, with r = eta mu/2: r G <= (mu/4) Y + 3 r (1 + Y), G >= -(1 + Y), C <= 0, and
    E h >= -Y, Y+ >= (9/10) Y.  phi(x) >= x; b is affine.  G+ = E h - E b, where E h = (Y+ - Y)/e - E h_before is at most
    (Y+ - Y)/e + (10/9) Y, and r/e = mu/4.  x+ = x - e (h+ + h) is what :func:`two_way_line.ratio_steps` asks for.
    """
    p, phi, shift = sp.symbols("p phi shift")
    here, r, nearer = edge - y, eta * MU / 2, 1 + R(9, 10) * y
    _, b = two_local_steps(x, MU, -SLOPE, p)
    _, smooth = two_local_steps(x, sp.Integer(1), sp.Integer(0), shift)
    most = MU / 4 * y + 3 * r * (1 + y)  # of r G
    own, centre = clients(x, sp.Integer(0)).subs(x, here), (1 - r) * (MU * here - SLOPE)
    wide = (STEP, (y, 0, None), (V, least, None))
    total = 2 * MU + SLOPE  # -f'(x_0)
    return [
        *ratio_steps(),
        identity("centre's mean gradient", b, (1 - r) * (MU * x - SLOPE) - r * p),
        identity("clients' mean gradient where phi = x, noise 0", smooth, (x + (x - eta * x - eta * shift)) / 2),
        sign("phi enters a with a factor >= 0", sp.diff(clients(phi, shift), phi), (STEP,)),
        sign("-gt_c enters a with a factor >= 0", -sp.diff(clients(phi, shift), shift), (STEP,)),
        sign("E h >= -Y", own + centre - most + y, wide),
        identity("r/e", r / (2 * eta), MU / 4),
        sign(
            "r G+ <= (mu/4) Y+ + 3 r (1 + Y+)", 3 * r * nearer + MU / 4 * y - r * (R(10, 9) * y - centre + most), wide
        ),
        sign("G+ >= -(1 + Y+)", own + nearer, wide),
        sign("C+ <= 0", -(centre + r * (1 + y)), wide),
        sign("G at the start, -mu", 1 - MU, ()),
        sign("C at the start, f_c'(x_0)", MU + SLOPE, ()),
        sign("X > x_0", edge, ()),
        sign("e <= 1/24", R(1, 24) - 2 * R(1, 162), ()),
        sign("first round: |f'(x_0)| <= (10/9) Y_0", R(10, 9) * (edge + 1) - total, ()),
    ]


def scatter_steps(wide: sp.Expr = WIDE) -> list[Step]:
    """E x_t <= s for t <= 18 sigma/95 and every eta <= 1/162, so that E f(x_t) - f* >= s^2/2.

    * eta sigma >= 5/4 (``wide``): for ever, with X = s.
    * eta sigma < 5/4: with X = 3/5, Y_t >= (8/5)(1 - u)^t >= (8/5) 4^(-ut), u = 19 e/9, is at least 2/5 for t <= 1/u.
    """
    edge, curved = R(3, 5), (1 + MU) / 2
    gap = curved * x**2 - SLOPE * x - (curved * (2 * S) ** 2 - SLOPE * 2 * S)
    return [
        *recursion_steps(S, wide),
        *recursion_steps(edge, sp.Integer(0)),
        sign("u <= 1/2, where 4^(-u) <= 1 - u (convexity, ends)", R(1, 2) - R(19, 9) * R(1, 81), ()),
        identity("4^(-1/2)", sp.Integer(4) ** R(-1, 2), 1 - R(1, 2)),
        identity("Y_t at t = 1/u", (edge + 1) / 4, edge - S),
        identity("1/u at eta = 5/(4 sigma)", 1 / (R(19, 9) * 2 * wide / sigma), rounds(sigma)),
        identity("x* = 2s: f'(2s)", (1 + MU) * 2 * S - SLOPE, 0),
        identity("f(x) - f* for x >= 0", gap, curved * (x - 2 * S) ** 2),
        sign("f(s) - f* >= s^2/2", gap.subs(x, S) - ACCURACY, ()),
        sign("D^2 <= 2", 2 - (1 + 2 * S) ** 2, ()),
    ]
