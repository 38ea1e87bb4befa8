r"""A whole period at once (exact gradients): Theorems 1 and 3 with the errors averaged before they are squared.

With A at the start of a block of m steps, a_t the change of the gradient since then, delta_t = A + a_t - mean_i grad
f_i(x_i) and bars for means over the block, the descent lemma is applied once, to the whole block:
    (1/m) sum |A + a_t|^2 - (2/(s m))(F - F_m) <= |delta_bar|^2 - |e|^2 + u m |e + a_bar|^2 + (1/m) sum |a_t|^2
with e = A - delta_bar and u = L s.  The a_t are small since the average moves little: for s <= 1/(6LK) they cost a share
of 1/50 of the variance of the delta_t.  The constant error is then (K/2)^2 and not K^2/3.
"""

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.lecture2022 import bounds
from fltheory.theory.lecture2022.bounds import FULL, G, K, L, T, gap, s, sigma_G
from fltheory.theory.lecture2022.vocabulary import Bound
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Proof, Step, identity, inequality, sign
from verify.lecture2022.averages import MEAN_SQUARE, client_average, jensen, z, z_dev, z_mean
from verify.lecture2022.drift import (
    F,
    F_next,
    averaged,
    descent_lemma,
    gradients_at_client_points,
    gradients_since_the_average,
    variance_below_second_moment,
)

ZERO, ONE = sp.Integer(0), sp.Integer(1)

SHORT = Condition("s <= 1/(6LK)", 6 * K * L * s <= 1)
EXACT = Condition("exact client gradients")

#: Share of the variance of the errors within a period that the change of the gradient costs, and its multiplier.
SHARE, MULTIPLIER = sp.Rational(1, 50), sp.Rational(5, 4)
#: Constants of the period theorems, with (K-1)^2 (rounds) or (K+1)^2 (printed code); below 1/4 none serves (sharp_cycle).
PERIOD_1, PERIOD_3 = sp.Rational(51, 200), sp.Rational(29, 100)


def period_expression(descent: sp.Expr, drift: sp.Expr, bounded: sp.Expr) -> sp.Expr:
    """``descent gap/(sT) + drift L^2 s^2 bounded``."""
    return descent * gap / (s * T) + drift * L**2 * s**2 * bounded


#: Theorem 1 for exact gradients, errors averaged over the period before they are squared.
theorem_1_period = {
    code: Bound(
        "Theorem 1, whole periods",
        "Theorem 1",
        bounds.AVERAGE_GRADIENT,
        period_expression(2, PERIOD_1 * squared, G**2),
        (SHORT, EXACT, bounds.MOMENTS, FULL),
        symbol_names=bounds.NAMES,
    )
    for code, squared in (("FedAvg", (K - 1) ** 2), ("printed", (K + 1) ** 2))
}
theorem_3_period = Bound(
    "Theorem 3, whole periods",
    "Theorem 3",
    bounds.AVERAGE_GRADIENT,
    period_expression(2, PERIOD_3 * (K - 1) ** 2, sigma_G**2),
    (SHORT, EXACT, bounds.DISSIMILARITY, FULL),
    symbol_names=bounds.NAMES,
)

m, t, x = sp.symbols("m t x", positive=True)
e, a_mean, a_dev, d_mean, d_dev, y = sp.symbols("e a_m a_d d_m d_d y", real=True)
BLOCK = [(L, Open(0), None), (m, 1, None), (K, m, None), (s, Open(0), 1 / (6 * L * K))]


