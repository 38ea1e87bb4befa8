r"""FedAvg and SCAFFOLD with all clients and exact gradients (arXiv 1910.06378, version 4).

The theorems print orders without constants (``fedavg_order``, ``scaffold_order``).  The appendix has one round with constants:

    FedAvg    |x^r - x*|^2 <= (1 - mu e/2) |x^{r-1} - x*|^2 - (e/3) (f(x^{r-1}) - f*) + 18 beta e^3 G^2
    SCAFFOLD  Phi^r <= (1 - mu e/2) Phi^{r-1} - e (f(x^{r-1}) - f*),  Phi = |x - x*|^2 + 9 e^2 C

(the lemmas of one round's progress and of bounded drift, S = N, sigma = 0; C is the mean over the clients of
``|c_k - grad f_k(x*)|^2``).  The bounds here are these recursions summed over R rounds, and nothing else.  Constants were not
compared with the print word by word: the tests hold them against exact worst cases.

========  =====================================================================================
symbol    meaning
========  =====================================================================================
beta, mu  smoothness and strong convexity of every client
e         effective step ``K eta_g eta_l`` of a round of K local steps
R         rounds
G2, B2    G^2 and B^2 of ``mean_k |grad f_k(x)|^2 <= G^2 + 2 beta B^2 (f(x) - f*)``
D1, C0    ``|x^0 - x*|^2``; C at the start: with variates zero, the mean of ``|grad f_k(x*)|^2``
========  =====================================================================================
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.conditions import Condition
from fltheory.theory.ranges import AT_LEAST_ONE, COUNT, NONNEGATIVE, POSITIVE

beta, e, R = sp.symbols("beta e R", positive=True)
mu, G2, D1, C0 = sp.symbols("mu G2 D1 C0", nonnegative=True)
B2 = sp.Symbol("B2", positive=True)

display = Bound.displays(
    {
        "beta": r"\beta",
        "mu": r"\mu",
        "e": r"\tilde\eta",
        "G2": "G^2",
        "B2": "B^2",
        "D1": r"\|x^0-x^*\|^2",
        "C0": r"\mathcal{C}_0",
    },
    ranges={
        **dict.fromkeys(("beta", "e"), POSITIVE),
        **dict.fromkeys(("mu", "G2", "D1", "C0"), NONNEGATIVE),
        "B2": AT_LEAST_ONE,
        "R": COUNT,
    },
)
_COMMON = (
    Condition("every f_k is convex and beta-smooth; exact gradients; all clients take part, equal weights"),
    Condition("eta_g >= 1"),
    Condition("mu <= beta", sp.Le(mu, beta)),
)
_STRONG = Condition("every f_k is mu-strongly convex, mu > 0", sp.Gt(mu, 0))
_ALIKE = Condition("mean_k |grad f_k(x)|^2 <= G^2 + 2 beta B^2 (f(x) - f*) at every point")
_FEDAVG = Condition("e <= 1/(8 (1 + B^2) beta)", sp.Le(8 * (1 + B2) * beta * e, 1))
_SCAFFOLD = Condition("e <= 1/(81 beta)", sp.Le(81 * beta * e, 1))
_OPTION = Condition("control variates are the means of the local gradients (option II)")
_AVERAGE = r"\frac1R\sum_{r=0}^{R-1}f(x^r)-f^*"
_kept = (1 - mu * e / 2) ** R

fedavg_distance = display(
    "FedAvg, distance",
    r"\|x^R-x^*\|^2",
    _kept * D1 + 18 * beta * e**3 * G2 * (1 - _kept) * 2 / (mu * e),
    (*_COMMON, _STRONG, _ALIKE, _FEDAVG),
    source="Karimireddy et al. 2020, FedAvg: progress of a round and bounded drift, summed",
)
fedavg_average_gap = display(
    "FedAvg, mean gap",
    _AVERAGE,
    3 * D1 / (e * R) + 54 * beta * e**2 * G2,
    (*_COMMON, _ALIKE, _FEDAVG),
    source="Karimireddy et al. 2020, FedAvg: progress of a round and bounded drift, summed",
)
scaffold_distance = display(
    "SCAFFOLD, distance",
    r"\|x^R-x^*\|^2",
    _kept * (D1 + 9 * e**2 * C0),
    (*_COMMON, _STRONG, _OPTION, _SCAFFOLD),
    source="Karimireddy et al. 2020, SCAFFOLD: progress of a round, summed",
)
scaffold_average_gap = display(
    "SCAFFOLD, mean gap",
    _AVERAGE,
    (D1 + 9 * e**2 * C0) / (e * R),
    (*_COMMON, _OPTION, _SCAFFOLD),
    source="Karimireddy et al. 2020, SCAFFOLD: progress of a round, summed",
)
_GAP = r"f(\bar x^R)-f^*"
fedavg_order = display(
    "FedAvg, strongly convex order",
    _GAP,
    beta * G2 / (mu * R) ** 2 + mu * D1 * sp.exp(-mu * R / (16 * (1 + B2) * beta)),
    (*_COMMON, _STRONG, _ALIKE, Condition("R >= 8 (1 + B^2) beta/mu", sp.Ge(mu * R, 8 * (1 + B2) * beta))),
    source="Karimireddy et al. 2020, Theorem I with S = N, sigma = 0; logarithms left out",
    relation="O",
)
scaffold_order = display(
    "SCAFFOLD, strongly convex order",
    _GAP,
    mu * D1 * sp.exp(-R * sp.Min(sp.Rational(1, 30), mu / (162 * beta))),
    (*_COMMON, _STRONG, Condition("R >= max(162 beta/mu, 30)", sp.And(mu * R >= 162 * beta, R >= 30))),
    source="Karimireddy et al. 2020, Theorem III with S = N, sigma = 0; logarithms left out",
    relation="O",
)
