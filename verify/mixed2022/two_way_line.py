r"""2-way Gradient Transfer (Augenstein et al., 2022) on scalar quadratics: lower bounds on the number of rounds, with all rates.

* :func:`slow_steps`: f_f = f_c = mu x^2/2, no noise, start 1: x_t >= 1/2 for t <= 1/(8 e mu), gt started at the gradients or 0.
* :func:`geometric_steps`: the same for e <= 1/81: x_t >= 4^(-38 e mu t/9).
* :func:`noise_floor_steps`: f_f = f_c = x^2/2: E x_t^2 >= (11/12) e^2 W for every t >= 1, W = sigma^2/(KS) + sigma_c^2/K.
* :func:`far_steps`: gt = 0 at the start, f_f = x^2/2 + g x, f_c = -g x, K = 2, eta_m = eta_s = 1: the first round leaves.
* :func:`cohort_steps`: client noise moves the local points of every client, however many are averaged (eta_m = eta_s = 1).
* :func:`many_clients_steps`: the same with so many clients that the run is the one of infinitely many.
* :func:`noise_steps`: curvature 1 on the noisy side and 0 on the other: two-sided bounds on the rounds to E x^2 < d.

Rounds are x_{t+1} = x_t + D_t + D_{t-1} with D_t = -q x_t on the last two, and y_{t+1} = (1 - q) y_t - q y_{t-1} has
y_{t+1} >= (1 - 19 q/9) y_t once y_t >= (9/10) y_{t-1} > 0 (:func:`ratio_steps`).
"""

from fractions import Fraction

import sympy as sp

from fltheory.theory.proofs import Open
from fltheory.theory.steps import Step, identity, sign

R = sp.Rational
mu, e, eta, g, q, x, k, m, h, u = sp.symbols("mu e eta g q x k m h u")
#: No printed effective step is larger, beta = 1.
TOP = R(1, 24)
UNIT = sp.Symbol("unit")
UNITS = (UNIT, 0, 1)


def slow_steps() -> list[Step]:
    """All points of a round with x >= 1 - 4 e mu t are in [0, 1] if 8 e mu t <= 1; h, as a mean of mu (point), is in [0, 2 mu]."""
    small = ((mu, 0, 1), (e, 0, TOP))
    down, small = eta * (mu * x + mu * UNIT), ((mu, 0, 1), (e, 0, TOP))
    inside = (*small, (eta, 0, TOP), (x, 0, 1), UNITS)
    return [
        sign("a local step goes down", down, inside),
        sign("by at most 2 eta mu, K of them by 2 K eta mu <= 2 e mu", 2 * eta * mu - down, inside),
        sign("1 - 4 e mu t - 2 e mu >= 0 for 8 e mu t <= 1", 1 - R(1, 2) - 2 * e * mu, small),
        sign("x+ = x - e (h+ + h) is at least x - 4 e mu", 4 * e * mu - e * (2 * mu * UNIT + 2 * mu * x), inside),
        identity("1 - 4 e mu t at t = 1/(8 e mu)", 1 - 4 * e * mu / (8 * e * mu), R(1, 2)),
    ]


def slow(effective: Fraction, curvature: Fraction) -> Fraction:
    """The number of rounds up to which f(x_t) - f* >= mu/4 and |grad f(x_t)| >= mu."""
    return 1 / (8 * effective * curvature)


def geometric_steps() -> list[Step]:
    """x_t falls and h_t <= 2 mu x_{t-1}: x_{t+1} >= (1 - v) x_t - v x_{t-1} with v = 2 e mu <= 2/81; then :func:`ratio_steps`."""
    v, before = sp.symbols("v before")
    small, after = ((v, 0, R(2, 81)),), x - v / (2 * mu) * (2 * mu * x + 2 * mu * before)
    local = "local points: x - e (mu x + mu before) >= 0 for before <= 10 x/9, e mu = v/2"
    return [
        *ratio_steps(),
        sign("v <= 1/24", TOP - R(2, 81), ()),
        sign(local, 1 - v / 2 * (1 + R(10, 9)), small),
        identity("x - e (2 mu x + 2 mu before)", after, (1 - v) * x - v * before),
        sign("first round, h_0 <= 2 mu x_0: factor 1 - 2v >= 1 - 19 v/9", R(19, 9) * v - 2 * v, small),
        sign("19 v/9 <= 1/2, where 4^(-u) <= 1 - u", R(1, 2) - R(19, 9) * v, small),
        identity("(19/9) 2 e mu", R(19, 9) * 2 * e * mu, R(38, 9) * e * mu),
    ]