def block_steps() -> list[Step]:
    """(1/m) sum |A_t|^2 - (2/(sm))(F - F_m) <= |delta_bar|^2 + SHARE (1/m) sum |delta_t - delta_bar|^2, for m <= K.

    Means over the m steps of a block are split into mean and deviation; e = A - delta_bar.
    """
    at_start = e + d_mean
    move = -s * m * (at_start + a_mean - d_mean)
    spread = client_average((at_start + z) ** 2, {z: (a_mean, a_dev)}, common=[e, d_mean])
    change = a_mean**2 + a_dev**2
    gradients = client_average((e + z - y) ** 2, {z: (a_mean, a_dev), y: (ZERO, d_dev)}, common=[e])
    theta, lam = sp.Symbol("theta", nonnegative=True), MULTIPLIER
    feed = sp.Rational(1, 72)
    eta, rest = theta + lam * feed, lam - 1 - lam * feed
    index = sp.Symbol("i", integer=True)
    return [
        descent_lemma(),
        gradients_at_client_points(),
        inequality(
            "descent over the block",
            spread - 2 / (s * m) * (F - F_next),
            d_mean**2 - e**2 + L * s * m * (e + a_mean) ** 2 + change,
            premises={"descent": (2 / (s * m), F + at_start * move + L / 2 * move**2 - F_next)},
            ranges=BLOCK,
        ),
        inequality(
            "|B_1+...+B_t|^2 <= t sum |B|^2",
            t**2 * z_mean**2,
            t**2 * MEAN_SQUARE,
            squares=[(t**2, z_dev)],
            ranges=[(t, 1, None)],
        ),
        sign(
            "(1/m) sum |a_t|^2 <= (Ls)^2 (1/m) (sum_t t) sum |B_t|^2 <= (1/72) (1/m) sum |B_t|^2",
            feed - (L * s) ** 2 * sp.summation(index, (index, 0, m - 1)),
            BLOCK,
        ),
        sign("theta = L s m <= 1/6", sp.Rational(1, 6) - L * s * m, BLOCK),
        inequality(
            "the change of the gradient feeds back little",
            -(e**2) + theta * (e + a_mean) ** 2 + change,
            SHARE * d_dev**2,
            premises={"change <= (1/72) of the gradients": (lam, feed * gradients - change)},
            squares=[
                (1 - eta, e - eta / (1 - eta) * a_mean),
                ((lam - 1 - lam * eta) / (1 - eta), a_mean),
                (rest, a_dev + lam * feed / rest * d_dev),
                (SHARE - lam * feed - (lam * feed) ** 2 / rest, d_dev),
            ],
            ranges=[(theta, 0, sp.Rational(1, 6))],
        ),
        identity(
            "mean and mean square of the errors",
            d_mean**2 + SHARE * d_dev**2,
            (1 - SHARE) * d_mean**2 + SHARE * client_average(z**2, {z: (d_mean, d_dev)}),
        ),
        jensen(
            "weighted Jensen: |sum delta_t| <= sum n_t D if |delta_t| <= n_t D",
            G**2,
            "average of |delta_t/n_t|^2, weights n_t",
        ),
    ]


def summing_up(right: sp.Expr, constant: sp.Expr) -> list[Step]:
    """Blocks one after another by induction (the last one may be shorter), and f(xbar^T) >= f*."""
    start, done, block, count = sp.symbols("F_0 A_done A_block count", real=True)
    total, left_over = sp.symbols("A_T r_T", nonnegative=True)
    ranges = [(T, 1, None), (K, 1, None), (L, Open(0), None), (s, Open(0), None)]
    ranges += [(symbol, 0, None) for symbol in (gap, G, sigma_G)]
    return [
        inequality(
            "induction over the blocks",
            done + block,
            2 / s * (start - F_next) + (count + m) * constant,
            premises={
                "hypothesis": (ONE, 2 / s * (start - F) + count * constant - done),
                "block": (ONE, 2 / s * (F - F_next) + m * constant - block),
            },
            ranges=[(s, Open(0), None)],
        ),
        inequality(
            "final bound",
            total / T,
            right,
            premises={
                "summed": (1 / T, 2 / s * (gap - left_over) + T * constant - total),
                "last value": (2 / (s * T), left_over),
            },
            ranges=ranges,
        ),
    ]


def numbers_within(code: str) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """Mean and mean square of the numbers of gradients n_t over m steps of a block, and (K-1) or (K+1)."""
    index = sp.Symbol("i", integer=True)
    first = {"FedAvg": 0, "printed": 1}[code]
    sums = [sp.factor(sp.summation((index + first) ** power, (index, 0, m - 1))) / m for power in (1, 2)]
    return sums[0], sums[1], K - 1 + 2 * first


