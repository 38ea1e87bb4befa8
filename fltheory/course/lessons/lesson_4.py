"""Lesson 4: sampling schemes and exact expectations."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fltheory.course.parts import CitedClaim, ExactCurve, Exercise, FormulaCurve, Lesson, LessonPanel, Slider

CLIENTS = Slider("N", "number of clients N", (4.0, 8.0, 16.0), 1)
COHORTS = tuple(float(k) for k in range(1, 17))


def _variances(xs: Sequence[float], N: float, scheme: str) -> list[float]:
    """The variance of the model after one round from the clients' own models, by ``fl.moments``; spread 1 between them."""
    import fltheory as fl

    n = int(N)
    centres = np.arange(n, dtype=float)
    centres = (centres - centres.mean()) / centres.std()
    problem = fl.QuadraticProblem(np.ones((n, 1, 1)), centres[:, None])
    found = []
    for size in map(int, xs):
        if size > n:
            found.append(math.nan)
            continue
        method = fl.FedAvg(1, 1.0, getattr(fl, scheme)(size))
        found.append(float(fl.moments(problem, method, rounds=1).variance[-1]))
    return found


def with_replacement(xs: Sequence[float], N: float) -> list[float]:
    """Scheme I."""
    return _variances(xs, N, "SchemeI")


def without_replacement(xs: Sequence[float], N: float) -> list[float]:
    """Scheme II."""
    return _variances(xs, N, "SchemeII")


LESSON = Lesson(
    4,
    "Sampling clients, and expectations without simulation",
    45,
    (
        "Know the two sampling schemes of Li et al. (2020) and the variance that each adds to a round.",
        "Compute an expectation over all cohorts exactly, instead of averaging runs.",
        "See when a sampled average is biased.",
    ),
    (
        r"""In a round only $K$ of $N$ clients take part. Scheme I draws $K$ clients with replacement, with probabilities
equal to their weights, and takes the plain mean of their models. Scheme II takes a uniform subset of $K$,
without replacement, for equal weights. Both are unbiased: the expectation of the sampled mean is the mean of
all.""",
        r"""What sampling adds is variance. Let the clients' models have mean $0$ and mean square $1$. A mean of $K$
independent draws has variance $1/K$. Without replacement the draws repel each other, and the variance is
smaller. All clients at once, $K=N$, have none.""",
        LessonPanel(
            "Variance that sampling adds to one average",
            "K",
            "clients per round K",
            COHORTS,
            "variance of the average",
            (CLIENTS,),
            (
                FormulaCurve("1/K", "1/K"),
                FormulaCurve("(N - K)/(K (N - 1))", "Max(0, (N-K)/(K*(N-1)))"),
            ),
            (
                ExactCurve("Scheme I, with replacement", with_replacement, ("N",), "fl.moments"),
                ExactCurve("Scheme II, without replacement", without_replacement, ("N",), "fl.moments"),
            ),
        ),
        r"""Things to see. The package's numbers lie on the formulas, and no run was simulated: `fl.moments` carries mean
and covariance of the model through the rounds, with the law of the cohorts. For few clients out of many the
schemes hardly differ. For half of all clients the second has about half the variance of the first.""",
        CitedClaim("LI-LEM5-2[over the cohort only]", "The lemma of Li et al. (2020) on the variance of Scheme II"),
        r"""In Python: `fl.moments(problem, fl.FedAvg(10, 0.05, fl.SchemeI(2)), rounds=200).gap` is $\mathbb{E}F(w_r)-F^*$
at every round. Compare it with `fl.simulate(..., runs=100)`: the runs scatter around it.""",
    ),
    Exercise(
        "K of N clients, without replacement; their models have mean 0 and mean square s. "
        "Write the variance of the sampled mean in K, N and s.",
        {"K": (1.0, 5.0), "N": (6.0, 20.0), "s": (0.5, 4.0)},
        ("K", "N"),
        "s*(N - K)/(K*(N - 1))",
        (
            ("s/K", "that is with replacement; without, two draws are never the same client."),
            ("s*(1 - K/N)/K", "nearly: the factor is (N - K)/(N - 1), since the draws' covariance is -s/(N - 1)."),
            ("s*(N - K)/(N - 1)", "that is K times too much: the mean of K draws divides by K."),
            ("s/N", "that is K = N draws with replacement."),
        ),
        r"""Two different draws have covariance $-s/(N-1)$, because all $N$ models sum to zero. The variance of the mean is
$\frac1{K^2}\left(Ks-K(K-1)\frac{s}{N-1}\right)=\frac sK\cdot\frac{N-K}{N-1}$.""",
    ),
    ("fltheory show LI-LEM5-2",),
)
