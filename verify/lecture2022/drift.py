r"""Steps of the proofs for whole periods: the descent lemma, and the client drift for general N, K, d.

A client restarts from the common point y and has since subtracted s times n stochastic gradients, so
x_i = y - s S_i with S_i a sum of n gradients.  The reductions are mean/deviation splitting over the n gradients
(Jensen) and over the clients.
"""

import sympy as sp

from fltheory.theory.lecture2022.bounds import G, K, L, s
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Proof, Step, identity, inequality, sign
from verify.lecture2022.averages import MEAN_SQUARE, client_average, jensen, z, z_dev, z_mean

n = sp.Symbol("n", integer=True, positive=True)
h, F, F_next = sp.symbols("h F F_next", real=True)
V = sp.Symbol("V", nonnegative=True)

#: Step t = qK + r + 1 evaluates its gradients r + 1 - SHIFT gradients after the last average, 0 <= r < K.
EVALUATION_SHIFT = {"printed": 0, "FedAvg": 1}


def descent_lemma() -> Step:
    """f(x+h) <= f(x) + <grad f(x), h> + L/2 |h|^2 by integration along the segment.

    The remainder is int_0^1 <grad f(x + r h) - grad f(x), h> dr, and by smoothness the integrand is at most L r |h|^2.
    """
    r = sp.Symbol("r", nonnegative=True)
    remainder = sp.integrate(L * r * h**2, (r, 0, 1))
    return sign("descent lemma", sp.cancel((L / 2 * h**2 - remainder) / h**2), [(L, Open(0), None)])


def gradients_at_client_points() -> Step:
    """|a - b|^2 <= L^2 V: mean of differences, mean/deviation splitting, smoothness of each client."""
    return jensen("|a-b|^2 <= L^2 V", L**2 * V, "smooth clients")


def sum_of_gradients() -> list[Step]:
    """|z_1+...+z_n|^2 <= n sum |z_t|^2, hence E|S_i|^2 <= n^2 G^2: mean/deviation splitting over the n terms."""
    given = "average second moment <= G^2"
    return [jensen("E|S|^2 <= n^2 G^2", n**2 * G**2, given, times=n**2, ranges=[(n, 1, None)])]


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


def variance_below_second_moment() -> Step:
    """The average of |z - mean|^2 is at most the average of |z|^2."""
    spread = client_average((z - z_mean) ** 2, {z: (z_mean, z_dev)}, common=[z_mean])
    return inequality("deviations over clients: variance <= second moment", spread, MEAN_SQUARE, squares=[(1, z_mean)])