def errors_fit(code: str, constant: sp.Expr, mean_factor: sp.Expr, square_factor: sp.Expr) -> list[Step]:
    """The errors of any block of m <= K steps stay below constant (K -+ 1)^2: one step, and two or more."""
    first, second, size = numbers_within(code)
    rest = constant * size**2 - (1 - SHARE) * mean_factor * first**2 - SHARE * square_factor * second
    return [
        sign("errors of a block of one step", rest.subs(m, 1), [(K, 1, None)]),
        sign("errors of a block of two or more steps", rest, [(m, 2, None), (K, m, None)]),
    ]


def prove_period_1(right: sp.Expr, code: str) -> Proof:
    """Theorem 1 with the errors of a period averaged: |delta_t| <= L s n_t G with n_t gradients since the average."""
    constant = PERIOD_1 * numbers_within(code)[2] ** 2 * L**2 * s**2 * G**2
    steps = [*averaged(ONE).steps, *gradients_since_the_average(code), *block_steps()]
    return Proof((*steps, *errors_fit(code, PERIOD_1, ONE, ONE), *summing_up(right, constant)))


def growth_steps() -> list[Step]:
    """L (1/N sum |x_i - xbar|^2)^(1/2) <= sigma_G (n u + (9/17) n^2 u^2) after n steps of a round, u = L s <= 1/(6K).

    With v_n the left side, v_n <= u sum_{j<n} (sigma_G + v_j): deviations of the gradients by the triangle inequality,
    then strong induction.
    """
    index = sp.Symbol("i", integer=True)
    n = sp.Symbol("n", positive=True)
    rate = sp.Rational(9, 17)
    size = L * s
    one, two = sp.symbols("P Q", positive=True)
    p, r = sp.symbols("p r", real=True)
    before = sp.summation(1 + size * index + rate * size**2 * index**2, (index, 0, n - 1))
    round_range = [(L, Open(0), None), (n, 1, None), (K, n + 1, None), (s, Open(0), 1 / (6 * L * K))]
    block = [(L, Open(0), None), (m, 2, None), (K, m, None), (s, Open(0), 1 / (6 * L * K))]
    mean_of = sp.summation(size * index + rate * size**2 * index**2, (index, 0, m - 1)) / m
    return [
        variance_below_second_moment(),
        inequality(
            "triangle inequality in mean square: for every x > 0",
            (p + r) ** 2,
            (1 + 1 / x) * p**2 + (1 + x) * r**2,
            squares=[(1 / x, p - x * r)],
            ranges=[(x, Open(0), None)],
        ),
        identity(
            "... and x = P/Q gives (P + Q)^2", (1 + two / one) * one**2 + (1 + one / two) * two**2, (one + two) ** 2
        ),
        sign(
            "strong induction: u sum_{j<n} (1 + u j + (9/17) u^2 j^2) <= u n + (9/17) u^2 n^2",
            sp.cancel((size * n + rate * size**2 * n**2 - size * before) / (size**2 * n)),
            round_range,
        ),
        sign("|delta_n| <= (37/34) n u sigma_G", sp.Rational(37, 34) - (1 + rate * size * n), round_range),
        sign(
            "mean of the errors <= (18/17) u sigma_G (m-1)/2",
            sp.cancel((sp.Rational(18, 17) * (m - 1) / 2 - sp.cancel(mean_of / size)) / (m - 1)),
            block,
        ),
    ]


def prove_period_3(right: sp.Expr) -> Proof:
    """Theorem 3 for rounds of K local steps with exact gradients, errors of a round averaged."""
    constant = PERIOD_3 * (K - 1) ** 2 * L**2 * s**2 * sigma_G**2
    fit = errors_fit("FedAvg", PERIOD_3, sp.Rational(18, 17) ** 2, sp.Rational(37, 34) ** 2)
    return Proof((*growth_steps(), *block_steps(), *fit, *summing_up(right, constant)))
