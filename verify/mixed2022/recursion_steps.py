"""Steps and extremal instances of the auxiliary recursions (:mod:`fltheory.theory.mixed2022.recursions`)."""

from fractions import Fraction

import sympy as sp

from fltheory.theory.mixed2022 import recursions
from fltheory.theory.mixed2022.recursions import R, W, c, d, d0, e, eta, gap, h, k, kappa, m, mu, q, total
from fltheory.theory.steps import Step, identity, inequality, sign


def telescoping() -> list[Step]:
    """Induction over r for ``W d_r + eta sum_s w_s gap_s <= d_0 + c eta^2 sum_s w_s``, w_s = q^{-s}, W = q^{-r}.

    The step from r-1 to r adds W times the recursion; the old weight is q W.  ``d`` is d_{r-1} and ``e`` is d_r.
    """
    new = (W * e + eta * (total + W * gap)) - (d0 + c * eta**2 * (recursions.weights + W))
    old = (q * W * d + eta * total) - (d0 + c * eta**2 * recursions.weights)
    recursion = q * d + c * eta**2 - eta * gap - e
    premises = {"before": (sp.Integer(1), -old), "recursion": (W, recursion)}
    name = "geometric sum: 1 - q times the sum of the weights is q^{-n} - 1"
    return [
        inequality("induction over r", new, sp.Integer(0), premises=premises, ranges=recursions.POSITIVE),
        identity(name, (W - 1) + (1 - q) * W / q, W / q - 1),
    ]


def golden_ratio() -> list[Step]:
    """d_0/(eta_max n) + 2 sqrt(c d_0/n) is at most (1 + sqrt 5)/2 times :func:`best_value`; t = s h/b, in units of b^2/h."""
    t = sp.Symbol("t")
    golden, inverse = (1 + sp.sqrt(5)) / 2, (sp.sqrt(5) - 1) / 2
    return [
        identity("golden ratio, t <= 1", golden * (1 + t**2) - (1 + 2 * t), golden * (t - inverse) ** 2),
        sign(
            "golden ratio, t >= 1, by (1 + sqrt 5)/2 >= 8/5", sp.Rational(8, 5) * 2 * t - (1 + 2 * t), ((t, 1, None),)
        ),
    ]


def extremal_linear() -> list[Step]:
    """mu > 0: d_r = d_0 (q^r - q^n)/(1 - q^n) and equal gaps; x = q^{r-1}, W = q^n, mu eta = 1 - q."""
    x = sp.Symbol("x")
    mean = mu * d0 * W / (1 - W) + c * eta
    step = q * d0 * (x - W) / (1 - W) + c * eta**2 - eta * mean
    return [identity("attained", (d0 * (q * x - W) / (1 - W)).subs(q, 1 - mu * eta), step.subs(q, 1 - mu * eta))]


def best_value(root: Fraction, noise: Fraction, top: Fraction) -> Fraction:
    """min over eta <= top of root^2/eta + noise^2 eta: the exact worst mean for mu = 0 and the best constant step."""
    if noise * top <= root:
        return root**2 / top + noise**2 * top
    return 2 * root * noise


def varying_steps() -> list[Step]:
    """The proof of ``VARYING`` but for 1 - t <= exp(-t); k = kappa + j, m = floor((R+1)/2) >= R/2."""
    constant = q * c * h / mu + c * h**2
    mean_weight = kappa + (m - 1) / 2
    i = sp.Symbol("i")
    several = ((kappa, 2, None), (m, 1, None))
    return [
        identity("constant part: noise c eta_max/mu is invariant", constant.subs(q, 1 - mu * h), c * h / mu),
        identity(
            "weights: (1 - mu eta_j)(kappa+j)/eta_j is below the one before",
            mu / 2 * (k**2 - 2 * k),
            mu / 2 * (k - 1) ** 2 - mu / 2,
        ),
        identity("noise: weight times step", k * 2 / (mu * k), 2 / mu),
        identity("sum of the weights", (m * mean_weight).subs(m, m + 1) - m * mean_weight, kappa + m),
        identity("start: noise part", (mu * kappa**2 / 2 * c * h / mu).subs(h, 2 / (mu * kappa)), c * kappa / mu),
        sign("m >= R/2, R = 2i", i - i, ((i, 1, None),)),
        sign("m >= R/2, R = 2i + 1", (i + 1) - (2 * i + 1) / 2, ((i, 0, None),)),
        sign("noise (kappa + 2m)/(sum of the weights) <= 4/m", 4 * mean_weight - (kappa + 2 * m), several),
        sign("start (kappa^2/2)/(sum of the weights) <= kappa/(2m)", mean_weight - kappa, several),
        sign("kappa/R <= 4, from R >= 1/(2 eta_max mu)", 4 * R - kappa, ((kappa, 2, None), (R, kappa / 4, None))),
    ]