def noise_floor_steps() -> list[Step]:
    """K steps of size eta on curvature 1: the average gradient has the noise (1/K) sum_j (1 - eta)^(K-1-j) xi_j.

    Its variance is at least (1 - eta)^(2(K-1)) sigma^2/K >= (1 - 2 K eta) sigma^2/K (Bernoulli), K eta <= e; it is drawn after
    all that x_t - e h_t does not contain (law of total variance), and the means follow the run without noise.
    """
    a, xi, shift = sp.symbols("a xi shift")
    moved = x - eta * (x + xi + shift)  # one step; the rest of the round is linear with factor (1 - eta)
    return [
        identity("a noise enters a step with -eta", sp.diff(moved, xi), -eta),
        identity("and is multiplied by 1 - eta afterwards", sp.diff(moved, x), 1 - eta),
        identity("average gradient from the change", -(moved - x) / eta - shift, x + xi),
        sign("1 - 2 K eta >= 11/12", 1 - 2 * a - R(11, 12), ((a, 0, TOP),)),
        sign("E x^2 < 1/4 needs e < sqrt(3/(11 W)), t > 1/(8 e) > sqrt(W)/5", R(11, 3) / 64 - R(1, 25), ()),
    ]


def ratio_steps() -> list[Step]:
    """y_{t+1} = (1 - q) y_t - q y_{t-1} with y_{t-1} <= (10/9) y_t."""
    small = ((q, 0, TOP),)
    return [
        identity("y_{t+1} >= (1 - q - 10 q/9) y_t", 1 - q - R(10, 9) * q, 1 - R(19, 9) * q),
        sign("the quotient stays above 9/10", 1 - R(19, 9) * q - R(9, 10), small),
        sign("(1 - q) x_0 after the first round", 1 - q - R(9, 10), small),
    ]


