r"""The bounds of the lecture note as symbolic expressions.

| symbol  | meaning                                                        |
|---------|----------------------------------------------------------------|
| s       | step size                                                      |
| T, K, N | steps, local steps between two averagings, clients             |
| L       | smoothness constant of every client                            |
| G       | square root of the bound on E abs(stochastic gradient)^2       |
| sigma   | square root of the bound on the variance                       |
| sigma_G | gradient dissimilarity of the clients                          |
| gap     | f(start) - f*                                                  |
| c       | constant of the number of local steps in Corollary 4           |
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.lecture2022.vocabulary import LectureBound

s, T, K, N, L, c = sp.symbols("s T K N L c", positive=True)
G, sigma, sigma_G, gap = sp.symbols("G sigma sigma_G gap", nonnegative=True)

NAMES = {"gap": r"\left(f(\bar{x}^0)-f^*\right)", "sigma_G": r"\sigma_G"}
AVERAGE_GRADIENT = r"\frac{1}{T}\sum_{t=1}^{T}\mathbb{E}\|\nabla f(\bar{x}^{t-1})\|^2"
CLIENT_DRIFT = r"\mathbb{E}\|\bar{x}^t-x_i^t\|^2"
AVERAGE_DRIFT = r"\frac{1}{N}\sum_i\mathbb{E}\|\bar{x}^t-x_i^t\|^2"

STEP = Condition("0 < s <= 1/L", sp.And(s > 0, s * L <= 1))
LOCAL_STEPS = Condition("K <= 1/(6Ls)", 6 * K * L * s <= 1)
FULL = Condition("all clients take part in every round (M = N)")
NOISE = Condition("gradient noise is unbiased given the past and independent over the clients")
MOMENTS = Condition("variance at most sigma^2 and second moment at most G^2 at every point")
VARIANCE = Condition("variance at most sigma^2 at every point")
DISSIMILARITY = Condition("mean over the clients of |grad f_i - grad f|^2 at most sigma_G^2 at every point")


def theorem_1_expression(*, descent: sp.Expr, drift: sp.Expr, noise: sp.Expr) -> sp.Expr:
    """``descent gap/(sT) + drift s^2 G^2 L^2 + noise L s sigma^2/N``; as printed (2, 4 K^2, 1)."""
    return descent * gap / (s * T) + drift * s**2 * G**2 * L**2 + noise * L * s * sigma**2 / N


def theorem_3_expression(*, descent: sp.Expr, noise: sp.Expr, moment: sp.Expr, dissimilarity: sp.Expr) -> sp.Expr:
    """``descent gap/(sT) + noise L s sigma^2/N + L^2 s^2 (moment K G^2 + dissimilarity K^2 sigma_G^2)``."""
    spread = moment * K * G**2 + dissimilarity * K**2 * sigma_G**2
    return descent * gap / (s * T) + noise * L * s * sigma**2 / N + L**2 * s**2 * spread


theorem_1 = LectureBound(
    "Theorem 1",
    "Theorem 1",
    AVERAGE_GRADIENT,
    theorem_1_expression(descent=sp.Integer(2), drift=4 * K**2, noise=sp.Integer(1)),
    (STEP, MOMENTS, NOISE, FULL),
    symbol_names=NAMES,
)
theorem_1_averaged = LectureBound(
    "Theorem 1, drift averaged over the clients",
    "Theorem 1",
    AVERAGE_GRADIENT,
    theorem_1_expression(descent=sp.Integer(2), drift=K**2, noise=sp.Integer(1)),
    (STEP, MOMENTS, NOISE, FULL),
    symbol_names=NAMES,
)
theorem_1_periods = {
    "printed": LectureBound(
        "Theorem 1, drift averaged over clients and periods",
        "Theorem 1",
        AVERAGE_GRADIENT,
        theorem_1_expression(descent=sp.Integer(2), drift=(K + 1) * (2 * K + 1) / 6, noise=sp.Integer(1)),
        (STEP, MOMENTS, NOISE, FULL),
        symbol_names=NAMES,
    ),
    "FedAvg": LectureBound(
        "Theorem 1, drift averaged over clients and periods",
        "Theorem 1",
        AVERAGE_GRADIENT,
        theorem_1_expression(descent=sp.Integer(2), drift=(K - 1) * (2 * K - 1) / 6, noise=sp.Integer(1)),
        (STEP, MOMENTS, NOISE, FULL),
        symbol_names=NAMES,
    ),
}
theorem_1_one_local_step = LectureBound(
    "Theorem 1, one local step from the average",
    "Theorem 1",
    AVERAGE_GRADIENT,
    theorem_1_expression(descent=sp.Integer(2), drift=sp.Integer(0), noise=sp.Integer(1)),
    (STEP, Condition("K = 1, rounds of FedAvg"), MOMENTS, NOISE, FULL),
    symbol_names=NAMES,
)
lemma_1 = LectureBound("Lemma 1", "Lemma 1", CLIENT_DRIFT, 4 * s**2 * K**2 * G**2, (MOMENTS, FULL))
lemma_1_sharp = LectureBound(
    "Lemma 1, sharp for every N", "Lemma 1", CLIENT_DRIFT, 4 * (1 - 1 / N) ** 2 * s**2 * K**2 * G**2, (MOMENTS, FULL)
)
lemma_1_average = LectureBound(
    "Lemma 1, averaged over the clients", "Lemma 1", AVERAGE_DRIFT, s**2 * K**2 * G**2, (MOMENTS, FULL)
)
lemma_1_rounds = LectureBound(
    "Lemma 1, averaged over the clients, where rounds evaluate gradients",
    "Lemma 1",
    AVERAGE_DRIFT.replace("^t", "^{t-1}"),
    s**2 * (K - 1) ** 2 * G**2,
    (MOMENTS, FULL),
)

RATE_STEP = sp.sqrt(N) / (L * sp.sqrt(T))
RATE_STEP_4 = sp.sqrt(N) / sp.sqrt(T)
RATE_4 = Condition("s = sqrt(N)/sqrt(T)")
corollary_2_first = LectureBound(
    "Corollary 2, first display",
    "Corollary 2",
    AVERAGE_GRADIENT,
    2 * L * gap / sp.sqrt(N * T) + 4 * N * K**2 * G**2 / T + sigma**2 / sp.sqrt(N * T),
    (MOMENTS, NOISE, FULL, Condition("s = sqrt(N)/(L sqrt(T))")),
    symbol_names=NAMES,
)
corollary_2_second = LectureBound(
    "Corollary 2, second display",
    "Corollary 2",
    AVERAGE_GRADIENT,
    2 * L * gap / sp.sqrt(N * T) + 4 * G**2 / sp.sqrt(N * T) + sigma**2 / sp.sqrt(N * T),
    (MOMENTS, NOISE, FULL, Condition("K <= T^(1/4)/N^(3/4)", K**4 * N**3 <= T)),
    symbol_names=NAMES,
)
theorem_3 = LectureBound(
    "Theorem 3",
    "Theorem 3",
    AVERAGE_GRADIENT,
    theorem_3_expression(descent=sp.Integer(2), noise=sp.Integer(1), moment=sp.Integer(4), dissimilarity=sp.Integer(9)),
    (STEP, LOCAL_STEPS, MOMENTS, DISSIMILARITY, NOISE, FULL),
    symbol_names=NAMES,
)
theorem_3_sharp = LectureBound(
    "Theorem 3 with the variance in place of the second moment",
    "Theorem 3",
    AVERAGE_GRADIENT,
    theorem_3_expression(
        descent=sp.Integer(2), noise=sp.Integer(1), moment=sp.Rational(9, 4), dissimilarity=sp.Rational(9, 2)
    ).subs(G, sigma),
    (LOCAL_STEPS, VARIANCE, DISSIMILARITY, NOISE, FULL),
    symbol_names=NAMES,
)
corollary_4_first = LectureBound(
    "Corollary 4, K = 1",
    "Corollary 4",
    AVERAGE_GRADIENT,
    (2 * gap + L * sigma**2) / sp.sqrt(N * T) + L**2 * (4 * G**2 + 9 * sigma_G**2) * N / T,
    (RATE_4, Condition("T >= 36 L^2 N", T >= 36 * L**2 * N), MOMENTS, DISSIMILARITY, NOISE, FULL),
    symbol_names=NAMES,
)
corollary_4_second = LectureBound(
    "Corollary 4, growing K",
    "Corollary 4",
    AVERAGE_GRADIENT,
    theorem_3.expression.subs(s, RATE_STEP_4),
    (RATE_4, Condition("T >= 36 L^2 N K^2", T >= 36 * L**2 * N * K**2), MOMENTS, DISSIMILARITY, NOISE, FULL),
    symbol_names=NAMES,
)
corollary_4_rate = LectureBound(
    "Corollary 4, growing K, the rate",
    "Corollary 4",
    AVERAGE_GRADIENT,
    (2 * gap + L * sigma**2 + 36 * c**2 * L**2 * G**2 + 9 * c**2 * L**2 * sigma_G**2) / sp.sqrt(N * T),
    (RATE_4, Condition("K <= c T^(1/4)/N^(3/4)", K**4 * N**3 <= c**4 * T), MOMENTS, DISSIMILARITY, NOISE, FULL),
    symbol_names=NAMES,
)

#: Quantities of one step: values of f before and after, squared gradient norms (of f at the mean, of the mean of the
#: clients' gradients at their own points, of the difference of the two).
before, after, square_a, square_b, square_ab = sp.symbols("F F_next A B D", real=True)
one_step = LectureBound(
    "one step, deviation term kept",
    "eq. (7)",
    r"\mathbb{E}f(\bar{x}^t)",
    before - (s - s**2 * L) / 2 * square_b - s / 2 * square_a + s / 2 * square_ab + L * s**2 * sigma**2 / (2 * N),
    (STEP, NOISE),
    symbol_names={
        "F": r"\mathbb{E}f(\bar{x}^{t-1})",
        "A": r"\mathbb{E}\|\nabla f(\bar{x}^{t-1})\|^2",
        "B": r"\mathbb{E}\|\tfrac1N\sum_i\nabla f_i(x_i^{t-1})\|^2",
        "D": r"\mathbb{E}\|\nabla f(\bar{x}^{t-1})-\tfrac1N\sum_i\nabla f_i(x_i^{t-1})\|^2",
    },
)
one_step_with_drift = LectureBound(
    "one step, with Lemma 1",
    "eq. (8)",
    r"\mathbb{E}f(\bar{x}^t)",
    before
    - (s - s**2 * L) / 2 * square_b
    - s / 2 * square_a
    + 2 * s**3 * K**2 * G**2 * L**2
    + L * s**2 * sigma**2 / (2 * N),
    (STEP, MOMENTS, NOISE),
    symbol_names=one_step.symbol_names,
)
