r"""Clients that differ, Section 4.2 of Augenstein et al. (2022): the bounds of 1-way Gradient Transfer with sigma_f^2.

Let E g_i = grad f_i with variance at most sigma^2, f_i beta-smooth, and (1/N) sum_i |grad f_i - grad f_f|^2 <= sigma_f^2.  The
update of a round is -e (G + c + M + n + q): G, c, n as in :mod:`fltheory.theory.mixed2022.one_round`, M the cohort's mean of
grad f_i(x_i^k) - grad f_i(x), and the new q the cohort's mean of grad f_i(x) - grad f_f(x).

What is used of n in the homogeneous case is E|n|^2 <= sigma^2/(KS) and E<n, G> = E<n, c> = 0.  n + q has all this with
sigma^2 + K sigma_f^2 in place of sigma^2: E<n, q> = 0 (the noise has mean zero given the cohort), the cohort is uniform and
independent of c (without replacement, or with it if a client that is drawn twice also runs twice, with fresh batches).  In the
local steps the first direction grad f_i(x) + g_c has the mean square |grad f(x)|^2 + sigma_c^2 + sigma_f^2 over clients, so that
the drift has sigma^2/K + sigma_f^2 in place of sigma^2/K.  Hence every bound whose proof uses these facts only holds with the
replacement, and with the same constants.
"""

import sympy as sp

from fltheory.theory import sampling
from fltheory.theory.averages import Averages
from fltheory.theory.mixed2022.one_round import K, S, V, e, n
from fltheory.theory.steps import Step, identity, inequality, sign

#: sigma_f^2.
SPREAD = sp.Symbol("F_f")
q, N = sp.symbols("q N")


def enlarged(expression: sp.Expr, factor: sp.Expr = K) -> sp.Expr:
    """sigma^2 + factor sigma_f^2 in place of sigma^2."""
    return expression.subs(V, V + factor * SPREAD)


def cohort_means() -> list[Step]:
    """E|q|^2 <= sigma_f^2/S for a uniform cohort of S of N, without and with replacement.

    By the power-sum reduction; A is the mean square of N vectors of mean zero (p_i = 1/N: sum p^2|x|^2 = A/N, M = 0).
    """
    A = sp.Symbol("A")
    without = sampling.scaled_subset(N, S).spread(A, A / N, sp.Integer(0))
    drawn = sampling.draws_with_replacement(S).spread(A, A / N, sp.Integer(0))
    ranges = ((A, 0, None), (S, 1, None), (N, S + 1, None))
    return [
        identity("pairs of clients", sampling.pair_sum_step(), 0),
        identity("without replacement", without, A / S * (N - S) / (N - 1)),
        sign("at most A/S, S < N", A / S - A / S * (N - S) / (N - 1), ranges),
        identity("zero for S = N", (A / S * (N - S) / (N - 1)).subs(N, S), 0),
        identity("with replacement", drawn, A / S),
    ]


def cohort_noise(factor: sp.Expr) -> Step:
    """E|n + q|^2 <= (sigma^2 + factor sigma_f^2)/(KS)."""
    return inequality(
        "noise and choice of the cohort",
        (n + q) ** 2,
        enlarged(V, factor) / (K * S),
        premises={
            "E|n|^2": (sp.Integer(1), V / (K * S) - n**2),
            "E|q|^2": (sp.Integer(1), SPREAD / S - q**2),
            "E<n, q> = 0": (sp.Integer(2), -n * q),
        },
        ranges=((K, 1, None), (S, 1, None), (V, 0, None), (SPREAD, 0, None)),
    )


def parallel_training(factor: sp.Expr, wide: bool = True) -> list[Step]:
    """The same for Parallel Training: n + q for n, and the clients' own gradients as first directions of their drift.

    ``wide``: eta_s eta_m >= sqrt(S), so that u <= 1/S.
    """
    g, mean, deviation, u = sp.symbols("g g_mean g_dev u")
    average = Averages({g: (mean, deviation)}, common_vectors=(mean,))
    client = 2 * u * e**2
    return [
        *cohort_means(),
        cohort_noise(factor),
        identity("first directions", average.of(g**2), mean**2 + deviation**2),
        inequality(
            "drift of the clients",
            client * (mean**2 + SPREAD + V / K),
            client * mean**2 + 2 * e**2 * enlarged(V, factor) / (K * S),
            premises={"u <= 1/S": (2 * e**2 * (V / K + SPREAD), 1 / S - u)} if wide else {},
            ranges=((K, 1, None), (S, 1, None), (u, 0, 1), (V, 0, None), (SPREAD, 0, None), (e, 0, None)),
        ),
    ]


def transfer(factor: sp.Expr) -> list[Step]:
    """The same for 2-way GT, whose clients' first directions are grad f_i(x) + gt_c, gt_c known at the start of the round."""
    g, mean, deviation, known = sp.symbols("g g_mean g_dev known")
    average = Averages({g: (mean, deviation)}, common_vectors=(mean, known))
    shifted = identity("first directions with gt_c", average.of((g + known) ** 2), (mean + known) ** 2 + deviation**2)
    return [*parallel_training(factor), shifted]