def same_exponential() -> list[Step]:
    """For every integer K >= 1 some instance has a larger mean than K (mu d_0 exp(-mu eta_max R) + c/(mu R)), whatever is done.

    mu = d_0 = 1, X = 72 K^2 + 1, R = 2 X^2, h = eta_max = 1/(2X), rho = (1-h)^R, c = R rho.  Let the weights have sum 1,
    P_r = prod_{s<=r} (1 - eta_s), and let the mean be at most B = K (exp(-hR) + c/R) for every sequence.

    * No gap before r, all of it at r: w_r P_r/eta_r <= B.  All of it in the first round: c sum_r w_r eta_r <= B.
    * exp(-hR) <= 2 rho, hence B <= 3 K rho, sum_r w_r eta_r <= 3K/R, and at least half of the weight is on rounds with
      eta_r <= 6K/R <= h/2 (Markov).
    * At the j-th of these rounds P_r >= (1-h)^(R+1-j) (1-h/2)^j = rho (1-h) g^j, so that w_r <= 18 K^2 g^(-j)/(R(1-h)), and
      the sum over j is at most 36 K^2/(hR) < 1/2: a contradiction.
    """
    K, X, P, old = sp.symbols("K X P old")
    choice = {R: 2 * X**2, h: 1 / (2 * X)}
    large = {X: 72 * K**2 + 1}
    g = (1 - h / 2) / (1 - h)
    every = ((K, 1, None),)
    last = ((1 - eta) * old + c * eta**2) / eta
    loss, ranges = (1 - eta) / eta, ((eta, 0, 1), (c, 0, None))
    above, zero = {"d_(r-1) >= P_(r-1)": (loss, old - P)}, {"d >= 0": (loss, old)}
    half = (sp.Rational(1, 2) - 1 / (2 * X) - 36 * K**2 / (h * R)).subs(choice).subs(large)
    return [
        identity("all at round r empties the sequence", (1 - eta) * old + c * eta**2 - eta * last, sp.Integer(0)),
        inequality("its gap is at least P_r/eta_r", (1 - eta) * P / eta, last, premises=above, ranges=ranges),
        inequality("its gap is at least c eta_r", c * eta, last, premises=zero, ranges=ranges),
        identity("exp(-h)(1-h^2) <= 1-h, by exp(h) >= 1+h", (1 - h**2) / (1 + h), 1 - h),
        identity("(1-h^2)^R >= 1 - R h^2 = 1/2 (Bernoulli)", (1 - R * h**2).subs(choice), sp.Rational(1, 2)),
        sign("6K/R <= h/2", (h / 2 - 6 * K / R).subs(choice).subs(large), every),
        identity("g - 1", g - 1, (h / 2) / (1 - h)),
        identity("sum over j of w", 3 * K * (6 * K / R) / (1 - h) / (g - 1), 36 * K**2 / (h * R)),
        sign("36 K^2/(hR) <= 1/2 - 1/(2X)", half, every),
    ]


def varying_mean(start: Fraction, noise: Fraction, top: Fraction, rounds: int) -> Fraction:
    """mu = 1: the weighted mean for the steps of ``VARYING`` when nothing is gained in the constant part.

    There gap_r = 0; in the first decreasing step the gap takes all, so that d is 0 from then on.
    """
    constant, count = -(-(rounds + 1) // 2), (rounds + 1) // 2
    value, first = start, 2 / top
    for _ in range(constant):
        value = (1 - top) * value + noise * top**2
    total = weights_sum = Fraction(0)
    for j in range(count):
        step, weight = 2 / (first + j), first + j
        total += weight * ((1 - step) * value / step + noise * step)
        weights_sum += weight
        value = Fraction(0)
    return total / weights_sum


def first_term(strength: Fraction, rounds: int) -> Fraction:
    """q^n/(1 - q^n) for q = 1 - strength, n = rounds + 1."""
    power = (1 - strength) ** (rounds + 1)
    return power / (1 - power)
