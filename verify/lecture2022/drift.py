r"""Client drift: every constant with its proof, for general N, K, d.

A client restarts from the common point y and has since subtracted s times n stochastic gradients, so
x_i = y - s S_i with S_i a sum of n gradients.  The reductions are mean/deviation splitting over the n gradients
(Jensen), over the clients, and over "client i against the mean R of the others".
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.lecture2022.bounds import G, K, L, N, s, sigma, sigma_G
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Proof, Step, identity, inequality, sign
from verify.lecture2022.averages import MEAN_SQUARE, client_average, expectation, jensen, z, z_dev, z_mean

n, j, m = sp.symbols("n j m", integer=True, positive=True)
own, others = sp.symbols("S R", real=True)

#: Step t = qK + r + 1 evaluates its gradients r + 1 - SHIFT gradients after the last average, 0 <= r < K.
EVALUATION_SHIFT = {"printed": 0, "FedAvg": 1}
#: sum over one period of (number of gradients)^2, divided by the number of steps of the period
PERIOD_SQUARES = {"printed": (K + 1) * (2 * K + 1) / 6, "FedAvg": (K - 1) * (2 * K - 1) / 6}


def sum_of_gradients() -> list[Step]:
    """|z_1+...+z_n|^2 <= n sum |z_t|^2, hence E|S_i|^2 <= n^2 G^2: mean/deviation splitting over the n terms."""
    given = "average second moment <= G^2"
    return [jensen("E|S|^2 <= n^2 G^2", n**2 * G**2, given, times=n**2, ranges=[(n, 1, None)])]


def one_client(constant: sp.Expr) -> Proof:
    """E|xbar - x_i|^2 <= constant s^2 K^2 G^2 for one client, with at most K gradients since the common point."""
    whole = s * (own / N + (1 - 1 / N) * others) - s * own
    factor = (1 - 1 / N) ** 2
    clients = [(N, 1, None), (n, 1, None), (K, n, None), (s, 0, None), (G, 0, None)]
    return Proof(
        (
            *sum_of_gradients(),
            identity("xbar - x_i = s (1 - 1/N)(S_i - R) up to sign", whole, s * (1 - 1 / N) * (others - own)),
            jensen("|R|^2 <= n^2 G^2", n**2 * G**2, "mean over the others", ranges=[(n, 1, None)]),
            inequality(
                "drift of one client",
                whole**2,
                constant * s**2 * K**2 * G**2,
                premises={
                    "own sum": (2 * s**2 * factor, n**2 * G**2 - own**2),
                    "mean of the others": (2 * s**2 * factor, n**2 * G**2 - others**2),
                },
                squares=[(s**2 * factor, own + others)],
                ranges=clients,
            ),
        )
    )


def averaged(constant: sp.Expr, *, limit: sp.Expr = K) -> Proof:
    """(1/N) sum_i E|xbar - x_i|^2 <= constant s^2 limit^2 G^2: variance over clients <= second moment."""
    spread = client_average((z - z_mean) ** 2, {z: (z_mean, z_dev)}, common=[z_mean])
    return Proof(
        (
            *sum_of_gradients(),
            inequality(
                "average drift",
                s**2 * spread,
                constant * s**2 * limit**2 * G**2,
                premises={"average of |S_i|^2": (s**2, n**2 * G**2 - MEAN_SQUARE)},
                squares=[(s**2, z_mean)],
                ranges=[(n, 1, None), (K, n if limit == K else n + 1, None), (s, 0, None), (G, 0, None)],
            ),
        )
    )


def gradients_since_the_average(code: str) -> list[Step]:
    """How many gradients lie between the last average and the points where step t = qK + r + 1 evaluates.

    printed: the last averaging step before step t is step qK, and its average is the one of iterate qK - 1 (in the
    first period there is none, and the r gradients since the start are fewer).  FedAvg: rounds begin with the average
    of iterate qK.
    """
    q, r = sp.symbols("q r", nonnegative=True)
    evaluated_at = q * K + r
    averaged_at = {"printed": q * K - 1, "FedAvg": q * K}[code]
    count = r + 1 - EVALUATION_SHIFT[code]
    ranges = [(r, 0, None), (K, r + 1, None)]
    return [
        identity("gradients since the average", evaluated_at - averaged_at, count),
        sign("at most K - SHIFT of them", K - EVALUATION_SHIFT[code] - count, ranges),
        sign("the first period, r gradients after the start, has no more", count - r, ranges),
    ]


def period_averages(code: str) -> list[Step]:
    """The numbers of gradients along a run, squared and averaged over any prefix, stay below the period's average.

    printed: 0,1,..,K-1, then 1,2,..,K repeated.  FedAvg: 0,1,..,K-1 repeated.  Both increase within a period, so a
    prefix of m steps of a period has the sum below m times the period's average.
    """
    index = sp.Symbol("i", integer=True)
    low = sp.factor(sp.summation(index**2, (index, 0, m - 1)))
    high = sp.factor(sp.summation(index**2, (index, 1, m)))
    ranges = [(m, 1, None), (K, m, None)]
    average = PERIOD_SQUARES[code]
    steps = [sign("0^2..(m-1)^2 below m times the average", m * average - low, ranges)]
    if code == "printed":
        steps.append(sign("1^2..m^2 below m times the average", m * average - high, ranges))
    period = sp.summation((index + 1 - EVALUATION_SHIFT[code]) ** 2, (index, 0, K - 1))
    steps.append(identity("a full period attains the average", period, K * average))
    return steps


def gradient_drift_constants(code: str) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """(theta, alpha, beta) with: time-average V <= alpha s^2 K sigma^2 + beta s^2 K^2 sigma_G^2 and theta < 1.

    theta bounds the feedback of the drift on itself when K <= 1/(6 L s).
    """
    theta, sign_of = {"printed": (sp.Rational(1, 9), 1), "FedAvg": (sp.Rational(1, 18), -1)}[code]
    count = K + sign_of
    return theta, count / (K * (1 - theta)), 4 * count * (2 * K + sign_of) / (6 * K**2 * (1 - theta))


def variance_below_second_moment() -> Step:
    """The average of |z - mean|^2 is at most the average of |z|^2."""
    spread = client_average((z - z_mean) ** 2, {z: (z_mean, z_dev)}, common=[z_mean])
    return inequality("deviations over clients: variance <= second moment", spread, MEAN_SQUARE, squares=[(1, z_mean)])


def gradient_drift(code: str) -> Proof:
    r"""Drift under bounded variance and dissimilarity, for either code.

    With n gradients since the common point, W_j the drift where gradient j was evaluated,
        V_n <= 2 s^2 n sigma^2 + 2 s^2 n sum_{j<n} (2 L^2 W_j + 2 sigma_G^2),
    summed over the run.  In the printed code the first gradient of a period is evaluated before averaging, so W_0 is
    the last drift of the period before; each drift still feeds back with weight at most K(K+1)/2.
    """
    a, b = sp.symbols("a b", real=True)
    x_sum, constant, variance = sp.symbols("X C v", nonnegative=True)
    index = sp.Symbol("i", integer=True)
    theta, alpha, beta = gradient_drift_constants(code)
    printed = code == "printed"
    top = m if printed else m - 1
    weights = sp.factor(sp.summation(index, (index, j + 1, top)))
    heaviest = K * (K + 1) / 2 if printed else K * (K - 1) / 2
    linear = sp.factor(sp.summation(index, (index, 1, top)))
    squares = sp.factor(sp.summation(index**2, (index, 1, top)))
    step_range = [(K, 1, None), (L, Open(0), None), (s, 0, 1 / (6 * L * K))]
    feedback = 4 * s**2 * L**2 * heaviest
    noise_sum = expectation((a + b) ** 2, {a: variance, b: variance})
    per_step = 2 * s**2 * linear * sigma**2 + 4 * s**2 * squares * sigma_G**2
    target = m * (1 - theta) * (alpha * s**2 * K * sigma**2 + beta * s**2 * K**2 * sigma_G**2)
    prefix = [(m, 1, None), (K, m, None), (s, 0, None), (sigma, 0, None), (sigma_G, 0, None)]
    return Proof(
        (
            inequality("|a+b|^2 <= 2|a|^2 + 2|b|^2", (a + b) ** 2, 2 * a**2 + 2 * b**2, squares=[(1, a - b)]),
            identity("noises of different steps are uncorrelated: variances add", noise_sum, 2 * variance),
            variance_below_second_moment(),
            *sum_of_gradients(),
            inequality(
                "gradient deviations: 2 L^2 V + 2 sigma_G^2",
                (a + b) ** 2,
                2 * L**2 * x_sum + 2 * sigma_G**2,
                premises={"smoothness": (2, L**2 * x_sum - a**2), "dissimilarity": (2, sigma_G**2 - b**2)},
                squares=[(1, a - b)],
            ),
            sign(
                "every drift feeds back with at most the heaviest weight",
                heaviest - weights.subs(j, j - 1),
                [(j, 1, None), (m, j, None), (K, m, None)],
            ),
            sign("feedback below theta", theta - feedback, step_range),
            inequality(
                "X <= C + theta X gives X <= C/(1-theta)",
                x_sum,
                constant / (1 - theta),
                premises={"recursion": (1 / (1 - theta), constant + theta * x_sum - x_sum)},
            ),
            inequality("noise and dissimilarity over m steps of a period", per_step, target, ranges=prefix),
        )
    )