def two_local_steps(start: sp.Expr, curvature: sp.Expr, slope: sp.Expr, shift: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """(change, average gradient) of two steps of size eta along gradient plus ``shift``."""
    first = curvature * start + slope
    middle = start - eta * (first + shift)
    second = curvature * middle + slope
    return middle - eta * (second + shift) - start, (first + second) / 2


def far_steps() -> list[Step]:
    """x_1 = (1 - q) x_0 + P, x_2 = (1 - q) x_1 - q x_0 + P, then the recursion; P = eta^2 g, q = eta (2 - eta), x_0 = 1.

    u = 19 q/9 <= 38 eta/9; x_t >= (1 - u)^(t-1) x_1 >= 4^(-u (t-1)) (1 - q + P) > 1/5 while u (t - 1) < 1 + max(0, log_4 P).
    With eta_max = 4^k eta, g = 4^m/eta_max^2: P = 4^(m - 2k), 4^k >= 1 + k, so that for every eta <= eta_max this lasts
    (9/(38 eta_max)) (1 + k)(1 + max(0, m - 2k)) >= (9/(38 eta_max)) (1 + m/2) rounds.
    """
    own, P = eta * (2 - eta), eta**2 * g
    x0, x1, old = sp.symbols("x0 x1 old")
    one, zero, small = sp.Integer(1), sp.Integer(0), ((q, 0, TOP),)
    change_f, gt_f = two_local_steps(x0, one, g, zero)
    change_c, gt_c = two_local_steps(x0, zero, -g, zero)
    second_f, _ = two_local_steps(x1, one, g, gt_c)
    second_c, _ = two_local_steps(x1, zero, -g, gt_f)
    later_f, later_gt = two_local_steps(old, one, g, -g)
    later_c, _ = two_local_steps(x1, zero, -g, later_gt)
    return [
        *ratio_steps(),
        identity("first round", x0 + change_f + change_c, (1 - own) * x0 + P),
        identity("gt_c is exact after it", gt_c, -g),
        identity("second round", x1 + second_f + second_c, (1 - own) * x1 - own * x0 + P),
        identity("later rounds, clients", later_f, -own * old),
        identity("later rounds, centre", later_c, -own * old),
        sign("x_2 >= (1 - 19 q/9) x_1 as x_0 <= x_1/(1 - q)", R(19, 9) * q - q - q / (1 - q), small),
        sign("4^(-u) <= 1 - u on [0, 1/2] (convexity, ends): u <= 1/2", R(1, 2) - R(19, 9) * TOP, ()),
        identity("4^(-1/2)", sp.Integer(4) ** R(-1, 2), 1 - R(1, 2)),
        sign("5 (1 - q + P) >= 4 for P >= 0", 5 * (1 - q) - 4, small),
        sign("5 (1 - q + P) >= 4 P", 5 * (1 - q) + x, (*small, (x, 0, None))),
        sign("u <= 38 eta/9", R(38, 9) * eta - R(19, 9) * own, ((eta, 0, 1),)),
        sign(
            "(1 + k)(1 + m - 2k) >= 1 + m/2, k <= m/2",
            (1 + k) * (1 + m - 2 * k) - 1 - m / 2,
            ((m, 0, None), (k, 0, m / 2)),
        ),
        sign("1 + k >= 1 + m/2, k >= m/2", k - m / 2, ((m, 0, None), (k, m / 2, None))),
        sign("4^k >= 1 + k: log 4 >= 1, 4 above e", sp.Integer(4) - 3, ()),
    ]


def far(power: int, largest: Fraction) -> Fraction:
    """(9/(38 eta_max)) (1 + m/2): x_t > 1/5 up to here for every eta <= eta_max = ``largest``/2, g = 4^m/eta_max^2."""
    return 9 / (19 * largest) * (1 + Fraction(power, 2))


def cohort_steps(largest: sp.Expr) -> list[Step]:
    """f_f = max(0, x)^2/2, f_c = -g x, g = 2s, x_0 = -1, K = 2, e = 2 eta, client noise +-sigma; any S, gt at the gradients.

    x* = g, f(0) - f* = 2 s^2, s^2 = 2 eps <= 1/4, eta <= ``largest``.  gt_c = -g always; with m = max(0, .) the mean federated
    gradient of a round is (m(x) + E m(x_1))/2, x_1 = x - eta (m(x) - g + noise), at least (m(x) + (x - eta m(x) + eta g + eta
    sigma')/2)/2 for every sigma' <= sigma, and m(x) >= x.  Hence H = E h is at least -g, and at least alpha (E x - X), alpha =
    (3 - eta)/4.

    * eta sigma >= 5 s: with eta sigma' = 5 s, X = s (3 - 2 eta)/(3 - eta) <= s; y_t = X - E x_t > 0 for all t (as in
      :func:`ratio_steps`), so that E f(x_t) - f* >= f(s) - f* = s^2/2 = eps (Jensen).
    * eta sigma < 5 s: E x rises by at most 2 e g = 8 eta s in a round, and is at most 0 for t <= 1/(8 eta s), which is above
      sigma/(80 eps).
    """
    s, level, point, sigma = sp.symbols("s level point sigma")
    small = ((eta, 0, largest),)
    slope, alpha = 2 * s, (3 - eta) / 4
    first = 1 - 2 * eta * alpha - 2 * eta * slope  # factor of the first round
    slopes = (*small, (s, 0, R(1, 2)))
    own = (x + (x - eta * x + eta * slope + level) / 2) / 2  # m(x) = x, level = eta sigma'
    target = s * (3 - 2 * eta) / (3 - eta)
    return [
        *ratio_steps(),
        sign("m(x) enters with (1 - eta/2)/2 >= 0", (1 - eta / 2) / 2, small),
        identity("H >= alpha (E x - X) at eta sigma' = 5 s", own.subs(level, 5 * s) - slope, alpha * (x - target)),
        sign("X <= s", s - target, slopes),
        sign("X >= 0 > x_0", target, slopes),
        identity("f(s) - f*", (s**2 / 2 - slope * s) - (slope**2 / 2 - slope**2), s**2 / 2),
        identity("f(0) - f*", 0 - (slope**2 / 2 - slope**2), 2 * s**2),
        sign("q = e alpha <= 1/24", R(1, 24) - 2 * eta * alpha, small),
        sign("first round, h_0 = -g, y_0 >= 1: 1 - e alpha - e g >= 9/10", first - R(9, 10), slopes),
        identity("2 e g", 2 * (2 * eta) * slope, 8 * eta * s),
        identity("1/(8 eta s) at eta = 5 s/sigma", 1 / (8 * (5 * s / sigma) * s), sigma / (80 * (s**2 / 2))),
        sign("D <= 3", 3 - (1 + slope), ((s, 0, R(1, 2)),)),
    ]


def many_clients_steps() -> list[Step]:
    """The same instance with S clients against infinitely many: (E|x_t - X_t|^2)^(1/2) <= 3^t (11/10) sigma/sqrt(S).

    gt_f+ = V(x) + noise with V of slope at most 1 (x - eta max(0, x) does not expand) and, for one client, a deviation of at most
    (sigma + eta sigma + sigma)/2.  So N = |dx| + |dgt_f| has N+ <= 3 N + 2 k, hence N_t <= 3^t k.  The run X_t of infinitely many
    has X_t <= s for t <= sigma/(80 eps) (:func:`cohort_steps`), so that |f'(X_t)| >= s; f' has slope at most 1, hence
    E|f'(x_t)|^2 >= (3 s/4)^2 >= s^2/2.
    """
    dx, dgt, k, t = sp.symbols("dx dgt k t")
    every = ((e, 0, 1), (eta, 0, R(1, 48)), (dx, 0, None), (dgt, 0, None), (k, 0, None))
    new = dx + k
    return [
        sign("deviation of one client's average gradient", R(11, 10) - (2 + eta) / 2, every[1:2]),
        sign("N+ <= 3 N + 2 k", 3 * (dx + dgt) + 2 * k - (dx + e * (new + dgt)) - new, every),
        identity("induction, N_t <= (3^t - 1) k, t for 3^t", 3 * (t - 1) * k + 2 * k, (3 * t - 1) * k),
        sign("S >= 20 9^t sigma^2/s^2: at most s/4", R(20) - 16 * R(11, 10) ** 2, ()),
        sign("(3/4)^2 >= 1/2", R(3, 4) ** 2 - R(1, 2), ()),
    ]


def noise_steps() -> list[Step]:
    """x_{t+1} = x_t + D_t + D_{t-1}, D_t = -q x_t - n_t, E n_t^2 = s^2; start (1, 0).

    Step c = eta = eta_c with K c <= 1/24, variance w (sigma_c^2 or sigma^2/S); the quiet side adds K c gt, which is D_{t-1}.
    Means m_t: (1 - u)^t <= m_t <= (1 - 2q)^(t-1), u = 19q/9.  A noise is answered by y_1 = 1, y_2 = 2 - q, y_{j+1} = (1-q) y_j -
    q y_{j-1}: (1 - u)^(j-1) <= y_j, and y_{j+1} <= (1 - 2q) y_j from j = 3 on.  Hence E x_T^2 >= p + (1 - p) s^2/(2u),
    p = (1-u)^(2T), and E x_T^2 <= (1 - 2q)^(2(T-1)) + s^2 (5 + 1/(q (1-q))).
    """
    c, w, d, power, t = sp.symbols("c w d power t")  # power = (1-c)^K
    moved, spread = 1 - power, c**2 * w * (1 - power**2) / (1 - (1 - c) ** 2)
    small, per_step = ((q, Open(0), TOP),), (1 - R(19, 9) * q) / (2 * R(19, 9))
    squares = 1 + (2 - q) ** 2 + (2 - 4 * q + q**2) ** 2 / (4 * q * (1 - q))
    at_most = R(13, 10) - 2 / (2 - c) * (5 * q + 1 / (1 - q))
    return [
        *ratio_steps(),
        identity("s^2/q = c w (1 + (1-c)^K)/(2 - c)", spread / moved, c * w * (1 + power) / (2 - c)),
        sign("q <= K c (Bernoulli), so that power = 1 - q >= 23/24", 1 - TOP - R(23, 24), ()),
        sign("s^2/(2u) >= 9 c w/40", R(9, 38) * (1 + power) / (2 - c) - R(9, 40), ((power, R(23, 24), 1), (c, 0, TOP))),
        sign("-log(1-u) <= u/(1-u), u <= 19 K c/9: T >= log(1/d)/(5 K c)", per_step - R(1, 5), small),
        identity("c < 40 d/(9 w): T >= (9/200) w log(1/d)/(K d)", R(1, 5) * R(9, 40), R(9, 200)),
        identity("second answer", (1 - q) * 1 - q * 0 + 1, 2 - q),
        identity("third", (1 - q) * (2 - q) - q, 2 - 4 * q + q**2),
        sign("third below the second", (2 - q) - (2 - 4 * q + q**2), small),
        sign("second above the first", (2 - q) - 1, small),
        identity("y_{t+1} <= (1 - 2q) y_t where y_{t-1} >= y_t", (1 - q) - q, 1 - 2 * q),
        identity("1 - (1-2q)^2", 1 - (1 - 2 * q) ** 2, 4 * q * (1 - q)),
        sign("sum of squares 1 + 4 + 4/(4q(1-q))", 5 + 1 / (q * (1 - q)) - squares, small),
        sign("s^2 (5 + 1/(q(1-q))) <= 13 c w/10", at_most, (*small, (c, 0, TOP))),
        sign("at c = d/(3w) at most d/2", R(1, 2) - R(13, 30), ()),
        sign("q >= K c - (K c)^2/2 >= (47/48) K c", (t - t**2 / 2) - R(47, 48) * t, ((t, 0, TOP),)),
        sign("T = 1 + log(2/d)/(4q), 3/(4 47/48) <= 4/5", R(4, 5) - R(3, 4) * R(48, 47), ()),
    ]


def noise_orders(many: sp.Expr, w: sp.Expr, d: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """(9/200) log(1/d) w/(K d) <= T <= 2 + (4/5) log(2/d) w/(K d), where K d/(3 w) is within the limit; ``many`` = K."""
    return R(9, 200) * sp.log(1 / d) * w / (many * d), 2 + R(4, 5) * sp.log(2 / d) * w / (many * d)


def noise_rounds(many: float, variance: float, delta: float) -> tuple[float, float]:
    """:func:`noise_orders` at numbers."""
    low, high = noise_orders(*map(sp.Float, (many, variance, delta)))
    return float(low), float(high)
